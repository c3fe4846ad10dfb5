package invite_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"math/rand/v2"
	"net"
	"net/http"
	"os"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/hashicorp/go-retryablehttp"
	"github.com/stretchr/testify/require"

	"github.com/hiring-assessment/hiring-go/internal/testing/apitest"

	hiring "github.com/hiring-assessment/hiring-go"
	"github.com/hiring-assessment/hiring-go/sandbox"
)

// TestInvitingUnderFaultsIsExactlyOnce runs SendAll on a network with faults, kills it at
// random points and restarts it with a new client until it ends. Sometimes other users of
// the key use up most of its writes. Each result is checked when Each receives it:
//
//   - sent: the address has exactly one invitation, from a request of this run, and none
//     of its requests is in flight;
//   - existing: the address has exactly one invitation, from another run;
//   - not sent: no request of this run took effect or can still take effect;
//   - unknown: the error says that the outcome is uncertain.
//
// A new run begins more than a minute after the kill, as SendAll without a checkpoint
// requires.
func TestInvitingUnderFaultsIsExactlyOnce(t *testing.T) {
	t.Parallel()
	seeds, candidates := 5, 100
	if os.Getenv("HIRING_LONG") != "" {
		seeds, candidates = 200, 1000
	}
	began := time.Now()
	var all, plain totals
	for seed := range uint64(seeds) {
		t.Run(fmt.Sprint("seed ", seed), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				ours := inviteWithFaults(t, seed, candidates)
				all.add(ours)
				theirs := invitePlainly(t, seed, candidates)
				plain.add(theirs)
				t.Logf("%3.0f %% faults: %s", 100*rateOf(seed), ours)
				t.Logf("plain retries:  %s", theirs)
			})
		})
	}
	t.Logf("in all, with SendAll:      %s", all)
	t.Logf("in all, with plain retries: %s", plain)
	t.Logf("%d seeds of %d candidates in %s", seeds, candidates, time.Since(began).Round(time.Millisecond))
	require.Zero(t, all.duplicates+all.lost)
	require.Positive(t, plain.duplicates, "the same faults must cause duplicates with plain retries")
}

// totals counts what happened in runs.
type totals struct {
	candidates, duplicates, lost int
	runs, kills, midway, unknown int
	exchanges, faults            int
	hours                        float64 // Of virtual time.
}

func (a *totals) add(b totals) {
	a.candidates += b.candidates
	a.duplicates += b.duplicates
	a.lost += b.lost
	a.runs += b.runs
	a.kills += b.kills
	a.midway += b.midway
	a.unknown += b.unknown
	a.exchanges += b.exchanges
	a.faults += b.faults
	a.hours += b.hours
}

func (a totals) String() string {
	return fmt.Sprintf("%d candidates, %d duplicates, %d lost; %d runs, %d kills (%d midway), %d reports of unknown; %d faults in %d exchanges, %.1f virtual hours",
		a.candidates, a.duplicates, a.lost, a.runs, a.kills, a.midway, a.unknown, a.faults, a.exchanges, a.hours)
}

// rateOf returns the share of the exchanges that have a fault: 10 to 40 %.
func rateOf(seed uint64) float64 { return 0.4 - 0.1*float64(seed%4) }

