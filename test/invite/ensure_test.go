package invite_test

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"net/http"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hiring-assessment/hiring-go/internal/testing/apitest"

	hiring "github.com/hiring-assessment/hiring-go"
	"github.com/hiring-assessment/hiring-go/sandbox"
)

// requestsOf counts the requests of the client under test.
func requestsOf(server *sandbox.Server) (reads, writes int) {
	for _, e := range server.Journal() {
		switch {
		case strings.HasSuffix(e.Key, "udit"): // The test's own key.
		case e.Method == http.MethodGet:
			reads++
		default:
			writes++
		}
	}
	return reads, writes
}

// invite sends invitations with another client than the one under test.
func invite(t *testing.T, server *sandbox.Server, assessment string, all ...hiring.NewInvitation) {
	t.Helper()
	for i, in := range all {
		if i%200 == 0 {
			server.SetQuota(apitest.UnlimitedKey, sandbox.ClassWrite, 200)
		}
		_, err := apitest.UnlimitedClient(t, server).Invitations.Send(t.Context(), assessment, in)
		require.NoError(t, err)
	}
}

func TestEnsureUnderEveryFault(t *testing.T) {
	const always = -1
	lost := sandbox.Fault{Route: apitest.InviteRoute, Status: 500}
	type want struct {
		outcome       hiring.InviteOutcome
		reads, writes int
		took          time.Duration
		mails         int
		errors        []error
		outcomeOfErr  hiring.Outcome
	}
	for name, c := range map[string]struct {
		faults []sandbox.Fault
		retry  hiring.RetryPolicy
		want   want
	}{
		"no fault": {want: want{outcome: hiring.InviteSent, reads: 1, writes: 1, mails: 1}},
		"error before the effect": {
			faults: []sandbox.Fault{lost},
			want:   want{outcome: hiring.InviteSent, reads: 3, writes: 2, took: 60 * time.Second, mails: 1},
		},
		"error after the effect": {
			faults: []sandbox.Fault{{Route: apitest.InviteRoute, Status: 502, After: true}},
			want:   want{outcome: hiring.InviteSent, reads: 2, writes: 1, took: 10 * time.Second, mails: 1},
		},
		"reset before the effect": {
			faults: []sandbox.Fault{{Route: apitest.InviteRoute, Reset: true}},
			want:   want{outcome: hiring.InviteSent, reads: 3, writes: 2, took: 60 * time.Second, mails: 1},
		},
		"reset after the effect": {
			faults: []sandbox.Fault{{Route: apitest.InviteRoute, Reset: true, After: true}},
			want:   want{outcome: hiring.InviteSent, reads: 2, writes: 1, took: 10 * time.Second, mails: 1},
		},
		"timeout without an effect": {
			faults: []sandbox.Fault{{Route: apitest.InviteRoute, Delay: time.Minute}},
			want:   want{outcome: hiring.InviteSent, reads: 3, writes: 2, took: 90 * time.Second, mails: 1},
		},
		"timeout after the effect": {
			faults: []sandbox.Fault{{Route: apitest.InviteRoute, Delay: time.Minute, After: true}},
			want:   want{outcome: hiring.InviteSent, reads: 2, writes: 1, took: 40 * time.Second, mails: 1},
		},
		"effect just before the first lookup": {
			faults: []sandbox.Fault{{Route: apitest.InviteRoute, Late: 9999 * time.Millisecond}},
			want:   want{outcome: hiring.InviteSent, reads: 2, writes: 1, took: 10 * time.Second, mails: 1},
		},
		"effect after the first lookup": {
			faults: []sandbox.Fault{{Route: apitest.InviteRoute, Late: 10001 * time.Millisecond}},
			want:   want{outcome: hiring.InviteSent, reads: 3, writes: 1, took: 60 * time.Second, mails: 1},
		},
		"effect just before the second lookup": {
			faults: []sandbox.Fault{{Route: apitest.InviteRoute, Late: 59999 * time.Millisecond}},
			want:   want{outcome: hiring.InviteSent, reads: 3, writes: 1, took: 60 * time.Second, mails: 1},
		},
		"effect long after the timeout": {
			faults: []sandbox.Fault{{Route: apitest.InviteRoute, Delay: 30 * time.Second, Late: 85 * time.Second}},
			want:   want{outcome: hiring.InviteSent, reads: 3, writes: 1, took: 90 * time.Second, mails: 1},
		},
		"lost twice": {
			faults: []sandbox.Fault{lost, {Route: apitest.InviteRoute, Skip: 1, Status: 500, After: true}},
			want:   want{outcome: hiring.InviteSent, reads: 4, writes: 2, took: 70 * time.Second, mails: 1},
		},
		"body cut short": {
			faults: []sandbox.Fault{{Route: apitest.InviteRoute, After: true, CutAfter: 40}},
			want:   want{outcome: hiring.InviteSent, reads: 2, writes: 1, mails: 1},
		},
		"2xx of an intermediary": {
			faults: []sandbox.Fault{{Route: apitest.InviteRoute, Status: 200, Body: "<html>Log in</html>"}},
			want:   want{outcome: hiring.InviteSent, reads: 3, writes: 2, took: 60 * time.Second, mails: 1},
		},
		"body cut short, and the lookup fails once": {
			faults: []sandbox.Fault{{Route: apitest.InviteRoute, After: true, CutAfter: 40}, {Route: apitest.ListRoute, Skip: 1, Times: 4, Reset: true}},
			want:   want{outcome: hiring.InviteSent, reads: 6, writes: 1, took: 10 * time.Second, mails: 1},
		},
		"an error each time": {
			faults: []sandbox.Fault{{Route: apitest.InviteRoute, Times: always, Status: 500}},
			want:   want{outcome: hiring.InviteNotSent, reads: 9, writes: 4, took: 240 * time.Second, errors: []error{hiring.ErrInternal}, outcomeOfErr: hiring.OutcomeNotDone},
		},
		"an error, with one attempt allowed": {
			faults: []sandbox.Fault{lost},
			retry:  hiring.RetryPolicy{MaxAttempts: 1},
			want:   want{outcome: hiring.InviteNotSent, reads: 3, writes: 1, took: 60 * time.Second, errors: []error{hiring.ErrInternal}, outcomeOfErr: hiring.OutcomeNotDone},
		},
		"a Retry-After below a minute": {
			faults: []sandbox.Fault{{Route: apitest.InviteRoute, Status: 503, RetryAfter: 42 * time.Second}},
			want:   want{outcome: hiring.InviteSent, reads: 3, writes: 2, took: 60 * time.Second, mails: 1},
		},
		"a Retry-After above MaxWait": {
			faults: []sandbox.Fault{{Route: apitest.InviteRoute, Status: 503, RetryAfter: time.Hour}},
			want:   want{outcome: hiring.InviteNotSent, reads: 3, writes: 1, took: 60 * time.Second, outcomeOfErr: hiring.OutcomeNotDone},
		},
		"a Retry-After above MaxWait after the effect": {
			faults: []sandbox.Fault{{Route: apitest.InviteRoute, Status: 503, RetryAfter: time.Hour, After: true}},
			want:   want{outcome: hiring.InviteSent, reads: 2, writes: 1, took: 10 * time.Second, mails: 1},
		},
		"the lookup is rejected": {
			faults: []sandbox.Fault{lost, {Route: apitest.ListRoute, Skip: 1, Status: 404}},
			want:   want{outcome: hiring.InviteUnknown, reads: 2, writes: 1, took: 10 * time.Second, errors: []error{hiring.ErrInternal, hiring.ErrNotFound, hiring.ErrOutcomeUnknown}, outcomeOfErr: hiring.OutcomeUnknown},
		},
		"the lookup fails for a while": {
			faults: []sandbox.Fault{{Route: apitest.InviteRoute, Status: 500, After: true}, {Route: apitest.ListRoute, Skip: 1, Times: 9, Reset: true}},
			want:   want{outcome: hiring.InviteSent, reads: 11, writes: 1, took: 30 * time.Second, mails: 1},
		},
		"a Retry-After of the lookup": {
			faults: []sandbox.Fault{lost, {Route: apitest.ListRoute, Skip: 1, Times: 2, Status: 503, RetryAfter: 50 * time.Second}},
			retry:  hiring.RetryPolicy{MaxAttempts: 2},
			want:   want{outcome: hiring.InviteSent, reads: 4, writes: 2, took: 110 * time.Second, mails: 1},
		},
		"a Retry-After of the lookup above MaxWait": {
			faults: []sandbox.Fault{lost, {Route: apitest.ListRoute, Skip: 1, Status: 503, RetryAfter: 2 * time.Minute}},
			want:   want{outcome: hiring.InviteUnknown, reads: 2, writes: 1, took: 10 * time.Second, errors: []error{hiring.ErrOutcomeUnknown}, outcomeOfErr: hiring.OutcomeUnknown},
		},
		"the read rate limit is used up at the lookup": {
			faults: []sandbox.Fault{lost, {Route: apitest.ListRoute, Skip: 1, RetryAfter: time.Hour}},
			want:   want{outcome: hiring.InviteUnknown, reads: 2, writes: 1, took: 10 * time.Second, errors: []error{hiring.ErrOutcomeUnknown, hiring.ErrRateLimited}, outcomeOfErr: hiring.OutcomeUnknown},
		},
		"the lookup fails each time": {
			faults: []sandbox.Fault{{Route: apitest.InviteRoute, Status: 500, After: true}, {Route: apitest.ListRoute, Skip: 1, Times: always, Reset: true}},
			want:   want{outcome: hiring.InviteUnknown, reads: 17, writes: 1, took: 40 * time.Second, mails: 1, errors: []error{hiring.ErrOutcomeUnknown}, outcomeOfErr: hiring.OutcomeUnknown},
		},
		"the listing fails": {
			faults: []sandbox.Fault{{Route: apitest.ListRoute, Status: 404}},
			want:   want{outcome: hiring.InviteNotSent, reads: 1, errors: []error{hiring.ErrNotFound}},
		},
		"the write rate limit is used up": {
			faults: []sandbox.Fault{{Route: apitest.InviteRoute, RetryAfter: time.Hour}},
			want:   want{outcome: hiring.InviteNotSent, reads: 1, writes: 1, errors: []error{hiring.ErrRateLimited}, outcomeOfErr: hiring.OutcomeNotDone},
		},
		"the write rate limit is used up for a moment": {
			faults: []sandbox.Fault{{Route: apitest.InviteRoute, RetryAfter: 7 * time.Second}},
			want:   want{outcome: hiring.InviteSent, reads: 1, writes: 2, took: 7 * time.Second, mails: 1},
		},
		"rejected": {
			faults: []sandbox.Fault{{Route: apitest.InviteRoute, Status: 409}},
			want:   want{outcome: hiring.InviteNotSent, reads: 1, writes: 1, errors: []error{hiring.ErrConflict}, outcomeOfErr: hiring.OutcomeNotDone},
		},
		"rejected when it is sent again": {
			faults: []sandbox.Fault{lost, {Route: apitest.InviteRoute, Skip: 1, Status: 402}},
			want:   want{outcome: hiring.InviteNotSent, reads: 3, writes: 2, took: 60 * time.Second, errors: []error{hiring.ErrPlanLimitReached}, outcomeOfErr: hiring.OutcomeNotDone},
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				server, assessment := apitest.StartWithAssessment(t)
				// Without backoffs the waits of Ensure are exact.
				c.retry.BaseBackoff = 1
				client := server.LiveClient(hiring.WithRetry(c.retry))
				for _, f := range c.faults {
					server.Inject(f)
				}
				began := time.Now()
				got, err := client.Invitations.Ensure(t.Context(), assessment, apitest.Ada)
				took := time.Since(began)
				reads, writes := requestsOf(server)
				assert.Equal(t, c.want.outcome, got.Outcome, "outcome; error %v", err)
				assert.Equal(t, apitest.Ada, got.Candidate)
				assert.Equal(t, []int{c.want.reads, c.want.writes}, []int{reads, writes}, "reads and writes")
				assert.InDelta(t, c.want.took.Seconds(), took.Seconds(), 0.001, "time")
				for _, target := range c.want.errors {
					require.ErrorIs(t, err, target)
				}
				if c.want.outcome == hiring.InviteSent {
					require.NoError(t, err)
					assert.Equal(t, apitest.Ada.Email, got.Invitation.CandidateEmail, "the invitation itself")
					assert.NotEmpty(t, got.Invitation.ID)
				} else {
					require.Error(t, err)
					assert.NotContains(t, err.Error(), "\n")
					assert.Zero(t, got.Invitation)
					assert.Equal(t, c.want.outcomeOfErr, apitest.RequireError(t, "Ensure", err).Outcome, "%v", err)
				}
				assert.Equal(t, c.want.outcomeOfErr == hiring.OutcomeUnknown, errors.Is(err, hiring.ErrOutcomeUnknown), "%v", err)
				if !slices.ContainsFunc(c.faults, func(f sandbox.Fault) bool { return f.Times < 0 && f.Route == apitest.ListRoute }) {
					assert.Equal(t, c.want.mails, apitest.InvitationCounts(t, server, assessment)[apitest.Ada.Email], "mails")
				}
			})
		})
	}
}

