package wait_test

import (
	"context"
	"errors"
	"math/rand/v2"
	"net/http"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hiring-assessment/hiring-go"
	"github.com/hiring-assessment/hiring-go/sandbox"
)

// watchKiller ends a watch at a point of its work, as a crash would.
type watchKiller struct {
	hiring.Checkpoint

	point   killPoint
	left    int          // Points before the kill.
	unsaved map[int]bool // Deliveries since the last save.
	repeats map[int]bool // Deliveries that may and must be repeated.
}

type killPoint int

const (
	atRequest killPoint = iota
	beforeSave
	afterSave
	failingSave
	inTheLoop
	leavingTheLoop
	killPoints
)

var (
	errKilled = errors.New("killed")
	errDisk   = errors.New("disk full")
)

func (k *watchKiller) at(p killPoint) bool {
	if p != k.point {
		return false
	}
	k.left--
	return k.left < 0
}

func (k *watchKiller) crash(p killPoint) {
	if k.at(p) {
		panic(errKilled)
	}
}

func (k *watchKiller) Save(ctx context.Context, state string) error {
	k.crash(beforeSave)
	if k.at(failingSave) {
		return errDisk
	}
	err := k.Checkpoint.Save(ctx, state)
	clear(k.unsaved)
	k.crash(afterSave)
	return err
}

// run watches until it is killed.
func (k *watchKiller) run(t *testing.T, crowd *largeService, o hiring.WatchOptions, got *deliveredOf) {
	t.Helper()
	defer func() {
		if r := recover(); r != nil && r != any(errKilled) {
			panic(r)
		}
		for i := range k.unsaved {
			k.repeats[i] = true
		}
		clear(k.unsaved)
	}()
	for s, err := range crowd.client(t).Submissions.Watch(t.Context(), o) {
		if err != nil {
			require.ErrorIs(t, err, errDisk)
			return
		}
		i := crowdIndex(s.ID)
		assert.True(t, got.times[i] == 0 || k.repeats[i], "%d was saved as delivered, and comes again", i)
		delete(k.repeats, i) // It was repeated.
		got.take(s.ID)
		k.unsaved[i] = true
		k.crash(inTheLoop)
		if k.at(leavingTheLoop) {
			return
		}
	}
}

// TestWatchSurvivesAKillAtAnyPoint kills the watch at requests, at saves and in the loop.
// Nothing is lost, and only deliveries that were not saved are repeated.
func TestWatchSurvivesAKillAtAnyPoint(t *testing.T) {
	t.Parallel()
	kills := atLength(10, 200)
	for _, on := range sinceFields {
		inBubble(t, string(on), func(t *testing.T) {
			random := rand.New(rand.NewPCG(5, uint64(len(on))))
			over := time.Duration(kills) * 2 * time.Hour
			crowd := newLargeService(on, 20*kills, over, within(6*time.Hour))
			k := &watchKiller{Checkpoint: new(memoryCheckpoint), unsaved: make(map[int]bool), repeats: make(map[int]bool)}
			if on == sandbox.SinceEvaluated {
				k.Checkpoint = hiring.FileCheckpoint(filepath.Join(t.TempDir(), "watch"))
			}
			crowd.intercept = func(*http.Request) (*http.Response, error) {
				k.crash(atRequest)
				return nil, nil
			}
			got := newDelivered(crowd)
			o := hiring.WatchOptions{Since: crowd.zero, MinInterval: 15 * time.Minute, MaxInterval: 20 * time.Minute, Checkpoint: k}
			repeated := 0
			for range kills {
				k.point, k.left = killPoint(random.IntN(int(killPoints))), random.IntN(20)
				k.run(t, crowd, o, got)
				repeated += len(k.repeats)
			}
			assert.Positive(t, repeated, "some kills came between a delivery and its save")
			k.point = killPoints
			time.Sleep(over + 6*time.Hour - time.Since(crowd.zero))
			ctx, cancel := context.WithTimeout(t.Context(), 3*time.Hour)
			defer cancel()
			for s, err := range crowd.client(t).Submissions.Watch(ctx, o) {
				if err != nil {
					break
				}
				i := crowdIndex(s.ID)
				assert.True(t, got.times[i] == 0 || k.repeats[i], "%d was saved as delivered, and comes again", i)
				delete(k.repeats, i)
				got.take(s.ID)
			}
			missed, _ := got.missed(over + 6*time.Hour)
			assert.Zero(t, missed, "missed")
			assert.Empty(t, k.repeats, "what was not saved comes again")
		})
	}
}
