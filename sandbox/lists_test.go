package sandbox_test

import (
	"encoding/json"
	"fmt"
	"net/url"
	"os"
	"path"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	hiring "github.com/hiring-assessment/hiring-go"
	"github.com/hiring-assessment/hiring-go/sandbox"
)

const (
	invitations = "/assessments/" + sandbox.AssessmentID + "/invitations"
	busyEvents  = "/submissions/" + sandbox.BusySubmissionID + "/events"
)

func unlimited() sandbox.Option { return sandbox.WithQuota(1_000_000, 1_000_000) }

// collect reads a list to its end, by its cursors, or by its page numbers if it has none.
func collect(t *testing.T, d transport, path string, size int, filters ...string) (items []object) {
	t.Helper()
	q := url.Values{"page_size": {strconv.Itoa(size)}}
	for _, f := range filters {
		name, value, _ := strings.Cut(f, "=")
		q.Set(name, value)
	}
	for page := 2; ; page++ {
		a := d.get(t, path+"?"+q.Encode())
		items = append(items, into[[]object](t, a)...)
		require.NotNil(t, a.Meta.HasMore)
		switch {
		case !*a.Meta.HasMore:
			require.Nil(t, a.Meta.NextCursor)
			return items
		case a.Meta.NextCursor != nil:
			q.Set("cursor", *a.Meta.NextCursor)
		default:
			q.Set("page", strconv.Itoa(page))
		}
	}
}

func TestPageNumberMeta(t *testing.T) {
	eachTransport(t, func(t *testing.T, d transport) {
		a := d.get(t, invitations)
		assert.Equal(t, []int{1, 20, 360}, []int{a.Meta.Page, a.Meta.PageSize, a.Meta.Total})
		assert.Contains(t, string(a.raw), `,"page":1,"page_size":20,"total":360,"has_more":true}}`)
		a = d.get(t, invitations+"?page=4&page_size=100")
		assert.Len(t, ids(t, a), 60)
		assert.False(t, *a.Meta.HasMore)
		for _, beyond := range []string{"5", "99", "9223372036854775807"} {
			a = d.get(t, invitations+"?page_size=100&page="+beyond)
			assert.Equal(t, `[]`, string(a.Data))
			assert.False(t, *a.Meta.HasMore)
			assert.Equal(t, 360, a.Meta.Total)
		}
		for _, wrong := range []string{"", "x", "1.5", "0", "-1", "9223372036854775808"} {
			d.get(t, invitations+"?page="+wrong).invalid(t, "page")
		}
		d.get(t, "/account?x=%zz").fails(t, 400, "INVALID_INPUT")
		assert.Regexp(t, `"meta":\{"request_id":"req_\w+"\}\}$`, string(d.get(t, "/members?page=7&page_size=x").raw))
	})
}

func TestCursorAndSequenceMeta(t *testing.T) {
	d := inProcess(sandbox.New())
	a := d.get(t, "/submissions")
	assert.Len(t, ids(t, a), 20)
	assert.Regexp(t, `"meta":\{"request_id":"req_\w+","has_more":true,"next_cursor":"[\w-]+"\}\}$`, string(a.raw))
	a = d.get(t, busyEvents)
	assert.Len(t, into[[]object](t, a), 100)
	assert.Equal(t, "100", *a.Meta.NextCursor)
	a = d.get(t, busyEvents+"?page_size=2&since_seq=41")
	assert.EqualValues(t, 42, into[[]object](t, a)[0]["seq"], "since_seq is exclusive")
	assert.Equal(t, "43", *a.Meta.NextCursor)
	d.get(t, busyEvents+"?page_size=501").invalid(t, "page_size")
	a = d.get(t, busyEvents+"?since_seq=500&page_size=1")
	assert.EqualValues(t, 504, into[[]object](t, a)[0]["seq"], "a gap is passed over")
	for _, end := range []string{"2412", "9223372036854775807"} {
		assert.Regexp(t, `"data":\[\],"meta":\{"request_id":"req_\w+","has_more":false,"next_cursor":null\}\}$`,
			string(d.get(t, busyEvents+"?since_seq="+end).raw))
	}
}

func TestMadeUpCursors(t *testing.T) {
	d := inProcess(sandbox.New())
	good := *d.get(t, "/submissions").Meta.NextCursor
	for _, cursor := range []string{
		"", "x", "2", "bm90IGEgY3Vyc29y", good[1:], good + "A", "B" + good[1:], good[:len(good)-1], strings.ToUpper(good), good + "=",
	} {
		d.get(t, "/submissions?cursor="+url.QueryEscape(cursor)).invalid(t, "cursor")
	}
}

func TestSubmissionFiltersAreChecked(t *testing.T) {
	d := inProcess(sandbox.New())
	for _, id := range []string{"", "x", "a0000000-0000-4000-8000-00000000000", "a0000000-0000-4000-8000-00000000000g", "a0000000x0000-4000-8000-000000000001"} {
		d.get(t, "/submissions?assessment_id="+id).invalid(t, "assessment_id")
	}
	d.get(t, "/submissions?assessment_id=x&since=y&cursor=z&page_size=0").invalid(t, "assessment_id", "since", "cursor", "page_size")
}

