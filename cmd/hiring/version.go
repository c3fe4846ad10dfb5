package main

import (
	"runtime"
	"runtime/debug"
	"time"

	"github.com/spf13/cobra"

	hiring "github.com/hiring-assessment/hiring-go"
	"github.com/hiring-assessment/hiring-go/cmd/hiring/internal/output"
)

// buildVersion describes the build of the program.
type buildVersion struct {
	Version  string `json:"version"`
	Revision string `json:"revision"`
	SDK      string `json:"sdk"`
	Go       string `json:"go"`
	Platform string `json:"platform"`
}

// version reads the build information of the program.
func version() buildVersion {
	v := buildVersion{Version: "devel", SDK: hiring.Version, Go: runtime.Version(), Platform: runtime.GOOS + "/" + runtime.GOARCH}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return v
	}
	if built := info.Main.Version; built != "" && built != "(devel)" {
		v.Version = built
	}
	for _, setting := range info.Settings {
		if setting.Key == "vcs.revision" {
			v.Revision = setting.Value
		}
	}
	return v
}

func (a *app) versionCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "version",
		Short: "Show the version of this program",
		Args:  cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			printer, err := a.printer()
			if err != nil {
				return err
			}
			return output.One(printer, output.Table[buildVersion]{
				Shown: []string{"version", "revision", "sdk", "go", "platform"},
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
