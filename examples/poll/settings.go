package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"strings"
	"time"

	hiring "github.com/hiring-assessment/hiring-go"
)

// errSettings is behind what makes no sense, however often it is tried.
var errSettings = errors.New("wrong settings")

// settings are the values of the command line and the environment. The base URL and
// the key are not among them: the client reads both from the environment.
type settings struct {
	watch    hiring.WatchOptions
	to       string // A file's name. Empty: standard output.
	listen   string
	once     bool
	level    slog.Level
	format   string
	keyFile  string // The file with the key. Empty: the key is in HIRING_API_KEY.
	embedded bool   // There is no server: the sandbox is used.
	most     int    // The job ends after so many submissions. 0: never.
}

// parse reads the flags. Each has a variable, which the command line overrides.
// Help is printed by it, errors are not.
func parse(args []string, lookup func(string) (string, bool), help io.Writer) (settings, error) {
	var set settings
	var checkpoint string
	flags := newFlags(&set, &checkpoint)
	err := fromVariables(flags, lookup)
	if err == nil {
		err = flags.Parse(args)
	}
	if errors.Is(err, flag.ErrHelp) {
		_, _ = fmt.Fprintln(help, "Usage of poll. The variable of -log-level is POLL_LOG_LEVEL, and so on.")
		flags.SetOutput(help)
		flags.PrintDefaults()
	}
	if err != nil {
		return settings{}, fmt.Errorf("%w; -h lists the flags", err)
	}
	if checkpoint != "" {
		set.watch.Checkpoint = hiring.FileCheckpoint(checkpoint)
	}
	baseURL, _ := lookup("HIRING_BASE_URL")
	key, _ := lookup("HIRING_API_KEY")
	set.keyFile, _ = lookup("HIRING_API_KEY_FILE")
	set.embedded = baseURL == "" && key == "" && set.keyFile == ""
	return set, set.check(flags.Args())
}

func newFlags(set *settings, checkpoint *string) *flag.FlagSet {
	flags := flag.NewFlagSet("poll", flag.ContinueOnError)
	flags.SetOutput(io.Discard)
	flags.StringVar(&set.watch.AssessmentID, "assessment", "", "watch this assessment only (`id`)")
	flags.StringVar(checkpoint, "checkpoint", "", "`file` of the state, by which a restart goes on; for one instance at a time")
	flags.Func("since", "without a state, begin with what was evaluated since this `time`, as in 2026-03-01T09:00:00Z or 2026-03-01 (default now)",
		func(text string) error {
			since, err := parseTime(text)
			set.watch.Since = since
			return err
		})
	flags.DurationVar(&set.watch.Lookback, "lookback", 30*24*time.Hour,
		"how long after its creation a submission may be evaluated and still be noticed for sure")
	flags.StringVar(&set.to, "out", "", "`file` to append to (default standard output)")
	flags.BoolVar(&set.once, "once", false, "write what is new since the last run, and end; needs -checkpoint")
	flags.StringVar(&set.listen, "listen", "127.0.0.1:8781", "`host:port` of /healthz and /readyz; empty for none")
	flags.TextVar(&set.level, "log-level", slog.LevelInfo, "debug, which shows each request, info, warn or error")
	flags.StringVar(&set.format, "log-format", "text", "text or json")
	return flags
}

// fromVariables sets each flag whose variable is there. Only of -listen does an
// empty one mean something.
func fromVariables(flags *flag.FlagSet, lookup func(string) (string, bool)) error {
	var wrong error
	flags.VisitAll(func(f *flag.Flag) {
		name := "POLL_" + strings.ToUpper(strings.ReplaceAll(f.Name, "-", "_"))
		value, ok := lookup(name)
		if !ok || value == "" && f.Name != "listen" {
			return
		}
		if err := flags.Set(f.Name, value); err != nil {
			wrong = fmt.Errorf("%s: invalid value %q: %w", name, value, err)
		}
	})
	return wrong
}

func parseTime(text string) (time.Time, error) {
	for _, layout := range []string{time.RFC3339, time.DateOnly} {
		if at, err := time.Parse(layout, text); err == nil {
			return at, nil
		}
	}
	return time.Time{}, errors.New("give a time as in 2026-03-01T09:00:00Z or a day as in 2026-03-01")
}

func (s *settings) check(args []string) error {
	switch {
	case len(args) > 0:
		return fmt.Errorf("unexpected argument %q; -h lists the flags", args[0])
	case s.watch.Lookback <= 0:
		return errors.New("-lookback must be above 0")
	case s.format != "text" && s.format != "json":
		return errors.New("-log-format must be text or json")
	case s.embedded && (s.once || s.watch.Checkpoint != nil || s.watch.AssessmentID != ""):
		return errors.New("-assessment, -checkpoint and -once need a service: set HIRING_BASE_URL and HIRING_API_KEY")
	case s.once && s.watch.Checkpoint == nil:
		return errors.New("-once needs -checkpoint, or no run would know what is new")
	}
	return nil
}

// logger writes to w. Neither the SDK nor this program logs candidates' names,
// their addresses or the key.
func (s *settings) logger(w io.Writer) *slog.Logger {
	options := &slog.HandlerOptions{Level: s.level}
	if s.format == "json" {
		return slog.New(slog.NewJSONHandler(w, options))
	}
	return slog.New(slog.NewTextHandler(w, options))
}
