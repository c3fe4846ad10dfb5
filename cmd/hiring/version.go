package main

import (
	"runtime"
	"runtime/debug"
	"time"

	"github.com/spf13/cobra"

	hiring "github.com/hiring-assessment/hiring-go"
	"github.com/hiring-assessment/hiring-go/cmd/hiring/internal/output"
)

// revision is the commit of a release. The release script sets it; other builds have it in
// their build information.
var revision string

// buildVersion describes the build of the program. Version is that of the SDK, because both
// are released together.
type buildVersion struct {
	Version  string `json:"version"`
	Revision string `json:"revision"`
	Go       string `json:"go"`
	Platform string `json:"platform"`
}

// version returns the version of the program and the commit that it was built from.
func version() buildVersion {
	v := buildVersion{Version: hiring.Version, Revision: revision, Go: runtime.Version(), Platform: runtime.GOOS + "/" + runtime.GOARCH}
	if info, ok := debug.ReadBuildInfo(); ok && v.Revision == "" {
		for _, setting := range info.Settings {
			if setting.Key == "vcs.revision" {
				v.Revision = setting.Value
			}
		}
	}
	return v
}

func (a *app) versionCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "version",
		Short: "Show the version of this program",
		RunE: func(*cobra.Command, []string) error {
			printer, err := a.printer()
			if err != nil {
				return err
			}
			return output.One(printer, output.Table[buildVersion]{
				Shown: []string{"version", "revision", "go", "platform"},
			}, version())
		},
	}
}

// jsonTime returns a time as the API writes it, or nil for the zero time.
func jsonTime(t time.Time) any {
	if t.IsZero() {
		return nil
	}
	return t.UTC().Format("2006-01-02T15:04:05.000Z07:00")
}