// inviteWithFaults kills and restarts SendAll until it has ended.
func inviteWithFaults(t *testing.T, seed uint64, n int) totals {
	server, assessment := apitest.StartWithAssessment(t)
	server.SetPlan(sandbox.LiveKey, 0, 10*n)
	s := newFaultyNetwork(server, seed)
	began, result := time.Now(), totals{candidates: n}
	for done := false; !done || result.kills < apitest.Kills; {
		result.runs++
		require.Less(t, result.runs, 1000, "the runs do not end")
		client, err := hiring.New("https://sandbox.invalid", sandbox.LiveKey,
			hiring.WithHTTPClient(&http.Client{Transport: s}), hiring.WithTimeout(apitest.AttemptTimeout))
		require.NoError(t, err)
		ctx, cancel := context.WithCancel(t.Context())
		run := &chaosRun{network: s, number: result.runs, candidates: apitest.Candidates(n, result.runs), kill: cancel, sends: -1}
		if left := apitest.Kills - result.kills; left > 0 {
			run.sends = s.random(1 + 2*(n-s.invited())/(left+1))
		}
		if s.random(5) == 0 {
			server.SetQuota(sandbox.LiveKey, sandbox.ClassWrite, s.random(1+n/10))
		}
		s.begin(run.number)
		run.scheduleKill()
		err = client.Invitations.SendAll(ctx, assessment, run.sequence(), hiring.SendAllOptions{Each: run.each})
		run.ended(t, err)
		result.unknown += run.unknown
		if ctx.Err() != nil || run.stopped {
			result.kills++
			if s.invited() < n {
				result.midway++
			}
		}
		// A run that Each stopped returns nil even if candidates before the last have an error.
		done = err == nil && run.reported == n && !run.stopped
		cancel()
		time.Sleep(time.Minute + time.Duration(s.random(20))*time.Second)
	}
	result.hours = time.Since(began).Hours()
	result.exchanges, result.faults = s.exchanges, s.faults
	result.duplicates, result.lost = count(t, server, assessment, n)
	require.Zero(t, result.duplicates, "seed %d: second e-mails", seed)
	require.Zero(t, result.lost, "seed %d: candidates without an invitation", seed)
	account, err := apitest.UnlimitedClient(t, server).Account.Get(t.Context())
	require.NoError(t, err)
	require.Equal(t, n, account.Usage.AssessmentsUsed, "seed %d: use of the plan", seed)
	return result
}

// chaosRun is one run of SendAll until it ends or is killed.
type chaosRun struct {
	network    *faultyNetwork
	number     int
	candidates []hiring.NewInvitation
	kill       func()
	sends      int // Requests until the kill; negative: there is no kill.

	asked    int // Candidates that the sequence gave.
	reported int
	unknown  int
	stop     bool // Each returns false for the next result.
	stopped  bool
	errs     []error
	cause    error // The cause in the errors of candidates after the end of the run.
	wrong    []string
}

// scheduleKill plans how the run is killed, once enough was sent.
func (r *chaosRun) scheduleKill() {
	if r.sends != 0 {
		return
	}
	switch s := r.network; s.random(4) {
	case 0: // By Each.
		r.stop = true
	case 1:
		s.kill(1+s.random(4), false, r.kill) // In an exchange.
	case 2: // While it waits for a response or a lookup, or during a lookup.
		delay := time.Duration(s.random(20_000)) * time.Millisecond
		s.kill(1, true, func() { time.AfterFunc(delay, r.kill) })
	case 3: // While it waits for a window.
		s.server.SetQuota(sandbox.LiveKey, sandbox.ClassWrite, s.random(2))
		time.AfterFunc(time.Duration(s.random(3600))*time.Second, r.kill)
	}
	r.sends = 1 + r.network.random(8) // Until the next kill, if the run ends before this one.
}

func (r *chaosRun) sequence() iter.Seq[hiring.NewInvitation] {
	return func(yield func(hiring.NewInvitation) bool) {
		for _, in := range r.candidates {
			r.asked++
			if !yield(in) {
				return
			}
		}
	}
}

func (r *chaosRun) each(result hiring.InviteResult, err error) bool {
	in := r.candidates[r.reported]
	r.reported++
	r.errs = append(r.errs, err)
	if ended, ok := errors.AsType[*hiring.RunEndedError](err); ok {
		r.cause = ended.Cause
	}
	if problem := r.network.problem(r.number, result, err); problem != "" {
		r.wrong = append(r.wrong, fmt.Sprintf("result %d of run %d (%v, %v): %s", r.reported, r.number, result, err, problem))
	}
	if result.Candidate.Email != in.Email || r.asked < r.reported {
		r.wrong = append(r.wrong, fmt.Sprintf("result %d of run %d is that of another candidate", r.reported, r.number))
	}
	if result.Outcome == hiring.InviteUnknown {
		r.unknown++
	}
	r.stopped = r.stop
	if !r.stopped && result.Outcome == hiring.InviteSent && r.sends > 0 {
		r.sends--
		r.scheduleKill()
	}
	return !r.stopped
}

