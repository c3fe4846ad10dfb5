package doctor

import (
	"cmp"
	"context"
	"encoding/json"
	"maps"
	"net/http"
	"net/url"
	"reflect"
	"slices"
	"strconv"
	"strings"

	hiring "github.com/hiring-assessment/hiring-go"
)

// usualNames are values of the fields of Dialect that other APIs use, most frequent first.
// Routes and layouts are tried one by one. The names of parameters and members are sent
// together in one request, each with a value of its own.
var usualNames = map[string][]string{
	"PageParam": {"page", "p", "page_number", "pageNumber", "page_no", "pageNo", "pg", "page_index", "pageIndex", "page_num",
		"page[number]", "current_page"},
	"PageSizeParam":      usualSizes,
	"EventPageSizeParam": usualSizes,
	"CursorParam": {"cursor", "after", "page_token", "next_cursor", "pageToken", "starting_after", "next", "nextCursor", "start_after",
		"continuation_token", "continuation", "next_page_token", "page[cursor]", "page[after]", "token", "marker"},
	"SinceLayout": {"2006-01-02T15:04:05Z", "2006-01-02", "unix", "unixmilli", "2006-01-02T15:04:05.000", "2006-01-02 15:04:05",
		"2006-01-02T15:04:05-07:00"},
	"ListChallenges":   {"GET /library", "GET /library/challenges"},
	"ListAssessments":  {"GET /job-postings", "GET /postings", "GET /jobs"},
	"GetAssessment":    {"GET /job-postings/{id}", "GET /postings/{id}", "GET /jobs/{id}"},
	"UpdateAssessment": {"PUT /assessments/{id}", "POST /assessments/{id}"},
	"ResendInvitation": {"PUT /assessments/{id}/invitations/{invitation_id}/resend", "POST /assessments/{id}/invitations/{invitation_id}/remind",
		"POST /assessments/{id}/invitations/{invitation_id}/send"},
	"RevokeInvitation": {"PUT /assessments/{id}/invitations/{invitation_id}/revoke", "DELETE /assessments/{id}/invitations/{invitation_id}",
		"POST /assessments/{id}/invitations/{invitation_id}/cancel"},
	"InvitationEmail": {"candidate_email", "email", "candidateEmail", "email_address", "emailAddress", "mail", "recipient_email",
		"invitee_email", "address", "to"},
	"InvitationName": {"candidate_name", "name", "candidateName", "full_name", "fullName", "display_name", "recipient_name", "invitee_name"},
}

var usualSizes = []string{"page_size", "per_page", "limit", "pageSize", "perPage", "size", "page_limit", "max_results", "maxResults",
	"count", "page[size]", "items_per_page", "results_per_page", "max_items", "take", "first", "num", "n", "batch_size"}

// isWriteField reports whether only writes need a field of Dialect.
func isWriteField(name string) bool {
	return slices.Contains([]string{"UpdateAssessment", "ResendInvitation", "RevokeInvitation", "InvitationEmail", "InvitationName"}, name)
}

// field is what is known of a field of Dialect.
type field struct {
	assumed    string
	documented []string // What the document says. Several layouts may fit an example.
	observed   string   // The value that a response showed.
	evidence   string   // How.
	disproved  []string // Values that responses showed to be wrong.
	problem    string   // How responses showed that the assumed or documented value is wrong.
	reason     string   // Why no response decided it.
	searched   bool     // The usual names were sent.
}

// result is what the calls with one value of a field show: Holds, Wrong or Undecided.
type result struct {
	Verdict

	evidence string
}

// settled reports whether a response showed the value of a field.
func (e *examination) settled(name string) bool { return e.fields[name].observed != "" }

// value returns the value of a field that is known so far.
func (e *examination) value(name string) string {
	return reflect.ValueOf(e.dialect).FieldByName(name).String()
}

// with returns a client and its dialect with another value of a field, or nil when the
// client rejects the value.
func (e *examination) with(name, value string) (*hiring.Client, hiring.Dialect) {
	d := e.dialect
	if e.value(name) == value {
		return e.client, d
	}
	reflect.ValueOf(&d).Elem().FieldByName(name).SetString(value)
	client, err := e.client.With(hiring.WithDialect(d))
	if err != nil {
		return nil, d
	}
	return client, d
}

// use makes a value of a field known, unless the client rejects the value.
func (e *examination) use(name, value string) bool {
	client, dialect := e.with(name, value)
	if client != nil {
		e.client, e.dialect = client, dialect
	}
	return client != nil
}

// known returns the values of a field to try first.
func (e *examination) known(name string) []string {
	f := e.fields[name]
	return unique(slices.Concat(f.documented, []string{f.assumed}))
}

// settle calls probe with a client for each of some values of a field, until a value works
// or the responses do not decide. The examination then uses the value that works.
func (e *examination) settle(name string, values []string, probe func(*hiring.Client) result) {
	f := e.fields[name]
	for _, value := range values {
		client, dialect := e.with(name, value)
		if client == nil || slices.Contains(f.disproved, value) {
			continue
		}
		switch r := probe(client); r.Verdict {
		case Holds:
			f.observed, f.evidence = value, r.evidence
			e.client, e.dialect = client, dialect
			return
		case Wrong:
			f.problem = cmp.Or(f.problem, r.evidence)
			f.disproved = append(f.disproved, value)
		default:
			f.reason = r.evidence
			return
		}
	}
}

