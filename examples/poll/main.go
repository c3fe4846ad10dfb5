// Command poll writes each newly evaluated submission of an organization, or of one assessment, as a line of JSON.
// README.md describes how to deploy it. Without HIRING_BASE_URL and HIRING_API_KEY it writes the sample data of an
// embedded sandbox.
package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"os/signal"
	"strings"
	"sync/atomic"
	"syscall"
	"time"
	"unicode"

	hiring "github.com/hiring-assessment/hiring-go"
	"github.com/hiring-assessment/hiring-go/sandbox"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop)   // A second signal kills.
	signal.Ignore(syscall.SIGPIPE) // A closed standard output is a failed write.
	slog.SetDefault(slog.New(slog.NewTextHandler(os.Stderr, nil)))
	var options hiring.WatchOptions
	flag.StringVar(&options.AssessmentID, "assessment", "", "watch this assessment only (`id`)")
	flag.Func("since", "without a state, begin at this `time`, such as 2026-03-01 or 2026-03-01T09:00:00Z (default now)", func(text string) (err error) {
		options.Since, err = time.Parse(time.RFC3339[:min(len(text), len(time.RFC3339))], text) // Or its beginning, such as a day.
		return err
	})
	state := flag.String("checkpoint", "", "`file` from which a restart resumes; for one process at a time")
	file := flag.String("out", "", "`file` to append to (default standard output)")
	listen := flag.String("listen", "127.0.0.1:8781", "`host:port` of /healthz and /readyz; empty for none")
	once := flag.Bool("once", false, "write what is new since the last run, and end; needs -checkpoint")
	flag.VisitAll(func(f *flag.Flag) { // POLL_SINCE and so on are defaults.
		if value, ok := os.LookupEnv("POLL_" + strings.ToUpper(f.Name)); value != "" || ok && f.Name == "listen" {
			os.Args = append([]string{os.Args[0], "-" + f.Name + "=" + value}, os.Args[1:]...)
		}
	})
	flag.Parse() // Ends the program with status 2 on an error.
	if flag.NArg() > 0 || *once && *state == "" {
		fmt.Fprintln(os.Stderr, "poll: takes no arguments, and -once needs -checkpoint; -h lists the flags")
		os.Exit(2) // A restart does not help: see poll.service.
	}
	if *state != "" {
		options.Checkpoint = hiring.FileCheckpoint(*state)
	}
	out, err := openOutput(*file, *state != "")
	check(err)
	client, err := connect()
	if os.Getenv("HIRING_BASE_URL")+os.Getenv("HIRING_API_KEY")+os.Getenv("HIRING_API_KEY_FILE")+*state+options.AssessmentID == "" {
		client, err, options.Since, *once = sandbox.New().Client(), nil, time.Unix(0, 0), true // Writes its sample data.
	}
	check(err)
	if *listen != "" && !*once {
		listener, err := (&net.ListenConfig{}).Listen(context.Background(), "tcp", *listen)
		check(err)
		go func() { check(serve(listener)) }()
	}
	check(watch(ctx, client, options, *once, out))
	slog.Info("stopped")
}

// check ends the program unless err is nil or the result of a signal.
func check(err error) {
	if err != nil && !errors.Is(err, context.Canceled) {
		slog.Error("ended", "error", err.Error()) // Its text, because an *hiring.Error logs no message.
		os.Exit(1)
	}
}

var success atomic.Int64 // The time of the last successful request, in Unix seconds.

// connect returns a client with the key of the environment or of a file.
func connect() (*hiring.Client, error) {
	options := []hiring.Option{hiring.WithLogger(slog.Default()), hiring.WithObserver(func(_ context.Context, e hiring.Exchange) {
		if e.Err == nil {
			success.Store(time.Now().Unix())
		}
	})}
	if file := os.Getenv("HIRING_API_KEY_FILE"); file != "" {
		options = append(options, hiring.WithKeySource(func(context.Context) (string, error) {
			key, err := os.ReadFile(file) // Before each attempt, so that a rotated key needs no restart.
			return strings.TrimSpace(string(key)), err
		}))
	}
	return hiring.FromEnv(options...)
}

