// Command team stores each result once in a table of PostgreSQL, sends the invitations that
// another program queues, and serves metrics. Any number of processes share the work.
// Without a command it prints the commands, which are in usage.txt.
//
// DATABASE_URL names the database. HIRING_BASE_URL and HIRING_API_KEY (or HIRING_API_KEY_FILE)
// are those of the API or of a running hiring-sandbox. The commands of an operator need only
// DATABASE_URL, and work for each program whose jobs are in the schema hiring.
//
// The folder deploy has manifests.
package main

import (
	"context"
	_ "embed"
	"errors"
	"flag"
	"fmt"
	"log"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/hiring-assessment/hiring-go/jobs"
)

var (
	every   = flag.Duration("every", time.Minute, "longest interval between two polls")
	metrics = flag.String("metrics", "127.0.0.1:0", "`host:port` of the metrics for Prometheus, which the alert rules of module otelhiring need; port 0 means a free port")
)

//go:embed usage.txt
var usage string

func main() {
	flag.Usage = func() {
		fmt.Fprint(os.Stderr, usage)
		flag.PrintDefaults()
	}
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	err := run(ctx, flag.Arg(0), flag.Arg(1))
	if failure, ok := errors.AsType[*pgconn.PgError](err); ok && (failure.Code == "3F000" || failure.Code == "42P01") { // No schema, or no table.
		err = fmt.Errorf("the database has no tables of the jobs: run `hiring-team migrate`: %w", err)
	}
	if err != nil {
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
	case "work":
		if target == "" { // Flags come before the command.
			return work(ctx, pool)
		}
	case "migrate":
		return createTables(ctx, pool)
	case "overview":
		return overview(ctx, pool, target)
	case "late":
		if target != "" {
			return show(ctx, pool, "ID\tKIND\tSTATE\tRUNNING FOR\tATTEMPT\tSCHEDULED AT\tPROCESS\tFAILED AT\tLAST ERROR, OR WHAT IT WAITS FOR", lateSQL, target)
		}
	case "invite", "pause", "resume", "retry-all", "deliver", "cancel", "delete":
		return operate(ctx, pool, command, target)
	}
	flag.Usage()
	os.Exit(2)
	return nil
}

// schema contains the tables of the jobs.
const schema = "hiring"

//go:embed tables.sql
var tablesSQL string

func createTables(ctx context.Context, pool *pgxpool.Pool) error {
	if _, err := pool.Exec(ctx, tablesSQL); err != nil {
		return err
	}
	return jobs.Migrate(ctx, jobs.Postgres(pool), schema)
}
