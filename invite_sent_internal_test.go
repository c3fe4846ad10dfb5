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
	lost  = lastSend{at: time.Unix(1e9, 0), lost: errNotReturned}
	later = lastSend{at: time.Unix(1e9+1, 0), lost: errNotReturned}
)

func invited(at time.Time, id string) lastSend {
	return lastSend{at: at, invitation: &Invitation{ID: id}}
}

// recorded records requests of calls that do not exclude each other.
func recorded(s *sentInvitations, to inviting.Addressee, now time.Time, requests ...lastSend) {
	for _, request := range requests {
		s.enter(to, now)
		s.record(to, request, now)
		s.release(to)
	}
}

func TestAnInvitationIsNotForgottenForALaterRequest(t *testing.T) {
	var s sentInvitations
	recorded(&s, ada, time.Now(), lost, invited(lost.at, "i1"), later, lost)
	got, found := s.invitation(inviting.To("a1", "ada@EXAMPLE.com"))
	assert.True(t, found)
	assert.Equal(t, "i1", got.ID)
}

func TestAnUncertainInvitationIsNotReturned(t *testing.T) {
	var s sentInvitations
	_, found := s.invitation(ada)
	assert.False(t, found, "no call was made")
	recorded(&s, ada, time.Now(), lost)
	_, found = s.invitation(ada)
	assert.False(t, found, "the outcome is unknown")
}

func TestFewSentInvitationsAreKeptHoweverOld(t *testing.T) {
	var s sentInvitations
	now := time.Now()
	for n := range minSweep {
		recorded(&s, inviting.To("a1", fmt.Sprint(n)), now, invited(now, "i"))
		now = now.Add(time.Hour)
	}
	_, found := s.invitation(inviting.To("a1", "0"))
	assert.True(t, found)
}

func TestASettledAddressIsDropped(t *testing.T) {
	var s sentInvitations
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
		var s sentInvitations
		underway := inviting.To("a1", "underway@example.com")
		s.enter(underway, time.Now())
		for n := range 5000 {
			recorded(&s, inviting.To("a1", fmt.Sprint(n)), time.Now(), invited(time.Now(), "i"))
			time.Sleep(18 * time.Second) // 200 an hour.
		}
		assert.Less(t, len(s.entries), 500)
		_, found := s.invitation(inviting.To("a1", "4850"))
		assert.True(t, found, "of the last hour")
		_, busy := s.claim(underway, time.Now())
		assert.NotNil(t, busy, "in flight, however long")
	})
}

// TestTheUnknownOutcomeOfAnotherCallIsKept claims an address while a Send for it ends.
func TestTheUnknownOutcomeOfAnotherCallIsKept(t *testing.T) {
	for name, end := range map[string]func(*sentInvitations){
		"the claim sent nothing":                 func(*sentInvitations) {},
		"the claim settled the outcome before":   func(s *sentInvitations) { s.settle(ada, lost) },
		"the request of the claim ended first":   func(s *sentInvitations) { s.record(ada, lost, lost.at) },
		"another request ended at the same time": func(s *sentInvitations) { s.settle(ada, lastSend{at: later.at, lost: &Error{}}) },
	} {
		t.Run(name, func(t *testing.T) {
			var s sentInvitations
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
