package doctor

import (
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	hiring "github.com/hiring-assessment/hiring-go"
	"github.com/hiring-assessment/hiring-go/internal/timelayout"
)

func TestDecideAField(t *testing.T) {
	seen := func(value string) observation { return observation{value, "seen"} }
	for name, c := range map[string]struct {
		evidence evidence
		verdict  Verdict
		found    string
		value    string // The corrected value.
		says     string
	}{
		"observed as assumed":                       {evidence{observed: seen("page")}, Holds, "page", "", "seen"},
		"observed with another name":                {evidence{observed: seen("p")}, Wrong, "p", "p", "seen"},
		"observed, and the document differs":        {evidence{observed: seen("page"), documented: "p", wrongInDocument: []string{"X"}}, Holds, "page", "", "seen; the document says p"},
		"observed after another name was disproved": {evidence{observed: seen("p"), disproved: "page is not"}, Wrong, "p", "p", "seen"},
		"disproved":                                    {evidence{disproved: "it is not"}, Wrong, "", "", "it is not"},
		"disproved, and documented":                    {evidence{disproved: "it is not", documented: "page"}, Wrong, "", "", "it is not"},
		"documented as assumed":                        {evidence{documented: "page"}, Holds, "page", "", "the document says so"},
		"documented with another name":                 {evidence{documented: "p"}, Wrong, "p", "p", "the document says so"},
		"documented, and the document is contradicted": {evidence{documented: "p", wrongInDocument: []string{"CursorParam"}}, Undecided, "", "", "contradict it about CursorParam"},
		"no request possible":                          {evidence{reason: "there is nothing"}, Undecided, "", "", "there is nothing; the document does not say"},
		"nothing known":                                {evidence{}, Undecided, "", "", "the document does not say"},
		"the key was rejected":                         {evidence{stopped: "the key was rejected", reason: "the key was rejected"}, NotChecked, "", "", "the key was rejected"},
		"documented before the run stopped":            {evidence{stopped: "the rate limit is reached", documented: "p"}, Wrong, "p", "p", "the document says so"},
	} {
		t.Run(name, func(t *testing.T) {
			c.evidence.field, c.evidence.assumed = "PageParam", "page"
			f, value := decide(c.evidence)
			assert.Equal(t, c.verdict, f.Verdict)
			assert.Equal(t, c.found, f.Found)
			assert.Equal(t, c.value, value)
			assert.Contains(t, f.Evidence, c.says)
			assert.Equal(t, c.verdict == Wrong, f.Change != "", f.Change)
		})
	}
}

func TestComplaintAbout(t *testing.T) {
	fields := func(name, text string) apiError { return apiError{fields: map[string][]string{name: {text}}} }
	for _, c := range []struct {
		apiError apiError
		name     string
		sent     bool
		want     complaint
	}{
		{fields("page", "Expected an integer."), "page", true, aboutValue},
		{fields("page", "Must be at most 100."), "page", true, aboutValue},
		{fields("page", "Unrecognized key."), "page", true, unknownName},
		{fields("page", "Unknown parameter"), "page", true, unknownName},
		{fields("page", "is not allowed"), "page", true, unknownName},
		{fields("email", "Required."), "email", false, missingName},
		{fields("email", "expected string, received undefined"), "email", false, missingName},
		{fields("email", "Required."), "email", true, noComplaint}, // The field was sent, so the text is about something else.
		{fields("other", "Required."), "email", false, noComplaint},
		{apiError{form: []string{`Unrecognized key(s) in object: "page", 'limit'`}}, "limit", true, unknownName},
		{apiError{message: "The parameter `cursor` is malformed."}, "cursor", true, aboutValue},
		{apiError{message: "The page is too large."}, "page", true, noComplaint}, // Without quotation marks the word is not a name.
		{apiError{message: "The input is not valid."}, "page", true, noComplaint},
	} {
		a := response{status: 400, apiError: c.apiError}
		assert.Equal(t, c.want, a.complaintAbout(c.name, c.sent), "%+v %s", c.apiError, c.name)
		a.status = 404
		assert.Equal(t, noComplaint, a.complaintAbout(c.name, c.sent), "only a 400 is about input")
	}
}

