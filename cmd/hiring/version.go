package main

import (
	"cmp"
	"runtime"
	"runtime/debug"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/hiring-assessment/hiring-go/cmd/hiring/internal/output"
)

// released and revision are the version and the commit of a release. The release script sets them.
var released, revision string

// buildVersion describes the build of the program.
type buildVersion struct {
	Version  string `json:"version"`
	Revision string `json:"revision"`
	Go       string `json:"go"`
	Platform string `json:"platform"`
}

// version returns the version of a program that the release script or go install ...@version has built, otherwise
// "development", and the commit of a release.
func version() buildVersion {
	v := buildVersion{Version: cmp.Or(released, "development"), Revision: revision, Go: runtime.Version(), Platform: runtime.GOOS + "/" + runtime.GOARCH}
	info, ok := debug.ReadBuildInfo()
	if ok && released == "" && info.Main.Sum != "" { // Of a module that was downloaded.
		v.Version = strings.TrimPrefix(info.Main.Version, "v")
	}
	return v
}

func (a *app) versionCommand() *cobra.Command {
	c := command("version", "Show the version of this program")
	c.RunE = a.withPrinter(func(_ *cobra.Command, printer *output.Printer, _ []string) error {
		return output.One(printer, output.Table[buildVersion]{Shown: []string{"version", "revision", "go", "platform"}}, version())
	})
	return c
}

// jsonTime returns a time as the API writes it, or nil for the zero time.
func jsonTime(t time.Time) any {
	if t.IsZero() {
		return nil
	}
	return t.UTC().Format("2006-01-02T15:04:05.000Z07:00")
}
