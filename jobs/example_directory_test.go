package jobs_test

import (
	"context"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/riverqueue/river"
	"github.com/riverqueue/river/riverdriver/riverpgxv5"
	"github.com/stretchr/testify/require"

	hiring "github.com/hiring-assessment/hiring-go"
	"github.com/hiring-assessment/hiring-go/jobs"
)

// customers returns the organizations of a table. It is code of the guide.
func customers(pool *pgxpool.Pool, decrypt func([]byte) (string, error)) *jobs.Directory {
	return &jobs.Directory{
		List: func(ctx context.Context) ([]jobs.Listed, error) {
			rows, err := pool.Query(ctx, "SELECT name, changed_at::text FROM customers WHERE active")
			if err != nil {
				return nil, err
			}
			return pgx.CollectRows(rows, pgx.RowToStructByPos[jobs.Listed])
		},
		Open: func(ctx context.Context, l jobs.Listed) (o jobs.Organization, err error) {
			var encrypted []byte
			var url, secret string
			err = pool.QueryRow(ctx, "SELECT encrypted_key, webhook_url, webhook_secret FROM customers WHERE name = $1", l.Name).
				Scan(&encrypted, &url, &secret)
			if err != nil {
				return o, err
			}
			key, err := decrypt(encrypted)
			if err != nil {
				return o, err
			}
			if o.Client, err = hiring.New("https://hiring.example.com", key); err != nil {
				return o, err
			}
			o.Value, err = jobs.NewWebhook(url, jobs.WebhookOptions{Secrets: []string{secret}})
			return o, err
		},
	}
}

func post(ctx context.Context, d jobs.Delivery) error {
	return d.Organization.Value.(*jobs.Webhook).Send(ctx, d)
}

// TestGuideCustomersPostgres reads the guide's table of customers.
func TestGuideCustomersPostgres(t *testing.T) {
	t.Parallel()
	s := newPostgres(t)
	pool, err := pgxpool.New(t.Context(), s.url)
	require.NoError(t, err)
	t.Cleanup(pool.Close)
	s.mustExec(t, guideSQL(t, "../docs/jobs.md", "CREATE TABLE customers"))
	s.mustExec(t, "INSERT INTO customers (name, encrypted_key, webhook_url, webhook_secret) VALUES ('acme', $1, 'https://example.com/hook', $2)", []byte("yek"), secret)
	directory := customers(pool, func([]byte) (string, error) { return "sk_live_0123456789", nil })
	listed, err := directory.List(t.Context())
	require.NoError(t, err)
	require.Len(t, listed, 1)
	require.Equal(t, "acme", listed[0].Name)
	opened, err := directory.Open(t.Context(), listed[0])
	require.NoError(t, err)
	require.NotNil(t, opened.Client)
	require.IsType(t, &jobs.Webhook{}, opened.Value)
	require.NoError(t, jobs.Watch[*riverpgxv5.Driver](&river.Config{}, jobs.Results[pgx.Tx]{Directory: directory, Send: post}))
	s.mustExec(t, "UPDATE customers SET encrypted_key = 'new', changed_at = now()")
	again, err := directory.List(t.Context())
	require.NoError(t, err)
	require.NotEqual(t, listed[0].Revision, again[0].Revision)
	s.mustExec(t, "UPDATE customers SET active = false")
	none, err := directory.List(t.Context())
	require.NoError(t, err)
	require.Empty(t, none)
}

// guideSQL returns the block of SQL of a guide that begins with a text.
func guideSQL(t *testing.T, guide, beginning string) string {
	t.Helper()
	text, err := os.ReadFile(guide)
	require.NoError(t, err)
	for _, block := range regexp.MustCompile("(?s)```sql\n(.*?)```").FindAllStringSubmatch(string(text), -1) {
		if strings.HasPrefix(block[1], beginning) {
			return block[1]
		}
	}
	require.Fail(t, "the guide has no such statement", beginning)
	return ""
}
