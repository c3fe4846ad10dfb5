package console_test

import (
	"bufio"
	"context"
	"fmt"
	"html"
	"maps"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	hiring "github.com/hiring-assessment/hiring-go"
	"github.com/hiring-assessment/hiring-go/sandbox"
)

func TestTheJournalShowsRequestsAndMarks(t *testing.T) {
	v := visit(t)
	assert.Contains(t, v.see("/_sandbox/"), "HIRING_BASE_URL="+v.base, "at first it says what to do")
	client := v.client(sandbox.TestKey)
	_, err := client.Account.Get(t.Context())
	require.NoError(t, err)
	in := hiring.NewInvitation{Email: "ada@candidates.test", Name: "Ada"}
	for range 2 {
		_, err = client.Invitations.Send(t.Context(), sandbox.AssessmentID, in)
		require.NoError(t, err)
	}
	v.server.Inject(sandbox.Fault{Reset: true, Route: "POST *"})
	_, err = client.Invitations.Send(t.Context(), sandbox.AssessmentID, in)
	require.Error(t, err)
	v.server.Throttle()
	_, err = client.Members.List().Collect(t.Context())
	require.ErrorIs(t, err, hiring.ErrRateLimited)
	v.server.EndThrottle()

	text := v.see("/_sandbox/")
	for _, shown := range []string{
		"5 requests", "1 with status 429", "1 met a fault", "sent twice, first as #2", `class="mark fault"`, `class="mark throttled"`, "no response",
		"<b>429</b> Too Many Requests", "198 of 200", "sk_test_…dbox", "999</b> of 1000 left",
	} {
		assert.Contains(t, text, shown)
	}
	assert.NotContains(t, text, "sk_test_sandbox", "no key")
	for query, want := range map[string][]int{
		"":                  {5, 4, 3, 2, 1},
		"method=GET":        {5, 1},
		"status=2xx":        {3, 2, 1},
		"status=429":        {5},
		"status=none":       {4},
		"only=repeated":     {4, 3},
		"only=fault":        {4},
		"only=throttled":    {5},
		"text=ada@":         {4, 3, 2},
		"text=members":      {5},
		"key=sk_test_…dbox": {5, 4, 3, 2, 1},
		"key=sk_test_…read": nil,
		"before=3":          {2, 1},
	} {
		assert.Equal(t, want, numbers(v.see("/_sandbox/?"+query)), query)
	}
	assert.Contains(t, v.see("/_sandbox/?status=404"), "Not found: no exchange matches the filter.")
}

func numbers(text string) (all []int) {
	for _, found := range regexp.MustCompile(`<td class="no">(\d+)<`).FindAllStringSubmatch(text, -1) {
		var n int
		_, _ = fmt.Sscan(found[1], &n)
		all = append(all, n)
	}
	return all
}

func TestTheJournalIsPaged(t *testing.T) {
	v := visit(t)
	client := v.client(sandbox.TestKey)
	for range 120 {
		_, err := client.Account.Get(t.Context())
		require.NoError(t, err)
	}
	path, all := "/_sandbox/?method=GET", []int(nil)
	for pages := 0; path != ""; pages++ {
		require.Less(t, pages, 3)
		text := v.see(path)
		all = append(all, numbers(text)...)
		path = ""
		if next := regexp.MustCompile(`rel="next" href="([^"]+)"`).FindStringSubmatch(text); next != nil {
			path = html.UnescapeString(next[1])
		}
		assert.Equal(t, pages == 0, strings.Contains(text, "sse-connect"), "only the newest page is live")
	}
	require.Len(t, all, 120)
	for i, n := range all {
		require.Equal(t, 120-i, n)
	}
}

