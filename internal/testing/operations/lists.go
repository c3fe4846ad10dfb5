package operations

import (
	"context"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	hiring "github.com/hiring-assessment/hiring-go"
	"github.com/hiring-assessment/hiring-go/sandbox"
)

// list adds an operation that reads a list. Its Call reads a page of up to most items; 0: the list
// has no pages.
func list[T any](o Operation, most int, pager func(c *hiring.Client, ids []string) hiring.Pager[T]) {
	sized := func(c *hiring.Client, ids []string, size int) hiring.Pager[T] {
		if most == 0 {
			return pager(c, ids)
		}
		return pager(c, ids).PageSize(min(size, most))
	}
	o.Call = func(ctx context.Context, c *hiring.Client, ids []string) (any, error) {
		return sized(c, ids, most).Page(ctx)
	}
	o.Walk = func(t *testing.T, client *hiring.Client, server Controls) {
		ids := slices.Concat([][]string{o.IDs}, o.OtherIDs)[len(o.OtherIDs)]
		all := collect(t, pager(client, ids))
		require.NotEmpty(t, all, "%s: the sample data has nothing to list", o.Name)
		for _, size := range []int{(len(all) + 4) / 5, len(all)/5 + 1, len(all), most} {
			server.SetQuota(sandbox.TestKey, sandbox.ClassRead, 1000)
			variant, requests := counted(t, client)
			require.Equal(t, all, collect(t, sized(variant, ids, size)), "%s in pages of %d", o.Name, size)
			if size = min(size, most); size > 0 {
				assert.Equal(t, (len(all)+size-1)/size, *requests, "%s: %d items in pages of %d", o.Name, len(all), size)
			}
		}
	}
	add(o)
}

// Lists walks each list: always the same items in the same order, and never a request more than needed.
func Lists(t *testing.T, client *hiring.Client, server Controls) {
	for _, o := range All() {
		if o.IsList() {
			o.Walk(t, client, server)
		}
	}
}

// ListResumes resumes from a token with another client.
func ListResumes(t *testing.T, client *hiring.Client, _ Controls) {
	resume(t, client.Challenges.List().PageSize(2))
	resume(t, client.Invitations.List(sandbox.AssessmentID).PageSize(90))
	resume(t, client.Submissions.List(hiring.SubmissionFilter{AssessmentID: sandbox.AssessmentID}).PageSize(90))
	resume(t, client.Events.List(sandbox.BusySubmissionID, hiring.EventFilter{SinceSeq: 1800}).PageSize(200))
}

func resume[T any](t *testing.T, list hiring.Pager[T]) {
	t.Helper()
	want, token, got := collect(t, list), "", []T{}
	for pages := 0; pages == 0 || token != ""; pages++ {
		page, err := list.From(token).Page(t.Context())
		require.NoError(t, err)
		require.Equal(t, page.Next != "", page.Meta.HasMore)
		got, token = append(got, page.Items...), page.Next
	}
	assert.Equal(t, want, got)
}

// Events walks a long log, from its beginning and from the middle.
func Events(t *testing.T, client *hiring.Client, _ Controls) {
	log := collect(t, client.Events.List(sandbox.BusySubmissionID, hiring.EventFilter{}))
	require.Greater(t, len(log), 2000)
	assert.Equal(t, hiring.EventAttemptStarted, log[0].Kind)
	for i := 1; i < len(log); i++ {
		require.Greater(t, log[i].Seq, log[i-1].Seq)
		require.False(t, log[i].Time().Before(log[i-1].Time()), "entry %d is not older than the one before", i)
	}
	middle := len(log) / 2
	rest := collect(t, client.Events.List(sandbox.BusySubmissionID, hiring.EventFilter{SinceSeq: log[middle].Seq}))
	assert.Equal(t, log[middle+1:], rest)
	none := collect(t, client.Events.List(sandbox.BusySubmissionID, hiring.EventFilter{SinceSeq: log[len(log)-1].Seq}))
	assert.Empty(t, none)
}

// OddEvents checks that unexpected payloads are read defensively.
func OddEvents(t *testing.T, client *hiring.Client, _ Controls) {
	prompts, unreadable, longest, kinds := 0, 0, 0, map[hiring.EventKind]bool{}
	for event, err := range client.Events.List(sandbox.BusySubmissionID, hiring.EventFilter{}).All(t.Context()) {
		require.NoError(t, err)
		kinds[event.Kind] = true
		if event.Kind != hiring.EventAIPrompt {
			continue
		}
		prompt, ok := event.AIPrompt()
		prompts += count(ok)
		unreadable += count(!ok)
		longest = max(longest, len(prompt.Text))
	}
	assert.Positive(t, prompts)
	assert.Positive(t, unreadable)
	assert.Greater(t, longest, 100<<10-1, "the longest prompt")
	assert.Greater(t, len(kinds), 3, "kinds that are not documented come too")
}
