package wait_test

import (
	"bytes"
	"context"
	"io"
	"log/slog"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hiring-assessment/hiring-go"
	"github.com/hiring-assessment/hiring-go/internal/testing/apitest"
	"github.com/hiring-assessment/hiring-go/sandbox"
)

// undecodable are ways to make a submission undecodable: what to replace by what, whether
// the ID can still be read, and the text in the log.
var undecodable = map[string]struct {
	pattern, replacement string
	named                bool
	problem              string
}{
	"a mistyped number": {`"status"`, `"paused_total_seconds":"ada@example.com","status"`, true, "/paused_total_seconds has a string instead of a whole number"},
	"a bad candidate":   {`"status"`, `"candidate":"ada@example.com","status"`, true, "/candidate has a string instead of an object"},
	"no zone":           {`("created_at":"[^"]*)Z"`, `$1"`, true, "/created_at has a string instead of a time"},
	"no time":           {`"evaluated_at":"[^"]*"`, `"evaluated_at":"ada@example.com"`, true, "/evaluated_at has a string instead of a time"},
	"a mistyped time":   {`"evaluated_at":"[^"]*"`, `"evaluated_at":[]`, true, "/evaluated_at has a list instead of a time"},
	"no times at all":   {`"(\w+)_at":"[^"]*"`, `"${1}_at":{}`, true, "_at has an object instead of a time"},
	"a mistyped status": {`"status":"\w+"`, `"status":7`, true, "/status has a number instead of a string"},
	"a mistyped id":     {`"id":"00000000-0000-4000-8000-(\w+)"`, `"id":["$1"]`, false, "/id has a list instead of a string"},
	"no id":             {`"id":"[^"]*",`, ``, false, "/id is missing"},
	"no object":         {`.*`, `"ada@example.com"`, false, " has a string instead of an object"},
}

// spoiledCrowd returns submissions that are evaluated within three hours. Every 40th
// cannot be decoded until some hours after its evaluation.
func spoiledCrowd(on sandbox.SinceField, pattern, replacement string, hours int) (crowd *largeService, isBad func(i int) bool) {
	crowd = newLargeService(on, 200, 3*time.Hour, within(5*time.Minute))
	change := regexp.MustCompile(pattern)
	isBad = func(i int) bool { return i%40 == 20 }
	crowd.changeItem = func(i int, item string) string {
		if isBad(i) && crowd.now() < crowd.evaluated[i]+int64(hours)*3_600_000 {
			return change.ReplaceAllString(item, replacement)
		}
		return item
	}
	return crowd, isBad
}

// TestSubmissionThatCannotBeDecodedDelaysNoOther checks that the submission is delivered
// once it can be decoded, and that the log reports the problem once, without data.
func TestSubmissionThatCannotBeDecodedDelaysNoOther(t *testing.T) {
	t.Parallel()
	for name, c := range undecodable {
		for _, on := range fieldsFor(name) {
			inBubble(t, name+" "+string(on), func(t *testing.T) {
				const hours = 4
				crowd, isBad := spoiledCrowd(on, c.pattern, c.replacement, hours)
				got := newDelivered(crowd)
				var log bytes.Buffer
				client := crowd.client(t, hiring.WithLogger(slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelWarn}))))
				ctx, cancel := context.WithTimeout(t.Context(), 14*time.Hour)
				defer cancel()
				for s, err := range client.Submissions.Watch(ctx, hiring.WatchOptions{}) {
					if err != nil {
						require.ErrorIs(t, err, context.DeadlineExceeded)
						break
					}
					got.take(s.ID)
					assert.True(t, s.Report.Ready())
					assert.Equal(t, "p", s.AssessmentID)
				}
				got.once(t, 13*time.Hour)
				for n, late := range got.late() {
					if !isBad(got.log[n].i) {
						assert.Less(t, late, 20*time.Minute)
						continue
					}
					assert.GreaterOrEqual(t, late, hours*time.Hour)
					if c.named {
						assert.Less(t, late, hours*time.Hour*3/2+5*time.Minute)
					}
				}
				assert.Contains(t, log.String(), c.problem)
				assert.NotContains(t, log.String(), "ada@example.com")
				assert.NotContains(t, log.String(), "00000000-0000-4000-8000", "no ids either")
				lines := strings.Count(log.String(), "\n")
				assert.LessOrEqual(t, lines, 10, "one for each submission, and one for its evaluation")
				assert.Positive(t, lines)
			})
		}
	}
}

