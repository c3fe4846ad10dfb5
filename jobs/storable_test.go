package jobs_test

import (
	"context"
	"database/sql"
	"errors"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/riverqueue/river"
	"github.com/stretchr/testify/require"

	hiring "github.com/hiring-assessment/hiring-go"
	"github.com/hiring-assessment/hiring-go/jobs"
)

// unstorable are texts that jsonb or text of PostgreSQL cannot hold, or that JSON changes: NUL, a lone surrogate and a
// byte that is not UTF-8.
var unstorable = map[string]string{"NUL": "a\x00b", "surrogate": "a\xed\xa0\x80b", "not UTF-8": "a\xffb"}

func TestTextOfErrorsStopsNoOtherJob(t *testing.T) {
	t.Parallel()
	onBothStores(t, textOfErrorsStopsNoOtherJob[pgx.Tx], textOfErrorsStopsNoOtherJob[*sql.Tx])
}

// textOfErrorsStopsNoOtherJob has handlers whose errors, cancellations and panics have text that the database cannot hold, an organization
// that cannot be opened with such an error, and a receiver that answers 410 with one.
func textOfErrorsStopsNoOtherJob[TTx any](t *testing.T, s *store[TTx]) {
	api, other, gone := newAPI(t), newAPI(t), newAPI(t)
	ids := api.addEvaluated(t, 2*len(unstorable))
	other.addEvaluated(t, 3)
	gone.addEvaluated(t, 1)
	failures := make(map[string]error)
	for _, text := range unstorable {
		failures[ids[0]], failures[ids[1]] = errors.New(text), river.JobCancel(errors.New(text))
		ids = ids[2:]
	}
	broken := newCustomers()
	broken.set("closed", customer{api: api, err: errors.New(unstorable["NUL"])})
	s.watch(t, testConfig(),
		jobs.Results[TTx]{
			Organizations: []jobs.Organization{api.organization("acme"), other.organization("other")}, Retry: jobs.RetryPolicy{First: time.Hour},
			Handle: func(ctx context.Context, tx TTx, d jobs.Delivery) error {
				if err := failures[d.Submission.ID]; err != nil && d.Organization.Name == "acme" {
					return err
				}
				return s.insertResult(ctx, tx, d)
			},
		},
		jobs.Results[TTx]{
			Organizations: []jobs.Organization{gone.organization("gone")},
			Send: func(context.Context, jobs.Delivery) error {
				return errors.Join(jobs.ErrReceiverGone, errors.New(unstorable["not UTF-8"]))
			},
		},
		jobs.Results[TTx]{Directory: broken.directory(), Handle: s.insertResult},
	)
	const failed = "river_job WHERE kind = 'hiring_delivery' AND args->>'organization' = 'acme' AND state = "
	eventually(t, s.countIs(t, len(unstorable), failed+"'retryable'"))
	eventually(t, s.countIs(t, len(unstorable), failed+"'cancelled'"))
	eventually(t, s.statusIs(t, jobs.StatusPaused, 1), "the pause is stored")
	eventually(t, s.countIs(t, 1, "river_job WHERE kind = 'hiring_poll' AND args->>'organization' = 'closed' AND errors IS NOT NULL"))
	other.addEvaluated(t, 2)
	eventually(t, s.countIs(t, 5, "results WHERE organization = 'other'"), "other deliveries, polls and health jobs are completed")
	eventually(t, s.countIs(t, 0, "river_job WHERE kind = 'hiring_delivery' AND state = 'running'"))
}

// TestInviteRefusesTextThatSendRefusesPostgres invites a valid candidate before each invalid one. The transaction of the caller stays usable.
func TestInviteRefusesTextThatSendRefusesPostgres(t *testing.T) {
	t.Parallel()
	s, api := newPostgres(t), newAPI(t)
	client := s.startInviting(t, api)
	valid := hiring.NewInvitation{Email: "ada@example.com", Name: "Ada"}
	refused := map[string]hiring.NewInvitation{
		"no address":         {Name: "Ada"},
		"NUL in the address": {Email: "grace\x00@example.com", Name: "Grace"},
		"name not UTF-8":     {Email: "jose@example.com", Name: "Jos\xe9"},
	}
	for name, c := range refused {
		require.NoError(t, s.inTx(t, func(ctx context.Context, tx pgx.Tx) error {
			added, err := jobs.Invite(ctx, client, tx, "acme", api.assessment, []hiring.NewInvitation{valid, c}, jobs.InviteOptions{})
			var problem *hiring.ParamError
			require.ErrorAs(t, err, &problem, name)
			require.ErrorContains(t, err, "candidate 2", name)
			require.NotContains(t, err.Error(), "example.com", name)
			require.Zero(t, added, name)
			return s.exec(ctx, tx, "INSERT INTO results (submission_id) VALUES ('the transaction is usable')")
		}), name)
	}
	for _, ids := range [][2]string{{"ac\x00me", api.assessment}, {"acme", "a\xff"}, {"", api.assessment}, {"acme", ".."}} {
		require.NoError(t, s.inTx(t, func(ctx context.Context, tx pgx.Tx) error {
			_, err := jobs.Invite(ctx, client, tx, ids[0], ids[1], []hiring.NewInvitation{valid}, jobs.InviteOptions{})
			require.ErrorIs(t, err, hiring.ErrInvalidInput)
			if ids[1] != ".." {
				require.ErrorIs(t, jobs.Deliver(ctx, client, tx, ids[0], ids[1]), hiring.ErrInvalidInput)
			}
			return nil
		}))
	}
	require.Zero(t, s.count(t, "hiring_jobs"))
	require.Zero(t, s.count(t, "river_job WHERE kind = 'hiring_invitations'"))
	require.Equal(t, 1, s.invite(t, client, api.assessment, hiring.NewInvitation{Email: "nul@example.com", Name: "N\x00l"}), "a name may have any character, as in Send")
	eventually(t, s.statusIs(t, jobs.StatusSent, 1))
}
