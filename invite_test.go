package hiring_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	hiring "github.com/hiring-assessment/hiring-go"
	"github.com/hiring-assessment/hiring-go/internal/testing/apitest"
)

// slowList is a server whose list shows each invitation some time after it was created.
type slowList struct {
	invitations []invited // Oldest first.
	delay       time.Duration
	lost        int            // How many responses to POST are lost.
	cut         bool           // The responses to POST are cut short.
	noDate      bool           // Responses have no Date.
	undated     bool           // Invitations have no time of creation.
	before      func(page int) // Called before each request, page 0 for POST; may be nil.
	reads       int
}

type invited struct {
	email   string
	created time.Time
	visible time.Time
}

func (s *slowList) invite(email string) {
	s.invitations = append(s.invitations, invited{email, time.Now(), time.Now().Add(s.delay)})
}

func (s *slowList) emails(email string) (n int) {
	for _, i := range s.invitations {
		if i.email == email {
			n++
		}
	}
	return n
}

func (s *slowList) json(i invited) string {
	created := i.created.UTC().Format(`,"created_at":"2006-01-02T15:04:05.000Z"`)
	if s.undated {
		created = ""
	}
	return fmt.Sprintf(`{"id":"%s","candidate_email":%[1]q%s}`, i.email, created)
}

func (s *slowList) RoundTrip(r *http.Request) (*http.Response, error) {
	page := 0
	if r.Method == http.MethodGet {
		s.reads++
		page = max(1, atoi(r.URL.Query().Get("page")))
	}
	if s.before != nil {
		s.before(page)
	}
	headers := []string{"Date: " + time.Now().UTC().Format(http.TimeFormat)}
	if s.noDate {
		headers = nil
	}
	if page == 0 {
		var in struct {
			Email string `json:"candidate_email"`
		}
		if err := json.NewDecoder(r.Body).Decode(&in); err != nil {
			return nil, err
		}
		s.invite(in.Email)
		switch {
		case s.lost > 0:
			s.lost--
			return nil, apitest.ErrReset
		case s.cut:
			return apitest.Respond(201, `{"data":{"id":`, headers...)(r)
		}
		return apitest.RespondData(s.json(s.invitations[len(s.invitations)-1]), headers...)(r)
	}
	var shown []string
	for _, i := range slices.Backward(s.invitations) {
		if !i.visible.After(time.Now()) {
			shown = append(shown, s.json(i))
		}
	}
	from, to := min((page-1)*100, len(shown)), min(page*100, len(shown))
	body := "["
	for i, text := range shown[from:to] {
		if i > 0 {
			body += ","
		}
		body += text
	}
	return apitest.Respond(200, fmt.Sprintf(`{"data":%s],"meta":{"page":%d,"page_size":100,"total":%d,"has_more":%t}}`, body, page, len(shown), to < len(shown)), headers...)(r)
}

func atoi(text string) int { n, _ := strconv.Atoi(text); return n }

func (s *slowList) client(t *testing.T, opts ...hiring.Option) *hiring.Client {
	t.Helper()
	client, err := hiring.New(apitest.BaseURL, apitest.Key, append(opts, hiring.WithHTTPClient(&http.Client{Transport: s}))...)
	require.NoError(t, err)
	return client
}

var (
	ada = hiring.NewInvitation{Email: "ada@example.com", Name: "Ada"}
	bob = hiring.NewInvitation{Email: "bob@example.com", Name: "Bob"}
)

// ensureBoth invites Ada and Bob with one EnsureAll, and calls between after Ada. It returns Bob's outcome.
func ensureBoth(t *testing.T, client *hiring.Client, between func()) (outcome hiring.InviteOutcome, err error) {
	t.Helper()
	err = client.Invitations.EnsureAll(t.Context(), apitest.ID, slices.Values([]hiring.NewInvitation{ada, bob}), hiring.EnsureAllOptions{Each: func(result hiring.InviteResult, _ error) bool {
		if outcome = result.Outcome; result.Candidate.Email == ada.Email {
			between()
		}
		return true
	}})
	return outcome, err
}

// A listing counts as old when one of the clocks says so. The monotonic clock stops while the computer sleeps.
func TestTheAgeOfAListing(t *testing.T) {
	for name, c := range map[string]struct {
		passes, jump time.Duration
		want         hiring.InviteOutcome
	}{
		"recent":                        {59 * time.Second, 0, hiring.InviteSent},
		"only the wall clock advances":  {0, 61 * time.Second, hiring.InviteExisting},
		"the wall clock is set back":    {61 * time.Second, -time.Hour, hiring.InviteExisting},
		"the wall clock is set forward": {61 * time.Second, time.Hour, hiring.InviteExisting},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				server := &slowList{}
				client := server.client(t)
				got, err := ensureBoth(t, client, func() {
					time.Sleep(c.passes)
					hiring.SetWallClock(client, c.jump)
					if c.want == hiring.InviteExisting {
						server.invite(bob.Email)
					}
				})
				require.NoError(t, err)
				assert.Equal(t, c.want, got)
				assert.Equal(t, 1, server.emails(bob.Email))
			})
		})
	}
}

