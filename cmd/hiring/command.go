package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"math"
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
	limit  int // Of a list; 0 means all.
}

// withPrinter returns the RunE function of a command that prints results.
func (a *app) withPrinter(work func(*cobra.Command, *output.Printer, []string) error) func(*cobra.Command, []string) error {
	return func(c *cobra.Command, args []string) error {
		printer, err := a.printer()
		if err != nil {
			return err
		}
		return work(c, printer, args)
	}
}

// withTask returns the RunE function of a command that calls the API.
func (a *app) withTask(work func(context.Context, task) error) func(*cobra.Command, []string) error {
	return a.withPrinter(func(c *cobra.Command, printer *output.Printer, args []string) error {
		client, err := a.client()
		if err != nil {
			return err
		}
		return work(c.Context(), task{Printer: printer, args: args, client: client})
	})
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

// getter is a method of the client that returns the thing with an id.
type getter[T any] func(context.Context, string) (T, error)

// getCommand adds the RunE function of a command that shows the thing which its argument names. find returns its id.
func getCommand[T any](
	a *app, c *cobra.Command, table output.Table[T],
	find func(context.Context, *hiring.Client, string) (string, error), get func(*hiring.Client) getter[T],
) *cobra.Command {
	c.RunE = showItem(a, table, func(ctx context.Context, t task) (item T, err error) {
		id, err := find(ctx, t.client, t.args[0])
		if err != nil {
			return item, err
		}
		return get(t.client)(ctx, id)
	})
	return c
}

// writeLines returns the RunE function of a command that writes items when they arrive: as JSON
// Lines, or on a terminal as lines for people. An endless stream has no other format.
func writeLines[T any](a *app, table output.Table[T], items func(context.Context, task) (iter.Seq2[T, error], error)) func(*cobra.Command, []string) error {
	return a.withTask(func(ctx context.Context, t task) error {
		if t.Format == output.CSV {
			return adviceError{usagef("-o csv: this command writes lines of JSON"), "--jq '[.candidate.email, .report.ship_score] | @csv' makes CSV of them"}
		}
		if !t.Terminal && a.flags.output.Format == "" {
			t.Format = output.JSONLines
		}
		all, err := items(ctx, t)
		if err != nil {
			return err
		}
		return output.Lines(t.Printer, table, all)
	})
}

// command returns a command without flags. finish adds what follows from its usage.
func command(use, short string, aliases ...string) *cobra.Command {
	return &cobra.Command{Use: use, Short: short, Aliases: aliases}
}

// group returns a command that only has subcommands. aliases are separated by commas.
func group(use, aliases, short string, commands ...*cobra.Command) *cobra.Command {
	c := command(use, short, strings.Split(aliases, ", ")...)
	c.RunE = helpOfGroup
	c.AddCommand(commands...)
	return c
}

// helpOfGroup shows the help of a group, which is no result: with flags a command was meant.
func helpOfGroup(c *cobra.Command, _ []string) error {
	if c.Flags().NFlag() > 0 {
		return adviceError{usagef("%s needs a command", c.Name()), c.CommandPath() + " --help lists the commands"}
	}
	return c.Help()
}

// argumentsOf returns the arguments in the usage of a command.
func argumentsOf(c *cobra.Command) string {
	arguments, _, _ := strings.Cut(c.Use, " --")
	return arguments
}

// finish sets what follows from the names and the arguments of c and its subcommands:
// aliases, completion, and errors of the command line.
func (a *app) finish(c *cobra.Command) {
	c.SetFlagErrorFunc(a.flagError)
	if c.Long == "" {
		describe(c, commandName(c))
	}
	switch c.Name() {
	case "list":
		c.Aliases = append(c.Aliases, "ls")
	case "get":
		c.Aliases = append(c.Aliases, "show", "view", "describe", "inspect", "retrieve", "info", "read", "fetch")
	}
	if c.Runnable() {
		c.Args = a.checkLine
	}
	if c.ValidArgsFunction == nil && !strings.Contains(argumentsOf(c), "<file") {
		c.ValidArgsFunction = cobra.NoFileCompletions
	}
	for argument, list := range map[string]thingList{"<assessment>": assessments, "<challenge>": challenges} {
		if strings.Contains(argumentsOf(c), argument) {
			c.ValidArgsFunction = a.complete(list)
		}
	}
	for _, child := range c.Commands() {
		a.finish(child)
	}
}

// defaultLimit is how many items a list shows, so that no command reads a large list
// unasked.
const defaultLimit = 30

// listCommand adds the flags and the RunE function of a command that shows a list.
func listCommand[T any](a *app, c *cobra.Command, table output.Table[T], list func(context.Context, task) (hiring.Pager[T], error)) *cobra.Command {
	limit := c.Flags().IntP("limit", "L", defaultLimit, fmt.Sprintf("show at most `n` items (default %d)", defaultLimit))
	all := c.Flags().Bool("all", false, "show all items: one read for each 100")
	order := c.Flags().String("sort", "", "read the whole list and sort it by a `column`, as in name, or from the highest as in -score")
	c.RunE = a.withTask(func(ctx context.Context, t task) error {
		switch {
		case *all && c.Flags().Changed("limit"):
			return usagef("--limit and --all exclude each other")
		case *limit <= 0:
			return adviceError{usagef("--limit: give a number from 1"), "--all shows all"}
		case *all:
			*limit = 0
		}
		if *order == "" {
			t.limit = *limit
		}
		pager, err := list(ctx, t)
		if err == nil && *order != "" {
			pager, err = sorted(ctx, pager, table, *order)
		}
		if err != nil {
			return err
		}
		more := false
		err = output.List(t.Printer, table, first(ctx, pager, *limit, &more))
		if of := c.Flag("assessment"); err == nil && t.Empty && of != nil && isID.MatchString(of.Value.String()) {
			_, err = t.client.Assessments.Get(ctx, of.Value.String()) // An unknown one has no items, either.
		}
		if err != nil || !more {
			return err
		}
		notice := "Showing %d; more exist: use --limit <n> or --all.\n"
		if a.flags.output.Query != "" {
			notice = "The filter saw only the first %d; --all reads the rest.\n"
		}
		_, err = fmt.Fprintf(a.err, notice, *limit)
		return err
	})
	return c
}

// sized returns a list whose pages have no more items than the command shows.
func sized[T any](t task, list hiring.Pager[T]) hiring.Pager[T] {
	if t.limit > 0 {
		return list.PageSize(min(t.limit, 100))
	}
	return list
}

// matching reads a whole list and returns the items for which selects returns true.
func matching[T any](all iter.Seq2[T, error], selects func(T) bool) (found []T, err error) {
	for item, err := range all {
		if err != nil {
			return nil, err
		}
		if selects(item) {
			found = append(found, item)
		}
	}
	return found, nil
}

// sorted reads a whole list and sorts it by a column.
func sorted[T any](ctx context.Context, list hiring.Pager[T], table output.Table[T], column string) (hiring.Pager[T], error) {
	items, err := list.Collect(ctx)
	if err == nil {
		err = output.Sort(table, items, column)
	}
	if _, unknown := errors.AsType[*output.ColumnError](err); unknown {
		err = adviceError{err, "A minus sorts from the highest, as in --sort -" + table.Shown[0]}
	}
	return hiring.PagerOf(items...), err
}

// first returns the first n items of a list; 0 means all. It sets more when the list has
// others, and reads no page to find out.
func first[T any](ctx context.Context, list hiring.Pager[T], n int, more *bool) iter.Seq2[T, error] {
	left := cmp.Or(n, math.MaxInt)
	return func(yield func(T, error) bool) {
		for page, err := range list.Pages(ctx) {
			if err != nil {
				yield(*new(T), err)
				return
			}
			shown := min(left, len(page.Items))
			for _, item := range page.Items[:shown] {
				if !yield(item, nil) {
					return
				}
			}
			if left -= shown; left == 0 {
				*more = shown < len(page.Items) || page.Next != ""
				return
			}
		}
	}
}

// timeFlag adds a flag with a time.
func (a *app) timeFlag(c *cobra.Command, name, usage string) *time.Time {
	value := &timeValue{zone: a.zone}
	c.Flags().VarPF(value, name, "", usage).DefValue = ""
	return &value.at
}

type timeValue struct {
	at   time.Time
	zone *time.Location
}

func (v *timeValue) Type() string { return "time" }

func (v *timeValue) String() string { return v.at.Format(time.RFC3339) }

func (v *timeValue) Set(text string) error {
	if at, err := time.Parse(time.RFC3339, text); err == nil {
		v.at = at
		return nil
	}
	for _, layout := range []string{"2006-01-02T15:04", "2006-01-02 15:04", time.DateOnly} {
		if at, err := time.ParseInLocation(layout, text, v.zone); err == nil {
			v.at = at
			return nil
		}
	}
	ago, err := time.ParseDuration(text)
	for unit, days := range map[string]int{"d": 1, "w": 7} {
		if number, found := strings.CutSuffix(text, unit); found {
			var n int
			n, err = strconv.Atoi(number)
			ago = time.Duration(n*days) * 24 * time.Hour
		}
	}
	if err != nil || ago < 0 {
		return fmt.Errorf("give a date as in 2026-03-15, a time as in 2026-03-15T14:00, or an age as in 36h or 7d")
	}
	v.at = time.Now().Add(-ago)
	return nil
}
