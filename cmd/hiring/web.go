package main

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"os/exec"
	"runtime"
	"strings"

	"github.com/spf13/cobra"

	"github.com/hiring-assessment/hiring-go/cmd/hiring/internal/output"
)

// envDashboard is the variable with the dashboard's address.
const envDashboard = "HIRING_DASHBOARD_URL"

// withWeb adds the flag --web to a command about one kind of resource.
func (a *app) withWeb(kind string, c *cobra.Command) *cobra.Command {
	web := c.Flags().BoolP("web", "w", false, "open the dashboard in the browser instead")
	run := c.RunE
	c.RunE = func(c *cobra.Command, args []string) error {
		if !*web {
			return run(c, args)
		}
		id := ""
		if len(args) > 0 {
			id = args[0]
		}
		return a.openDashboard(c.Context(), kind, id)
	}
	return c
}

// openDashboard opens the configured dashboard. The API does not name its address.
func (a *app) openDashboard(ctx context.Context, kind, id string) error {
	address, err := a.dashboard()
	if err != nil {
		return err
	}
	if address == "" {
		return adviceError{usagef("The address of the dashboard is not known"),
			"Set it with hiring profile set dashboard_url <url>, or in " + envDashboard}
	}
	if err := checkDashboard(address); err != nil {
		return usageError{err}
	}
	page := dashboardPage(address, kind, id)
	if !a.out.Terminal { // Scripts read the address.
		_, err := a.out.Write([]byte(page + "\n"))
		return err
	}
	if err := a.browse(ctx, page); err != nil {
		return adviceError{err, "Open " + output.Clean(page) + " yourself"}
	}
	return a.printDone("Opened " + output.Clean(page) + ".")
}

// dashboard returns the configured address, or "".
func (a *app) dashboard() (string, error) {
	if a.flags.sandbox {
		return "", nil
	}
	if own := a.getenv(envDashboard); a.flags.profile == "" && (own != "" || a.getenv(envBaseURL) != "") {
		return own, nil // The profile's dashboard may belong to another organization.
	}
	_, _, p, err := a.chosenProfile()
	if errors.Is(err, errNoProfile) {
		return "", nil
	}
	return p.DashboardURL, err
}

// dashboardPage replaces {kind} and {id} in an address. Without an id, the address ends
// before {id}.
func dashboardPage(address, kind, id string) string {
	page := strings.ReplaceAll(address, "{kind}", kind)
	if before, _, found := strings.Cut(page, "{id}"); found && id == "" {
		return strings.TrimRight(before, "/?#=&")
	}
	return strings.ReplaceAll(page, "{id}", url.PathEscape(id))
}

// checkDashboard accepts http and https only, because other schemes start other programs.
func checkDashboard(address string) error {
	u, err := url.Parse(strings.NewReplacer("{kind}", "kind", "{id}", "id").Replace(address))
	if err != nil || u.Scheme != "https" && u.Scheme != "http" || u.Host == "" || u.User != nil {
		return usagef("The dashboard's address must be an https URL, as in https://app.example.com/{kind}/{id}")
	}
	return nil
}

// browse opens a page in the user's browser.
func (a *app) browse(ctx context.Context, page string) error {
	command := []string{"xdg-open"}
	switch own := a.getenv("BROWSER"); {
	case own != "":
		command = []string{own}
	case runtime.GOOS == "darwin":
		command = []string{"open"}
	case runtime.GOOS == "windows":
		command = []string{"rundll32", "url.dll,FileProtocolHandler"}
	}
	if err := exec.CommandContext(ctx, command[0], append(command[1:], page)...).Run(); err != nil { //nolint:gosec // the user's browser
		return fmt.Errorf("The browser could not be started: %w", err)
	}
	return nil
}
