package client_test

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"log/slog"
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

const (
	sent     = hiring.InviteSent
	existing = hiring.InviteExisting
	rejected = hiring.InviteRejected
	notSent  = hiring.InviteNotSent
	unknown  = hiring.InviteUnknown
)

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

func TestEnsureAllReportsEachOnceInOrder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server, assessment := startWithAssessment(t)
		people := candidates(7)
		invite(t, server, assessment, people[1])
		candidates := []hiring.NewInvitation{
			people[0],
			people[1],                             // Invited already.
			{Email: "not an address", Name: "No"}, // Rejected with 400.
			people[2],
			{Email: people[4].Email}, // Refused by the client: it has no name.
			people[3],                // Rejected with 409.
			people[4],
			{Email: strings.ToUpper(people[0].Email), Name: "Again"},
			people[5], // Its response is lost.
			people[5],
			people[3], // Rejected before.
			people[6],
		}
		server.Inject(sandbox.Fault{Route: inviteRoute, Skip: 3, Status: 409})
		server.Inject(sandbox.Fault{Route: inviteRoute, Skip: 5, Reset: true, After: true})
		var got reports
		err := server.LiveClient().Invitations.EnsureAll(t.Context(), assessment, slices.Values(candidates), hiring.EnsureAllOptions{Each: got.each})
		require.NoError(t, err)
		assert.Equal(t, []hiring.InviteOutcome{sent, existing, rejected, sent, rejected, rejected, sent, existing, sent, existing, rejected, sent}, got.outcomes())
		for i, err := range got.errors {
			assert.Equal(t, candidates[i], got.all[i].Candidate)
			switch i {
			case 2, 4:
				require.ErrorIs(t, err, hiring.ErrInvalidInput, "candidate %d", i)
			case 5, 10:
				require.ErrorIs(t, err, hiring.ErrConflict, "candidate %d", i)
			default:
				require.NoError(t, err, "candidate %d", i)
				assert.Truef(t, strings.EqualFold(candidates[i].Email, got.all[i].Invitation.CandidateEmail), "candidate %d", i)
			}
		}
		mails := mailCounts(server)
		assert.NotContains(t, mails, people[3].Email)
		requireOneMailEach(t, server, 6)
		reads, writes := requestsOf(server)
		assert.Equal(t, []int{3, 7}, []int{reads, writes}, "one listing and two lookups; one write for each candidate that is neither known nor refused by the client")
	})
}

func TestEnsureAllEndsAfterAnErrorThatConcernsAll(t *testing.T) {
	const always = -1
	for name, c := range map[string]struct {
		faults        []sandbox.Fault
		is            error
		reads, writes int
	}{
		"402":                            {[]sandbox.Fault{{Route: inviteRoute, Skip: 2, Status: 402}}, hiring.ErrPlanLimitReached, 1, 3},
		"403":                            {[]sandbox.Fault{{Route: inviteRoute, Skip: 2, Status: 403}}, hiring.ErrInsufficientScope, 1, 3},
		"400 of a proxy":                 {[]sandbox.Fault{{Route: inviteRoute, Skip: 2, Status: 400, Body: "no"}}, nil, 1, 3},
		"409 of a proxy":                 {[]sandbox.Fault{{Route: inviteRoute, Skip: 2, Status: 409, Body: "no"}}, nil, 1, 3},
		"403 of the lookup after a 409":  {[]sandbox.Fault{{Route: inviteRoute, Skip: 2, Status: 409}, {Route: listRoute, Skip: 1, Status: 403}}, hiring.ErrInsufficientScope, 2, 3},
		"429 each time":                  {[]sandbox.Fault{{Route: inviteRoute, Skip: 2, Times: always, Status: 429, Body: "slow down"}}, nil, 1, 6},
		"429 with a Retry-After of days": {[]sandbox.Fault{{Route: inviteRoute, Skip: 2, Times: always, Status: 429, Body: "no", RetryAfter: 48 * time.Hour}}, nil, 1, 3},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				server, assessment := startWithAssessment(t)
				for _, f := range c.faults {
					server.Inject(f)
				}
				var got reports
				err := server.LiveClient().Invitations.EnsureAll(t.Context(), assessment, slices.Values(candidates(6)), hiring.EnsureAllOptions{Each: got.each})
				require.Error(t, err)
				require.ErrorIs(t, err, cmp.Or(c.is, err))
				assert.Equal(t, []hiring.InviteOutcome{sent, sent, notSent}, got.outcomes(), "later candidates are not visited")
				assert.Equal(t, []error{nil, nil, err}, got.errors)
				reads, writes := requestsOf(server)
				assert.Equal(t, []int{c.reads, c.writes}, []int{reads, writes})
			})
		})
	}
}

