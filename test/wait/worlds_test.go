package wait_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hiring-assessment/hiring-go"
	"github.com/hiring-assessment/hiring-go/internal/poll"
	"github.com/hiring-assessment/hiring-go/internal/testing/apitest"
	"github.com/hiring-assessment/hiring-go/internal/testing/emulator"
)

// answer has some requests answered by another responder.
func answer(tr *emulator.Transport, which func(*http.Request) bool, with apitest.Responder) {
	before := tr.Before
	tr.Before = func(r *http.Request) (*http.Response, error) {
		if which(r) {
			return with(r)
		}
		if before != nil {
			return before(r)
		}
		return nil, nil
	}
}

// growing has listings in pages of ten by position, and by submissions adds as many evaluated ones before it answers a request
// for a page from the second on.
func growing(tr *emulator.Transport, by func(page int) int) {
	tr.API.PageSize, tr.API.Positions = 10, true
	answer(tr, func(r *http.Request) bool {
		if _, position, later := strings.Cut(r.URL.Query().Get("cursor"), "@"); later {
			at, _ := strconv.Atoi(position)
			now := time.Since(tr.Begin)
			for range by(at / 10) {
				tr.API.Insert(&emulator.Submission{ID: fmt.Sprintf("t%03d", len(tr.API.IDs())), Created: now, Submitted: now, Evaluated: now})
			}
		}
		return false
	}, nil)
}

// isSingleRead returns a function that reports whether a request reads one submission, for a third of these requests.
func isSingleRead(r *rand.Rand) func(*http.Request) bool {
	return func(q *http.Request) bool { return strings.Contains(q.URL.Path, "/submissions/") && r.IntN(3) == 0 }
}

func asks(r *http.Request, name, value string) bool { return r.URL.Query().Get(name) == value }

func pick[E any](r *rand.Rand, all ...E) E { return all[r.IntN(len(all))] }

// failures are responses that do not come from the API, and none.
var failures = map[string]apitest.Responder{
	"page": apitest.Respond(200, "<html>"), "nothing": apitest.Respond(200, ""), "other JSON": apitest.Respond(200, `{"status":"ok"}`), "array": apitest.Respond(200, `[]`),
	"404": apitest.Respond(404, "default backend - 404"), "redirect": apitest.Respond(307, "", "Location: https://sorry.example.com/maintenance?key=1"),
	"transient: 408": apitest.Respond(408, ""), "transient: 501": apitest.Respond(501, ""), "transient: 502": apitest.Respond(502, "<html>"), "transient: 500": apitest.RespondError(500, hiring.ErrInternal),
	"transient: 429": apitest.RespondError(429, hiring.ErrRateLimited), "transient: reset": apitest.Fail(apitest.ErrReset), "transient: dial": apitest.Fail(apitest.DialError),
	"transient: timeout": apitest.Block(), "transient: cut": apitest.Truncate(200, `{"data"`, io.ErrUnexpectedEOF), "transient: clean cut": apitest.Respond(200, `{"data"`),
}

