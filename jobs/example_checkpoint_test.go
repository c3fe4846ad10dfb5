package jobs_test

import (
	"context"
	"errors"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/stretchr/testify/require"

	hiring "github.com/hiring-assessment/hiring-go"
)

type checkpoint struct {
	pool *pgxpool.Pool
	name string
}

func (c checkpoint) Load(ctx context.Context) (state string, err error) {
	err = c.pool.QueryRow(ctx, "SELECT state FROM checkpoints WHERE name = $1", c.name).Scan(&state)
	if errors.Is(err, pgx.ErrNoRows) {
		return "", nil
	}
	return state, err
}

func (c checkpoint) Save(ctx context.Context, state string) error {
	_, err := c.pool.Exec(ctx, `INSERT INTO checkpoints (name, state) VALUES ($1, $2)
		ON CONFLICT (name) DO UPDATE SET state = excluded.state`, c.name, state)
	return err
}

var _ hiring.Checkpoint = checkpoint{}

// TestGuideCheckpointPostgres leaves two loops over Watch early. The second loop must
// repeat only the result that the first did not finish.
func TestGuideCheckpointPostgres(t *testing.T) {
	t.Parallel()
	s, api := newPostgres(t), newAPI(t)
	_, err := s.db.ExecContext(t.Context(), "CREATE TABLE checkpoints (name text PRIMARY KEY, state text NOT NULL)")
	require.NoError(t, err)
	pool, err := pgxpool.New(t.Context(), s.url)
	require.NoError(t, err)
	t.Cleanup(pool.Close)
	options := api.organization("acme").Watch
	options.Checkpoint = checkpoint{pool, "acme"}
	ids := api.addEvaluated(t, 3)
	received := make(map[string]int)
	receive := func(n int) {
		for submission, err := range api.LiveClient().Submissions.Watch(t.Context(), options) {
			require.NoError(t, err)
			received[submission.ID]++
			n--
			if n == 0 {
				return
			}
		}
	}
	receive(2)
	receive(2) // The last result of the first loop was not saved.
	require.Len(t, received, 3)
	for _, id := range ids {
		require.LessOrEqual(t, received[id], 2)
	}
}
