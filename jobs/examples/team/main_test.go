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

const result = `^\d\d:\d\d:\d\d  ".+" +\d+  \w+`

// interrupt stops the program as Ctrl-C does, and checks that it leaves no file.
func (p *program) interrupt(t *testing.T) {
	t.Helper()
	require.NoError(t, p.Process.Signal(syscall.SIGINT))
	p.until(t, "^stopped$")
	require.NoError(t, p.Wait(), "exit status 0")
	left, err := os.ReadDir(p.temporary)
	require.NoError(t, err)
	require.Empty(t, left)
}

// get returns the body of a page.
func get(t *testing.T, url string) string {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url, nil)
	require.NoError(t, err)
	response, err := (&http.Client{}).Do(r)
	require.NoError(t, err)
	defer func() { _ = response.Body.Close() }()
	text, err := io.ReadAll(response.Body)
	require.NoError(t, err)
	require.Equal(t, http.StatusOK, response.StatusCode)
	return string(text)
}

// database returns the URL of a new server.
func database(t *testing.T) (url string) {
	t.Helper()
	server, err := pgtest.New(t.Context(), t)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, server.Close()) })
	return server.URL
}

// TestTeam runs a process with the rights of the guide, and interrupts it while a handler hangs.
func TestTeam(t *testing.T) {
	t.Parallel()
	service := sandbox.New()
	t.Cleanup(service.Close)
	url := database(t)
	require.NoError(t, start(t, []string{"DATABASE_URL=" + url}, "migrate").Wait(), "it needs no API")
	db, err := pgx.Connect(t.Context(), url)
	require.NoError(t, err)
	t.Cleanup(func() { _ = db.Close(context.WithoutCancel(t.Context())) })
	_, err = db.Exec(t.Context(), `CREATE ROLE worker;
		GRANT USAGE ON SCHEMA hiring TO worker; GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA hiring TO worker;
		GRANT USAGE ON ALL SEQUENCES IN SCHEMA hiring TO worker; GRANT SELECT, INSERT, UPDATE ON results TO worker`)
	require.NoError(t, err)
	location, err := neturl.Parse(url)
	require.NoError(t, err)
	query := location.Query()
	query.Set("role", "worker") // It may create no table.
	location.RawQuery = query.Encode()
	pool, err := pgxpool.New(t.Context(), location.String())
	require.NoError(t, err)
	t.Cleanup(pool.Close)
	require.NoError(t, jobs.Migrate(t.Context(), jobs.Postgres(pool), schema), "tables that are up to date need no right to create")
	environment := []string{"DATABASE_URL=" + location.String(), "HIRING_BASE_URL=" + service.URL()}
	require.Error(t, start(t, append(environment, "HIRING_API_KEY=sk_live_unknown_0123456789")).Wait(), "a wrong key fails at once")
	p := start(t, append(environment, "HIRING_API_KEY="+sandbox.LiveKey), "-every", "2s")
	page, metrics := p.until(t, "^River's page: (.*)$"), p.until(t, "^Metrics: (.*)$")
	require.Eventually(t, func() bool { // The first poll is completed.
		var watches int
		return db.QueryRow(t.Context(), "SELECT count(*) FROM hiring.hiring_jobs WHERE status = 'watching'").Scan(&watches) == nil && watches == 1
	}, maxRun, 100*time.Millisecond)
	assessment := service.AddAssessment("Backend engineer")
	_, err = service.AddResult(assessment, "ada@candidates.test", sandbox.Result{})
	require.NoError(t, err)
	p.until(t, result)
	require.Contains(t, get(t, page+"api/jobs?state=completed&limit=100"), "hiring_")
	require.Contains(t, get(t, metrics), "hiring_poll_overdue_seconds{hiring_operation")
	host, err := os.Hostname()
	require.NoError(t, err)
	var process string
	require.NoError(t, db.QueryRow(t.Context(), "SELECT attempted_by[1] FROM hiring.river_job WHERE kind = 'hiring_delivery'").Scan(&process))
	require.Equal(t, fmt.Sprintf("%s-%d", host, p.Process.Pid), process)
	id, err := service.AddResult(assessment, "grace@candidates.test", sandbox.Result{})
	require.NoError(t, err)
	p.until(t, "^hangs$")
	p.interrupt(t)
	require.Contains(t, p.log.String(), "a handler does not return: it must return when its context ends\" organization=acme kind=hiring_delivery submission_id="+id)
}

// TestTeamOperates runs the commands of an operator on jobs of another program.
func TestTeamOperates(t *testing.T) {
	t.Parallel()
	url := database(t)
	command := func(arguments ...string) {
		t.Helper()
		require.NoError(t, start(t, []string{"DATABASE_URL=" + url}, arguments...).Wait())
	}
	prints := func(line string, arguments ...string) {
		t.Helper()
		p := start(t, []string{"DATABASE_URL=" + url}, arguments...)
		p.until(t, line)
		require.NoError(t, p.Wait())
	}
	command("migrate")
	db, err := pgx.Connect(t.Context(), url)
	require.NoError(t, err)
	t.Cleanup(func() { _ = db.Close(context.WithoutCancel(t.Context())) })
	value := func(query string) (text string) {
		t.Helper()
		require.NoError(t, db.QueryRow(t.Context(), query).Scan(&text), query)
		return text
	}
	fails := func(arguments ...string) {
		t.Helper()
		require.Error(t, start(t, []string{"DATABASE_URL=" + url}, arguments...).Wait())
	}
	const delivery = "INSERT INTO hiring.river_job (args, kind, max_attempts, attempt, state, scheduled_at, attempted_at) VALUES ('{\"organization\": \"team-a\"}', 'hiring_delivery', 9, 1, "
	id, running := value(delivery+"'retryable', '2999-01-01', NULL) RETURNING CAST(id AS text)"), value(delivery+"'running', now(), now()) RETURNING CAST(id AS text)")
	prints("^team-a: 1 jobs start now$", "retry-all", "team-a")
	prints("^all organizations: 0 jobs start now$", "retry-all")
	fails("retry-all", "team-b")
	prints("^hiring_delivery "+id+": cancelled$", "cancel", id)
	command("retry-all")
	require.Equal(t, "cancelled", value("SELECT state FROM hiring.river_job WHERE id = "+id))
	prints("^hiring_delivery "+id+": available$", "retry", id)
	fails("retry", running)
	command("delete", id)
	const left = "SELECT CAST(count(*) AS text) FROM hiring."
	require.Equal(t, "0", value(left+"river_job WHERE id = "+id))
	fails("pause", "team-a")
	fails("deliver", "team-a", "s-1")
	_, err = db.Exec(t.Context(), "INSERT INTO hiring.hiring_jobs (organization, assessment_id, address, status, detail) VALUES ('team-a', '', '', 'watching', '')")
	require.NoError(t, err)
	prints("^team-a: its deliveries are paused$", "pause", "team-a")
	prints("^team-a: its deliveries start now$", "resume", "team-a")
	fails("resume", "team-a")
	prints("^team-a: the delivery starts now$", "deliver", "team-a", "s-1")
	require.Equal(t, "1", value(left+"river_job WHERE state = 'available' AND args->>'submission_id' = 's-1'"))
	fails("unknown", "team-a")
}
