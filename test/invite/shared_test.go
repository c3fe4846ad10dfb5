package invite_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strconv"
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

// requireOneMailEach checks that the assessment has n invitations, each of another
// candidate.
func requireOneMailEach(t *testing.T, server *sandbox.Server, assessment string, n int) {
	t.Helper()
	mails := apitest.InvitationCounts(t, server, assessment)
	assert.Len(t, mails, n)
	for email, k := range mails {
		require.Equal(t, 1, k, email)
	}
}

func TestSendAllAccountsForInvitationsSentInEach(t *testing.T) {
	for name, call := range map[string]func(context.Context, *hiring.Client, string, []hiring.NewInvitation) error{
		"Send": func(ctx context.Context, client *hiring.Client, assessment string, later []hiring.NewInvitation) error {
			_, err := client.Invitations.Send(ctx, assessment, later[0])
			return err
		},
		"Ensure": func(ctx context.Context, client *hiring.Client, assessment string, later []hiring.NewInvitation) error {
			_, err := client.Invitations.Ensure(ctx, assessment, later[0])
			return err
		},
		"SendAll": func(ctx context.Context, client *hiring.Client, assessment string, later []hiring.NewInvitation) error {
			return client.Invitations.SendAll(ctx, assessment, slices.Values(later), hiring.SendAllOptions{})
		},
	} {
		for _, variant := range []bool{false, true} {
			t.Run(fmt.Sprint(name, "/variant ", variant), func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					server, assessment := apitest.StartWithAssessment(t)
					client := server.LiveClient()
					other := client
					if variant {
						var err error
						other, err = client.With(hiring.WithQuotaReserve(0))
						require.NoError(t, err)
					}
					people := apitest.Candidates(8, 1)
					var got reports
					err := client.Invitations.SendAll(t.Context(), assessment, slices.Values(people), hiring.SendAllOptions{Each: func(result hiring.InviteResult, err error) bool {
						if n := len(got.all); n < 7 && result.Outcome == hiring.InviteSent {
							require.NoError(t, call(t.Context(), other, assessment, people[n+1:]))
						}
						return got.each(result, err)
					}})
					require.NoError(t, err)
					requireOneMailEach(t, server, assessment, 8)
					assert.Equal(t, hiring.InviteSent, got.all[0].Outcome)
					assert.Equal(t, hiring.InviteExisting, got.all[1].Outcome)
					assert.Equal(t, people[1].Email, got.all[1].Invitation.CandidateEmail)
				})
			})
		}
	}
}

func TestConcurrentRunsSendNoSecondEmail(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server, assessment := apitest.StartWithAssessment(t)
		server.Inject(sandbox.Fault{Route: apitest.InviteRoute, Skip: 3, Status: 500, Late: 25 * time.Second})
		server.Inject(sandbox.Fault{Route: apitest.InviteRoute, Skip: 7, Reset: true})
		client := server.LiveClient(hiring.WithHTTPClient(&http.Client{Transport: slow{server.Transport()}}))
		var mu sync.Mutex
		outcomes := make(map[hiring.InviteOutcome]int)
		var all sync.WaitGroup
		for n := range 6 {
			variant, err := client.With()
			require.NoError(t, err)
			all.Go(func() {
				people := apitest.Candidates(30, n+1)
				if n%2 == 0 {
					slices.Reverse(people)
				}
				err := variant.Invitations.SendAll(t.Context(), assessment, slices.Values(people), hiring.SendAllOptions{Each: func(result hiring.InviteResult, err error) bool {
					mu.Lock()
					defer mu.Unlock()
					outcomes[result.Outcome]++
					return assert.NoError(t, err)
				}})
				assert.NoError(t, err)
			})
		}
		all.Wait()
		requireOneMailEach(t, server, assessment, 30)
		assert.Equal(t, map[hiring.InviteOutcome]int{hiring.InviteSent: 30, hiring.InviteExisting: 150}, outcomes)
	})
}