func TestEnsureIgnoresCaseAndSpaceOfAddresses(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server, assessment := apitest.StartWithAssessment(t)
		client := server.LiveClient()
		invite(t, server, assessment, apitest.Ada)
		first, err := client.Invitations.List(assessment).Collect(t.Context())
		require.NoError(t, err)
		for _, email := range []string{"ada@example.com", "ADA@Example.COM", " ada@example.com "} {
			got, err := client.Invitations.Ensure(t.Context(), assessment, hiring.NewInvitation{Email: email, Name: "Ada"})
			require.NoError(t, err, email)
			assert.Equal(t, hiring.InviteExisting, got.Outcome, email)
			assert.Equal(t, first[0], got.Invitation, email)
		}
		time.Sleep(time.Second)
		invite(t, server, assessment, apitest.Ada) // A second invitation.
		got, err := client.Invitations.Ensure(t.Context(), assessment, apitest.Ada)
		require.NoError(t, err)
		assert.NotEqual(t, first[0].ID, got.Invitation.ID, "of several, the newest")
		require.NoError(t, client.Invitations.Revoke(t.Context(), assessment, got.Invitation.ID))
		revoked, err := client.Invitations.Ensure(t.Context(), assessment, apitest.Ada)
		require.NoError(t, err)
		assert.Equal(t, hiring.InviteExisting, revoked.Outcome, "of any status")
		assert.Equal(t, got.Invitation.ID, revoked.Invitation.ID)
		_, writes := requestsOf(server)
		assert.Equal(t, 1, writes, "the revocation")
	})
}