// A listing that is rejected concerns all candidates, also with a status that concerns one.
func TestEnsureAllEndsWhenTheListingCannotBeRead(t *testing.T) {
	for _, status := range []int{400, 409, 404} {
		synctest.Test(t, func(t *testing.T) {
			server, assessment := startWithAssessment(t)
			server.Inject(sandbox.Fault{Route: listRoute, Skip: 1, Status: status})
			var got reports
			err := server.LiveClient().Invitations.EnsureAll(t.Context(), assessment, slices.Values(candidates(3)), hiring.EnsureAllOptions{Each: func(result hiring.InviteResult, err error) bool {
				time.Sleep(2 * time.Minute)
				return got.each(result, err)
			}})
			assert.Equal(t, status, apitest.RequireError(t, "EnsureAll", err).Status)
			assert.Equal(t, 1, strings.Count(err.Error(), "hiring: "), err)
			assert.Equal(t, []hiring.InviteOutcome{sent, notSent}, got.outcomes())
			assert.Equal(t, []error{nil, err}, got.errors)
			requireOneMailEach(t, server, 1)
		})
	}
}

func TestEnsureAllRefusesABadAssessmentOnce(t *testing.T) {
	server := sandbox.Start(t)
	var got reports
	err := server.LiveClient().Invitations.EnsureAll(t.Context(), "..", slices.Values(candidates(3)), hiring.EnsureAllOptions{Each: got.each})
	require.ErrorIs(t, err, hiring.ErrInvalidInput)
	assert.Empty(t, got.all)
	assert.Empty(t, server.Journal())
}

func TestThreeUnknownOutcomesInARowEndTheRun(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server, assessment := startWithAssessment(t)
		people := candidates(12)
		invite(t, server, assessment, people[6])
		// Two unknown outcomes, one known, and three unknown ones with an existing invitation between them.
		server.Inject(sandbox.Fault{Route: inviteRoute, Skip: 1, Times: 2, Status: 500})
		server.Inject(sandbox.Fault{Route: inviteRoute, Skip: 4, Times: 3, Status: 500})
		for _, each := range []bool{true, false} {
			var got reports
			options := hiring.EnsureAllOptions{}
			if each {
				options.Each = got.each
			}
			err := server.LiveClient(hiring.WithRetry(hiring.RetryPolicy{MaxAttempts: 1})).Invitations.EnsureAll(t.Context(), assessment, slices.Values(people), options)
			if !each {
				require.NoError(t, err, "the faults are over")
				break
			}
			require.ErrorIs(t, err, hiring.ErrOutcomeUnknown)
			require.ErrorIs(t, err, hiring.ErrInternal)
			require.ErrorContains(t, err, "3 outcomes in a row are unknown")
			assert.Equal(t, []hiring.InviteOutcome{sent, unknown, unknown, sent, unknown, unknown, existing, unknown}, got.outcomes())
		}
		requireOneMailEach(t, server, 12)
	})
}

