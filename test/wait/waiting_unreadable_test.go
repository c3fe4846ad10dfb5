package wait_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hiring-assessment/hiring-go"
	"github.com/hiring-assessment/hiring-go/internal/testing/apitest"
	"github.com/hiring-assessment/hiring-go/sandbox"
)

// garbledReports are JSON that cannot be decoded as a report.
var garbledReports = map[string]string{
	"no object":     `"in the works"`,
	"a list":        `[{"evaluated":true}]`,
	"a wrong type":  `{"evaluated":true,"ship_score":"ninety"}`,
	"a huge number": `{"evaluated":true,"ship_score":1e999}`,
	"no fraction":   `{"evaluated":true,"ship_score":71.5}`,
	"deep within":   `{"evaluated":true,"pillars":[{"id":"craft","not_assessed":[7]}]}`,
	"no time":       `{"evaluated":true,"generated_at":"yesterday"}`,
}

// poisonous returns submissions that are evaluated within an hour. Every 40th has such a
// report.
func poisonous(report string) (crowd *largeService, isPoison func(id string) bool) {
	crowd = newLargeService("created", 200, time.Hour, within(5*time.Minute))
	crowd.garbled = func(i int) string {
		if i%40 == 20 && crowd.shows(int32(i), crowd.now()) {
			return report
		}
		return ""
	}
	return crowd, func(id string) bool { return crowdIndex(id)%40 == 20 }
}

func TestWatchContinuesPastAnUnreadableReport(t *testing.T) {
	t.Parallel()
	for name, report := range garbledReports {
		for _, on := range sinceFields {
			if on != sandbox.SinceCreated && name != "a wrong type" {
				continue
			}
			inBubble(t, name+" "+string(on), func(t *testing.T) {
				crowd, isPoison := poisonous(report)
				crowd.on = on
				got := newDelivered(crowd)
				var named []string
				client := crowd.client(t, hiring.WithObserver(func(_ context.Context, e hiring.Exchange) {
					if e.Err != nil {
						named = append(named, e.Err.Error())
					}
				}))
				ctx, cancel := context.WithTimeout(t.Context(), 3*time.Hour)
				defer cancel()
				for s, err := range client.Submissions.Watch(ctx, hiring.WatchOptions{}) {
					if err != nil {
						require.ErrorIs(t, err, context.DeadlineExceeded)
						break
					}
					got.take(s.ID)
					assert.Equal(t, isPoison(s.ID), s.Report == nil, s.ID)
					assert.Equal(t, "p", s.AssessmentID, "all else of it is there")
				}
				got.once(t, 2*time.Hour)
				for _, late := range got.late() {
					assert.Less(t, late, 20*time.Minute, "also of those that cannot be read")
				}
				require.Len(t, named, 5, "once each")
				assert.Contains(t, named[0], "hiring: Submissions.Report: 200 the response cannot be decoded: ")
			})
		}
	}
}

// TestPollContinuesPastAnUnreadableReport also uses a new client for each poll.
func TestPollContinuesPastAnUnreadableReport(t *testing.T) {
	t.Parallel()
	inBubble(t, "", func(t *testing.T) {
		crowd, isPoison := poisonous(garbledReports["a wrong type"])
		got := newDelivered(crowd)
		state := ""
		for time.Since(crowd.zero) < 3*time.Hour {
			polled, err := crowd.client(t).Submissions.Poll(t.Context(), hiring.WatchOptions{}, state)
			require.NoError(t, err)
			for _, s := range polled.Submissions {
				got.take(s.ID)
				assert.Equal(t, isPoison(s.ID), s.Report == nil, s.ID)
			}
			state = polled.State
			time.Sleep(polled.Wait)
		}
		got.once(t, 2*time.Hour)
	})
}

