package waiting_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hiring-assessment/hiring-go/internal/envelope"
	"github.com/hiring-assessment/hiring-go/internal/testing/emulator"
	"github.com/hiring-assessment/hiring-go/internal/waiting"
)

var plenty = waiting.Budget{Left: 900, Whole: 900, Ends: h}

// watching returns a machine that watches since noon.
func watching() *waiting.Machine {
	o := usualOptions()
	o.Start = noon
	return waiting.New(o)
}

// next returns the machine's next request after its intervals, and the time of the
// request.
func next(t *testing.T, machine *waiting.Machine, now time.Time) (waiting.Action, time.Time) {
	t.Helper()
	for range 100 {
		action := machine.Next(now, plenty)
		if action.Kind != waiting.Wait {
			return action, now
		}
		require.True(t, action.Until.After(now), "it does not stand still")
		now = action.Until
	}
	require.Fail(t, "it only pauses")
	return waiting.Action{}, now
}

// feed passes the same response until the machine has made a request of a kind.
func feed(t *testing.T, machine *waiting.Machine, now time.Time, a waiting.Response, until func(waiting.Action) bool) (waiting.Action, time.Time) {
	t.Helper()
	for range 1000 {
		action, at := next(t, machine, now)
		if until(action) {
			return action, at
		}
		_, err := machine.Handle(at, a)
		require.NoError(t, err)
		now = at.Add(latency)
	}
	require.Fail(t, "no such request")
	return waiting.Action{}, now
}

func finished(id string, created, submitted, evaluated time.Time) waiting.Item {
	return waiting.Item{ID: id, Created: created, Submitted: submitted, Evaluated: evaluated, Status: waiting.Evaluated, Ready: true}
}

// TestTheExperiment uses the times of one submission as since, and checks the conclusion
// from each response.
func TestTheExperiment(t *testing.T) {
	x := finished("x", noon.Add(-3*h), noon.Add(-2*h), noon.Add(-h))
	shown, none := waiting.Response{Items: []waiting.Item{x}}, waiting.Response{}
	for want, responses := range map[string][]waiting.Response{
		"evaluation": {shown, none}, "other": {shown, shown}, "submission": {none, shown}, "other ": {none, none},
	} {
		machine := watching()
		action, at := next(t, machine, noon)
		assert.Equal(t, waiting.Action{Kind: waiting.List}, action, "whatever there is")
		_, err := machine.Handle(at, shown)
		require.NoError(t, err)
		action, at = next(t, machine, at)
		assert.Equal(t, waiting.Action{Kind: waiting.List, Status: waiting.Evaluated, Since: x.Evaluated.Add(-10 * m)}, action)
		_, err = machine.Handle(at, responses[0])
		require.NoError(t, err)
		second := x.Evaluated.Add(10 * m)
		if len(responses[0].Items) == 0 {
			second = x.Submitted.Add(-10 * m)
		}
		action, at = next(t, machine, at)
		assert.Equal(t, second, action.Since)
		_, err = machine.Handle(at, responses[1])
		require.NoError(t, err)
		assert.Equal(t, strings.TrimSpace(want), machine.Progress(at).SinceMeaning)
	}
}

// TestTheExperimentContinuesWithoutAnAnswer uses five pages of other submissions, and an
// item whose times are too close together.
func TestTheExperimentContinuesWithoutAnAnswer(t *testing.T) {
	x := finished("x", noon.Add(-3*h), noon.Add(-2*h), noon.Add(-h))
	machine := watching()
	_, at := next(t, machine, noon)
	_, err := machine.Handle(at, waiting.Response{Items: []waiting.Item{x, finished("y", noon, noon.Add(s), noon.Add(2*s))}})
	require.NoError(t, err)
	for page := range 5 {
		action, at := next(t, machine, at)
		assert.Equal(t, x.Evaluated.Add(-10*m), action.Since)
		younger := finished(fmt.Sprint("z", page), x.Created.Add(time.Duration(50-page)*m), x.Submitted, x.Evaluated)
		_, err := machine.Handle(at, waiting.Response{Items: []waiting.Item{younger}, Cursor: fmt.Sprint(page)})
		require.NoError(t, err)
	}
	assert.Empty(t, machine.Progress(at).SinceMeaning)
	action, later := feed(t, machine, at, waiting.Response{}, func(w waiting.Action) bool { return w.Since.Equal(x.Evaluated.Add(-10 * m)) })
	assert.Empty(t, action.Cursor)
	assert.GreaterOrEqual(t, later.Sub(at), 5*m, "another experiment comes five minutes later")
}

