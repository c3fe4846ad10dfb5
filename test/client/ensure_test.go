package client_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hiring-assessment/hiring-go/internal/testing/apitest"

	hiring "github.com/hiring-assessment/hiring-go"
	"github.com/hiring-assessment/hiring-go/sandbox"
)

func requestsOf(server *sandbox.Server) (reads, writes int) {
	for _, e := range server.Journal() {
		if e.Method == http.MethodGet {
			reads++
		} else {
			writes++
		}
	}
	return reads, writes
}

// invite has another process invite candidates.
func invite(t *testing.T, server *sandbox.Server, assessment string, all ...hiring.NewInvitation) {
	t.Helper()
	for _, in := range all {
		_, err := server.Invite(assessment, in.Email, in.Name)
		require.NoError(t, err)
	}
}

// requireOneMailEach checks that n candidates got an e-mail, each one.
func requireOneMailEach(t *testing.T, server *sandbox.Server, n int) {
	t.Helper()
	mails := mailCounts(server)
	assert.Len(t, mails, n)
	for email, k := range mails {
		require.Equal(t, 1, k, email)
	}
}

// lateTransport loses the response to the first POST, which the server handles later.
type lateTransport struct {
	http.RoundTripper

	late time.Duration
	lost bool
}

func (l *lateTransport) RoundTrip(r *http.Request) (*http.Response, error) {
	if r.Method != http.MethodPost || l.lost || l.late == 0 {
		return l.RoundTripper.RoundTrip(r)
	}
	l.lost = true
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return nil, err
	}
	later := r.Clone(context.WithoutCancel(r.Context()))
	later.Body = io.NopCloser(bytes.NewReader(body))
	time.AfterFunc(l.late, func() { _, _ = l.RoundTripper.RoundTrip(later) })
	return nil, apitest.ErrReset
}

