package waiting_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hiring-assessment/hiring-go/internal/waiting"
)

// TestUnreadableItemIsReadAgainUntilItIsReadable checks that the reads are at most six
// hours apart, also after a restart, while a listing shows the item.
func TestUnreadableItemIsReadAgainUntilItIsReadable(t *testing.T) {
	const mended = 70 * time.Hour
	x := finished("x", noon.Add(-2*h), noon.Add(h), noon.Add(2*h))
	bad := waiting.Item{ID: "x", Created: x.Created, Evaluated: x.Evaluated, Status: waiting.Evaluated, Unreadable: true}
	machine := watching()
	var reads []time.Time
	var delivered []time.Time
	action, now := next(t, machine, noon)
	for now.Before(noon.Add(80 * h)) {
		shown := bad
		if now.Sub(noon) >= mended && action.Kind == waiting.Get {
			shown = x
		}
		if action.Kind == waiting.Get {
			require.Equal(t, "x", action.ID)
			reads = append(reads, now)
		}
		ready, err := machine.Handle(now, waiting.Response{Items: []waiting.Item{shown}})
		require.NoError(t, err)
		for range ready {
			delivered = append(delivered, now)
		}
		assert.Equal(t, len(delivered) == 0, machine.IsUnreadable("X") || machine.IsUnreadable("x"))
		text := machine.String()
		o := usualOptions()
		machine, err = waiting.Resume(o, text)
		require.NoError(t, err)
		action, now = next(t, machine, now)
	}
	require.Len(t, delivered, 1, "once, though the listing goes on to show it garbled")
	assert.Less(t, delivered[0].Sub(noon), mended+6*h+2*m)
	assert.Less(t, len(reads), 40)
	for i := range reads[1:] {
		assert.Less(t, reads[i+1].Sub(reads[i]), 6*h+2*m)
	}
}

// TestUnreadableItemsOfNoInterest are not read: those evaluated before the start, and
// those delivered already.
func TestUnreadableItemsOfNoInterest(t *testing.T) {
	machine := watching()
	_, at := next(t, machine, noon)
	ready, err := machine.Handle(at, waiting.Response{Items: []waiting.Item{finished("y", noon.Add(-3*h), noon.Add(-2*h), noon.Add(m))}})
	require.NoError(t, err)
	require.Len(t, ready, 1)
	_, at = next(t, machine, at)
	_, err = machine.Handle(at, waiting.Response{Items: []waiting.Item{
		{ID: "x", Created: noon.Add(-2 * h), Evaluated: noon.Add(-h), Unreadable: true}, {ID: "y", Unreadable: true}, {Unreadable: true},
	}})
	require.NoError(t, err)
	assert.Zero(t, machine.Pending())
}

// TestGoneUnreadableItemIsForgottenAfterADay uses an item that listings show and single
// reads do not find.
func TestGoneUnreadableItemIsForgottenAfterADay(t *testing.T) {
	machine := watching()
	_, at := next(t, machine, noon)
	_, err := machine.Handle(at, waiting.Response{Items: []waiting.Item{{ID: "x", Status: waiting.Evaluated, Unreadable: true}}})
	require.NoError(t, err)
	action, now := next(t, machine, at)
	for ; now.Before(noon.Add(2 * day)); action, now = next(t, machine, now) {
		_, err := machine.Handle(now, waiting.Response{NotFound: action.Kind == waiting.Get})
		require.NoError(t, err)
		assert.True(t, machine.IsUnreadable("x") || now.Sub(at) >= day)
	}
	assert.False(t, machine.IsUnreadable("x"))
}

// TestNoteRemembersAHundred checks this also after a restart.
func TestNoteRemembersAHundred(t *testing.T) {
	machine := watching()
	assert.False(t, machine.KnowsUnreadable("a"))
	machine.NoteUnreadable("a")
	machine, err := waiting.Resume(usualOptions(), machine.String())
	require.NoError(t, err)
	machine.NoteUnreadable("a")
	for i := range 100 {
		assert.True(t, machine.KnowsUnreadable("a"))
		machine.NoteUnreadable(string(rune('\u4e00' + i)))
	}
	assert.False(t, machine.KnowsUnreadable("a"), "the oldest is forgotten")
}

