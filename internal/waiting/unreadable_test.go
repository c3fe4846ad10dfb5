package waiting_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hiring-assessment/hiring-go/internal/waiting"
)

// TestUnreadableItemIsReadTwice checks that an item which no response can decode for three days
// is read singly when a listing first shows it and when one first shows it evaluated, and is
// delivered by the first listing that can be decoded, also if the machine is saved between any
// two actions.
func TestUnreadableItemIsReadTwice(t *testing.T) {
	t.Parallel()
	const evaluated, mended = 2 * h, 70 * time.Hour
	x := finished("x", noon.Add(-2*h), noon.Add(h), noon.Add(evaluated))
	machine := watching()
	reads, lists := 0, 0
	var delivered []time.Time
	action, now := next(t, machine, noon)
	for now.Before(noon.Add(80 * h)) {
		shown := waiting.Item{ID: "x", Created: x.Created, Status: "grading", Unreadable: true}
		if now.Sub(noon) >= evaluated {
			shown.Status, shown.Evaluated = waiting.Evaluated, x.Evaluated
		}
		if now.Sub(noon) >= mended {
			shown = x
		}
		items := []waiting.Item{shown}
		switch {
		case action.Kind == waiting.Get:
			require.Equal(t, "x", action.ID)
			reads++
		case action.Status == waiting.Evaluated && shown.Status != waiting.Evaluated:
			items = nil
		default:
			lists++
		}
		ready, err := machine.Handle(now, waiting.Response{Items: items})
		require.NoError(t, err)
		for range ready {
			delivered = append(delivered, now)
		}
		assert.Equal(t, len(delivered) == 0, machine.IsUnreadable("x"))
		machine, err = waiting.Resume(usualOptions(), machine.String())
		require.NoError(t, err)
		action, now = next(t, machine, now)
	}
	require.Len(t, delivered, 1, "once, though listings continue to show it")
	assert.Less(t, delivered[0].Sub(noon), mended+h)
	assert.Equal(t, 2, reads)
	assert.Positive(t, lists)
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

// TestGoneUnreadableItemIsForgotten uses an item that a page shows and single reads do not find:
// it is read once, and twice more when listings no longer show it.
func TestGoneUnreadableItemIsForgotten(t *testing.T) {
	machine := watching()
	_, at := next(t, machine, noon)
	shown := []waiting.Item{{ID: "x", Created: noon.Add(-h), Status: waiting.Evaluated, Unreadable: true}}
	_, err := machine.Handle(at, waiting.Response{Items: shown})
	require.NoError(t, err)
	reads := 0
	action, now := next(t, machine, at)
	for ; now.Before(noon.Add(8 * h)); action, now = next(t, machine, now) {
		response := waiting.Response{NotFound: action.Kind == waiting.Get}
		if action.Kind == waiting.Get {
			reads++
		} else if now.Before(noon.Add(6 * h)) {
			response.Items = shown
			assert.False(t, machine.NewlyUnreadable(&shown[0]))
		}
		_, err := machine.Handle(now, response)
		require.NoError(t, err)
		assert.True(t, machine.IsUnreadable("x") || now.After(noon.Add(6*h)))
		machine, err = waiting.Resume(usualOptions(), machine.String())
		require.NoError(t, err)
	}
	assert.False(t, machine.IsUnreadable("x"))
	assert.Equal(t, 3, reads)
}

// TestUnnamedItemsAreRemembered checks the latest hundred, also after a restart.
func TestUnnamedItemsAreRemembered(t *testing.T) {
	machine, now := watching(), noon
	show := func(text string) (first bool) {
		it := waiting.Item{ID: text, Unreadable: true, Unnamed: true}
		first = machine.NewlyUnreadable(&it)
		_, now = next(t, machine, now)
		ready, err := machine.Handle(now, waiting.Response{Items: []waiting.Item{it}})
		require.NoError(t, err)
		require.Empty(t, ready)
		machine, err = waiting.Resume(usualOptions(), machine.String())
		require.NoError(t, err)
		return first
	}
	assert.True(t, show("a"))
	for i := range 99 {
		assert.True(t, show(string(rune('\u4e00'+i))))
		assert.False(t, show("a"))
	}
	assert.True(t, show("b"))
	assert.True(t, show("a"), "the oldest is forgotten")
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

// TestItemThatOnlyListingsCannotDecodeIsNewOnce uses listings that show only the ID. The item is
// read once, although single reads can be decoded, and delivered when a listing of evaluated
// submissions shows it.
func TestItemThatOnlyListingsCannotDecodeIsNewOnce(t *testing.T) {
	const evaluated = 20 * h
	bad := waiting.Item{ID: "x", Created: noon.Add(-2 * h), Unreadable: true}
	machine := watching()
	reads, news, came := 0, 0, 0
	action, now := next(t, machine, noon)
	for ; now.Before(noon.Add(day)); action, now = next(t, machine, now) {
		shown := []waiting.Item{bad}
		switch {
		case action.Kind == waiting.Get && now.Sub(noon) < evaluated:
			reads++
			shown[0] = waiting.Item{ID: "x", Created: noon.Add(-2 * h), Status: "grading"}
		case action.Kind == waiting.Get:
			reads++
			shown[0] = finished("x", noon.Add(-2*h), noon.Add(-h), noon.Add(evaluated))
		case action.Status == waiting.Evaluated && now.Sub(noon) < evaluated:
			shown = nil
		case machine.NewlyUnreadable(&bad):
			news++
		}
		ready, err := machine.Handle(now, waiting.Response{Items: shown})
		require.NoError(t, err)
		if came += len(ready); len(ready) > 0 {
			assert.Less(t, now.Sub(noon), evaluated+h)
		}
		machine, err = waiting.Resume(usualOptions(), machine.String())
		require.NoError(t, err)
	}
	assert.Equal(t, 1, came)
	assert.Equal(t, 1, news)
	assert.Equal(t, 2, reads)
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

// TestUnreadableKnownIDIsNewOnce checks that it counts as evaluated without a report, which is read.
func TestUnreadableKnownIDIsNewOnce(t *testing.T) {
	o := usualOptions()
	o.Known = []string{"x", "y"}
	machine := waiting.New(o)
	_, now := next(t, machine, noon)
	bad := waiting.Item{ID: "X", Created: noon.Add(-h), Status: "grading", Unreadable: true}
	other := waiting.Item{ID: "z", Created: noon.Add(-h), Unreadable: true}
	assert.True(t, machine.NewlyUnreadable(&bad))
	assert.False(t, machine.NewlyUnreadable(&other), "it is not awaited")
	ready, err := machine.Handle(now, waiting.Response{Items: []waiting.Item{bad, other, finished("y", noon.Add(-h), noon.Add(-h), noon.Add(-m))}})
	require.NoError(t, err)
	assert.Equal(t, []int{2}, ready)
	assert.False(t, machine.NewlyUnreadable(&bad))
	action, _ := next(t, machine, now)
	assert.Equal(t, waiting.Action{Kind: waiting.Get, ID: "x"}, action)
}

// TestItemThatOnlySingleReadsCannotDecodeIsDeliveredWithoutReport uses listings that show the
// item evaluated and never its report. The intervals between its reads grow, and after an hour
// the item is delivered.
func TestItemThatOnlySingleReadsCannotDecodeIsDeliveredWithoutReport(t *testing.T) {
	machine := watching()
	bad := waiting.Item{ID: "x", Created: noon.Add(-2 * h), Status: waiting.Evaluated, Unreadable: true}
	shown := finished("x", noon.Add(-2*h), noon.Add(-h), noon.Add(m))
	shown.Ready = false
	reads, came := 0, time.Time{}
	action, now := next(t, machine, noon)
	for ; now.Before(noon.Add(6*h)) && came.IsZero(); action, now = next(t, machine, now) {
		it := shown
		if action.Kind == waiting.Get {
			reads++
			it = bad
		}
		ready, err := machine.Handle(now, waiting.Response{Items: []waiting.Item{it}})
		require.NoError(t, err)
		if len(ready) > 0 {
			came = now
		}
		machine, err = waiting.Resume(usualOptions(), machine.String())
		require.NoError(t, err)
	}
	assert.GreaterOrEqual(t, came.Sub(noon), h)
	assert.Less(t, came.Sub(noon), 2*h)
	assert.Less(t, reads, 25)
}

// TestDelayedReadDoesNotForgetAnUnreadableItemThatAPageShowsAgain uses an item that listings do
// not show for ten hours and show then. A delayed read that finds nothing then does not make it
// new.
func TestDelayedReadDoesNotForgetAnUnreadableItemThatAPageShowsAgain(t *testing.T) {
	const back = 10 * h
	machine := watching()
	bad := waiting.Item{ID: "x", Created: noon.Add(-h), Status: waiting.Evaluated, Unreadable: true}
	_, now := next(t, machine, noon)
	_, err := machine.Handle(now, waiting.Response{Items: []waiting.Item{bad}})
	require.NoError(t, err)
	late := 0
	action, now := next(t, machine, now)
	for ; now.Before(noon.Add(back + 6*h)); action, now = next(t, machine, now) {
		isBack, read := now.Sub(noon) >= back, action.Kind == waiting.Get
		var response waiting.Response
		switch {
		case isBack && read:
			late++
			response.NotFound = true
		case isBack || read:
			response.Items = []waiting.Item{bad}
		}
		_, err := machine.Handle(now, response)
		require.NoError(t, err)
		require.False(t, machine.NewlyUnreadable(&bad))
	}
	assert.Equal(t, 1, late)
}

// TestSearchesForLateReportsLeaveOutWhatPagesCannotDecode uses an item whose listings cannot be
// decoded from just before its hour without a report ends: sweeps list it, and no search every
// nine minutes does.
func TestSearchesForLateReportsLeaveOutWhatPagesCannotDecode(t *testing.T) {
	machine := watching()
	bad := waiting.Item{ID: "x", Created: noon.Add(-2 * h), Status: waiting.Evaluated, Unreadable: true}
	shown := finished("x", noon.Add(-2*h), noon.Add(-h), noon.Add(m))
	shown.Ready = false
	late, lists := 0, 0
	action, now := next(t, machine, noon)
	for ; now.Before(noon.Add(8 * h)); action, now = next(t, machine, now) {
		it := bad
		switch {
		case action.Kind == waiting.Get:
			if now.Sub(noon) >= h {
				late++
			}
		case now.Sub(noon) < 57*m:
			it = shown
		case action.Status == waiting.Evaluated && now.Sub(noon) >= 2*h:
			lists++
		}
		ready, err := machine.Handle(now, waiting.Response{Items: []waiting.Item{it}})
		require.NoError(t, err)
		require.Empty(t, ready)
	}
	assert.Positive(t, late)
	assert.Less(t, lists, 12)
}
