// Command poll writes each newly evaluated submission of an organization, or of one assessment, as a line of JSON.
// README.md describes how to deploy it. Without HIRING_BASE_URL and HIRING_API_KEY it uses an embedded sandbox, whose
// candidates finish within seconds.
package main

import (
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"log/slog"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"time"

	hiring "github.com/hiring-assessment/hiring-go"
	"github.com/hiring-assessment/hiring-go/sandbox"
)

// settings are the values of the flags. The client reads the base URL and the key from the environment.
type settings struct {
	watch   hiring.WatchOptions
	out     string // The file to append to. Empty: standard output.
	listen  string
	keyFile string
	once    bool
	most    int // The number of results after which the program ends. 0: no limit.
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
	if err := run(ctx, set, os.Stdout); err != nil {
		slog.Error("ended", "error", err)
		os.Exit(1)
	}
	slog.Info("stopped")
}

// parse reads the flags. POLL_SINCE and so on are their defaults.
func parse(args []string) (settings, error) {
	var set settings
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
	var wrong error
	flags.VisitAll(func(f *flag.Flag) {
		name := "POLL_" + strings.ToUpper(f.Name)
		if value, ok := os.LookupEnv(name); ok && (value != "" || f.Name == "listen") {
			if err := flags.Set(f.Name, value); err != nil {
				wrong = fmt.Errorf("%s: %w", name, err)
			}
		}
	})
	_ = flags.Parse(args) // Ends the program on an error.
	set.keyFile = os.Getenv("HIRING_API_KEY_FILE")
	if wrong == nil && flags.NArg() > 0 {
		wrong = fmt.Errorf("unexpected argument %q; -h lists the flags", flags.Arg(0))
	}
	if wrong == nil && set.once && set.watch.Checkpoint == nil {
		wrong = errors.New("-once needs -checkpoint, or no run would know what is new")
	}
	return set, wrong
}

// run connects and writes results until the context ends.
func run(ctx context.Context, set settings, stdout *os.File) error {
	health := new(health)
	options := []hiring.Option{hiring.WithLogger(slog.Default()), hiring.WithObserver(health.observe), hiring.WithUserAgent("hiring-poll")}
	if set.keyFile != "" {
		options = append(options, hiring.WithKeySource(keyFrom(set.keyFile)))
	}
	var client *hiring.Client
	var err error
	if cmp.Or(os.Getenv("HIRING_BASE_URL"), os.Getenv("HIRING_API_KEY"), set.keyFile) == "" {
		client, set, err = demonstrate(ctx, set, options)
	} else {
		client, err = hiring.FromEnv(options...)
	}
	if err != nil {
		return err
	}
	out, err := openOutput(set, stdout)
	if err != nil {
		return err
	}
	if set.once {
		return once(ctx, client, set.watch, out)
	}
	stop, err := health.serve(ctx, set.listen)
	if err != nil {
		return err
	}
	defer stop()
	return watch(ctx, client, set, out)
}

// keyFrom returns a key source that reads the key from a file before each attempt. A rotated key needs no restart.
func keyFrom(path string) func(context.Context) (string, error) {
	return func(context.Context) (string, error) {
		key, err := os.ReadFile(path)
		return strings.TrimSpace(string(key)), err
	}
}

// demonstrate returns a client of a sandbox with five candidates who finish within seconds.
func demonstrate(ctx context.Context, set settings, options []hiring.Option) (*hiring.Client, settings, error) {
	if set.watch.Checkpoint != nil || set.watch.AssessmentID != "" {
		return nil, set, errors.New("-assessment and -checkpoint need a server: set HIRING_BASE_URL and HIRING_API_KEY")
	}
	server := sandbox.New(sandbox.WithTimeline(sandbox.Timeline{Open: time.Second, Begin: time.Second, Submit: time.Second, Evaluate: time.Second}))
	set.watch.AssessmentID = server.AddAssessment("Demonstration")
	set.watch.MinInterval, set.watch.MaxInterval = time.Second, time.Second
	for _, name := range []string{"ada", "grace", "edsger", "barbara", "tony"} {
		candidate := hiring.NewInvitation{Email: name + "@candidates.test", Name: name}
		if _, err := server.LiveClient().Invitations.Send(ctx, set.watch.AssessmentID, candidate); err != nil {
			return nil, set, err
		}
		set.most++
	}
	return server.LiveClient(options...), set, nil
}
