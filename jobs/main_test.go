package jobs_test

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"net/url"
	"os"
	"runtime"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/hiring-assessment/hiring-go/jobs"
	_ "github.com/hiring-assessment/hiring-go/jobs/internal/testing/mocked" // Package jobs is initialised with any http.DefaultTransport.
	"github.com/hiring-assessment/hiring-go/jobs/internal/testing/pgtest"
)

// TestMain also runs worker processes, for tests that kill them.
func TestMain(m *testing.M) {
	if os.Getenv(databaseVariable) != "" {
		os.Exit(runWorker())
	}
	flag.Parse()
	if flag.Lookup("test.bench").Value.String() == "" { // Benchmarks use the intervals of production.
		jobs.SetHealthInterval(time.Second)
		jobs.SetRefreshInterval(time.Second)
	}
	if set := flag.Lookup("test.parallel"); set.Value.String() == strconv.Itoa(runtime.GOMAXPROCS(0)) {
		_ = set.Value.Set("16") // The tests mostly wait.
	}
	code := m.Run()
	if err := closeShared(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		code = 1
	}
	os.Exit(code)
}

// shared is the PostgreSQL server that the tests share. The first test that needs it opens it.
var shared struct {
	sync.Mutex

	server   *pgtest.Server // Nil with DATABASE_URL.
	template string         // A database with the tables. Each test copies it.
}

// openShared starts the server, unless DATABASE_URL is set, and creates the template.
func openShared(ctx context.Context, tb testing.TB) (err error) {
	tb.Helper()
	shared.Lock()
	defer shared.Unlock()
	if shared.template != "" {
		return nil
	}
	if os.Getenv("DATABASE_URL") == "" && shared.server == nil {
		if shared.server, err = pgtest.New(ctx, tb); err != nil {
			return err
		}
	}
	name := fmt.Sprintf("hiring_jobs_%d", time.Now().UnixNano())
	if err := onShared(ctx, "CREATE DATABASE "+name); err != nil {
		return err
	}
	s, stop, err := openPostgres(ctx, sharedURL(name))
	if err != nil {
		return err
	}
	defer stop()
	if err := s.migrate(ctx); err != nil {
		return err
	}
	shared.template = name
	return nil
}

func closeShared() (err error) {
	if shared.template != "" {
		err = onShared(context.Background(), "DROP DATABASE "+shared.template+" WITH (FORCE)")
	}
	if shared.server != nil {
		err = errors.Join(err, shared.server.Close())
	}
	return err
}

// sharedURL returns the URL of a database of the shared server. An empty name means the database of the server's URL.
func sharedURL(name string) string {
	location := os.Getenv("DATABASE_URL")
	if location == "" {
		location = shared.server.URL
	}
	if u, err := url.Parse(location); err == nil && name != "" {
		u.Path = "/" + name
		location = u.String()
	}
	return location
}

// onShared executes a statement on the shared server.
func onShared(ctx context.Context, statement string) error {
	connection, err := pgx.Connect(ctx, sharedURL(""))
	if err != nil {
		return err
	}
	_, err = connection.Exec(ctx, statement)
	return errors.Join(err, connection.Close(ctx))
}