func TestEnsureUnderEveryFault(t *testing.T) {
	const always = -1
	lost := sandbox.Fault{Route: inviteRoute, Status: 500}
	type want struct {
		outcome       hiring.InviteOutcome
		reads, writes int
		took          time.Duration
		mails         int
		errors        []error
		outcomeOfErr  hiring.Outcome
		retryAfter    time.Duration
	}
	for name, c := range map[string]struct {
		faults []sandbox.Fault
		late   time.Duration
		retry  hiring.RetryPolicy
		want   want
	}{
		"no fault": {want: want{outcome: hiring.InviteSent, reads: 1, writes: 1, mails: 1}},
		"error before the effect": {
			faults: []sandbox.Fault{lost},
			want:   want{outcome: hiring.InviteSent, reads: 3, writes: 2, took: 60 * time.Second, mails: 1},
		},
		"error after the effect": {
			faults: []sandbox.Fault{{Route: inviteRoute, Status: 502, After: true}},
			want:   want{outcome: hiring.InviteSent, reads: 2, writes: 1, took: 10 * time.Second, mails: 1},
		},

		"timeout without an effect": {
			faults: []sandbox.Fault{{Route: inviteRoute, Delay: time.Minute}},
			want:   want{outcome: hiring.InviteSent, reads: 3, writes: 2, took: 90 * time.Second, mails: 1},
		},

		"effect just before the second lookup": {
			late: 59999 * time.Millisecond,
			want: want{outcome: hiring.InviteSent, reads: 3, writes: 1, took: 60 * time.Second, mails: 1},
		},
		"2xx of an intermediary": {
			faults: []sandbox.Fault{{Route: inviteRoute, Status: 200, Body: "<html>Log in</html>"}},
			want:   want{outcome: hiring.InviteSent, reads: 3, writes: 2, took: 60 * time.Second, mails: 1},
		},
		"body cut short": {
			faults: []sandbox.Fault{{Route: inviteRoute, After: true, CutAfter: 40}},
			want:   want{outcome: hiring.InviteSent, reads: 2, writes: 1, mails: 1},
		},
		"body cut short, and the lookup fails": {
			faults: []sandbox.Fault{{Route: inviteRoute, After: true, CutAfter: 40}, {Route: listRoute, Skip: 1, Status: 403}},
			want:   want{outcome: hiring.InviteUnknown, reads: 2, writes: 1, mails: 1, errors: []error{hiring.ErrInsufficientScope}, outcomeOfErr: hiring.OutcomeDone},
		},
		"an error each time": {
			faults: []sandbox.Fault{{Route: inviteRoute, Times: always, Status: 500}},
			want:   want{outcome: hiring.InviteUnknown, reads: 9, writes: 4, took: 240 * time.Second, errors: []error{hiring.ErrInternal}, outcomeOfErr: hiring.OutcomeUnknown},
		},
		"an error, with one attempt allowed": {
			faults: []sandbox.Fault{lost},
			retry:  hiring.RetryPolicy{MaxAttempts: 1},
			want:   want{outcome: hiring.InviteUnknown, reads: 3, writes: 1, took: 60 * time.Second, errors: []error{hiring.ErrInternal}, outcomeOfErr: hiring.OutcomeUnknown},
		},
		"an error, then a rejection each time": {
			faults: []sandbox.Fault{lost, {Route: inviteRoute, Skip: 1, Times: always, Status: 429, Body: "slow down"}},
			want:   want{outcome: hiring.InviteUnknown, reads: 3, writes: 4, took: 60 * time.Second, errors: []error{hiring.ErrInternal}, outcomeOfErr: hiring.OutcomeUnknown},
		},
		"the first lookup is rejected": {
			faults: []sandbox.Fault{lost, {Route: listRoute, Skip: 1, Status: 404}},
			want:   want{outcome: hiring.InviteUnknown, reads: 2, writes: 1, took: 10 * time.Second, errors: []error{hiring.ErrInternal, hiring.ErrNotFound}, outcomeOfErr: hiring.OutcomeUnknown},
		},
		"the first lookup fails for a while": {
			faults: []sandbox.Fault{{Route: inviteRoute, Status: 500, After: true}, {Route: listRoute, Skip: 1, Times: 4, Reset: true}},
			want:   want{outcome: hiring.InviteSent, reads: 6, writes: 1, took: 60 * time.Second, mails: 1},
		},
		"the first lookup fails, and the second shows nothing": {
			faults: []sandbox.Fault{lost, {Route: listRoute, Skip: 1, Times: 4, Reset: true}},
			want:   want{outcome: hiring.InviteUnknown, reads: 6, writes: 1, took: 60 * time.Second, errors: []error{hiring.ErrInternal}, outcomeOfErr: hiring.OutcomeUnknown},
		},
		"both lookups fail": {
			faults: []sandbox.Fault{{Route: inviteRoute, Status: 500, After: true}, {Route: listRoute, Skip: 1, Times: 8, Reset: true}},
			want:   want{outcome: hiring.InviteUnknown, reads: 9, writes: 1, took: 60 * time.Second, mails: 1, errors: []error{hiring.ErrInternal}, outcomeOfErr: hiring.OutcomeUnknown},
		},
		"the write rate limit is used up": {
			faults: []sandbox.Fault{{Route: inviteRoute, RetryAfter: time.Hour}},
			want:   want{outcome: hiring.InviteNotSent, reads: 1, writes: 1, errors: []error{hiring.ErrRateLimited}, outcomeOfErr: hiring.OutcomeNotDone},
		},
		"the write rate limit is used up for a moment": {
			faults: []sandbox.Fault{{Route: inviteRoute, RetryAfter: 7 * time.Second}},
			want:   want{outcome: hiring.InviteSent, reads: 1, writes: 2, took: 7 * time.Second, mails: 1},
		},
		"the write rate limit is used up each time": {
			faults: []sandbox.Fault{{Route: inviteRoute, Times: 9, RetryAfter: 30 * time.Minute}},
			retry:  hiring.RetryPolicy{MaxWait: time.Hour},
			want:   want{outcome: hiring.InviteNotSent, reads: 4, writes: 4, took: 90 * time.Minute, errors: []error{hiring.ErrRateLimited}, outcomeOfErr: hiring.OutcomeNotDone, retryAfter: 30 * time.Minute},
		},
		"the write rate limit is used up for more than a minute": {
			faults: []sandbox.Fault{{Route: inviteRoute, RetryAfter: 61 * time.Second}},
			retry:  hiring.RetryPolicy{MaxWait: time.Hour},
			want:   want{outcome: hiring.InviteSent, reads: 2, writes: 2, took: 61 * time.Second, mails: 1},
		},
		"409, and the address is not listed": {
			faults: []sandbox.Fault{{Route: inviteRoute, Status: 409}},
			want:   want{outcome: hiring.InviteRejected, reads: 2, writes: 1, errors: []error{hiring.ErrConflict}, outcomeOfErr: hiring.OutcomeNotDone},
		},
		"409, and the listing fails": {
			faults: []sandbox.Fault{{Route: inviteRoute, Status: 409}, {Route: listRoute, Skip: 1, Status: 403}},
			want:   want{outcome: hiring.InviteNotSent, reads: 2, writes: 1, errors: []error{hiring.ErrInsufficientScope}},
		},
		"400": {
			faults: []sandbox.Fault{{Route: inviteRoute, Status: 400}},
			want:   want{outcome: hiring.InviteRejected, reads: 1, writes: 1, errors: []error{hiring.ErrInvalidInput}, outcomeOfErr: hiring.OutcomeNotDone},
		},
		"400 of an intermediary": {
			faults: []sandbox.Fault{{Route: inviteRoute, Status: 400, Body: "no"}},
			want:   want{outcome: hiring.InviteNotSent, reads: 1, writes: 1, outcomeOfErr: hiring.OutcomeNotDone},
		},
		"400 after a lost request": {
			faults: []sandbox.Fault{lost, {Route: inviteRoute, Skip: 1, Status: 400}},
			want:   want{outcome: hiring.InviteRejected, reads: 3, writes: 2, took: 60 * time.Second, errors: []error{hiring.ErrInvalidInput}, outcomeOfErr: hiring.OutcomeNotDone},
		},
		"409 because of a lost request": {
			faults: []sandbox.Fault{lost, {Route: inviteRoute, Skip: 1, Status: 409, After: true}},
			want:   want{outcome: hiring.InviteSent, reads: 4, writes: 2, took: 60 * time.Second, mails: 1},
		},
		"the listing is rejected with a 400": {
			faults: []sandbox.Fault{{Route: listRoute, Status: 400}},
			want:   want{outcome: hiring.InviteNotSent, reads: 1, errors: []error{hiring.ErrInvalidInput}},
		},
		"rejected when it is sent again": {
			faults: []sandbox.Fault{lost, {Route: inviteRoute, Skip: 1, Status: 402}},
			want:   want{outcome: hiring.InviteNotSent, reads: 3, writes: 2, took: 60 * time.Second, errors: []error{hiring.ErrPlanLimitReached}, outcomeOfErr: hiring.OutcomeNotDone},
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				server, assessment := startWithAssessment(t)
				c.retry.BaseBackoff = 1 // Without backoffs the waits of Ensure are exact.
				client := server.LiveClient(hiring.WithRetry(c.retry), hiring.WithHTTPClient(&http.Client{Transport: &lateTransport{server.Transport(), c.late, false}}))
				for _, f := range c.faults {
					server.Inject(f)
				}
				began := time.Now()
				got, err := client.Invitations.Ensure(t.Context(), assessment, ada)
				assert.InDelta(t, c.want.took.Seconds(), time.Since(began).Seconds(), 0.001, "time")
				reads, writes := requestsOf(server)
				assert.Equal(t, c.want.outcome, got.Outcome, "outcome; error %v", err)
				assert.Equal(t, ada, got.Candidate)
				assert.Equal(t, []int{c.want.reads, c.want.writes}, []int{reads, writes}, "reads and writes")
				for _, target := range c.want.errors {
					require.ErrorIs(t, err, target)
				}
				if c.want.outcome == hiring.InviteSent {
					require.NoError(t, err)
					assert.Equal(t, ada.Email, got.Invitation.CandidateEmail, "the invitation itself")
					assert.NotEmpty(t, got.Invitation.ID)
				} else {
					require.Error(t, err)
					assert.NotContains(t, err.Error(), "\n")
					assert.Zero(t, got.Invitation)
					assert.Equal(t, c.want.outcomeOfErr, apitest.RequireError(t, "Ensure", err).Outcome, "%v", err)
					if c.want.retryAfter > 0 {
						assert.Equal(t, c.want.retryAfter, apitest.RequireError(t, "Ensure", err).RetryAfter, "%v", err)
					}
				}
				assert.Equal(t, c.want.outcomeOfErr == hiring.OutcomeUnknown, errors.Is(err, hiring.ErrOutcomeUnknown), "%v", err)
				assert.Equal(t, c.want.mails, mailCounts(server)[ada.Email], "mails")
			})
		})
	}
}