// TestOneScanServesAllPendingCandidates counts the pages that are read after several unknown
// outcomes. Lookups that are due at once share one scan for the invitations that were sent,
// which all are on the first of two pages and end the scan there, and one for the others.
func TestOneScanServesAllPendingCandidates(t *testing.T) {
	for _, late := range []bool{false, true} { // Invitations are sent before the first or the last lookups.
		for _, n := range []int{1, 2, 3} { // At most three outcomes in a row may be unknown.
			for sent := range n + 1 {
				t.Run(fmt.Sprintf("%d of %d sent, late %v", sent, n, late), func(t *testing.T) {
					synctest.Test(t, func(t *testing.T) {
						server, assessment := apitest.StartWithAssessment(t)
						people := apitest.Candidates(110+n, 1)
						invite(t, server, assessment, people[n:]...)
						for i := range n {
							fault := sandbox.Fault{Route: apitest.InviteRoute, Skip: i, Status: http.StatusBadGateway, After: i < sent && !late}
							if i < sent && late {
								fault.Late = 30 * time.Second
							}
							server.Inject(fault)
						}
						err := server.LiveClient().Invitations.SendAll(t.Context(), assessment, slices.Values(people[:n]), hiring.SendAllOptions{})
						require.NoError(t, err)
						requireOneMailEach(t, server, assessment, len(people))
						pages := 2 // The first listing.
						if late || sent < n {
							pages++ // The first lookups of those that are not listed: the second page has nothing new.
						}
						if sent > 0 {
							pages++ // The lookups of those that are listed.
						}
						if sent < n {
							pages += 2 // The last lookups of the others read the whole listing.
						}
						reads, writes := requestsOf(server)
						assert.Equal(t, []int{pages, 2*n - sent}, []int{reads, writes}, "reads and writes")
					})
				})
			}
		}
	}
}

// slow delays each exchange, so that calls overlap.
type slow struct{ http.RoundTripper }

func (s slow) RoundTrip(r *http.Request) (*http.Response, error) {
	time.Sleep(300 * time.Millisecond)
	resp, err := s.RoundTripper.RoundTrip(r)
	time.Sleep(300 * time.Millisecond)
	return resp, err
}

// TestSendAllBesideAnotherProcess invites for five windows. Meanwhile Each and another
// process invite candidates that come later in the sequence.
func TestSendAllBesideAnotherProcess(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		const n = 900
		server, assessment := apitest.StartWithAssessment(t)
		server.SetPlan(sandbox.LiveKey, 0, 2*n)
		people := apitest.Candidates(n, 1)
		var mu sync.Mutex
		done := 0
		ctx, stop := context.WithCancel(t.Context())
		var rival sync.WaitGroup
		rival.Go(func() {
			client := server.LiveClient() // A client of its own, which shares no state.
			for ctx.Err() == nil {
				time.Sleep(97 * time.Second)
				mu.Lock()
				next := done + 150
				mu.Unlock()
				if next < n {
					_, err := client.Invitations.Ensure(ctx, assessment, people[next])
					assert.NoError(t, err)
				}
			}
		})
		began, client := time.Now(), server.LiveClient()
		outcomes := make(map[hiring.InviteOutcome]int)
		err := client.Invitations.SendAll(t.Context(), assessment, slices.Values(people), hiring.SendAllOptions{Each: func(result hiring.InviteResult, err error) bool {
			require.NoError(t, err)
			outcomes[result.Outcome]++
			mu.Lock()
			done++
			later := people[min(done+3, n):min(done+6, n)]
			mu.Unlock()
			if done%40 == 0 {
				require.NoError(t, client.Invitations.SendAll(t.Context(), assessment, slices.Values(later), hiring.SendAllOptions{}))
			}
			return true
		}})
		require.NoError(t, err)
		stop()
		rival.Wait()
		requireOneMailEach(t, server, assessment, n)
		assert.Greater(t, outcomes[hiring.InviteExisting], 60, "candidates that the other process had invited: too few for the two to meet")
		windows := 1 + int(time.Since(began)/time.Hour)
		assert.GreaterOrEqual(t, windows, 5)
		t.Logf("%d candidates in %d windows: %v, one e-mail each", n, windows, outcomes)
	})
}

