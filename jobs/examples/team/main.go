// Command team invites candidates, stores each result once in a table, and serves
// River's web page for operators. Several processes can share the work.
//
//	go run -C jobs ./examples/team
//
// Without environment variables it uses an embedded sandbox, whose candidates act
// automatically, and a temporary SQLite file.
//
//   - With DATABASE_URL it uses that PostgreSQL, with a new schema for each sandbox, and
//     prints the command for further processes.
//   - With HIRING_BASE_URL and HIRING_API_KEY (or HIRING_API_KEY_FILE) it watches that
//     API and sends no invitations.
//
// The folder deploy has manifests.
package main

import (
	"cmp"
	"context"
	"database/sql"
	"flag"
	"fmt"
	"log/slog"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/riverqueue/river/riverdriver/riverpgxv5"
	"github.com/riverqueue/river/riverdriver/riversqlite"
	_ "modernc.org/sqlite"
)

func main() {
	every := flag.Duration("every", time.Minute, "longest interval between two polls; the embedded sandbox is polled every 2s")
	listen := flag.String("listen", "127.0.0.1:0", "`host:port` of River's web page; port 0 means a free port")
	metrics := flag.String("metrics", "127.0.0.1:0", "`host:port` of the metrics for Prometheus, which the alert rules of module otelhiring need")
	schema := flag.String("schema", "", "PostgreSQL schema; default: the schema of the connection, or a new one for the embedded sandbox")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := run(ctx, settings{every: *every, listen: *listen, metrics: *metrics, schema: *schema})
	stop()
	if err != nil {
		_, _ = fmt.Fprintf(os.Stderr, "team: %v\n", err)
		os.Exit(1)
	}
}

type settings struct {
	every   time.Duration
	listen  string
	metrics string
	schema  string
}

// run chooses the API and the database, and runs the team.
func run(ctx context.Context, set settings) error {
	service, err := newService(set.every)
	if err != nil {
		return err
	}
	defer service.close()
	if url := os.Getenv("DATABASE_URL"); url != "" {
		return onPostgres(ctx, set, service, url)
	}
	return onSQLite(ctx, set, service)
}

func onPostgres(ctx context.Context, set settings, service *service, url string) error {
	isNew := service.fake != nil && set.schema == ""
	if isNew { // The ids of each sandbox are the same, so each needs its own tables.
		set.schema = fmt.Sprintf("hiring_team_%d", time.Now().UnixMilli())
	}
	pool, err := openPool(ctx, url, set.schema)
	if err != nil {
		return err
	}
	defer pool.Close()
	if isNew {
		if _, err := pool.Exec(ctx, "CREATE SCHEMA "+pgx.Identifier{set.schema}.Sanitize()); err != nil {
			return err
		}
		fmt.Printf("The tables are in schema %s. Drop it when you no longer need it.\n", set.schema)
	}
	t := team[*riverpgxv5.Driver, pgx.Tx]{
		settings: set, service: service, driver: riverpgxv5.New(pool),
		begin: func(ctx context.Context, do func(pgx.Tx) error) error { return pgx.BeginFunc(ctx, pool, do) },
		exec: func(ctx context.Context, tx pgx.Tx, query string, args ...any) error {
			_, err := tx.Exec(ctx, query, args...)
			return err
		},
	}
	if service.fake != nil {
		fmt.Printf("For another process: HIRING_BASE_URL=%s HIRING_API_KEY=%s go run -C jobs ./examples/team -every %s -schema %s\n",
			service.url, service.key, service.watch.MaxInterval, set.schema)
	}
	return t.run(ctx)
}

// openPool opens a pool whose connections use a schema. An empty schema means that of the
// connection.
func openPool(ctx context.Context, url, schema string) (*pgxpool.Pool, error) {
	config, err := pgxpool.ParseConfig(url)
	if err != nil {
		return nil, err
	}
	if schema != "" {
		config.ConnConfig.RuntimeParams["search_path"] = pgx.Identifier{schema}.Sanitize()
	}
	return pgxpool.NewWithConfig(ctx, config)
}

func onSQLite(ctx context.Context, set settings, service *service) error {
	dir, err := os.MkdirTemp("", "hiring-team")
	if err != nil {
		return err
	}
	defer func() {
		if err := os.RemoveAll(dir); err != nil {
			slog.Error("removing the temporary database failed", "error", err)
		}
	}()
	// SQLite allows one writer. With one connection, transactions wait for each other instead of failing.
	const pragmas = "?_txlock=immediate&_pragma=busy_timeout(5000)&_pragma=journal_mode(WAL)&_pragma=synchronous(NORMAL)"
	db, err := sql.Open("sqlite", "file:"+filepath.Join(dir, "team.sqlite")+pragmas)
	if err != nil {
		return err
	}
	db.SetMaxOpenConns(1)
	t := team[*riversqlite.Driver, *sql.Tx]{
		settings: set, service: service, driver: riversqlite.New(db),
		begin: func(ctx context.Context, do func(*sql.Tx) error) error {
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
		exec: func(ctx context.Context, tx *sql.Tx, query string, args ...any) error {
			_, err := tx.ExecContext(ctx, query, args...)
			return err
		},
	}
	return cmp.Or(t.run(ctx), db.Close())
}