// TestTenRejectionsWithOneCodeEndTheRun has candidates whose requests are rejected with these codes; "" is sent.
func TestTenRejectionsWithOneCodeEndTheRun(t *testing.T) {
	conflicts := slices.Repeat([]hiring.ErrorCode{hiring.ErrConflict}, 12)
	invalid := slices.Repeat([]hiring.ErrorCode{hiring.ErrInvalidInput}, 12)
	bad := hiring.NewInvitation{Email: "no-name@example.com"}
	for name, c := range map[string]struct {
		codes   []hiring.ErrorCode
		extra   map[int]hiring.NewInvitation // Candidates without a request, by the number of candidates before them.
		visited int                          // 0: all, and the run does not end.
	}{
		"409":                                  {codes: conflicts, visited: 10},
		"400":                                  {codes: invalid, visited: 10},
		"after another code":                   {codes: slices.Concat(invalid[:9], conflicts), visited: 19},
		"two codes":                            {codes: slices.Concat(invalid[:9], conflicts[:9], invalid[:9])},
		"the first is sent":                    {codes: slices.Concat([]hiring.ErrorCode{""}, conflicts)},
		"the last but two is sent":             {codes: slices.Concat(conflicts[:9], []hiring.ErrorCode{"", hiring.ErrConflict, hiring.ErrConflict})},
		"an outcome is unknown":                {codes: slices.Concat(conflicts[:9], []hiring.ErrorCode{hiring.ErrInternal}, conflicts[:9])},
		"a rejection between unknown outcomes": {codes: []hiring.ErrorCode{hiring.ErrInternal, hiring.ErrInternal, hiring.ErrConflict, hiring.ErrInternal}},
		"a ParamError is none":                 {codes: conflicts[:9], extra: map[int]hiring.NewInvitation{0: bad, 3: bad, 9: bad}},
		"a ParamError between them":            {codes: conflicts, extra: map[int]hiring.NewInvitation{3: bad}, visited: 11},
		"a rejected address that is repeated":  {codes: conflicts[:9], extra: map[int]hiring.NewInvitation{3: candidates(1)[0], 9: candidates(1)[0]}},
	} {
		for _, each := range []bool{true, false} {
			synctest.Test(t, func(t *testing.T) {
				server, assessment := startWithAssessment(t)
				var people []hiring.NewInvitation
				for i, person := range candidates(len(c.codes) + 1) {
					if extra, ok := c.extra[i]; ok {
						people = append(people, extra)
					}
					if i == len(c.codes) {
						break
					}
					people = append(people, person)
					if c.codes[i] != "" {
						status := map[hiring.ErrorCode]int{hiring.ErrConflict: 409, hiring.ErrInvalidInput: 400, hiring.ErrInternal: 500}[c.codes[i]]
						server.Inject(sandbox.Fault{Route: inviteRoute, Skip: i, Status: status})
					}
				}
				defer server.ClearFaults()
				var got reports
				var options hiring.EnsureAllOptions
				var progress hiring.InviteProgress
				options.Progress = func(p hiring.InviteProgress) { progress = p }
				if each {
					options.Each = got.each
				}
				err := server.LiveClient(hiring.WithRetry(hiring.RetryPolicy{MaxAttempts: 1})).Invitations.EnsureAll(t.Context(), assessment, slices.Values(people), options)
				visited := c.visited
				if visited == 0 {
					visited = len(people)
				}
				assert.Equal(t, visited, progress.Done, name)
				assert.Equal(t, progress.Done-progress.Sent, progress.Failed, name)
				if each {
					assert.Len(t, got.all, visited, name)
				}
				if c.visited == 0 {
					assert.Equal(t, each, err == nil, "%s: %v", name, err)
					return
				}
				require.ErrorContains(t, err, "the API rejected 10 candidates in a row with one code", name)
				require.ErrorIs(t, err, c.codes[len(c.codes)-1], name)
			})
		}
	}
}

func TestAnAddressThatComesAgainIsOneUnknownOutcome(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server, assessment := startWithAssessment(t)
		people := candidates(2)
		server.Inject(sandbox.Fault{Route: inviteRoute, Status: 500})
		var got reports
		err := server.LiveClient(hiring.WithRetry(hiring.RetryPolicy{MaxAttempts: 1})).Invitations.EnsureAll(t.Context(), assessment,
			slices.Values([]hiring.NewInvitation{people[0], people[0], people[0], people[1]}), hiring.EnsureAllOptions{Each: got.each})
		require.NoError(t, err)
		assert.Equal(t, []hiring.InviteOutcome{unknown, unknown, unknown, sent}, got.outcomes())
	})
}

func TestEnsureAllEndsWhenEachReturnsFalse(t *testing.T) {
	for name, fault := range map[string]sandbox.Fault{
		"after a success": {Route: inviteRoute, Skip: 100, Status: 402}, "after a failure": {Route: inviteRoute, Skip: 1, Status: 402},
	} {
		t.Run(name, func(t *testing.T) {
			server, assessment := startWithAssessment(t)
			server.Inject(fault)
			defer server.ClearFaults()
			asked := 0
			var people iter.Seq[hiring.NewInvitation] = func(yield func(hiring.NewInvitation) bool) {
				for _, in := range candidates(5) {
					asked++
					if !yield(in) {
						return
					}
				}
			}
			got := reports{stopAt: 2}
			require.NoError(t, server.LiveClient().Invitations.EnsureAll(t.Context(), assessment, people, hiring.EnsureAllOptions{Each: got.each}))
			assert.Len(t, got.all, 2)
			assert.Equal(t, 2, asked, "candidates asked for")
			_, writes := requestsOf(server)
			assert.Equal(t, 2, writes)
		})
	}
}

func TestEnsureAllAcceptsNil(t *testing.T) {
	server, assessment := startWithAssessment(t)
	client := server.LiveClient()
	require.NoError(t, client.Invitations.EnsureAll(t.Context(), assessment, nil, hiring.EnsureAllOptions{}))
	require.NoError(t, client.Invitations.EnsureAll(t.Context(), assessment, slices.Values([]hiring.NewInvitation(nil)), hiring.EnsureAllOptions{}))
	reads, writes := requestsOf(server)
	assert.Zero(t, reads+writes, "nothing is sent without candidates")
	require.NoError(t, client.Invitations.EnsureAll(t.Context(), assessment, slices.Values(candidates(3)), hiring.EnsureAllOptions{}))
	requireOneMailEach(t, server, 3)
}

