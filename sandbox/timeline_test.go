package sandbox_test

import (
	"encoding/json"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hiring-assessment/hiring-go/sandbox"
)

var steady = sandbox.Timeline{Open: time.Hour, Begin: 2 * time.Hour, Submit: 30 * time.Minute, Evaluate: 4 * time.Hour}

func TestStepsHaveTheTimeAtWhichTheyWereDue(t *testing.T) {
	l := liveWorld(at(noon), sandbox.WithTimeline(steady))
	posting := l.assess(t)
	var invited []string
	for n := range 3 {
		invited = append(invited, l.invite(t, posting, fmt.Sprintf("c%d@example.test", n)))
		l.s.Advance(time.Minute)
	}
	l.s.Advance(1000 * time.Hour)
	submissions := into[[]json.RawMessage](t, l.get(t, "/submissions"))
	require.Len(t, submissions, 3)
	for n, want := range []string{"02", "01", "00"} {
		s := conforms(t, "submission", submissions[n])
		assert.Equal(t, []string{"evaluated", "2026-03-10T15:" + want + ":00.123Z", "2026-03-10T15:" + want + ":00.123Z", "2026-03-10T15:3" + want[1:] + ":00.123Z",
			"2026-03-10T19:3" + want[1:] + ":00.123Z"},
			[]string{s.text("status"), s.text("created_at"), s.text("started_at"), s.text("submitted_at"), s.text("evaluated_at")})
		r := conforms(t, "report", s["report"])
		assert.Equal(t, s.text("evaluated_at"), r.text("generated_at"))
		i := l.invitation(t, posting, invited[2-n])
		assert.Equal(t, []string{"evaluated", "2026-03-10T13:" + want + ":00.123Z", s.text("started_at"), s.text("submitted_at")},
			[]string{i.text("status"), i.text("opened_at"), i.text("started_at"), i.text("submitted_at")})
	}
	again := liveWorld(at(noon), sandbox.WithTimeline(steady))
	posting = again.assess(t)
	for n := range 3 {
		again.invite(t, posting, fmt.Sprintf("c%d@example.test", n))
		again.s.Advance(time.Minute)
	}
	for range 1000 { // The number of polls makes no difference.
		again.s.Advance(time.Hour)
		again.get(t, "/account")
	}
	links := func(a apiResponse) (out []object) {
		for _, s := range into[[]object](t, a) {
			delete(s, "workspace_archive_url")
			out = append(out, s)
		}
		return out
	}
	assert.Equal(t, links(l.get(t, "/submissions")), links(again.get(t, "/submissions")))
}

func TestATimelineEndsWithItsLastDuration(t *testing.T) {
	for want, timeline := range map[string]sandbox.Timeline{
		"sent": {}, "opened": {Open: time.Minute}, "started": {Begin: time.Minute}, "submitted": {Submit: time.Minute},
		"evaluated": {Evaluate: time.Minute},
	} {
		l := liveWorld(at(noon), sandbox.WithTimeline(timeline))
		posting := l.assess(t)
		id := l.invite(t, posting, "a@example.test")
		l.s.Advance(time.Minute)
		i := l.invitation(t, posting, id)
		switch want {
		case "submitted":
			assert.Equal(t, "started", i.text("status"), want)
			assert.False(t, i.null("submitted_at"), want)
		default:
			assert.Equal(t, want, i.text("status"), want)
		}
		l.s.Advance(20 * 24 * time.Hour)
		switch want {
		case "started":
			assert.False(t, l.invitation(t, posting, id).null("submitted_at"), "the time limit")
		default:
			assert.Equal(t, i, l.invitation(t, posting, id), "nothing more happens")
		}
	}
	for _, bad := range []sandbox.Timeline{{Open: -1}, {Begin: -1}, {Submit: -1}, {Evaluate: -1}} {
		assert.Panics(t, func() { sandbox.New(sandbox.WithTimeline(bad)) })
	}
}

func TestTheGoMethodsAndTheTimeline(t *testing.T) {
	l := liveWorld(at(noon), sandbox.WithTimeline(steady))
	posting := l.assess(t)
	byHand, revoked, closed := l.invite(t, posting, "a@example.test"), l.invite(t, posting, "b@example.test"), l.invite(t, posting, "c@example.test")
	l.s.Advance(30 * time.Minute)
	require.NoError(t, l.s.Open(byHand))
	assert.Equal(t, 200, l.post(t, posting+"/invitations/"+revoked+"/revoke", "").status)
	l.s.Advance(2*time.Hour - time.Second)
	assert.Equal(t, "opened", l.invitation(t, posting, byHand).text("status"), "the next step counts from the hand's")
	l.s.Advance(time.Second)
	assert.Equal(t, "2026-03-10T14:30:00.123Z", l.invitation(t, posting, byHand).text("started_at"))
	l.patch(t, posting, `{"status":"closed"}`)
	l.s.Advance(100 * time.Hour)
	require.ErrorContains(t, l.s.Open(closed), "opened before", "what was due comes before the hand")
	assert.Equal(t, []string{"evaluated", "revoked", "opened"}, []string{l.invitation(t, posting, byHand).text("status"),
		l.invitation(t, posting, revoked).text("status"), l.invitation(t, posting, closed).text("status")})
}

// TestThePreviewIsWhatHappens: the clock's preview has each step, time limit, late report and expiry that then happens,
// and changes nothing.
func TestThePreviewIsWhatHappens(t *testing.T) {
	for name, timeline := range map[string]sandbox.Timeline{
		"every step": steady, "time limit": {Open: time.Hour, Begin: time.Hour}, "expiry": {Open: time.Hour}, "nobody moves": {}, "too late": {Begin: 40 * 24 * time.Hour},
	} {
		t.Run(name, func(t *testing.T) {
			l := liveWorld(at(noon), sandbox.WithTimeline(timeline))
			posting := l.assess(t)
			late, byHand := l.invite(t, posting, "late@example.test"), l.invite(t, posting, "hand@example.test")
			_ = l.s.Open(byHand) // The timeline may have done it.
			steered(t, l.s, "candidates/"+late+"/delay", `{"seconds":"90m"}`)
			type events struct {
				Upcoming []struct {
					At, Kind string
					ID       string `json:"invitation_id"`
				}
			}
			preview := func() events { return readControl[events](t, l.s, "clock?seconds=45d") }
			foreseen, happened := map[string]string{}, map[string]string{"plan": "2026-04-01T00:00:00.000Z"} // Two invitations are used.
			first := preview()
			for _, e := range first.Upcoming {
				foreseen[e.ID+e.Kind] = e.At
			}
			assert.Equal(t, first, preview())
			l.s.Advance(45 * 24 * time.Hour)
			for _, id := range []string{late, byHand} {
				c := readControl[map[string]any](t, l.s, "candidates/"+id)
				for _, kind := range []string{"opened", "started", "submitted", "evaluated", "report"} {
					if at, _ := c[kind+"_at"].(string); at > "2026-03-10T12:30" && (kind != "report" || id == late) {
						happened[id+kind] = at
					}
				}
				if c["ended"] == "expired" {
					happened[id+"expires"] = c["expires_at"].(string)
				}
			}
			assert.Equal(t, happened, foreseen)
		})
	}
}
