package sandbox_test

import (
	"bufio"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hiring-assessment/hiring-go/sandbox"
)

type journalNumbers struct {
	Entries []struct {
		Number int     `json:"number"`
		KeyID  *string `json:"key_id"`
	} `json:"entries"`
	Stats struct {
		Count   int `json:"count"`
		Failed  int `json:"failed"`
		Buckets []struct {
			Count   int       `json:"count"`
			Refused int       `json:"refused"`
			Idle    float64   `json:"idle"`
			Moved   bool      `json:"moved"`
			At      time.Time `json:"at"`
		} `json:"buckets"`
		Length float64        `json:"length"`
		Terms  map[string]int `json:"terms"`
	} `json:"stats"`
	Position int `json:"position"`
}

func (j journalNumbers) numbers() (all []int) {
	for _, e := range j.Entries {
		all = append(all, e.Number)
	}
	return all
}

// TestTheJournalIsSearched makes one exchange of each kind and finds it by each parameter.
func TestTheJournalIsSearched(t *testing.T) {
	s := sandbox.Start(t, sandbox.WithQuota(2000, 200))
	s.AddKey(sandbox.Key{Token: "sk_live_gone", Scope: sandbox.ScopeRead, Organization: "acme"})
	d := inProcess(s)
	const write = `{"challenge_id":"` + sandbox.UnknownID + `","name":""}`
	d.do(t, http.MethodGet, "/api/v1/account", sandbox.TestKey)                       // 1
	d.do(t, http.MethodGet, "/api/v1/submissions/"+sandbox.UnknownID, "sk_live_gone") // 2
	d.do(t, http.MethodGet, "/api/v1/members", "sk_test_never_added")                 // 3
	d.do(t, http.MethodGet, "/api/v1/members", "")                                    // 4
	s.Inject(sandbox.Fault{Route: "POST *", Key: sandbox.TestKey, Status: 500})
	d.send(t.Context(), t, http.MethodPost, "/assessments", write)          // 5
	d.do(t, http.MethodPost, "/api/v1/assessments", sandbox.TestKey, write) // 6
	s.RevokeKey("sk_live_gone")
	for query, want := range map[string][]int{
		"":                                       {1, 2, 3, 4, 5, 6},
		"limit=2":                                {5, 6},
		"limit=2&after=1":                        {2, 3},
		"before=3":                               {1, 2},
		"status=2xx":                             {1},
		"status=404":                             {2},
		"status=4xx":                             {2, 3, 4, 6},
		"status=failed":                          {2, 3, 4, 5, 6},
		"status=none":                            nil,
		"key=none":                               {4},
		"key=sk_live_gone":                       {2},
		"key=sk_test_never_added":                {3},
		"key=" + sandbox.TestKey:                 {1, 5, 6},
		"search=ACCOUNT":                         {1},
		"search=not_found":                       {2},
		"search=nothing+like+this":               nil,
		"search=repeats:5":                       {5, 6},
		"search=internal_error":                  {5},
		"search=is:repeated":                     {5, 6}, // The original too.
		"status=4xx&search=method:GET&limit=500": {2, 3, 4},
	} {
		assert.Equal(t, want, readControl[journalNumbers](t, s, "journal?"+query).numbers(), query)
	}
	all := readControl[journalNumbers](t, s, "journal?limit=1")
	refused := 0
	for _, b := range all.Stats.Buckets {
		refused += b.Refused
	}
	assert.Equal(t, []int{6, 5, 4}, []int{all.Stats.Count, all.Stats.Failed, refused}, "of all that match")
	assert.Equal(t, map[string]int{"is:failed": 5, "is:repeated": 2, "is:fault": 1, "status:none": 0}, all.Stats.Terms)
	for range 1001 {
		d.get(t, "/challenges?page_size=1")
	}
	assert.Equal(t, []int{2}, readControl[journalNumbers](t, s, "journal?search=not_found+%22does+not+exist%22").numbers(), "the error outlives the response")
	before := readControl[journalNumbers](t, s, "journal?before=3&limit=1")
	assert.Equal(t, []int{2, 1}, []int{before.Stats.Count, before.Stats.Failed}, "of all that match before it")
	for _, e := range readControl[journalNumbers](t, s, "journal").Entries { // The id of a key serves as well as the key.
		if e.KeyID != nil {
			assert.NotEmpty(t, readControl[journalNumbers](t, s, "journal?key="+url.QueryEscape(*e.KeyID)).Entries)
		}
	}
}