// A request is lost whose invitation is listed 50 s later. The clock jumps in the wait for a lookup.
func TestTheTimeSinceALostRequest(t *testing.T) {
	for name, c := range map[string]struct {
		jump  time.Duration
		leave time.Duration // When the context of the first call ends; 0: never.
		took  time.Duration
	}{
		"set back":                       {-5 * time.Minute, 0, time.Minute},
		"set back by a day":              {-24 * time.Hour, 0, time.Minute},
		"set forward":                    {time.Hour, 0, time.Minute},
		"set back, for the next call":    {-24 * time.Hour, 5 * time.Second, 65 * time.Second},
		"set forward, for the next call": {time.Hour, 5 * time.Second, time.Minute},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				server := &slowList{delay: 50 * time.Second, lost: 1}
				var client *hiring.Client
				client = server.client(t, hiring.WithTrace(hiring.Trace{Pause: func(context.Context, hiring.TracePause) { hiring.SetWallClock(client, c.jump) }}))
				ctx, want := t.Context(), hiring.InviteSent
				if c.leave > 0 {
					var leave context.CancelFunc
					ctx, leave = context.WithCancel(ctx)
					time.AfterFunc(c.leave, leave)
					want = hiring.InviteUnknown
				}
				began := time.Now()
				got, _ := client.Invitations.Ensure(ctx, apitest.ID, ada)
				assert.Equal(t, want, got.Outcome)
				got, err := client.Invitations.Ensure(t.Context(), apitest.ID, ada)
				require.NoError(t, err)
				assert.Equal(t, hiring.InviteExisting, got.Outcome)
				assert.InDelta(t, c.took, time.Since(began), float64(time.Millisecond))
				assert.Equal(t, 1, server.emails(ada.Email))
			})
		})
	}
}

// An invitation that a lookup found is known for a minute, also to a run whose listing is older.
func TestAFoundInvitationIsRemembered(t *testing.T) {
	for name, server := range map[string]*slowList{
		"after a lost response":      {delay: 5 * time.Second, lost: 1},
		"after an unreadable result": {cut: true},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				client, lost := server.client(t), *server
				server.lost, server.cut = 0, false
				got, err := ensureBoth(t, client, func() {
					server.lost, server.cut = lost.lost, lost.cut
					found, err := client.Invitations.Ensure(t.Context(), apitest.ID, bob)
					require.NoError(t, err)
					assert.Equal(t, hiring.InviteSent, found.Outcome)
					server.reads = 0
				})
				require.NoError(t, err)
				assert.Equal(t, hiring.InviteExisting, got)
				for _, wait := range []time.Duration{59 * time.Second, 2 * time.Second} {
					assert.Zero(t, server.reads)
					time.Sleep(wait)
					_, err := client.Invitations.Ensure(t.Context(), apitest.ID, bob)
					require.NoError(t, err)
				}
				assert.Equal(t, 1, server.reads, "a minute after it was found")
				assert.Equal(t, 1, server.emails(bob.Email))
			})
		})
	}
}

// A listing goes back two minutes behind the Date of the previous one. Another process has invited Bob, which
// is not listed yet when the run begins, and then 150 others.
func TestAListingContinuesBehindWhatIsKnown(t *testing.T) {
	for name, c := range map[string]struct {
		server slowList
		grows  int // By how many invitations the list grows while it is read.
		reads  int // Of the second listing.
	}{
		"with a Date": {slowList{}, 0, 3}, "without": {slowList{noDate: true}, 0, 7},
		"without times of creation": {slowList{undated: true}, 0, 7}, "while the list grows": {slowList{}, 100, 4},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				server := &c.server
				invite := func(n int) {
					for range n {
						server.invite(fmt.Sprintf("%d@example.com", len(server.invitations)))
					}
				}
				invite(500)
				time.Sleep(3 * time.Minute)
				server.delay = 30 * time.Second
				server.invite(bob.Email)
				server.delay = 0
				invite(150)
				time.Sleep(10 * time.Second)
				reads := 0
				got, err := ensureBoth(t, server.client(t), func() {
					reads = server.reads
					time.Sleep(time.Hour)
					server.before = func(page int) {
						if page == 2 {
							invite(c.grows)
						}
					}
				})
				require.NoError(t, err)
				assert.Equal(t, hiring.InviteExisting, got)
				assert.Equal(t, c.reads, server.reads-reads)
				assert.Equal(t, 1, server.emails(bob.Email))
			})
		})
	}
}

// An invitation that disappears between two pages moves Bob's to the first page, which was read before.
func TestAnInvitationThatDisappears(t *testing.T) {
	for name, c := range map[string]struct {
		times, reads int
		want         hiring.InviteOutcome
	}{
		"once":        {1, 3, hiring.InviteExisting},
		"three times": {3, 7, hiring.InviteExisting},
		"each time":   {9, 8, hiring.InviteNotSent},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				server := &slowList{}
				for n := range 160 {
					server.invite(fmt.Sprintf("%d@example.com", n))
				}
				server.invitations[60-c.times].email = bob.Email // The first of page 2 in the last listing but one.
				server.before = func(page int) {
					if c.times > 0 && page == 2 {
						server.invitations = server.invitations[:len(server.invitations)-1]
						c.times--
					}
				}
				got, err := server.client(t).Invitations.Ensure(t.Context(), apitest.ID, bob)
				assert.Equal(t, c.want, got.Outcome)
				assert.Equal(t, c.want == hiring.InviteNotSent, hiring.IsTransient(err), "%v", err)
				assert.Equal(t, c.reads, server.reads)
				assert.Equal(t, 1, server.emails(bob.Email))
			})
		})
	}
}
