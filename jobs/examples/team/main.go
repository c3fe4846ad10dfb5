// Command team shows what several people's software does with results: invite
// candidates, store each result once in a table of its own, and let an operator
// look on.
//
//	go run -C jobs ./examples/team
//
// Without any setting it makes a world of its own, whose candidates move by
// themselves, and keeps its data in a temporary SQLite. With DATABASE_URL it uses
// that PostgreSQL, with a schema for each world, and prints how to start more
// processes on it; with HIRING_BASE_URL and HIRING_API_KEY, or HIRING_API_KEY_FILE, it
// watches that service, and invites nobody. Folder deploy has manifests.
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
	every := flag.Duration("every", time.Minute, "the longest pause between two rounds; a world of its own is watched every 2s")
	listen := flag.String("listen", "127.0.0.1:0", "`host:port` of the page; port 0 takes a free one")
	schema := flag.String("schema", "", "PostgreSQL's schema; empty: that of the connection, and a new one for a world of its own")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := run(ctx, settings{every: *every, listen: *listen, schema: *schema})
	stop()
	if err != nil {
		_, _ = fmt.Fprintf(os.Stderr, "team: %v\n", err)
		os.Exit(1)
	}
}

type settings struct {
	every  time.Duration
	listen string
	schema string
}

// run chooses the service and the database. What a team does is the same with
// either.
func run(ctx context.Context, set settings) error {
	service, err := newService(set.every) //nolint:contextcheck // the fake service runs until it is closed
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
	if isNew { // Its ids begin where those of the world before began, whose rows it must not meet.
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
		fmt.Printf("This world's tables stay in schema %s until you drop it.\n", set.schema)
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

// openPool uses a schema, or that of the connection when it is empty.
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
			slog.Error("the temporary database stays", "error", err)
		}
	}()
	// SQLite has one writer: one connection, or there are errors instead of turns.
	db, err := sql.Open("sqlite", "file:"+filepath.Join(dir, "team.sqlite")+"?_pragma=journal_mode(WAL)&_pragma=synchronous(NORMAL)&_pragma=busy_timeout(5000)")
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
			defer func() { _ = tx.Rollback() }() // Nothing, once it is committed.
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