// TestTheJournalTellsTheStory reads whom each exchange concerned and whether its work was done, also
// without a response, and what the test did between them.
func TestTheJournalTellsTheStory(t *testing.T) {
	s := sandbox.Start(t, at(noon))
	d := inProcess(s)
	posting := s.AddAssessment("Backend")
	invitations := "/assessments/" + posting + "/invitations"
	call := func(method, path, body string) {
		d.with(sandbox.LiveKey).send(t.Context(), t, method, path, body)
	}
	send := func(email string) {
		call("POST", invitations, `{"candidate_name":"A","candidate_email":"`+email+`"}`)
	}
	s.Inject(sandbox.Fault{Route: "POST *", After: true})
	send("ada@candidates.test") // 1
	s.Inject(sandbox.Fault{Route: "POST *", Reset: true})
	send("bea@candidates.test")                                                          // 2
	send("ada@candidates.test")                                                          // 3
	send("nowhere")                                                                      // 4
	call("POST", "/assessments", `{"name":"sk_live_secret","challenge_id":"`+aTask+`"}`) // 5
	mails := s.Mails()
	submission, err := s.Begin(mails[0].InvitationID)
	require.NoError(t, err)
	require.NoError(t, s.Evaluate(submission, sandbox.Result{}))
	s.Advance(time.Hour)
	s.SetQuota(sandbox.LiveKey, sandbox.ClassRead, 500)
	for _, path := range []string{
		"/submissions/" + submission, "/submissions/" + submission + "/events", invitations, "/submissions?assessment_id=" + posting, "/submissions?status=none", // 6 to 10
		"/members", "/assessments/" + posting, "/challenges/" + multiTask, "/account", "/submissions/" + sandbox.UnknownID, // 11 to 15
	} {
		call("GET", path, "")
	}
	found, err := s.LiveClient().Submissions.Get(t.Context(), submission) // 16
	require.NoError(t, err)
	res, err := d.client.Get(*found.WorkspaceArchiveURL) // 17
	require.NoError(t, err)
	require.NoError(t, res.Body.Close())
	call("GET", "/nothing?assessment_id="+posting, "") // 18
	type entry struct {
		Subject    string
		Done       bool
		RepeatedBy int `json:"repeated_by"`
	}
	story := readControl[struct {
		Entries []entry
		Actions []struct {
			After         int
			Kind, Subject string
			KeyID         string `json:"key_id"`
		}
	}](t, s, "journal")
	const ada = "ada@candidates.test"
	assert.Equal(t, []entry{
		{ada, true, 3}, {"bea@candidates.test", false, 0}, {ada, true, 0}, {"nowhere", false, 0}, {"sk_live_…", false, 0},
		{ada, true, 0}, {ada, true, 0}, {"Backend", true, 0}, {"Backend", true, 0}, {"", true, 0},
		{"", true, 0}, {"Backend", true, 0}, {"", true, 0}, {"", true, 0}, {"", false, 0},
		{ada, true, 0}, {ada, false, 0}, {"Backend", false, 0},
	}, story.Entries)
	assert.Equal(t, `[{0 Injected fault 1 } {1 Injected fault 2 } {5 started ada@candidates.test } {5 evaluated ada@candidates.test } `+
		`{5 Clock moved 3600 } {5 Remaining set to 500 reads for sk_live_…dbox da5cb9c2e8be7bcc}]`, fmt.Sprint(story.Actions))
	for _, one := range readControl[struct{ Candidates []struct{ Invitations int } }](t, s, "candidates").Candidates {
		assert.Equal(t, 2, one.Invitations, "invited twice")
	}
}