// A 409 may mean that another process has invited the address since the listing.
func TestAConflictFindsTheInvitation(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server, assessment := startWithAssessment(t)
		people := candidates(3)
		server.Inject(sandbox.Fault{Route: inviteRoute, Times: 2, Status: 409, After: true})
		got, err := server.LiveClient().Invitations.Ensure(t.Context(), assessment, ada)
		require.NoError(t, err)
		assert.Equal(t, hiring.InviteExisting, got.Outcome)
		assert.Equal(t, ada.Email, got.Invitation.CandidateEmail)
		var all reports
		require.NoError(t, server.LiveClient().Invitations.EnsureAll(t.Context(), assessment, slices.Values(people), hiring.EnsureAllOptions{Each: all.each}))
		assert.Equal(t, []hiring.InviteOutcome{existing, sent, sent}, all.outcomes())
		reads, writes := requestsOf(server)
		assert.Equal(t, []int{4, 4}, []int{reads, writes}, "two listings for each 409")
		requireOneMailEach(t, server, 4)
	})
}

// spellings are variants of one address with characters that copied text may contain.
var spellings = []string{
	"ada@example.com", "ADA@Example.COM", " ada@example.com ", "\u00a0ada@example.com\u3000", "\u200bada@example.com", "ada\u200c@exam\u200dple.com",
	"ada@example.com\u2060", "\ufeff ada@example.com", " \u200b ada@example.com",
}