func TestSendAllUpdatesTheListingAfterAMinute(t *testing.T) {
	people := apitest.Candidates(350, 1)
	for name, c := range map[string]struct {
		pause time.Duration // In each, before the last candidate.
		quota int           // Writes left for the last candidate; 0: no limit.
		rival bool
		reads int // For the last candidate.
		want  hiring.InviteOutcome
	}{
		"within a minute":              {pause: time.Minute, reads: 0, want: hiring.InviteSent},
		"after a minute":               {pause: time.Minute + 1, reads: 1, want: hiring.InviteSent},
		"after a minute, and finds it": {pause: time.Minute + 1, rival: true, reads: 2, want: hiring.InviteExisting},
		"after it waited for a window": {pause: 59*time.Minute + 50*time.Second, quota: 20, rival: true, reads: 2, want: hiring.InviteExisting},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				server, assessment := apitest.StartWithAssessment(t)
				invite(t, server, assessment, people[:345]...)
				client, before := server.LiveClient(), 0
				var got reports
				err := client.Invitations.SendAll(t.Context(), assessment, slices.Values(people[343:348]), hiring.SendAllOptions{Each: func(result hiring.InviteResult, err error) bool {
					if got.each(result, err); len(got.all) == 4 {
						time.Sleep(c.pause)
						if c.rival {
							invite(t, server, assessment, people[347])
						}
						before, _ = requestsOf(server)
						assert.Equal(t, 4, before, "the first listing")
					}
					return true
				}})
				require.NoError(t, err)
				assert.Equal(t, c.want, got.all[4].Outcome)
				reads, _ := requestsOf(server)
				assert.Equal(t, c.reads, reads-before)
				requireOneMailEach(t, server, assessment, 348)
			})
		})
	}
}

// A window may end before the listing is a minute old.
func TestSendAllUpdatesTheListingAfterAWindow(t *testing.T) {
	people := apitest.Candidates(2, 1)
	for name, prepare := range map[string]func(*sandbox.Server){
		"that the client knew": func(server *sandbox.Server) { server.SetQuota(sandbox.LiveKey, sandbox.ClassWrite, 21) },
		"that a 429 shows": func(server *sandbox.Server) {
			server.Inject(sandbox.Fault{Route: apitest.InviteRoute, Skip: 1, RetryAfter: 10 * time.Second})
		},
		"beyond MaxWait": func(server *sandbox.Server) { server.SetQuota(sandbox.LiveKey, sandbox.ClassWrite, 1) },
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				server, assessment := apitest.StartWithAssessment(t)
				_, err := server.LiveClient().Invitations.Send(t.Context(), assessment, apitest.Ada) // Opens the window.
				require.NoError(t, err)
				time.Sleep(time.Hour - 10*time.Second)
				prepare(server)
				time.AfterFunc(5*time.Second, func() { invite(t, server, assessment, people[1]) })
				client := server.LiveClient(hiring.WithRetry(hiring.RetryPolicy{MaxWait: time.Minute}))
				if name == "beyond MaxWait" {
					client = server.LiveClient(hiring.WithRetry(hiring.RetryPolicy{MaxWait: 1}))
				}
				var got reports
				began := time.Now()
				require.NoError(t, client.Invitations.SendAll(t.Context(), assessment, slices.Values(people), hiring.SendAllOptions{Each: got.each}))
				assert.InDelta(t, 10, time.Since(began).Seconds(), 1)
				assert.Equal(t, []hiring.InviteOutcome{hiring.InviteSent, hiring.InviteExisting}, got.outcomes())
				requireOneMailEach(t, server, assessment, 3)
			})
		})
	}
}

// A rejected listing concerns all candidates, also with a status that concerns one.
func TestSendAllEndsWhenTheListingCannotBeUpdated(t *testing.T) {
	for _, status := range []int{400, 409, 404} {
		synctest.Test(t, func(t *testing.T) {
			server, assessment := apitest.StartWithAssessment(t)
			server.Inject(sandbox.Fault{Route: apitest.ListRoute, Skip: 1, Status: status})
			var got reports
			err := server.LiveClient().Invitations.SendAll(t.Context(), assessment, slices.Values(apitest.Candidates(3, 1)), hiring.SendAllOptions{Each: func(result hiring.InviteResult, err error) bool {
				time.Sleep(2 * time.Minute)
				return got.each(result, err)
			}})
			assert.Equal(t, status, apitest.RequireError(t, "SendAll", err).Status)
			not := hiring.InviteNotSent
			assert.Equal(t, []hiring.InviteOutcome{hiring.InviteSent, not, not}, got.outcomes())
			assert.Equal(t, []error{nil, err}, got.errors[:2])
			requireRunEnded(t, err, got.errors[2:])
			requireOneMailEach(t, server, assessment, 1)
		})
	}
}

