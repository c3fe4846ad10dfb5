package main

import (
	"cmp"
	"errors"
	"strings"

	"github.com/spf13/cobra"

	hiring "github.com/hiring-assessment/hiring-go"
	"github.com/hiring-assessment/hiring-go/cmd/hiring/internal/output"
	"github.com/hiring-assessment/hiring-go/cmd/hiring/internal/profile"
)

// connectionStatus is the server and the key that commands use.
type connectionStatus struct {
	Server      string   `json:"server"`
	Environment string   `json:"environment"` // Of the key: live, test or unknown.
	Source      string   `json:"source"`
	KeyIn       string   `json:"key_in"`
	NotUsed     []string `json:"not_used"` // Other configured servers.
}

func (a *app) profileStatusCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "status",
		Short: "Show the server and the kind of key that commands use, and where they come from",
		Long: `Show the server and the kind of key that commands use, where both come from, and which
other configuration is not used. The command sends no request; hiring account checks the key.`,
		RunE: func(*cobra.Command, []string) error {
			printer, err := a.printer()
			if err != nil {
				return err
			}
			status, err := a.status()
			if errors.Is(err, errNoConnection) {
				own, _ := errors.AsType[adviceError](err)
				return adviceError{errors.New(strings.TrimSuffix(errorText(err), ".")), own.advice}
			}
			if err != nil {
				return err
			}
			return output.One(printer, output.Table[connectionStatus]{Shown: []string{"server", "environment", "source", "key_in", "not_used"}}, status)
		},
	}
}

func (a *app) status() (connectionStatus, error) {
	c, err := a.connection()
	if err != nil {
		return connectionStatus{}, err
	}
	client, err := c.client()
	if err != nil {
		return connectionStatus{}, adviceError{err, "The server and the key come from " + c.Origin}
	}
	s := connectionStatus{Server: c.BaseURL, Source: c.Origin, KeyIn: c.KeyIn, Environment: string(cmp.Or(client.Environment(), hiring.Environment("unknown")))}
	if s.Source != variables && a.getenv(envBaseURL) != "" && a.getenv(envKey) != "" {
		s.NotUsed = append(s.NotUsed, variables)
	}
	if _, current, err := profile.Open().Names(); err == nil && current != "" && s.Source != "profile "+current {
		s.NotUsed = append(s.NotUsed, "profile "+current)
	}
	return s, nil
}
