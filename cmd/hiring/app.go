package main

import (
	"context"
	"fmt"
	"io"
	"time"

	"github.com/spf13/cobra"

	"github.com/hiring-assessment/hiring-go/cmd/hiring/internal/output"
)

// app is what the commands of one invocation share: where it reads and writes,
// and what the global flags say. Each command is a method that returns it, in the
// file of its group.
type app struct {
	in          io.Reader
	out, err    output.Stream
	interactive bool // Somebody can be asked.
	getenv      func(string) string
	zone        *time.Location // That people want their times in.

	flags    globalFlags
	noHelp   error // Why none was shown, though it was asked for.
	testMode bool  // Something was written in it.
}

// globalFlags are those that every command takes.
type globalFlags struct {
	sandbox bool
	profile string
	dialect string // A file.
	yes     bool
	debug   bool

	output output.Options
}

// run returns the exit status.
func (a *app) run(ctx context.Context, args []string) int {
	root := a.rootCommand() //nolint:contextcheck // the commands get it from ExecuteContext
	root.SetArgs(args)
	root.SetIn(a.in)
	root.SetOut(a.out)
	root.SetErr(a.err)
	err := root.ExecuteContext(ctx)
	if err = firstOf(err, a.noHelp); err == nil {
		if a.testMode {
			_, _ = fmt.Fprintln(a.err, a.err.Paint(output.Faint, "with a key of test mode nothing is mailed, and nothing that is written is kept"))
		}
		return exitOK
	}
	code := exitStatus(ctx, err)
	_, _ = fmt.Fprintf(a.err, "%s %s\n", a.err.Paint(output.Red, "hiring:"), explain(err, code))
	return code
}

const rootLong = `hiring is the Hiring Assessment service from a terminal: assessments, invitations,
submissions and their reports.

Which service, and with whose key, is what --sandbox says, else the variables
HIRING_BASE_URL and HIRING_API_KEY, else the profile in use (see hiring profile).

Exit status: 0 done, 1 failed, 2 wrong usage or input (also an unknown profile, and
a key or base URL that cannot be one), 3 not found, 4 the key is missing, refused or
lacks a scope, 5 the quota is used up, 6 the plan's limit is reached, 7 the outcome
of a write is unknown, 130 interrupted.`

const rootExample = `  hiring --sandbox account              try it, with no set-up
  hiring profile add acme               tell it where the service is, and your key
  hiring assessments list
  hiring invitations import people.csv --assessment ID
  hiring submissions report ID
  hiring submissions list --status evaluated -o csv > results.csv`

func (a *app) rootCommand() *cobra.Command {
	root := &cobra.Command{
		Use:           "hiring",
		Short:         "The Hiring Assessment service from a terminal",
		Long:          rootLong,
		Example:       rootExample,
		SilenceErrors: true, // run prints them, in one line
		SilenceUsage:  true,
	}
	a.globalFlags(root)
	root.AddGroup(&cobra.Group{ID: groupWork, Title: "The service:"}, &cobra.Group{ID: groupTool, Title: "This program:"})
	root.SetHelpCommand(helpCommand(root))
	root.SetHelpCommandGroupID(groupTool)
	root.SetCompletionCommandGroupID(groupTool)
	grouped(root, groupWork,
		a.accountCommand(), a.membersCommand(), a.challengesCommand(), a.assessmentsCommand(), a.invitationsCommand(),
		a.submissionsCommand(), a.eventsCommand(), a.watchCommand(), a.topCommand(), a.quotaCommand(), a.apiCommand(),
	)
	grouped(root, groupTool,
		a.profileCommand(), a.doctorCommand(), a.sandboxCommand(), a.versionCommand(),
	)
	a.addManCommand(root)
	markUsageErrors(root)
	root.SetHelpFunc(a.helpFunc(root.HelpFunc()))
	return root
}

// The groups of commands that the help shows.
const (
	groupWork = "work"
	groupTool = "tool"
)

func grouped(root *cobra.Command, group string, commands ...*cobra.Command) {
	for _, command := range commands {
		command.GroupID = group
		root.AddCommand(command)
	}
}

func (a *app) globalFlags(root *cobra.Command) {
	flags := root.PersistentFlags()
	flags.BoolVar(&a.flags.sandbox, "sandbox", false, "work on a fake of the service inside this program, with sample data")
	flags.StringVar(&a.flags.profile, "profile", "", "the `name` of the profile to use, rather than the one in use")
	flags.StringVar(&a.flags.dialect, "dialect", "", "a `file` with names and routes that the service uses, as hiring doctor writes it")
	flags.BoolVarP(&a.flags.yes, "yes", "y", false, "do not ask before writing with a live key")
	flags.BoolVar(&a.flags.debug, "debug", false, "print each exchange with the service on standard error")
	flags.StringVarP(&a.flags.output.Format, "output", "o", "", "`format`: table, json, jsonl (a line an item) or csv")
	flags.StringVar(&a.flags.output.Query, "jq", "", "a jq `program` to run over the JSON; a text is printed bare")
	flags.StringSliceVar(&a.flags.output.Columns, "columns", nil, "the `names` of the columns of a table or CSV, as in id,candidate.email")
	_ = root.RegisterFlagCompletionFunc("profile", completeProfiles)
	_ = root.RegisterFlagCompletionFunc("output", cobra.FixedCompletions(output.Formats(), cobra.ShellCompDirectiveNoFileComp))
}

// printer writes results to standard output as the user wants them.
func (a *app) printer() (*output.Printer, error) {
	p, err := output.NewPrinter(a.out, a.flags.output, a.zone)
	if err != nil {
		return nil, usageError{err}
	}
	p.Notes = a.err
	return p, nil
}