// TestSubmissionReadableInASingleReadIsDelivered uses a report that only the listing garbles.
func TestSubmissionReadableInASingleReadIsDelivered(t *testing.T) {
	inBubble(t, "", func(t *testing.T) {
		crowd, isPoison := poisonous(garbledReports["a wrong type"])
		crowd.single = func(i int, path string) (int, string) {
			if isPoison(crowdID(i)) && strings.HasSuffix(path, "/report") {
				return 200, fmt.Sprintf(`{"data":{"submission_id":%q,"evaluated":true,"ship_score":7},"meta":{"request_id":"req_0a"}}`, crowdID(i))
			}
			return 0, ""
		}
		ctx, cancel := context.WithTimeout(t.Context(), 3*time.Hour)
		defer cancel()
		came := 0
		for s, err := range crowd.client(t).Submissions.Watch(ctx, hiring.WatchOptions{}) {
			if err != nil {
				require.ErrorIs(t, err, context.DeadlineExceeded)
				break
			}
			came++
			require.NotNil(t, s.Report)
			assert.Equal(t, s.ID, s.Report.SubmissionID)
		}
		assert.Equal(t, 200, came)
		landed, err := wait(oneDay(t), crowd.client(t), crowdIDs(crowd), hiring.WaitOptions{})
		require.NoError(t, err)
		assert.Len(t, landed, 200)
	})
}

func TestWaitReportsNamesTheUnreadable(t *testing.T) {
	t.Parallel()
	for name, report := range garbledReports {
		inBubble(t, name, func(t *testing.T) {
			crowd, isPoison := poisonous(report)
			time.Sleep(time.Hour) // All have begun by then.
			landed, err := wait(oneDay(t), crowd.client(t), crowdIDs(crowd), hiring.WaitOptions{})
			assert.Len(t, landed, 195)
			assert.Less(t, time.Since(crowd.zero), 3*time.Hour)
			ended, ok := errors.AsType[*hiring.WaitError](err)
			require.True(t, ok, err)
			assert.Empty(t, ended.Pending)
			assert.Empty(t, ended.Missing)
			assert.Len(t, ended.Unreadable, 5)
			for _, id := range ended.Unreadable {
				assert.True(t, isPoison(id), id)
			}
			why, ok := errors.AsType[*hiring.Error](err)
			require.True(t, ok, err)
			assert.Equal(t, "/submissions/{id}/report", why.Route)
			assert.Contains(t, err.Error(), "5 reports unreadable")
			assert.Contains(t, err.Error(), "cannot be decoded")
		})
	}
}

// TestSubmissionUndecodableUntilEvaluatedIsWaitedFor uses a submission without a report
// until its evaluation.
func TestSubmissionUndecodableUntilEvaluatedIsWaitedFor(t *testing.T) {
	t.Parallel()
	for _, on := range sinceFields {
		inBubble(t, string(on), func(t *testing.T) {
			crowd := newLargeService(on, 100, time.Hour, within(5*time.Hour))
			crowd.garbled = func(i int) string {
				if crowd.shows(int32(i), crowd.now()) {
					return ""
				}
				return garbledReports["no object"]
			}
			time.Sleep(time.Hour)
			landed, err := wait(oneDay(t), crowd.client(t), crowdIDs(crowd), hiring.WaitOptions{})
			require.NoError(t, err)
			assert.Len(t, landed, 100)
		})
	}
}

// TestMissingAndUnreadable checks that the error lists both.
func TestMissingAndUnreadable(t *testing.T) {
	inBubble(t, "", func(t *testing.T) {
		crowd, _ := poisonous(garbledReports["a wrong type"])
		unknown := crowdID(4711)
		time.Sleep(time.Hour)
		_, err := wait(oneDay(t), crowd.client(t), append(crowdIDs(crowd), unknown), hiring.WaitOptions{})
		ended, ok := errors.AsType[*hiring.WaitError](err)
		require.True(t, ok, err)
		assert.Equal(t, []string{unknown}, ended.Missing)
		assert.Len(t, ended.Unreadable, 5)
		assert.Contains(t, err.Error(), "cannot be decoded")
	})
}

// TestAListingForTheCallerIsNotLenient checks that List returns an error for an
// undecodable submission.
func TestAListingForTheCallerIsNotLenient(t *testing.T) {
	fake := apitest.NewScriptedServer(t, apitest.RespondData(`[{"id":"s","status":"evaluated","report":7}]`))
	_, err := fake.Client().Submissions.List(hiring.SubmissionFilter{}).Page(t.Context())
	require.ErrorContains(t, err, "/data/0/report")
}

// oneDay limits a wait that might not end.
func oneDay(t *testing.T) context.Context {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 24*time.Hour)
	t.Cleanup(cancel)
	return ctx
}

func crowdIDs(c *largeService) (ids []string) {
	for i := range c.created {
		ids = append(ids, crowdID(i))
	}
	return ids
}
