package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"net/url"
	"os"

	hiring "github.com/hiring-assessment/hiring-go"
)

// settings are the flags and environment variables of the program. The client reads its
// two variables itself.
type settings struct {
	file       string // Empty: the sample.
	assessment string
	yes        bool
	embedded   bool // No service is named: the sandbox is used.
}

// checkpoint returns the checkpoint of a run, in a file beside that of the
// candidates. A run needs one of its own for each assessment. The embedded sandbox
// forgets everything, so that it needs none.
func (s settings) checkpoint() hiring.Checkpoint {
	if s.embedded {
		return nil
	}
	return hiring.FileCheckpoint(s.file + "." + url.PathEscape(s.assessment) + ".state")
}

// parse prints help when it is asked for. Errors are the caller's to print.
func parse(args []string, help io.Writer) (settings, error) {
	var set settings
	flags := flag.NewFlagSet("invite", flag.ContinueOnError)
	flags.SetOutput(io.Discard)
	flags.BoolVar(&set.yes, "yes", false, "mail real candidates, which a live key does")
	err := flags.Parse(args)
	if errors.Is(err, flag.ErrHelp) {
		flags.SetOutput(help)
		_, _ = fmt.Fprintln(help, errUsage)
		flags.PrintDefaults()
	}
	if err != nil {
		return settings{}, fmt.Errorf("%w; %w", err, errUsage)
	}
	set.file, set.assessment = flags.Arg(0), flags.Arg(1)
	set.embedded = os.Getenv("HIRING_BASE_URL") == "" && os.Getenv("HIRING_API_KEY") == ""
	if !set.embedded && (set.file == "" || set.assessment == "") || flags.NArg() > 2 {
		return settings{}, errUsage
	}
	return set, nil
}

var errUsage = errors.New("usage: invite [-yes] file.csv assessment")