// A word in the place of an address stays in the text, as when the columns of a file were exchanged.
func TestAWordThatIsNoAddressStaysInTheText(t *testing.T) {
	server, assessment := startWithAssessment(t)
	for _, word := range []string{"d", "Email", "id"} {
		err := server.LiveClient().Invitations.EnsureAll(t.Context(), assessment, slices.Values([]hiring.NewInvitation{{Email: word, Name: "Ada"}}), hiring.EnsureAllOptions{})
		require.ErrorContains(t, err, "candidate 1: Invitations.Send: 400 INVALID_INPUT")
		assert.NotContains(t, err.Error(), "the address", word)
	}
}

func TestEnsureAllWithoutEachReturnsFailures(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server, assessment := startWithAssessment(t)
		people := candidates(20)
		people[2].Email, people[4].Email = "", "nobody"
		server.Inject(sandbox.Fault{
			Route: inviteRoute, Skip: 1, Times: 1, Status: 409,
			Body: fmt.Sprintf(`{"error":{"code":"CONFLICT","message":"%s is busy.","request_id":"req_1"}}`, strings.ToUpper(people[1].Email)),
		})
		server.Inject(sandbox.Fault{Route: inviteRoute, Skip: 4, Status: 500})
		server.Inject(sandbox.Fault{Route: listRoute, Skip: 2, Status: 403}) // Of the lookup after the 500. Before it, there is one after the 409.
		server.SetPlan(sandbox.LiveKey, 0, 10)
		err := server.LiveClient().Invitations.EnsureAll(t.Context(), assessment, slices.Values(people), hiring.EnsureAllOptions{})
		for _, target := range []error{hiring.ErrPlanLimitReached, hiring.ErrConflict, hiring.ErrInvalidInput, hiring.ErrOutcomeUnknown} {
			require.ErrorIs(t, err, target)
		}
		assert.Equal(t, hiring.ErrPlanLimitReached, apitest.RequireError(t, "EnsureAll", err).Code, "errors.As finds the error that ended the run")
		assert.Regexp(t, `^hiring: Invitations.EnsureAll: Invitations.Send: 402 PLAN_LIMIT_REACHED.*; candidate 2: Invitations.Send: 409 CONFLICT: the address is busy`, err.Error())
		assert.Contains(t, err.Error(), "candidate 3: Email: must not be empty; candidate 5: Invitations.Send: 400 INVALID_INPUT")
		assert.Contains(t, err.Error(), "; candidate 6: Invitations.Send: 500")
		assert.NotContains(t, err.Error(), "more candidates")
		assert.Equal(t, 1, strings.Count(err.Error(), "hiring: "))
		assert.NotContains(t, strings.ToLower(err.Error()), "@example.com")
		assert.NotContains(t, err.Error(), "\n")
		requireOneMailEach(t, server, 10)
	})
}

func TestEnsureAllWithoutEachCountsFurtherFailures(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server, assessment := startWithAssessment(t)
		people := make([]hiring.NewInvitation, 25)
		people[7] = ada
		err := server.LiveClient().Invitations.EnsureAll(t.Context(), assessment, slices.Values(people), hiring.EnsureAllOptions{})
		require.ErrorIs(t, err, hiring.ErrInvalidInput)
		assert.Equal(t, 10, strings.Count(err.Error(), "candidate "))
		assert.Contains(t, err.Error(), "and 14 more candidates failed")
		requireOneMailEach(t, server, 1)
	})
}

var errFullDisk = errors.New("the disk is full")

// TestBeforeIsCalledDirectlyBeforeEachRequest has a 429, a window that ends, and a lost response.
func TestBeforeIsCalledDirectlyBeforeEachRequest(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server, assessment := startWithAssessment(t)
		people := candidates(5)
		invite(t, server, assessment, people[3])
		server.SetQuota(sandbox.LiveKey, sandbox.ClassWrite, 22)
		server.Inject(sandbox.Fault{Route: inviteRoute, Skip: 1, RetryAfter: 30 * time.Second})
		server.Inject(sandbox.Fault{Route: inviteRoute, Skip: 2, Status: 500})
		type call struct {
			email string
			at    time.Time
		}
		var before, requests []call
		var emails []string
		client := server.LiveClient(hiring.WithTrace(hiring.Trace{Attempt: func(_ context.Context, a hiring.TraceAttempt) (context.Context, func(hiring.Exchange)) {
			if a.Method == http.MethodPost {
				requests = append(requests, call{before[len(before)-1].email, time.Now()})
			}
			return nil, nil
		}}))
		err := client.Invitations.EnsureAll(t.Context(), assessment, slices.Values(people), hiring.EnsureAllOptions{Before: func(in hiring.NewInvitation) error {
			before = append(before, call{in.Email, time.Now()})
			emails = append(emails, in.Email)
			return nil
		}})
		require.NoError(t, err)
		assert.Equal(t, before, requests)
		assert.Equal(t, []string{people[0].Email, people[1].Email, people[1].Email, people[1].Email, people[2].Email, people[4].Email}, emails)
		requireOneMailEach(t, server, 5)
	})
}

