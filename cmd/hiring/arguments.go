package main

import (
	"context"
	"net/url"
	"regexp"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/hiring-assessment/hiring-go/cmd/hiring/internal/profile"
)

// typedKey finds a key in an argument, but not the prefix alone.
var typedKey = regexp.MustCompile(`sk_(live|test)_[A-Za-z0-9_-]{6}`)

// checkArguments refuses a key in any argument before anything is sent: as part of a path
// or a query it would be logged on the way.
func (a *app) checkArguments() error {
	for _, argument := range a.args {
		if typedKey.MatchString(argument) || typedKey.MatchString(decoded(argument)) {
			return errKeyInArgument()
		}
	}
	return nil
}

// refuseKey refuses an argument that contains the key of the connection, whatever a key
// looks like there.
func (a *app) refuseKey(key string) error {
	for _, argument := range a.args {
		if key != "" && (strings.Contains(argument, key) || strings.Contains(decoded(argument), key)) {
			return errKeyInArgument()
		}
	}
	return nil
}

// decoded resolves percent encoding, also where it was applied twice.
func decoded(text string) string {
	for range 2 {
		plain, err := url.PathUnescape(text)
		if err != nil {
			break
		}
		text = plain
	}
	return text
}

func errKeyInArgument() error {
	return advised{
		usagef("An argument looks like a key. Never give a key as an argument: the shell's history and the process list show it"),
		"Nothing was sent. Revoke the key in the dashboard",
	}
}

// prepare checks the global flags before any command runs, and begins the time limit.
func (a *app) prepare(c *cobra.Command) error {
	if c.Flags().Changed("profile") {
		if err := a.checkProfile(); err != nil {
			return err
		}
	}
	switch timeout := c.Flags().Changed("timeout"); {
	case timeout && a.flags.timeout <= 0:
		return usagef("--timeout: give a duration above 0, as in 20s")
	case timeout:
		a.limit(c, a.flags.timeout)
	}
	return nil
}

// limit ends the command's context after a time.
func (a *app) limit(c *cobra.Command, after time.Duration) {
	ctx, cancel := context.WithTimeout(c.Context(), after)
	context.AfterFunc(ctx, cancel)
	a.ctx = ctx
	c.SetContext(ctx)
}

// checkProfile refuses an unknown profile, also for a command that needs none.
func (a *app) checkProfile() error {
	switch {
	case a.flags.profile == "":
		return usagef("--profile: give the name of a profile")
	case a.flags.sandbox:
		return usagef("--sandbox and --profile exclude each other")
	}
	store, err := profile.Open()
	if err != nil {
		return err
	}
	if _, _, err := store.Get(a.flags.profile); err != nil {
		return profileError(store, a.flags.profile, err)
	}
	return nil
}
