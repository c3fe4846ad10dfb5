package docs_test

import (
	"go/ast"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hiring-assessment/hiring-go/internal/testing/docscheck"
)

// TestEveryFunctionHasAnExample reports each exported function and method without a
// runnable example.
func TestEveryFunctionHasAnExample(t *testing.T) {
	t.Parallel()
	for dir, shared := range map[string]map[string]string{
		".": {
			// Called by encoding/json. 19 types have the same two lines.
			"MarshalJSON":   "Submission_json",
			"UnmarshalJSON": "Submission_json",
		},
		"sandbox": { // Durations in seconds, in three types.
			"MarshalJSON":   "Fault_json",
			"UnmarshalJSON": "Fault_json",
		},
		"sandbox/console": nil,
	} {
		p, err := docscheck.Read(dir)
		require.NoError(t, err)
		assert.Empty(t, p.WithoutExample(shared), "%s: write these examples, with // Output:", dir)
	}
}

// TestDocCommentsStateScopeAndCost reports exported names without a comment that begins
// with the name, and functions that send requests without their scope and cost.
func TestDocCommentsStateScopeAndCost(t *testing.T) {
	t.Parallel()
	for _, dir := range []string{".", "sandbox", "sandbox/console"} {
		p, err := docscheck.Read(dir)
		require.NoError(t, err)
		assert.Empty(t, p.WithoutComment(), "no comment that begins with the name")
		if dir == "." {
			assert.Empty(t, p.WithoutCost(sends), "no scope or no cost in quota")
		}
	}
}

// sends: the methods of services, which may return a Pager and send nothing yet,
// and every other method that has a context and sends requests.
func sends(name string, decl *ast.FuncDecl) bool {
	kind, _, _ := strings.Cut(name, "_")
	return strings.HasSuffix(kind, "Service") || docscheck.TakesContext(decl) && (kind == "Client" || kind == "Pager")
}

// promises are the documented promises that concern several functions, with the example
// that shows each.
var promises = map[string]map[string]string{
	".": {
		"_journey":                          "from an invitation to the score, by the candidate's address",
		"_quotaExhausted":                   "what the API would refuse is not sent",
		"_keyRefused":                       "a key that is refused three times is not sent on and on",
		"_notTheService":                    "a 2xx is believed only when it is the API's",
		"_redirect":                         "redirects are not followed",
		"Client_print":                      "the key is in no rendering of a value",
		"Client_With":                       "variants share what is known of the quotas",
		"Client_Do_patch":                   "what has no method yet can be called",
		"Dialect":                           "a wrong guess names the field that corrects it",
		"Dialect_file":                      "a file can hold a dialect",
		"WithDialect":                       "every assumed name can be overridden",
		"Exchange_warning":                  "a guess that costs requests only is a warning",
		"Exchange":                          "one observer call an attempt; routes are templates",
		"Trace":                             "a wait is told before it begins, with its reason",
		"WithTrace":                         "calls and attempts have a beginning and an end; headers can be added",
		"Response":                          "the raw response can be had, also of a call that failed",
		"Error":                             "errors.As gives status, code, outcome and request id",
		"ErrorCode":                         "codes are errors, and an open set",
		"Error_Is":                          "errors.Is knows a code and an unknown outcome through any wrapping",
		"Error_Unwrap":                      "the cause of a failure without a response can be reached",
		"ParamError":                        "what is surely wrong costs no request",
		"ParamError_Error":                  "whatever is wrong with one input is reported together",
		"FieldErrors":                       "problems by field, whoever found them",
		"IsTransient":                       "what may succeed later is told from what will fail again",
		"Outcome":                           "a failed write is not done, done or unknown",
		"RetryPolicy":                       "a POST is not repeated when it may have happened",
		"RetryPolicy_deadline":              "no pause is begun that outlasts the context",
		"WithRetry":                         "a pause longer than MaxWait fails at once",
		"WithQuotaReserve":                  "background work leaves a part of each window to others",
		"WithKeySource":                     "the key is asked for before each attempt",
		"WithEnvironment":                   "a guard against mailing real candidates",
		"Pager":                             "a list is lazy and starts over each time, at a request a page",
		"Pager_All":                         "a range that is left reads no further",
		"Pager_From":                        "a list goes on from a token",
		"Pager_From_another":                "a token belongs to its list",
		"Pager_Collect":                     "what was read before an error comes with it",
		"PagerOf":                           "a list from memory, for fakes of one's own",
		"InvitationService_Ensure":          "a lost response leads to no second mail",
		"InvitationService_Ensure_again":    "who has an invitation is not invited again",
		"InvitationService_SendAll":         "one candidate's failure stops nobody else, and a run can be run again",
		"InvitationService_SendAll_restart": "a run that is killed can be restarted at any moment",
		"NewInvitation":                     "further members of a body can be sent",
		"NewAssessment":                     "optional inputs that are assumed can be set",
		"Submission_unknown":                "unknown values and members never fail",
		"Submission_json":                   "a resource encodes as it came, what is unknown included",
		"Report_Score":                      "no score is not 0, and no report is no score",
		"Pillar_ReliableScore":              "a score on thin evidence is not shown",
		"SubmissionService_DownloadArchive": "an archive is streamed, and none is ErrNoArchive",
		"SubmissionService_DownloadArchive_broken": "a download goes on where it broke off",
		"SubmissionService_WaitReport_later":       "a wait ends when the report is ready",
		"SubmissionService_WaitReports":            "many reports come for a few requests, and the missing are named",
		"WaitError":                                "a wait that ends too early says what is pending",
		"SubmissionService_Watch":                  "a watch yields each new result, until it is left",
		"SubmissionService_Poll":                   "one round for cron jobs and functions",
		"SubmissionService_Poll_again":             "rounds hand their state on; a foreign state is refused",
		"FileCheckpoint":                           "a restart goes on where the last run stopped",
		"Checkpoint":                               "what was not dealt with comes again, from any store",
		"EventService_Tail_again":                  "a log that is followed goes on in another process",
	},
	"sandbox": {
		"":                         "the first test",
		"Start":                    "a fault that never fired fails the test",
		"Server_Client":            "the key decides which of two environments it sees",
		"Server_LiveClient":        "what a live key writes, stays",
		"Server_Evaluate":          "candidates move by the test's hand",
		"WithTimeline":             "or by themselves, in virtual time",
		"Server_Inject_lostReply":  "a response can get lost after the work was done",
		"Fault":                    "or before it was done",
		"Journal_Repeated":         "writes that were sent twice are found",
		"Server_SetQuota":          "a quota can end anywhere",
		"WithKey":                  "keys have scopes and expire",
		"Server_AddKey":            "an organization sees nothing of another",
		"WithDrift":                "responses as a later v1 may have them",
		"WithDialect":              "a service that is called otherwise",
		"Server_ServeHTTP_control": "suites in other languages",
		"Server_Listener":          "a real http.Server without a socket",
		"Result":                   "a report can hold anything",
	},
}

// TestEveryPromiseHasAnExample checks that the examples of promises exist and run.
func TestEveryPromiseHasAnExample(t *testing.T) {
	t.Parallel()
	for dir, all := range promises {
		p, err := docscheck.Read(dir)
		require.NoError(t, err)
		for example, promise := range all {
			assert.True(t, p.Has(example), "%s: no runnable Example%s shows that %s", dir, example, promise)
		}
	}
}
