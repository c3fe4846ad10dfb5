package hiring

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	"github.com/hiring-assessment/hiring-go/internal/defaults"
	"github.com/hiring-assessment/hiring-go/internal/poll"
)

// interval is the range of the random interval between two polls.
type interval struct{ shortest, longest time.Duration }

func newInterval(shortest, longest time.Duration) (interval, error) {
	err := joinParams(
		checkUnit("MinInterval", shortest), checkNotNegative("MinInterval", shortest),
		checkUnit("MaxInterval", longest), checkNotNegative("MaxInterval", longest),
	)
	shortest = cmp.Or(shortest, min(defaults.MinInterval, cmp.Or(longest, defaults.MinInterval)))
	longest = cmp.Or(longest, max(defaults.MaxInterval, shortest))
	if err == nil && longest < shortest {
		err = &ParamError{Param: "MinInterval, MaxInterval", Problem: "the maximum must not be shorter than the minimum"}
	}
	if err != nil {
		shortest, longest = defaults.MinInterval, defaults.MaxInterval
	}
	return interval{shortest, longest}, err
}

// jitter returns how much longer than planned a poll waits at random: up to the difference of the
// intervals, and in proportion for a wait that is shorter than the shortest.
func (i interval) jitter(wait time.Duration) time.Duration {
	most := float64(i.longest-i.shortest) * min(1, float64(wait)/float64(i.shortest))
	return rand.N(time.Duration(most) + 1) //nolint:gosec // spreads requests; nothing secret depends on it
}

// options returns the options of a machine that polls in these intervals.
func (i interval) options(lookback time.Duration) poll.Options {
	return poll.Options{Interval: i.shortest + (i.longest-i.shortest)/2, ShortestPause: i.shortest, Lookback: lookback}
}

// pollLoop is what Tail, Watch and WaitReports share: the loop, what follows a failed poll, and the
// account of each key.
type pollLoop struct {
	core       *core
	operation  string      // The method that polls.
	unfinished string      // Begins the error at the end of the context.
	interval   interval    // The interval between two polls.
	outage     poll.Outage // The polls that have failed since the last one that succeeded.

	used         *credential // The key of the last attempt; noKey before the first.
	account      string      // The account that each response must be of. Empty: that of the first key.
	otherAccount *ParamError // Returned for a response of another account. Nil: accounts are not compared.

	onPolled func(next time.Time) // Called after each poll with the time of the next one, zero when there is none.
	requests int                  // How many requests were sent so far.
	lastHour []time.Time          // When the requests of the last hour were sent.
}

func newPollLoop(k *core, operation string, between interval) pollLoop {
	l := pollLoop{core: k, operation: operation, interval: between, used: noKey, onPolled: func(time.Time) {}}
	if k.config.keySource != nil {
		const problem = "returned a key of another account than before: use a client for each account"
		l.otherAccount = &ParamError{Param: "WithKeySource", Problem: problem}
	}
	return l
}

// step polls once. It returns the time until the next poll, or done when none follows.
type step func(context.Context) (wait time.Duration, done bool, err error)

// run calls step until no poll follows. It returns an error that no later poll can repair, and ends
// at once if the context ends before the rate limit's window.
func (l *pollLoop) run(ctx context.Context, step step) error {
	for {
		wait, done, err := step(ctx)
		if errors.Is(err, errBreak) {
			return err
		}
		wait, reason, final := l.followUp(ctx, wait, err)
		if final != nil {
			return final
		}
		if l.outage.ShouldLog(time.Now()) {
			l.core.warn(ctx, "hiring: polls fail and are repeated", "operation", l.operation, "since", l.outage.Began, "error", failureIn(err))
		}
		if done {
			l.onPolled(time.Time{})
			return nil
		}
		l.onPolled(time.Now().Add(wait))
		pause := sleep
		if reason == PauseQuota { // No poll can succeed before the window ends.
			pause = sleepInTime
		}
		if ended := pause(ctx, wait, reason); ended != nil {
			if err != nil {
				ended = joinContext(ended, err)
			}
			return l.named(ended)
		}
	}
}