// TestBucketsFitTheTime spreads requests over different times. Only the longest times without requests are shortened.
func TestBucketsFitTheTime(t *testing.T) {
	for step, want := range map[time.Duration]struct{ requests, least int }{
		time.Microsecond: {100, 1}, 10 * time.Millisecond: {100, 20}, time.Second: {100, 30}, 4 * time.Minute: {20, 30}, 26 * time.Hour: {100, 30},
	} {
		now := noon
		s := sandbox.Start(t, sandbox.WithClock(func() time.Time { return now }))
		for i := range want.requests {
			now = now.Add(step)
			if i == want.requests/2 {
				now = now.Add(1000 * step) // Shortened if it is longer than a minute.
			}
			inProcess(s).do(t, http.MethodGet, "/api/v1/account", "")
		}
		stats := readControl[journalNumbers](t, s, "journal").Stats
		var shortened []float64
		for i, b := range stats.Buckets[1:] {
			if b.Idle > 0 {
				shortened = append(shortened, b.Idle)
				assert.False(t, b.Moved)
			} else {
				assert.Equal(t, time.Duration(stats.Length*1e9), b.At.Sub(stats.Buckets[i].At), "to scale")
			}
		}
		if step < time.Second {
			assert.Empty(t, shortened, "%s", step)
		} else {
			assert.Equal(t, []float64{(1001 * step).Seconds()}, shortened)
		}
		assert.True(t, len(stats.Buckets) >= want.least && len(stats.Buckets) <= 120, "%s: %d buckets", step, len(stats.Buckets))
		total := 0
		for _, b := range stats.Buckets {
			total += b.Count
			assert.Equal(t, b.At, b.At.Truncate(time.Duration(stats.Length*1e9)), "a round time")
		}
		assert.Equal(t, want.requests, total)
	}
	s := sandbox.Start(t, sandbox.WithClock(func() time.Time { return noon }))
	for range 2 {
		for range 30 {
			inProcess(s).do(t, http.MethodGet, "/api/v1/account", "")
		}
		s.Advance(48 * time.Hour)
	}
	buckets := readControl[journalNumbers](t, s, "journal").Stats.Buckets
	assert.Equal(t, []int{30, 30}, []int{buckets[0].Count, buckets[len(buckets)-1].Count})
	assert.InDelta(t, 48*3600, buckets[len(buckets)-1].Idle, 60)
	assert.True(t, buckets[len(buckets)-1].Moved)
	steered(t, s, "snapshots", "")
	s.Advance(24 * time.Hour)
	inProcess(s).do(t, http.MethodGet, "/api/v1/account", "")
	steered(t, s, "snapshots/1/restore", "")
	inProcess(s).do(t, http.MethodGet, "/api/v1/account", "")
	inProcess(s).do(t, http.MethodGet, "/api/v1/account", "")
	buckets = readControl[journalNumbers](t, s, "journal").Stats.Buckets
	assert.Equal(t, 1, buckets[len(buckets)-1].Count, "requests after the undo of a move are earlier")
}

// TestBucketsSpanTheWindow checks that the buckets cover the time window of a search, from the oldest exchange to now at most.
func TestBucketsSpanTheWindow(t *testing.T) {
	now := noon
	s := sandbox.Start(t, sandbox.WithClock(func() time.Time { return now }))
	for range 5 {
		inProcess(s).do(t, http.MethodGet, "/api/v1/account", "")
		now = now.Add(10 * time.Second)
	}
	for search, want := range map[string]string{
		"after:2026-03-10T12:00:05+before:2026-03-10T12:00:35": "12:00:05 12:00:34 [2 3 4]",
		"after:2026-03-10T12:00:10+before:2026-03-10T12:00:15": "12:00:10 12:00:14 [2]",
		"after:2026-01-01+before:2027-01-01":                   "12:00:00 12:00:40 [1 2 3 4 5]",
		"-before:2026-03-10T12:00:20":                          "12:00:20 12:00:40 [3 4 5]",
		"after:12:00:15":                                       "12:00:20 12:00:40 [3 4 5]",
		"after:2026-03-10T12:00:41":                            "[]",
	} {
		page := readControl[journalNumbers](t, s, "journal?search="+search)
		ends := ""
		if all := page.Stats.Buckets; len(all) > 0 {
			ends = all[0].At.Format(time.TimeOnly) + " " + all[len(all)-1].At.Format(time.TimeOnly) + " "
		}
		assert.Equal(t, want, ends+fmt.Sprint(page.numbers()), search)
		assert.Len(t, page.numbers(), page.Stats.Count, search)
	}
}

