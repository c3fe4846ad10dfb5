package docs_test

import (
	"context"
	"fmt"
	"io"
	"iter"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	hiring "github.com/hiring-assessment/hiring-go"
	"github.com/hiring-assessment/hiring-go/sandbox"
)

// TestRoutesOfTheGuide compares the list of docs/testing.md with the requests that a sandbox receives in hours in which a
// candidate is invited and evaluated and the report comes late.
func TestRoutesOfTheGuide(t *testing.T) {
	_, list, found := strings.Cut(text(t, "docs/testing.md"), "\nA fault needs the route that your code requests:\n\n")
	require.True(t, found)
	list, _, _ = strings.Cut(list, "\n\n")
	stated := make(map[string][]string)
	for line := range strings.Lines(list) {
		called, requests, _ := strings.Cut(line, ": ")
		for _, method := range codeSpan.FindAllString(called, -1) {
			for _, route := range regexp.MustCompile("`((?:GET|POST) [^`]+)`").FindAllStringSubmatch(requests, -1) {
				stated[strings.Trim(method, "`")] = append(stated[strings.Trim(method, "`")], route[1])
			}
		}
	}
	candidate := hiring.NewInvitation{Email: "ada@example.com", Name: "Ada"}
	methods := map[string]func(ctx context.Context, c *hiring.Client, assessmentID, submissionID string){
		"Invitations.Ensure": func(ctx context.Context, c *hiring.Client, assessmentID, _ string) {
			_, _ = c.Invitations.Ensure(ctx, assessmentID, candidate)
		},
		"Invitations.EnsureAll": func(ctx context.Context, c *hiring.Client, assessmentID, _ string) {
			_ = c.Invitations.EnsureAll(ctx, assessmentID, slices.Values([]hiring.NewInvitation{candidate}), hiring.EnsureAllOptions{})
		},
		"Submissions.Watch": func(ctx context.Context, c *hiring.Client, _, _ string) {
			drain(c.Submissions.Watch(ctx, hiring.WatchOptions{}))
		},
		"Submissions.Poll": func(ctx context.Context, c *hiring.Client, _, _ string) {
			polled := hiring.PollResult{}
			for ctx.Err() == nil {
				polled, _ = c.Submissions.Poll(ctx, polled.State, hiring.WatchOptions{})
				time.Sleep(polled.Wait)
			}
		},
		"Submissions.WaitReport": func(ctx context.Context, c *hiring.Client, _, id string) {
			_, _ = c.Submissions.WaitReport(ctx, id, hiring.WaitOptions{})
		},
		"Submissions.WaitReports": func(ctx context.Context, c *hiring.Client, _, id string) {
			ids := []string{id}
			for n := range 50 { // Unknown ones.
				ids = append(ids, fmt.Sprintf("5b000000-0000-4000-8001-0000000f%04d", n))
			}
			drain(c.Submissions.WaitReports(ctx, ids, hiring.WaitOptions{}))
		},
		"Events.Tail": func(ctx context.Context, c *hiring.Client, _, id string) {
			drain(c.Events.Tail(ctx, id, hiring.TailOptions{}))
		},
		"Submissions.FindByEmail": func(ctx context.Context, c *hiring.Client, assessmentID, _ string) {
			_, _ = c.Submissions.FindByEmail(ctx, assessmentID, "bob@example.com")
		},
		"Submissions.DownloadArchive": func(ctx context.Context, c *hiring.Client, _, id string) {
			time.Sleep(3 * time.Hour)
			_, _ = c.Submissions.DownloadArchive(ctx, id, io.Discard)
		},
	}
	assert.ElementsMatch(t, slices.Collect(maps.Keys(methods)), slices.Collect(maps.Keys(stated)))
	for name, call := range methods {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				server := sandbox.Start(t)
				assessmentID := server.AddAssessment("Backend engineer")
				invitationID, err := server.Invite(assessmentID, "bob@example.com", "Bob")
				require.NoError(t, err)
				submissionID, err := server.Begin(invitationID)
				require.NoError(t, err)
				ctx, cancel := context.WithTimeout(t.Context(), 4*time.Hour)
				defer cancel()
				go func() {
					time.Sleep(time.Hour)
					assert.NoError(t, server.Submit(submissionID))
					assert.NoError(t, server.Evaluate(submissionID, sandbox.Result{ShipScore: new(82), ReportDelay: time.Hour}))
				}()
				call(ctx, server.LiveClient(), assessmentID, submissionID)
				time.Sleep(3 * time.Hour)
				requested := make(map[string]bool)
				for _, entry := range server.Journal() {
					requested[entry.Method+" "+entry.Route] = true
				}
				assert.ElementsMatch(t, stated[name], slices.Collect(maps.Keys(requested)))
			})
		})
	}
}

// drain ranges over a sequence until it ends or fails.
func drain[T any](items iter.Seq2[T, error]) {
	for _, err := range items {
		if err != nil {
			return
		}
	}
}
