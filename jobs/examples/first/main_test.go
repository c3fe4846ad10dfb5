package main

import (
	"database/sql"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	hiring "github.com/hiring-assessment/hiring-go"
	"github.com/hiring-assessment/hiring-go/sandbox"
)

// TestMain also runs the program, for the test.
func TestMain(m *testing.M) {
	if os.Getenv("FIRST_TEST_PROGRAM") != "" {
		main()
		return
	}
	os.Exit(m.Run())
}

// TestResultsAreStoredOnceAcrossAStop runs the program twice with one database.
func TestResultsAreStoredOnceAcrossAStop(t *testing.T) {
	service := sandbox.New()
	t.Cleanup(service.Close)
	assessment := service.AddAssessment("Backend engineer")
	evaluate := func(email string) {
		i, err := service.LiveClient().Invitations.Send(t.Context(), assessment, hiring.NewInvitation{Email: email, Name: "A Candidate"})
		require.NoError(t, err)
		submission, err := service.Begin(i.ID)
		require.NoError(t, err)
		require.NoError(t, service.Submit(submission))
		require.NoError(t, service.Evaluate(submission, sandbox.Result{ShipScore: new(70)}))
	}
	executable, err := os.Executable()
	require.NoError(t, err)
	dir := t.TempDir()
	db, err := sql.Open("sqlite", "file:"+filepath.Join(dir, "results.sqlite")+"?_txlock=immediate&_pragma=busy_timeout(5000)&_pragma=journal_mode(WAL)&_pragma=synchronous(NORMAL)")
	require.NoError(t, err)
	t.Cleanup(func() { _ = db.Close() })
	for n, email := range []string{"ada@candidates.test", "grace@candidates.test"} {
		evaluate(email)
		unlock := func() {}
		if n == 1 {
			_, err := db.ExecContext(t.Context(), "UPDATE river_job SET scheduled_at = CURRENT_TIMESTAMP WHERE kind = 'hiring_poll'") // Instead of waiting for half a minute.
			require.NoError(t, err)
			// Another process, such as a backup, holds the write lock while the program starts.
			lock, err := db.BeginTx(t.Context(), nil)
			require.NoError(t, err)
			unlock = func() { require.NoError(t, lock.Rollback()) }
		}
		c := exec.CommandContext(t.Context(), executable)
		c.Dir = dir
		c.Env = append(os.Environ(), "FIRST_TEST_PROGRAM=1", "HIRING_BASE_URL="+service.URL(), "HIRING_API_KEY="+sandbox.LiveKey)
		var output strings.Builder
		c.Stdout, c.Stderr = &output, &output
		require.NoError(t, c.Start())
		time.Sleep(time.Duration(n) * time.Second) // The program waits for the lock.
		unlock()
		for deadline := time.Now().Add(2 * time.Minute); ; time.Sleep(50 * time.Millisecond) {
			require.True(t, time.Now().Before(deadline), "%s", &output)
			var stored int
			if db.QueryRowContext(t.Context(), "SELECT count(*) FROM results").Scan(&stored) == nil && stored == n+1 {
				break
			}
		}
		require.NoError(t, c.Process.Signal(syscall.SIGTERM))
		require.NoError(t, c.Wait(), "%s", &output)
		require.Contains(t, output.String(), "stopped\n")
	}
}
