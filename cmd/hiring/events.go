package main

import (
	"context"
	"time"

	"github.com/spf13/cobra"

	hiring "github.com/hiring-assessment/hiring-go"
	"github.com/hiring-assessment/hiring-go/cmd/hiring/internal/output"
)

func (a *app) eventsCommand() *cobra.Command {
	return group("events", "The raw log of an attempt: prompts, AI responses, edits, test runs",
		a.eventsListCommand(), a.eventsFollowCommand())
}

func eventTable() output.Table[hiring.Event] {
	return output.Table[hiring.Event]{
		Things: "entries",
		Shown:  []string{"seq", "time", "kind", "payload"},
		Own: map[string]func(hiring.Event) any{
			"time": func(event hiring.Event) any { return jsonTime(event.Time()) },
		},
	}
}

func (a *app) eventsListCommand() *cobra.Command {
	var filter hiring.EventFilter
	c := &cobra.Command{
		Use:   "list SUBMISSION",
		Short: "Show the log of a submission's attempt",
		Args:  cobra.ExactArgs(1),
	}
	c.Flags().Int64Var(&filter.SinceSeq, "since-seq", 0, "only entries with a higher `seq`")
	return listing(a, c, eventTable(), func(t task) (hiring.Pager[hiring.Event], error) {
		return t.client.Events.List(t.args[0], filter), nil
	})
}

func (a *app) eventsFollowCommand() *cobra.Command {
	var options hiring.TailOptions
	c := &cobra.Command{
		Use:   "follow SUBMISSION",
		Short: "Show the log of an attempt while it grows, until it is evaluated",
		Long: `Follow writes the log of an attempt as JSON Lines while it grows, and ends when the
submission is evaluated. After Ctrl-C, go on with --since-seq and the last seq.`,
		Args: cobra.ExactArgs(1),
	}
	c.Flags().Int64Var(&options.SinceSeq, "since-seq", 0, "only entries with a higher `seq`")
	every := intervalFlag(c)
	c.RunE = a.does(func(ctx context.Context, t task) error {
		if err := a.needLines(); err != nil {
			return err
		}
		options.MinInterval, options.MaxInterval = *every, 2**every
		for event, err := range t.client.Events.Tail(ctx, t.args[0], options) {
			if err != nil {
				return err
			}
			if err := output.Line(t.Printer, event); err != nil {
				return err
			}
		}
		return nil
	})
	return c
}

// intervalFlag says how often to poll; the service asks for 30 to 60 s.
func intervalFlag(c *cobra.Command) *time.Duration {
	return c.Flags().Duration("interval", 30*time.Second, "ask again after that `time`, up to twice as long")
}
