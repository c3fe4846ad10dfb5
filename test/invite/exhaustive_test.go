package invite_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/hiring-assessment/hiring-go/internal/testing/apitest"

	hiring "github.com/hiring-assessment/hiring-go"
)

// incident is an event that can happen while candidates are invited.
type incident string

// The incidents. Each affects the next request to which it applies: one that sends, or
// one that reads the listing. Another process invites only just before the listing is
// read, and not while a request to the same address is in flight.
const (
	lostBefore      incident = "response lost before the effect"
	lostAfter       incident = "response lost after the effect"
	lateEffect      incident = "late effect"
	halfResponse    incident = "unreadable response"
	proxyToSend     incident = "response of a proxy to a send"
	crashInSend     incident = "crash in a send" // Together with the next incident of that send.
	proxyToListing  incident = "response of a proxy to a listing"
	crashInListing  incident = "crash in a listing"
	listingLags     incident = "lagging listing"
	otherInvitesAda incident = "another process invites the first"
	otherInvitesBob incident = "another process invites the second"
)

var incidents = []incident{lostBefore, lostAfter, lateEffect, halfResponse, proxyToSend, crashInSend, proxyToListing, crashInListing, listingLags, otherInvitesAda, otherInvitesBob}

// The sum of lateness and lag is below a minute.
const (
	lateness = 29 * time.Second
	lag      = 30 * time.Second
)

// TestInvitingUnderEverySequence invites two candidates under every sequence of
// incidents up to a length, each on a server of its own. A run that crashed or ended
// with an unknown outcome is repeated a minute later. At the end each candidate has
// exactly one e-mail, and every result was true when Each received it.
//
// When a sequence ends with an unused incident, all sequences that begin with it take
// the same course, so the test counts them as covered.
func TestInvitingUnderEverySequence(t *testing.T) {
	t.Parallel()
	depth := 3
	if apitest.Long() {
		depth = 5
	}
	began := time.Now()
	var covered, tried, runs atomic.Int64
	t.Run("by the first", func(t *testing.T) {
		for _, first := range incidents {
			t.Run(string(first), func(t *testing.T) {
				t.Parallel()
				synctest.Test(t, func(t *testing.T) {
					e := &enumeration{t: t, depth: depth}
					e.explore([]incident{first})
					covered.Add(e.covered)
					tried.Add(e.tried)
					runs.Add(e.runs)
				})
			})
		}
	})
	synctest.Test(t, func(t *testing.T) { (&enumeration{t: t}).try(nil) })
	want := int64(0)
	for n := range depth + 1 {
		want += sequences(n)
	}
	require.Equal(t, want, covered.Load()+1)
	t.Logf("%d sequences of up to %d incidents for 2 candidates, covered by %d, in %d runs of SendAll: %s",
		want, depth, tried.Load()+1, runs.Load()+1, time.Since(began).Round(time.Millisecond))
}

// sequences returns the number of sequences of a length.
func sequences(length int) int64 {
	n := int64(1)
	for range length {
		n *= int64(len(incidents))
	}
	return n
}

type enumeration struct {
	t                    *testing.T
	depth                int
	covered, tried, runs int64
}

func (e *enumeration) explore(script []incident) {
	e.tried++
	if e.try(script) < len(script) {
		for n := range e.depth - len(script) + 1 {
			e.covered += sequences(n)
		}
		return
	}
	e.covered++
	if len(script) == e.depth {
		return
	}
	for _, next := range incidents {
		e.explore(append(slices.Clip(script), next))
	}
}

