package operations

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	hiring "github.com/hiring-assessment/hiring-go"
	"github.com/hiring-assessment/hiring-go/sandbox"
)

// Lists walks each list in pages of several sizes: always the same items in
// the same order, and never a request more than needed.
func Lists(t *testing.T, client *hiring.Client, server Controls) {
	walk(t, client, server, []int{1, 2, 5, 100}, func(c *hiring.Client) hiring.Pager[hiring.Challenge] { return c.Challenges.List() },
		func(c hiring.Challenge) any { return c.ID })
	walk(t, client, server, []int{1, 4, 6, 99}, func(c *hiring.Client) hiring.Pager[hiring.Assessment] { return c.Assessments.List() },
		func(a hiring.Assessment) any { return a.ID })
	walk(t, client, server, []int{7, 60, 100}, func(c *hiring.Client) hiring.Pager[hiring.Invitation] {
		return c.Invitations.List(sandbox.AssessmentID)
	}, func(i hiring.Invitation) any { return i.ID })
	walk(t, client, server, []int{1, 100}, func(c *hiring.Client) hiring.Pager[hiring.Invitation] {
		return c.Invitations.List("a0000000-0000-4000-8000-000000000002")
	}, func(i hiring.Invitation) any { return i.ID })
	walk(t, client, server, []int{9, 72, 100}, func(c *hiring.Client) hiring.Pager[hiring.Submission] {
		return c.Submissions.List(hiring.SubmissionFilter{})
	}, func(s hiring.Submission) any { return s.ID })
	walk(t, client, server, []int{33, 400, 500}, func(c *hiring.Client) hiring.Pager[hiring.Event] {
		return c.Events.List(sandbox.BusySubmissionID, hiring.EventFilter{})
	}, func(e hiring.Event) any { return e.Seq })
}

// walk compares iterations in pages of these sizes, each with a full rate limit.
func walk[T any](t *testing.T, client *hiring.Client, server Controls, sizes []int,
	list func(*hiring.Client) hiring.Pager[T], id func(T) any,
) {
	t.Helper()
	var first []any
	for i, size := range sizes {
		server.SetQuota(sandbox.TestKey, sandbox.ClassRead, 1000)
		variant, requests := counted(t, client)
		got, seen := []any{}, map[any]bool{}
		for item, err := range list(variant).PageSize(size).All(t.Context()) {
			require.NoError(t, err)
			require.False(t, seen[id(item)], "%v comes once", id(item))
			seen[id(item)] = true
			got = append(got, id(item))
		}
		assert.Equal(t, max(1, (len(got)+size-1)/size), *requests, "%d items in pages of %d", len(got), size)
		if i == 0 {
			first = got
		}
		require.Equal(t, first, got, "in pages of %d", size)
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

// Observed names every operation as the package calls it, and its route.
func Observed(t *testing.T, client *hiring.Client, _ Controls) {
	var seen hiring.Exchange
	client = with(t, client, hiring.WithObserver(func(_ context.Context, e hiring.Exchange) { seen = e }))
	for _, o := range All() {
		var reply hiring.Response
		require.NoError(t, o.Do(hiring.WithResponse(t.Context(), &reply), client, o.IDs), o.Name)
		assert.Equal(t, o.Name, seen.Operation)
		assert.Equal(t, reply.StatusCode, seen.Status)
		assert.Equal(t, 1, seen.Attempt)
		assert.NotEmpty(t, seen.RequestID)
		assert.Positive(t, seen.RateLimit.Limit)
		assert.Empty(t, seen.Warning)
		for _, id := range o.IDs {
			assert.NotContains(t, seen.Route, id, o.Name)
		}
	}
}
