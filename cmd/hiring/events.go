package main

import (
	"context"
	"iter"
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
		id, err := submissionID(ctx, t.client, t.args[0])
		return sized(t, t.client.Events.List(id, filter)), err
	})
}

func (a *app) eventsFollowCommand() *cobra.Command {
	var options hiring.TailOptions
	c := command("follow <submission>", "Write the events of an attempt as they happen, as JSON Lines", "tail")
	c.Flags().Int64Var(&options.SinceSeq, "since-seq", 0, "only events with a higher `seq`")
	every := intervalFlag(c)
	c.RunE = writeLines(a, eventTable(), func(ctx context.Context, t task) (iter.Seq2[hiring.Event, error], error) {
		options.MinInterval, options.MaxInterval = *every, 2**every
		id, err := submissionID(ctx, t.client, t.args[0])
		return t.client.Events.Tail(ctx, id, options), err
	})
	return c
}

// intervalFlag adds the polling interval. The API's documentation asks for 30 to 60 s.
func intervalFlag(c *cobra.Command) *time.Duration {
	return c.Flags().Duration("interval", 30*time.Second, "the `time` between two polls, up to twice as long (default 30s)")
}