// followUp returns what follows a poll: the time until the next one, with the reason for it, or
// the error that ends the call. planned is that time if the poll did not fail. After a failure it
// is what the API asked for, or the pause of the outage.
func (l *pollLoop) followUp(ctx context.Context, planned time.Duration, err error) (wait time.Duration, reason PauseReason, final error) {
	failure := failureIn(err)
	reason = PausePoll
	switch {
	case err == nil:
		l.outage = poll.Outage{}
		l.core.shared.polled.Store(true)
		return planned, PausePoll, nil
	case ctx.Err() != nil:
		return 0, "", l.named(join(ctx, err))
	case !mayRepeatPoll(err, l.core.shared.polled.Load()):
		return 0, "", err
	case failure.isDeferred(): // The API responds: an outage has ended.
		l.outage, reason = poll.Outage{}, PauseQuota
	case l.outage.Add(time.Now(), failure.Status/100 == 3):
		return 0, "", err
	}
	return cmp.Or(min(failure.RetryAfter, poll.LongestRetryAfter), l.outage.Pause(l.interval.longest)), reason, nil
}

// named returns the error at the end of the context. It names the method, because a request in
// flight names another.
func (l *pollLoop) named(err error) error {
	return &describedError{"hiring: " + l.operation + ": " + l.unfinished + strings.TrimPrefix(err.Error(), "hiring: "), []error{err}}
}

// prepare makes a request one of the loop: it leaves a share of the window to others, and its key
// is recorded.
func (l *pollLoop) prepare(r request) request {
	r.priority = priorityPolling
	r.beforeAttempt = func(key *credential) error {
		l.used = key
		return nil
	}
	return r
}

// countRequest counts a request that ended with err, unless it was not sent.
func (l *pollLoop) countRequest(err error) {
	if err == nil || failureIn(err).Attempts > 0 {
		l.requests++
		l.lastHour = append(slices.DeleteFunc(l.lastHour, func(at time.Time) bool { return time.Since(at) >= time.Hour }), time.Now())
	}
}

// requestEnded counts a request that ended with err, and checks that its response is of the account
// that counts, because a key source may return another key at any time. It reads the account of each
// key once.
func (l *pollLoop) requestEnded(ctx context.Context, err error) error {
	l.countRequest(err)
	account := l.core.shared.account(l.used.id)
	switch {
	case l.otherAccount == nil:
		return nil
	case err != nil && !isMissing(err): // A failure says nothing about the account, except a 404.
		return nil
	case account == "":
		if account, err = l.readAccount(ctx, l.used); err != nil {
			return err
		}
	}
	l.account = cmp.Or(l.account, account)
	if l.account != account {
		return l.otherAccount
	}
	return nil
}

// readAccount reads the account of a key, of the next one if key is nil.
func (l *pollLoop) readAccount(ctx context.Context, key *credential) (id string, err error) {
	r := l.prepare(newRequest("Account.Get", accountRoute))
	r.key = key
	account, err := do[Account](ctx, l.core, r)
	l.countRequest(err)
	if err == nil {
		l.core.shared.setAccount(l.used.id, account.ID)
	}
	return account.ID, err
}

// iterate returns an iterator over the results that run passes to yield. It yields the error of run
// last, except errBreak.
func iterate[T any](
	ctx context.Context, s *service, operation string, run func(ctx context.Context, yield func(T, error) bool) error,
) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		err := s.mustCore().traces.composed(ctx, operation, func(ctx context.Context) error {
			err := run(ctx, yield)
			if errors.Is(err, errBreak) {
				return nil
			}
			return err
		})
		if err != nil {
			yield(*new(T), err)
		}
	}
}

// errBreak is returned when the caller's loop has ended.
var errBreak = errors.New("the loop has ended")

// maxNamed is the number of ids that amounts names.
const maxNamed = 10

// amounts formats the number of things with those ids in a state, as in "2 reports pending (a, b)",
// or "" for none.
func amounts(ids []string, what, state string) string {
	if len(ids) == 0 {
		return ""
	}
	var names []string
	for _, id := range ids[:min(len(ids), maxNamed)] {
		names = append(names, clip(oneLine(id), 40))
	}
	more := ""
	if len(ids) > 1 {
		what += "s"
	}
	if len(ids) > maxNamed {
		more = ", …"
	}
	return fmt.Sprintf("%d %s %s (%s%s)", len(ids), what, state, strings.Join(names, ", "), more)
}
