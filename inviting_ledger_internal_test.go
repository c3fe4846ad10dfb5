package hiring

import (
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
)

func TestLedgerKeepsAnInvitationRatherThanLess(t *testing.T) {
	var l ledger
	who, sent := newAddressee("A1", " ADA@example.com"), lastSend{at: time.Now(), invitation: Invitation{ID: "i1"}}
	lost := lastSend{at: time.Now(), lost: unreturned}
	for _, last := range []*lastSend{&lost, nil, &sent, &lost, {}, nil} {
		l.join(who)
		l.release(who, last)
	}
	invitation, found := l.invitation(newAddressee("a1", "ada@EXAMPLE.com"))
	assert.True(t, found)
	assert.Equal(t, "i1", invitation.ID)
}

func TestLedgerForgetsWhatIsSettled(t *testing.T) {
	var l ledger
	who := newAddressee("a1", "ada@example.com")
	l.join(who)
	l.release(who, &lastSend{at: time.Now(), lost: unreturned})
	last, busy := l.claim(who)
	assert.Nil(t, busy)
	assert.NotNil(t, last.lost)
	l.release(who, &lastSend{})
	assert.Empty(t, l.entries)
}

func TestLedgerStaysSmall(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var l ledger
		underway := newAddressee("a1", "underway@example.com")
		l.join(underway)
		for n := range 5000 {
			who := newAddressee("a1", fmt.Sprint(n))
			l.join(who)
			l.release(who, &lastSend{at: time.Now(), invitation: Invitation{ID: "i"}})
			time.Sleep(18 * time.Second) // 200 an hour.
		}
		assert.Less(t, len(l.entries), 500)
		_, found := l.invitation(newAddressee("a1", "4850"))
		assert.True(t, found, "of the last hour")
		_, busy := l.claim(underway)
		assert.NotNil(t, busy, "on its way, however long")
	})
}

func TestLedgerKeepsWhatAnotherCallLeftOpen(t *testing.T) {
	who, now := newAddressee("a1", "ada@example.com"), time.Now()
	before, later := lastSend{at: now, lost: unreturned}, lastSend{at: now.Add(time.Second), lost: unreturned}
	for name, test := range map[string]struct{ claimed, released lastSend }{
		"nothing known, nothing sent":    {},
		"settled what was there before":  {before, lastSend{}},
		"left open what was there first": {before, before},
	} {
		t.Run(name, func(t *testing.T) {
			var l ledger
			l.join(who)
			l.release(who, &test.claimed)
			claimed, busy := l.claim(who)
			assert.Nil(t, busy)
			assert.Equal(t, test.claimed, claimed)
			l.join(who) // A Send meanwhile.
			l.release(who, &later)
			l.release(who, &test.released)
			last, busy := l.claim(who)
			assert.Nil(t, busy)
			assert.Equal(t, later, last)
		})
	}
}
