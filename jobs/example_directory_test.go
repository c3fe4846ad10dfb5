package jobs_test

import (
	"context"
	"database/sql"
	"errors"
	"os"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/stretchr/testify/require"

	hiring "github.com/hiring-assessment/hiring-go"
	"github.com/hiring-assessment/hiring-go/jobs"
)

// customers returns the organizations of a table. It is code of the guide.
func customers(pool *pgxpool.Pool, open func(name string, encrypted []byte) (*hiring.Client, error)) *jobs.Directory {
	return &jobs.Directory{
		List: func(ctx context.Context) ([]jobs.DirectoryEntry, error) {
			rows, _ := pool.Query(ctx, "SELECT id, md5(c::text) FROM customers c WHERE active") // CollectRows returns its error.
			return pgx.CollectRows(rows, pgx.RowToStructByPos[jobs.DirectoryEntry])
		},
		Open: func(ctx context.Context, e jobs.DirectoryEntry) (o jobs.Organization, err error) {
			var encrypted []byte
			var url, secret string
			row := pool.QueryRow(ctx, "SELECT encrypted_key, webhook_url, webhook_secret FROM customers WHERE id = $1", e.Name)
			if err = row.Scan(&encrypted, &url, &secret); err == nil {
				o.Client, err = open(e.Name, encrypted) // Decrypts the key and calls hiring.New.
			}
			if err == nil {
				o.Value, err = jobs.NewWebhook(url, jobs.WebhookOptions{Secrets: []string{secret}})
			}
			return o, err
		},
	}
}

// sendToCustomer is a Send that posts a result to the webhook of its customer.
func sendToCustomer(ctx context.Context, d jobs.Delivery) error {
	return d.Organization.Value.(*jobs.Webhook).Send(ctx, d)
}

func TestGuideCustomersPostgres(t *testing.T) {
	t.Parallel()
	s := newPostgres(t)
	pool, err := pgxpool.New(t.Context(), s.url)
	require.NoError(t, err)
	t.Cleanup(pool.Close)
	s.mustExec(t, `CREATE TABLE customers (id text PRIMARY KEY, encrypted_key bytea NOT NULL, active boolean NOT NULL DEFAULT true,
		webhook_url text NOT NULL DEFAULT 'https://127.0.0.1:1/', webhook_secret text NOT NULL DEFAULT 'whsec_dGhlIGN1cnJlbnQgc2VjcmV0IGlzIGxvbmc=')`)
	s.mustExec(t, "INSERT INTO customers (id, encrypted_key) VALUES ('acme', $1)", []byte("yek"))
	directory := customers(pool, func(_ string, encrypted []byte) (*hiring.Client, error) {
		return hiring.New("https://hiring.example.com", "sk_live_"+string(encrypted))
	})
	list := func() []jobs.DirectoryEntry {
		t.Helper()
		listed, err := directory.List(t.Context())
		require.NoError(t, err)
		return listed
	}
	listed := list()
	require.Equal(t, "acme", listed[0].Name)
	opened, err := directory.Open(t.Context(), listed[0])
	require.NoError(t, err)
	require.NotNil(t, opened.Client)
	require.ErrorContains(t, sendToCustomer(t.Context(), jobs.Delivery{Organization: opened}), "jobs: webhook to 127.0.0.1:1")
	s.mustExec(t, "UPDATE customers SET encrypted_key = 'new'")
	require.NotEqual(t, listed[0].Revision, list()[0].Revision)
	s.mustExec(t, "UPDATE customers SET active = false")
	require.Empty(t, list())
}

func TestStatementsOfTheGuide(t *testing.T) {
	t.Parallel()
	onBothStores(t, statementsOfTheGuide[pgx.Tx], statementsOfTheGuide[*sql.Tx])
}

// statementsOfTheGuide runs the statements of the page for operators.
func statementsOfTheGuide[TTx any](t *testing.T, s *store[TTx]) {
	api := newAPI(t)
	id := api.addEvaluated(t, 2)[0]
	_, stop := s.watch(t, testConfig(), jobs.Results[TTx]{
		Organizations: api.organizations(), Retry: jobs.RetryPolicy{First: time.Hour},
		Handle: func(context.Context, TTx, jobs.Delivery) error { return errors.New("failed") },
	})
	eventually(t, s.countIs(t, 2, "river_job WHERE kind = 'hiring_delivery' AND state = 'retryable'"))
	late := guideSQL(t, "SELECT id, kind")
	if s.isSQLite() {
		late = strings.NewReplacer(`split_part(errors[cardinality(errors)]->>'error', E'\n', 1)`, "errors->>'$[#-1].error'", "errors[cardinality(errors)]->>'at'", "errors->>'$[#-1].at'", "attempted_by[cardinality(attempted_by)]", "attempted_by->>'$[#-1]'").Replace(late)
	}
	require.Equal(t, 2, s.count(t, "("+late+") AS late WHERE kind = 'hiring_delivery' AND error = 'failed' AND length(error_at) > 0 AND length(process) > 0"))

	stop() // The organization is listed: its jobs and a statement that deletes all of them would lock rows in different orders.
	person := "DELETE FROM river_job WHERE args->>'submission_id' = '" + id + "'"
	if !s.isSQLite() {
		email := queryValue[string](t, s.db, `SELECT convert_from(decode(args->>'submission', 'base64'), 'UTF8')::jsonb->'candidate'->>'email' FROM river_job WHERE args->>'submission_id' = $1`, id)
		person = guideSQL(t, "DELETE FROM river_job WHERE strpos")
		s.mustExec(t, strings.ReplaceAll(person, "ada@example.com", "_"+strings.ToLower(email)[1:]))
		require.Equal(t, 2, s.count(t, "river_job WHERE kind = 'hiring_delivery'"), "an underscore matches itself only")
		person = strings.ReplaceAll(person, "ada@example.com", strings.ToLower(email))
		rename := guideSQL(t, "UPDATE hiring_jobs")
		s.mustExec(t, rename)
		require.Equal(t, 2, s.count(t, "hiring_jobs, river_job WHERE organization = 'globex' AND args->>'organization' = 'globex' AND kind = 'hiring_delivery'"))
		s.mustExec(t, strings.NewReplacer("acme", "globex", "globex", "acme").Replace(rename))
	}
	s.mustExec(t, person)
	require.Equal(t, 1, s.count(t, "river_job WHERE kind = 'hiring_delivery'"))
	s.mustExec(t, guideSQL(t, "DELETE FROM river_job WHERE args"))
	require.Zero(t, s.count(t, "river_job WHERE kind = 'hiring_delivery'"))
}

// guideSQL returns the block of SQL of the guide that begins with a text.
func guideSQL(t *testing.T, beginning string) string {
	t.Helper()
	text, err := os.ReadFile("../docs/jobs.md")
	require.NoError(t, err)
	for _, block := range regexp.MustCompile("(?s)```sql\n(.*?)```").FindAllStringSubmatch(string(text), -1) {
		if strings.HasPrefix(block[1], beginning) {
			return strings.TrimSuffix(block[1], ";\n")
		}
	}
	require.Fail(t, "the guide has no such statement", beginning)
	return ""
}