func TestSince(t *testing.T) {
	for on, member := range map[sandbox.SinceField]string{
		sandbox.SinceCreated: "created_at", sandbox.SinceSubmitted: "submitted_at", sandbox.SinceEvaluated: "evaluated_at",
	} {
		d := inProcess(sandbox.New(unlimited(), sandbox.WithSinceOn(on)))
		all := collect(t, d, "/submissions", 100)
		for _, bound := range []object{all[0], all[40], all[41], all[150], all[len(all)-1]} {
			since, ok := bound[member].(string)
			if !ok {
				continue
			}
			var want []any
			for _, item := range all {
				if at, ok := item[member].(string); ok && at >= since {
					want = append(want, item["id"])
				}
			}
			var got []any
			for _, item := range collect(t, d, "/submissions", 70, "since="+since) {
				got = append(got, item["id"])
			}
			assert.Equal(t, want, got, "since %s on %s", since, on)
		}
	}
	assert.PanicsWithValue(t, `sandbox: New: since_on: must be created, submitted or evaluated, not "begun"`, func() { sandbox.New(sandbox.WithSinceOn("begun")) })
}

func TestSinceFormats(t *testing.T) {
	d := inProcess(sandbox.New())
	at := time.Date(2026, 2, 26, 0, 0, 0, 0, time.UTC)
	want := ids(t, d.get(t, "/submissions?since="+at.Format("2006-01-02T15:04:05.000Z")))
	require.NotEmpty(t, want)
	for _, same := range []string{at.Format(time.RFC3339), at.In(time.FixedZone("", 2*3600)).Format(time.RFC3339Nano)} {
		assert.Equal(t, want, ids(t, d.get(t, "/submissions?since="+url.QueryEscape(same))), same)
	}
	for _, bad := range []string{"", "yesterday", "1770000000", "2026-02-30T00:00:00.000Z", "2026-02-26"} {
		d.get(t, "/submissions?since="+bad).invalid(t, "since")
	}

	d = inProcess(sandbox.New(sandbox.WithDialect(hiring.Dialect{SinceLayout: "2006-01-02"})))
	assert.Equal(t, want, ids(t, d.get(t, "/submissions?since=2026-02-26")))
	d.get(t, "/submissions?since="+at.Format(time.RFC3339)).invalid(t, "since")
}

func TestReportFormats(t *testing.T) {
	d := inProcess(sandbox.New())
	path := fmt.Sprintf("/submissions/%s/report", sandbox.SubmissionID)
	assert.Equal(t, d.get(t, path).Data, d.get(t, path+"?format=json").Data)
	for _, format := range []string{"pdf", "PDF", "xml", ""} {
		d.get(t, path+"?format="+format).invalid(t, "format")
	}
}

// TestEveryFilterSelects: a filter of a list that openapi.json describes and the sandbox ignores fails.
func TestEveryFilterSelects(t *testing.T) {
	d := inProcess(sandbox.New(unlimited()))
	var document struct {
		Paths map[string]map[string]struct {
			Parameters []map[string]string `json:"parameters"`
		} `json:"paths"`
		Components struct {
			Parameters map[string]struct {
				Name string `json:"name"`
				In   string `json:"in"`
			} `json:"parameters"`
		} `json:"components"`
	}
	raw, err := os.ReadFile("openapi.json")
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(raw, &document), "a parameter of an operation must be a $ref to components/parameters")
	const since = "2026-02-12T00:00:00.000Z"
	selects := map[string]struct {
		value string
		holds func(object) bool
	}{
		"/submissions?status":        {"submitted", func(o object) bool { return o["status"] == "submitted" }},
		"/submissions?assessment_id": {"a0000000-0000-4000-8000-000000000004", func(o object) bool { return o["assessment_id"] == "a0000000-0000-4000-8000-000000000004" }},
		"/submissions?since":         {since, func(o object) bool { return o["created_at"].(string) >= since }},
	}
	checked := 0
	for route, methods := range document.Paths {
		route = strings.TrimPrefix(route, "/api/v1")
		for _, reference := range methods["get"].Parameters {
			parameter := document.Components.Parameters[path.Base(reference["$ref"])]
			if parameter.In != "query" || slices.Contains([]string{"page", "page_size", "cursor", "since_seq", "format"}, parameter.Name) {
				continue
			}
			filter, known := selects[route+"?"+parameter.Name]
			require.True(t, known, "the list %s has the filter %s without a check: add it to selects", route, parameter.Name)
			want := 0
			all := collect(t, d, route, 100)
			for _, o := range all {
				if filter.holds(o) {
					want++
				}
			}
			require.Positive(t, want)
			require.Less(t, want, len(all))
			found := collect(t, d, route, 100, parameter.Name+"="+filter.value)
			assert.Len(t, found, want, parameter.Name)
			for _, o := range found {
				assert.True(t, filter.holds(o), parameter.Name)
			}
			checked++
		}
	}
	assert.Equal(t, len(selects), checked)
}