// While a run waits for lookups, another call sends a later request, which takes effect after the
// lookups that the run has planned. The run begins them anew.
func TestALaterRequestOfAnotherCallIsLookedUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server, assessment := apitest.StartWithAssessment(t)
		server.Inject(sandbox.Fault{Route: apitest.InviteRoute, Reset: true})
		server.Inject(sandbox.Fault{Route: apitest.InviteRoute, Skip: 1, Reset: true, Late: 30 * time.Second})
		client := server.LiveClient()
		time.AfterFunc(50*time.Second, func() {
			_, err := client.Invitations.Send(t.Context(), assessment, apitest.Ada)
			assert.ErrorIs(t, err, hiring.ErrOutcomeUnknown)
		})
		begun := time.Now()
		require.NoError(t, client.Invitations.SendAll(t.Context(), assessment, slices.Values([]hiring.NewInvitation{apitest.Ada}), hiring.SendAllOptions{}))
		assert.InDelta(t, 110, time.Since(begun).Seconds(), 1)
		requireOneMailEach(t, server, assessment, 1)
	})
}

// A run does not wait for a window that begins after its deadline, also when the listing needs it.
func TestSendAllEndsBeforeAWindowAfterItsDeadline(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server, assessment := apitest.StartWithAssessment(t)
		ctx, cancel := context.WithTimeout(t.Context(), 20*time.Minute)
		defer cancel()
		begun := time.Now()
		err := server.LiveClient().Invitations.SendAll(ctx, assessment, slices.Values(apitest.Candidates(2, 1)), hiring.SendAllOptions{Each: func(hiring.InviteResult, error) bool {
			server.SetQuota(sandbox.LiveKey, sandbox.ClassRead, 0)
			time.Sleep(2 * time.Minute)
			return true
		}})
		require.ErrorIs(t, err, context.DeadlineExceeded)
		require.ErrorContains(t, err, "the listing of invitations could not be read")
		assert.Equal(t, 1, strings.Count(err.Error(), "the wait ended"), err)
		assert.Equal(t, 4*time.Minute, time.Since(begun).Round(time.Minute), "two calls of Each")
		requireOneMailEach(t, server, assessment, 1)
	})
}

// A scan that waits for a window between two pages has an outdated first page.
func TestSendAllRepeatsAScanThatWaitedForAWindow(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server, assessment := apitest.StartWithAssessment(t)
		people := apitest.Candidates(152, 1)
		client := server.LiveClient()
		var got reports
		err := client.Invitations.SendAll(t.Context(), assessment, slices.Values([]hiring.NewInvitation{people[150], people[151]}), hiring.SendAllOptions{Each: func(result hiring.InviteResult, err error) bool {
			if got.each(result, err); len(got.all) == 1 {
				time.Sleep(2 * time.Minute)
				invite(t, server, assessment, people[:150]...)
				server.SetQuota(sandbox.LiveKey, sandbox.ClassRead, 1)
				time.AfterFunc(time.Minute, func() { invite(t, server, assessment, people[151]) })
			}
			return true
		}})
		require.NoError(t, err)
		assert.Equal(t, []hiring.InviteOutcome{hiring.InviteSent, hiring.InviteExisting}, got.outcomes())
		requireOneMailEach(t, server, assessment, 152)
	})
}

// The listing is outdated when the request has waited for more than a minute.
func TestInvitingUpdatesTheListingAfterALongWait(t *testing.T) {
	for _, way := range []string{"Ensure", "SendAll"} {
		synctest.Test(t, func(t *testing.T) {
			server, assessment := apitest.StartWithAssessment(t)
			server.Inject(sandbox.Fault{Route: apitest.InviteRoute, RetryAfter: 5 * time.Minute})
			client := server.LiveClient(hiring.WithRetry(hiring.RetryPolicy{MaxWait: time.Hour}))
			time.AfterFunc(time.Minute, func() { invite(t, server, assessment, apitest.Ada) })
			var got hiring.InviteResult
			var err error
			if way == "Ensure" {
				got, err = client.Invitations.Ensure(t.Context(), assessment, apitest.Ada)
			} else {
				err = client.Invitations.SendAll(t.Context(), assessment, slices.Values([]hiring.NewInvitation{apitest.Ada}), hiring.SendAllOptions{Each: func(i hiring.InviteResult, _ error) bool {
					got = i
					return true
				}})
			}
			require.NoError(t, err, way)
			assert.Equal(t, hiring.InviteExisting, got.Outcome, way)
			requireOneMailEach(t, server, assessment, 1)
		})
	}
}

