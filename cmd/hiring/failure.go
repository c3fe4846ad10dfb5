package main

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"strings"

	"github.com/spf13/cobra"

	hiring "github.com/hiring-assessment/hiring-go"
	"github.com/hiring-assessment/hiring-go/cmd/hiring/internal/output"
)

// The exit statuses, which the help of the program documents.
const (
	exitOK          = 0
	exitFailed      = 1
	exitUsage       = 2
	exitNotFound    = 3
	exitAuth        = 4
	exitQuota       = 5
	exitPlan        = 6
	exitUnknown     = 7
	exitInterrupted = 130
)

// usageError is a command line that makes no sense.
type usageError struct{ error }

func (e usageError) Unwrap() error { return e.error }

func usagef(format string, args ...any) error { return usageError{fmt.Errorf(format, args...)} }

// advised is an error with its own advice of what to do next.
type advised struct {
	error

	advice string
}

func (e advised) Unwrap() error { return e.error }

// errNoConnection means that nobody said which service, or with which key.
var errNoConnection = errors.New("no service is set up")

// errDeclined means that the user was asked and did not say yes.
var errDeclined = errors.New("nothing was done")

// errInterrupted is Ctrl-C where it is no signal.
var errInterrupted = errors.New("interrupted")

// markUsageErrors makes usageErrors of what the parser of command lines returns:
// whatever goes wrong before a command runs. The parser calls every argument too
// many a command.
func markUsageErrors(command *cobra.Command) {
	command.SetFlagErrorFunc(func(_ *cobra.Command, err error) error { return usageError{err} })
	if args := command.Args; args != nil {
		command.Args = func(c *cobra.Command, given []string) error {
			switch err := args(c, given); {
			case err == nil:
				return nil
			case c.HasSubCommands():
				return unknownCommand(c, given[0])
			case len(given) == 0:
				return usagef("an argument is missing; it is used as: %s", c.UseLine())
			default:
				return usagef("these are not the arguments that it takes: %s; it is used as: %s", strings.Join(given, " "), c.UseLine())
			}
		}
	}
	for _, child := range command.Commands() {
		markUsageErrors(child)
	}
}

// unknownCommand says which there are.
func unknownCommand(c *cobra.Command, name string) error {
	c.SuggestionsMinimumDistance = 2 // Letters.
	next := "there are " + strings.Join(names(c.Commands()), ", ")
	if near := c.SuggestionsFor(name); len(near) > 0 {
		next = "did you mean " + strings.Join(near, " or ") + "? " + next
	}
	return advised{usagef("there is no %s %s", c.CommandPath(), name), next}
}

// helpCommand is that of the parser, but for commands that do not exist.
func helpCommand(root *cobra.Command) *cobra.Command {
	return &cobra.Command{
		Use:   "help [command]",
		Short: "Help about any command",
		RunE: func(_ *cobra.Command, args []string) error {
			c, rest, err := root.Find(args)
			if err != nil {
				return usageError{err}
			}
			if len(rest) > 0 {
				return unknownCommand(c, rest[0])
			}
			c.InitDefaultHelpFlag() // So that it is shown, too.
			return c.Help()
		},
	}
}

// helpFunc is that of the parser, which shows the help of what it knows when a
// command that does not exist is asked for.
func (a *app) helpFunc(known func(*cobra.Command, []string)) func(*cobra.Command, []string) {
	return func(c *cobra.Command, args []string) {
		if given := c.Flags().Args(); c.HasSubCommands() && len(given) > 0 {
			a.noHelp = unknownCommand(c, given[0])
			return
		}
		known(c, args)
	}
}

// exitStatus is what a script learns of an error. An interruption comes first: it
// is what the user did. An unknown outcome comes before its cause, for it must not
// be repeated blindly.
func exitStatus(ctx context.Context, err error) int {
	_, usage := errors.AsType[usageError](err)
	_, column := errors.AsType[*output.ColumnError](err)
	for _, status := range []struct {
		is   bool
		code int
	}{
		{ctx.Err() != nil || errors.Is(err, errInterrupted), exitInterrupted},
		{errors.Is(err, hiring.ErrOutcomeUnknown), exitUnknown},
		{usage || column || isParserError(err), exitUsage},
		{errors.Is(err, hiring.ErrNotFound) || errors.Is(err, hiring.ErrNoArchive), exitNotFound},
		{errors.Is(err, hiring.ErrInvalidToken) || errors.Is(err, hiring.ErrInsufficientScope) || errors.Is(err, errNoConnection), exitAuth},
		{errors.Is(err, hiring.ErrQuotaExhausted) || errors.Is(err, hiring.ErrRateLimited), exitQuota},
		{errors.Is(err, hiring.ErrPlanLimitReached), exitPlan},
		{errors.Is(err, hiring.ErrInvalidInput), exitUsage},
	} {
		if status.is {
			return status.code
		}
	}
	return exitFailed
}

// isParserError recognizes what cobra has no type for.
func isParserError(err error) bool {
	text := err.Error()
	return strings.HasPrefix(text, "unknown command ") || strings.HasPrefix(text, "required flag(s) ") || strings.HasPrefix(text, "if any flags in the group ")
}

// advice says what to do next, where the error does not say so itself.
var advice = map[int]string{ //nolint:gochecknoglobals // a constant table
	exitUsage:    "--help shows how",
	exitNotFound: "look whether the id is right, and the key of the organization that it belongs to",
	exitPlan:     "wait for the next period of the plan or have the plan changed; hiring account shows both",
	exitUnknown:  "look with a list command whether it was done before you repeat it",
	exitQuota:    "run it again later; hiring quota shows what is left",
}

// keyLike finds keys in what the user typed where no key belongs: all up to the next
// white space, save for the punctuation at its end. What stands for a key, as in
// sk_live_…, is none.
var keyLike = regexp.MustCompile(`sk_(live|test)_\S*[^\s….,;:!?"'` + "`" + `)\]}>]`)

// explain is an error as one line that says what to do next.
func explain(err error, code int) string {
	text := plainWords(strings.TrimPrefix(joinLines(err.Error()), "hiring: "))
	next := advice[code]
	if failure, ok := errors.AsType[*hiring.Error](err); ok && code == exitNotFound && !strings.Contains(failure.Route, "{") {
		next = "look at the path: hiring api GET /openapi.json --jq '.paths | keys' shows those that there are; and at the base URL"
	}
	if own, ok := errors.AsType[advised](err); ok {
		next = own.advice
	}
	if code == exitInterrupted {
		text = errInterrupted.Error()
	}
	if next != "" && !strings.Contains(text, next) {
		text += "; " + next
	}
	return output.Clean(keyLike.ReplaceAllString(text, "sk_${1}_…"))
}

// joinLines makes one line of several.
func joinLines(text string) string {
	var line string
	for part := range strings.Lines(text) {
		part = strings.TrimSpace(part)
		switch {
		case part == "":
		case line == "":
			line = part
		case strings.HasSuffix(line, "?"):
			line += " " + part
		default:
			line += "; " + part
		}
	}
	return line
}