// TestRegradedItemIsDeliveredAgain checks one delivery for each later evaluation time
// with Regraded, also if a machine without Regraded saved the first delivery.
func TestRegradedItemIsDeliveredAgain(t *testing.T) {
	for _, wanted := range []bool{false, true} {
		x := finished("x", noon.Add(-3*h), noon.Add(-2*h), noon.Add(m))
		later, earlier, pending := x, x, x
		later.Evaluated, earlier.Evaluated = noon.Add(h), noon.Add(-m)
		pending.Status, pending.Ready, pending.Evaluated = "grading", false, time.Time{}
		machine := watching()
		_, now := next(t, machine, noon)
		ready, err := machine.Handle(now, waiting.Response{Items: []waiting.Item{x}})
		require.NoError(t, err)
		require.Len(t, ready, 1)
		o := usualOptions()
		o.Regraded = wanted
		machine, err = waiting.Resume(o, machine.String())
		require.NoError(t, err)
		n := 0
		for _, shown := range []waiting.Item{x, earlier, pending, later, later, x, pending, later} {
			_, now = next(t, machine, now.Add(m))
			ready, err = machine.Handle(now, waiting.Response{Items: []waiting.Item{shown}})
			require.NoError(t, err)
			n += len(ready)
		}
		assert.Equal(t, map[bool]int{false: 0, true: 1}[wanted], n, "wanted: %v", wanted)
	}
}

// TestItemThatOnlyListingsCannotDecodeIsNewOnce checks that it is read in growing
// intervals, although each single read can be decoded.
func TestItemThatOnlyListingsCannotDecodeIsNewOnce(t *testing.T) {
	bad := waiting.Item{ID: "x", Created: noon.Add(-2 * h), Unreadable: true}
	pending := waiting.Item{ID: "x", Created: noon.Add(-2 * h), Status: "grading"}
	machine := watching()
	reads, news := 0, 0
	action, now := next(t, machine, noon)
	for ; now.Before(noon.Add(day)); action, now = next(t, machine, now) {
		shown := pending
		if action.Kind == waiting.Get {
			reads++
		} else {
			shown = bad
			if machine.NewlyUnreadable(&bad) {
				news++
			}
		}
		_, err := machine.Handle(now, waiting.Response{Items: []waiting.Item{shown}})
		require.NoError(t, err)
		machine, err = waiting.Resume(usualOptions(), machine.String())
		require.NoError(t, err)
	}
	assert.Equal(t, 1, news)
	assert.Less(t, reads, 40)
	assert.Greater(t, reads, 5)
}

// TestUnreadableItemOfBeforeTheBeginning is dropped once its evaluation time can be decoded.
func TestUnreadableItemOfBeforeTheBeginning(t *testing.T) {
	machine := watching()
	_, at := next(t, machine, noon)
	_, err := machine.Handle(at, waiting.Response{Items: []waiting.Item{{ID: "x", Created: noon.Add(-2 * h), Status: waiting.Evaluated, Unreadable: true}}})
	require.NoError(t, err)
	assert.True(t, machine.IsUnreadable("x"))
	_, at = next(t, machine, at)
	ready, err := machine.Handle(at, waiting.Response{Items: []waiting.Item{finished("x", noon.Add(-2*h), noon.Add(-h), noon.Add(-m))}})
	require.NoError(t, err)
	assert.Empty(t, ready)
	assert.Zero(t, machine.Pending())
	assert.False(t, machine.NewlyUnreadable(&waiting.Item{ID: "x", Status: waiting.Evaluated, Unreadable: true}), "also where only single reads can be decoded")
}