// TestRefusals rejects parameters. The machine does without them if possible.
func TestRefusals(t *testing.T) {
	refused := waiting.Response{Rejected: true}
	machine := watching()
	_, at := next(t, machine, noon)
	_, err := machine.Handle(at, waiting.Response{})
	require.NoError(t, err)
	action, at := next(t, machine, at)
	require.Equal(t, waiting.Evaluated, action.Status)
	_, err = machine.Handle(at, refused)
	require.NoError(t, err)
	action, at = next(t, machine, at)
	assert.Equal(t, waiting.Action{Kind: waiting.List}, action, "the same without the filter")
	_, err = machine.Handle(at, refused)
	require.ErrorIs(t, err, waiting.ErrRejected)

	o := usualOptions()
	o.Known = []string{"a"}
	machine = waiting.New(o)
	action, at = next(t, machine, noon)
	assert.Equal(t, waiting.Action{Kind: waiting.Get, ID: "a"}, action, "a listing would not be cheaper")
	_, err = machine.Handle(at, refused)
	require.ErrorIs(t, err, waiting.ErrRejected)
}

// TestASubmissionThatIsNotFound checks that a known id is reported as missing, and any
// other is forgotten.
func TestASubmissionThatIsNotFound(t *testing.T) {
	o := usualOptions()
	o.Known = []string{"A", "B"}
	machine := waiting.New(o)
	_, at := next(t, machine, noon)
	_, err := machine.Handle(at, waiting.Response{Items: []waiting.Item{{ID: "b", Created: noon, Status: "grading"}}})
	require.NoError(t, err)
	action, at := next(t, machine, at)
	assert.Equal(t, waiting.Action{Kind: waiting.Get, ID: "a"}, action)
	_, err = machine.Handle(at, waiting.Response{NotFound: true})
	require.NoError(t, err)
	assert.Equal(t, []string{"a"}, machine.Missing())
	assert.Equal(t, 1, machine.Pending())
	assert.True(t, machine.IsPending("B"))
	assert.False(t, machine.IsPending("A"))
}

// TestNothingIsReadBeyondTheBudget also checks that the interval lasts until the next
// window.
func TestNothingIsReadBeyondTheBudget(t *testing.T) {
	machine := watching()
	action := machine.Next(noon, waiting.Budget{Left: 0, Whole: 900, Ends: 20 * m})
	assert.Equal(t, waiting.Wait, action.Kind)
	assert.WithinRange(t, action.Until, noon.Add(20*m), noon.Add(21*m))
	assert.Equal(t, "no requests remain in the rate-limit window", machine.Progress(noon).SlowReason)
	assert.Equal(t, waiting.List, machine.Next(noon.Add(20*m), plenty).Kind)
	for _, c := range []struct {
		budget waiting.Budget
		cost   int
		want   time.Duration
	}{
		{waiting.Budget{Left: 900, Whole: 900, Ends: h}, 90, 0},
		{waiting.Budget{Left: 410, Whole: 900, Ends: 30 * m}, 90, 0}, // Less than a tenth behind.
		{waiting.Budget{Left: 300, Whole: 900, Ends: 30 * m}, 30, 3 * m},
		{waiting.Budget{Left: 360, Whole: 900, Ends: 30 * m}, 300, 200 * s}, // Until the use is less than a tenth ahead again,
		{waiting.Budget{Left: 1, Whole: 900, Ends: 30 * m}, 3000, 1795*s + 555555555},
		{waiting.Budget{Left: 0, Whole: 900, Ends: 30 * m}, 30, 0},
		{waiting.Budget{}, 30, 0},
	} {
		assert.Equal(t, c.want, c.budget.Spacing(c.cost, h), "%+v", c.budget)
	}
}