// TestTheControlAPIsJournal reads one exchange in both forms.
func TestTheControlAPIsJournal(t *testing.T) {
	s, d := controlled(t, at(noon))
	d.post(t, "/assessments", "{}")
	s.Inject(sandbox.Fault{Reset: true, Key: sandbox.TestKey})
	d.send(t.Context(), t, http.MethodPost, "/assessments", "{}")
	d.post(t, "/assessments", "{}")
	var list struct {
		Entries []map[string]any `json:"entries"`
	}
	_, body := steer(t, s, http.MethodGet, "journal", "")
	require.NoError(t, json.Unmarshal([]byte(body), &list))
	shown := func(e map[string]any) string {
		delete(e, "took")
		raw, err := json.Marshal(e)
		require.NoError(t, err)
		return string(raw)
	}
	const common = `"method":"POST","route":"/assessments","path":"/api/v1/assessments","query":"","ended":true,"key":"sk_test_…dbox","key_id":"f5c8bb5a44b28cfb",` +
		`"organization":"","at":"2026-03-10T12:00:00.123Z","throttled":false,`
	assert.JSONEq(t, `{"number":1,`+common+`"status":400,"request_id":"req_0000000000000001","response_size":`+
		`215,"limit":200,"remaining":199,"error":{"code":"INVALID_INPUT","message":"The request is not valid; see details.","field":"challenge_id","others":["name"],"problem":"Required."}}`, shown(list.Entries[0]), body)
	assert.JSONEq(t, `{"number":2,`+common+`"request_id":"req_0000000000000002","response_size":0,"remaining":0,`+
		`"fault":{"key":"sk_test_sandbox","reset":true},"fault_id":1,"repeated_by":3}`, shown(list.Entries[1]))
	assert.InDelta(t, 2, list.Entries[2]["repeats"], 0, "the first had no effect")

	var full map[string]any
	_, body = steer(t, s, http.MethodGet, "journal/2", "")
	require.NoError(t, json.Unmarshal([]byte(body), &full))
	assert.Equal(t, []any{"{}", 3.0, nil}, []any{full["body"], full["repeated_by"], full["response"]})
	_, body = steer(t, s, http.MethodGet, "journal?details=true", "")
	assert.Contains(t, body, `"Authorization":["Bearer sk_test_…dbox"]`)
	assert.Contains(t, body, `"response_headers":{`)
	assert.NotContains(t, body, "Bearer "+sandbox.TestKey)
}

// TestReadsAndChangesMayOverlap shows under the race detector whether a response holds what a
// later change writes.
func TestReadsAndChangesMayOverlap(t *testing.T) {
	l := liveWorld()
	posting := l.assess(t)
	invitation := l.invite(t, posting, "a@example.test")
	var group sync.WaitGroup
	for range 2 {
		group.Go(func() {
			for range 25 {
				readControl[any](t, l.s, "journal?search=resend&details=true")
				readControl[any](t, l.s, "candidates?text=a")
				readControl[any](t, l.s, "candidates/"+invitation)
			}
		})
		group.Go(func() {
			for range 25 {
				l.post(t, posting+"/invitations/"+invitation+"/resend", "")
			}
		})
	}
	group.Wait()
}

// event is a server-sent event.
type event struct{ id, name, data string }