// After a 2xx the request is not sent again, and the other candidates are not affected.
func TestSendAllContinuesAfterAnUnlistedInvitation(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		fake := apitest.NewScriptedServer(t, apitest.RespondData(`[]`), apitest.Respond(201, `{"data":{"id":`), apitest.RespondData(`[]`), apitest.RespondData(`{"id":"i2","candidate_email":"bob@example.com"}`), apitest.RespondData(`[]`))
		client := fake.Client()
		bob := hiring.NewInvitation{Email: "bob@example.com", Name: "Bob"}
		var got reports
		err := client.Invitations.SendAll(t.Context(), apitest.ID, slices.Values([]hiring.NewInvitation{apitest.Ada, bob, apitest.Ada}), hiring.SendAllOptions{Each: got.each})
		require.NoError(t, err)
		assert.Equal(t, []hiring.InviteOutcome{hiring.InviteUnknown, hiring.InviteSent, hiring.InviteUnknown}, got.outcomes())
		for _, n := range []int{0, 2} {
			assert.Equal(t, hiring.OutcomeDone, apitest.RequireError(t, "SendAll", got.errors[n]).Outcome)
		}
		assert.Len(t, fake.Requests(), 5, "listing, request, lookup, request, lookup")
		again, err := client.Invitations.Ensure(t.Context(), apitest.ID, apitest.Ada)
		require.Error(t, err)
		assert.Equal(t, hiring.InviteUnknown, again.Outcome)
		for _, sent := range fake.Requests()[5:] {
			assert.Equal(t, http.MethodGet, sent.Method)
		}
	})
}

func TestEnsureSettlesTheUnknownOutcomeOfAnEarlierCall(t *testing.T) {
	for name, c := range map[string]struct {
		fault sandbox.Fault
		want  hiring.InviteOutcome
		took  time.Duration
	}{
		"done late": {sandbox.Fault{Route: apitest.InviteRoute, Reset: true, Late: 30 * time.Second}, hiring.InviteExisting, 55 * time.Second},
		"not done":  {sandbox.Fault{Route: apitest.InviteRoute, Reset: true}, hiring.InviteSent, 55 * time.Second},
		"done":      {sandbox.Fault{Route: apitest.InviteRoute, Reset: true, After: true}, hiring.InviteExisting, 0},
	} {
		for _, first := range []string{"Send", "Ensure"} {
			t.Run(name+"/"+first, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					server, assessment := apitest.StartWithAssessment(t)
					server.Inject(c.fault)
					client := server.LiveClient()
					ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
					defer cancel()
					var err error
					if first == "Send" {
						_, err = client.Invitations.Send(ctx, assessment, apitest.Ada)
					} else {
						_, err = client.Invitations.Ensure(ctx, assessment, apitest.Ada)
					}
					require.ErrorIs(t, err, hiring.ErrOutcomeUnknown)
					<-ctx.Done()
					began := time.Now()
					got, err := client.Invitations.Ensure(t.Context(), assessment, apitest.Ada)
					require.NoError(t, err)
					assert.Equal(t, c.want, got.Outcome)
					assert.Equal(t, c.took, time.Since(began))
					requireOneMailEach(t, server, assessment, 1)
				})
			})
		}
	}
}

func TestAPanicLeavesNoAddressClaimed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server, assessment := apitest.StartWithAssessment(t)
		panics := true
		client := server.LiveClient(hiring.WithObserver(func(_ context.Context, e hiring.Exchange) {
			if panics && e.Method == http.MethodPost {
				panics = false
				panic("observer")
			}
		}))
		assert.PanicsWithValue(t, "observer", func() { _, _ = client.Invitations.Ensure(t.Context(), assessment, apitest.Ada) })
		got, err := client.Invitations.Ensure(t.Context(), assessment, apitest.Ada)
		require.NoError(t, err)
		assert.Equal(t, hiring.InviteExisting, got.Outcome)
		requireOneMailEach(t, server, assessment, 1)
	})
}

