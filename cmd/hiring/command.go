package main

import (
	"context"
	"fmt"
	"iter"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	hiring "github.com/hiring-assessment/hiring-go"
	"github.com/hiring-assessment/hiring-go/cmd/hiring/internal/output"
)

// task holds what a command that calls the API needs.
type task struct {
	*output.Printer

	args   []string
	client *hiring.Client
}

// withTask returns the RunE function of a command that calls the API.
func (a *app) withTask(work func(context.Context, task) error) func(*cobra.Command, []string) error {
	return func(c *cobra.Command, args []string) error {
		printer, err := a.printer()
		if err != nil {
			return err
		}
		client, err := a.client()
		if err != nil {
			return err
		}
		return work(c.Context(), task{Printer: printer, args: args, client: client})
	}
}

// showItem returns the RunE function of a command that prints what one call returns.
func showItem[T any](a *app, table output.Table[T], call func(context.Context, task) (T, error)) func(*cobra.Command, []string) error {
	return a.withTask(func(ctx context.Context, t task) error {
		item, err := call(ctx, t)
		if err != nil {
			return err
		}
		return output.One(t.Printer, table, item)
	})
}

// writeLines returns the RunE function of a command that writes items as JSON Lines when
// they arrive. An endless stream has no other format.
func writeLines[T any](a *app, items func(context.Context, task) (iter.Seq2[T, error], error)) func(*cobra.Command, []string) error {
	return a.withTask(func(ctx context.Context, t task) error {
		if format := a.flags.output.Format; format != "" && format != string(output.JSONLines) {
			return usagef("-o %s: this command writes only JSON Lines (-o jsonl)", output.Clean(format))
		}
		all, err := items(ctx, t)
		if err != nil {
			return err
		}
		return output.Lines(t.Printer, all)
	})
}

// group returns a command that only has subcommands. singular is its alias.
func group(use, singular, short string, commands ...*cobra.Command) *cobra.Command {
	c := &cobra.Command{Use: use, Aliases: []string{singular}, Short: short,
		RunE: func(c *cobra.Command, _ []string) error {
			return adviceError{usagef("%s needs a command", commandName(c)), "hiring help " + commandName(c) + " lists them"}
		}}
	c.AddCommand(commands...)
	return c
}

// argumentsOf returns the arguments in the usage of a command.
func argumentsOf(c *cobra.Command) string {
	arguments, _, _ := strings.Cut(c.Use, " --")
	return arguments
}

// finish sets what follows from the names and the arguments of c and its subcommands:
// aliases, completion, and errors of the command line.
func (a *app) finish(c *cobra.Command) {
	c.SetFlagErrorFunc(flagError)
	switch c.Name() {
	case "list":
		c.Aliases = append(c.Aliases, "ls")
	case "get":
		c.Aliases = append(c.Aliases, "show", "view")
	}
	if c.Runnable() {
		c.Args = checkCount
	}
	for argument, ids := range map[string]func() idList{"<submission-id>": submissionIDs, "<assessment>": assessmentIDs, "<challenge>": challengeIDs} {
		if strings.Contains(argumentsOf(c), argument) {
			c.ValidArgsFunction = a.complete(ids)
		}
	}
	for _, child := range c.Commands() {
		a.finish(child)
	}
}

// listCommand adds the flags and the RunE function of a command that shows a list.
func listCommand[T any](a *app, c *cobra.Command, table output.Table[T], list func(context.Context, task) (hiring.Pager[T], error)) *cobra.Command {
	limit := c.Flags().UintP("limit", "L", 0, "show at most `n` items; 0 means all")
	order := c.Flags().String("sort", "", "sort by a `column`, as in name, or from the highest as in -score")
	watch := c.Flags().Bool("watch", false, "show the list again and again until Ctrl-C")
	every := c.Flags().Duration("interval", 30*time.Second, "with --watch: the `time` between two requests of the list")
	c.Annotations = map[string]string{columnsOf: strings.Join(table.Columns(), ",")}
	_ = c.RegisterFlagCompletionFunc("sort", completeColumns)
	c.RunE = a.withTask(func(ctx context.Context, t task) error {
		pager, err := list(ctx, t)
		if err != nil {
			return err
		}
		show := func(p *output.Printer) error {
			return output.List(p, table, pager.All(ctx), output.Selection{Sort: *order, Limit: *limit})
		}
		if *watch {
			return a.watchList(ctx, c, *every, *t.Printer, show)
		}
		return show(t.Printer)
	})
	return c
}

// sinceFlag adds the flag --since.
func (a *app) sinceFlag(c *cobra.Command, usage string) *time.Time {
	since := &timeValue{zone: a.zone}
	c.Flags().Var(since, "since", usage)
	return &since.at
}

type timeValue struct {
	at   time.Time
	zone *time.Location
}

func (v *timeValue) Type() string { return "time" }

func (v *timeValue) String() string {
	if v.at.IsZero() {
		return ""
	}
	return v.at.Format(time.RFC3339)
}

func (v *timeValue) Set(text string) error {
	for _, layout := range []string{time.RFC3339, "2006-01-02T15:04", "2006-01-02 15:04", time.DateOnly} {
		if at, err := time.ParseInLocation(layout, text, v.zone); err == nil {
			v.at = at
			return nil
		}
	}
	ago, err := time.ParseDuration(text)
	if days, isDays := strings.CutSuffix(text, "d"); isDays {
		var n int
		n, err = strconv.Atoi(days)
		ago = time.Duration(n) * 24 * time.Hour
	}
	if err != nil || ago < 0 {
		return fmt.Errorf("give a date as in 2026-03-15, a time as in 2026-03-15T14:00, or an age as in 36h or 7d")
	}
	v.at = time.Now().Add(-ago)
	return nil
}