// TestProgressSaysWhyItIsSlow checks the reasons.
func TestProgressSaysWhyItIsSlow(t *testing.T) {
	machine := watching()
	_, at := next(t, machine, noon)
	_, err := machine.Handle(at, waiting.Response{Failed: true, RetryAfter: 5 * m})
	require.NoError(t, err)
	action := machine.Next(at, plenty)
	assert.Equal(t, at.Add(5*m), action.Until, "as long as the API asks")
	assert.Equal(t, "the API fails or cannot be reached", machine.Progress(at).SlowReason)
	machine.EndInterval()
	assert.Equal(t, waiting.List, machine.Next(at, plenty).Kind, "somebody else decides when")
	assert.Equal(t, 1, machine.Progress(at).ReadsLastHour)

	short := waiting.Budget{Left: 100, Whole: 900, Ends: h}
	machine = watching()
	for at = noon; machine.Next(at, short).Kind != waiting.Wait; at = at.Add(latency) {
		_, err := machine.Handle(at, waiting.Response{})
		require.NoError(t, err)
	}
	assert.Equal(t, "the remaining requests are spread over the rate-limit window", machine.Progress(at).SlowReason)
}

// TestStates resumes a machine from its state, and rejects other texts.
func TestStates(t *testing.T) {
	o := usualOptions()
	good := watching().String()
	resumed, err := waiting.Resume(o, good)
	require.NoError(t, err)
	assert.Equal(t, good, resumed.String())
	for text, want := range map[string]error{
		"": envelope.ErrKind, "hiring-watch-2 x": envelope.ErrKind, good[:len(good)-1]: envelope.ErrDamaged, "hiring-watch-1": envelope.ErrDamaged,
		sealed([]int{1}): envelope.ErrDamaged, sealed(map[string]string{"Delivered": "AAAA"}): envelope.ErrDamaged,
		sealed(map[string]string{"Delivered": "?"}): envelope.ErrDamaged, sealed(map[string]int{"Meaning": 99}): envelope.ErrDamaged,
		sealed(strings.Repeat("x", waiting.MaxState)): envelope.ErrDamaged,
	} {
		_, err := waiting.Resume(o, text)
		require.ErrorIs(t, err, want, text[:min(len(text), 200)])
	}
}

// sealed returns the text of a state.
func sealed(state any) string { return envelope.Kind{Name: "watch", Version: 1}.Seal(state) }

// TestMemoryIsBounded checks this for any order, and that nothing is lost.
func TestMemoryIsBounded(t *testing.T) {
	for _, order := range []emulator.Order{emulator.NewestCreated, emulator.NoOrder} {
		all := emulator.Batch(1, noon.Add(-2*h), 4500, h)
		o := usualOptions()
		o.Start = noon.Add(-day)
		sim := &simulation{service: emulator.New(emulator.Behavior{Order: order}, 1, all), options: o, begin: noon, over: h, restart: 10 * m}
		sim.run()
		require.NoError(t, sim.err)
		assert.Zero(t, sim.lost(all, o.Start, noon))
		assert.Less(t, sim.largest, waiting.MaxState)
		if order == emulator.NewestCreated {
			assert.Zero(t, sim.twice)
		}
	}
}

// TestTheLatestAreRememberedWhenGradedAgain checks that 3,000 deliveries are remembered,
// even if there were more or they are long ago.
func TestTheLatestAreRememberedWhenGradedAgain(t *testing.T) {
	const delivered, remembered = 4000, 3000
	machine := watching()
	at := func(i int) time.Time { return noon.Add(time.Duration(i) * 10 * m) }
	page := func(from, to int, again time.Time) (a waiting.Response) {
		for i := from; i < to; i++ {
			a.Items = append(a.Items, finished(fmt.Sprint(i), at(i).Add(-h), at(i).Add(-m), again))
		}
		return a
	}
	for i := range delivered - 100 {
		machine.MarkDelivered(page(i, i+1, at(i)).Items[0])
	}
	requests := 0
	_, now := feed(t, machine, at(delivered), page(delivered-100, delivered, at(delivered-1)), func(waiting.Action) bool {
		requests++
		return requests > 50
	})
	_, err := machine.Handle(now, page(delivered, delivered+1, now)) // One more than the limit.
	require.NoError(t, err)
	for from := delivered + 1 - remembered; from < delivered; from += 100 {
		action, when := next(t, machine, now)
		require.Equal(t, waiting.List, action.Kind)
		ready, err := machine.Handle(when, page(from, min(from+100, delivered), when))
		require.NoError(t, err)
		require.Empty(t, ready, "from %d on", from)
		now = when.Add(latency)
	}
	assert.Less(t, len(machine.String()), 80<<10, "the others are forgotten")
}