func (r *chaosRun) ended(t *testing.T, err error) {
	t.Helper()
	require.Empty(t, r.wrong)
	if r.stopped {
		require.NoError(t, err)
		return
	}
	require.Len(t, r.candidates, r.reported, "run %d: one result for each candidate", r.number)
	if r.cause != nil {
		require.Equal(t, err, r.cause, "run %d: the cause of the candidates after the end is what SendAll returned", r.number)
	}
	if err != nil {
		require.Contains(t, r.errs, err, "run %d: SendAll returned the error of a candidate", r.number)
	}
}

// count compares the invitations with the candidates at the end.
func count(t *testing.T, server *sandbox.Server, assessment string, n int) (duplicates, lost int) {
	t.Helper()
	mails := make(map[string]int)
	for invitation, err := range apitest.UnlimitedClient(t, server).Invitations.List(assessment).All(t.Context()) {
		require.NoError(t, err)
		mails[strings.ToLower(invitation.CandidateEmail)]++
	}
	for _, in := range apitest.Candidates(n, 1) {
		switch k := mails[in.Email]; k {
		case 0:
			lost++
		default:
			duplicates += k - 1
		}
	}
	return duplicates, lost
}

// invitePlainly sends each invitation with the default retries of go-retryablehttp, without
// a kill.
func invitePlainly(t *testing.T, seed uint64, n int) totals {
	server, assessment := apitest.StartWithAssessment(t)
	server.SetPlan(sandbox.LiveKey, 0, 10*n)
	s := newFaultyNetwork(server, seed)
	began := time.Now()
	client := retryablehttp.NewClient()
	client.Logger = nil
	client.HTTPClient = &http.Client{Transport: s, Timeout: apitest.AttemptTimeout}
	for _, in := range apitest.Candidates(n, 1) {
		body, err := json.Marshal(map[string]string{"candidate_email": in.Email, "candidate_name": in.Name})
		require.NoError(t, err)
		r, err := retryablehttp.NewRequestWithContext(t.Context(), http.MethodPost, "https://sandbox.invalid/api/v1/assessments/"+assessment+"/invitations", body)
		require.NoError(t, err)
		r.Header.Set("Authorization", "Bearer "+sandbox.LiveKey)
		if resp, err := client.Do(r); err == nil {
			_, _ = io.Copy(io.Discard, resp.Body)
			_ = resp.Body.Close()
		}
	}
	time.Sleep(time.Minute)
	result := totals{candidates: n, runs: 1, exchanges: s.exchanges, faults: s.faults, hours: time.Since(began).Hours()}
	result.duplicates, result.lost = count(t, server, assessment, n)
	return result
}

// faultyNetwork is a transport on which a share of the exchanges has a fault. It records
// every request and every effect.
type faultyNetwork struct {
	server  *sandbox.Server
	service http.RoundTripper
	rate    float64

	mu        sync.Mutex
	rng       *rand.Rand
	run       int
	exchanges int
	faults    int
	killAt    int
	killer    func()
	lose      bool
	effects   map[string]int // Invitations by address.
	by        map[string]int // The run whose request took effect last.
	pending   map[string]int // Requests in flight.
}

func newFaultyNetwork(server *sandbox.Server, seed uint64) *faultyNetwork {
	return &faultyNetwork{
		server: server, service: server.Transport(), rate: rateOf(seed), rng: rand.New(rand.NewPCG(seed, 2)),
		effects: make(map[string]int), by: make(map[string]int), pending: make(map[string]int),
	}
}

