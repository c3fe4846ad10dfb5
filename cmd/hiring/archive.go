package main

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"sync/atomic"

	"github.com/spf13/cobra"

	hiring "github.com/hiring-assessment/hiring-go"
	"github.com/hiring-assessment/hiring-go/cmd/hiring/internal/files"
	"github.com/hiring-assessment/hiring-go/cmd/hiring/internal/output"
)

func (a *app) submissionsArchiveCommand() *cobra.Command {
	var file string
	c := &cobra.Command{
		Use:     "archive <submission-id>",
		Aliases: []string{"download"},
		Short:   "Download the workspace that a candidate submitted",
		Long: `Download the workspace that a candidate submitted, as a zip file. An interrupted
download is resumed. With a test key there are no archives.`,
		Args:              cobra.ExactArgs(1),
		ValidArgsFunction: a.complete(submissionIDs),
	}
	c.Flags().StringVarP(&file, "file", "f", "", "the `file` to write (default <submission-id>.zip); - means standard output")
	c.RunE = func(c *cobra.Command, args []string) error {
		if err := checkTarget(file); err != nil {
			return err
		}
		through, err := a.connection()
		if err != nil {
			return err
		}
		meter := &archiveMeter{next: cmp.Or(through.Transport, http.DefaultTransport), progress: a.err.Progress("KB downloaded:")}
		through.Transport = meter
		client, err := a.connect(through)
		if err != nil {
			return err
		}
		download := func(to io.Writer) error {
			_, err := client.Submissions.DownloadArchive(c.Context(), args[0], io.MultiWriter(to, meter))
			meter.progress.Clear()
			if errors.Is(err, hiring.ErrNoArchive) {
				return adviceError{err, "Nothing was submitted yet, the storage is not available, or the key is a test key"}
			}
			return err
		}
		if file == "-" {
			return download(a.out)
		}
		if file == "" {
			file = safeName(args[0]) + ".zip"
		}
		if err := files.Write(file, func(to *os.File) error { return download(to) }); err != nil {
			return err
		}
		return a.printDone("Wrote " + output.Clean(file) + ".")
	}
	return c
}

// archiveMeter shows how many kilobytes of an archive have arrived. It takes the size from
// the storage's response, because the client does not return it. The request to the
// storage is the only one without the key.
type archiveMeter struct {
	next     http.RoundTripper
	progress *output.Progress
	arrived  int64
	size     atomic.Int64 // 0 means unknown.
}

// Write counts the bytes of the archive.
func (m *archiveMeter) Write(b []byte) (int, error) {
	m.arrived += int64(len(b))
	m.progress.Show(kilobytes(m.arrived), kilobytes(m.size.Load()), "")
	return len(b), nil
}

// RoundTrip passes requests and responses on unchanged.
func (m *archiveMeter) RoundTrip(r *http.Request) (*http.Response, error) {
	response, err := m.next.RoundTrip(r)
	if err == nil && r.Header.Get("Authorization") == "" && response.StatusCode == http.StatusOK {
		m.size.Store(max(response.ContentLength, 0))
	}
	return response, err
}

// kilobytes rounds up, so that the last value equals the total.
func kilobytes(bytes int64) int { return int((bytes + 1023) / 1024) }

// safeName replaces all characters of an id that are not safe in a file name.
func safeName(id string) string {
	clean := []byte(id)
	for i, b := range clean {
		if (b < 'a' || b > 'z') && (b < 'A' || b > 'Z') && (b < '0' || b > '9') && b != '-' {
			clean[i] = '_'
		}
	}
	return fmt.Sprintf("%.100s", clean)
}
