package sandbox_test

import (
	"fmt"
	"net/url"
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

// readPages reads a list to its end and returns the items of each page.
func readPages(t *testing.T, d transport, path string, next func(a apiResponse, page int) url.Values) [][]object {
	t.Helper()
	var pages [][]object
	query := next(apiResponse{}, 0)
	for {
		a := d.get(t, path+"?"+query.Encode())
		pages = append(pages, into[[]object](t, a))
		require.NotNil(t, a.Meta.HasMore)
		if !*a.Meta.HasMore {
			require.Nil(t, a.Meta.NextCursor)
			return pages
		}
		query = next(a, len(pages))
	}
}

func byNumber(size int) func(apiResponse, int) url.Values {
	return func(_ apiResponse, page int) url.Values {
		return url.Values{"page": {strconv.Itoa(page + 1)}, "page_size": {strconv.Itoa(size)}}
	}
}

func byCursor(size int, filters ...string) func(apiResponse, int) url.Values {
	return func(a apiResponse, page int) url.Values {
		q := url.Values{"page_size": {strconv.Itoa(size)}}
		for _, f := range filters {
			name, value, _ := strings.Cut(f, "=")
			q.Set(name, value)
		}
		if page > 0 {
			q.Set("cursor", *a.Meta.NextCursor)
		}
		return q
	}
}

func bySeq(size int) func(apiResponse, int) url.Values {
	return func(a apiResponse, page int) url.Values {
		q := url.Values{"page_size": {strconv.Itoa(size)}}
		if page > 0 {
			q.Set("since_seq", *a.Meta.NextCursor)
		}
		return q
	}
}

func flat(pages [][]object) []object { return slices.Concat(pages...) }

func ceil(n, size int) int { return max(1, (n+size-1)/size) }

func TestIterationsGiveEveryItemOnce(t *testing.T) {
	d := inProcess(sandbox.New(unlimited()))
	for path, style := range map[string]struct {
		next  func(int) func(apiResponse, int) url.Values
		sizes []int
		key   string
		count int
	}{
		invitations:    {byNumber, []int{1, 7, 99, 100}, "id", 360},
		"/challenges":  {byNumber, []int{1, 2, 5, 100}, "id", 5},
		"/assessments": {byNumber, []int{1, 4, 100}, "id", 6},
		"/assessments/a0000000-0000-4000-8000-000000000002/invitations": {byNumber, []int{1, 100}, "id", 0},
		"/assessments/a0000000-0000-4000-8000-000000000003/invitations": {byNumber, []int{1, 100}, "id", 1},
		"/submissions": {func(n int) func(apiResponse, int) url.Values { return byCursor(n) }, []int{1, 7, 50, 100}, "id", 293},
		busyEvents:     {bySeq, []int{7, 100, 480, 500}, "seq", 2400},
	} {
		var first []object
		for _, size := range style.sizes {
			pages := readPages(t, d, path, style.next(size))
			items := flat(pages)
			require.Len(t, items, style.count, path)
			assert.Len(t, pages, ceil(style.count, size), "%s by %d", path, size)
			for _, page := range pages[:len(pages)-1] {
				assert.Len(t, page, size)
			}
			if first == nil {
				first = items
			}
			require.Equal(t, first, items, "%s by %d", path, size)
		}
		seen := map[any]bool{}
		for _, item := range first {
			assert.False(t, seen[item[style.key]], "%s: %v twice", path, item[style.key])
			seen[item[style.key]] = true
		}
	}
}

func TestListsAreNewestFirst(t *testing.T) {
	d := inProcess(sandbox.New(unlimited()))
	for path, next := range map[string]func(apiResponse, int) url.Values{
		invitations: byNumber(100), "/challenges": byNumber(100), "/assessments": byNumber(100), "/submissions": byCursor(100),
	} {
		items := flat(readPages(t, d, path, next))
		for i := 1; i < len(items); i++ {
			require.Greater(t, items[i-1]["created_at"], items[i]["created_at"], "%s: item %d", path, i)
		}
	}
	last := 0.0
	for _, event := range flat(readPages(t, d, busyEvents, bySeq(500))) {
		require.Greater(t, event["seq"], last)
		last = event["seq"].(float64)
	}
	assert.Greater(t, last, 2400.0, "the log has gaps")
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
	a = d.get(t, busyEvents+"?since_seq=500&page_size=1")
	assert.EqualValues(t, 504, into[[]object](t, a)[0]["seq"], "a gap is passed over")
	for _, end := range []string{"2412", "9223372036854775807"} {
		assert.Regexp(t, `"data":\[\],"meta":\{"request_id":"req_\w+","has_more":false,"next_cursor":null\}\}$`,
			string(d.get(t, busyEvents+"?since_seq="+end).raw))
	}
}

func TestPageSizesAreNeverClamped(t *testing.T) {
	eachTransport(t, func(t *testing.T, d transport) {
		for path, most := range map[string]int{
			invitations: 100, "/challenges": 100, "/assessments": 100, "/submissions": 100, busyEvents: 500,
		} {
			assert.Equal(t, 200, d.get(t, path+"?page_size="+strconv.Itoa(most)).status, path)
			for _, size := range []string{strconv.Itoa(most + 1), "0", "-1", "", "x", "1.5", "1e1", "0x10", "%2B5", "99999999999999999999"} {
				d.get(t, path+"?page_size="+size).invalid(t, "page_size")
			}
		}
		for _, page := range []string{"0", "-1", "", "x", "99999999999999999999"} {
			d.get(t, invitations+"?page="+page).invalid(t, "page")
		}
		for _, seq := range []string{"-1", "", "x", "1.0"} {
			d.get(t, busyEvents+"?since_seq="+seq).invalid(t, "since_seq")
		}
		d.get(t, invitations+"?page=0&page_size=0").invalid(t, "page", "page_size")
		for query, want := range map[string]string{
			"page=0": "Must be at least 1.", "page_size=101": "Must be at most 100.", "page_size=x": "Expected an integer.",
		} {
			assert.Contains(t, string(d.get(t, invitations+"?"+query).Error.Details), `["`+want+`"]`)
		}
		d.get(t, invitations+"?page=%zz").invalid(t, "")
	})
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

func TestSubmissionFilters(t *testing.T) {
	d := inProcess(sandbox.New(unlimited()))
	count := func(filters ...string) int {
		return len(flat(readPages(t, d, "/submissions", byCursor(100, filters...))))
	}
	assert.Equal(t, 280, count("assessment_id="+sandbox.AssessmentID))
	assert.Equal(t, 260, count("assessment_id="+sandbox.AssessmentID, "status=evaluated"))
	assert.Equal(t, 9, count("assessment_id="+sandbox.ClosedAssessmentID))
	assert.Equal(t, 0, count("assessment_id="+sandbox.UnknownID))
	assert.Equal(t, 271, count("status=evaluated"))
	assert.Equal(t, 11, count("status=submitted"))
	assert.Equal(t, 11, count("status=started"))
	assert.Equal(t, 0, count("status=nonsense"))
	assert.Equal(t, 0, count("status="))
	for _, page := range readPages(t, d, "/submissions", byCursor(30, "status=submitted")) {
		for _, item := range page {
			assert.Equal(t, "submitted", item["status"])
		}
	}
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
		all := flat(readPages(t, d, "/submissions", byCursor(100)))
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
			for _, item := range flat(readPages(t, d, "/submissions", byCursor(70, "since="+since))) {
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

func TestDialectParameters(t *testing.T) {
	d := inProcess(sandbox.New(sandbox.WithDialect(hiring.Dialect{
		PageParam: "p", PageSizeParam: "per_page", CursorParam: "after", EventPageSizeParam: "limit",
	})))
	a := d.get(t, invitations+"?p=2&per_page=3")
	assert.Equal(t, []int{2, 3}, []int{a.Meta.Page, a.Meta.PageSize})
	a = d.get(t, invitations+"?page=2&page_size=3&limit=4")
	assert.Equal(t, []int{1, 20}, []int{a.Meta.Page, a.Meta.PageSize}, "the other dialect's names are unknown here")
	first := d.get(t, "/submissions?per_page=3")
	second := d.get(t, "/submissions?per_page=3&after="+*first.Meta.NextCursor)
	assert.NotEqual(t, ids(t, first), ids(t, second))
	assert.Equal(t, ids(t, first), ids(t, d.get(t, "/submissions?per_page=3&cursor="+*first.Meta.NextCursor)))
	assert.Len(t, into[[]object](t, d.get(t, busyEvents+"?limit=4&per_page=3")), 4)
	d.get(t, busyEvents+"?limit=501").invalid(t, "limit")
	d.get(t, "/submissions?per_page=101&after=x").invalid(t, "per_page", "after")
	d.get(t, invitations+"?p=0").invalid(t, "p")
}

func TestReportFormats(t *testing.T) {
	d := inProcess(sandbox.New())
	path := fmt.Sprintf("/submissions/%s/report", sandbox.SubmissionID)
	assert.Equal(t, d.get(t, path).Data, d.get(t, path+"?format=json").Data)
	for _, format := range []string{"pdf", "PDF", "xml", ""} {
		d.get(t, path+"?format="+format).invalid(t, "format")
	}
}
