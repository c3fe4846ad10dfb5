// Command team stores each result once in a table of PostgreSQL, sends the invitations that
// another program queues, and serves metrics. Any number of processes share the work.
//
//	team migrate            create or update the tables, as a role that may create a schema
//	team                    work, with the rights of docs/jobs.md and the same on the table results
//	team overview           list organizations: state, last poll, failed jobs, oldest undelivered result; or one, by its name
//	team pause acme         pause the deliveries of an organization
//	team resume acme        resume them
//	team retry-all acme     start what waits now, and deliver what was given up; without a name of all organizations
//	team deliver acme ID    deliver a submission, also again; also ends a pause
//	team cancel 42          cancel a job; a running one when its handler returns
//	team delete 42          delete a job that does not run
//
// DATABASE_URL names the database. HIRING_BASE_URL and HIRING_API_KEY (or HIRING_API_KEY_FILE)
// are those of the API or of a running hiring-sandbox. The commands of an operator need only
// DATABASE_URL, and work for each program whose jobs are in the schema hiring.
//
// The folder deploy has manifests.
package main

import (
	"context"
	"flag"
	"log"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/hiring-assessment/hiring-go/jobs"
)

var (
	every   = flag.Duration("every", time.Minute, "longest interval between two polls")
	metrics = flag.String("metrics", "127.0.0.1:0", "`host:port` of the metrics for Prometheus, which the alert rules of module otelhiring need; port 0 means a free port")
)

func main() {
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, flag.Arg(0), flag.Arg(1)); err != nil {
		log.Fatal("team: ", err)
	}
}

func run(ctx context.Context, command, target string) error {
	config, err := pgxpool.ParseConfig(os.Getenv("DATABASE_URL"))
	if err != nil {
		return err
	}
	config.MaxConns = 25 // Ten deliveries run at once, ten more may hang, and five are for the rest.
	pool, err := pgxpool.NewWithConfig(ctx, config)
	if err != nil {
		return err
	}
	// The end of the program closes the pool: Close would wait for a handler that hangs.
	switch command {
	case "":
		return work(ctx, pool)
	case "migrate":
		return createTables(ctx, pool)
	case "overview":
		return overview(ctx, pool, target)
	}
	return operate(ctx, pool, command, target)
}

// schema contains the tables of the jobs.
const schema = "hiring"

const results = `CREATE TABLE IF NOT EXISTS results (
	submission_id text PRIMARY KEY,
	candidate text NOT NULL,
	score integer
)`

// createTables needs the right to create a schema only when there is none.
func createTables(ctx context.Context, pool *pgxpool.Pool) error {
	if _, err := pool.Exec(ctx, "DO $$ BEGIN IF to_regnamespace('"+schema+"') IS NULL THEN CREATE SCHEMA "+schema+"; END IF; END $$; "+results); err != nil {
		return err
	}
	return jobs.Migrate(ctx, jobs.Postgres(pool), schema)
}
