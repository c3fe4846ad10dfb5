package jobs_test

import (
	"context"
	"database/sql"
	"errors"
	"log"
	"testing"

	"github.com/stretchr/testify/require"

	hiring "github.com/hiring-assessment/hiring-go"
	"github.com/hiring-assessment/hiring-go/sandbox"
)

const oneProcessTables = `
CREATE TABLE watch_results (submission_id text PRIMARY KEY, email text NOT NULL, score integer);
CREATE TABLE watch_states (name text PRIMARY KEY, state text NOT NULL);
`

// state is the row of a checkpoint.
type state struct {
	db   *sql.DB
	name string
}

func (s state) Load(ctx context.Context) (state string, err error) {
	err = s.db.QueryRowContext(ctx, "SELECT state FROM watch_states WHERE name = $1", s.name).Scan(&state)
	if errors.Is(err, sql.ErrNoRows) {
		return "", nil
	}
	return state, err
}

func (s state) Save(ctx context.Context, state string) error {
	_, err := s.db.ExecContext(ctx, `INSERT INTO watch_states (name, state) VALUES ($1, $2)
		ON CONFLICT (name) DO UPDATE SET state = excluded.state`, s.name, state)
	return err
}

// storeResults stores each result in one row, also when the process is killed at any moment. The checkpoint of options may be
// a state of db.
func storeResults(ctx context.Context, client *hiring.Client, db *sql.DB, options hiring.WatchOptions) error {
	for submission, err := range client.Submissions.Watch(ctx, options) {
		if bad, ok := errors.AsType[*hiring.ItemError](err); ok {
			log.Print(bad) // A submission that cannot be decoded. It is not yielded again.
			continue
		}
		if ctx.Err() != nil {
			return nil // SIGTERM. The next start stores this result.
		}
		if err != nil {
			return err
		}
		var score *int // NULL: not enough data.
		if n, ok := submission.Report.Score(); ok {
			score = &n
		}
		if _, err := db.ExecContext(context.WithoutCancel(ctx), `INSERT INTO watch_results (submission_id, email, score) VALUES ($1, $2, $3)
			ON CONFLICT (submission_id) DO NOTHING`, submission.ID, submission.Candidate.Email, score); err != nil {
			return err
		}
	}
	return nil
}

var errKilled = errors.New("killed")

// TestOneProcessStoresOneRowForEachResult interrupts a watch after a row was stored and before its state was saved.
func TestOneProcessStoresOneRowForEachResult(t *testing.T) {
	t.Parallel()
	for name, db := range map[string]*sql.DB{"SQLite": newSQLite(t).db, "PostgreSQL": newPostgres(t).db} {
		_, err := db.ExecContext(t.Context(), oneProcessTables)
		require.NoError(t, err)
		api := newAPI(t)
		api.addEvaluated(t, 3)
		bad := api.addSubmission(t)
		require.NoError(t, api.Evaluate(bad, sandbox.Result{Extra: map[string]any{"ship_score": "ninety"}})) // Cannot be decoded.
		options := api.organization("acme").Watch
		options.Checkpoint = state{db, "watch"}
		for rows := 1; rows <= 3; rows++ {
			ctx, kill := context.WithCancelCause(t.Context())
			_, err := db.ExecContext(ctx, "DELETE FROM watch_states") // The states of the killed process are lost.
			require.NoError(t, err)
			options.Progress = func(hiring.WaitProgress) { kill(errKilled) } // After the first poll and its deliveries.
			require.NoError(t, storeResults(ctx, api.LiveClient(), db, options))
		}
		var rows, distinct int
		require.NoError(t, db.QueryRowContext(t.Context(), "SELECT count(*), count(DISTINCT submission_id) FROM watch_results WHERE score IS NOT NULL").Scan(&rows, &distinct))
		require.Equal(t, []int{3, 3}, []int{rows, distinct}, name)
	}
}
