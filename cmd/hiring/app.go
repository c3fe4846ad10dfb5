package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/hiring-assessment/hiring-go/cmd/hiring/internal/output"
)

// app holds what the commands of one run share: its streams and its global flags. Each
// command is built by a method in the file of its group.
type app struct {
	in          io.Reader
	out, err    output.Stream
	interactive bool // The user can answer questions.
	getenv      func(string) string
	zone        *time.Location    // For times in tables.
	transport   http.RoundTripper // Nil means the network. Tests replace it.

	warnings []string // Warnings that were printed.
	flags    globalFlags
	args     []string
	typed    []typedFlag     // The flags and arguments in args.
	ctx      context.Context // The context of the run.
	stopped  context.Context // Ends with SIGTERM, and ctx with it.
	testMode bool            // A write used a test key.
	noHelp   error           // Help was asked for with a command that does not exist.
}

// globalFlags are the flags of every command.
type globalFlags struct {
	sandbox bool
	profile string
	dialect string // Name of a file.
	yes     bool
	debug   bool
	timeout time.Duration

	output output.Options
}

// run executes a command line and returns the exit status.
func (a *app) run(ctx context.Context, args []string) int {
	a.args, a.ctx = slices.Clone(args), ctx
	err := a.execute(ctx)
	if a.flags.timeout > 0 && errors.Is(err, context.DeadlineExceeded) {
		err = adviceError{err, "--timeout sets another limit"}
	}
	if err == nil {
		if a.testMode {
			_, _ = fmt.Fprintln(a.err, a.err.Paint(output.Faint, "This is a test key: no e-mail is sent, and no change is stored."))
		}
		return exitOK
	}
	code := exitStatus(ctx, err)
	a.say(a.err.Paint(output.Red, "hiring:") + " " + a.explain(err, code)) //nolint:contextcheck // the command that is made there is looked at and not run
	if below, ok := errors.AsType[listedError](err); ok && below.lines != "" {
		_, _ = fmt.Fprintln(a.err, reflow(strings.TrimRight(below.lines, "\n"), min(cmp.Or(a.err.Width, helpWidth), widestTexts)))
	}
	return code
}

// say writes a text on standard error: in one line, or on a terminal in lines of its width.
func (a *app) say(text string) {
	if a.err.Width > 0 {
		text = strings.Join(output.Wrap(text, a.err.Width), "\n")
	}
	_, _ = fmt.Fprintln(a.err, text)
}

func (a *app) execute(ctx context.Context) error {
	root := a.rootCommand() //nolint:contextcheck // ExecuteContext passes it to the commands
	root.SetIn(a.in)
	root.SetOut(a.out)
	root.SetErr(a.err)
	if err := a.refuseArguments(typedKey.MatchString); err != nil {
		return err
	}
	a.normalize(root)
	root.SetArgs(a.args)
	return cmp.Or(root.ExecuteContext(ctx), a.noHelp)
}

func (a *app) rootCommand() *cobra.Command {
	cobra.EnableCaseInsensitive = true
	root := &cobra.Command{
		Use:           "hiring",
		Short:         "Work with the Hiring Assessment API from a terminal: assessments, invitations and reports",
		Version:       version().Version, // Cobra prints it for --version alone.
		RunE:          helpOfGroup,
		SilenceErrors: true, // run prints them in one line.
		SilenceUsage:  true,

		PersistentPreRunE: func(c *cobra.Command, _ []string) error { return a.prepare(c) },
	}
	// Without own templates the program is 3 MB smaller, because text/template keeps all
	// exported methods.
	root.Flags().Bool("version", false, "show the version of this program")
	a.globalFlags(root)
	root.AddGroup(&cobra.Group{ID: groupWork, Title: "API commands:"}, &cobra.Group{ID: groupTool, Title: "Program commands:"})
	root.SetHelpCommand(a.helpCommand(root))
	root.SetHelpCommandGroupID(groupTool)
	grouped(root, groupWork,
		a.accountCommand(), a.membersCommand(), a.challengesCommand(), a.assessmentsCommand(), a.invitationsCommand(), shortFor("invitations", a.invitationsInviteCommand()),
		a.submissionsCommand(), shortFor("submissions", a.submissionsReportCommand()), a.eventsCommand(), a.watchCommand(), a.quotaCommand(), a.apiCommand(),
	)
	grouped(root, groupTool, a.profileCommand(), a.doctorCommand(), a.sandboxCommand(), a.versionCommand(), completionCommand())
	root.AddCommand(topics()...)
	a.finish(root)
	root.SetHelpFunc(a.help)
	return root
}

// shortOf is the annotation with the group of a command that shortFor returns.
const shortOf = "short of"

// shortFor returns a command of a group as a command of its own.
func shortFor(group string, c *cobra.Command) *cobra.Command {
	describe(c, group+" "+c.Name())
	c.Annotations = map[string]string{shortOf: group}
	c.Short += " (short for " + group + " " + c.Name() + ")"
	return c
}

// The groups of commands in the help.
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
	flags.BoolVar(&a.flags.sandbox, "sandbox", false, "use a fake server inside this program, with sample data")
	flags.StringVarP(&a.flags.profile, "profile", "p", "", "use the profile with this `name`")
	flags.StringVar(&a.flags.dialect, "dialect", "", "a `file` with names and routes of the server, as in {\"page_param\": \"p\"}; see hiring help doctor")
	flags.BoolVarP(&a.flags.yes, "yes", "y", false, "do not ask for confirmation before a write with a live key")
	flags.BoolVar(&a.flags.debug, "debug", false, "print each request on standard error")
	flags.DurationVar(&a.flags.timeout, "timeout", 0, "end the command after this `time`, as in 20s")
	flags.StringVarP(&a.flags.output.Format, "output", "o", "", "the `format`: table, json, jsonl (one line an item) or csv")
	flags.StringVarP(&a.flags.output.Query, "jq", "q", "", "filter the JSON with a jq `program`; see hiring help formatting")
	flags.StringSliceVar(&a.flags.output.Columns, "columns", nil, "the `names` of the columns of a table or CSV or of the members of JSON, as in id,candidate.email")
	flags.BoolVar(&a.flags.output.BOM, "bom", false, "begin CSV with a byte order mark, which Excel needs")
	flags.StringVar(&a.flags.output.Separator, "separator", "", "the `character` between the cells of CSV, as in ';' for spreadsheets that expect it (default a comma)")
	_ = root.RegisterFlagCompletionFunc("profile", a.completeProfiles)
	_ = root.RegisterFlagCompletionFunc("output", cobra.FixedCompletions(output.Formats(), cobra.ShellCompDirectiveNoFileComp))
}

// printer returns a printer with the settings of the global flags.
func (a *app) printer() (*output.Printer, error) {
	p, err := output.NewPrinter(a.out, a.flags.output, a.zone)
	if err != nil {
		flag, _, _ := strings.Cut(err.Error(), ":")
		if strings.HasPrefix(flag, "--output ") {
			return nil, advise(usageError{err}, insteadOfFormat(a.flags.output.Format))
		}
		return nil, useInstead(usageError{err}, flag+" wrong")
	}
	p.Context, p.Notes, p.Warn = a.ctx, a.err, a.warnOnce
	return p, nil
}

// insteadOfFormat returns what to use instead of a format that does not exist.
func insteadOfFormat(given string) string {
	format, _, _ := strings.Cut(strings.ToLower(given), "=") // As in kubectl's -o jsonpath=....
	return cmp.Or(columnsIn(given), insteadOf("-o "+format), toFile(given), "> <file> to write to a file")
}