func TestStopReason(t *testing.T) {
	service := func(status int, code hiring.ErrorCode) error { return &hiring.Error{Status: status, Code: code} }
	v := new(prober)
	for _, c := range []struct {
		a    response
		want string
	}{
		{response{status: 200}, ""},
		{response{status: 404, err: service(404, hiring.ErrNotFound), body: []byte("{}")}, ""},
		{response{status: 500, err: service(500, hiring.ErrInternal), body: []byte("{}")}, ""},
		{response{status: 401, err: service(401, hiring.ErrInvalidToken), body: []byte("{}")}, "the key was rejected"},
		{response{status: 429, err: service(429, hiring.ErrRateLimited), body: []byte("{}")}, "the rate limit is reached, or the IP address is throttled"},
		{response{err: service(0, hiring.ErrRateLimited)}, "the rate limit is reached, or the IP address is throttled"},
		{response{err: service(0, "")}, "the server cannot be reached"},
		{response{status: 302, err: service(302, "")}, "the responses do not come from the API"},
		{response{status: 200, err: errors.New("not the service's"), body: []byte("<html>")}, "the responses do not come from the API"},
	} {
		assert.Equal(t, c.want, v.stopReason(c.a), "%+v", c.a)
	}
}

func TestEffectiveName(t *testing.T) {
	number := func(n int) *int { return &n }
	list := func(n int, more bool) response {
		a := response{status: 200, data: []byte("[")}
		for i := range n {
			if i > 0 {
				a.data = append(a.data, ',')
			}
			a.data = append(a.data, "{}"...)
		}
		a.data, a.meta.HasMore = append(a.data, ']'), &more
		return a
	}
	values := map[string]int{"page_size": 6, "limit": 7}
	for _, c := range []struct {
		a    response
		says *int
		size bool
		want string
	}{
		{list(0, false), number(7), true, "limit"},
		{list(0, false), number(20), true, ""},
		{list(6, true), nil, true, "page_size"},
		{list(6, false), nil, true, ""}, // This may be the whole list.
		{list(6, true), nil, false, ""}, // A page number does not show in a count.
		{list(20, true), nil, true, ""},
		{response{status: 400, apiError: apiError{fields: map[string][]string{"limit": {"Must be at most 5."}}}}, nil, true, "limit"},
		{response{status: 500}, number(7), true, ""},
	} {
		name, evidence := effectiveName(c.a, values, c.says, c.size)
		assert.Equal(t, c.want, name, "%+v", c)
		assert.Equal(t, name != "", evidence != "")
	}
	for name, value := range distinctValues(usualNames["PageSizeParam"], 2) {
		assert.NotContains(t, []int{10, 20, 25, 30, 50, 100}, value, name)
	}
}

func TestConsistentMeanings(t *testing.T) {
	at := func(minute int) time.Time { return time.Date(2026, 3, 1, 10, minute, 30, 0, time.UTC) }
	moment := func(minute int) *time.Time { m := at(minute); return &m }
	known := []submission{
		{ID: "c", CreatedAt: at(30)},
		{ID: "b", CreatedAt: at(20), SubmittedAt: moment(40)},
		{ID: "a", CreatedAt: at(10), SubmittedAt: moment(25), EvaluatedAt: moment(50)},
	}
	all := []string{"creation", "evaluation", "submission"}
	since, ok := discriminatingTime(known, time.RFC3339, all)
	assert.True(t, ok)
	assert.Equal(t, 3, distinctSets(known, since, all), "one time distinguishes all three")
	for _, meaning := range all {
		var returned []submission
		for _, s := range known {
			if idsSince(known, meaning, since)[s.ID] {
				returned = append(returned, s)
			}
		}
		assert.Equal(t, []string{meaning}, consistentMeanings(known, append(returned, submission{ID: "come meanwhile"}), since, all))
	}
	assert.Empty(t, consistentMeanings(known, []submission{{ID: "c"}, {ID: "b"}, {ID: "a"}}, since, all), "a filter that is ignored agrees with none")
	_, ok = discriminatingTime(known[2:], time.DateOnly, all)
	assert.False(t, ok, "all times are on one day, so a layout of days does not distinguish them")
	_, ok = discriminatingTime(nil, time.RFC3339, all)
	assert.False(t, ok)
}

