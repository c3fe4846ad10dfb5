package hiring

import (
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/hiring-assessment/hiring-go/internal/inviting"
)

var (
	ada   = inviting.To("A1", " ADA@example.com")
	lost  = lastRequest{at: time.Unix(1e9, 0), unclear: errNotReturned}
	later = lastRequest{at: time.Unix(1e9+1, 0), unclear: errNotReturned}
)

func invited(at time.Time, id string) lastRequest {
	return lastRequest{at: at, invitation: &Invitation{ID: id}}
}

// recorded records requests of calls that do not exclude each other.
func recorded(s *requestMemory, to inviting.Addressee, now time.Time, requests ...lastRequest) {
	for _, request := range requests {
		s.enter(to, now)
		s.record(to, request, now)
		s.release(to)
	}
}

func TestAnInvitationIsNotForgottenForALaterRequest(t *testing.T) {
	var s requestMemory
	recorded(&s, ada, time.Now(), lost, invited(lost.at, "i1"), later, lost)
	got := s.last(inviting.To("a1", "ada@EXAMPLE.com"))
	assert.Equal(t, "i1", got.invitation.ID)
}

func TestAnUnclearInvitationIsNotFound(t *testing.T) {
	l := inviteListing{service: &InvitationService{requests: new(requestMemory)}}
	_, found := l.find(ada)
	assert.False(t, found, "no call was made")
	recorded(l.service.requests, ada, time.Now(), lost)
	_, found = l.find(ada)
	assert.False(t, found, "the outcome is unknown")
	recorded(l.service.requests, ada, time.Now(), invited(later.at, "i1"))
	_, found = l.find(ada)
	assert.True(t, found, "it was sent")
}

// A run with a checkpoint would look for the invitation of a processed request, and send again.
func TestAProcessedRequestIsNotReplacedByAnUnclearOne(t *testing.T) {
	var s requestMemory
	processed := lastRequest{at: lost.at, unclear: &Error{Outcome: OutcomeDone}}
	recorded(&s, ada, time.Now(), processed, later)
	assert.Equal(t, processed, s.last(ada))
	recorded(&s, ada, time.Now(), invited(later.at, "i1"))
	assert.NotNil(t, s.last(ada).invitation)
}

// A checkpoint saves what is unsettled.
func TestUnsettledAddressesAreThoseAListingMayNotShow(t *testing.T) {
	for name, c := range map[string]struct {
		requests []lastRequest
		settled  lastRequest
		after    time.Duration // Since the first request.
		want     bool
	}{
		"unclear":                 {requests: []lastRequest{lost}, after: 59 * time.Minute, want: true},
		"processed, unclear":      {requests: []lastRequest{{at: lost.at, unclear: &Error{Outcome: OutcomeDone}}}, want: true},
		"settled":                 {requests: []lastRequest{lost}, settled: lost},
		"settled, but sent again": {requests: []lastRequest{lost, later}, settled: lost, want: true},
		"sent":                    {requests: []lastRequest{invited(lost.at, "i1")}, after: time.Minute - 1, want: true},
		"sent a minute ago":       {requests: []lastRequest{invited(lost.at, "i1")}, after: time.Minute},
		"unclear, then sent":      {requests: []lastRequest{lost, invited(later.at, "i1")}, after: time.Minute, want: true},
	} {
		var s requestMemory
		recorded(&s, ada, lost.at, c.requests...)
		recorded(&s, inviting.To("a2", "ada@example.com"), lost.at, later)
		s.settle(ada, c.settled)
		want := map[string]time.Time{}
		if c.want {
			want[ada.Key] = c.requests[len(c.requests)-1].at
		}
		assert.Equal(t, want, s.unsettled("a1", lost.at.Add(c.after)), name)
	}
}

func TestFewSentInvitationsAreKeptHoweverOld(t *testing.T) {
	var s requestMemory
	now := time.Now()
	for n := range minSweep {
		recorded(&s, inviting.To("a1", fmt.Sprint(n)), now, invited(now, "i"))
		now = now.Add(time.Hour)
	}
	assert.NotNil(t, s.last(inviting.To("a1", "0")).invitation)
}

func TestASettledAddressIsDropped(t *testing.T) {
	var s requestMemory
	recorded(&s, ada, time.Now(), lost)
	last, busy := s.claim(ada, time.Now())
	assert.Nil(t, busy)
	assert.Equal(t, lost, last)
	s.settle(ada, lost)
	s.release(ada)
	assert.Empty(t, s.entries)
}

func TestOldSentInvitationsAreDropped(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var s requestMemory
		underway := inviting.To("a1", "underway@example.com")
		s.enter(underway, time.Now())
		for n := range 5000 {
			recorded(&s, inviting.To("a1", fmt.Sprint(n)), time.Now(), invited(time.Now(), "i"))
			time.Sleep(18 * time.Second) // 200 an hour.
		}
		assert.Less(t, len(s.entries), 500)
		assert.NotNil(t, s.last(inviting.To("a1", "4850")).invitation, "of the last hour")
		_, busy := s.claim(underway, time.Now())
		assert.NotNil(t, busy, "in flight, however long")
	})
}

// TestTheUnknownOutcomeOfAnotherCallIsKept claims an address while a Send for it ends.
func TestTheUnknownOutcomeOfAnotherCallIsKept(t *testing.T) {
	for name, end := range map[string]func(*requestMemory){
		"the claim sent nothing":                 func(*requestMemory) {},
		"the claim settled the outcome before":   func(s *requestMemory) { s.settle(ada, lost) },
		"the request of the claim ended first":   func(s *requestMemory) { s.record(ada, lost, lost.at) },
		"another request ended at the same time": func(s *requestMemory) { s.settle(ada, lastRequest{at: later.at, unclear: &Error{}}) },
	} {
		t.Run(name, func(t *testing.T) {
			var s requestMemory
			recorded(&s, ada, time.Now(), lost)
			_, busy := s.claim(ada, time.Now())
			assert.Nil(t, busy)
			recorded(&s, ada, time.Now(), later)
			end(&s)
			s.release(ada)
			last, busy := s.claim(ada, time.Now())
			assert.Nil(t, busy)
			assert.Equal(t, later, last)
		})
	}
}
