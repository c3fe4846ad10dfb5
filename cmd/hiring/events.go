package main

import (
	"cmp"
	"context"
	"iter"
	"math"
	"time"

	"github.com/spf13/cobra"

	hiring "github.com/hiring-assessment/hiring-go"
	"github.com/hiring-assessment/hiring-go/cmd/hiring/internal/output"
)

func (a *app) eventsCommand() *cobra.Command {
	return group("events", "event", "Show the event log of an attempt (prompts, AI responses, edits, test runs)",
		a.eventsListCommand(), a.eventsFollowCommand())
}

func eventTable() output.Table[hiring.Event] {
	return output.Table[hiring.Event]{
		Things: "events",
		Shown:  []string{"seq", "time", "kind", "payload"},
		Own:    map[string]func(hiring.Event) any{"time": func(event hiring.Event) any { return jsonTime(event.Time()) }},
	}
}

func (a *app) eventsListCommand() *cobra.Command {
	var filter hiring.EventFilter
	c := command("list <submission>", "List the events of an attempt")
	c.Flags().Int64Var(&filter.SinceSeq, "since-seq", 0, "only events with a higher `seq`")
	return listCommand(a, c, eventTable(), func(ctx context.Context, t task) (hiring.Pager[hiring.Event], error) {
		id, err := a.submissionID(ctx, t.client, t.args[0])
		return sized(t, t.client.Events.List(id, filter)), err
	})
}

func (a *app) eventsFollowCommand() *cobra.Command {
	var options hiring.TailOptions
	c := command("follow <submission>", "Write the events of an attempt as they happen, as JSON Lines", "tail")
	c.Flags().Int64Var(&options.SinceSeq, "since-seq", 0, "only events with a higher `seq`")
	between := a.intervalFlag(c)
	c.RunE = writeLines(a, eventTable(), func(ctx context.Context, t task) (iter.Seq2[hiring.Event, error], error) {
		options.MinInterval, options.MaxInterval = between()
		id, err := a.submissionID(ctx, t.client, t.args[0])
		return t.client.Events.Tail(ctx, id, options), err
	})
	return c
}

// intervalFlag adds the polling interval, and returns a function that returns its bounds. The API's documentation asks for 30
// to 60 s. A shorter time limit has several polls, too: the last one comes in its last quarter.
func (a *app) intervalFlag(c *cobra.Command) func() (shortest, longest time.Duration) {
	every := c.Flags().Duration("interval", 30*time.Second, "the `time` between two polls, up to twice as long, and at most a quarter of --timeout (default 30s)")
	return func() (shortest, longest time.Duration) {
		most := cmp.Or(a.flags.timeout/4, math.MaxInt64)
		return min(*every, most), min(2**every, most)
	}
}
