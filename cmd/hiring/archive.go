package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/spf13/cobra"

	hiring "github.com/hiring-assessment/hiring-go"
	"github.com/hiring-assessment/hiring-go/cmd/hiring/internal/output"
)

func (a *app) submissionsArchiveCommand() *cobra.Command {
	var file string
	c := &cobra.Command{
		Use:   "archive ID",
		Short: "Download the workspace that a candidate handed in",
		Long: `Archive downloads the workspace that a candidate handed in, as a zip file. A download
that breaks off goes on where it stopped. There are none with a key of test mode.`,
		Args: cobra.ExactArgs(1),
	}
	c.Flags().StringVarP(&file, "file", "f", "", "the `file` to write, rather than ID.zip; - for standard output")
	c.RunE = a.does(func(ctx context.Context, t task) error {
		progress := a.err.Progress("KB downloaded:")
		download := func(to io.Writer) error {
			_, err := t.client.Submissions.DownloadArchive(ctx, t.args[0], io.MultiWriter(to, &meter{progress: progress}))
			progress.Clear()
			if errors.Is(err, hiring.ErrNoArchive) {
				return advised{err, "nothing was handed in yet, the storage is not available, or the key is of test mode"}
			}
			return err
		}
		if file == "-" {
			return download(a.out)
		}
		if file == "" {
			file = safeName(t.args[0]) + ".zip"
		}
		if err := writeFile(file, func(to *os.File) error { return download(to) }); err != nil {
			return err
		}
		return a.done("wrote " + output.Clean(file))
	})
	return c
}

// meter shows how many bytes went by.
type meter struct {
	progress *output.Progress
	bytes    int
}

func (m *meter) Write(b []byte) (int, error) {
	m.bytes += len(b)
	m.progress.Show(m.bytes>>10, 0, "")
	return len(b), nil
}

// safeName makes the name of a file of an id, whatever somebody gave as one.
func safeName(id string) string {
	clean := []byte(id)
	for i, b := range clean {
		if (b < 'a' || b > 'z') && (b < 'A' || b > 'Z') && (b < '0' || b > '9') && b != '-' {
			clean[i] = '_'
		}
	}
	return fmt.Sprintf("%.100s", clean)
}