func TestOneAddressHasManySpellings(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server, assessment := startWithAssessment(t)
		invite(t, server, assessment, ada)
		var people []hiring.NewInvitation
		for _, email := range spellings {
			people = append(people, hiring.NewInvitation{Email: email, Name: "Ada"})
			got, err := server.LiveClient().Invitations.Ensure(t.Context(), assessment, people[len(people)-1])
			require.NoError(t, err, "%q", email)
			assert.Equal(t, hiring.InviteExisting, got.Outcome, "%q", email)
		}
		var got reports
		require.NoError(t, server.LiveClient().Invitations.EnsureAll(t.Context(), assessment, slices.Values(people), hiring.EnsureAllOptions{Each: got.each}))
		assert.Equal(t, slices.Repeat([]hiring.InviteOutcome{hiring.InviteExisting}, len(spellings)), got.outcomes())
		requireOneMailEach(t, server, 1)
	})
}

func TestAnInvitationOfAnyStatusIsExisting(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server, assessment := startWithAssessment(t)
		client := server.LiveClient()
		older, err := client.Invitations.Send(t.Context(), assessment, ada)
		require.NoError(t, err)
		time.Sleep(time.Second)
		newer, err := client.Invitations.Send(t.Context(), assessment, ada)
		require.NoError(t, err)
		require.NoError(t, client.Invitations.Revoke(t.Context(), assessment, newer.ID))
		got, err := client.Invitations.Ensure(t.Context(), assessment, ada)
		require.NoError(t, err)
		assert.Equal(t, hiring.InviteExisting, got.Outcome)
		assert.NotEqual(t, older.ID, newer.ID)
		assert.Equal(t, newer.ID, got.Invitation.ID, "of several, the newest")
	})
}

// A recruiter revokes an invitation by mistake, and invites again within the minute in which the client remembers it.
func TestEnsureListsAfterARevoke(t *testing.T) {
	for name, fault := range map[string]*sandbox.Fault{
		"success": nil, "unknown outcome": {Route: "POST /assessments/{id}/invitations/{invitation_id}/revoke", After: true},
	} {
		synctest.Test(t, func(t *testing.T) {
			server := sandbox.Start(t)
			client := server.LiveClient()
			assessment := server.AddAssessment("backend")
			ada := hiring.NewInvitation{Email: "ada@example.com", Name: "Ada"}
			sent, err := client.Invitations.Ensure(t.Context(), assessment, ada)
			require.NoError(t, err)
			variant, err := client.With()
			require.NoError(t, err)
			if fault != nil {
				server.Inject(*fault)
			}
			err = variant.Invitations.Revoke(t.Context(), assessment, sent.Invitation.ID)
			assert.Equal(t, fault != nil, err != nil, name)
			for range 2 {
				server.ClearJournal()
				called := time.Now()
				again, err := client.Invitations.Ensure(t.Context(), assessment, ada)
				require.NoError(t, err)
				assert.Equal(t, hiring.InviteExisting, again.Outcome, name)
				assert.Equal(t, hiring.InvitationStatus("revoked"), again.Invitation.Status, name)
				assert.Len(t, server.Journal(), 1, "%s: one listing", name)
				assert.Zero(t, time.Since(called), "%s: at once", name)
			}
			require.NoError(t, client.Invitations.EnsureAll(t.Context(), assessment, slices.Values([]hiring.NewInvitation{ada}), hiring.EnsureAllOptions{
				Each: func(r hiring.InviteResult, err error) bool {
					require.NoError(t, err)
					assert.Equal(t, hiring.InvitationStatus("revoked"), r.Invitation.Status, name)
					return true
				},
			}))
			assert.Len(t, server.Mails(), 1, name)
		})
	}
}