func TestAnErrorOfBeforeEndsTheRun(t *testing.T) {
	for name, c := range map[string]struct {
		fault  sandbox.Fault
		failAt int // The call of Before that fails.
		err    error
		want   []hiring.InviteOutcome
		writes int
	}{
		"the first":                         {sandbox.Fault{Route: inviteRoute, Skip: 9, Status: 500}, 1, errFullDisk, []hiring.InviteOutcome{notSent}, 0},
		"after a 429":                       {sandbox.Fault{Route: inviteRoute, Skip: 1, RetryAfter: 10 * time.Second}, 3, errFullDisk, []hiring.InviteOutcome{sent, notSent}, 2},
		"after a lost response":             {sandbox.Fault{Route: inviteRoute, Skip: 1, Status: 500}, 3, errFullDisk, []hiring.InviteOutcome{sent, notSent}, 2},
		"a rejection of other work":         {sandbox.Fault{Route: inviteRoute, Skip: 9, Status: 500}, 2, &hiring.Error{Code: hiring.ErrConflict, Status: 409, Method: http.MethodPost, Outcome: hiring.OutcomeNotDone}, []hiring.InviteOutcome{sent, notSent}, 1},
		"an error that concerns one":        {sandbox.Fault{Route: inviteRoute, Skip: 9, Status: 500}, 2, &hiring.ParamError{Param: "p", Problem: "of another call"}, []hiring.InviteOutcome{sent, notSent}, 1},
		"the unknown outcome of other work": {sandbox.Fault{Route: inviteRoute, Skip: 9, Status: 500}, 2, &hiring.Error{Outcome: hiring.OutcomeUnknown}, []hiring.InviteOutcome{sent, notSent}, 1},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				server, assessment := startWithAssessment(t)
				server.Inject(c.fault)
				calls := 0
				var got reports
				err := server.LiveClient().Invitations.EnsureAll(t.Context(), assessment, slices.Values(candidates(5)), hiring.EnsureAllOptions{Each: got.each, Before: func(hiring.NewInvitation) error {
					if calls++; calls == c.failAt {
						return c.err
					}
					return nil
				}})
				assert.Equal(t, c.err, err)
				assert.Equal(t, c.want, got.outcomes())
				assert.Equal(t, err, got.errors[len(got.errors)-1])
				_, writes := requestsOf(server)
				assert.Equal(t, c.writes, writes)
				server.ClearFaults()
			})
		})
	}
}

func TestAContextThatEndsInBeforeSendsNothing(t *testing.T) {
	server, assessment := startWithAssessment(t)
	ctx, cancel := context.WithCancel(t.Context())
	var got reports
	err := server.LiveClient().Invitations.EnsureAll(ctx, assessment, slices.Values(candidates(2)), hiring.EnsureAllOptions{Each: got.each, Before: func(hiring.NewInvitation) error {
		cancel()
		return nil
	}})
	require.ErrorIs(t, err, context.Canceled)
	assert.Equal(t, []hiring.InviteOutcome{notSent}, got.outcomes())
	_, writes := requestsOf(server)
	assert.Zero(t, writes)
}

// TestASlowBefore makes the listing too old: it is read again. A Before that takes longer than a
// minute ends the run.
func TestASlowBefore(t *testing.T) {
	for _, slow := range []time.Duration{40 * time.Second, 61 * time.Second} {
		synctest.Test(t, func(t *testing.T) {
			server, assessment := startWithAssessment(t)
			people := candidates(3)
			calls := 0
			var got reports
			err := server.LiveClient(hiring.WithRetry(hiring.RetryPolicy{MaxAttempts: 1})).Invitations.EnsureAll(t.Context(), assessment, slices.Values(people), hiring.EnsureAllOptions{Each: got.each, Before: func(hiring.NewInvitation) error {
				if calls++; calls == 2 {
					time.AfterFunc(slow-time.Second, func() { invite(t, server, assessment, people[1]) })
				}
				time.Sleep(slow)
				return nil
			}})
			if slow > time.Minute {
				require.ErrorContains(t, err, "EnsureAllOptions.Before takes so long that the listing is too old")
				assert.Equal(t, []hiring.InviteOutcome{notSent}, got.outcomes())
				return
			}
			require.NoError(t, err)
			assert.Equal(t, []hiring.InviteOutcome{sent, existing, sent}, got.outcomes())
			requireOneMailEach(t, server, 3)
		})
	}
}