func TestEnsureEndsTheListingAtTheAddress(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server, assessment := apitest.StartWithAssessment(t)
		invite(t, server, assessment, append(apitest.Candidates(150, 1), append([]hiring.NewInvitation{apitest.Ada}, apitest.Candidates(300, 1)[150:]...)...)...)
		client := server.LiveClient()
		got, err := client.Invitations.Ensure(t.Context(), assessment, apitest.Ada)
		require.NoError(t, err)
		assert.Equal(t, hiring.InviteExisting, got.Outcome)
		reads, _ := requestsOf(server)
		assert.Equal(t, 2, reads, "of 301 invitations, newest first, it is the 151st")

		server.Inject(sandbox.Fault{Route: apitest.InviteRoute, Reset: true, After: true})
		got, err = client.Invitations.Ensure(t.Context(), assessment, hiring.NewInvitation{Email: "new@example.com", Name: "New"})
		require.NoError(t, err)
		assert.Equal(t, hiring.InviteSent, got.Outcome)
		reads, _ = requestsOf(server)
		assert.Equal(t, 2+4+1, reads, "all four pages, and the first again")
	})
}

func TestEnsureRejectsInvalidInputBeforeAnyRequest(t *testing.T) {
	server, assessment := apitest.StartWithAssessment(t)
	client := server.LiveClient()
	for param, c := range map[string]struct {
		assessment string
		in         hiring.NewInvitation
	}{
		"assessmentID": {"..", apitest.Ada},
		"Email":        {assessment, hiring.NewInvitation{Email: " ", Name: "Ada"}},
		"Name":         {assessment, hiring.NewInvitation{Email: "ada@example.com"}},
		"Extra":        {assessment, hiring.NewInvitation{Email: "a@example.com", Name: "A", Extra: map[string]any{"candidate_name": "B"}}},
	} {
		got, err := client.Invitations.Ensure(t.Context(), c.assessment, c.in)
		var refused *hiring.ParamError
		require.ErrorAs(t, err, &refused)
		assert.Equal(t, param, refused.Param)
		assert.Equal(t, hiring.InviteResult{Candidate: c.in, Outcome: hiring.InviteNotSent}, got)
	}
	reads, writes := requestsOf(server)
	assert.Zero(t, reads+writes)
}