// A listing that does not show the revoked invitation yet sends nothing.
func TestEnsureAfterARevokeThatNoListingShows(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		empty := `{"data":[],"meta":{"page":1,"page_size":100,"total":0,"has_more":false}}`
		posts := 0
		server := apitest.NewScriptedServer(t, func(r *http.Request) (*http.Response, error) {
			switch {
			case r.Method == http.MethodGet:
				return apitest.Respond(200, empty)(r)
			case strings.HasSuffix(r.URL.Path, "/revoke"):
				return apitest.Respond(204, "", apitest.RequestIDHeader)(r)
			}
			posts++
			return apitest.RespondData(`{"id":"I1","candidate_email":"ada@example.com","status":"sent"}`)(r)
		})
		client := server.Client()
		ada := hiring.NewInvitation{Email: "ada@example.com", Name: "Ada"}
		_, err := client.Invitations.Ensure(t.Context(), "a", ada)
		require.NoError(t, err)
		require.NoError(t, client.Invitations.Revoke(t.Context(), "a", "i1"))
		<-time.After(30 * time.Second)
		again, err := client.Invitations.Ensure(t.Context(), "a", ada)
		require.NoError(t, err)
		assert.Equal(t, [2]any{hiring.InviteExisting, "I1"}, [2]any{again.Outcome, again.Invitation.ID})
		assert.Equal(t, 1, posts)
		<-time.After(31 * time.Second) // The minute is over.
		_, err = client.Invitations.Ensure(t.Context(), "a", ada)
		require.NoError(t, err)
		assert.Equal(t, 2, posts)
	})
}

func TestEnsureEndsTheListingAtTheAddress(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server, assessment := startWithAssessment(t)
		people := candidates(300)
		invite(t, server, assessment, append(append(people[:150:150], ada), people[150:]...)...)
		time.Sleep(3 * time.Minute)
		client := server.LiveClient()
		got, err := client.Invitations.Ensure(t.Context(), assessment, ada)
		require.NoError(t, err)
		assert.Equal(t, hiring.InviteExisting, got.Outcome)
		reads, _ := requestsOf(server)
		assert.Equal(t, 2, reads, "of 301 invitations, newest first, it is the 151st")

		server.Inject(sandbox.Fault{Route: inviteRoute, Reset: true})
		got, err = client.Invitations.Ensure(t.Context(), assessment, hiring.NewInvitation{Email: "new@example.com", Name: "New"})
		require.NoError(t, err)
		assert.Equal(t, hiring.InviteSent, got.Outcome)
		reads, _ = requestsOf(server)
		assert.Equal(t, 2+4+2, reads, "all four pages, and the first again twice: its invitations are old enough")
	})
}

func TestInvalidInputIsNotSent(t *testing.T) {
	server, assessment := startWithAssessment(t)
	client := server.LiveClient()
	for param, cases := range map[string][]hiring.NewInvitation{
		"Email": {{Email: " ", Name: "Ada"}, {Email: "\u200b \ufeff", Name: "Ada"}, {Email: "ada@example.com\n", Name: "Ada"}, {Email: "ada@example.com\x00", Name: "Ada"}, {Email: "ada\u2028@example.com", Name: "Ada"}},
		"Name":  {{Email: "ada@example.com"}},
		"Extra": {{Email: "ada@example.com", Name: "A", Extra: map[string]any{"candidate_name": "B"}}},
	} {
		for _, in := range cases {
			got, err := client.Invitations.Ensure(t.Context(), assessment, in)
			var refused *hiring.ParamError
			require.ErrorAs(t, err, &refused, "%q", in)
			assert.Equal(t, param, refused.Param)
			assert.NotContains(t, err.Error(), "ada")
			assert.Equal(t, hiring.InviteResult{Candidate: in, Outcome: hiring.InviteRejected}, got)
			_, err = client.Invitations.Send(t.Context(), assessment, in)
			require.ErrorAs(t, err, &refused, "Send %q", in)
		}
	}
	got, err := client.Invitations.Ensure(t.Context(), "..", ada)
	require.ErrorIs(t, err, hiring.ErrInvalidInput)
	assert.Equal(t, hiring.InviteNotSent, got.Outcome, "the id concerns all candidates")
	_, err = client.Submissions.FindByEmail(t.Context(), assessment, "ada\n@example.com")
	require.ErrorIs(t, err, hiring.ErrInvalidInput)
	reads, writes := requestsOf(server)
	assert.Zero(t, reads+writes)
}

