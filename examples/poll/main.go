// Command poll writes each newly evaluated submission of an organization, or of one assessment, as a line of JSON.
// README.md describes how to deploy it. Without HIRING_BASE_URL and HIRING_API_KEY it writes the sample data of an
// embedded sandbox.
package main

import (
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"os"
	"os/signal"
	"strings"
	"sync/atomic"
	"syscall"
	"time"

	hiring "github.com/hiring-assessment/hiring-go"
	"github.com/hiring-assessment/hiring-go/sandbox"
)

// settings are the values of the flags. The client reads the base URL and the key from the environment.
type settings struct {
	watch  hiring.WatchOptions
	out    string // The file to append to. Empty: standard output.
	listen string
	once   bool
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop)   // A second signal kills.
	signal.Ignore(syscall.SIGPIPE) // A closed standard output is a failed write.
	set, err := parse(os.Args[1:])
	if err != nil {
		fmt.Fprintln(os.Stderr, "poll:", err)
		os.Exit(2) // A restart does not help: see poll.service.
	}
	slog.SetDefault(slog.New(slog.NewTextHandler(os.Stderr, nil)))
	if err := run(ctx, set, os.Stdout); err != nil && !errors.Is(err, context.Canceled) {
		slog.Error("ended", "error", err)
		os.Exit(1)
	}
	slog.Info("stopped")
}

// parse reads the flags. POLL_SINCE and so on are their defaults.
func parse(args []string) (set settings, err error) {
	flags := flag.NewFlagSet("poll", flag.ExitOnError)
	flags.StringVar(&set.watch.AssessmentID, "assessment", "", "watch this assessment only (`id`)")
	flags.StringVar(&set.out, "out", "", "`file` to append to (default standard output)")
	flags.StringVar(&set.listen, "listen", "127.0.0.1:8781", "`host:port` of /healthz and /readyz; empty for none")
	flags.BoolVar(&set.once, "once", false, "write what is new since the last run, and end; needs -checkpoint")
	flags.Func("checkpoint", "`file` from which a restart resumes; for one process at a time", func(name string) error {
		set.watch.Checkpoint = hiring.FileCheckpoint(name)
		return nil
	})
	flags.Func("since", "without a state, begin at this `time`, such as 2026-03-01 or 2026-03-01T09:00:00Z (default now)", func(text string) (err error) {
		if set.watch.Since, err = time.Parse(time.DateOnly, text); err != nil {
			set.watch.Since, err = time.Parse(time.RFC3339, text)
		}
		return err
	})
	flags.VisitAll(func(f *flag.Flag) {
		name := "POLL_" + strings.ToUpper(f.Name)
		if value, ok := os.LookupEnv(name); ok && (value != "" || f.Name == "listen") && err == nil {
			if err = flags.Set(f.Name, value); err != nil {
				err = fmt.Errorf("%s: %w", name, err)
			}
		}
	})
	_ = flags.Parse(args) // Ends the program on an error.
	switch {
	case err != nil:
	case flags.NArg() > 0:
		err = fmt.Errorf("unexpected argument %q; -h lists the flags", flags.Arg(0))
	case set.once && set.watch.Checkpoint == nil:
		err = errors.New("-once needs -checkpoint, or no run would know what is new")
	}
	return set, err
}

// run connects and writes results until the context ends.
func run(ctx context.Context, set settings, stdout *os.File) error {
	out, err := openOutput(set, stdout)
	if err != nil {
		return err
	}
	keyFile, success := os.Getenv("HIRING_API_KEY_FILE"), new(atomic.Int64)
	if cmp.Or(os.Getenv("HIRING_BASE_URL"), os.Getenv("HIRING_API_KEY"), keyFile) == "" {
		if set.watch.Checkpoint != nil || set.watch.AssessmentID != "" {
			return errors.New("-assessment and -checkpoint need a server: set HIRING_BASE_URL and HIRING_API_KEY")
		}
		polled, err := sandbox.New().Client().Submissions.Poll(ctx, hiring.WatchOptions{Since: time.Unix(0, 0)}, "")
		return errors.Join(err, write(out, polled.Submissions...))
	}
	options := []hiring.Option{hiring.WithLogger(slog.Default()), hiring.WithObserver(func(_ context.Context, e hiring.Exchange) {
		if e.Err == nil {
			success.Store(time.Now().Unix())
		}
	})}
	if keyFile != "" {
		options = append(options, hiring.WithKeySource(keyFrom(keyFile)))
	}
	client, err := hiring.FromEnv(options...)
	switch {
	case err != nil:
		return err
	case set.once:
		return once(ctx, client, set.watch, out)
	case set.listen != "":
		if err := serve(ctx, set.listen, success); err != nil {
			return err
		}
	}
	return watch(ctx, client, set.watch, out)
}

// keyFrom returns a key source that reads the key from a file before each attempt. A rotated key needs no restart.
func keyFrom(path string) func(context.Context) (string, error) {
	return func(context.Context) (string, error) {
		key, err := os.ReadFile(path)
		return strings.TrimSpace(string(key)), err
	}
}

// patience is how long no request may succeed: an hour for the next window of the rate limit, and ten minutes.
const patience = 70 * time.Minute

// serve responds to /healthz with 200 while the process runs, and to /readyz with 503 while no request to the API has
// succeeded for too long. success is the time of the last one in Unix seconds.
func serve(ctx context.Context, address string, success *atomic.Int64) error {
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", address)
	if err != nil {
		return fmt.Errorf("-listen: %w", err)
	}
	mux := http.NewServeMux()
	mux.HandleFunc("/healthz", func(http.ResponseWriter, *http.Request) {})
	mux.HandleFunc("/readyz", func(w http.ResponseWriter, _ *http.Request) {
		if time.Since(time.Unix(success.Load(), 0)) > patience {
			http.Error(w, "no request to the API has succeeded lately", http.StatusServiceUnavailable)
		}
	})
	server := &http.Server{Handler: mux, ReadHeaderTimeout: 5 * time.Second}
	context.AfterFunc(ctx, func() { _ = server.Close() })
	go func() { _ = server.Serve(listener) }()
	return nil
}