func TestEnsureWaitsForAnotherCallUntilItsDeadline(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server, assessment := apitest.StartWithAssessment(t)
		server.Inject(sandbox.Fault{Route: apitest.InviteRoute, Delay: 20 * time.Second})
		client := server.LiveClient()
		go func() { _, _ = client.Invitations.Send(t.Context(), assessment, apitest.Ada) }()
		synctest.Wait()
		ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
		defer cancel()
		got, err := client.Invitations.Ensure(ctx, assessment, apitest.Ada)
		require.ErrorIs(t, err, context.DeadlineExceeded)
		assert.Equal(t, hiring.InviteNotSent, got.Outcome)
		got, err = client.Invitations.Ensure(t.Context(), assessment, apitest.Ada)
		require.NoError(t, err)
		assert.Equal(t, hiring.InviteExisting, got.Outcome)
	})
}

// oldestFirst is a server whose listing is not in the documented order.
type oldestFirst struct {
	scripted

	pagesRead []int
}

func (s *oldestFirst) RoundTrip(r *http.Request) (*http.Response, error) {
	if r.Method == http.MethodPost {
		return s.respond(r, 201, s.work(two[0].Email)), nil
	}
	page, err := strconv.Atoi(r.URL.Query().Get("page"))
	if err != nil {
		page = 1
	}
	s.pagesRead = append(s.pagesRead, page)
	var listed []string
	for i := (page - 1) * 100; i < min(page*100, len(s.sent)); i++ {
		listed = append(listed, s.sent[i].json(i))
	}
	return s.respond(r, 200, fmt.Sprintf(`{"data":[%s],"meta":{"request_id":"req_1a","page":%d,"page_size":100,"total":%d,"has_more":%t}}`,
		strings.Join(listed, ","), page, len(s.sent), page*100 < len(s.sent))), nil
}

func TestSendAllReadsAWholeListingThatIsNotInOrder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &oldestFirst{}
		add := func(email string) { s.sent = append(s.sent, scriptedInvitation{email, time.Now(), 0}) }
		for n := range 250 {
			add(fmt.Sprintf("candidate-%d@example.com", n))
			time.Sleep(time.Second)
		}
		client, err := hiring.New(apitest.BaseURL, apitest.Key, hiring.WithHTTPClient(&http.Client{Transport: s}))
		require.NoError(t, err)
		var got reports
		err = client.Invitations.SendAll(t.Context(), apitest.ID, slices.Values(two), hiring.SendAllOptions{Each: func(result hiring.InviteResult, err error) bool {
			time.Sleep(2 * time.Minute)
			add(two[1].Email) // By another process, at the end of the listing.
			return got.each(result, err)
		}})
		require.NoError(t, err)
		assert.Equal(t, []hiring.InviteOutcome{hiring.InviteSent, hiring.InviteExisting}, got.outcomes())
		assert.Equal(t, []int{1, 2, 3, 1, 2, 3}, s.pagesRead)
	})
}

// listsAtTheEnd loses its responses to invitations, and lists the invitations half a
// minute later, after all others.
type listsAtTheEnd struct {
	oldestFirst

	waiting []scriptedInvitation
	posts   int
}

func (s *listsAtTheEnd) RoundTrip(r *http.Request) (*http.Response, error) {
	if r.Method == http.MethodPost {
		s.posts++
		s.waiting = append(s.waiting, scriptedInvitation{apitest.Ada.Email, time.Now(), 1})
		return nil, io.ErrUnexpectedEOF
	}
	if len(s.waiting) > 0 && time.Since(s.waiting[0].created) >= 30*time.Second {
		s.sent, s.waiting = append(s.sent, s.waiting...), nil
	}
	return s.oldestFirst.RoundTrip(r)
}