func TestAnExchange(t *testing.T) {
	v := visit(t)
	client := v.client(sandbox.LiveKey)
	_, err := client.Assessments.Create(t.Context(), hiring.NewAssessment{ChallengeID: "c0000000-0000-4000-8000-000000000001", Name: "It's <b>&\n$HOME `id`"})
	require.NoError(t, err)
	v.server.Inject(sandbox.Fault{Status: 503, RetryAfter: 2 * time.Second})
	_, err = client.Account.Get(t.Context())
	require.Error(t, err)
	text := v.see("/_sandbox/console/exchanges/1")
	for _, shown := range []string{"POST", "<b>201</b> Created", "req_0000000000000001", "Bearer sk_live_…dbox", "hiring-go/", "199 of 200", "<span class=\"json-key\">&#34;status&#34;</span>: <span class=\"json-text\">&#34;active&#34;</span>", "exchanges/2"} {
		assert.Contains(t, text, shown)
	}
	assert.NotContains(t, text, "sk_live_sandbox")
	text = v.see("/_sandbox/console/exchanges/2")
	for _, shown := range []string{"<b>503</b>", "Retry-After", "503, Retry-After 2 s for every request", "This error was injected.", "exchanges/1"} {
		assert.Contains(t, text, shown)
	}
}

var copied = regexp.MustCompile(`(?s)<pre id="(curl|go)" tabindex="0">(.*?)</pre>`)

// again returns an exchange as curl and as Go.
func again(text string) (curl, program string) {
	for _, found := range copied.FindAllStringSubmatch(text, -1) {
		if found[1] == "curl" {
			curl = html.UnescapeString(found[2])
		} else {
			program = html.UnescapeString(found[2])
		}
	}
	return curl, program
}

// TestCopiedCurlDoesItAgain checks that the command sends the same request for any body,
// and does nothing else.
func TestCopiedCurlDoesItAgain(t *testing.T) {
	v := visit(t)
	client := v.client(sandbox.LiveKey)
	name := "It's <b>&\n$HOME `touch x` \\ \"q\" é"
	_, err := client.Assessments.Create(t.Context(), hiring.NewAssessment{ChallengeID: "c0000000-0000-4000-8000-000000000001", Name: name})
	require.NoError(t, err)
	curl, _ := again(v.see("/_sandbox/console/exchanges/1"))
	run := exec.CommandContext(t.Context(), "bash", "-c", curl)
	run.Env = append(os.Environ(), "HIRING_API_KEY="+sandbox.LiveKey)
	run.Dir = t.TempDir()
	out, err := run.CombinedOutput()
	require.NoError(t, err, "%s", out)
	journal := v.server.Journal()
	require.Len(t, journal, 2)
	assert.Equal(t, 201, journal[1].Status, "%s", out)
	assert.Equal(t, journal[0].Body, journal[1].Body)
	assert.Len(t, journal.Repeated(), 1)
	left, err := os.ReadDir(run.Dir)
	require.NoError(t, err)
	assert.Empty(t, left)
}

// TestCopiedCurlQuotesEverything checks that curl does not interpret a body as a file,
// a query as a range or a path as relative.
func TestCopiedCurlQuotesEverything(t *testing.T) {
	v := visit(t)
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, v.base+"/api/v1/a/../b?x=[1-3]&y={a,b}", strings.NewReader("@/etc/hostname"))
	require.NoError(t, err)
	r.Header.Set("Authorization", "Bearer "+sandbox.TestKey)
	res, err := v.web.Do(r)
	require.NoError(t, err)
	require.NoError(t, res.Body.Close())
	curl, _ := again(v.see("/_sandbox/console/exchanges/1"))
	run := exec.CommandContext(t.Context(), "bash", "-c", curl)
	run.Env = append(os.Environ(), "HIRING_API_KEY="+sandbox.TestKey)
	out, err := run.CombinedOutput()
	require.NoError(t, err, "%s", out)
	journal := v.server.Journal()
	require.Len(t, journal, 2)
	for _, e := range journal {
		assert.Equal(t, []string{"/api/v1/a/../b", "x=[1-3]&y={a,b}", "@/etc/hostname"}, []string{e.Path, e.Query, string(e.Body)})
	}
}

// A body that is too long for a page is not copied into the commands.
func TestLongBodiesAreNotCopied(t *testing.T) {
	v := visit(t)
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, v.base+"/api/v1/assessments", strings.NewReader(strings.Repeat("<", 500<<10)))
	require.NoError(t, err)
	r.Header.Set("Authorization", "Bearer "+sandbox.TestKey)
	res, err := v.web.Do(r)
	require.NoError(t, err)
	require.NoError(t, res.Body.Close())
	text := v.see("/_sandbox/console/exchanges/1")
	assert.Less(t, len(text), 300<<10)
	assert.Contains(t, text, "too long to be copied")
}