func (s *faultyNetwork) random(n int) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.rng.IntN(n)
}

func (s *faultyNetwork) begin(run int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.run = run
}

// kill calls killer in the nth exchange from now on. lose loses the response of that
// exchange.
func (s *faultyNetwork) kill(n int, lose bool, killer func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.killAt, s.lose, s.killer = s.exchanges+n, lose, killer
}

func (s *faultyNetwork) invited() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.effects)
}

// problem returns what is wrong with a result, or "".
func (s *faultyNetwork) problem(run int, got hiring.InviteResult, err error) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	email := strings.ToLower(got.Candidate.Email)
	there, ours, underway := s.effects[email], s.by[email] == run, s.pending[email]
	settled := got.Outcome == hiring.InviteSent || got.Outcome == hiring.InviteExisting
	switch {
	case settled != (err == nil):
		return "the error must be nil exactly for sent and existing"
	case settled && (there != 1 || underway != 0):
		return fmt.Sprintf("%d invitations and %d requests in flight", there, underway)
	case settled && !strings.EqualFold(got.Invitation.CandidateEmail, email):
		return "the invitation is that of another candidate"
	case settled && ours != (got.Outcome == hiring.InviteSent):
		return "it was sent by another run than reported"
	case got.Outcome == hiring.InviteNotSent && (there > 0 && ours || underway != 0):
		return fmt.Sprintf("it was sent by this run or may still be: %d requests in flight", underway)
	case got.Outcome == hiring.InviteUnknown && !errors.Is(err, hiring.ErrOutcomeUnknown) && doneOf(err) != hiring.OutcomeDone:
		return "the error must have an uncertain outcome"
	case !slices.Contains([]hiring.InviteOutcome{hiring.InviteSent, hiring.InviteExisting, hiring.InviteNotSent, hiring.InviteUnknown}, got.Outcome):
		return "there is no such outcome"
	}
	return ""
}

func doneOf(err error) hiring.Outcome {
	if failure, ok := errors.AsType[*hiring.Error](err); ok {
		return failure.Outcome
	}
	return ""
}

// The kinds of faults.
const (
	errorBefore = iota
	errorAfter
	resetBefore
	resetAfter
	resetLate
	cutAfter
	cutEarly
	hangBefore
	hangAfter
	hangLate
	rateLimited
	faultKinds
)

// exchange is one request and its fault.
type exchange struct {
	network *faultyNetwork
	request *http.Request

	// detached is the request as the server handles it. It does not depend on whether the
	// client still waits.
	detached *http.Request

	body   []byte
	email  string // The address of an invitation.
	kind   int    // The fault, or -1.
	status int    // The status code of an error.
	late   time.Duration
	wait   int     // Retry-After of a 429, in seconds.
	cut    float64 // The share of the body that arrives.
	killer func()
}

func (s *faultyNetwork) RoundTrip(r *http.Request) (*http.Response, error) {
	x, err := s.decide(r)
	if err != nil {
		return nil, err
	}
	if x.killer != nil {
		x.killer()
	}
	switch x.kind {
	case errorBefore:
		return x.fails(x.status), nil
	case errorAfter:
		_, err := x.act()
		return x.fails(x.status), err
	case resetBefore:
		return nil, reset()
	case resetAfter:
		_, err := x.act()
		return nil, errors.Join(err, reset())
	case resetLate:
		x.later()
		return nil, reset()
	case hangBefore:
		return nil, x.hang()
	case hangAfter:
		_, err := x.act()
		return nil, errors.Join(err, x.hang())
	case hangLate:
		err := x.hang()
		x.later()
		return nil, err
	case rateLimited:
		return x.limited(), nil
	}
	resp, err := x.act()
	if err == nil && r.Context().Err() != nil {
		err = context.Cause(r.Context())
	}
	if err == nil && (x.kind == cutAfter || x.kind == cutEarly) {
		err = x.cutShort(resp)
	}
	return resp, err
}

