package hiring_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strconv"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	hiring "github.com/hiring-assessment/hiring-go"
	"github.com/hiring-assessment/hiring-go/sandbox"
)

var (
	ada = hiring.NewInvitation{Email: "ada@example.com", Name: "Ada"}
	bob = hiring.NewInvitation{Email: "bob@example.com", Name: "Bob"}
)

// inviting is a server whose list of invitations a test changes on its way to the client.
type inviting struct {
	*sandbox.Server

	assessment string
	before     func(page int)          // Called before a page is read.
	change     func(page int, p *page) // Called with each page.
	noDate     bool
	reads      int
}

type page struct {
	Data []map[string]any `json:"data"`
	Meta map[string]any   `json:"meta"`
}

func startInviting(t *testing.T) *inviting {
	server := sandbox.Start(t)
	return &inviting{Server: server, assessment: server.AddAssessment("A"), before: func(int) {}, change: func(int, *page) {}}
}

func (s *inviting) client(opts ...hiring.Option) *hiring.Client {
	return s.LiveClient(append(opts, hiring.WithHTTPClient(&http.Client{Transport: s}))...)
}

func (s *inviting) RoundTrip(r *http.Request) (*http.Response, error) {
	if r.Method != http.MethodGet {
		return s.Transport().RoundTrip(r)
	}
	s.reads++
	number := 1
	if text := r.URL.Query().Get("page"); text != "" {
		number, _ = strconv.Atoi(text)
	}
	s.before(number)
	resp, err := s.Transport().RoundTrip(r)
	if err != nil {
		return nil, err
	}
	var p page
	if err := json.NewDecoder(resp.Body).Decode(&p); err != nil {
		return nil, err
	}
	s.change(number, &p)
	body, err := json.Marshal(p)
	resp.Body, resp.ContentLength = io.NopCloser(bytes.NewReader(body)), int64(len(body))
	if s.noDate {
		resp.Header.Del("Date")
	}
	return resp, err
}

// hide hides an address from the list for a while.
func (s *inviting) hide(email string, d time.Duration) {
	shown := time.Now().Add(d)
	s.change = func(_ int, p *page) {
		p.Data = slices.DeleteFunc(p.Data, func(i map[string]any) bool { return i["candidate_email"] == email && time.Now().Before(shown) })
	}
}

// invite has another process invite an address.
func (s *inviting) invite(t *testing.T, email string) {
	t.Helper()
	_, err := s.Invite(s.assessment, email, "name")
	require.NoError(t, err)
}

func (s *inviting) requireOneMail(t *testing.T, email string) {
	t.Helper()
	mails := slices.DeleteFunc(s.Mails(), func(m sandbox.Mail) bool { return m.Email != email })
	require.Len(t, mails, 1)
}

// both invites Ada and Bob with one EnsureAll, and calls between after Ada. It returns Bob's outcome.
func (s *inviting) both(t *testing.T, client *hiring.Client, between func()) (outcome hiring.InviteOutcome) {
	t.Helper()
	require.NoError(t, client.Invitations.EnsureAll(t.Context(), s.assessment, slices.Values([]hiring.NewInvitation{ada, bob}), hiring.EnsureAllOptions{Each: func(result hiring.InviteResult, _ error) bool {
		if outcome = result.Outcome; result.Candidate.Email == ada.Email {
			between()
		}
		return true
	}}))
	return outcome
}

// A listing is old when one of the clocks says so. The monotonic clock stops while the computer sleeps.
func TestTheAgeOfAListing(t *testing.T) {
	for name, c := range map[string]struct {
		passes, jump time.Duration
		reads        int // For the second candidate.
	}{
		"recent":                        {time.Minute, 0, 0},
		"old":                           {time.Minute + 1, 0, 1},
		"only the wall clock advances":  {0, time.Minute + 1, 1},
		"the wall clock is set back":    {time.Minute + 1, -time.Hour, 1},
		"the wall clock is set forward": {time.Minute + 1, time.Hour, 1},
	} {
		synctest.Test(t, func(t *testing.T) {
			s := startInviting(t)
			client := s.client()
			s.both(t, client, func() {
				time.Sleep(c.passes)
				hiring.SetWallClock(client, c.jump)
				if c.reads > 0 {
					s.invite(t, bob.Email)
				}
			})
			assert.Equal(t, 1+c.reads, s.reads, name)
			s.requireOneMail(t, bob.Email)
		})
	}
}