func TestEnsureEndsWithItsContext(t *testing.T) {
	for name, c := range map[string]struct {
		end           func(context.Context) (context.Context, context.CancelFunc)
		outcome       hiring.InviteOutcome
		took          time.Duration
		reads, writes int
		cause         error
	}{
		"ended before": {func(ctx context.Context) (context.Context, context.CancelFunc) {
			ctx, cancel := context.WithCancel(ctx)
			cancel()
			return ctx, cancel
		}, hiring.InviteNotSent, 0, 0, 0, context.Canceled},
		"cancelled before the lookup": {func(ctx context.Context) (context.Context, context.CancelFunc) {
			ctx, cancel := context.WithCancel(ctx)
			time.AfterFunc(3*time.Second, cancel)
			return ctx, cancel
		}, hiring.InviteUnknown, 3 * time.Second, 1, 1, context.Canceled},
		"a deadline before the lookup": {func(ctx context.Context) (context.Context, context.CancelFunc) {
			return context.WithTimeout(ctx, 9*time.Second)
		}, hiring.InviteUnknown, 0, 1, 1, context.DeadlineExceeded},
		"a deadline after the lookup": {func(ctx context.Context) (context.Context, context.CancelFunc) {
			return context.WithTimeout(ctx, 11*time.Second)
		}, hiring.InviteSent, 10 * time.Second, 2, 1, nil},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				server, assessment := apitest.StartWithAssessment(t)
				if c.writes > 0 {
					server.Inject(sandbox.Fault{Route: apitest.InviteRoute, Status: 500, After: true})
				}
				ctx, cancel := c.end(t.Context())
				defer cancel()
				began := time.Now()
				got, err := server.LiveClient().Invitations.Ensure(ctx, assessment, apitest.Ada)
				assert.Equal(t, c.took, time.Since(began))
				assert.Equal(t, c.outcome, got.Outcome)
				require.ErrorIs(t, err, c.cause)
				assert.Equal(t, c.outcome == hiring.InviteUnknown, errors.Is(err, hiring.ErrOutcomeUnknown), "%v", err)
				reads, writes := requestsOf(server)
				assert.Equal(t, []int{c.reads, c.writes}, []int{reads, writes})
			})
		})
	}
}

// throttled is the response to too many failed authentications. It uses up no class.
func throttled() apitest.Responder {
	return apitest.RespondError(429, hiring.ErrRateLimited, "X-Ratelimit-Limit: 100", "X-Ratelimit-Remaining: 3",
		fmt.Sprint("X-Ratelimit-Reset: ", time.Now().Add(time.Minute).Unix()), "Retry-After: 5")
}

func TestInvitingEndsAtTheAuthenticationThrottle(t *testing.T) {
	const empty = `[]`
	for name, c := range map[string]struct {
		responses func() []apitest.Responder
		sent      int
		outcome   hiring.InviteOutcome
	}{
		"listing": {func() []apitest.Responder { return []apitest.Responder{throttled()} }, 1, hiring.InviteNotSent},
		"send":    {func() []apitest.Responder { return []apitest.Responder{apitest.RespondData(empty), throttled()} }, 2, hiring.InviteNotSent},
		"lookup": {func() []apitest.Responder {
			return []apitest.Responder{apitest.RespondData(empty), apitest.RespondError(500, hiring.ErrInternal), throttled()}
		}, 3, hiring.InviteUnknown},
		"second send": {func() []apitest.Responder {
			return []apitest.Responder{apitest.RespondData(empty), apitest.Fail(apitest.ErrReset), apitest.RespondData(empty), apitest.RespondData(empty), throttled()}
		}, 5, hiring.InviteNotSent},
		"lookup after a 2xx": {func() []apitest.Responder {
			return []apitest.Responder{apitest.RespondData(empty), apitest.Respond(201, "{"), throttled()}
		}, 3, hiring.InviteUnknown},
	} {
		for _, way := range []string{"Ensure", "SendAll"} {
			t.Run(name+"/"+way, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					fake := apitest.NewScriptedServer(t, c.responses()...)
					client := fake.Client()
					var got hiring.InviteResult
					var err error
					if way == "Ensure" {
						got, err = client.Invitations.Ensure(t.Context(), apitest.ID, apitest.Ada)
					} else {
						reports := &reports{}
						candidates := []hiring.NewInvitation{apitest.Ada, {Email: "bob@example.com", Name: "Bob"}}
						if c.sent > 2 {
							candidates = candidates[:1] // The second would be sent before the lookup.
						}
						err = client.Invitations.SendAll(t.Context(), apitest.ID, slices.Values(candidates), hiring.SendAllOptions{Each: reports.each})
						require.Len(t, reports.all, len(candidates))
						got = reports.all[0]
						for _, other := range reports.all[1:] {
							assert.Equal(t, hiring.InviteNotSent, other.Outcome)
						}
					}
					require.ErrorIs(t, err, hiring.ErrRateLimited)
					assert.Equal(t, c.outcome, got.Outcome)
					time.Sleep(time.Hour)
					assert.Len(t, fake.Requests(), c.sent)
				})
			})
		}
	}
}

// reports records the results that Each receives.
type reports struct {
	all    []hiring.InviteResult
	errors []error
	stopAt int // The number of results after which Each returns false; 0: never.
}

func (r *reports) each(result hiring.InviteResult, err error) bool {
	r.all = append(r.all, result)
	r.errors = append(r.errors, err)
	return len(r.all) != r.stopAt
}

func (r *reports) outcomes() []hiring.InviteOutcome {
	var all []hiring.InviteOutcome
	for _, result := range r.all {
		all = append(all, result.Outcome)
	}
	return all
}

func (r *reports) candidates() []hiring.NewInvitation {
	var all []hiring.NewInvitation
	for _, result := range r.all {
		all = append(all, result.Candidate)
	}
	return all
}

// requireRunEnded checks the errors of candidates after the one that ended a run.
func requireRunEnded(t *testing.T, cause error, all []error) {
	t.Helper()
	for _, err := range all {
		require.ErrorIs(t, err, hiring.ErrRunEnded)
		require.NotErrorIs(t, err, hiring.ErrOutcomeUnknown)
		var ended *hiring.RunEndedError
		require.ErrorAs(t, err, &ended)
		require.Equal(t, cause, ended.Cause)
		_, ok := errors.AsType[*hiring.Error](err)
		require.False(t, ok, "the outcome of another candidate's request is not found")
	}
}