// The final lookup does not rely on the order of the listing.
func TestTheFinalLookupReadsTheWholeListing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &listsAtTheEnd{}
		for n := range 250 {
			s.sent = append(s.sent, scriptedInvitation{fmt.Sprintf("candidate-%d@example.com", n), time.Now().Add(-time.Duration(n) * time.Hour), 0})
		}
		client, err := hiring.New(apitest.BaseURL, apitest.Key, hiring.WithHTTPClient(&http.Client{Transport: s}))
		require.NoError(t, err)
		got, err := client.Invitations.Ensure(t.Context(), apitest.ID, apitest.Ada)
		require.NoError(t, err)
		assert.Equal(t, hiring.InviteSent, got.Outcome)
		assert.Equal(t, 1, s.posts)
		assert.Equal(t, []int{1, 2, 3, 1, 1, 2, 3}, s.pagesRead)
	})
}

// A scan that ended at the wanted address has not read the following items.
func TestAShortScanIsNoUpdate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server, assessment := apitest.StartWithAssessment(t)
		people := apitest.Candidates(200, 1)
		var got reports
		candidates := func(yield func(hiring.NewInvitation) bool) {
			for n, in := range people[:3] {
				switch n {
				case 1:
					invite(t, server, assessment, people[2:102]...)
					server.Inject(sandbox.Fault{Route: apitest.InviteRoute, Reset: true, After: true})
				case 2:
					time.Sleep(2 * time.Minute) // The lookup of the second is due.
				}
				if !yield(in) {
					return
				}
			}
		}
		err := server.LiveClient().Invitations.SendAll(t.Context(), assessment, candidates, hiring.SendAllOptions{Each: got.each})
		require.NoError(t, err)
		assert.Equal(t, []hiring.InviteOutcome{hiring.InviteSent, hiring.InviteSent, hiring.InviteExisting}, got.outcomes())
		requireOneMailEach(t, server, assessment, 102)
	})
}

func TestAShortScanIsNoUpdateAfterAWindow(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server, assessment := apitest.StartWithAssessment(t)
		people := apitest.Candidates(300, 1)
		invite(t, server, assessment, people[102:252]...)
		client := server.LiveClient()
		_, err := client.Invitations.Send(t.Context(), assessment, apitest.Ada)
		require.NoError(t, err)
		time.Sleep(time.Hour - 10*time.Second)
		server.SetQuota(sandbox.LiveKey, sandbox.ClassWrite, 21)
		_, err = client.Invitations.Resend(t.Context(), assessment, sandbox.UnknownID) // Its response has the rate limit.
		require.ErrorIs(t, err, hiring.ErrNotFound)
		server.Inject(sandbox.Fault{Route: apitest.InviteRoute, Reset: true, Late: 8 * time.Second})
		_, err = client.Invitations.Send(t.Context(), assessment, people[0])
		require.ErrorIs(t, err, hiring.ErrOutcomeUnknown)
		time.AfterFunc(5*time.Second, func() { invite(t, server, assessment, people[1:102]...) })
		var got reports
		require.NoError(t, client.Invitations.SendAll(t.Context(), assessment, slices.Values(people[:2]), hiring.SendAllOptions{Each: got.each}))
		assert.Equal(t, slices.Repeat([]hiring.InviteOutcome{hiring.InviteExisting}, 2), got.outcomes())
		requireOneMailEach(t, server, assessment, 253)
	})
}

// A Send that the API rejects says nothing about the request before it.
func TestARejectedSendLeavesAnUnknownOutcomeOpen(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server, assessment := apitest.StartWithAssessment(t)
		server.Inject(sandbox.Fault{Route: apitest.InviteRoute, Reset: true, Late: 30 * time.Second})
		client := server.LiveClient()
		ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
		defer cancel()
		_, err := client.Invitations.Ensure(ctx, assessment, apitest.Ada)
		require.ErrorIs(t, err, hiring.ErrOutcomeUnknown)
		server.Inject(sandbox.Fault{Route: apitest.InviteRoute, Code: hiring.ErrConflict})
		_, err = client.Invitations.Send(t.Context(), assessment, apitest.Ada)
		require.ErrorIs(t, err, hiring.ErrConflict)
		got, err := client.Invitations.Ensure(t.Context(), assessment, apitest.Ada)
		require.NoError(t, err)
		assert.Equal(t, hiring.InviteExisting, got.Outcome)
		requireOneMailEach(t, server, assessment, 1)
	})
}
