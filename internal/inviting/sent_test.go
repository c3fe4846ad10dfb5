package inviting

import (
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
)

type (
	request = Request[string, *int]
	sentLog = Sent[string, *int]
)

var lost = new(int)

func TestSentKeepsAnInvitationAfterAnUnknownOutcome(t *testing.T) {
	var s sentLog
	to, sent := To("A1", " ADA@example.com"), request{At: time.Now(), Invitation: "i1"}
	open := request{At: time.Now(), Lost: lost}
	for _, last := range []*request{&open, nil, &sent, &open, {}, nil} {
		s.Join(to, time.Now())
		s.Release(to, last)
	}
	invitation, found := s.Invitation(To("a1", "ada@EXAMPLE.com"))
	assert.True(t, found)
	assert.Equal(t, "i1", invitation)
}

func TestSentReturnsNoInvitationThatIsUncertain(t *testing.T) {
	var s sentLog
	to := To("a1", "ada@example.com")
	_, found := s.Invitation(to)
	assert.False(t, found, "no call was made")
	s.Join(to, time.Now())
	s.Release(to, &request{At: time.Now(), Invitation: "i1", Lost: lost})
	_, found = s.Invitation(to)
	assert.False(t, found, "the outcome is unknown")
}

func TestSentKeepsFewEntriesHoweverOld(t *testing.T) {
	var s sentLog
	now := time.Now()
	for n := range minSweep {
		to := To("a1", fmt.Sprint(n))
		s.Join(to, now)
		s.Release(to, &request{At: now, Invitation: "i"})
		now = now.Add(time.Hour)
	}
	_, found := s.Invitation(To("a1", "0"))
	assert.True(t, found)
}

func TestSentDropsASettledAddressee(t *testing.T) {
	var s sentLog
	to := To("a1", "ada@example.com")
	s.Join(to, time.Now())
	s.Release(to, &request{At: time.Now(), Lost: lost})
	last, busy := s.Claim(to, time.Now())
	assert.Nil(t, busy)
	assert.NotNil(t, last.Lost)
	s.Release(to, &request{})
	assert.Empty(t, s.entries)
}

func TestSentDropsOldEntries(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var s sentLog
		underway := To("a1", "underway@example.com")
		s.Join(underway, time.Now())
		for n := range 5000 {
			to := To("a1", fmt.Sprint(n))
			s.Join(to, time.Now())
			s.Release(to, &request{At: time.Now(), Invitation: "i"})
			time.Sleep(18 * time.Second) // 200 an hour.
		}
		assert.Less(t, len(s.entries), 500)
		_, found := s.Invitation(To("a1", "4850"))
		assert.True(t, found, "of the last hour")
		_, busy := s.Claim(underway, time.Now())
		assert.NotNil(t, busy, "in flight, however long")
	})
}

func TestSentKeepsTheUnknownOutcomeOfAnotherCall(t *testing.T) {
	to, now := To("a1", "ada@example.com"), time.Now()
	before, later := request{At: now, Lost: lost}, request{At: now.Add(time.Second), Lost: lost}
	for name, test := range map[string]struct{ claimed, released request }{
		"no request before, and none in the claim": {},
		"the claim settled the outcome before":     {before, request{}},
		"the claim left the outcome before open":   {before, before},
	} {
		t.Run(name, func(t *testing.T) {
			var s sentLog
			s.Join(to, time.Now())
			s.Release(to, &test.claimed)
			claimed, busy := s.Claim(to, time.Now())
			assert.Nil(t, busy)
			assert.Equal(t, test.claimed, claimed)
			s.Join(to, time.Now()) // A Send at the same time.
			s.Release(to, &later)
			s.Release(to, &test.released)
			last, busy := s.Claim(to, time.Now())
			assert.Nil(t, busy)
			assert.Equal(t, later, last)
		})
	}
}
