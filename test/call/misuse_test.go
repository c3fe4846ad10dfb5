package call_test

import (
	"context"
	"fmt"
	"io"
	"iter"
	"net"
	"net/http"
	"net/url"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hiring-assessment/hiring-go"
	"github.com/hiring-assessment/hiring-go/internal/testing/apitest"
)

// misuseText returns the text of a panic in f, or "".
func misuseText(f func()) (text string) {
	defer func() {
		if v := recover(); v != nil {
			text = fmt.Sprint(v)
		}
	}()
	f()
	return ""
}

func drain[T any](all iter.Seq2[T, error]) {
	for _, err := range all {
		_ = err
		return
	}
}

// moreCalls are the calls that are not in operations.
func moreCalls() map[string]func(context.Context, *hiring.Client) {
	one := hiring.NewInvitation{Email: "jo@example.com", Name: "Jo"}
	return map[string]func(context.Context, *hiring.Client){
		"Invitations.Ensure": func(ctx context.Context, c *hiring.Client) { _, _ = c.Invitations.Ensure(ctx, "a1", one) },
		"Invitations.SendAll": func(ctx context.Context, c *hiring.Client) {
			_ = c.Invitations.SendAll(ctx, "a1", func(yield func(hiring.NewInvitation) bool) { yield(one) }, hiring.SendAllOptions{})
		},
		"Submissions.FindByEmail": func(ctx context.Context, c *hiring.Client) { _, _ = c.Submissions.FindByEmail(ctx, "a1", one.Email) },
		"Submissions.DownloadArchive": func(ctx context.Context, c *hiring.Client) {
			_, _ = c.Submissions.DownloadArchive(ctx, "s1", io.Discard)
		},
		"Submissions.WaitReport": func(ctx context.Context, c *hiring.Client) {
			_, _ = c.Submissions.WaitReport(ctx, "s1", hiring.WaitOptions{})
		},
		"Submissions.WaitReports": func(ctx context.Context, c *hiring.Client) {
			drain(c.Submissions.WaitReports(ctx, []string{"s1"}, hiring.WaitOptions{}))
		},
		"Submissions.Watch": func(ctx context.Context, c *hiring.Client) { drain(c.Submissions.Watch(ctx, hiring.WatchOptions{})) },
		"Submissions.Poll":  func(ctx context.Context, c *hiring.Client) { _, _ = c.Submissions.Poll(ctx, hiring.WatchOptions{}, "") },
		"Events.Tail":       func(ctx context.Context, c *hiring.Client) { drain(c.Events.Tail(ctx, "s1", hiring.TailOptions{})) },
		"Pager.All":         func(ctx context.Context, c *hiring.Client) { drain(c.Members.List().All(ctx)) },
		"Pager.Pages":       func(ctx context.Context, c *hiring.Client) { drain(c.Members.List().Pages(ctx)) },
		"Pager.Page":        func(ctx context.Context, c *hiring.Client) { _, _ = c.Members.List().Page(ctx) },
	}
}

func allCalls() map[string]func(context.Context, *hiring.Client) {
	all := moreCalls()
	for _, op := range apitest.Operations() {
		all[op.Name] = func(ctx context.Context, c *hiring.Client) { _ = op.Call(ctx, c) }
	}
	return all
}

func TestNilContextIsNamed(t *testing.T) {
	var none context.Context
	for name, call := range allCalls() {
		fake := apitest.NewScriptedServer(t, apitest.RespondData(apitest.Resource))
		assert.Contains(t, misuseText(func() { call(none, fake.Client()) }), "hiring: nil context", name)
		assert.Empty(t, fake.Requests(), name)
	}
	assert.Contains(t, misuseText(func() { _, _ = hiring.PagerOf(1).Collect(none) }), "hiring: nil context")
	assert.Contains(t, misuseText(func() { hiring.WithResponse(none, nil) }), "nil parent")
}