// TestACursorThatIsIgnored checks that it is an error, and that an expired cursor is not.
func TestACursorThatIsIgnored(t *testing.T) {
	page := waiting.Response{Items: []waiting.Item{finished("a", noon, noon.Add(s), noon.Add(2*s))}, Cursor: "1"}
	for name, c := range map[string]struct {
		cursor waiting.Response
		after  time.Duration
		want   error
	}{
		"ignored": {waiting.Response{Items: page.Items, Cursor: "2"}, s, waiting.ErrCursorIgnored},
		"refused": {waiting.Response{Rejected: true}, s, waiting.ErrRejected},
		"expired": {waiting.Response{Rejected: true}, m, nil},
	} {
		machine, now := watching(), noon
		var err error
		for range 100 {
			action, at := next(t, machine, now)
			response := page
			if action.Cursor != "" {
				response, at = c.cursor, at.Add(c.after)
			}
			if _, err = machine.Handle(at, response); err != nil {
				break
			}
			now = at.Add(latency)
		}
		assert.ErrorIs(t, err, c.want, name)
	}
}

// TestTheExperimentTakesTheClearestItem checks that the item with the largest smallest
// gap between its times is chosen, and then the oldest.
func TestTheExperimentTakesTheClearestItem(t *testing.T) {
	clearest := finished("clear", noon.Add(-3*h), noon.Add(-2*h), noon.Add(-h))
	closest := finished("close", noon.Add(-m), noon.Add(-40*s), noon.Add(-20*s))
	older := finished("older", noon.Add(-5*h), noon.Add(-4*h), noon.Add(-2*h))
	for _, page := range [][]waiting.Item{{closest, clearest, older}, {older, clearest, closest}} {
		machine := watching()
		_, at := next(t, machine, noon)
		_, err := machine.Handle(at, waiting.Response{Items: page})
		require.NoError(t, err)
		action, _ := next(t, machine, at)
		assert.Equal(t, clearest.Evaluated.Add(-10*m), action.Since)
	}
}

// TestTheExperimentTakesAnItemThatNoHourConfuses uses two items with the same gaps. An
// API that truncates since to the hour may give the same response for the younger one,
// whether since is about creation or evaluation.
func TestTheExperimentTakesAnItemThatNoHourConfuses(t *testing.T) {
	younger := finished("younger", noon.Add(-110*m), noon.Add(-62*m), noon.Add(-58*m))
	certain := finished("clear", noon.Add(-235*m), noon.Add(-128*m), noon.Add(-124*m))
	for _, page := range [][]waiting.Item{{younger, certain}, {certain, younger}} {
		machine := watching()
		_, at := next(t, machine, noon)
		_, err := machine.Handle(at, waiting.Response{Items: page})
		require.NoError(t, err)
		action, _ := next(t, machine, at)
		assert.Equal(t, certain.Evaluated.Add(-2*m), action.Since)
	}
}

// TestAPollReadsAtMostFiftySingly: the next poll reads the others.
func TestAPollReadsAtMostFiftySingly(t *testing.T) {
	o := usualOptions()
	for i := range 120 {
		o.Known = append(o.Known, fmt.Sprintf("id-%03d", i))
	}
	machine := waiting.New(o)
	_, at := next(t, machine, noon)
	_, err := machine.Handle(at, waiting.Response{})
	require.NoError(t, err)
	for _, want := range []int{50, 50, 20} {
		n := 0
		action := machine.Next(at, plenty)
		for ; action.Kind == waiting.Get; action = machine.Next(at, plenty) {
			n++
			_, err := machine.Handle(at, waiting.Response{Items: []waiting.Item{{ID: action.ID, Created: noon.Add(-h), Status: "grading"}}})
			require.NoError(t, err)
		}
		assert.Equal(t, want, n)
		require.Equal(t, waiting.Wait, action.Kind)
		at = action.Until
		action = machine.Next(at, plenty)
		if action.Kind == waiting.List {
			_, err := machine.Handle(at, waiting.Response{})
			require.NoError(t, err)
		}
	}
}

