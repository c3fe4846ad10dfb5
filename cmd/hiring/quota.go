package main

import (
	"context"
	"fmt"
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
		RunE: a.withTask(func(ctx context.Context, t task) error {
			if _, err := t.client.Account.Get(ctx); err != nil {
				return err
			}
			quota := t.client.Quota()
			windows := output.Of(newWindow("read", quota.Read), newWindow("write", quota.Write))
			err := output.List(t.Printer, output.Table[window]{Shown: []string{"class", "remaining", "limit", "reset"}}, windows)
			if err == nil && !quota.Write.Known() {
				_, err = fmt.Fprintln(a.err, "The API reports the rate limit for writes, usually 200 an hour, only in the response to a write.\n"+
					"Add --debug to the next write to see what is left.")
			}
			return err
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