var (
	lost = sandbox.Fault{Route: "POST /assessments/{id}/invitations", Reset: true, After: true}
	cut  = sandbox.Fault{Route: "POST /assessments/{id}/invitations", CutAfter: 40, After: true}
)

// A request is lost whose invitation is listed 50 s later. The clock jumps in the wait for a lookup.
func TestTheTimeSinceALostRequest(t *testing.T) {
	for name, c := range map[string]struct {
		jump  time.Duration
		leave time.Duration // When the context of the first call ends.
		took  time.Duration // Until the next call has found the invitation.
	}{
		"set back":                       {-5 * time.Minute, time.Hour, time.Minute},
		"set back by a day":              {-24 * time.Hour, time.Hour, time.Minute},
		"set forward":                    {time.Hour, time.Hour, time.Minute},
		"set back, for the next call":    {-24 * time.Hour, 5 * time.Second, 65 * time.Second},
		"set forward, for the next call": {time.Hour, 5 * time.Second, time.Minute},
	} {
		synctest.Test(t, func(t *testing.T) {
			s := startInviting(t)
			s.Inject(lost)
			s.hide(ada.Email, 50*time.Second)
			var client *hiring.Client
			client = s.client(hiring.WithTrace(hiring.Trace{Pause: func(context.Context, hiring.TracePause) { hiring.SetWallClock(client, c.jump) }}))
			ctx, leave := context.WithCancel(t.Context())
			defer time.AfterFunc(c.leave, leave).Stop()
			began := time.Now()
			_, _ = client.Invitations.Ensure(ctx, s.assessment, ada)
			got, err := client.Invitations.Ensure(t.Context(), s.assessment, ada)
			require.NoError(t, err)
			assert.Equal(t, hiring.InviteExisting, got.Outcome)
			assert.Equal(t, c.took, time.Since(began), name)
			s.requireOneMail(t, ada.Email)
		})
	}
}

// An invitation that was sent, or that a lookup found, is known for a minute, also to a run whose listing is older.
func TestAnInvitationIsRemembered(t *testing.T) {
	for name, fault := range map[string][]sandbox.Fault{"sent": nil, "found after a lost response": {lost}, "found after an unreadable one": {cut}} {
		synctest.Test(t, func(t *testing.T) {
			s := startInviting(t)
			client := s.client()
			got := s.both(t, client, func() {
				for _, f := range fault {
					s.Inject(f)
				}
				found, err := client.Invitations.Ensure(t.Context(), s.assessment, bob)
				require.NoError(t, err)
				assert.Equal(t, hiring.InviteSent, found.Outcome)
				s.reads = 0
			})
			assert.Equal(t, hiring.InviteExisting, got)
			for _, wait := range []time.Duration{59 * time.Second, 2 * time.Second} {
				assert.Zero(t, s.reads, name)
				time.Sleep(wait)
				_, err := client.Invitations.Ensure(t.Context(), s.assessment, bob)
				require.NoError(t, err)
			}
			assert.Equal(t, 1, s.reads, "a minute after it was sent or found")
			s.requireOneMail(t, bob.Email)
			assert.Equal(t, 2, hiring.RememberedAddresses(client))
			time.Sleep(2 * time.Minute)
			synctest.Wait()
			assert.Zero(t, hiring.RememberedAddresses(client))
		})
	}
}

// A request is lost whose invitation is listed 50 s later. A run that listed before that comes to the address after a minute.
func TestALostRequestIsRememberedAsLongAsAListingIsUsed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := startInviting(t)
		client := s.client()
		s.Inject(lost)
		s.hide(bob.Email, 50*time.Second)
		ctx, leave := context.WithTimeout(t.Context(), time.Second)
		defer leave()
		_, err := client.Invitations.Ensure(ctx, s.assessment, bob)
		require.ErrorIs(t, err, hiring.ErrOutcomeUnknown)
		time.Sleep(29 * time.Second)
		assert.Equal(t, hiring.InviteExisting, s.both(t, client, func() { time.Sleep(55 * time.Second) }))
		s.requireOneMail(t, bob.Email)
	})
}