// TestARestartAfterACrash kills a run in a request that takes effect 59 s after its timeout.
// Before has recorded the time, and the next run begins when the listing shows what was sent.
func TestARestartAfterACrash(t *testing.T) {
	const timeout = 30 * time.Second
	for _, late := range []time.Duration{1, timeout, timeout + 59*time.Second} {
		synctest.Test(t, func(t *testing.T) {
			server, assessment := startWithAssessment(t)
			people := candidates(3)
			invite(t, server, assessment, people[0])
			var last time.Time
			var recorded string
			before := func(in hiring.NewInvitation) error { //nolint:unparam // the type of Before
				recorded, last = in.Email, time.Now()
				return nil
			}
			func() { // The crash: no response arrives, and the client's memory is lost.
				defer func() { _ = recover() }()
				lose := &lateTransport{server.Transport(), late, false}
				client := server.LiveClient(hiring.WithHTTPClient(&http.Client{Transport: lose}), hiring.WithObserver(func(context.Context, hiring.Exchange) {
					if lose.lost {
						panic("killed")
					}
				}))
				_ = client.Invitations.EnsureAll(t.Context(), assessment, slices.Values(people), hiring.EnsureAllOptions{Before: before})
			}()
			require.Equal(t, people[1].Email, recorded)
			time.Sleep(time.Until(last.Add(timeout + time.Minute)))
			var got reports
			require.NoError(t, server.LiveClient().Invitations.EnsureAll(t.Context(), assessment, slices.Values(people), hiring.EnsureAllOptions{Each: got.each, Before: before}))
			assert.Equal(t, []hiring.InviteOutcome{existing, existing, sent}, got.outcomes())
			requireOneMailEach(t, server, 3)
		})
	}
}

// TestEnsureAllWaitsForWindows waits regardless of MaxWait, for writes and reads, and announces it.
func TestEnsureAllWaitsForWindows(t *testing.T) {
	for name, c := range map[string]struct {
		prepare func(*sandbox.Server)
		took    time.Duration
		writes  int
	}{
		"the writes are used up but for a tenth": {func(s *sandbox.Server) { s.SetQuota(sandbox.LiveKey, sandbox.ClassWrite, 20) }, time.Hour, 3},
		"a 429":                                  {func(s *sandbox.Server) { s.Inject(sandbox.Fault{Route: inviteRoute, RetryAfter: time.Hour}) }, time.Hour, 4},
		"a 429 that is cut short": {func(s *sandbox.Server) {
			s.Inject(sandbox.Fault{Route: inviteRoute, Status: 429, RetryAfter: 30 * time.Minute, CutAfter: 10})
		}, 30 * time.Minute, 4},
		"the reads are used up": {func(s *sandbox.Server) { s.SetQuota(sandbox.LiveKey, sandbox.ClassRead, 1) }, time.Hour, 3},
		"the reads are used up at lookup": {func(s *sandbox.Server) {
			s.SetQuota(sandbox.LiveKey, sandbox.ClassRead, 102)
			s.Inject(sandbox.Fault{Route: inviteRoute, Status: 500})
		}, time.Hour, 4},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				server, assessment := startWithAssessment(t)
				invite(t, server, assessment, candidates(150)...)
				client := server.LiveClient(hiring.WithRetry(hiring.RetryPolicy{MaxWait: 1}))
				c.prepare(server)
				if c.writes == 3 && name[:10] == "the writes" {
					_, err := client.Invitations.Resend(t.Context(), assessment, sandbox.UnknownID) // Its response has the rate limit.
					require.ErrorIs(t, err, hiring.ErrNotFound)
					c.writes++
				}
				began, waits := time.Now(), 0
				var got reports
				err := client.Invitations.EnsureAll(t.Context(), assessment, slices.Values(candidates(153)[150:]), hiring.EnsureAllOptions{Each: got.each, Progress: func(p hiring.InviteProgress) {
					assert.Equal(t, p.Reason == "", p.WaitUntil.IsZero())
					if p.Reason == hiring.PauseQuota {
						waits++
						assert.WithinDuration(t, began.Add(c.took), p.WaitUntil, 2*time.Minute)
					}
				}})
				require.NoError(t, err)
				assert.Equal(t, []hiring.InviteOutcome{sent, sent, sent}, got.outcomes())
				assert.InDelta(t, c.took, time.Since(began), float64(2*time.Minute))
				assert.Equal(t, 1, waits)
				_, writes := requestsOf(server)
				assert.Equal(t, c.writes, writes)
				requireOneMailEach(t, server, 153)
			})
		})
	}
}