func TestSendAllReportsEachOnceInOrder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server, assessment := apitest.StartWithAssessment(t)
		people := apitest.Candidates(7, 1)
		invite(t, server, assessment, people[1])
		candidates := []hiring.NewInvitation{
			people[0],
			people[1],                             // Invited already.
			{Email: "not an address", Name: "No"}, // Rejected with 400.
			people[2],
			{Email: people[1].Email}, // Rejected by the client, although it is invited already.
			people[3],                // Rejected with 409.
			people[4],
			{Email: strings.ToUpper(people[0].Email), Name: "Again"},
			people[5], // Its response is lost.
			people[5],
			people[3], // Once more.
			people[6],
		}
		server.Inject(sandbox.Fault{Route: apitest.InviteRoute, Skip: 3, Status: 409})
		server.Inject(sandbox.Fault{Route: apitest.InviteRoute, Skip: 5, Reset: true, After: true})
		var got reports
		err := server.LiveClient().Invitations.SendAll(t.Context(), assessment, slices.Values(candidates), hiring.SendAllOptions{Each: got.each})
		require.NoError(t, err)
		sent, existing, not := hiring.InviteSent, hiring.InviteExisting, hiring.InviteNotSent
		assert.Equal(t, []hiring.InviteOutcome{sent, existing, not, sent, not, not, sent, existing, sent, existing, sent, sent}, got.outcomes())
		assert.Equal(t, candidates, got.candidates())
		for i, err := range got.errors {
			switch i {
			case 2, 4:
				require.ErrorIs(t, err, hiring.ErrInvalidInput, "candidate %d", i)
			case 5:
				require.ErrorIs(t, err, hiring.ErrConflict, "candidate %d", i)
			default:
				require.NoError(t, err, "candidate %d", i)
				assert.Truef(t, strings.EqualFold(candidates[i].Email, got.all[i].Invitation.CandidateEmail), "candidate %d", i)
			}
		}
		mails := apitest.InvitationCounts(t, server, assessment)
		assert.Len(t, mails, len(people))
		for email, n := range mails {
			assert.Equal(t, 1, n, email)
		}
		reads, writes := requestsOf(server)
		assert.Equal(t, []int{2, 8}, []int{reads, writes}, "one listing and one lookup; one write for each candidate that is neither known nor rejected by the client")
	})
}

func TestSendAllEndsAfterAnErrorThatConcernsAll(t *testing.T) {
	const always = -1
	for name, c := range map[string]struct {
		faults        []sandbox.Fault
		third         hiring.InviteOutcome
		is            []error
		reads, writes int
		ahead         int                  // Candidates after the third that were sent while its lookups were pending,
		others        hiring.InviteOutcome // and their outcome.
	}{
		"401":            {[]sandbox.Fault{{Route: apitest.InviteRoute, Skip: 2, Status: 401}}, hiring.InviteNotSent, []error{hiring.ErrInvalidToken}, 1, 3, 0, ""},
		"402":            {[]sandbox.Fault{{Route: apitest.InviteRoute, Skip: 2, Status: 402}}, hiring.InviteNotSent, []error{hiring.ErrPlanLimitReached}, 1, 3, 0, ""},
		"403":            {[]sandbox.Fault{{Route: apitest.InviteRoute, Skip: 2, Status: 403}}, hiring.InviteNotSent, []error{hiring.ErrInsufficientScope}, 1, 3, 0, ""},
		"404":            {[]sandbox.Fault{{Route: apitest.InviteRoute, Skip: 2, Status: 404}}, hiring.InviteNotSent, []error{hiring.ErrNotFound}, 1, 3, 0, ""},
		"403 of a proxy": {[]sandbox.Fault{{Route: apitest.InviteRoute, Skip: 2, Status: 403, Body: "no"}}, hiring.InviteNotSent, nil, 1, 3, 0, ""},
		"500 each time":  {[]sandbox.Fault{{Route: apitest.InviteRoute, Skip: 2, Times: always, Status: 500}}, hiring.InviteNotSent, []error{hiring.ErrInternal}, 9, 8, 2, hiring.InviteNotSent},
		"unknown, and the lookup returns 400": {[]sandbox.Fault{{Route: apitest.InviteRoute, Skip: 2, Status: 500}, {Route: apitest.ListRoute, Skip: 1, Status: 400}},
			hiring.InviteUnknown, []error{hiring.ErrOutcomeUnknown, hiring.ErrInvalidInput}, 2, 6, 3, hiring.InviteSent},
		"unknown, and the lookup returns 409": {[]sandbox.Fault{{Route: apitest.InviteRoute, Skip: 2, Status: 500}, {Route: apitest.ListRoute, Skip: 1, Status: 409}},
			hiring.InviteUnknown, []error{hiring.ErrOutcomeUnknown, hiring.ErrConflict}, 2, 6, 3, hiring.InviteSent},
		"429 each time":                  {[]sandbox.Fault{{Route: apitest.InviteRoute, Skip: 2, Times: always, Status: 429, Body: "slow down"}}, hiring.InviteNotSent, nil, 1, 6, 0, ""},
		"429 with a Retry-After of days": {[]sandbox.Fault{{Route: apitest.InviteRoute, Skip: 2, Times: always, Status: 429, Body: "no", RetryAfter: 48 * time.Hour}}, hiring.InviteNotSent, nil, 1, 3, 0, ""},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				server, assessment := apitest.StartWithAssessment(t)
				for _, f := range c.faults {
					server.Inject(f)
				}
				var got reports
				people := apitest.Candidates(6, 1)
				err := server.LiveClient().Invitations.SendAll(t.Context(), assessment, slices.Values(people), hiring.SendAllOptions{Each: got.each})
				require.Error(t, err)
				for _, target := range c.is {
					require.ErrorIs(t, err, target)
				}
				not := hiring.InviteNotSent
				want := []hiring.InviteOutcome{hiring.InviteSent, hiring.InviteSent, c.third}
				want = append(append(want, slices.Repeat([]hiring.InviteOutcome{c.others}, c.ahead)...), slices.Repeat([]hiring.InviteOutcome{not}, 3-c.ahead)...)
				assert.Equal(t, want, got.outcomes())
				assert.Equal(t, []error{nil, nil, err}, got.errors[:3])
				requireRunEnded(t, err, got.errors[3+c.ahead:])
				assert.Equal(t, people, got.candidates())
				reads, writes := requestsOf(server)
				assert.Equal(t, []int{c.reads, c.writes}, []int{reads, writes})

				// A run without the faults sends the rest.
				clean, assessment2 := apitest.StartWithAssessment(t)
				invite(t, clean, assessment2, people[:2]...)
				var again reports
				require.NoError(t, clean.LiveClient().Invitations.SendAll(t.Context(), assessment2, slices.Values(people), hiring.SendAllOptions{Each: again.each}))
				existing, sent := hiring.InviteExisting, hiring.InviteSent
				assert.Equal(t, []hiring.InviteOutcome{existing, existing, sent, sent, sent, sent}, again.outcomes())
			})
		})
	}
}