// An invitation is revoked while its lost response is looked up. As long as it is remembered, a call lists.
func TestARevocationIsKnownAsLongAsItsInvitation(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := startInviting(t)
		client := s.client()
		s.Inject(lost)
		time.AfterFunc(5*time.Second, func() {
			listed, err := client.Invitations.List(s.assessment).Collect(t.Context())
			require.NoError(t, err)
			require.NoError(t, client.Invitations.Revoke(t.Context(), s.assessment, listed[0].ID))
		})
		for _, reads := range []int{3, 1} { // The list, that of the revocation, and the lookup.
			s.reads = 0
			_, err := client.Invitations.Ensure(t.Context(), s.assessment, bob)
			require.NoError(t, err)
			assert.Equal(t, reads, s.reads)
			time.Sleep(58 * time.Second)
		}
		s.requireOneMail(t, bob.Email)
	})
}

// A listing goes back two minutes behind the Date of the previous one. Another process has invited Bob, which
// is not listed yet when the run begins, and then 250 others.
func TestAListingGoesBackTwoMinutes(t *testing.T) {
	for name, c := range map[string]struct {
		noDate bool
		grows  int                     // By how many invitations, before the second page is read.
		change func(page int, p *page) // Of the second listing.
		reads  int
	}{
		"with a Date":          {false, 0, func(int, *page) {}, 4},
		"without":              {true, 0, func(int, *page) {}, 7},
		"while the list grows": {false, 100, func(int, *page) {}, 5},
		"without times of creation": {false, 0, func(_ int, p *page) {
			for _, i := range p.Data {
				delete(i, "created_at")
			}
		}, 7},
	} {
		synctest.Test(t, func(t *testing.T) {
			s, all := startInviting(t), 0
			s.noDate = c.noDate
			invite := func(n int) {
				for range n {
					all++
					s.invite(t, fmt.Sprint(all, "@example.com"))
				}
			}
			invite(400)
			time.Sleep(3 * time.Minute)
			s.invite(t, bob.Email)
			time.Sleep(time.Second)
			invite(250)
			time.Sleep(10 * time.Second)
			s.hide(bob.Email, 30*time.Second)
			got := s.both(t, s.client(), func() {
				s.reads = 0
				time.Sleep(time.Hour)
				s.change = c.change
				s.before = func(page int) {
					if page == 2 {
						invite(c.grows)
					}
				}
			})
			assert.Equal(t, hiring.InviteExisting, got)
			assert.Equal(t, c.reads, s.reads, name)
			s.requireOneMail(t, bob.Email)
		})
	}
}

// An invitation that disappears between two pages moves Bob's from the second page to the first, which was read before.
func TestAnInvitationThatDisappears(t *testing.T) {
	for times, want := range map[int]hiring.InviteOutcome{1: hiring.InviteExisting, 3: hiring.InviteExisting, 4: hiring.InviteNotSent} {
		synctest.Test(t, func(t *testing.T) {
			s := startInviting(t)
			s.invite(t, bob.Email)
			time.Sleep(time.Second)
			for n := range 100 {
				s.invite(t, fmt.Sprint(n, "@example.com"))
			}
			s.change = func(page int, p *page) {
				if page == 2 && s.reads <= 2*times {
					p.Data, p.Meta["total"] = nil, 100
				}
			}
			got, err := s.client().Invitations.Ensure(t.Context(), s.assessment, bob)
			assert.Equal(t, want, got.Outcome, times)
			assert.Equal(t, want == hiring.InviteNotSent, hiring.IsTransient(err), "%v", err)
			assert.Equal(t, min(2*times+2, 8), s.reads)
			s.requireOneMail(t, bob.Email)
		})
	}
}
