package inviting

import (
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
)

type (
	send   = Request[string, *int]
	ledger = Sent[string, *int]
)

var lost = new(int)

func TestLedgerKeepsAnInvitationRatherThanLess(t *testing.T) {
	var l ledger
	who, sent := To("A1", " ADA@example.com"), send{At: time.Now(), Invitation: "i1"}
	open := send{At: time.Now(), Lost: lost}
	for _, last := range []*send{&open, nil, &sent, &open, {}, nil} {
		l.Join(who, time.Now())
		l.Release(who, last)
	}
	invitation, found := l.Invitation(To("a1", "ada@EXAMPLE.com"))
	assert.True(t, found)
	assert.Equal(t, "i1", invitation)
}

func TestLedgerKnowsOfNoInvitation(t *testing.T) {
	var l ledger
	who := To("a1", "ada@example.com")
	_, found := l.Invitation(who)
	assert.False(t, found, "nobody was asked about")
	l.Join(who, time.Now())
	l.Release(who, &send{At: time.Now(), Invitation: "i1", Lost: lost})
	_, found = l.Invitation(who)
	assert.False(t, found, "the mail may be out, or not")
}

func TestLedgerKeepsFewHoweverOld(t *testing.T) {
	var l ledger
	now := time.Now()
	for n := range few {
		who := To("a1", fmt.Sprint(n))
		l.Join(who, now)
		l.Release(who, &send{At: now, Invitation: "i"})
		now = now.Add(time.Hour)
	}
	_, found := l.Invitation(To("a1", "0"))
	assert.True(t, found)
}

func TestLedgerForgetsWhatIsSettled(t *testing.T) {
	var l ledger
	who := To("a1", "ada@example.com")
	l.Join(who, time.Now())
	l.Release(who, &send{At: time.Now(), Lost: lost})
	last, busy := l.Claim(who, time.Now())
	assert.Nil(t, busy)
	assert.NotNil(t, last.Lost)
	l.Release(who, &send{})
	assert.Empty(t, l.entries)
}

func TestLedgerStaysSmall(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var l ledger
		underway := To("a1", "underway@example.com")
		l.Join(underway, time.Now())
		for n := range 5000 {
			who := To("a1", fmt.Sprint(n))
			l.Join(who, time.Now())
			l.Release(who, &send{At: time.Now(), Invitation: "i"})
			time.Sleep(18 * time.Second) // 200 an hour.
		}
		assert.Less(t, len(l.entries), 500)
		_, found := l.Invitation(To("a1", "4850"))
		assert.True(t, found, "of the last hour")
		_, busy := l.Claim(underway, time.Now())
		assert.NotNil(t, busy, "on its way, however long")
	})
}

func TestLedgerKeepsWhatAnotherCallLeftOpen(t *testing.T) {
	who, now := To("a1", "ada@example.com"), time.Now()
	before, later := send{At: now, Lost: lost}, send{At: now.Add(time.Second), Lost: lost}
	for name, test := range map[string]struct{ claimed, released send }{
		"nothing known, nothing sent":    {},
		"settled what was there before":  {before, send{}},
		"left open what was there first": {before, before},
	} {
		t.Run(name, func(t *testing.T) {
			var l ledger
			l.Join(who, time.Now())
			l.Release(who, &test.claimed)
			claimed, busy := l.Claim(who, time.Now())
			assert.Nil(t, busy)
			assert.Equal(t, test.claimed, claimed)
			l.Join(who, time.Now()) // A Send meanwhile.
			l.Release(who, &later)
			l.Release(who, &test.released)
			last, busy := l.Claim(who, time.Now())
			assert.Nil(t, busy)
			assert.Equal(t, later, last)
		})
	}
}