// An invitation that cannot be decoded may be that of the address.
func TestAnUndecodableInvitationStopsInviting(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		fake := apitest.NewScriptedServer(t, apitest.RespondData(`[{"id":"i1","candidate_email":7}]`))
		got, err := fake.Client().Invitations.Ensure(t.Context(), apitest.ID, ada)
		require.ErrorContains(t, err, "/data/0/candidate_email")
		assert.Equal(t, hiring.InviteNotSent, got.Outcome)
		for _, sent := range fake.Requests() {
			assert.Equal(t, http.MethodGet, sent.Method)
		}
	})
}

// TestEnsureEndsWithItsContext ends the context at each step. The request of the first call is
// lost, and takes effect if effect is set.
func TestEnsureEndsWithItsContext(t *testing.T) {
	for name, c := range map[string]struct {
		after         time.Duration // When the context is cancelled.
		deadline      time.Duration // Its deadline; 0: none.
		delay         time.Duration // Of the response.
		outcome       hiring.InviteOutcome
		took          time.Duration
		reads, writes int
	}{
		"before the call":              {after: 0, outcome: hiring.InviteNotSent},
		"in the request":               {after: 3 * time.Second, delay: 5 * time.Second, outcome: hiring.InviteUnknown, took: 3 * time.Second, reads: 1, writes: 1},
		"before the first lookup":      {after: 3 * time.Second, outcome: hiring.InviteUnknown, took: 3 * time.Second, reads: 1, writes: 1},
		"before the second lookup":     {after: 30 * time.Second, outcome: hiring.InviteUnknown, took: 30 * time.Second, reads: 2, writes: 1},
		"a deadline before the first":  {after: -1, deadline: 9 * time.Second, outcome: hiring.InviteUnknown, reads: 1, writes: 1},
		"a deadline before the second": {after: -1, deadline: 50 * time.Second, outcome: hiring.InviteUnknown, took: 10 * time.Second, reads: 2, writes: 1},
		"a deadline after the second":  {after: -1, deadline: 61 * time.Second, outcome: hiring.InviteSent, took: time.Minute, reads: 3, writes: 2},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				server, assessment := startWithAssessment(t)
				server.Inject(sandbox.Fault{Route: inviteRoute, Status: 500, Delay: c.delay})
				ctx, cancel := context.WithCancelCause(t.Context())
				defer cancel(nil)
				cause, why := context.Canceled, errors.New("the user went away")
				switch {
				case c.deadline > 0:
					var stop context.CancelFunc
					ctx, stop = context.WithTimeout(ctx, c.deadline)
					defer stop()
					cause, why = context.DeadlineExceeded, context.DeadlineExceeded
				case c.after == 0:
					cancel(why)
				default:
					time.AfterFunc(c.after, func() { cancel(why) })
				}
				began := time.Now()
				got, err := server.LiveClient().Invitations.Ensure(ctx, assessment, ada)
				assert.Equal(t, c.took, time.Since(began))
				assert.Equal(t, c.outcome, got.Outcome)
				reads, writes := requestsOf(server)
				assert.Equal(t, []int{c.reads, c.writes}, []int{reads, writes})
				if c.outcome == hiring.InviteSent {
					require.NoError(t, err)
					return
				}
				require.ErrorIs(t, err, cause)
				require.ErrorIs(t, err, why)
				assert.Equal(t, c.outcome == hiring.InviteUnknown, errors.Is(err, hiring.ErrOutcomeUnknown), "%v", err)
				assert.LessOrEqual(t, strings.Count(err.Error(), "the user went away"), 1, "%v", err)
				server.ClearFaults()
			})
		})
	}
}

