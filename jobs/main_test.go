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
	"github.com/hiring-assessment/hiring-go/jobs/internal/pgtest"
)

// TestMain is also the program of a worker process, for tests that kill some.
func TestMain(m *testing.M) {
	if os.Getenv(roleVariable) != "" {
		os.Exit(work())
	}
	flag.Parse()
	jobs.HurryHealth(2 * time.Second)
	if set := flag.Lookup("test.parallel"); set.Value.String() == strconv.Itoa(runtime.GOMAXPROCS(0)) {
		_ = set.Value.Set("8") // They mostly wait.
	}
	code := m.Run()
	if own.server != nil {
		if err := own.server.Close(); err != nil {
			fmt.Fprintln(os.Stderr, err)
			code = 1
		}
	}
	os.Exit(code)
}

// own is the PostgreSQL that the tests share, started by the first that needs it.
var own struct {
	sync.Mutex

	server *pgtest.Server
}

// postgresURL is that of DATABASE_URL, or else of a server of the tests' own.
func postgresURL(tb testing.TB) string {
	tb.Helper()
	if url := os.Getenv("DATABASE_URL"); url != "" {
		return url
	}
	own.Lock()
	defer own.Unlock()
	if own.server == nil {
		server, err := pgtest.New(context.WithoutCancel(tb.Context())) // It outlives the test.
		if err != nil {
			tb.Fatal(err)
		}
		own.server = server
	}
	return own.server.URL
}
