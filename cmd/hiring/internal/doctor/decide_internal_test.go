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

func TestDecide(t *testing.T) {
	seen := func(value string) clue { return clue{value, "seen"} }
	for name, c := range map[string]struct {
		evidence evidence
		verdict  Verdict
		found    string
		value    string // For the dialect.
		says     string
	}{
		"seen as assumed":                     {evidence{probed: seen("page")}, Holds, "page", "", "seen"},
		"seen otherwise":                      {evidence{probed: seen("p")}, Wrong, "p", "p", "seen"},
		"seen, and the document lies":         {evidence{probed: seen("page"), said: "p", liedAbout: []string{"X"}}, Holds, "page", "", "seen; the document says p"},
		"seen, and refuted before":            {evidence{probed: seen("p"), refuted: "page is not"}, Wrong, "p", "p", "seen"},
		"refuted":                             {evidence{refuted: "it is not"}, Wrong, "", "", "it is not"},
		"refuted, whatever the document says": {evidence{refuted: "it is not", said: "page"}, Wrong, "", "", "it is not"},
		"said as assumed":                     {evidence{said: "page"}, Holds, "page", "", "the document says so"},
		"said otherwise":                      {evidence{said: "p"}, Wrong, "p", "p", "the document says so"},
		"said by a liar":                      {evidence{said: "p", liedAbout: []string{"CursorParam"}}, Undecided, "", "", "wrong about CursorParam"},
		"nothing to ask with":                 {evidence{why: "there is nothing"}, Undecided, "", "", "there is nothing; the document says nothing of it"},
		"nothing at all":                      {evidence{}, Undecided, "", "", "the document says nothing of it"},
		"the key is refused":                  {evidence{over: "the key is refused", why: "the key is refused"}, Untried, "", "", "the key is refused"},
		"said before the end":                 {evidence{over: "the quota is used up", said: "p"}, Wrong, "p", "p", "the document says so"},
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

func TestObjectsTo(t *testing.T) {
	fields := func(name, text string) refusal { return refusal{fields: map[string][]string{name: {text}}} }
	for _, c := range []struct {
		refusal refusal
		name    string
		sent    bool
		want    objection
	}{
		{fields("page", "Expected an integer."), "page", true, toValue},
		{fields("page", "Must be at most 100."), "page", true, toValue},
		{fields("page", "Unrecognized key."), "page", true, toName},
		{fields("page", "Unknown parameter"), "page", true, toName},
		{fields("page", "is not allowed"), "page", true, toName},
		{fields("email", "Required."), "email", false, toAbsence},
		{fields("email", "expected string, received undefined"), "email", false, toAbsence},
		{fields("email", "Required."), "email", true, none}, // It was sent, so something else is meant.
		{fields("other", "Required."), "email", false, none},
		{refusal{form: []string{`Unrecognized key(s) in object: "page", 'limit'`}}, "limit", true, toName},
		{refusal{message: "The parameter `cursor` is malformed."}, "cursor", true, toValue},
		{refusal{message: "The page is too large."}, "page", true, none}, // A word like any other.
		{refusal{message: "The input is not valid."}, "page", true, none},
	} {
		a := answer{status: 400, refusal: c.refusal}
		assert.Equal(t, c.want, a.objectsTo(c.name, c.sent), "%+v %s", c.refusal, c.name)
		a.status = 404
		assert.Equal(t, none, a.objectsTo(c.name, c.sent), "only a 400 is about input")
	}
}

func TestEnds(t *testing.T) {
	service := func(status int, code hiring.ErrorCode) error { return &hiring.Error{Status: status, Code: code} }
	v := new(visit)
	for _, c := range []struct {
		a    answer
		want string
	}{
		{answer{status: 200}, ""},
		{answer{status: 404, err: service(404, hiring.ErrNotFound), body: []byte("{}")}, ""},
		{answer{status: 500, err: service(500, hiring.ErrInternal), body: []byte("{}")}, ""},
		{answer{status: 401, err: service(401, hiring.ErrInvalidToken), body: []byte("{}")}, "the key is refused"},
		{answer{status: 429, err: service(429, hiring.ErrRateLimited), body: []byte("{}")}, "the quota is used up, or this address is throttled"},
		{answer{err: service(0, hiring.ErrRateLimited)}, "the quota is used up, or this address is throttled"},
		{answer{err: service(0, "")}, "the service cannot be reached"},
		{answer{status: 302, err: service(302, "")}, "something else than the service answers"},
		{answer{status: 200, err: errors.New("not the service's"), body: []byte("<html>")}, "something else than the service answers"},
	} {
		assert.Equal(t, c.want, v.ends(c.a), "%+v", c.a)
	}
}

func TestHeeded(t *testing.T) {
	number := func(n int) *int { return &n }
	list := func(n int, more bool) answer {
		a := answer{status: 200, data: []byte("[")}
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
		a    answer
		says *int
		size bool
		want string
	}{
		{list(0, false), number(7), true, "limit"},
		{list(0, false), number(20), true, ""},
		{list(6, true), nil, true, "page_size"},
		{list(6, false), nil, true, ""}, // It may be all there is.
		{list(6, true), nil, false, ""}, // A page's number shows in no count.
		{list(20, true), nil, true, ""},
		{answer{status: 400, refusal: refusal{fields: map[string][]string{"limit": {"Must be at most 5."}}}}, nil, true, "limit"},
		{answer{status: 500}, number(7), true, ""},
	} {
		name, evidence := heeded(c.a, values, c.says, c.size)
		assert.Equal(t, c.want, name, "%+v", c)
		assert.Equal(t, name != "", evidence != "")
	}
	for name, value := range numbers(usual["PageSizeParam"], 2) {
		assert.NotContains(t, []int{10, 20, 25, 30, 50, 100}, value, name)
	}
}

func TestMeanings(t *testing.T) {
	at := func(minute int) time.Time { return time.Date(2026, 3, 1, 10, minute, 30, 0, time.UTC) }
	moment := func(minute int) *time.Time { m := at(minute); return &m }
	known := []submission{
		{ID: "c", CreatedAt: at(30)},
		{ID: "b", CreatedAt: at(20), SubmittedAt: moment(40)},
		{ID: "a", CreatedAt: at(10), SubmittedAt: moment(25), EvaluatedAt: moment(50)},
	}
	all := []string{"creation", "evaluation", "submission"}
	since, ok := telling(known, time.RFC3339, all)
	assert.True(t, ok)
	assert.Equal(t, 3, different(known, since, all), "one time tells all three apart")
	for _, meaning := range all {
		var returned []submission
		for _, s := range known {
			if letThrough(known, meaning, since)[s.ID] {
				returned = append(returned, s)
			}
		}
		assert.Equal(t, []string{meaning}, meant(known, append(returned, submission{ID: "come meanwhile"}), since, all))
	}
	assert.Empty(t, meant(known, []submission{{ID: "c"}, {ID: "b"}, {ID: "a"}}, since, all), "a filter that is ignored agrees with none")
	_, ok = telling(known[2:], time.DateOnly, all)
	assert.False(t, ok, "all of it on one day: a layout of days tells nothing")
	_, ok = telling(nil, time.RFC3339, all)
	assert.False(t, ok)
}

func TestLayouts(t *testing.T) {
	at := time.Date(2026, 11, 22, 13, 14, 15, 678e6, time.UTC)
	for _, layout := range append(layouts, hiring.DefaultDialect().SinceLayout) {
		_, err := hiring.Dialect{SinceLayout: layout}.WithDefaults()
		require.NoError(t, err, "a layout that the client would refuse: %s", layout)
		text := timelayout.Format(layout, at)
		assert.True(t, writes(layoutOf(text), text), layout)
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
		assert.Equal(t, want, layoutIn(text), text)
	}
}

func TestAsDialect(t *testing.T) {
	const two = "POST /assessments/{id}/invitations/{invitation_id}/resend"
	for route, want := range map[string]string{
		"PUT /jobs/{jobId}/{invitationId}": "PUT /jobs/{id}/{invitation_id}",
		"PUT /invitations/{id}/resend":     "",
		"PUT /a/{b}/c/{d}/e/{f}":           "",
	} {
		assert.Equal(t, want, asDialect(route, two))
	}
}

// FuzzDocument: whatever a document holds, it is read without harm.
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
		for field := range routesWanted {
			_ = d.said(field, "GET /x")
		}
		for field := range sayings {
			_ = d.said(field, "x")
		}
		e := newExamination(new(visit), hiring.DefaultDialect())
		e.doc = d
		for _, c := range documentChecks {
			_ = c.judge(e)
		}
	})
}