// A 503 is no window: MaxWait limits its Retry-After.
func TestEnsureAllDoesNotWaitForALongOutage(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server, assessment := startWithAssessment(t)
		server.Inject(sandbox.Fault{Route: listRoute, Status: 503, RetryAfter: time.Hour})
		began := time.Now()
		err := server.LiveClient().Invitations.EnsureAll(t.Context(), assessment, slices.Values(candidates(2)), hiring.EnsureAllOptions{})
		assert.Equal(t, 503, apitest.RequireError(t, "EnsureAll", err).Status)
		assert.Zero(t, time.Since(began))
	})
}

func TestEnsureAllEndsWithItsContext(t *testing.T) {
	for name, c := range map[string]struct {
		cancel   time.Duration
		deadline time.Duration
		quota    int
		fault    sandbox.Fault
		took     time.Duration
		want     []hiring.InviteOutcome
		is       error
	}{
		"a deadline before the next window": {deadline: 50 * time.Minute, quota: 21, want: []hiring.InviteOutcome{sent, notSent}, is: hiring.ErrRateLimited},
		"a deadline after the next window":  {deadline: 70 * time.Minute, quota: 21, took: time.Hour, want: []hiring.InviteOutcome{sent, sent, sent, sent}},
		"in the wait for the window":        {cancel: 7 * time.Minute, quota: 21, took: 7 * time.Minute, want: []hiring.InviteOutcome{sent, notSent}, is: hiring.ErrRateLimited},
		"in a request": {cancel: 4 * time.Second, fault: sandbox.Fault{Route: inviteRoute, Skip: 1, Delay: 5 * time.Second},
			took: 4 * time.Second, want: []hiring.InviteOutcome{sent, unknown}, is: hiring.ErrOutcomeUnknown},
		"before a lookup": {cancel: 9 * time.Second, fault: sandbox.Fault{Route: inviteRoute, Skip: 1, Status: 500},
			took: 9 * time.Second, want: []hiring.InviteOutcome{sent, unknown}, is: hiring.ErrOutcomeUnknown},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				server, assessment := startWithAssessment(t)
				if c.quota > 0 {
					server.SetQuota(sandbox.LiveKey, sandbox.ClassWrite, c.quota)
				}
				if c.fault.Route != "" {
					server.Inject(c.fault)
				}
				ctx, cancel := context.WithCancel(t.Context())
				defer cancel()
				ended := context.Canceled
				if c.deadline > 0 {
					ctx, cancel = context.WithTimeout(ctx, c.deadline)
					defer cancel()
					ended = context.DeadlineExceeded
				} else {
					time.AfterFunc(c.cancel, cancel)
				}
				began := time.Now()
				var got reports
				err := server.LiveClient().Invitations.EnsureAll(ctx, assessment, slices.Values(candidates(4)), hiring.EnsureAllOptions{Each: got.each})
				assert.InDelta(t, c.took, time.Since(began), float64(time.Second))
				assert.Equal(t, c.want, got.outcomes())
				if c.is == nil {
					require.NoError(t, err)
					return
				}
				assert.Equal(t, err, got.errors[1])
				require.ErrorIs(t, err, c.is)
				if c.deadline == 0 {
					require.ErrorIs(t, err, ended)
				}
				assert.LessOrEqual(t, strings.Count(err.Error(), "context canceled"), 1, "%v", err)
			})
		})
	}
}

// A context may end because of another call's error, such as the context of an errgroup.
func TestEnsureAllIsNotMisledByAnotherCallsError(t *testing.T) {
	for _, foreign := range []*hiring.Error{
		{Status: 402, Outcome: hiring.OutcomeNotDone, Code: hiring.ErrPlanLimitReached},
		{Status: 409, Outcome: hiring.OutcomeNotDone, Code: hiring.ErrConflict, Method: http.MethodPost},
	} {
		synctest.Test(t, func(t *testing.T) {
			ctx, cancel := context.WithCancelCause(t.Context())
			fake := apitest.NewScriptedServer(t, apitest.RespondData(`[]`), func(r *http.Request) (*http.Response, error) {
				cancel(foreign)
				return apitest.RespondError(500, hiring.ErrInternal)(r)
			})
			var got reports
			err := fake.Client().Invitations.EnsureAll(ctx, "a1", slices.Values(candidates(2)), hiring.EnsureAllOptions{Each: got.each})
			assert.Equal(t, []hiring.InviteOutcome{unknown}, got.outcomes(), "%d", foreign.Status)
			require.ErrorIs(t, err, foreign)
			assert.Equal(t, 500, apitest.RequireError(t, "EnsureAll", err).Status, "errors.As finds the call's own error")
		})
	}
}

