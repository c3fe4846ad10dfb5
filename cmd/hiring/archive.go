package main

import (
	"cmp"
	"context"
	"errors"
	"io"
	"net/url"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	hiring "github.com/hiring-assessment/hiring-go"
	"github.com/hiring-assessment/hiring-go/cmd/hiring/internal/files"
	"github.com/hiring-assessment/hiring-go/cmd/hiring/internal/output"
)

func (a *app) submissionsArchiveCommand() *cobra.Command {
	var file string
	var force bool
	c := command("archive <submission>", "Download the workspace that a candidate submitted", "download")
	c.Flags().BoolVar(&force, "force", false, "replace a file that exists")
	c.Flags().StringVarP(&file, "file", "f", "", "the `file` to write (default <submission-id>.zip); - means standard output")
	c.RunE = a.withTask(func(ctx context.Context, t task) error {
		id, err := a.submissionID(ctx, t.client, t.args[0])
		if err != nil {
			return err
		}
		download := func(to io.Writer) error {
			_, err := t.client.Submissions.DownloadArchive(ctx, id, to)
			if errors.Is(err, hiring.ErrNoArchive) {
				return adviceError{err, "Nothing was submitted yet, the storage is not available, or the key is a test key"}
			}
			return err
		}
		if file == "-" {
			return download(a.out)
		}
		if file == "" && output.IsNewFile(a.out.Writer, a.err.Writer) {
			return adviceError{usagef("Standard output is a file, and the archive would be written to another"), "Use -f - for standard output, or -f <file>"}
		}
		isChosen := file == ""
		file = cmp.Or(file, url.QueryEscape(id)+".zip") // No separator of folders.
		if err := checkTarget(file, force); err != nil {
			return err
		}
		if !strings.EqualFold(filepath.Ext(file), ".zip") {
			a.warnOnce("The archive is a ZIP file, and the name " + file + " ends otherwise.")
		}
		err = files.Write(file, func(to *os.File) error { return download(to) })
		if err == nil && isChosen && !a.out.Terminal { // As in archive Ada | tar tz.
			a.warnOnce("Wrote " + file + "; -f - writes to standard output.")
			return nil
		}
		return a.printDone("Wrote "+output.Clean(file)+".", err)
	})
	return c
}

// checkTarget returns an error for a file that cannot be written, or exists and must not be replaced.
func checkTarget(name string, force bool) error {
	target, err := files.Target(name)
	if err != nil {
		return err
	}
	if _, err := os.Stat(target); err == nil && !force {
		return adviceError{usagef("%s exists", name), "--force replaces it"}
	}
	return nil
}
