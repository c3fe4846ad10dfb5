package main

import (
	"bytes"
	"errors"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	hiring "github.com/hiring-assessment/hiring-go"
	"github.com/hiring-assessment/hiring-go/sandbox"
)

// environment sets the two variables.
func environment(t *testing.T, baseURL, key string) {
	t.Helper()
	t.Setenv("HIRING_BASE_URL", baseURL)
	t.Setenv("HIRING_API_KEY", key)
}

func TestRunNeedsNoSetup(t *testing.T) {
	environment(t, "", "")
	want, err := os.ReadFile("../testdata/quickstart.txt")
	require.NoError(t, err)
	var out bytes.Buffer
	require.NoError(t, run(t.Context(), &out))
	require.Equal(t, string(want), out.String())
	for line := range strings.Lines(out.String()) {
		require.LessOrEqual(t, utf8.RuneCountInString(line), 101, "columns and the line break: %s", line)
	}
}

func TestWhatToTryNextExists(t *testing.T) {
	t.Parallel()
	places := regexp.MustCompile(`(?m)^(?:go run \./)?(\S+/\S+)`).FindAllStringSubmatch(next, -1)
	require.Len(t, places, 5)
	for _, place := range places {
		_, err := os.Stat(filepath.Join("../..", place[1]))
		require.NoError(t, err)
	}
}

func TestRunTakesTheServiceOfTheEnvironment(t *testing.T) {
	server := sandbox.Start(t)
	environment(t, server.URL(), sandbox.LiveKey)
	require.NoError(t, run(t.Context(), new(bytes.Buffer)))
	require.NotEmpty(t, server.Journal())

	environment(t, server.URL(), "")
	require.ErrorContains(t, run(t.Context(), new(bytes.Buffer)), "connect: hiring: HIRING_API_KEY")
}

// TestShowFails fails each of the calls and checks that nothing is printed.
func TestShowFails(t *testing.T) {
	t.Parallel()
	for route, want := range map[string]string{
		"GET /account":                       "account: hiring: Account.Get: 403",
		"GET /assessments":                   "assessments: hiring: Assessments.List: 403",
		"GET /assessments/{id}/invitations":  "assessments: hiring: Invitations.List: 403",
		"POST /assessments":                  "assessments: hiring: Assessments.Create: 403",
		"POST /assessments/{id}/invitations": "assessments: hiring: Invitations.Send: 403",
		"GET /submissions":                   "candidates: hiring: Submissions.List: 403",
	} {
		t.Run(route, func(t *testing.T) {
			t.Parallel()
			server := sandbox.Start(t)
			server.Inject(sandbox.Fault{Route: route, Status: http.StatusForbidden, Code: hiring.ErrInsufficientScope})
			var out bytes.Buffer
			err := show(t.Context(), server.Client(), &out)
			require.ErrorIs(t, err, hiring.ErrInsufficientScope)
			require.ErrorContains(t, err, want)
			require.Empty(t, out.String())
		})
	}
}

func TestShowOnlyReadsWithALiveKey(t *testing.T) {
	t.Parallel()
	server := sandbox.Start(t)
	server.AddAssessment("Backend engineer")
	var out bytes.Buffer
	require.NoError(t, show(t.Context(), server.LiveClient(), &out))
	require.Contains(t, out.String(), "active  ")
	require.Contains(t, out.String(), "writes: not known before the first one")
	for _, entry := range server.Journal() {
		require.Equal(t, http.MethodGet, entry.Method, entry.Route)
	}
}

// TestShowOmitsUnknownScores checks that a candidate without a report has no line,
// and that a pillar without evidence is not shown as 0.
func TestShowOmitsUnknownScores(t *testing.T) {
	t.Parallel()
	server := sandbox.Start(t)
	assessment := server.AddAssessment("Backend engineer")
	begin(t, server, assessment, "Grace")
	graded := begin(t, server, assessment, "Ada")
	require.NoError(t, server.Evaluate(graded, sandbox.Result{ShipScore: new(0), Pillars: map[string]*int{"craft": new(0), "rigor": new(50)}, LowConfidence: []string{"rigor"}}))

	var out bytes.Buffer
	require.NoError(t, show(t.Context(), server.LiveClient(), &out))
	require.NotContains(t, out.String(), "Grace")
	require.Regexp(t, `(?m)^0 +strong_no +- +0 +- +- +Ada$`, out.String())
}

// begin returns the id of a candidate's submission.
func begin(t *testing.T, server *sandbox.Server, assessment, name string) string {
	t.Helper()
	invitation, err := server.Invite(assessment, strings.ToLower(name[:3])+"@candidates.test", name)
	require.NoError(t, err)
	submission, err := server.Begin(invitation)
	require.NoError(t, err)
	return submission
}

// TestNamesMakeNoLines uses a name with escape sequences and line breaks.
func TestNamesMakeNoLines(t *testing.T) {
	t.Parallel()
	const name = "Eve\x1b[2J\n1 of 1\t99\u202e"
	server := sandbox.Start(t)
	submission := begin(t, server, server.AddAssessment(name), name)
	require.NoError(t, server.Evaluate(submission, sandbox.Result{ShipScore: new(50)}))

	var out bytes.Buffer
	require.NoError(t, show(t.Context(), server.LiveClient(), &out))
	require.Equal(t, 3, strings.Count(out.String(), "Eve\ufffd[2J\ufffd1 of 1\ufffd99\ufffd"), "in the assessments, the invitations and the candidates: %s", out.String())
	for _, r := range out.String() {
		require.True(t, unicode.IsGraphic(r) || r == '\n', "%q", r)
	}
}

// full is a full disk.
type full struct{}

var errFull = errors.New("no space left on device")

func (full) Write([]byte) (int, error) { return 0, errFull }

func TestShowReturnsErrorsOfPrinting(t *testing.T) {
	t.Parallel()
	require.ErrorIs(t, show(t.Context(), sandbox.Start(t).Client(), full{}), errFull)
}