// TestSubmissionThatCannotBeDecodedIsReadByPages checks submissions that cannot be decoded for
// three days: each is read singly twice at most, and delivered within the limits of Watch and
// Poll once a page can be decoded, also if that is so because another client continues with the
// state, and if the API ignores a filter by the status of unfinished submissions.
func TestSubmissionThatCannotBeDecodedIsReadByPages(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		gap    time.Duration // Between two series of polls. 0: Watch with a checkpoint.
		latest time.Duration
		filter bool
	}{
		"watch":                           {0, time.Hour, true},
		"watch without a filter":          {0, time.Hour, false},
		"a poll an hour":                  {time.Hour, 3 * time.Hour, true},
		"a poll an hour without a filter": {time.Hour, 3 * time.Hour, false},
		"a poll a day":                    {24 * time.Hour, 48 * time.Hour, true},
		"a poll a day without a filter":   {24 * time.Hour, 48 * time.Hour, false},
	} {
		for _, on := range fieldsFor(name) {
			inBubble(t, name+" "+string(on), func(t *testing.T) {
				const mended = 73 * time.Hour
				crowd := newLargeService(on, 600, 100*time.Hour, within(5*time.Minute))
				crowd.filtersUnfinished = c.filter
				isBad := func(i int) bool { return i < 35 && i%7 == 3 } // In the first six hours.
				crowd.changeItem = func(i int, item string) string {
					if isBad(i) && crowd.now() < mended.Milliseconds() {
						return strings.Replace(item, `"status"`, `"paused_total_seconds":"x","status"`, 1)
					}
					return item
				}
				reads := make(map[int]int)
				crowd.intercept = func(r *http.Request) (*http.Response, error) {
					if i := crowdIndex(r.URL.Path); i >= 0 && isBad(i) && !strings.HasSuffix(r.URL.Path, "/submissions") {
						reads[i]++
					}
					return nil, nil
				}
				got, unreadable := newDelivered(crowd), 0
				if c.gap == 0 {
					o := hiring.WatchOptions{Checkpoint: new(memoryCheckpoint), MinInterval: 3 * time.Minute}
					got.watch(t, crowd.client(t), o, mended)
					got.watch(t, crowd.client(t), o, 3*time.Hour)
				}
				for state := ""; c.gap > 0 && time.Since(crowd.zero) < mended+4*c.latest; {
					polled, err := crowd.client(t).Submissions.Poll(t.Context(), hiring.WatchOptions{}, state)
					require.NoError(t, err)
					for _, s := range polled.Submissions {
						got.take(s.ID)
					}
					unreadable += len(polled.Unreadable)
					state = polled.State
					if polled.Wait > 0 {
						time.Sleep(c.gap)
					}
				}
				missed, twice := got.missed(mended - 48*time.Hour)
				assert.Zero(t, missed+twice)
				for _, one := range got.log {
					if isBad(one.i) {
						assert.Less(t, one.at, mended+c.latest)
					}
				}
				for i, n := range reads {
					assert.LessOrEqual(t, n, 2, i)
				}
				if c.gap > 0 {
					assert.Equal(t, 5, unreadable, "each once")
				}
				t.Log(crowd.requests, reads)
			})
		}
	}
}

// TestPollNamesSubmissionsThatCannotBeDecoded checks that each is reported once, also if
// each poll has a new client.
func TestPollNamesSubmissionsThatCannotBeDecoded(t *testing.T) {
	t.Parallel()
	for name, c := range undecodable {
		inBubble(t, name, func(t *testing.T) {
			crowd, isBad := spoiledCrowd(sandbox.SinceEvaluated, c.pattern, c.replacement, 4)
			got := newDelivered(crowd)
			var unreadable []string
			state := ""
			for time.Since(crowd.zero) < 14*time.Hour {
				polled, err := crowd.client(t).Submissions.Poll(t.Context(), hiring.WatchOptions{}, state)
				require.NoError(t, err)
				for _, s := range polled.Submissions {
					got.take(s.ID)
				}
				unreadable = append(unreadable, polled.Unreadable...)
				state = polled.State
				time.Sleep(max(polled.Wait, 5*time.Minute))
			}
			got.once(t, 13*time.Hour)
			var want []string
			for i := range crowd.created {
				if isBad(i) {
					want = append(want, crowdID(i))
				}
			}
			if c.named {
				assert.ElementsMatch(t, want, unreadable)
				return
			}
			slices.Sort(unreadable)
			assert.Equal(t, slices.Compact(slices.Clone(unreadable)), unreadable, "each once")
			assert.NotEmpty(t, unreadable)
			for _, id := range unreadable {
				assert.Regexp(t, "^unknown-[0-9a-f]{16}$", id)
			}
		})
	}
}