// TestAnOldItemEndsAnIterationOnlyInOrder checks both orders.
func TestAnOldItemEndsAnIterationOnlyInOrder(t *testing.T) {
	old := waiting.Item{ID: "old", Created: noon.Add(-2 * h), Status: "grading"}
	young := waiting.Item{ID: "a", Created: noon, Status: "grading"}
	for want, page := range map[string][]waiting.Item{"1": {old, young, old}, "": {young, old}} {
		o := usualOptions()
		o.Known, o.Start = []string{"a", "b", "c", "d"}, noon.Add(-h)
		machine := waiting.New(o)
		_, at := next(t, machine, noon)
		_, err := machine.Handle(at, waiting.Response{Items: page, Cursor: "1"})
		require.NoError(t, err)
		action, _ := next(t, machine, at)
		assert.Equal(t, want, action.Cursor)
	}
}

// TestAClockThatIsPutBackDoesNotProlongAPause checks the end of an interval.
func TestAClockThatIsPutBackDoesNotProlongAPause(t *testing.T) {
	machine := watching()
	_, at := next(t, machine, noon)
	_, err := machine.Handle(at, waiting.Response{Failed: true})
	require.NoError(t, err)
	assert.Equal(t, waiting.Wait, machine.Next(at, plenty).Kind)
	assert.Equal(t, waiting.List, machine.Next(at.Add(-2*h), plenty).Kind)
}

// TestEveryKnownIDIsConfirmedWithinTheHour although no listing shows it.
func TestEveryKnownIDIsConfirmedWithinTheHour(t *testing.T) {
	for _, on := range meanings {
		all := emulator.Batch(1, noon, 40, day)
		for _, it := range all {
			it.Evaluated = noon.Add(day)
		}
		all[7].Deleted = noon.Add(2 * h)
		o := usualOptions()
		o.Known = ids(all)
		sim := &simulation{service: emulator.New(emulator.Behavior{Since: on}, 1, all), options: o, begin: noon, over: 3 * h}
		sim.run()
		assert.Equal(t, []string{all[7].ID}, sim.machine.Missing(), on)
	}
}

// TestAttemptsNearlyDoneAtTheBeginningComeSoon starts a watch that has not listed the
// unfinished attempts which are evaluated in its first minutes. It reads all of Lookback
// once: 650 pages here.
func TestAttemptsNearlyDoneAtTheBeginningComeSoon(t *testing.T) {
	t.Parallel()
	for _, seed := range atLength([]uint64{3}, []uint64{3, 4, 5}) {
		all := emulator.Stream(seed, noon.Add(-33*day), 33*day+6*h, 2000, usualLife)
		f := watchAll(emulator.Behavior{Since: emulator.OnCreation}, all, 5*h, 0, nil)
		(&limits{rate: 370, p95: m, p99: 2 * m, max: 15 * m}).check(t, &f)
	}
}

// TestUnfilteredPagesAlternate between the newest submissions and those created lately,
// because in a listing without order the unfinished may be anywhere.
func TestUnfilteredPagesAlternate(t *testing.T) {
	x := finished("x", noon.Add(-3*h), noon.Add(-2*h), noon.Add(-h))
	young := waiting.Item{ID: "young", Created: noon, Status: "grading"}
	machine := watching()
	_, now := next(t, machine, noon)
	_, err := machine.Handle(now, waiting.Response{Items: []waiting.Item{x, young}})
	require.NoError(t, err)
	recent, all := 0, 0
	for at := now; at.Before(noon.Add(8 * h)); {
		action, when := next(t, machine, at)
		response := waiting.Response{Items: []waiting.Item{young}}
		switch {
		case action.Status == waiting.Evaluated:
			response.Items = []waiting.Item{x}
		case action.Kind == waiting.List && action.Status == "" && action.Since.IsZero():
			all++
		case action.Kind == waiting.List && action.Status == "" && action.Since.After(when.Add(-4*h)):
			recent++
		}
		_, err := machine.Handle(when, response)
		require.NoError(t, err)
		at = when.Add(latency)
	}
	assert.GreaterOrEqual(t, all, 3)
	assert.GreaterOrEqual(t, recent, 3)
}

// TestOutageIsNoEvidenceAgainstTheFilter checks that evaluations during an outage are not
// evidence against the status filter, also when the poll that finds them began before.
func TestOutageIsNoEvidenceAgainstTheFilter(t *testing.T) {
	t.Parallel()
	all := emulator.Stream(1, noon.Add(-5*day), 9*day, 500, usualLife)
	for i := range atLength(3, 12) { // One of these polls reads the whole listing.
		var sim *simulation
		down := noon.Add(6*h + time.Duration(i)*m)
		watchAll(emulator.Behavior{Since: emulator.OnCreation}, all, 82*h, h, func(s *simulation) {
			sim = s
			s.service.Down = func(now time.Time) bool { return now.After(down) && now.Before(down.Add(3*day)) }
		})
		assert.Empty(t, sim.machine.Progress(sim.now).SlowReason)
	}
}