// try invites under a script and returns how many of its incidents happened.
func (e *enumeration) try(script []incident) (used int) {
	s := &scripted{script: script, inFlight: make(map[string]int)}
	for again := true; again; {
		s.run++
		e.runs++
		require.Less(e.t, s.run, 12, "the runs do not end: %v", script)
		ctx, cancel := context.WithCancel(e.t.Context())
		s.crashed, s.crash, s.tried = false, cancel, make(map[string]bool)
		client, err := hiring.New(apitest.BaseURL, apitest.Key, hiring.WithHTTPClient(&http.Client{Transport: s}), hiring.WithRetry(hiring.RetryPolicy{BaseBackoff: 1}))
		require.NoError(e.t, err)
		unknown, reports := false, 0
		err = client.Invitations.SendAll(ctx, apitest.ID, slices.Values(two), hiring.SendAllOptions{Each: func(got hiring.InviteResult, err error) bool {
			if !s.crashed {
				unknown = unknown || got.Outcome == hiring.InviteUnknown
				if problem := s.problem(got, err); problem != "" || got.Candidate.Email != two[reports].Email {
					require.Fail(e.t, "a false result", "%v: run %d: %s %s (%v): %s", script, s.run, got.Candidate.Email, got.Outcome, err, problem)
				}
			}
			reports++
			return true
		}})
		require.Equal(e.t, len(two), reports)
		cancel()
		again = s.crashed || err != nil || unknown
		if again {
			time.Sleep(time.Minute)
		}
	}
	time.Sleep(time.Minute)
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, in := range two {
		require.Equal(e.t, 1, s.mails(in.Email), "e-mails to %s after %v", in.Email, script)
	}
	return s.at
}

var two = []hiring.NewInvitation{{Email: "ada@example.com", Name: "Ada"}, {Email: "bob@example.com", Name: "Bob"}}

// scripted is a server as the API's documentation describes it, for one assessment, with
// a script of incidents.
type scripted struct {
	mu       sync.Mutex // Late effects happen in timers.
	script   []incident
	at       int
	run      int
	crashed  bool
	crash    func()
	sent     []scriptedInvitation // Oldest first.
	inFlight map[string]int
	tried    map[string]bool // Addresses to which this run has sent a request.
	requests int
}

type scriptedInvitation struct {
	email   string
	created time.Time
	run     int // The run of the client under test; 0: another process.
}

// next consumes the next incident if it is one of these.
func (s *scripted) next(of ...incident) incident {
	if s.at == len(s.script) || !slices.Contains(of, s.script[s.at]) {
		return ""
	}
	s.at++
	return s.script[s.at-1]
}

func (s *scripted) mails(email string) (n int) {
	for _, sent := range s.sent {
		if sent.email == email {
			n++
		}
	}
	return n
}

func (s *scripted) RoundTrip(r *http.Request) (*http.Response, error) {
	if err := r.Context().Err(); err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.requests++
	if r.Method == http.MethodPost {
		return s.send(r)
	}
	return s.list(r)
}

func (s *scripted) list(r *http.Request) (*http.Response, error) {
	for s.othersInvite() {
	}
	until := time.Now()
	switch s.next(crashInListing, proxyToListing, listingLags) {
	case crashInListing:
		s.crashed = true
		s.crash()
		return nil, r.Context().Err()
	case proxyToListing:
		return s.page(r), nil
	case listingLags:
		until = until.Add(-lag)
	}
	var listed []string
	for i, sent := range slices.Backward(s.sent) {
		if sent.run == 0 || !sent.created.After(until) {
			listed = append(listed, sent.json(i))
		}
	}
	return s.respond(r, 200, fmt.Sprintf(`{"data":[%s],"meta":{"request_id":"req_1a","page":1,"page_size":100,"total":%d,"has_more":false}}`,
		strings.Join(listed, ","), len(listed))), nil
}

// othersInvite lets another process invite an address that has no invitation.
func (s *scripted) othersInvite() bool {
	for i, other := range []incident{otherInvitesAda, otherInvitesBob} {
		if email := two[i].Email; s.inFlight[email] == 0 && s.next(other) != "" {
			if s.mails(email) == 0 {
				s.sent = append(s.sent, scriptedInvitation{email, time.Now(), 0})
			}
			return true
		}
	}
	return false
}