func TestSendAllEndsWhenTheListingCannotBeRead(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server, assessment := apitest.StartWithAssessment(t)
		client := server.LiveClient()
		for _, c := range []struct {
			assessment string
			want       error
		}{{sandbox.UnknownID, hiring.ErrNotFound}, {"", hiring.ErrInvalidInput}} {
			var got reports
			err := client.Invitations.SendAll(t.Context(), c.assessment, slices.Values(apitest.Candidates(3, 1)), hiring.SendAllOptions{Each: got.each})
			require.ErrorIs(t, err, c.want)
			assert.Equal(t, 1, strings.Count(err.Error(), "hiring: "), err)
			assert.NotContains(t, err.Error(), "Invitations.Ensure")
			assert.Equal(t, err, got.errors[0])
			requireRunEnded(t, err, got.errors[1:])
			assert.Equal(t, slices.Repeat([]hiring.InviteOutcome{hiring.InviteNotSent}, 3), got.outcomes())
		}
		reads, writes := requestsOf(server)
		assert.Equal(t, []int{1, 0}, []int{reads, writes})
		assert.Empty(t, apitest.InvitationCounts(t, server, assessment))
	})
}

func TestSendAllEndsWhenEachReturnsFalse(t *testing.T) {
	for name, fault := range map[string]*sandbox.Fault{"after a success": nil, "after a failure": {Route: apitest.InviteRoute, Skip: 1, Status: 402}} {
		t.Run(name, func(t *testing.T) {
			server, assessment := apitest.StartWithAssessment(t)
			if fault != nil {
				server.Inject(*fault)
			}
			asked := 0
			var people iter.Seq[hiring.NewInvitation] = func(yield func(hiring.NewInvitation) bool) {
				for _, in := range apitest.Candidates(5, 1) {
					asked++
					if !yield(in) {
						return
					}
				}
			}
			got := reports{stopAt: 2}
			require.NoError(t, server.LiveClient().Invitations.SendAll(t.Context(), assessment, people, hiring.SendAllOptions{Each: got.each}))
			assert.Len(t, got.all, 2)
			assert.Equal(t, 2, asked, "candidates asked for")
			_, writes := requestsOf(server)
			assert.Equal(t, 2, writes)
		})
	}
}

func TestSendAllAcceptsNil(t *testing.T) {
	server, assessment := apitest.StartWithAssessment(t)
	client := server.LiveClient()
	require.NoError(t, client.Invitations.SendAll(t.Context(), assessment, nil, hiring.SendAllOptions{}))
	require.NoError(t, client.Invitations.SendAll(t.Context(), assessment, slices.Values([]hiring.NewInvitation(nil)), hiring.SendAllOptions{}))
	reads, writes := requestsOf(server)
	assert.Zero(t, reads+writes, "nothing is sent without candidates")
	require.NoError(t, client.Invitations.SendAll(t.Context(), assessment, slices.Values(apitest.Candidates(3, 1)), hiring.SendAllOptions{}))
	assert.Len(t, apitest.InvitationCounts(t, server, assessment), 3)
	server.Inject(sandbox.Fault{Route: apitest.InviteRoute, Status: 402})
	require.ErrorIs(t, client.Invitations.SendAll(t.Context(), assessment, slices.Values(apitest.Candidates(5, 1)), hiring.SendAllOptions{}), hiring.ErrPlanLimitReached)
}

// In test mode the listing never shows what was sent.
func TestSendAllRemembersSentInvitationsInTestMode(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server := sandbox.Start(t)
		server.Inject(sandbox.Fault{Route: apitest.InviteRoute, Skip: 1, Status: 500})
		people := apitest.Candidates(2, 1)
		var got reports
		err := server.Client().Invitations.SendAll(t.Context(), sandbox.AssessmentID, slices.Values([]hiring.NewInvitation{people[0], people[1], people[0]}), hiring.SendAllOptions{Each: got.each})
		require.NoError(t, err)
		assert.Equal(t, []hiring.InviteOutcome{hiring.InviteSent, hiring.InviteSent, hiring.InviteExisting}, got.outcomes())
	})
}

func TestSendAllWaitsForEachWindowThatOthersUseUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server, assessment := apitest.StartWithAssessment(t)
		drainer := &quotaDrainer{Server: server, times: 3}
		began, client := time.Now(), server.LiveClient(hiring.WithHTTPClient(&http.Client{Transport: drainer}))
		var got reports
		require.NoError(t, client.Invitations.SendAll(t.Context(), assessment, slices.Values(apitest.Candidates(3, 1)), hiring.SendAllOptions{Each: got.each}))
		assert.Equal(t, slices.Repeat([]hiring.InviteOutcome{hiring.InviteSent}, 3), got.outcomes())
		assert.InDelta(t, 3*time.Hour, time.Since(began), float64(time.Minute))
		_, writes := requestsOf(server)
		assert.Equal(t, 3+3, writes, "one 429 a window")
	})
}

func TestSendAllWaitsForAWindowAfterATruncated429(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server, assessment := apitest.StartWithAssessment(t)
		server.Inject(sandbox.Fault{Route: apitest.InviteRoute, Status: 429, RetryAfter: 30 * time.Minute, CutAfter: 10})
		began := time.Now()
		var got reports
		require.NoError(t, server.LiveClient().Invitations.SendAll(t.Context(), assessment, slices.Values(apitest.Candidates(2, 1)), hiring.SendAllOptions{Each: got.each}))
		assert.Equal(t, slices.Repeat([]hiring.InviteOutcome{hiring.InviteSent}, 2), got.outcomes())
		assert.InDelta(t, 30*time.Minute, time.Since(began), float64(time.Second))
	})
}