// defects are what can be wrong with the service, its clock and the network.
var defects = map[string]func(tr *emulator.Transport, r *rand.Rand){
	"none": func(*emulator.Transport, *rand.Rand) {},
	"clock": func(tr *emulator.Transport, r *rand.Rand) {
		tr.Ahead = pick(r, -7*day, -time.Hour, time.Minute, time.Hour, 7*day)
	},
	"no Date": func(tr *emulator.Transport, r *rand.Rand) {
		tr.NoDate, tr.Ahead = true, pick(r, -26*time.Hour, 26*time.Hour)
	},
	"other Date":       func(tr *emulator.Transport, r *rand.Rand) { tr.API.DateAhead = pick(r, -26*time.Hour, 26*time.Hour) },
	"null":             func(tr *emulator.Transport, _ *rand.Rand) { tr.API.NullFor = day },
	"future":           func(tr *emulator.Transport, _ *rand.Rand) { tr.API.Future = "s007" },
	"statuses":         func(tr *emulator.Transport, r *rand.Rand) { tr.API.Unfinished = pick(r, "refused", "empty", "ignored") },
	"500 now and then": func(tr *emulator.Transport, _ *rand.Rand) { tr.API.Refusing = 0.05 },
	"wrong Date": func(tr *emulator.Transport, r *rand.Rand) {
		tr.API.WrongFrom, tr.API.WrongBy = time.Duration(r.Int64N(int64(40*time.Hour)))+time.Minute, pick(r, -3*day, 3*day)
		tr.API.WrongTo = tr.API.WrongFrom + time.Hour
	},
	"500 of a listing": func(tr *emulator.Transport, r *rand.Rand) {
		broken := pick(r, "", "grading", "in_progress")
		tr.API.Broken = func(q poll.Request) bool { return q.ID == "" && q.Status == broken }
	},
	"500 of a submission": func(tr *emulator.Transport, _ *rand.Rand) {
		tr.API.Submission("s001").Ready += 2 * time.Hour
		tr.API.Broken = func(q poll.Request) bool { return q.ID == "s001" }
	},
	"undecodable listing": func(tr *emulator.Transport, _ *rand.Rand) {
		answer(tr, func(r *http.Request) bool { return asks(r, "status", "grading") }, apitest.RespondData(`"x"`))
	},
	"cut 400": func(tr *emulator.Transport, _ *rand.Rand) {
		answer(tr, func(r *http.Request) bool { return asks(r, "status", "grading") }, apitest.Truncate(400, `{"error":{"co`, io.ErrUnexpectedEOF))
	},
	"expired cursors": func(tr *emulator.Transport, r *rand.Rand) {
		tr.API.PageSize = 5
		answer(tr, func(q *http.Request) bool { return !asks(q, "cursor", "") && r.IntN(8) == 0 }, apitest.RespondError(400, hiring.ErrInvalidInput))
	},
	"growing list": func(tr *emulator.Transport, r *rand.Rand) {
		var byAPage time.Time // A listing that grows by a page twice is like one whose cursors are ignored.
		growing(tr, func(int) int {
			by := pick(r, 0, 0, 1, 10)
			switch {
			case time.Since(tr.Begin) > 3*time.Hour || len(tr.API.IDs()) >= 120:
				return 0
			case by == 10 && time.Since(byAPage) < time.Hour:
				return 1
			case by == 10:
				byAPage = time.Now()
			}
			return by
		})
	},
	"shown twice": func(tr *emulator.Transport, _ *rand.Rand) { tr.Twice = true },
	"other ids": func(tr *emulator.Transport, r *rand.Rand) {
		answer(tr, isSingleRead(r), apitest.RespondData(`{"id":"other","status":"evaluated","report":{"evaluated":true}}`))
	},
	"404 of a proxy": func(tr *emulator.Transport, r *rand.Rand) { answer(tr, isSingleRead(r), failures["404"]) },
	"undecodable reads": func(tr *emulator.Transport, r *rand.Rand) {
		answer(tr, isSingleRead(r), apitest.RespondData(pick(r, `{}`, `{"id":7}`, `{"id":"{id}","status":7}`)))
	},
	"failing pages": func(tr *emulator.Transport, r *rand.Rand) {
		tr.API.PageSize, tr.API.Refusing, tr.API.RetryAfter = 5, pick(r, 0.01, 0.05, 0.1), pick(r, 0, 90*time.Second)
	},
	"connections": func(tr *emulator.Transport, r *rand.Rand) {
		answer(tr, func(*http.Request) bool { return r.IntN(10) == 0 }, apitest.Fail(apitest.ErrReset))
	},
	"outage": func(tr *emulator.Transport, r *rand.Rand) {
		from, with := tr.Begin.Add(time.Hour+time.Duration(r.Int64N(int64(time.Hour)))), failures[pick(r, slices.Sorted(maps.Keys(failures))...)]
		answer(tr, func(*http.Request) bool { return time.Since(from) > 0 && time.Since(from) < 40*time.Minute }, with)
	},
}

