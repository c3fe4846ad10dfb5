package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/hiring-assessment/hiring-go/cmd/hiring/internal/output"
)

// window is the state of a rate limit.
type window struct {
	Class     string    `json:"class"`
	Limit     int       `json:"limit"`
	Remaining int       `json:"remaining"`
	Reset     time.Time `json:"reset"`
}

func (a *app) quotaCommand() *cobra.Command {
	c := command("quota", "Show how many requests the key has left this hour", "rate-limit")
	c.RunE = a.withTask(func(ctx context.Context, t task) error {
		if _, err := t.client.Account.Get(ctx); err != nil {
			return err
		}
		read := t.client.Quota().Read
		if !read.Known() {
			return errors.New("The response does not say the rate limit: a proxy may have removed its headers")
		}
		windows := output.Of(window{Class: "read", Limit: read.Limit, Remaining: read.Remaining, Reset: read.Reset.UTC()})
		err := output.List(t.Printer, output.Table[window]{Shown: []string{"class", "remaining", "limit", "reset"}}, windows)
		if err == nil {
			_, err = fmt.Fprintln(a.err, "The API reports the rate limit for writes, usually 200 an hour, only in the response to a write.\n"+
				"Add --debug to the next write to see what is left. hiring account shows the invitations that the plan has left.")
		}
		return err
	})
	return c
}