// TestTheNextCallSettlesAnOpenOutcome has a call whose context ends during the request, as when
// a browser goes away. The next call lists the invitations a minute after the request ended.
func TestTheNextCallSettlesAnOpenOutcome(t *testing.T) {
	for name, c := range map[string]struct {
		fault sandbox.Fault
		late  time.Duration
		want  hiring.InviteOutcome
	}{
		"done":      {sandbox.Fault{Route: inviteRoute, Delay: 10 * time.Second, After: true}, 0, hiring.InviteExisting},
		"done late": {sandbox.Fault{Route: "GET /account", Status: 500}, 59 * time.Second, hiring.InviteExisting},
		"not done":  {sandbox.Fault{Route: inviteRoute, Delay: 10 * time.Second}, 0, hiring.InviteSent},
	} {
		for _, next := range []string{"Ensure", "Ensure of a variant", "EnsureAll", "Ensure during the first call"} {
			t.Run(name+"/"+next, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					server, assessment := startWithAssessment(t)
					server.Inject(c.fault)
					defer server.ClearFaults()
					client := server.LiveClient(hiring.WithHTTPClient(&http.Client{Transport: &lateTransport{server.Transport(), c.late, false}}))
					ctx, leave := context.WithTimeout(t.Context(), 5*time.Second)
					defer leave()
					began := time.Now()
					var first sync.WaitGroup
					first.Go(func() {
						got, err := client.Invitations.Ensure(ctx, assessment, ada)
						assert.Equal(t, []any{hiring.InviteUnknown, true}, []any{got.Outcome, errors.Is(err, hiring.ErrOutcomeUnknown)})
					})
					if next != "Ensure during the first call" {
						first.Wait()
					}
					synctest.Wait()
					ended := began.Add(5 * time.Second)
					if name == "done late" { // The connection broke at once.
						ended = began
					}
					var got reports
					switch next {
					case "EnsureAll":
						require.NoError(t, client.Invitations.EnsureAll(t.Context(), assessment, slices.Values([]hiring.NewInvitation{ada}), hiring.EnsureAllOptions{Each: got.each}))
					case "Ensure of a variant":
						variant, err := client.With(hiring.WithTimeout(time.Minute))
						require.NoError(t, err)
						got.each(variant.Invitations.Ensure(t.Context(), assessment, ada))
					default:
						got.each(client.Invitations.Ensure(t.Context(), assessment, hiring.NewInvitation{Email: "ADA@example.com", Name: "Ada"}))
					}
					require.NoError(t, got.errors[0])
					assert.Equal(t, c.want, got.all[0].Outcome)
					assert.Equal(t, time.Minute, time.Since(ended))
					first.Wait()
					requireOneMailEach(t, server, 1)
				})
			})
		}
	}
}

func TestADoubleClickSendsOneEmail(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server, assessment := startWithAssessment(t)
		client := server.LiveClient(hiring.WithHTTPClient(&http.Client{Transport: slow{server.Transport()}}))
		outcomes := make(chan hiring.InviteResult, 2)
		var both sync.WaitGroup
		for range 2 {
			both.Go(func() {
				got, err := client.Invitations.Ensure(t.Context(), assessment, ada)
				assert.NoError(t, err)
				outcomes <- got
			})
		}
		both.Wait()
		first, second := <-outcomes, <-outcomes
		assert.ElementsMatch(t, []hiring.InviteOutcome{hiring.InviteSent, hiring.InviteExisting}, []hiring.InviteOutcome{first.Outcome, second.Outcome})
		assert.Equal(t, first.Invitation, second.Invitation)
	})
}

// slow delays each exchange, so that calls overlap.
type slow struct{ http.RoundTripper }

func (s slow) RoundTrip(r *http.Request) (*http.Response, error) {
	time.Sleep(300 * time.Millisecond)
	resp, err := s.RoundTripper.RoundTrip(r)
	time.Sleep(300 * time.Millisecond)
	return resp, err
}

func TestWaitingForAnotherCallEndsWithTheContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server, assessment := startWithAssessment(t)
		server.Inject(sandbox.Fault{Route: inviteRoute, Delay: 20 * time.Second, Status: 409})
		var announced []hiring.TracePause
		client := server.LiveClient(hiring.WithTrace(hiring.Trace{Pause: func(_ context.Context, p hiring.TracePause) { announced = append(announced, p) }}))
		go func() { _, _ = client.Invitations.Ensure(t.Context(), assessment, ada) }()
		synctest.Wait()
		ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
		defer cancel()
		began := time.Now()
		got, err := client.Invitations.Ensure(ctx, assessment, ada)
		require.ErrorIs(t, err, context.DeadlineExceeded)
		require.ErrorContains(t, err, "another call is inviting the same address")
		assert.Equal(t, hiring.OutcomeNotDone, apitest.RequireError(t, "Ensure", err).Outcome)
		assert.Equal(t, 5*time.Second, time.Since(began))
		assert.Equal(t, hiring.InviteNotSent, got.Outcome)
		require.Len(t, announced, 1)
		assert.Equal(t, hiring.PauseLookup, announced[0].Reason)
		_, err = client.Invitations.Ensure(t.Context(), assessment, hiring.NewInvitation{Email: "bob@example.com", Name: "Bob"})
		require.NoError(t, err)
		assert.Equal(t, 5*time.Second, time.Since(began), "another address does not wait")
		time.Sleep(time.Minute)
	})
}