func (s *faultyNetwork) decide(r *http.Request) (*exchange, error) {
	x := &exchange{network: s, request: r, detached: r.Clone(context.WithoutCancel(r.Context())), kind: -1}
	if r.Body != nil {
		var err error
		if x.body, err = io.ReadAll(r.Body); err != nil {
			return nil, err
		}
		_ = r.Body.Close()
	}
	if r.Method == http.MethodPost {
		var in struct {
			Email string `json:"candidate_email"`
		}
		if err := json.Unmarshal(x.body, &in); err != nil {
			return nil, err
		}
		x.email = strings.ToLower(in.Email)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.exchanges++
	killed := s.killAt == s.exchanges
	if lose := killed && s.lose; lose || s.rng.Float64() < s.rate {
		s.faults++
		x.kind = s.rng.IntN(faultKinds)
		if lose {
			x.kind = errorBefore + s.rng.IntN(hangLate+1)
		}
		x.status = []int{500, 502, 503, 504}[s.rng.IntN(4)]
		x.late = time.Duration(s.rng.IntN(59_900)) * time.Millisecond
		x.wait = 1 + s.rng.IntN(100)
		x.cut = s.rng.Float64()
	}
	if killed {
		x.killer, s.killer = s.killer, nil
	}
	return x, nil
}

// act lets the server handle the request.
func (x *exchange) act() (*http.Response, error) {
	r := x.detached
	r.Body = http.NoBody
	if x.body != nil {
		r.Body = io.NopCloser(bytes.NewReader(x.body))
	}
	s := x.network
	s.mu.Lock()
	run := s.run
	s.mu.Unlock()
	resp, err := s.service.RoundTrip(r)
	if err == nil && x.email != "" && resp.StatusCode == http.StatusCreated {
		s.mu.Lock()
		s.effects[x.email]++
		s.by[x.email] = run
		s.mu.Unlock()
	}
	return resp, err
}

// later lets the server handle the request within a minute.
func (x *exchange) later() {
	s := x.network
	s.mu.Lock()
	s.pending[x.email]++
	s.mu.Unlock()
	time.AfterFunc(x.late, func() {
		_, _ = x.act() // The rate limit may be used up by then.
		s.mu.Lock()
		s.pending[x.email]--
		s.mu.Unlock()
	})
}

func (x *exchange) hang() error {
	<-x.request.Context().Done()
	return x.request.Context().Err()
}

func reset() error {
	return &net.OpError{Op: "read", Net: "tcp", Err: os.NewSyscallError("read", syscall.ECONNRESET)}
}

func (x *exchange) fails(status int) *http.Response {
	return apitest.NewResponse(x.request, status, io.NopCloser(strings.NewReader("<html>upstream error</html>")))
}

// limited returns a 429: the rate limit is used up for a while.
func (x *exchange) limited() *http.Response {
	limit := 200
	if x.request.Method == http.MethodGet {
		limit = 1000
	}
	body := io.NopCloser(strings.NewReader(`{"error":{"code":"RATE_LIMITED","message":"slow down"}}`))
	return apitest.NewResponse(x.request, http.StatusTooManyRequests, body,
		fmt.Sprint("X-Ratelimit-Limit: ", limit), "X-Ratelimit-Remaining: 0",
		fmt.Sprint("X-Ratelimit-Reset: ", time.Now().Unix()+int64(x.wait)), fmt.Sprint("Retry-After: ", x.wait))
}

func (x *exchange) cutShort(resp *http.Response) error {
	body, err := io.ReadAll(resp.Body)
	_ = resp.Body.Close()
	keep := int(x.cut * float64(len(body)))
	resp.Body = io.NopCloser(io.MultiReader(bytes.NewReader(body[:keep]), apitest.ErrorReader{Err: io.ErrUnexpectedEOF}))
	return err
}