func TestLayoutOfAnExample(t *testing.T) {
	at := time.Date(2026, 11, 22, 13, 14, 15, 678e6, time.UTC)
	for _, layout := range append(layouts, hiring.DefaultDialect().SinceLayout) {
		_, err := hiring.Dialect{SinceLayout: layout}.WithDefaults()
		require.NoError(t, err, "a layout that the client rejects: %s", layout)
		text := timelayout.Format(layout, at)
		assert.True(t, matchesLayout(layoutOf(text), text), layout)
	}
	for text, want := range map[string]string{
		"Expected a timestamp.":          "",
		"Expected YYYY-MM-DD":            "2006-01-02",
		"Unix time in seconds":           "unix",
		"milliseconds since the epoch":   "unixmilli",
		"use yyyy-MM-dd'T'HH:mm:ss.SSSZ": "2006-01-02T15:04:05.000Z",
		"such as 2026-03-01T00:00:00Z.":  "2006-01-02T15:04:05Z",
		"Mon, 02 Mar 2026 10:00:00 GMT":  time.RFC1123,
		"":                               "",
	} {
		assert.Equal(t, want, layoutInText(text), text)
	}
}

func TestWithPlaceholders(t *testing.T) {
	const two = "POST /assessments/{id}/invitations/{invitation_id}/resend"
	for route, want := range map[string]string{
		"PUT /jobs/{jobId}/{invitationId}": "PUT /jobs/{id}/{invitation_id}",
		"PUT /invitations/{id}/resend":     "",
		"PUT /a/{b}/c/{d}/e/{f}":           "",
	} {
		assert.Equal(t, want, withPlaceholders(route, two))
	}
}

// TestDocumentedRouteThatTheClientRejects: a placeholder must be a whole segment.
func TestDocumentedRouteThatTheClientRejects(t *testing.T) {
	d := readDocument([]byte(`{"openapi":"3.1.0","paths":{"/assessments/{id}/invitations/{invitation}:resend":{"post":{}}}}`))
	assert.Empty(t, d.documented("ResendInvitation", hiring.DefaultDialect().ResendInvitation))
}

// FuzzDocument: readDocument and the functions on a document never panic.
func FuzzDocument(f *testing.F) {
	for _, seed := range []string{
		`{"openapi":"3.1.0"}`, `{"openapi":"3.1.0","paths":{"/api/v1/x":{"$ref":"#/paths/~1api~1v1~1x"}}}`,
		`{"openapi":"3","paths":{"/a/{b":{"get":{"parameters":[{"name":"n","in":"query","schema":{"anyOf":[{"$ref":"#/x"},null]}}],"responses":{"200":{"content":{"application/json":{"schema":{"allOf":[{"properties":{"data":{"items":{"$ref":"#"}}}}]}}}}}}}},"x":{"anyOf":[{"$ref":"#/x"}]}}`,
		`{"data":{"openapi":"1","paths":[]}}`, `null`, `7`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(_ *testing.T, text []byte) {
		d := readDocument(text)
		for field := range routePatterns {
			_ = d.documented(field, "GET /x")
		}
		for field := range documentedNames {
			_ = d.documented(field, "x")
		}
		e := newExamination(new(prober), hiring.DefaultDialect())
		e.doc = d
		for _, c := range documentChecks {
			_ = c.evaluate(e)
		}
	})
}
