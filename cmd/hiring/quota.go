package main

import (
	"context"
	"time"

	"github.com/spf13/cobra"

	hiring "github.com/hiring-assessment/hiring-go"
	"github.com/hiring-assessment/hiring-go/cmd/hiring/internal/output"
)

// window is the state of a rate limit. Members that are not known are null.
type window struct {
	Class     string     `json:"class"`
	Limit     *int       `json:"limit"`
	Remaining *int       `json:"remaining"`
	Reset     *time.Time `json:"reset"`
}

func (a *app) quotaCommand() *cobra.Command {
	return &cobra.Command{
		Use:     "quota",
		Aliases: []string{"rate-limit"},
		Short:   "Show how many requests the key has left this hour",
		Long: `Show the key's two hourly rate limits. The command costs one read. The API reports the
rate limit for writes only in responses to writes.`,
		RunE: a.withTask(func(ctx context.Context, t task) error {
			if _, err := t.client.Account.Get(ctx); err != nil {
				return err
			}
			quota := t.client.Quota()
			return output.List(t.Printer, output.Table[window]{
				Shown: []string{"class", "remaining", "limit", "reset"},
				Own: map[string]func(window) any{
					"remaining": func(w window) any { return orNotKnown(w.Remaining) },
					"limit":     func(w window) any { return orNotKnown(w.Limit) },
				},
			}, output.Of(newWindow("read", quota.Read), newWindow("write", quota.Write)), output.Selection{})
		}),
	}
}

func newWindow(class string, limit hiring.RateLimit) window {
	if !limit.Known() {
		return window{Class: class}
	}
	reset := limit.Reset.UTC()
	return window{Class: class, Limit: &limit.Limit, Remaining: &limit.Remaining, Reset: &reset}
}

func orNotKnown(n *int) any {
	if n == nil {
		return "not known"
	}
	return *n
}
