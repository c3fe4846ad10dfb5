// Command team stores each result once in a table, sends the invitations that another
// program queues, and serves River's web page for operators. Several processes can share
// the work.
//
//	go run -C jobs ./examples/team
//
// Without environment variables it uses a temporary SQLite file and an embedded sandbox with
// a new result every second.
//
//   - With HIRING_BASE_URL and HIRING_API_KEY (or HIRING_API_KEY_FILE) it uses that API.
//   - With DATABASE_URL, too, it uses that PostgreSQL, in any number of processes. Before
//     they start, and before each new version, -migrate creates or updates the tables, as a
//     role that may create a schema. The processes need only the rights of docs/jobs.md, and
//     the same on the table results.
//
// The folder deploy has manifests.
package main

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"flag"
	"log"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/riverqueue/river"
	"github.com/riverqueue/river/riverdriver/riverpgxv5"
	"github.com/riverqueue/river/riverdriver/riversqlite"
	_ "modernc.org/sqlite"

	"github.com/hiring-assessment/hiring-go/jobs"
)

var (
	every   = flag.Duration("every", time.Minute, "longest interval between two polls; the embedded sandbox is polled every 2s")
	listen  = flag.String("listen", "127.0.0.1:0", "`host:port` of River's web page; port 0 means a free port")
	migrate = flag.Bool("migrate", false, "create or update the tables in the database of DATABASE_URL, and end")
	metrics = flag.String("metrics", "127.0.0.1:0", "`host:port` of the metrics for Prometheus, which the alert rules of module otelhiring need")
)

func main() {
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx); err != nil {
		log.Fatal("team: ", err)
	}
}

// run chooses the API and the database, and runs the team.
func run(ctx context.Context) error {
	url := os.Getenv("DATABASE_URL")
	if *migrate {
		return createTables(ctx, url)
	}
	service, err := newService(*every)
	if err != nil {
		return err
	}
	switch {
	case url == "":
		return onSQLite(ctx, service)
	case service.fake != nil: // Its ids are the same after each start, and the tables would stay.
		return errors.New("DATABASE_URL needs HIRING_BASE_URL and HIRING_API_KEY, of the API or of a running hiring-sandbox")
	}
	return onPostgres(ctx, service, url)
}

// schema contains the tables of the jobs in PostgreSQL.
const schema = "hiring"

// createTables creates or updates the tables in PostgreSQL.
func createTables(ctx context.Context, url string) error {
	if url == "" {
		return errors.New("-migrate needs DATABASE_URL: without one, each start creates the tables of its SQLite file")
	}
	pool, err := pgxpool.New(ctx, url)
	if err != nil {
		return err
	}
	defer pool.Close()
	if _, err := pool.Exec(ctx, "CREATE SCHEMA IF NOT EXISTS "+schema+"; "+results); err != nil {
		return err
	}
	return jobs.Migrate(ctx, jobs.Postgres(pool), schema)
}

func onPostgres(ctx context.Context, service *service, url string) error {
	config, err := pgxpool.ParseConfig(url)
	if err != nil {
		return err
	}
	config.MaxConns = 15 // Five more than deliveries run at once.
	pool, err := pgxpool.NewWithConfig(ctx, config)
	if err != nil {
		return err
	}
	// The end of the program closes the pool: Close would wait for a handler that hangs.
	t := team[pgx.Tx]{
		service: service, database: jobs.Postgres(pool), schema: schema,
		newClient: func(c *river.Config) (*river.Client[pgx.Tx], error) { return river.NewClient(riverpgxv5.New(pool), c) },
		exec: func(ctx context.Context, tx pgx.Tx, query string, args ...any) error {
			_, err := tx.Exec(ctx, query, args...)
			return err
		},
	}
	return t.run(ctx)
}

func onSQLite(ctx context.Context, service *service) error {
	dir, err := os.MkdirTemp("", "hiring-team")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	// SQLite allows one writer. With one connection, transactions wait for each other instead of failing.
	const pragmas = "?_txlock=immediate&_pragma=busy_timeout(5000)&_pragma=journal_mode(WAL)&_pragma=synchronous(NORMAL)"
	db, err := sql.Open("sqlite", "file:"+filepath.Join(dir, "team.sqlite")+pragmas)
	if err != nil {
		return err
	}
	db.SetMaxOpenConns(1)
	if _, err := db.ExecContext(ctx, results); err != nil {
		return err
	}
	if err := jobs.Migrate(ctx, jobs.SQLite(db), ""); err != nil {
		return err
	}
	t := team[*sql.Tx]{
		service: service, database: jobs.SQLite(db),
		newClient: func(c *river.Config) (*river.Client[*sql.Tx], error) { return river.NewClient(riversqlite.New(db), c) },
		exec: func(ctx context.Context, tx *sql.Tx, query string, args ...any) error {
			_, err := tx.ExecContext(ctx, query, args...)
			return err
		},
	}
	return cmp.Or(t.run(ctx), db.Close())
}
