package main

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/riverqueue/river/riverdriver/riverpgxv5"
	"github.com/stretchr/testify/require"

	"github.com/hiring-assessment/hiring-go/jobs/internal/testing/pgtest"
)

// TestMain also runs the program, for the tests.
func TestMain(m *testing.M) {
	if os.Getenv("TEAM_TEST_PROGRAM") != "" {
		main()
		return
	}
	os.Exit(m.Run())
}

// program is a running process. Its folder is empty.
type program struct {
	*exec.Cmd

	temporary string
	lines     *bufio.Scanner
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
	p.Stderr = os.Stderr
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

const result = `^\d\d:\d\d:\d\d  "(\w+)" +\d+  \w+`

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

func TestTeamSQLite(t *testing.T) {
	t.Parallel()
	p := start(t, nil)
	at, metrics := p.until(t, "^River's page: (.*)$"), p.until(t, "^Metrics: (.*)$")
	for range 3 {
		p.until(t, result)
	}
	require.Contains(t, get(t, metrics), `hiring_client_reports_delivered_total{hiring_organization="acme"`)
	require.Contains(t, get(t, at+"api/jobs?state=completed&limit=100"), "hiring_")
	p.interrupt(t)
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

// database returns the URL of DATABASE_URL or of a new server.
func database(t *testing.T) (url string) {
	t.Helper()
	if url := os.Getenv("DATABASE_URL"); url != "" {
		return url
	}
	server, err := pgtest.New(t.Context(), t)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, server.Close()) })
	return server.URL
}

func TestTeamPostgres(t *testing.T) {
	t.Parallel()
	url := database(t)
	t.Run("processes", func(t *testing.T) { t.Parallel(); testProcesses(t, url) })
	t.Run("table", func(t *testing.T) { t.Parallel(); testTableAtOnce(t, url) })
}

// testProcesses runs two processes with one sandbox, and one whose sandbox has the same ids, on one database.
func testProcesses(t *testing.T, url string) {
	environment := []string{"DATABASE_URL=" + url}
	first := start(t, environment)
	join := strings.Fields(first.until(t, "^For another process: (.*)$"))
	other := start(t, environment)
	second := start(t, append(environment, join[:2]...), join[slices.Index(join, "./examples/team")+1:]...)
	schemas := []string{join[len(join)-1], other.until(t, "-schema (.*)$")}
	require.NotEqual(t, schemas[0], schemas[1])
	second.until(t, "^River's page")
	first.until(t, result)
	second.interrupt(t)
	first.until(t, result)
	other.until(t, result)
	first.interrupt(t)
	other.interrupt(t)
	for i, least := range []int{2, 1} {
		results, deliveries := counts(t, url, schemas[i])
		require.Equal(t, deliveries, results)
		require.GreaterOrEqual(t, results, least)
	}
}

// testTableAtOnce checks that further processes find the table that another one is creating.
func testTableAtOnce(t *testing.T, url string) {
	for round := range 10 {
		schema := fmt.Sprintf("at_once_%d_%d", time.Now().UnixNano(), round)
		pool, err := openPool(t.Context(), url, schema)
		require.NoError(t, err)
		_, err = pool.Exec(t.Context(), "CREATE SCHEMA "+schema)
		require.NoError(t, err)
		set := team[*riverpgxv5.Driver, pgx.Tx]{
			begin: func(ctx context.Context, do func(pgx.Tx) error) error { return pgx.BeginFunc(ctx, pool, do) },
			exec: func(ctx context.Context, tx pgx.Tx, query string, args ...any) error {
				_, err := tx.Exec(ctx, query, args...)
				return err
			},
		}
		results := make(chan error)
		for range 4 {
			go func() { results <- set.createResults(t.Context()) }()
		}
		for range 4 {
			require.NoError(t, <-results)
		}
		pool.Close()
	}
}

// counts returns the number of results and of completed deliveries in a schema.
func counts(t *testing.T, url, schema string) (results, deliveries int) {
	t.Helper()
	db, err := pgx.Connect(t.Context(), url)
	require.NoError(t, err)
	defer func() { require.NoError(t, db.Close(context.WithoutCancel(t.Context()))) }()
	_, err = db.Exec(t.Context(), "SET search_path = "+pgx.Identifier{schema}.Sanitize())
	require.NoError(t, err)
	require.NoError(t, db.QueryRow(t.Context(), "SELECT count(*) FROM results").Scan(&results))
	require.NoError(t, db.QueryRow(t.Context(), "SELECT count(*) FROM river_job WHERE kind = 'hiring_delivery' AND state = 'completed'").Scan(&deliveries))
	return results, deliveries
}