// serve responds to /healthz with 200 while the process runs, and to /readyz with 503 while no request to the API has
// succeeded for 70 minutes: an hour for the next window of the rate limit, and ten minutes.
func serve(listener net.Listener) error {
	http.HandleFunc("/healthz", func(http.ResponseWriter, *http.Request) {})
	http.HandleFunc("/readyz", func(w http.ResponseWriter, _ *http.Request) {
		if time.Since(time.Unix(success.Load(), 0)) > 70*time.Minute {
			http.Error(w, "no request to the API has succeeded lately", http.StatusServiceUnavailable)
		}
	})
	return (&http.Server{ReadHeaderTimeout: 5 * time.Second}).Serve(listener)
}

// watch writes results until the context ends, or if once is set until the next poll has to wait.
func watch(ctx context.Context, client *hiring.Client, options hiring.WatchOptions, once bool, out io.Writer) error {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	options.Progress = func(p hiring.WaitProgress) {
		if once && time.Until(p.NextPoll) > 0 {
			stop()
		}
	}
	for submission, err := range client.Submissions.Watch(ctx, options) {
		if failure, ok := errors.AsType[*hiring.Error](err); ok && once && !errors.Is(err, hiring.ErrRateLimited) {
			return failure // The reason of the wait.
		}
		if item, ok := errors.AsType[*hiring.ItemError](err); ok {
			slog.Error("not delivered: the submission cannot be decoded", "submission", item.ID, "problem", item.Err)
			continue
		}
		if err = cmp.Or(err, ctx.Err()); err != nil { // After SIGTERM, the next run begins with this submission.
			return err
		}
		// The checkpoint records this submission when the loop asks for the next one. Its line must be on the disk by
		// then, or a crash loses it. A crash before then repeats it.
		if err = write(out, submission); err != nil {
			return err
		}
	}
	return nil
}

// write writes the line of a submission. Consumers recognise repeated lines by submission_id.
func write(out io.Writer, s hiring.Submission) error {
	text, err := json.Marshal(map[string]any{
		"submission_id": s.ID, "assessment_id": s.AssessmentID, "evaluated_at": s.EvaluatedAt,
		"candidate_email": s.Candidate.Email, "candidate_name": s.Candidate.Name, "report": s.Report,
	})
	if err == nil {
		_, err = out.Write([]byte(strings.Map(printable, string(text)) + "\n"))
	}
	if err != nil {
		return fmt.Errorf("results cannot be written: %w", err)
	}
	slog.Info("delivered", "submission", s.ID, "report", s.Report != nil)
	return nil
}

// printable replaces what a terminal would obey: names come from outside.
func printable(r rune) rune {
	if unicode.IsGraphic(r) || r == '\u200c' || r == '\u200d' { // The last two join letters.
		return r
	}
	return unicode.ReplacementChar
}

// openOutput opens the file to append to, or standard output for "". A line is on the disk when its write to a file
// returns.
func openOutput(name string, checkpoint bool) (*os.File, error) {
	if name == "" {
		null, _ := os.Stat(os.DevNull) // Go opens it in the place of a closed one.
		if info, err := os.Stdout.Stat(); checkpoint && (err != nil || os.SameFile(info, null)) {
			return nil, errors.New("standard output is closed or the null device: results would be lost; name a file with -out")
		}
		return os.Stdout, nil
	}
	out, err := os.OpenFile(name, os.O_RDWR|os.O_CREATE|os.O_APPEND|os.O_SYNC, 0o600)
	end := []byte{'\n'}
	size, _ := out.Seek(0, io.SeekEnd)
	_, _ = out.ReadAt(end, size-1) // Reads nothing from an empty file, a pipe, or a file that could not be opened.
	if end[0] != '\n' {            // A crash or a full disk cut the last line. Its submission is delivered again.
		_, err = out.WriteString("\n")
	}
	return out, err
}
