package main

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	neturl "net/url"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/stretchr/testify/require"

	"github.com/hiring-assessment/hiring-go/jobs"
	"github.com/hiring-assessment/hiring-go/jobs/internal/testing/pgtest"
	"github.com/hiring-assessment/hiring-go/sandbox"
)

// TestMain also runs the program, for the tests.
func TestMain(m *testing.M) {
	if os.Getenv("TEAM_TEST_PROGRAM") != "" {
		out = new(hanging)
		main()
		return
	}
	os.Exit(m.Run())
}

// hanging makes the handler hang when it prints its second result.
type hanging struct{ results atomic.Int64 }

func (h *hanging) Write(p []byte) (int, error) {
	if h.results.Add(1) == 1 {
		return os.Stdout.Write(p)
	}
	fmt.Println("hangs")
	select {}
}

// program is a running process. Its folder is empty.
type program struct {
	*exec.Cmd

	temporary string
	lines     *bufio.Scanner
	log       bytes.Buffer
}

// maxRun is the longest run of a program, on a busy machine.
const maxRun = 2 * time.Minute

func start(t *testing.T, environment []string, arguments ...string) *program {
	t.Helper()
	executable, err := os.Executable()
	require.NoError(t, err)
	ctx, cancel := context.WithTimeout(t.Context(), maxRun) // Kills the program, so that until fails.
	t.Cleanup(cancel)
	p := &program{Cmd: exec.CommandContext(ctx, executable, arguments...), temporary: t.TempDir()}
	p.Dir = t.TempDir()
	p.Env = append([]string{"TEAM_TEST_PROGRAM=1", "TMPDIR=" + p.temporary}, environment...)
	p.Stderr = io.MultiWriter(&p.log, os.Stderr)
	out, err := p.StdoutPipe()
	require.NoError(t, err)
	p.lines = bufio.NewScanner(out)
	require.NoError(t, p.Start())
	return p
}

// until reads lines until one matches, and returns the last group of the pattern.
func (p *program) until(t *testing.T, pattern string) string {
	t.Helper()
	line := regexp.MustCompile(pattern)
	for p.lines.Scan() {
		if found := line.FindStringSubmatch(p.lines.Text()); found != nil {
			return found[len(found)-1]
		}
	}
	require.Fail(t, "the program ended without the line "+pattern)
	return ""
}

// gracePeriod is the terminationGracePeriodSeconds of team.yaml.
const gracePeriod = 30 * time.Second

// terminate stops the program as a platform does, which kills it after the grace period, and checks that it leaves no file.
func (p *program) terminate(t *testing.T) {
	t.Helper()
	require.NoError(t, p.Process.Signal(syscall.SIGTERM))
	defer time.AfterFunc(gracePeriod, func() { _ = p.Process.Kill() }).Stop()
	require.NoError(t, p.Wait(), "exit status 0")
	left, err := os.ReadDir(p.temporary)
	require.NoError(t, err)
	require.Empty(t, left)
}

// database returns the URL of a new server.
func database(t *testing.T) (url string) {
	t.Helper()
	server, err := pgtest.New(t.Context(), t)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, server.Close()) })
	return server.URL
}