// TestAttemptsBetweenTwoWaysOfPollingAreNotLate uses known ids, which are searched among
// the evaluated until the unfinished are fewer. An attempt that is submitted and graded
// during the change was in neither listing.
func TestAttemptsBetweenTwoWaysOfPollingAreNotLate(t *testing.T) {
	t.Parallel()
	for _, seed := range []uint64{4, 10} {
		all := emulator.ManyAttempts(seed, noon, 1000, 8*h, usualLife)
		o := usualOptions()
		o.Known, o.Seed = ids(all), seed+99
		sim := &simulation{service: emulator.New(emulator.Behavior{Since: emulator.OnCreation}, 1, all), options: o, begin: noon, over: 10 * h}
		sim.run()
		f := sim.measure(all, noon, noon.Add(10*h))
		assert.Zero(t, f.lost)
		assert.LessOrEqual(t, f.quantile(1), 2*m)
	}
}

// TestThousandsAtOnceComeOnce has more evaluations than are otherwise remembered. None of
// them is old enough to be distinguished from new ones by its times.
func TestThousandsAtOnceComeOnce(t *testing.T) {
	size, span := atLength(4500, 10_000), atLength(3*h, 8*h)
	for _, on := range meanings {
		for name, apart := range map[string]time.Duration{"created apart": 20 * time.Millisecond, "created at once": 0} {
			if !isLong() && (apart == 0) != (on == emulator.OnEvaluation || on == emulator.OnCreation) {
				continue
			}
			t.Run(name+"/"+on.String(), func(t *testing.T) {
				t.Parallel()
				all := emulator.Batch(1, noon.Add(h), size, s)
				for i, it := range all {
					it.Created = noon.Add(10*m + time.Duration(i)*apart)
					it.Submitted, it.Evaluated = noon.Add(h), noon.Add(h+3*m)
				}
				f := watchAll(emulator.Behavior{Since: on}, all, span, h, nil)
				assert.Zero(t, f.twice, "twice")
				assert.Zero(t, f.lost, "lost")
				assert.LessOrEqual(t, f.state, waiting.MaxState)
				t.Log(f.String())
			})
		}
	}
}

// TestABurstIsNotListedRepeatedly where nothing new comes after it.
func TestABurstIsNotListedRepeatedly(t *testing.T) {
	t.Parallel()
	for _, on := range meanings {
		all := emulator.Batch(1, noon.Add(h), 1000, s)
		for _, it := range all {
			it.Submitted, it.Evaluated = noon.Add(h), noon.Add(h+3*m)
		}
		f := watchAll(emulator.Behavior{Since: on}, all, 12*h, h, nil)
		assert.Zero(t, f.twice+f.lost, "%s", on)
		assert.LessOrEqual(t, f.rate, 220.0, "reads an hour, since on %s", on)
		t.Log(on, f.String())
	}
}

// TestWhatAwaitsItsReportIsDroppedLast shows more submissions than a state holds, the oldest of
// them evaluated without their reports.
func TestWhatAwaitsItsReportIsDroppedLast(t *testing.T) {
	o := usualOptions()
	o.Start = noon
	machine := waiting.New(o)
	var items []waiting.Item
	for i := range 4000 {
		it := waiting.Item{ID: fmt.Sprintf("%036d", i), Created: noon.Add(time.Duration(i-5000) * time.Minute), Status: "started"}
		if i < 10 {
			it.Status, it.Submitted, it.Evaluated = waiting.Evaluated, noon, noon.Add(time.Second)
		}
		items = append(items, it)
	}
	require.Equal(t, waiting.List, machine.Next(noon.Add(time.Minute), waiting.Budget{Left: 900, Whole: 900, Ends: time.Hour}).Kind)
	_, err := machine.Handle(noon.Add(time.Minute), waiting.Response{Items: items})
	require.NoError(t, err)
	assert.Less(t, machine.Pending(), 4000)
	for i := range 10 {
		assert.True(t, machine.IsPending(fmt.Sprintf("%036d", i)))
	}
}