// disprovedAll reports whether responses showed that the values to try first are wrong.
func (e *examination) disprovedAll(name string) bool {
	f := e.fields[name]
	return !e.settled(name) && len(f.disproved) > 0 && len(without(e.known(name), f.disproved)) == 0
}

// search sends all usual names of a parameter in one request, each with the given value
// or else with a value of its own from 3 on. It returns the names that may have had an
// effect, and what showed it: the response states a value in meta, has as many items as a
// page size while another page follows, or rejects names.
func (e *examination) search(ctx context.Context, name, path, value string) (found []string, evidence string) {
	names := usualNames[name]
	query := make(url.Values)
	for i, usual := range names {
		query.Set(usual, cmp.Or(value, strconv.Itoa(3+i)))
	}
	var items []json.RawMessage
	var meta hiring.Meta
	r := e.read(ctx, func() (err error) {
		meta, err = e.client.Do(ctx, http.MethodGet, path, query, nil, &items)
		return err
	})
	evidence = r.summary() + ", of " + strconv.Itoa(len(names)) + " usual names about this one"
	if !r.ok() {
		return namesUsed(names, r), evidence
	}
	stated := meta.PageSize
	switch {
	case name == "PageParam":
		stated = meta.Page
	case stated == 0 && meta.HasMore:
		stated = len(items)
	}
	if i := stated - 3; value == "" && i >= 0 && i < len(names) {
		found = names[i : i+1]
	}
	return found, evidence
}

// namesUsed returns the names that a server uses when it rejects a request with all of
// them: the only one whose value it rejects, or the few that it does not reject as
// unknown.
func namesUsed(names []string, r reply) []string {
	rejected := slices.DeleteFunc(slices.Clone(names), func(name string) bool { return !r.rejects(name) })
	switch accepted := without(names, rejected); {
	case len(rejected) == 1:
		return rejected
	case len(accepted) <= 3:
		return accepted
	}
	return nil
}

// settleBySearch tries the names that a search finds. Where the list is too short to try
// the only one, what the search showed counts.
func (e *examination) settleBySearch(ctx context.Context, name, path, value string, probe func(*hiring.Client) result) {
	f := e.fields[name]
	if f.searched && len(f.disproved) > 0 {
		return
	}
	f.searched = true
	found, evidence := e.search(ctx, name, path, value)
	f.disproved = without(f.disproved, found)
	e.settle(name, found, probe)
	if len(found) != 1 || e.settled(name) || slices.Contains(f.disproved, found[0]) {
		return
	}
	if e.use(name, found[0]) {
		f.observed, f.evidence = found[0], evidence
	}
}

// contradicted returns the fields about which responses contradict the document.
func (e *examination) contradicted() []string {
	var names []string
	for _, name := range slices.Sorted(maps.Keys(e.fields)) {
		f := e.fields[name]
		if len(f.documented) > 0 && len(without(f.documented, f.disproved)) == 0 {
			names = append(names, name)
		}
	}
	return names
}

// decideFields sets the finding of each field of Dialect, and calls correct for those
// whose value differs from the assumed one. A response counts more than the document.
func (e *examination) decideFields(correct func(name, value string)) {
	contradicted := e.contradicted()
	switch {
	case len(contradicted) > 0:
		e.set("document", wrong("contradicted", "responses contradict it about "+strings.Join(contradicted, ", "),
			"do not rely on it; report it to the API's support"))
	case e.doc != nil:
		e.set("document", ok("OpenAPI "+e.doc.root.text("openapi"), "no response contradicts it"))
	}
	for name, f := range e.fields {
		value, evidence := f.observed, f.evidence
		documented := strings.Join(f.documented[:min(1, len(f.documented))], "")
		switch {
		case value != "":
		case f.problem != "":
			e.found[name] = wrong("", f.problem, "ask the API's support for the right value, then set Dialect."+name)
			continue
		case documented != "" && len(contradicted) == 0:
			value, evidence = documented, "the document says so"
		case documented != "":
			e.found[name] = undecided("the document says "+documented+", but responses contradict it about "+strings.Join(contradicted, ", "),
				"ask the API's support, then set Dialect."+name+" if "+f.assumed+" is not right")
			continue
		default:
			change := "ask the API's support, then set Dialect." + name + " if " + f.assumed + " is not right"
			if isWriteField(name) && !e.mayWrite {
				change = "run it with a test key, or set Dialect." + name + " if " + f.assumed + " is not right"
			}
			e.found[name] = undecided(cmp.Or(f.reason, "there is no data to send the request with")+"; no document says it", change)
			continue
		}
		if value == f.assumed {
			e.found[name] = ok(value, evidence)
			continue
		}
		e.found[name] = wrong(value, evidence, "set Dialect."+name+` to "`+value+`"`)
		correct(name, value)
	}
}

// without returns the names that are not excluded.
func without(names, excluded []string) []string {
	return slices.DeleteFunc(slices.Clone(names), func(name string) bool { return slices.Contains(excluded, name) })
}

// unique returns the names without empty ones and duplicates.
func unique(names []string) []string {
	var kept []string
	for _, name := range names {
		if name != "" && !slices.Contains(kept, name) {
			kept = append(kept, name)
		}
	}
	return kept
}