// quotaDrainer uses up the writes of a window before the first write arrives.
type quotaDrainer struct {
	*sandbox.Server

	times int
}

func (t *quotaDrainer) RoundTrip(r *http.Request) (*http.Response, error) {
	if r.Method == http.MethodPost && t.times > 0 {
		t.times--
		t.SetQuota(sandbox.LiveKey, sandbox.ClassWrite, 0)
	}
	return t.Transport().RoundTrip(r)
}

func TestSendAllWaitsForTheReadRateLimit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server, assessment := apitest.StartWithAssessment(t)
		invite(t, server, assessment, apitest.Candidates(250, 1)...)
		server.SetQuota(sandbox.LiveKey, sandbox.ClassRead, 2)
		began, client := time.Now(), server.LiveClient()
		var got reports
		require.NoError(t, client.Invitations.SendAll(t.Context(), assessment, slices.Values(apitest.Candidates(252, 1)), hiring.SendAllOptions{Each: got.each}))
		assert.Equal(t, append(slices.Repeat([]hiring.InviteOutcome{hiring.InviteExisting}, 250), hiring.InviteSent, hiring.InviteSent), got.outcomes())
		assert.InDelta(t, time.Hour, time.Since(began), float64(time.Minute))
		reads, _ := requestsOf(server)
		assert.Equal(t, 4, reads, "the scan resumed where the rate limit ended it, and then the first page was read again")

		// So does the lookup after a lost response.
		server.SetQuota(sandbox.LiveKey, sandbox.ClassRead, 3)
		server.Inject(sandbox.Fault{Route: apitest.InviteRoute, Status: 500})
		began, got = time.Now(), reports{}
		require.NoError(t, client.Invitations.SendAll(t.Context(), assessment, slices.Values(apitest.Candidates(253, 1)[250:]), hiring.SendAllOptions{Each: got.each}))
		assert.Equal(t, []hiring.InviteOutcome{hiring.InviteExisting, hiring.InviteExisting, hiring.InviteSent}, got.outcomes())
		assert.InDelta(t, time.Hour, time.Since(began), float64(time.Minute))
	})
}

func TestSendAllEndsWithItsContext(t *testing.T) {
	for name, c := range map[string]struct {
		end   func(context.Context) (context.Context, context.CancelFunc)
		quota int
		fault *sandbox.Fault
		took  time.Duration
		first int // Sent before the end.
		ahead int // Sent while the lookups of the next were pending.
		next  hiring.InviteOutcome
		is    []error
	}{
		"a deadline before the next window": {func(ctx context.Context) (context.Context, context.CancelFunc) {
			return context.WithTimeout(ctx, 50*time.Minute)
		}, 21, nil, 0, 1, 0, hiring.InviteNotSent, []error{context.DeadlineExceeded, hiring.ErrRateLimited}},
		"a deadline after the next window": {func(ctx context.Context) (context.Context, context.CancelFunc) {
			return context.WithTimeout(ctx, 70*time.Minute)
		}, 21, nil, time.Hour, 4, 0, "", nil},
		"cancelled in the wait for the window": {func(ctx context.Context) (context.Context, context.CancelFunc) {
			ctx, cancel := context.WithCancelCause(ctx)
			time.AfterFunc(7*time.Minute, func() { cancel(apitest.ErrReset) })
			return ctx, func() { cancel(nil) }
		}, 21, nil, 7 * time.Minute, 1, 0, hiring.InviteNotSent, []error{context.Canceled, apitest.ErrReset, hiring.ErrRateLimited}},
		"cancelled in a send": {func(ctx context.Context) (context.Context, context.CancelFunc) {
			ctx, cancel := context.WithCancel(ctx)
			time.AfterFunc(4*time.Second, cancel)
			return ctx, cancel
		}, 200, &sandbox.Fault{Route: apitest.InviteRoute, Skip: 1, Delay: 5 * time.Second}, 4 * time.Second, 1, 0, hiring.InviteUnknown, []error{context.Canceled, hiring.ErrOutcomeUnknown}},
		"cancelled before it is sent again": {func(ctx context.Context) (context.Context, context.CancelFunc) {
			ctx, cancel := context.WithCancel(ctx)
			time.AfterFunc(9*time.Second, cancel)
			return ctx, cancel
		}, 200, &sandbox.Fault{Route: apitest.InviteRoute, Skip: 1, Status: 500}, 9 * time.Second, 1, 2, hiring.InviteUnknown, []error{context.Canceled, hiring.ErrOutcomeUnknown}},
		"a deadline before it is known": {func(ctx context.Context) (context.Context, context.CancelFunc) {
			return context.WithTimeout(ctx, 9*time.Second)
		}, 200, &sandbox.Fault{Route: apitest.InviteRoute, Skip: 1, Status: 500}, 0, 1, 2, hiring.InviteUnknown, []error{context.DeadlineExceeded, hiring.ErrOutcomeUnknown}},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				server, assessment := apitest.StartWithAssessment(t)
				server.SetQuota(sandbox.LiveKey, sandbox.ClassWrite, c.quota)
				if c.fault != nil {
					server.Inject(*c.fault)
				}
				ctx, cancel := c.end(t.Context())
				defer cancel()
				began := time.Now()
				var got reports
				err := server.LiveClient().Invitations.SendAll(ctx, assessment, slices.Values(apitest.Candidates(4, 1)), hiring.SendAllOptions{Each: got.each})
				assert.InDelta(t, c.took, time.Since(began), float64(time.Second))
				want := slices.Repeat([]hiring.InviteOutcome{hiring.InviteSent}, c.first)
				if c.next != "" {
					want = append(append(want, c.next), slices.Repeat([]hiring.InviteOutcome{hiring.InviteSent}, c.ahead)...)
					want = append(want, slices.Repeat([]hiring.InviteOutcome{hiring.InviteNotSent}, 3-c.first-c.ahead)...)
					require.Error(t, err)
					assert.NotContains(t, err.Error(), "\n")
				} else {
					require.NoError(t, err)
				}
				assert.Equal(t, want, got.outcomes())
				for _, target := range c.is {
					require.ErrorIs(t, err, target)
				}
				if c.next != "" {
					assert.Equal(t, err, got.errors[c.first])
					requireRunEnded(t, err, got.errors[c.first+1+c.ahead:])
				}
			})
		})
	}
}