// TestTeam runs a process with the rights of the guide, and terminates it while a handler hangs.
func TestTeam(t *testing.T) {
	t.Parallel()
	service := sandbox.New()
	t.Cleanup(service.Close)
	url := database(t)
	environment := []string{"DATABASE_URL=" + url, "HIRING_BASE_URL=" + service.URL()}
	db, err := pgx.Connect(t.Context(), url)
	require.NoError(t, err)
	t.Cleanup(func() { _ = db.Close(context.WithoutCancel(t.Context())) })
	for _, statement := range []string{"SELECT 1", "CREATE SCHEMA hiring", "CREATE TABLE results (submission_id text PRIMARY KEY, candidate text NOT NULL, score integer)"} {
		_, err = db.Exec(t.Context(), statement)
		require.NoError(t, err)
		p := start(t, append(environment, "HIRING_API_KEY="+sandbox.LiveKey), "work")
		require.Error(t, p.Wait())
		require.Contains(t, p.log.String(), "run `hiring-team migrate`: ", statement)
	}
	require.NoError(t, start(t, []string{"DATABASE_URL=" + url}, "migrate").Wait(), "it needs no API")
	_, err = db.Exec(t.Context(), "CREATE ROLE worker; GRANT USAGE ON SCHEMA hiring TO worker; GRANT SELECT ON ALL TABLES IN SCHEMA hiring TO worker; GRANT SELECT, INSERT ON results TO worker")
	require.NoError(t, err)
	location, err := neturl.Parse(url)
	require.NoError(t, err)
	query := location.Query()
	query.Set("role", "worker") // It may create no table.
	location.RawQuery = query.Encode()
	environment[0] = "DATABASE_URL=" + location.String()
	p := start(t, append(environment, "HIRING_API_KEY="+sandbox.LiveKey), "work")
	require.Error(t, p.Wait())
	_, grants, _ := strings.Cut(p.log.String(), "as the owner of the tables, run: ")
	require.Equal(t, "GRANT SELECT, INSERT, UPDATE ON results TO worker; GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA hiring TO worker; "+
		"GRANT USAGE ON ALL SEQUENCES IN SCHEMA hiring TO worker\n", grants)
	_, err = db.Exec(t.Context(), grants)
	require.NoError(t, err)
	pool, err := pgxpool.New(t.Context(), location.String())
	require.NoError(t, err)
	t.Cleanup(pool.Close)
	require.NoError(t, jobs.Migrate(t.Context(), jobs.Postgres(pool), schema), "tables that are up to date need no right to create")
	p = start(t, append(environment, "HIRING_API_KEY_FILE=missing"), "work")
	require.Error(t, p.Wait())
	require.Contains(t, p.log.String(), `organization acme, with the key of HIRING_API_KEY_FILE="missing": hiring: Account.Get: the key source failed`)
	p = start(t, append(environment, "HIRING_API_KEY="+sandbox.LiveKey), "-every", "2s", "work")
	metrics := p.until(t, "^Metrics: (.*)$")
	require.Eventually(t, func() bool { // The first poll is completed.
		var watches int
		return db.QueryRow(t.Context(), "SELECT count(*) FROM hiring.hiring_jobs WHERE status = 'watching'").Scan(&watches) == nil && watches == 1
	}, maxRun, 100*time.Millisecond)
	assessment := service.AddAssessment("Backend engineer")
	inviter := start(t, environment, "invite", "acme", assessment, "grace@candidates.test", "Grace")
	inviter.until(t, "^acme: the invitation is queued$")
	require.NoError(t, inviter.Wait())
	require.Eventually(t, func() bool {
		var sent int
		return db.QueryRow(t.Context(), "SELECT count(*) FROM hiring.hiring_jobs WHERE status = 'sent' AND detail LIKE '%Grace%'").Scan(&sent) == nil && sent == 1
	}, maxRun, 100*time.Millisecond)
	invitation, err := service.Invite(assessment, "ada@candidates.test", "A\x00da")
	require.NoError(t, err)
	begun, err := service.Begin(invitation)
	require.NoError(t, err)
	require.NoError(t, service.Evaluate(begun, sandbox.Result{NoScore: true}))
	p.until(t, `^\d\d:\d\d:\d\d  "Ada" +not enough data`)
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, metrics, nil)
	require.NoError(t, err)
	response, err := (&http.Client{}).Do(request)
	require.NoError(t, err)
	page, err := io.ReadAll(response.Body)
	_ = response.Body.Close()
	require.NoError(t, err)
	require.Contains(t, string(page), "hiring_poll_overdue_seconds{hiring_operation")
	host, err := os.Hostname()
	require.NoError(t, err)
	var process string
	require.NoError(t, db.QueryRow(t.Context(), "SELECT attempted_by[1] FROM hiring.river_job WHERE kind = 'hiring_delivery'").Scan(&process))
	require.Equal(t, fmt.Sprintf("%s-%d", host, p.Process.Pid), process)
	id, err := service.AddResult(assessment, "grace@candidates.test", sandbox.Result{})
	require.NoError(t, err)
	p.until(t, "^hangs$")
	p.terminate(t)
	require.Contains(t, p.log.String(), "a handler does not return: it must return when its context ends\" organization=acme kind=hiring_delivery submission_id="+id)
}

