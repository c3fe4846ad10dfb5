package jobs_test

import (
	"context"
	"flag"
	"fmt"
	"os"
	"runtime"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/hiring-assessment/hiring-go/jobs"
	"github.com/hiring-assessment/hiring-go/jobs/internal/testing/pgtest"
)

// TestMain also runs worker processes, for tests that kill them.
func TestMain(m *testing.M) {
	if os.Getenv(databaseVariable) != "" {
		os.Exit(runWorker())
	}
	flag.Parse()
	if flag.Lookup("test.bench").Value.String() == "" { // Benchmarks use the intervals of production.
		jobs.SetHealthInterval(2 * time.Second)
		jobs.SetAliveTimes(time.Second, 10*time.Second)
		jobs.SetRefreshInterval(time.Second)
		jobs.SetUnlistedSnoozes(2)
	}
	if set := flag.Lookup("test.parallel"); set.Value.String() == strconv.Itoa(runtime.GOMAXPROCS(0)) {
		_ = set.Value.Set("8") // The tests mostly wait.
	}
	code := m.Run()
	if shared.server != nil {
		if err := shared.server.Close(); err != nil {
			fmt.Fprintln(os.Stderr, err)
			code = 1
		}
	}
	os.Exit(code)
}

// shared is the PostgreSQL server that the tests share. The first test that needs it starts
// it.
var shared struct {
	sync.Mutex

	server *pgtest.Server
}

// postgresURL returns DATABASE_URL, or else the URL of the shared server.
func postgresURL(tb testing.TB) string {
	tb.Helper()
	if url := os.Getenv("DATABASE_URL"); url != "" {
		return url
	}
	shared.Lock()
	defer shared.Unlock()
	if shared.server == nil {
		server, err := pgtest.New(context.WithoutCancel(tb.Context())) // The server runs longer than this test.
		if err != nil {
			tb.Fatal(err)
		}
		shared.server = server
	}
	return shared.server.URL
}
