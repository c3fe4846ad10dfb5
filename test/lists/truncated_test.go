package lists_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hiring-assessment/hiring-go"
	"github.com/hiring-assessment/hiring-go/internal/testing/apitest"
)

// A full page that does not say whether another follows may not be the last.
func TestFullPageWithoutHasMoreIsAWarning(t *testing.T) {
	const text = "the list may be truncated"
	lists := map[string]struct {
		open    func(*hiring.Client) apitest.IntPager
		largest int // 0: no page size is sent.
	}{
		"Challenges.List": {apitest.ChallengesOf, 100}, "Invitations.List": {apitest.InvitationsOf, 100}, "Submissions.List": {apitest.SubmissionsOf, 100},
		"Events.List": {apitest.EventsOf, 500}, "Members.List": {apitest.MembersOf, 0},
	}
	for list, l := range lists {
		for name, c := range map[string]struct {
			size, items int // size: 0 is the default.
			meta        string
			warns       bool
		}{
			"full":                      {0, l.largest, ``, true},
			"full, with its size":       {0, l.largest, fmt.Sprintf(`"page_size":%d`, l.largest), true},
			"full, of another size":     {0, 20, `"page_size":20`, true},
			"full, of a small size":     {7, 7, ``, true},
			"more than full":            {7, 9, ``, true},
			"one short":                 {0, l.largest - 1, ``, false},
			"empty":                     {0, 0, ``, false},
			"has_more":                  {7, 7, `"has_more":false`, false},
			"a total":                   {7, 7, `"total":7,"page":1`, false},
			"a cursor at its end":       {7, 7, `"next_cursor":null`, false},
			"nulls but for the request": {7, 7, `"has_more":null,"total":null`, true},
		} {
			if l.largest == 0 {
				c.warns = false
				if c.size > 0 {
					continue
				}
			}
			items := make([]string, max(0, c.items))
			for i := range items {
				items[i] = fmt.Sprintf(`{"id":"%d","seq":%d}`, i+1, i+1)
			}
			if c.meta != "" {
				c.meta = "," + c.meta
			}
			body := `{"data":[` + strings.Join(items, ",") + `],"meta":{"request_id":"req_0a"` + c.meta + `}}`
			var heard apitest.WarningRecorder
			pager := l.open(apitest.NewScriptedServer(t, apitest.Respond(200, body, apitest.RequestIDHeader)).Client(heard.Options()...))
			if c.size > 0 {
				pager = pager.Size(c.size)
			}
			got, err := pager.Collect(t.Context())
			require.NoError(t, err, "%s: %s", list, name)
			assert.Len(t, got, len(items), "%s: %s", list, name)
			found := 0
			for _, warning := range heard.Warnings {
				found += strings.Count(warning, text)
			}
			want := 0
			if c.warns {
				want = 1
			}
			assert.Equal(t, want, found, "%s: %s: %q", list, name, heard.Warnings)
			assert.Equal(t, want, strings.Count(heard.Lines.String(), text), "%s: %s: one log line", list, name)
			assert.LessOrEqual(t, strings.Count(heard.Lines.String(), "\n"), 1, "%s: %s", list, name)
		}
	}
}

// The earlier warning about a page size does not hide the warning of the last page.
func TestTruncationIsReportedAfterPagesOfAnotherSize(t *testing.T) {
	var heard apitest.WarningRecorder
	client := apitest.NewScriptedServer(t,
		apitest.Respond(200, `{"data":[{"id":"1"},{"id":"2"}],"meta":{"page":1,"page_size":2,"has_more":true}}`, apitest.RequestIDHeader),
		apitest.Respond(200, `{"data":[{"id":"3"},{"id":"4"}],"meta":{"page":2,"page_size":2}}`, apitest.RequestIDHeader),
	).Client(heard.Options()...)
	invitations, err := client.Invitations.List(apitest.ID).Collect(t.Context())
	require.NoError(t, err)
	assert.Len(t, invitations, 4)
	require.Len(t, heard.Warnings, 2)
	assert.Contains(t, heard.Warnings[0], "Dialect.PageSizeParam may be wrong")
	assert.NotContains(t, heard.Warnings[0], "truncated")
	assert.Equal(t, "the list may be truncated: its page is full, and meta has neither has_more nor a total nor a cursor", heard.Warnings[1])
}
