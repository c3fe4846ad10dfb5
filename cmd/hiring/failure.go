package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	hiring "github.com/hiring-assessment/hiring-go"
	"github.com/hiring-assessment/hiring-go/cmd/hiring/internal/doctor"
	"github.com/hiring-assessment/hiring-go/cmd/hiring/internal/files"
	"github.com/hiring-assessment/hiring-go/cmd/hiring/internal/output"
)

// The exit statuses. The help of the program documents them.
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

// usageError is a wrong command line. Its text is a sentence for the user, without the
// full stop.
type usageError struct{ error }

func (e usageError) Unwrap() error { return e.error }

func usagef(format string, args ...any) error { return usageError{fmt.Errorf(format, args...)} }

// adviceError is an error with advice that replaces the advice of its exit status.
type adviceError struct {
	error

	advice string
}

func (e adviceError) Unwrap() error { return e.error }

// listedError is an error below which lines of help are printed.
type listedError struct {
	error

	lines string
}

func (e listedError) Unwrap() error { return e.error }

// causedError is an error with the exit status of its cause, which its text does not show.
type causedError struct {
	error

	cause error // May be nil.
}

func (e causedError) Unwrap() error { return e.cause }

// errNoConnection is returned when no server or no API key is configured.
var errNoConnection = errors.New("No server is configured")

// errDeclined is returned when the user does not confirm a write.
var errDeclined = errors.New("Nothing was changed")

// errInterrupted is returned for a Ctrl-C that is read as a key.
var errInterrupted = errors.New("interrupted")

// commandName returns the path of a command without the program's name, as in "submissions
// list".
func commandName(c *cobra.Command) string { return strings.TrimPrefix(c.CommandPath(), "hiring ") }

// checkLine checks the values of the flags, and compares the number of arguments with the usage of a command, where <a> is
// required, [<a>] is optional and <a>... may be several.
func (a *app) checkLine(c *cobra.Command, given []string) error {
	name, arguments := commandName(c), argumentsOf(c)
	if err := cmp.Or(a.checkValues(c), a.wrongWord(c, given)); err != nil {
		return err
	}
	wanted := slices.DeleteFunc(strings.Fields(arguments), func(word string) bool { return word[0] != '<' })
	most := len(wanted) + strings.Count(arguments, "[<")
	if len(given) >= len(wanted) && (len(given) <= most || strings.Contains(arguments, "...")) {
		return nil
	}
	usage := "Usage: " + c.Parent().CommandPath() + " " + c.Use
	if len(wanted) > len(given) {
		return useInstead(listedError{adviceError{usagef("%s needs %s", name, strings.Join(wanted[len(given):], " ")), usage}, c.Example}, name+" alone")
	}
	instead := strings.ReplaceAll(insteadOf(name+" more"), "<line>", c.CommandPath()+" "+quotedWord(given[0]))
	if file := toFile(given[len(given)-1]); file != "" && !strings.Contains(arguments, "<file") && !slices.Contains(withoutResults, c.Name()) {
		instead = file
	}
	return advise(adviceError{usagef("%s takes %s, got %s", name, counted(most, "argument", "arguments"), quoted(given)), usage}, instead)
}

// wrongWord returns an error for a first argument, if any, that is the word for a command which does not exist.
func (a *app) wrongWord(c *cobra.Command, given []string) error {
	if len(given) == 0 {
		return nil
	}
	if c.HasSubCommands() {
		return a.unknownCommand(c, given)
	}
	// After the short form of a command the word may be for a command of its group, as in invite list.
	instead, group := a.insteadOfCommand(c, commandName(c)+" ", given), c.Annotations[shortOf]
	if instead = cmp.Or(instead, usageBelow(c, group, given[0])); instead != "" {
		return adviceError{usagef("There is no command hiring %s %s", commandName(c), output.Clean(given[0])), "Use " + instead}
	}
	return nil
}

func quoted(words []string) string { return "'" + output.Clean(strings.Join(words, "', '")) + "'" }

// flagError rewords the parser's error about a flag.
func (a *app) flagError(c *cobra.Command, err error) error {
	words := c.Flags().Args()
	for _, typed := range a.typed { // The parser stops at the flag, and an id behind it may be no value.
		isThing := isID.MatchString(typed.value) || fileToSend.MatchString(typed.value)
		if isThing && !slices.Contains(words, typed.value) {
			words = append(words, typed.value)
		}
	}
	if err := a.wrongWord(c, words); err != nil {
		return err // The flag may belong to the command that was meant.
	}
	_, isUnknown := errors.AsType[*pflag.NotExistError](err)
	unknown := slices.DeleteFunc(slices.Clone(a.typed), func(typed typedFlag) bool { return typed.flag == "" || flagOf(c, typed.flag) != nil })
	if isUnknown && len(unknown) > 0 {
		return a.unknownFlags(c, unknown)
	}
	if missing, ok := errors.AsType[*pflag.ValueRequiredError](err); ok {
		return withoutValue(missing.GetFlag())
	}
	if invalid, ok := errors.AsType[*pflag.InvalidValueError](err); ok {
		name := "--" + invalid.GetFlag().Name
		return useInstead(usagef("%s %s: %s", name, output.Clean(invalid.GetValue()), invalid.Unwrap()), name+" wrong")
	}
	return usagef("The command line cannot be read: %s", output.Clean(err.Error()))
}

