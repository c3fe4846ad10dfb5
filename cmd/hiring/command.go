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

// task is what a command has to do its work with.
type task struct {
	*output.Printer

	args   []string
	client *hiring.Client
}

// does makes the body of a command that asks the service.
func (a *app) does(work func(context.Context, task) error) func(*cobra.Command, []string) error {
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

// group is a command that only holds others.
func group(use, short string, commands ...*cobra.Command) *cobra.Command {
	c := &cobra.Command{Use: use, Short: short, Args: cobra.NoArgs, RunE: func(c *cobra.Command, _ []string) error {
		return usagef("say what to do: %s", strings.Join(names(c.Commands()), ", "))
	}}
	c.AddCommand(commands...)
	return c
}

func names(commands []*cobra.Command) []string {
	var all []string
	for _, c := range commands {
		all = append(all, c.Name())
	}
	return all
}

// listing completes a command that shows a list.
func listing[T any](a *app, c *cobra.Command, table output.Table[T], list func(task) (hiring.Pager[T], error)) *cobra.Command {
	limit := c.Flags().Int("limit", 0, "show at most `n`; 0 for all")
	order := c.Flags().String("sort", "", "the `column` to sort by, as in name, or -score for the highest first")
	c.RunE = a.does(func(ctx context.Context, t task) error {
		pager, err := list(t)
		if err != nil {
			return err
		}
		if *limit < 0 {
			return usagef("--limit: give a number from 0")
		}
		items := pager.All(ctx)
		if *order != "" {
			items = output.Sorted(table, items, *order)
		}
		return output.List(t.Printer, table, first(items, *limit))
	})
	return c
}

// first ends a list after n items; with 0 it is as long as it is.
func first[T any](items iter.Seq2[T, error], n int) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		seen := 0
		for item, err := range items {
			if !yield(item, err) {
				return
			}
			if seen++; seen == n {
				return
			}
		}
	}
}

// assessmentFlag is how commands are told the assessment that they are about, which
// they do not run without.
func assessmentFlag(c *cobra.Command) *string {
	id := c.Flags().StringP("assessment", "a", "", "the `id` of the assessment")
	c.PreRunE = func(*cobra.Command, []string) error {
		if *id == "" {
			return advised{usagef("say which assessment with --assessment ID"), "hiring assessments list shows them"}
		}
		return nil
	}
	return id
}

// sinceFlag takes a time in one of the ways in which people say it.
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
		return fmt.Errorf("give a date as in 2026-03-15, a time as in 2026-03-15T14:00, or how long ago as in 36h or 7d")
	}
	v.at = time.Now().Add(-ago)
	return nil
}