// TestPollNamesSubmissionsAfterACutResponse checks that the IDs are reported although the
// first response that contains them ends too early and is requested again.
func TestPollNamesSubmissionsAfterACutResponse(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"a mistyped id", "no object", "a mistyped number"} {
		inBubble(t, name, func(t *testing.T) {
			var unreadable [2][]string
			for n, cuts := range []bool{false, true} {
				c := undecodable[name]
				crowd, _ := spoiledCrowd(sandbox.SinceEvaluated, c.pattern, c.replacement, 4)
				cut := false
				crowd.intercept = func(r *http.Request) (*http.Response, error) {
					if cut = cuts && !cut && strings.HasSuffix(r.URL.Path, "/submissions"); !cut {
						return nil, nil
					}
					body, err := io.ReadAll(crowd.list(r).Body)
					return crowd.respond(r, 200, string(body[:len(body)-1])), err
				}
				state := ""
				for time.Since(crowd.zero) < 6*time.Hour {
					polled, err := crowd.client(t).Submissions.Poll(t.Context(), hiring.WatchOptions{}, state)
					require.NoError(t, err)
					unreadable[n] = append(unreadable[n], polled.Unreadable...)
					state = polled.State
					time.Sleep(max(polled.Wait, 5*time.Minute))
				}
			}
			assert.NotEmpty(t, unreadable[0])
			assert.Len(t, unreadable[1], len(unreadable[0]))
		})
	}
}

// TestWaitReportsNeedsOnlyTheReport checks submissions that cannot be decoded while their
// report can, and that the log reports each once.
func TestWaitReportsNeedsOnlyTheReport(t *testing.T) {
	t.Parallel()
	for name, c := range undecodable {
		for _, on := range fieldsFor(name) {
			inBubble(t, name+" "+string(on), func(t *testing.T) {
				crowd, isBad := spoiledCrowd(on, c.pattern, c.replacement, 1000)
				time.Sleep(3 * time.Hour)
				var log bytes.Buffer
				client := crowd.client(t, hiring.WithLogger(slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelWarn}))))
				landed, err := wait(oneDay(t), client, crowdIDs(crowd), hiring.WaitOptions{})
				require.NoError(t, err)
				assert.Len(t, landed, 200)
				lines := strings.Count(log.String(), "\n")
				assert.LessOrEqual(t, lines, 10, "one for each submission, and one for its evaluation")
				assert.Positive(t, lines)
				assert.Less(t, time.Since(crowd.zero), 5*time.Hour)
				assert.True(t, isBad(20))
			})
		}
	}
}

// TestPageOfSubmissionsThatCannotBeDecoded checks that such a page is not the end of a
// list.
func TestPageOfSubmissionsThatCannotBeDecoded(t *testing.T) {
	t.Parallel()
	for _, on := range atLength(sinceFields[:1], sinceFields) {
		inBubble(t, string(on), func(t *testing.T) {
			crowd, _ := spoiledCrowd(on, `"(\w+)_at":"[^"]*"`, `"${1}_at":7`, 0)
			change := regexp.MustCompile(`"(\w+)_at":"[^"]*"`)
			crowd.changeItem = func(i int, item string) string {
				if i >= 60 && crowd.now() < 6*3_600_000 {
					return change.ReplaceAllString(item, `"${1}_at":7`)
				}
				return item
			}
			time.Sleep(4 * time.Hour)
			got := newDelivered(crowd)
			begun := time.Now()
			o := hiring.WatchOptions{Since: crowd.zero}
			got.watch(t, crowd.client(t), o, 8*time.Hour)
			got.once(t, 12*time.Hour)
			soon := 0
			for _, one := range got.log {
				if crowd.zero.Add(one.at).Sub(begun) < 10*time.Minute {
					soon++
				}
			}
			assert.Equal(t, 60, soon, "what lies behind the others")
		})
	}
}

// TestUndecodableDataIsAnErrorStill checks that data which is not a list is an error.
func TestUndecodableDataIsAnErrorStill(t *testing.T) {
	for _, text := range []string{`{"id":"s"}`, `7`, `"s"`} {
		inBubble(t, text, func(t *testing.T) {
			fake := apitest.NewScriptedServer(t, apitest.RespondData(`{"id":"a"}`), apitest.RespondData(text))
			_, err := fake.Client().Submissions.Poll(t.Context(), hiring.WatchOptions{}, "")
			require.ErrorContains(t, err, "cannot be decoded: /data has")
		})
	}
	inBubble(t, "too many", func(t *testing.T) {
		fake := apitest.NewScriptedServer(t, apitest.RespondData(`{"id":"a"}`), apitest.RespondData("["+strings.Repeat(`{"id":7},`, 1000)+`{"id":"s"}]`))
		_, err := fake.Client().Submissions.Poll(t.Context(), hiring.WatchOptions{}, "")
		require.ErrorContains(t, err, "more than 1000 items")
		fake = apitest.NewScriptedServer(t, apitest.RespondData(`{"id":"a"}`), apitest.RespondData("["+strings.Repeat(`{},`, 4)+`{"id":"s"}]`))
		var log bytes.Buffer
		client := fake.Client(hiring.WithLogger(slog.New(slog.NewTextHandler(&log, nil))))
		polled, err := client.Submissions.Poll(t.Context(), hiring.WatchOptions{}, "")
		require.NoError(t, err)
		assert.Len(t, polled.Unreadable, 1, "nothing tells them apart")
		assert.Contains(t, log.String(), "/data/0/id is missing")
	})
}
