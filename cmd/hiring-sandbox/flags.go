package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
	"time"

	hiring "github.com/hiring-assessment/hiring-go"
	"github.com/hiring-assessment/hiring-go/sandbox"
)

// settings are the parsed flags.
type settings struct {
	addr    string
	keys    []sandbox.Key
	options []sandbox.Option
	quiet   bool // Log no requests.
	version bool // Print the version and stop.
}

// parseFlags parses the command line. It prints the help to stdout.
func parseFlags(args []string, stdout io.Writer) (settings, error) {
	var config settings
	add := func(o sandbox.Option) { config.options = append(config.options, o) }
	flags := flag.NewFlagSet("hiring-sandbox", flag.ContinueOnError)
	flags.SetOutput(io.Discard)
	flags.Usage = func() {} // An invalid flag prints one line instead of the usage.
	flags.StringVar(&config.addr, "addr", "127.0.0.1:8780", "`HOST:PORT` to listen on; port 0 takes a free one")
	flags.BoolVar(&config.quiet, "quiet", false, "print no line for each request")
	flags.BoolVar(&config.version, "version", false, "print the version and stop")
	anyHost := flags.Bool("control-any-host", false, "accept requests to the control API from every machine, with any Host")
	flags.Func("keys", "`TOKEN:SCOPE:ORGANIZATION,...` to accept beside the well-known keys; scope and organization can be "+
		"left out; repeatable",
		func(text string) error {
			for item := range strings.SplitSeq(text, ",") {
				key, err := parseKey(item)
				if err != nil {
					return err
				}
				config.keys = append(config.keys, key)
				add(sandbox.WithKey(key))
			}
			return nil
		})
	flags.Func("quota", "`READS,WRITES`: requests an hour that each key may make (default 1000,200)", func(text string) error {
		read, write, err := parseQuota(text)
		add(sandbox.WithQuota(read, write))
		return err
	})
	flags.Func("drift", "`SEED` of additive changes to mix into responses: unknown fields, unknown values, nulls", func(text string) error {
		seed, err := strconv.ParseUint(text, 10, 64)
		add(sandbox.WithDrift(seed))
		if err != nil {
			return errors.New("give a number from 0, as in 42")
		}
		return nil
	})
	flags.Func("timeline", "`STEPS` that candidates take by themselves, each after the one before, as in open=10s,begin=1m,submit=1h,evaluate=5m", func(text string) error {
		timeline, err := parseTimeline(text)
		if err == nil {
			add(sandbox.WithTimeline(timeline))
		}
		return err
	})
	flags.Func("since", "the time that the filter since is about: `STAGE` created, submitted or evaluated (default created)", func(text string) error {
		switch field := sandbox.SinceField(text); field {
		case sandbox.SinceCreated, sandbox.SinceSubmitted, sandbox.SinceEvaluated:
			add(sandbox.WithSinceOn(field))
			return nil
		}
		return errors.New("give created, submitted or evaluated")
	})
	flags.Func("dialect", "`FILE` with a hiring.Dialect in JSON, as in {\"page_param\": \"p\"}: other names and routes than "+
		"the assumed ones", func(name string) error {
		dialect, err := readDialect(name)
		add(sandbox.WithDialect(dialect))
		return err
	})
	err := flags.Parse(args)
	if errors.Is(err, flag.ErrHelp) {
		_, _ = fmt.Fprintln(stdout, "Usage of hiring-sandbox:")
		flags.SetOutput(stdout)
		flags.PrintDefaults()
	}
	if err != nil {
		return settings{}, fmt.Errorf("%w; -h lists the flags", err)
	}
	if flags.NArg() > 0 {
		return settings{}, fmt.Errorf("unexpected argument %q; -h lists the flags", flags.Arg(0))
	}
	if *anyHost {
		add(sandbox.WithControlFromAnyHost())
	}
	return config, nil
}

// readDialect reads a Dialect from a file. It rejects unknown names, because a misspelt
// one would otherwise be ignored.
func readDialect(name string) (d hiring.Dialect, err error) {
	text, err := os.ReadFile(name)
	if err != nil {
		return d, err
	}
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&d); err != nil {
		return d, fmt.Errorf("it is no dialect: %s", strings.TrimPrefix(err.Error(), "json: "))
	}
	if _, err := decoder.Token(); !errors.Is(err, io.EOF) {
		return d, errors.New("there is more after its JSON object")
	}
	_, err = d.WithDefaults()
	return d, err
}

// parseKey parses a value of the flag keys.
func parseKey(text string) (sandbox.Key, error) {
	parts := strings.Split(text, ":")
	if len(parts) > 3 || parts[0] == "" {
		return sandbox.Key{}, errors.New("give token:scope:organization, as in sk_test_mine:read:acme")
	}
	parts = append(parts, "", "")
	key := sandbox.Key{Token: parts[0], Scope: sandbox.Scope(parts[1]), Organization: parts[2]}
	switch key.Scope {
	case "":
		key.Scope = sandbox.ScopeAdmin
	case sandbox.ScopeRead, sandbox.ScopeWrite, sandbox.ScopeAdmin:
	default:
		return sandbox.Key{}, fmt.Errorf("the scope %q is none of read, write and admin", parts[1])
	}
	return key, nil
}

// parseQuota parses the value of the flag quota.
func parseQuota(text string) (read, write int, err error) {
	first, second, found := strings.Cut(text, ",")
	read, err = strconv.Atoi(first)
	if err == nil {
		write, err = strconv.Atoi(second)
	}
	if err != nil || !found || read < 0 || write < 0 {
		return 0, 0, errors.New("give two numbers, as in 1000,200")
	}
	return read, write, nil
}

// parseTimeline parses the value of the flag timeline.
func parseTimeline(text string) (sandbox.Timeline, error) {
	var t sandbox.Timeline
	steps := map[string]*time.Duration{"open": &t.Open, "begin": &t.Begin, "submit": &t.Submit, "evaluate": &t.Evaluate}
	for part := range strings.SplitSeq(text, ",") {
		name, value, _ := strings.Cut(part, "=")
		step := steps[name]
		if step == nil {
			return t, fmt.Errorf("there is no step %q; the steps are open, begin, submit and evaluate", name)
		}
		var err error
		if *step, err = time.ParseDuration(value); err != nil || *step < 0 {
			return t, fmt.Errorf("%s: give a duration, as in %s=90s", name, name)
		}
	}
	return t, nil
}