// TestCopiedGoIsGo compiles all copies in one program and runs the first.
func TestCopiedGoIsGo(t *testing.T) {
	v := visit(t)
	folder, programs := t.TempDir(), []string(nil)
	for i, call := range []string{
		"GET /account", "GET /members", "GET /challenges", "GET /challenges/c0000000-0000-4000-8000-000000000001", "GET /assessments?page_size=5&q=%22",
		"GET /assessments", "GET /assessments/" + sandbox.AssessmentID, "GET /assessments/" + sandbox.AssessmentID + "/invitations", "GET /submissions",
		"GET /submissions/" + sandbox.SubmissionID, "GET /submissions/" + sandbox.SubmissionID + "/report", "GET /submissions/a%22%60%0Ab/events",
		"POST /assessments", "DELETE /assessments/" + sandbox.AssessmentID, "PATCH /assessments/" + sandbox.AssessmentID,
	} {
		method, path, _ := strings.Cut(call, " ")
		r, err := http.NewRequestWithContext(t.Context(), method, v.base+"/api/v1"+path, strings.NewReader("{\"name\": \"a`b\\\"\"}"))
		require.NoError(t, err)
		r.Header.Set("Authorization", "Bearer "+sandbox.TestKey)
		res, err := v.web.Do(r)
		require.NoError(t, err)
		require.NoError(t, res.Body.Close())
		_, program := again(v.see(fmt.Sprintf("/_sandbox/console/exchanges/%d", i+1)))
		require.NotEmpty(t, program, call)
		programs = append(programs, strings.Replace(program, "func main() {", fmt.Sprintf("func main%d() {", i), 1))
	}
	name := filepath.Join(folder, "main.go")
	require.NoError(t, os.WriteFile(name, []byte(together(programs)), 0o600))
	run := exec.CommandContext(t.Context(), "go", "run", name)
	run.Env = append(os.Environ(), "HIRING_API_KEY="+sandbox.TestKey)
	out, err := run.CombinedOutput()
	require.NoError(t, err, "%s\n%s", out, together(programs))
	assert.Contains(t, string(out), "Sandbox Hiring Ltd")
}

// together combines programs that differ only in their functions.
func together(programs []string) string {
	imports, text := make(map[string]bool), ""
	for _, p := range programs {
		head, function, _ := strings.Cut(p, "\nfunc ")
		for line := range strings.Lines(head) {
			if strings.Contains(line, `"`) {
				imports[strings.TrimSpace(line)] = true
			}
		}
		text += "\nfunc " + function
	}
	return "package main\n\nimport (\n" + strings.Join(slices.Sorted(maps.Keys(imports)), "\n") + "\n)\n" + text + "\nfunc main() { main0() }\n"
}

// TestUpdatesArriveOverTheStream also checks that the stream ends with the browser.
func TestUpdatesArriveOverTheStream(t *testing.T) {
	v := visit(t)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	for path, act := range map[string]func(){
		"/_sandbox/console/live/journal?method=GET": func() { _, _ = v.client(sandbox.TestKey).Account.Get(ctx) },
		"/_sandbox/console/live/pipeline":           func() { v.server.AddAssessment("Backend"); v.invited("Ada") },
	} {
		r, err := http.NewRequestWithContext(ctx, http.MethodGet, v.base+path, http.NoBody)
		require.NoError(t, err)
		res, err := v.web.Do(r)
		require.NoError(t, err)
		assert.Equal(t, "text/event-stream", res.Header.Get("Content-Type"))
		news := bufio.NewScanner(res.Body)
		news.Buffer(nil, 1<<20)
		require.True(t, news.Scan())
		assert.Equal(t, "event: part", news.Text())
		act()
		for !strings.Contains(news.Text(), "/api/v1/account") && !strings.Contains(news.Text(), "<bdi>Ada</bdi>") {
			require.True(t, news.Scan(), "the stream goes on until the news")
		}
		require.NoError(t, res.Body.Close())
	}
}