// withoutValue returns an error for a flag that needs a value.
func withoutValue(f *pflag.Flag) error {
	return useInstead(usagef("--%s needs a value: %s", f.Name, strings.ReplaceAll(f.Usage, "`", "")), "--"+f.Name+" alone")
}

// exitStatus returns the exit status of an error. An interruption comes first, because the
// user caused it. An unknown outcome comes before its cause, because the command must not
// be repeated without a check.
func exitStatus(ctx context.Context, err error) int {
	_, usage := errors.AsType[usageError](err)
	_, column := errors.AsType[*output.ColumnError](err)
	_, target := errors.AsType[files.TargetError](err)
	for _, status := range []struct {
		is   bool
		code int
	}{
		{ctx.Err() != nil || errors.Is(err, errInterrupted), exitInterrupted},
		{errors.Is(err, hiring.ErrOutcomeUnknown), exitUnknown},
		{usage || column || target || errors.Is(err, files.ErrLocked) || errors.Is(err, files.ErrNoLocks), exitUsage},
		{errors.Is(err, hiring.ErrNotFound) || errors.Is(err, hiring.ErrNoArchive), exitNotFound},
		{errors.Is(err, hiring.ErrInvalidToken) || errors.Is(err, hiring.ErrInsufficientScope) || errors.Is(err, errNoConnection), exitAuth},
		{isDeferred(err), exitQuota},
		{errors.Is(err, hiring.ErrPlanLimitReached), exitPlan},
		{errors.Is(err, hiring.ErrInvalidInput), exitUsage},
	} {
		if status.is {
			return status.code
		}
	}
	return exitFailed
}

// isDeferred reports whether the API rejected a request for now, said when to try again, or would
// have rejected it because of the rate limit.
func isDeferred(err error) bool {
	failure, ok := errors.AsType[*hiring.Error](err)
	return ok && hiring.IsTransient(err) && (failure.RetryAfter > 0 || failure.Status/100 == 4)
}

// advice maps exit statuses to what the user can do.
var advice = map[int]string{ //nolint:gochecknoglobals // a constant table
	exitPlan:    "Wait for the plan's next period or change the plan; hiring account shows both",
	exitUnknown: "Check with a list command whether the change was made before you repeat it",
	exitQuota:   "Try again later; hiring quota shows the remaining requests",
}

// typedKeyText matches a key in an error text up to the next white space, without
// punctuation at the end. A placeholder such as sk_live_… does not match.
var typedKeyText = regexp.MustCompile(`sk_(live|test)_\S*[^\s….,;:!?"'` + "`" + `)\]}>]`)

// kindInRoute matches the kind of the last id that a request names, or else that of its operation.
var kindInRoute = regexp.MustCompile(`(?i).*(assessment|challenge|invitation|submission)s(?:\.|/\{)`)

// unknownID returns the advice for a failure of a request with an id that the API does not know: it may be of another kind.
func unknownID(failure *hiring.Error) string {
	kind := strings.ToLower(append(kindInRoute.FindStringSubmatch(failure.Operation+failure.Route), "", "thing")[1])
	text := "No " + kind + " of the key's organization has this id: hiring " + strings.Replace(kind+"s list", "invitations list", "invitations list -a <assessment>", 1) + " shows the ids"
	if kind == "submission" && failure.Status == 0 { // Of a wait.
		return text + ". The candidate's address is enough. " + notStarted
	}
	return text + "; this may be the id of something else"
}

// explain returns an error as one line of sentences, with advice for what was typed.
func (a *app) explain(err error, code int) string {
	text, next := errorText(err), advice[code]
	if code == exitInterrupted {
		text = "Interrupted."
	}
	own, advised := errors.AsType[adviceError](err)
	failure, failed := errors.AsType[*hiring.Error](err)
	switch {
	case advised:
		next = own.advice
	case failed && failure.Status == http.StatusNotFound && (failure.Operation == "Do" || !strings.Contains(failure.Route, "{")):
		next = "Check the path, its ids and the key's organization; hiring api /openapi.json --jq '.paths | keys' lists the paths"
	case failed && code == exitNotFound:
		next = unknownID(failure)
	case failed && failure.Status == http.StatusMethodNotAllowed && failure.Operation == "Do":
		next = "hiring api /openapi.json shows the methods of each path"
	case failed && doctor.WithoutRoots(err):
		next = doctor.InstallRoots
	case failed && failure.Status == 0 && failure.Attempts > 0 && code == exitFailed:
		next = "hiring doctor checks the connection"
	case failed && strings.Contains(failure.Hint, "Dialect."):
		next = "hiring doctor checks the dialect"
	}
	if next != "" && !strings.Contains(text, next) {
		text += " " + a.filled(text, next)
	}
	return output.Clean(typedKeyText.ReplaceAllString(text, "sk_${1}_…"))
}