func TestEnsureDoesNotChangeTheErrorsThatObserversHave(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server, assessment := apitest.StartWithAssessment(t)
		server.Inject(sandbox.Fault{Route: apitest.InviteRoute, Times: -1, Status: 500})
		var seen []error
		client := server.LiveClient(hiring.WithObserver(func(_ context.Context, e hiring.Exchange) {
			if e.Err != nil {
				seen = append(seen, e.Err)
			}
		}))
		_, err := client.Invitations.Ensure(t.Context(), assessment, apitest.Ada)
		assert.Equal(t, hiring.OutcomeNotDone, apitest.RequireError(t, "Ensure", err).Outcome, "after the lookups")
		require.Len(t, seen, 4)
		for _, err := range seen {
			require.ErrorIs(t, err, hiring.ErrOutcomeUnknown, "the error of the attempt")
		}
	})
}

// stopSignal is a cause like that of signal.NotifyContext.
type stopSignal struct{}

func (stopSignal) Error() string        { return "stop signal" }
func (stopSignal) Is(target error) bool { return target == context.Canceled }

func TestInvitingKeepsTheCauseOfTheCancellation(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for _, after := range []time.Duration{time.Second, 8 * time.Second} { // In the send, and before the lookup.
			server, assessment := apitest.StartWithAssessment(t)
			server.Inject(sandbox.Fault{Route: apitest.InviteRoute, Delay: 5 * time.Second, Status: 500})
			ctx, cancel := context.WithCancelCause(t.Context())
			time.AfterFunc(after, func() { cancel(stopSignal{}) })
			_, err := server.LiveClient().Invitations.Ensure(ctx, assessment, apitest.Ada)
			require.ErrorIs(t, err, stopSignal{})
			require.ErrorIs(t, err, context.Canceled)
			require.ErrorIs(t, err, hiring.ErrOutcomeUnknown)
			assert.LessOrEqual(t, strings.Count(err.Error(), "canceled")+strings.Count(err.Error(), "stop signal"), 1, "%v", err)
		}
	})
}

func TestSendAllNamesTheCancellationOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server, assessment := apitest.StartWithAssessment(t)
		server.Inject(sandbox.Fault{Route: apitest.InviteRoute, Status: 429, RetryAfter: 50 * time.Second})
		ctx, cancel := context.WithCancel(t.Context())
		time.AfterFunc(7*time.Second, cancel)
		err := server.LiveClient().Invitations.SendAll(ctx, assessment, slices.Values(apitest.Candidates(2, 1)), hiring.SendAllOptions{})
		require.ErrorIs(t, err, context.Canceled)
		require.ErrorIs(t, err, hiring.ErrRateLimited)
		assert.Equal(t, 1, strings.Count(err.Error(), "context canceled"), "%v", err)
	})
}

func TestEnsureCapturesTheResponseToTheSend(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server, assessment := apitest.StartWithAssessment(t)
		server.Inject(sandbox.Fault{Route: apitest.InviteRoute, Status: 502, After: true})
		var response hiring.Response
		got, err := server.LiveClient().Invitations.Ensure(hiring.WithResponse(t.Context(), &response), assessment, apitest.Ada)
		require.NoError(t, err)
		assert.Equal(t, hiring.InviteSent, got.Outcome)
		assert.Equal(t, http.StatusBadGateway, response.StatusCode)
	})
}

// A context may end because of another call's error, such as the context of an errgroup.
// That error does not concern this call.
func TestSendAllIsNotMisledByAnotherCallsError(t *testing.T) {
	const none = `{"data":[],"meta":{"page":1,"has_more":false}}`
	for _, foreign := range []*hiring.Error{
		{Status: 402, Outcome: hiring.OutcomeNotDone, Code: hiring.ErrPlanLimitReached},
		{Status: 409, Outcome: hiring.OutcomeNotDone, Code: hiring.ErrConflict},
	} {
		synctest.Test(t, func(t *testing.T) {
			ctx, cancel := context.WithCancelCause(t.Context())
			fake := apitest.NewScriptedServer(t, apitest.Respond(200, none), func(r *http.Request) (*http.Response, error) {
				cancel(foreign)
				return apitest.RespondError(500, hiring.ErrInternal)(r)
			})
			var got hiring.InviteResult
			err := fake.Client().Invitations.SendAll(ctx, "a1", slices.Values([]hiring.NewInvitation{apitest.Ada}), hiring.SendAllOptions{Each: func(i hiring.InviteResult, _ error) bool {
				got = i
				return true
			}})
			assert.Equal(t, hiring.InviteUnknown, got.Outcome, "%d", foreign.Status)
			require.ErrorIs(t, err, hiring.ErrOutcomeUnknown)
			require.ErrorIs(t, err, foreign)
			assert.Equal(t, 500, apitest.RequireError(t, "SendAll", err).Status, "errors.As finds the call's own error")
		})
	}
}

func TestSendAllEndsAfterA429WithoutRateLimitHeaders(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		fake := apitest.NewScriptedServer(t, apitest.Respond(200, `{"data":[],"meta":{"page":1,"has_more":false}}`), apitest.Respond(429, "slow down", "Retry-After: 20"))
		err := fake.Client().Invitations.SendAll(t.Context(), "a1", slices.Values([]hiring.NewInvitation{apitest.Ada}), hiring.SendAllOptions{})
		assert.Equal(t, 429, apitest.RequireError(t, "SendAll", err).Status)
		assert.Len(t, fake.Requests(), 1+4)
	})
}