func TestZeroClientsAndServicesPanicWithTheirName(t *testing.T) {
	zero := &hiring.Client{
		Account: &hiring.AccountService{}, Assessments: &hiring.AssessmentService{}, Challenges: &hiring.ChallengeService{}, Events: &hiring.EventService{},
		Invitations: &hiring.InvitationService{}, Members: &hiring.MemberService{}, Submissions: &hiring.SubmissionService{},
	}
	calls := allCalls()
	calls["With"] = func(_ context.Context, c *hiring.Client) { _, _ = c.With() }
	calls["Environment"] = func(_ context.Context, c *hiring.Client) { c.Environment() }
	calls["Quota"] = func(_ context.Context, c *hiring.Client) { c.Quota() }
	for name, call := range calls {
		for what, client := range map[string]*hiring.Client{"zero client": {}, "zero services": zero} {
			assert.Contains(t, misuseText(func() { call(t.Context(), client) }), "hiring: the client was not made by New", "%s of a %s", name, what)
		}
	}
	var none *hiring.Client
	for name, call := range map[string]func(){
		"With": func() { _, _ = none.With() }, "Environment": func() { none.Environment() }, "Quota": func() { none.Quota() },
		"OpenAPI": func() { _, _ = none.OpenAPI(t.Context()) }, "Do": func() { _, _ = none.Do(t.Context(), "GET", "/x", nil, nil, nil) },
	} {
		assert.Contains(t, misuseText(call), "hiring: the client was not made by New", "%s of a nil client", name)
	}
}

// brokenError is an error type whose nil pointer panics.
type brokenError struct{ text string }

func (e *brokenError) Error() string { return e.text }
func (e *brokenError) Unwrap() error { return fmt.Errorf("within %s", e.text) }

type failingBody struct{ err error }

func (b failingBody) Read([]byte) (int, error) { return 0, b.err }
func (failingBody) Close() error               { return nil }

func TestNilPointersAsErrorsAreErrors(t *testing.T) {
	for name, err := range map[string]error{
		"*call_test.brokenError": (*brokenError)(nil), "*url.Error": (*url.Error)(nil), "*net.OpError": (*net.OpError)(nil), "*net.DNSError": (*net.DNSError)(nil),
	} {
		for where, answer := range map[string]apitest.Responder{
			"transport": func(*http.Request) (*http.Response, error) { return nil, err },
			"transport with response": func(r *http.Request) (*http.Response, error) {
				return apitest.NewResponse(r, 200, failingBody{io.EOF}), err
			},
			"body": func(r *http.Request) (*http.Response, error) {
				return apitest.NewResponse(r, 200, failingBody{err}, apitest.RequestIDHeader), nil
			},
			"body of a refusal": func(r *http.Request) (*http.Response, error) {
				return apitest.NewResponse(r, 404, failingBody{err}, apitest.RequestIDHeader), nil
			},
		} {
			for _, op := range apitest.Operations() {
				got := op.Call(t.Context(), apitest.NewScriptedServer(t, answer).Client(apitest.NoRetry))
				if where == "body" && op.Method != http.MethodGet && got == nil {
					continue // Delete and Revoke need no body.
				}
				require.Error(t, got, "%s %s %s", op.Name, where, name)
				_ = hiring.IsTransient(got)
				if where != "body of a refusal" {
					assert.Contains(t, got.Error(), "the error is a nil "+name, "%s %s", op.Name, where)
				}
			}
			h := apitest.NewStorageServer(t, answer)
			_, got := h.Client(apitest.NoRetry).Submissions.DownloadArchive(t.Context(), "s", io.Discard)
			require.Error(t, got, "archive: %s %s", where, name)
		}
	}
	writer := apitest.WriterFunc(func([]byte) (int, error) { return 0, (*brokenError)(nil) })
	_, err := apitest.NewStorageServer(t, apitest.Archive(200, 0, 10, nil, apitest.ETag)).Client(apitest.NoRetry).Submissions.DownloadArchive(t.Context(), "s", writer)
	require.ErrorContains(t, err, "the writer failed")
	source := hiring.WithKeySource(func(context.Context) (string, error) { return "", (*brokenError)(nil) })
	_, err = apitest.NewScriptedServer(t, apitest.RespondData(apitest.Resource)).Client(source).Account.Get(t.Context())
	require.ErrorContains(t, err, "the key source failed")
	assert.False(t, hiring.IsTransient(err))
}