// streamWriter sends a response as it is written. The transport in memory sends it at its end.
type streamWriter struct {
	io.Writer

	header http.Header
}

func (w streamWriter) Header() http.Header { return w.header }
func (w streamWriter) WriteHeader(int)     {}
func (w streamWriter) Flush()              {}

// follow returns the events of a stream in the order in which they arrive.
func follow(t *testing.T, s *sandbox.Server, query string, lastEventID ...string) <-chan event {
	t.Helper()
	r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "http://localhost/_sandbox/events?"+query, http.NoBody)
	r.RemoteAddr, r.Header["Last-Event-Id"] = "127.0.0.1:5", lastEventID
	body, written := io.Pipe()
	go func() {
		s.ServeHTTP(streamWriter{written, make(http.Header)}, r)
		_ = written.Close()
	}()
	events := make(chan event, 100)
	go func() {
		lines, next := bufio.NewScanner(body), event{}
		lines.Buffer(nil, 10<<20)
		for lines.Scan() {
			name, value, _ := strings.Cut(lines.Text(), ": ")
			switch name {
			case "id":
				next.id = value
			case "event":
				next.name = value
			case "data":
				next.data = value
				events <- next
				next = event{}
			}
		}
	}()
	return events
}

// next returns the next event, and fails the test if there is none within a minute.
func next(t *testing.T, events <-chan event) event {
	t.Helper()
	select {
	case e := <-events:
		return e
	case <-time.After(time.Minute):
		require.Fail(t, "no event")
		return event{}
	}
}

// TestEventsCarryWhatMatches reads a stream with a filter: matching entries once,
// candidates that the API or the timeline changed, and other changes by name.
func TestEventsCarryWhatMatches(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := sandbox.Start(t, sandbox.WithTimeline(sandbox.Timeline{Open: 10 * time.Second}))
		d := inProcess(s)
		d.get(t, "/members")
		events := follow(t, s, "search=needle")
		synctest.Wait()
		posting := s.AddAssessment("Backend")
		assert.JSONEq(t, `{"changed":["assessments"]}`, next(t, events).data)

		d.get(t, "/account")
		for range 300 {
			d.get(t, "/account?q=needle")
		}
		found, batches := 0, 0
		for ; found < 300; batches++ {
			entries := next(t, events)
			assert.Equal(t, "entries", entries.name)
			assert.NotContains(t, entries.data, `"headers"`)
			found += strings.Count(entries.data, `"number"`)
		}
		assert.Equal(t, 300, found)
		assert.LessOrEqual(t, batches, 3)

		time.Sleep(5 * time.Second)
		d.get(t, "/account?q=needle")
		next(t, events)
		begun := time.Now()
		d.get(t, "/account?q=needle")
		next(t, events)
		assert.GreaterOrEqual(t, time.Since(begun), 300*time.Millisecond, "three batches a second")

		created := d.with(sandbox.LiveKey).send(t.Context(), t, http.MethodPost, "/assessments/"+posting+"/invitations", `{"candidate_email":"ada@candidates.test","candidate_name":"Ada"}`)
		require.Equal(t, 201, created.status)
		invited := next(t, events)
		assert.Equal(t, "candidates", invited.name, "an invitation over the API")
		assert.Contains(t, invited.data, `"stage":"sent"`)
		opened := next(t, events)
		assert.Contains(t, opened.data, `"stage":"opened"`, "by the timeline, without a request")

		s.Inject(sandbox.Fault{Route: "POST /assessments", Delay: time.Minute})
		go func() { _, _ = s.Client().Do(t.Context(), "POST", "/assessments", nil, object{}, nil) }()
		synctest.Wait()
		number := len(s.Journal())
		d.post(t, "/assessments", "{}")
		time.Sleep(time.Hour)
		_, body := steer(t, s, http.MethodGet, "journal/"+strconv.Itoa(number), "")
		assert.Contains(t, body, `"repeated_by":`+strconv.Itoa(number+1), "while it was in progress")

		steered(t, s, "reset", "")
		for next(t, events).name != "reset" {
			continue // The fault and what it changed.
		}
	})
}