// After a 2xx without an invitation the client never sends to the address again, also when no
// listing shows the invitation.
func TestADoneRequestIsNeverRepeated(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		fake := apitest.NewScriptedServer(t, apitest.RespondData(`[]`), apitest.Respond(201, `{"data":{"id":`), apitest.RespondData(`[]`))
		client := fake.Client()
		for _, wait := range []time.Duration{0, 0, 2 * time.Minute, 1000 * time.Hour} {
			time.Sleep(wait)
			got, err := client.Invitations.Ensure(t.Context(), apitest.ID, ada)
			assert.Equal(t, hiring.InviteUnknown, got.Outcome)
			assert.Equal(t, hiring.OutcomeDone, apitest.RequireError(t, "Ensure", err).Outcome)
			var all reports
			require.NoError(t, client.Invitations.EnsureAll(t.Context(), apitest.ID, slices.Values([]hiring.NewInvitation{ada}), hiring.EnsureAllOptions{Each: all.each}))
			assert.Equal(t, []hiring.InviteOutcome{hiring.InviteUnknown}, all.outcomes())
		}
		posts := 0
		for _, sent := range fake.Requests() {
			if sent.Method == http.MethodPost {
				posts++
			}
		}
		assert.Equal(t, 1, posts)
	})
}

// A listing that shows the invitation later settles the outcome.
func TestADoneRequestIsSettledByAListing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		fake := apitest.NewScriptedServer(t, apitest.RespondData(`[]`), apitest.Respond(201, `{"data":{"id":`), apitest.RespondData(`[]`),
			apitest.RespondData(`[{"id":"i1","candidate_email":"ada@example.com"}]`))
		client := fake.Client()
		_, err := client.Invitations.Ensure(t.Context(), apitest.ID, ada)
		require.Error(t, err)
		got, err := client.Invitations.Ensure(t.Context(), apitest.ID, ada)
		require.NoError(t, err)
		assert.Equal(t, hiring.InviteExisting, got.Outcome)
	})
}

func TestAPanicLeavesNoAddressLocked(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server, assessment := startWithAssessment(t)
		panics := true
		client := server.LiveClient(hiring.WithObserver(func(_ context.Context, e hiring.Exchange) {
			if panics && e.Method == http.MethodPost {
				panics = false
				panic("observer")
			}
		}))
		assert.PanicsWithValue(t, "observer", func() { _, _ = client.Invitations.Ensure(t.Context(), assessment, ada) })
		began := time.Now()
		got, err := client.Invitations.Ensure(t.Context(), assessment, ada)
		require.NoError(t, err)
		assert.Equal(t, hiring.InviteExisting, got.Outcome)
		assert.Equal(t, time.Minute, time.Since(began), "the outcome of the request was open")
	})
}

func TestEnsureCapturesTheResponseToTheRequest(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server, assessment := startWithAssessment(t)
		server.Inject(sandbox.Fault{Route: inviteRoute, Status: 502, After: true})
		var response hiring.Response
		_, err := server.LiveClient().Invitations.Ensure(hiring.WithResponse(t.Context(), &response), assessment, ada)
		require.NoError(t, err)
		assert.Equal(t, http.StatusBadGateway, response.StatusCode)
		response = hiring.Response{}
		people := candidates(1)
		require.NoError(t, server.LiveClient().Invitations.EnsureAll(hiring.WithResponse(t.Context(), &response), assessment, slices.Values(people), hiring.EnsureAllOptions{}))
		assert.Zero(t, response.StatusCode, "EnsureAll captures nothing")
	})
}

// slowListing takes 20 s for each page.
type slowListing struct{ http.RoundTripper }

func (s slowListing) RoundTrip(r *http.Request) (*http.Response, error) {
	if r.Method == http.MethodGet {
		time.Sleep(20 * time.Second)
	}
	return s.RoundTripper.RoundTrip(r)
}

// A long listing is too old when it ends.
func TestALongListingIsUpdated(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server, assessment := startWithAssessment(t)
		invite(t, server, assessment, candidates(350)...)
		time.AfterFunc(30*time.Second, func() { invite(t, server, assessment, ada) })
		client := server.LiveClient(hiring.WithHTTPClient(&http.Client{Transport: slowListing{server.Transport()}}))
		got, err := client.Invitations.Ensure(t.Context(), assessment, ada)
		require.NoError(t, err)
		assert.Equal(t, hiring.InviteExisting, got.Outcome, "another process has invited the address meanwhile")
		requireOneMailEach(t, server, 351)
	})
}
