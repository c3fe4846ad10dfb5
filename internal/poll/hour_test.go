package poll_test

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hiring-assessment/hiring-go/internal/poll"
	"github.com/hiring-assessment/hiring-go/internal/testing/emulator"
)

var update = flag.Bool("update", false, "write the table of docs/internals/polling.md")

// TestTheHourIsDocumented compares the table of docs/internals/polling.md with what a machine does.
func TestTheHourIsDocumented(t *testing.T) {
	const page, start, end = "../../docs/internals/polling.md", "<!-- hour -->\n", "<!-- end -->"
	text, err := os.ReadFile(page)
	require.NoError(t, err)
	before, rest, _ := strings.Cut(string(text), start)
	stated, after, found := strings.Cut(rest, end)
	require.True(t, found)
	table := hour(t)
	if *update {
		require.NoError(t, os.WriteFile(page, []byte(before+start+table+end+after), 0o600))
		return
	}
	assert.Equal(t, table, stated, "go test ./internal/poll -run Hour -update writes it")
	assert.LessOrEqual(t, len(strings.Fields(string(text))), 500, "words")
}

// hour returns what a machine does in an hour, a day after its watch began.
func hour(t *testing.T) string {
	t.Helper()
	const from = begin + day
	r := rand.New(rand.NewPCG(1, 1))
	api, subs := &emulator.API{Since: "created"}, []*emulator.Submission{}
	for i := range 50 * 32 {
		submitted := begin - 30*day + time.Duration(i)*day/50
		created, evaluated := submitted-logNormal(r, 3*time.Hour, 1), submitted+logNormal(r, 3*time.Minute, 0.7)
		subs = append(subs, &emulator.Submission{ID: fmt.Sprint("s", i), Created: created, Submitted: submitted, Evaluated: evaluated})
	}
	api.Add(subs)
	m := poll.NewWatch(poll.Options{Interval: 10 * time.Minute, ShortestPause: 10 * time.Minute, Lookback: 30 * day}, 0, poll.Server(begin), poll.Server(begin), false)
	const head = "| Time | Request | Why | Cost | Share | New |\n|---|---|---|---|---|---|\n"
	var rows []string
	pages := 0
	for now, first := begin, true; now < from+time.Hour; {
		request, wait := m.Next(poll.Caller(now-begin), fullWindow)
		if wait > 0 {
			now, first = now+wait, true
			continue
		}
		row := describe(m, request, first)
		first = false
		_, reply, _ := api.Reply(request, now)
		reply.At = poll.Caller(now - begin)
		results, _ := m.Receive(request, reply)
		for _, it := range results {
			m.Delivered(it)
		}
		if now < from {
			continue
		}
		if pages++; request.Cursor == "" {
			pages = 1
		}
		if pages > 2 { // One row for the other pages of a listing.
			rows = rows[:len(rows)-1]
		}
		row = strings.Replace(row, "next page", fmt.Sprintf("its other pages: %d", pages-1), 1)
		rows = append(rows, fmt.Sprintf("| %02.0f:00 | %s | %d |\n", (now-from).Minutes(), row, len(results)))
	}
	return head + strings.Join(rows, "")
}

// describe returns the cells of a request.
func describe(m *poll.Machine, request poll.Request, first bool) string {
	if request.ID != "" {
		s := m.Sources[m.Reads[request.ID].Source]
		why := "its report is late"
		if m.Reads[request.ID].Evaluated == 0 {
			why = "left the listing of " + s.Status
		}
		return fmt.Sprintf("read %s | %s | 1 | ", request.ID, why)
	}
	all := 0.0
	for _, s := range m.Sources {
		all += s.Found + 0.03
	}
	for _, s := range m.Sources {
		if s.Open == nil || s.Status != request.Status && (s.Status != "" || request.Status != poll.Finished || s.Depth == 0) || request.Since > 0 && s.Open.Since != request.Since {
			continue
		}
		what, why := "newest page", "due, listed "+m.Now.Sub(s.Began).Round(time.Minute).String()+" ago"
		switch {
		case s.Status != "":
			what = s.Status
		case s.Depth > 0:
			what = "evaluated, " + strings.TrimSuffix(s.Depth.Round(time.Minute).String(), "0s") + " deep"
		}
		switch {
		case request.Cursor != "":
			why = "next page"
		case first:
			why = "opens the poll"
		}
		return fmt.Sprintf("%s | %s | %.0f | %.0f %%", what, strings.ReplaceAll(why, "m0s", "m"), s.Cost, 100*(s.Found+0.03)/all)
	}
	return "? | ? | ? | ?"
}