// TestEventsResume reads on from a position.
func TestEventsResume(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := sandbox.Start(t)
		d := inProcess(s)
		assert.Zero(t, readControl[journalNumbers](t, s, "journal").Position)
		s.SetQuota(sandbox.TestKey, sandbox.ClassRead, 900)
		for range 700 {
			d.get(t, "/account")
		}
		var numbers []int
		position := "0"
		for len(numbers) < 700 { // Each time from the id of the last event.
			events := follow(t, s, "after="+position)
			for position = ""; position == ""; {
				e := next(t, events)
				var data journalNumbers
				require.NoError(t, json.Unmarshal([]byte(e.data), &data))
				numbers = append(numbers, data.numbers()...)
				position = e.id
			}
		}
		assert.Len(t, slices.Compact(slices.Sorted(slices.Values(numbers))), 700, "each entry once")
		assert.Equal(t, "reset", next(t, follow(t, s, "after=99999")).name, "an unknown position")
		assert.Equal(t, "reset", next(t, follow(t, s, "after="+position, "99999")).name, "the header takes precedence")
		events := follow(t, s, "after=0", position)
		synctest.Wait()
		d.get(t, "/members")
		assert.Contains(t, next(t, events).data, `"/api/v1/members"`)
	})
}

// TestGroupsCountWhatIsAlike without details, also faults that differ only in whom they concern.
func TestGroupsCountWhatIsAlike(t *testing.T) {
	s := sandbox.New(sandbox.WithClock(func() time.Time { return time.Date(2026, 11, 28, 17, 0, 0, 0, time.UTC) }))
	d := inProcess(s)
	for range 3 {
		d.get(t, "/submissions?page_size=500")
	}
	s.Advance(2 * time.Millisecond)
	for _, f := range []sandbox.Fault{{Status: 503}, {Status: 503, Route: "GET *"}, {Status: 500}} {
		s.Inject(f)
		d.send(t.Context(), t, http.MethodGet, "/account", "")
	}
	type groups struct {
		Entries []struct{}
		Groups  []struct {
			Status, Count int
			Route         string
			Times         []int
			FaultIDs      []int `json:"fault_ids"`
			Header        map[string][]string
		}
	}
	all := readControl[groups](t, s, "journal?grouped=true&limit=1")
	assert.Equal(t, "[{400 3 /submissions [3 0 0] [0] map[]} {503 2 /account [0 0 2] [1 2] map[]} {500 1 /account [0 0 1] [3] map[]}]", fmt.Sprint(all.Groups))
	assert.Len(t, all.Entries, 1)
	_, body := steer(t, s, http.MethodGet, "journal?grouped=true&search=status:418", "")
	assert.Contains(t, body, `"groups":[]`)
}

// TestTheJournalSaysWhatAnEvaluationFound, once its report is ready. The list of candidates says it while the report is late too.
func TestTheJournalSaysWhatAnEvaluationFound(t *testing.T) {
	l := liveWorld()
	id := l.invite(t, "/assessments/"+l.s.AddAssessment("Backend"), "ada@candidates.test")
	_, err := l.s.Begin(id)
	require.NoError(t, err)
	for _, r := range []sandbox.Result{{ShipScore: new(82)}, {ShipScore: new(31), ReportDelay: time.Hour}} {
		require.NoError(t, l.s.Evaluate(id, r))
	}
	_, body := steer(t, l.s, http.MethodGet, "journal", "")
	assert.Regexp(t, `"kind":"evaluated",[^{}]*"grade":{"ship_score":82,"verdict":"strong_yes"`, body)
	assert.Equal(t, 1, strings.Count(body, `"grade"`))
	_, body = steer(t, l.s, http.MethodGet, "candidates?verdict=strong_no&sort=score", "")
	assert.Contains(t, body, `"ship_score":31`)
	require.NoError(t, l.s.Evaluate(id, sandbox.Result{ShipScore: new(31), ReportDelay: -1}))
	_, body = steer(t, l.s, http.MethodGet, "candidates", "")
	assert.Contains(t, body, `"ship_score":null`)
}