// TestTeamOperates runs the commands of an operator on jobs of another program.
func TestTeamOperates(t *testing.T) {
	t.Parallel()
	url := database(t)
	run := func(arguments ...string) *program { return start(t, []string{"DATABASE_URL=" + url}, arguments...) }
	prints := func(line string, arguments ...string) {
		t.Helper()
		p := run(arguments...)
		p.until(t, line)
		require.NoError(t, p.Wait())
	}
	for _, arguments := range [][]string{{"overview"}, {"late", "team-a"}, {"pause", "team-a"}, {"cancel", "1"}} {
		p := run(arguments...)
		require.Error(t, p.Wait())
		require.Contains(t, p.log.String(), "the database has no tables of the jobs: run `hiring-team migrate`: ", arguments)
	}
	require.NoError(t, run("migrate").Wait())
	db, err := pgx.Connect(t.Context(), url)
	require.NoError(t, err)
	t.Cleanup(func() { _ = db.Close(context.WithoutCancel(t.Context())) })
	value := func(query string) (text string) {
		t.Helper()
		require.NoError(t, db.QueryRow(t.Context(), query).Scan(&text), query)
		return text
	}
	for _, arguments := range [][]string{{"deliver", "team-a", sandbox.SubmissionID}, {"overview", "team-a"}, {"late", "team-a"}} {
		p := run(arguments...)
		require.Error(t, p.Wait())
		require.Contains(t, p.log.String(), `organization "team-a" was never polled: check the name`)
	}
	_, err = db.Exec(t.Context(), `INSERT INTO hiring.hiring_jobs (organization, assessment_id, address, status, detail) VALUES ('team-a', '', '', 'watching', ''),
		('late', '', '', 'watching', ''), ('misspelt', 'a', 'ada@candidates.test', 'queued', ''), ('refused', '', '', 'begun', ''), ('removed', '', '', 'watching', ''), ('works', '', '', 'watching', ''),
		('hangs', '', '', 'watching', ''), ('kills', '', '', 'watching', ''), ('waits', '', '', 'watching', ''), ('gone', '', '', 'watching', ''), ('ahead', '', '', 'watching', ''), ('sends', '', '', 'watching', ''), ('limited', '', '', 'watching', ''), ('killed', '', '', 'watching', ''), ('rescued', '', '', 'watching', ''), ('works', 'a', 'ada@candidates.test', 'cancelled', '');
		UPDATE hiring.hiring_jobs SET updated_at = now() - interval '10 minutes' WHERE organization = 'late'; UPDATE hiring.hiring_jobs SET updated_at = now() + interval '2 minutes' WHERE organization = 'ahead';
		INSERT INTO hiring.river_job (args, kind, max_attempts, attempt, state, scheduled_at, errors) SELECT jsonb_build_object('organization', o, 'wait', 60), k, 9, 1, 'retryable', '2999-01-01', ARRAY[jsonb_build_object('error', e, 'at', now())]
			FROM (VALUES ('late', 'hiring_poll', NULL), ('refused', 'hiring_poll', 'hiring: Submissions.Poll: 401 invalid_token: no'), ('team-a', 'hiring_poll', 'Stuck job rescued by JobRescuer'),
				('team-a', 'hiring_delivery', 'failed'), ('works', 'hiring_invitations', 'failed'), ('works', 'hiring_poll', NULL),
				('hangs', 'hiring_delivery', NULL), ('hangs', 'hiring_poll', NULL), ('kills', 'hiring_delivery', 'Stuck job rescued by JobRescuer'), ('kills', 'hiring_poll', NULL), ('waits', 'hiring_invitations', NULL), ('waits', 'hiring_poll', NULL), ('removed', 'hiring_delivery', NULL), ('lost', 'hiring_poll', 'jobs: the row was deleted'), ('ahead', 'hiring_poll', NULL), ('sends', 'hiring_invitations', ': 401 '), ('sends', 'hiring_poll', NULL), ('limited', 'hiring_invitations', NULL), ('limited', 'hiring_poll', NULL), ('killed', 'hiring_invitations', NULL), ('killed', 'hiring_poll', NULL), ('rescued', 'hiring_invitations', 'Stuck job rescued by JobRescuer'), ('rescued', 'hiring_poll', NULL)) AS jobs(o, k, e)`)
	require.NoError(t, err)
	value("UPDATE hiring.river_job SET errors[1] = jsonb_set(errors[1], '{at}', to_jsonb(now() - interval '1 hour')) WHERE args->>'organization' = 'sends' AND errors IS NOT NULL RETURNING kind")
	value("UPDATE hiring.river_job SET scheduled_at = now() - interval '3 minutes' WHERE args->>'organization' = 'refused' RETURNING kind")
	value("UPDATE hiring.river_job SET state = 'running', attempted_at = now() - interval '3 minutes' WHERE args->>'organization' = 'hangs' AND kind = 'hiring_delivery' RETURNING kind")
	value(`UPDATE hiring.river_job SET metadata = '{"snoozes": 1}' WHERE args->>'organization' = 'kills' AND kind = 'hiring_poll' RETURNING kind`)
	value("UPDATE hiring.river_job SET state = 'running', attempted_at = now() - interval '5 minutes' WHERE args->>'organization' = 'killed' AND kind = 'hiring_invitations' RETURNING kind")
	value(`UPDATE hiring.river_job SET metadata = '{"hiring_waits": "rate limit"}' WHERE args->>'organization' = 'limited' AND kind = 'hiring_invitations' RETURNING kind`)
	value(`UPDATE hiring.river_job SET metadata = '{"hiring_waits": "API"}' WHERE args->>'organization' = 'waits' AND kind = 'hiring_invitations' RETURNING kind`)
	id := value("SELECT CAST(id AS text) FROM hiring.river_job WHERE kind = 'hiring_delivery' AND args->>'organization' = 'team-a'")
	prints("^team-a: its deliveries are paused$", "pause", "team-a")
	value("UPDATE hiring.hiring_jobs SET updated_at = now() - interval '3 minutes' WHERE status = 'queued' RETURNING organization")
	p := run("overview")
	for _, line := range []string{
		"ahead +clock .*", "gone +removed +00:.*", "hangs +delivery does not end .*", "killed +invitations do not end .*", "kills +state refused, delivery does not end .*", "late +late +00:10:0. +0 +0 +none +0 +0", "limited +waits for the rate limit .*", "lost +polls fail +never .*", "misspelt +never polled, invitations not sent +never +0 +0 +none +1 +0", "refused +key refused, late +never +1 +0 +none +0 +0", "removed +removed, deliveries wait .*", "rescued +invitations do not end .*",
		"team-a +paused until resume, deliveries fail +00:00:0. +1 +0 +00:00:0. +0 +0", "waits +invitations fail .*", "works +invitations fail .* 1", "sends +running .*",
	} {
		p.until(t, "^"+line+"$")
	}
	require.NoError(t, p.Wait())
	prints("^[0-9]+ +hiring_invitations +running +00:05:.* none$", "late", "killed")
	prints("^[0-9]+ +hiring_invitations +retryable +none .* waits for the rate limit$", "late", "limited")
	prints("^team-a +paused until resume, ", "retry-all", "team-a")
	prints("^team-a: its deliveries start now$", "resume", "team-a")
	prints("^all organizations: 18 jobs start now: .*$", "retry-all")
	prints("^"+id+" +hiring_delivery +available +none +1 .* failed$", "late", "team-a")
	prints("^hiring_delivery [0-9]+: running, it ends with its handler, or six minutes after .*$", "cancel", value("SELECT CAST(id AS text) FROM hiring.river_job WHERE state = 'running' AND kind = 'hiring_delivery'"))
	prints("^hiring_delivery "+id+": cancelled$", "cancel", id)
	prints("^team-a +running .* 0 +none +0 +0$", "retry-all")
	require.Equal(t, "cancelled", value("SELECT state FROM hiring.river_job WHERE id = "+id))
	prints("^hiring_delivery "+id+": deleted$", "delete", id)
	const left = "SELECT CAST(count(*) AS text) FROM hiring."
	require.Equal(t, "0", value(left+"river_job WHERE id = "+id))
	prints("^team-a: a worker delivers it now, or gives it up if .*$", "deliver", "team-a", sandbox.SubmissionID)
	require.Equal(t, "1", value(left+"river_job WHERE state = 'available' AND args->>'submission_id' = '"+sandbox.SubmissionID+"'"))
	for _, arguments := range [][]string{nil, {"unknown", "team-a"}, {"work", "-every", "2s"}, {"late"}} {
		p := run(arguments...)
		require.Error(t, p.Wait())
		require.Equal(t, 2, p.ProcessState.ExitCode())
		require.Regexp(t, "(?m)^team migrate +create", p.log.String())
	}
	for text, arguments := range map[string][]string{"a job": {"cancel", "abc"}, "a submission": {"deliver", "team-a", "abc"}, "an assessment": {"invite", "team-a", "abc", "ada@candidates.test", "Ada"}} {
		p := run(arguments...)
		require.Error(t, p.Wait())
		require.Contains(t, p.log.String(), `"abc" is not the id of `+text)
	}
	prints("^....-..-..T..:..:..Z: no process leads: none runs$", "overview")
	value("INSERT INTO hiring.river_leader (elected_at, expires_at, leader_id, name) VALUES (now(), now() + interval '1 minute', 'host-1', 'default') RETURNING name")
	prints("Z: host-1 leads$", "overview")
	_, err = db.Exec(t.Context(), "ALTER DATABASE postgres SET default_transaction_read_only = on")
	require.NoError(t, err)
	prints("Z: the database is read-only: no job runs$", "overview")
}