// TestRandomWorlds combines defects. Each of the ways to wait finds all submissions. A crash repeats at most the one that
// was not saved. Nothing is yielded but submissions.
func TestRandomWorlds(t *testing.T) {
	names := slices.Sorted(maps.Keys(defects))
	seeds, step := 3*len(names), 5
	if apitest.Thorough() {
		step = 1
	}
	if apitest.Long() {
		seeds = 500
	}
	for seed := 0; seed < seeds; seed += step {
		r := rand.New(rand.NewPCG(uint64(seed), 8))
		chosen := []string{names[seed%len(names)]}
		other := names[r.IntN(len(names))]
		lost := strings.Contains(chosen[0]+other, "Date") && strings.Contains(chosen[0]+other, "future") // A wrong clock and a time in the future.
		if seed >= len(names) && !lost {
			chosen = append(chosen, other)
		}
		inBubble(t, fmt.Sprint(seed, chosen), func(t *testing.T) {
			tr := emulated(60, 3*time.Hour)
			tr.API.Since, tr.API.Seed = pick(r, "created", "evaluated", "ignored"), uint64(seed)
			for _, name := range chosen {
				defects[name](tr, r)
			}
			crashes := 0
			got, ids := map[string]int{}, tr.API.IDs()
			watches := seed/len(names)%3 < 2
			switch seed / len(names) % 3 {
			case 0:
				watchWithoutEnd(t, tr, got)
			case 1:
				crashes = watchWithCrashes(t, tr, r, got)
			case 2:
				waitForAll(t, tr, got)
			}
			if watches { // Those that were added too.
				ids = tr.API.IDs()
			}
			repeated := 0
			for _, id := range ids {
				assert.Positive(t, got[id], id)
				repeated += max(0, got[id]-1)
			}
			assert.LessOrEqual(t, repeated, crashes)
		})
	}
}

// options of a watch from the beginning, by the times of the submissions.
func optionsFor(tr *emulator.Transport) hiring.WatchOptions {
	return hiring.WatchOptions{Since: tr.Begin.Add(tr.Ahead - 10*time.Minute), MinInterval: 5 * time.Minute, MaxInterval: 5 * time.Minute, Checkpoint: new(memoryCheckpoint)}
}

const lengthOfWorld = 48 * time.Hour

func watchWithoutEnd(t *testing.T, tr *emulator.Transport, got map[string]int) {
	ctx, cancel := context.WithTimeout(t.Context(), lengthOfWorld)
	defer cancel()
	for s, err := range clientOf(t, tr).Submissions.Watch(ctx, optionsFor(tr)) {
		if err != nil {
			require.ErrorIs(t, err, context.DeadlineExceeded)
			break
		}
		got[s.ID]++
	}
}

// watchWithCrashes ends runs at random requests and at random results.
func watchWithCrashes(t *testing.T, tr *emulator.Transport, r *rand.Rand, got map[string]int) (crashes int) {
	o := optionsFor(tr)
	for ; time.Since(tr.Begin) < lengthOfWorld; crashes++ {
		ctx, crash := context.WithCancel(t.Context())
		requests, results := r.IntN(60), r.IntN(8)
		client := clientOf(t, tr, hiring.WithObserver(func(context.Context, hiring.Exchange) {
			if requests--; requests < 0 {
				crash()
			}
		}))
		for s, err := range client.Submissions.Watch(ctx, o) {
			if err != nil {
				break
			}
			if results--; results < 0 { // The process is killed before or after it has handled the result.
				got[s.ID] += r.IntN(2)
				break
			}
			got[s.ID]++
		}
		crash()
		time.Sleep(time.Duration(r.Int64N(int64(20 * time.Minute))))
	}
	return crashes
}

func waitForAll(t *testing.T, tr *emulator.Transport, got map[string]int) {
	o := hiring.WaitOptions{MinInterval: 5 * time.Minute, MaxInterval: 5 * time.Minute}
	for report, err := range clientOf(t, tr).Submissions.WaitReports(within(t, 2*day), tr.API.IDs(), o) {
		if item, ok := errors.AsType[*hiring.ItemError](err); ok { // A single read that cannot be decoded.
			got[item.ID]++
			continue
		}
		require.NoError(t, err)
		got[report.SubmissionID]++
	}
	assert.Less(t, time.Since(tr.Begin), 12*time.Hour)
}