// TestAWriteOfThePageIsUndone as an action, and is no write of a program. What test mode answers changes nothing, so
// that its snapshot is dropped. Actions after the end of the page's own action are counted apart.
func TestAWriteOfThePageIsUndone(t *testing.T) {
	s := sandbox.New()
	const path, input = "/api/v1/assessments", `{"challenge_id":"c0000000-0000-4000-8000-000000000001","name":"Mine"}`
	for i, key := range []string{sandbox.LiveKey, sandbox.TestKey} {
		steered(t, s, "snapshots", "")
		inProcess(s).do(t, http.MethodPost, path, key, input, http.Header{"X-Sandbox-Page": {"again"}})
		steered(t, s, "snapshots/"+strconv.Itoa(i+1)+"/end", "")
	}
	s.Advance(time.Hour)
	steered(t, s, "snapshots", "") // Not ended: the action is unknown.
	s.Advance(time.Hour)
	_, body := steer(t, s, http.MethodGet, "journal", "")
	assert.Regexp(t, `"snapshots":\[{"id":1,"actions":\[{[^{}]*"kind":"Sent again","subject":"as #1"}\],"others":2,"writes":0}\]`, body)
	steered(t, s, "snapshots/1/restore", "")
	_, body = steer(t, s, http.MethodGet, "assessments", "")
	assert.NotContains(t, body, "Mine")
}

// TestAnExportOfOneRequestHasNothingOfOthers: neither other candidates' actions, earlier moves of the clock nor later settings of its key.
func TestAnExportOfOneRequestHasNothingOfOthers(t *testing.T) {
	s := sandbox.Start(t)
	assessment := s.AddAssessment("Backend")
	for _, address := range []string{"ada@candidates.test", "bea@candidates.test"} {
		_, err := s.Invite(assessment, address, "Name")
		require.NoError(t, err)
	}
	steered(t, s, "clock", `{"seconds":60}`)
	steered(t, s, "clock", `{"seconds":120}`)
	s.SetQuota(sandbox.TestKey, sandbox.ClassRead, 111)
	inProcess(s).do(t, http.MethodGet, "/api/v1/account", sandbox.TestKey)
	s.SetQuota(sandbox.TestKey, sandbox.ClassRead, 99)
	steered(t, s, "snapshots", "")
	steered(t, s, "clock", `{"seconds":180}`)
	steered(t, s, "snapshots/1/end", "")
	_, body := steer(t, s, http.MethodGet, "journal?search=%231&export=true&zipped=true", "")
	file, err := gzip.NewReader(strings.NewReader(body))
	require.NoError(t, err)
	text, err := io.ReadAll(file)
	require.NoError(t, err)
	assert.Contains(t, string(text), `"subject":"120"`)
	assert.Contains(t, string(text), `"subject":"111 reads for `)
	assert.Contains(t, string(text), `"snapshots":[]`)
	for _, other := range []string{"candidates.test", `"subject":"60"`, `"subject":"180"`, `"subject":"99 reads`} {
		assert.NotContains(t, string(text), other)
	}
}

// TestStepsAreForgottenFirst: without the moves of the clock between the requests, nothing would explain their times.
func TestStepsAreForgottenFirst(t *testing.T) {
	t.Parallel()
	s := sandbox.New()
	s.Advance(time.Hour)
	assessment := s.AddAssessment("Backend")
	for range 1100 {
		steered(t, s, "results", `{"assessment_id":"`+assessment+`","email":"ada@candidates.test"}`)
	}
	s.Advance(time.Minute)
	story := readControl[struct {
		Actions []struct{ Kind, Subject string }
	}](t, s, "journal")
	require.Len(t, story.Actions, 1000)
	assert.Equal(t, "3600 evaluated 60", strings.Join([]string{story.Actions[0].Subject, story.Actions[1].Kind, story.Actions[999].Subject}, " "))
}