func (s *scripted) send(r *http.Request) (*http.Response, error) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return nil, err
	}
	email := two[0].Email
	if strings.Contains(string(body), two[1].Email) {
		email = two[1].Email
	}
	s.tried[email] = true
	if s.next(crashInSend) != "" {
		s.crashed = true
		defer s.crash()
	}
	switch s.next(lostBefore, lostAfter, lateEffect, halfResponse, proxyToSend) {
	case lostBefore:
		return nil, apitest.ErrReset
	case proxyToSend:
		return s.page(r), nil
	case lateEffect:
		s.inFlight[email]++
		run := s.run
		time.AfterFunc(lateness, func() {
			s.mu.Lock()
			defer s.mu.Unlock()
			s.inFlight[email]--
			s.sent = append(s.sent, scriptedInvitation{email, time.Now(), run})
		})
		return nil, apitest.ErrReset
	case lostAfter:
		s.work(email)
		return nil, apitest.ErrReset
	case halfResponse:
		return s.respond(r, 201, s.work(email)[:20]), nil
	}
	return s.respond(r, 201, s.work(email)), nil
}

func (s *scripted) work(email string) (response string) {
	s.sent = append(s.sent, scriptedInvitation{email, time.Now(), s.run})
	return `{"data":` + s.sent[len(s.sent)-1].json(len(s.sent)-1) + `,"meta":{"request_id":"req_1b"}}`
}

func (i scriptedInvitation) json(n int) string {
	at := i.created.UTC().Format("2006-01-02T15:04:05.000Z")
	return fmt.Sprintf(`{"id":"11111111-0000-4000-8000-%012d","assessment_id":%q,"candidate_email":%q,"candidate_name":"C","status":"sent","recruiter_decision":"none",`+
		`"sent_at":%q,"opened_at":null,"started_at":null,"submitted_at":null,"expires_at":"2099-01-01T00:00:00.000Z","created_at":%q}`, n, apitest.ID, i.email, at, at)
}

// response returns a response with the headers of every API response.
func (s *scripted) respond(r *http.Request, status int, body string) *http.Response {
	limit := 1000
	if r.Method == http.MethodPost {
		limit = 200
	}
	now := time.Now()
	reset := now.Truncate(time.Hour).Add(time.Hour)
	return apitest.NewResponse(r, status, io.NopCloser(strings.NewReader(body)),
		"Content-Type: application/json", "Date: "+now.UTC().Format(http.TimeFormat), "X-Request-Id: req_1a",
		fmt.Sprint("X-Ratelimit-Limit: ", limit), fmt.Sprint("X-Ratelimit-Remaining: ", limit-s.requests), fmt.Sprint("X-Ratelimit-Reset: ", reset.Unix()))
}

// page returns the sign-in page of a proxy.
func (s *scripted) page(r *http.Request) *http.Response {
	return apitest.NewResponse(r, 200, io.NopCloser(strings.NewReader("<!doctype html><title>Sign in</title>")), "Content-Type: text/html")
}

// problem describes what is wrong with a result, or returns "".
func (s *scripted) problem(got hiring.InviteResult, err error) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	email, ours, theirs := got.Candidate.Email, 0, 0
	for _, sent := range s.sent {
		switch {
		case sent.email == email && sent.run == s.run:
			ours++
		case sent.email == email && sent.run == 0:
			theirs++
		}
	}
	settled := got.Outcome == hiring.InviteSent || got.Outcome == hiring.InviteExisting
	switch {
	case settled != (err == nil):
		return "the error must be nil exactly for sent and existing"
	case settled && (s.mails(email) != 1 || s.inFlight[email] != 0):
		return fmt.Sprintf("%d e-mails and %d requests in flight", s.mails(email), s.inFlight[email])
	case settled && got.Invitation.CandidateEmail != email:
		return "the invitation is that of another candidate"
	case got.Outcome == hiring.InviteExisting && ours > 0:
		return "this run sent it"
	case got.Outcome == hiring.InviteSent && (ours == 0 && theirs == 0 || !s.tried[email]):
		return "neither this run sent it, nor another process after this run had tried"
	case got.Outcome == hiring.InviteNotSent && (ours > 0 || s.inFlight[email] > 0):
		return "this run sent it or may have sent it"
	case got.Outcome == hiring.InviteUnknown && !s.tried[email]:
		return "this run sent nothing"
	case got.Outcome == hiring.InviteUnknown && !errors.Is(err, hiring.ErrOutcomeUnknown) && doneOf(err) != hiring.OutcomeDone:
		return "the error must have an uncertain outcome"
	}
	return ""
}
