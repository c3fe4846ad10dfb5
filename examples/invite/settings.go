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
	embedded   bool // Use the embedded sandbox.
}

// checkpoint returns the checkpoint of a run, in a file beside that of the candidates.
// Each assessment has its own. The embedded sandbox keeps no data, so it needs none.
func (s settings) checkpoint() hiring.Checkpoint {
	if s.embedded {
		return nil
	}
	return hiring.FileCheckpoint(s.file + "." + url.PathEscape(s.assessment) + ".state")
}

// parse reads the flags. It prints help to the given writer, but no errors.
func parse(args []string, help io.Writer) (settings, error) {
	var set settings
	flags := flag.NewFlagSet("invite", flag.ContinueOnError)
	flags.SetOutput(io.Discard)
	flags.BoolVar(&set.yes, "yes", false, "confirm that a live key sends e-mails to real candidates")
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