// TestEachMayInvite invites later candidates in Each, with the client and with a variant.
func TestEachMayInvite(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server, assessment := startWithAssessment(t)
		client := server.LiveClient()
		variant, err := client.With(hiring.WithQuotaReserve(0))
		require.NoError(t, err)
		people := candidates(9)
		var got reports
		err = client.Invitations.EnsureAll(t.Context(), assessment, slices.Values(people), hiring.EnsureAllOptions{Each: func(result hiring.InviteResult, err error) bool {
			switch len(got.all) {
			case 0:
				_, err := client.Invitations.Ensure(t.Context(), assessment, people[1])
				require.NoError(t, err)
				_, err = client.Invitations.Ensure(t.Context(), assessment, people[0]) // Its own address.
				require.NoError(t, err)
			case 2:
				require.NoError(t, variant.Invitations.EnsureAll(t.Context(), assessment, slices.Values(people[3:6]), hiring.EnsureAllOptions{}))
			}
			return got.each(result, err)
		}})
		require.NoError(t, err)
		assert.Equal(t, []hiring.InviteOutcome{sent, existing, sent, existing, existing, existing, sent, sent, sent}, got.outcomes())
		requireOneMailEach(t, server, 9)
	})
}

// In test mode the listing never shows what was sent.
func TestEnsureAllRemembersSentInvitationsInTestMode(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		people := candidates(2)
		var got reports
		err := sandbox.Start(t).Client().Invitations.EnsureAll(t.Context(), sandbox.AssessmentID, slices.Values([]hiring.NewInvitation{people[0], people[1], people[0]}), hiring.EnsureAllOptions{Each: func(r hiring.InviteResult, err error) bool {
			time.Sleep(2 * time.Minute)
			return got.each(r, err)
		}})
		require.NoError(t, err)
		assert.Equal(t, []hiring.InviteOutcome{sent, sent, existing}, got.outcomes())
	})
}

// TestProgressAnnouncesEveryWait invites 450 candidates. Progress is never silent for longer than
// it said. The logger reports the same waits.
func TestProgressAnnouncesEveryWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server, assessment := startWithAssessment(t)
		server.SetPlan(sandbox.LiveKey, 0, 2000)
		for n := range 4 {
			server.Inject(sandbox.Fault{Route: inviteRoute, Skip: 97 * (n + 1), Reset: true, After: n%2 == 0})
		}
		server.Inject(sandbox.Fault{Route: listRoute, Skip: 3, Status: 503, RetryAfter: 30 * time.Second})
		expected, longest := time.Now(), time.Duration(0) // After the time when the next call was expected.
		var before hiring.InviteProgress
		reasons := make(map[hiring.PauseReason]int)
		var log bytes.Buffer
		client := server.LiveClient(hiring.WithLogger(slog.New(slog.NewTextHandler(&log, nil))))
		delivered := 0
		err := client.Invitations.EnsureAll(t.Context(), assessment, slices.Values(candidates(450)), hiring.EnsureAllOptions{
			Each: func(hiring.InviteResult, error) bool { delivered++; return true },
			Progress: func(p hiring.InviteProgress) {
				longest, expected = max(longest, time.Since(expected)), time.Now()
				if p.WaitUntil.After(expected) {
					expected = p.WaitUntil
				}
				assert.Equal(t, p.Done, p.Sent+p.Existing+p.Failed)
				assert.Equal(t, delivered, p.Done)
				assert.Equal(t, p.Reason == "", p.WaitUntil.IsZero())
				reasons[p.Reason]++
				before = p
			},
		})
		require.NoError(t, err)
		assert.LessOrEqual(t, longest, time.Second)
		assert.Equal(t, hiring.InviteProgress{Done: 450, Sent: 450}, before)
		assert.Equal(t, 450, reasons[""], "once for each candidate")
		for _, reason := range []hiring.PauseReason{hiring.PauseQuota, hiring.PauseLookup, hiring.PauseRetry} {
			assert.Positive(t, reasons[reason], reason)
		}
		for _, reason := range []string{"quota", "lookup"} {
			assert.Contains(t, log.String(), "operation=Invitations.EnsureAll reason="+reason)
		}
		assert.NotContains(t, log.String(), "candidate-")
		requireOneMailEach(t, server, 450)
	})
}
