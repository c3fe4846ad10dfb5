package jobs

import (
	"context"
	"database/sql"
	_ "embed"
	"math/rand/v2"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/jackc/pgx/v5/stdlib"
	"github.com/riverqueue/river"
	"github.com/riverqueue/river/riverdriver/riverpgxv5"
	"github.com/riverqueue/river/riverdriver/riversqlite"
	"github.com/riverqueue/river/rivermigrate"
)

// Database is the database of a River client: [Postgres] or [SQLite]. TTx is the type of
// its transactions.
type Database[TTx any] struct {
	db       *sql.DB // Outside of transactions.
	sqlite   bool
	maxConns int // Of the pool. 0 on SQLite.
	inTx     func(ctx context.Context, do func(tx TTx) error) error
	complete func(ctx context.Context, tx TTx, job *river.Job[anyArgs]) (*river.Job[anyArgs], error)
	migrator func(*rivermigrate.Config) (*rivermigrate.Migrator[TTx], error)
	client   func(*river.Config) (*river.Client[TTx], error)
}

// anyArgs are the arguments of a job of any kind, which are not decoded.
type anyArgs struct{}

// Kind is not used: no such job is inserted.
func (anyArgs) Kind() string { return "" }

// Postgres returns the database of a pool. [Watch] needs a pool of at least fifteen
// connections with the default number of workers: five more than deliveries run at once.
func Postgres(pool *pgxpool.Pool) Database[pgx.Tx] {
	return Database[pgx.Tx]{
		db: stdlib.OpenDBFromPool(pool), maxConns: int(pool.Config().MaxConns),
		inTx:     func(ctx context.Context, do func(pgx.Tx) error) error { return pgx.BeginFunc(ctx, pool, do) },
		complete: river.JobCompleteTx[*riverpgxv5.Driver, pgx.Tx, anyArgs],
		migrator: func(c *rivermigrate.Config) (*rivermigrate.Migrator[pgx.Tx], error) {
			return rivermigrate.New(riverpgxv5.New(pool), c)
		},
		client: func(c *river.Config) (*river.Client[pgx.Tx], error) { return river.NewClient(riverpgxv5.New(pool), c) },
	}
}

// SQLite returns the database of a SQLite file. It must have one connection
// (SetMaxOpenConns(1)), as River requires.
func SQLite(db *sql.DB) Database[*sql.Tx] {
	return Database[*sql.Tx]{
		db: db, sqlite: true,
		inTx: func(ctx context.Context, do func(*sql.Tx) error) error {
			tx, err := db.BeginTx(ctx, nil)
			if err != nil {
				return err
			}
			defer func() { _ = tx.Rollback() }() // Has no effect after the commit.
			if err := do(tx); err != nil {
				return err
			}
			return tx.Commit()
		},
		complete: river.JobCompleteTx[*riversqlite.Driver, *sql.Tx, anyArgs],
		migrator: func(c *rivermigrate.Config) (*rivermigrate.Migrator[*sql.Tx], error) {
			return rivermigrate.New(riversqlite.New(db), c)
		},
		client: func(c *river.Config) (*river.Client[*sql.Tx], error) { return river.NewClient(riversqlite.New(db), c) },
	}
}

// querier runs SQL in a database or in a transaction.
type querier interface {
	exec(ctx context.Context, statement string, args ...any) (affected int64, err error)
	queryRow(ctx context.Context, query string, args ...any) row
}

type row interface{ Scan(to ...any) error }

// querierOf returns the querier of a transaction, which is a pgx.Tx or a *sql.Tx, as River's drivers have them.
func querierOf(tx any) querier {
	if tx, ok := tx.(pgx.Tx); ok {
		return pgxQuerier{tx}
	}
	return sqlQuerier{tx.(*sql.Tx)}
}

type pgxQuerier struct{ pgx.Tx }

func (q pgxQuerier) exec(ctx context.Context, statement string, args ...any) (affected int64, err error) {
	result, err := q.Exec(ctx, statement, args...)
	return result.RowsAffected(), err
}

func (q pgxQuerier) queryRow(ctx context.Context, query string, args ...any) row {
	return q.QueryRow(ctx, query, args...)
}

// sqlQuerier is a *sql.DB or a *sql.Tx.
type sqlQuerier struct {
	db interface {
		ExecContext(ctx context.Context, statement string, args ...any) (sql.Result, error)
		QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row
	}
}

func (q sqlQuerier) exec(ctx context.Context, statement string, args ...any) (affected int64, err error) {
	result, err := q.db.ExecContext(ctx, statement, args...)
	if err != nil {
		return 0, err
	}
	return result.RowsAffected()
}

func (q sqlQuerier) queryRow(ctx context.Context, query string, args ...any) row {
	return q.db.QueryRowContext(ctx, query, args...)
}

// Migrate creates or updates River's tables and the table hiring_jobs in a schema, which
// must exist. An empty schema means the first one of the search_path. When the tables are up
// to date, Migrate changes nothing, and reading them is the only right that it needs. Any
// number of processes may call it at once, and one connection is enough.
func Migrate[TTx any](ctx context.Context, db Database[TTx], schema string) error {
	migrator, err := db.migrator(&rivermigrate.Config{Schema: schema})
	if err != nil {
		return err
	}
	t := newTable(sqlQuerier{db.db}, db.sqlite, schema)
	migrate := func() error {
		if _, err := migrator.Migrate(ctx, rivermigrate.DirectionUp, nil); err != nil {
			return err
		}
		if _, err := t.exec(ctx, "SELECT version FROM hiring_jobs WHERE version IS NULL"); err == nil {
			return nil // CREATE IF NOT EXISTS needs the right to create.
		}
		return db.inTx(ctx, func(tx TTx) error {
			_, err := newTable(querierOf(tx), db.sqlite, schema).exec(ctx, createTable)
			return err
		})
	}
	// When processes migrate at once, all but one fail at each version, because its tables exist.
	for n := 1; ; n++ {
		if err = migrate(); err == nil || n == 20 || ctx.Err() != nil {
			return err
		}
		select {
		case <-ctx.Done():
		case <-time.After(rand.N(200 * time.Millisecond)): //nolint:gosec // Not a secret.
		}
	}
}

// createTable creates the table, and an index for the queued invitations, whose name has no schema.
//
//go:embed hiring_jobs.sql
var createTable string
