package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	hiring "github.com/hiring-assessment/hiring-go"
	"github.com/hiring-assessment/hiring-go/cmd/hiring/internal/files"
	"github.com/hiring-assessment/hiring-go/cmd/hiring/internal/output"
)

func (a *app) submissionsExportCommand() *cobra.Command {
	var filter hiring.SubmissionFilter
	c := &cobra.Command{
		Use:   "export <file>",
		Short: "Write all submissions with their reports to a file of JSON Lines",
		Long: `Write a line of JSON for each submission, with its report, to a file. The command waits
for as many rate-limit windows as it needs. After an interruption the same command
resumes; <file>.state holds the position and is removed at the end.`,
		Args: cobra.ExactArgs(1),
	}
	assessment := a.assessmentFilter(c, "only submissions of the assessment with this `id`")
	statusFlag(c, &filter)
	since := a.sinceFlag(c, "only submissions since a `time`, as in 2026-03-15; a relative time as in 7d cannot be resumed")
	c.RunE = func(c *cobra.Command, args []string) error {
		if strings.EqualFold(filepath.Ext(args[0]), ".csv") {
			return adviceError{usagef("export writes JSON Lines, not CSV: %s", args[0]), "For CSV, use hiring submissions list -o csv > file.csv"}
		}
		if err := checkStatus(filter.Status); err != nil {
			return err
		}
		if err := checkFile("<file>", args[0], "an interrupted export resumes from the file"); err != nil {
			return err
		}
		file, err := files.Target(args[0])
		if err != nil {
			return err
		}
		progress := a.err.Progress("exported")
		client, err := a.client(a.longRunOptions(progress)...)
		if err != nil {
			return err
		}
		filter.AssessmentID, filter.Since = *assessment, *since
		n, err := export(c.Context(), client.Submissions.List(filter), file, progress)
		progress.Clear()
		if err != nil {
			return err
		}
		if note := statusNote(filter.Status); n == 0 && note != "" {
			_, _ = fmt.Fprintln(a.err, output.Clean(note))
		}
		return a.printDone(fmt.Sprintf("Wrote %s to %s.", counted(n, "submission", "submissions"), output.Clean(args[0])))
	}
	return c
}

// exportState is the progress of an export. It is written before the output file is
// created. An output file without a state is complete or belongs to something else.
type exportState struct {
	Next  string `json:"next"`  // The resume token of the next page.
	Bytes int64  `json:"bytes"` // The size of the file after the pages before Next.
	Items int    `json:"items"`
	Done  bool   `json:"done"` // The file is complete, and only the state is left to remove.
}

// exportRun is one run of an export. It can be killed before, during and after each change
// on the disk.
type exportRun struct {
	file, stateFile string
	state           exportState
	change          func(func() error) error // Makes a change; tests stop here.
}

// export writes a list to a file and returns the number of submissions in it.
func export(ctx context.Context, list hiring.Pager[hiring.Submission], file string, progress *output.Progress) (int, error) {
	e := exportRun{file: file, stateFile: file + ".state", change: func(change func() error) error { return change() }}
	err := e.run(ctx, list, progress)
	return e.state.Items, err
}

func (e *exportRun) run(ctx context.Context, list hiring.Pager[hiring.Submission], progress *output.Progress) error {
	if err := e.begin(); err != nil {
		return err
	}
	if !e.state.Done {
		if err := e.pages(ctx, list, progress); err != nil {
			return err
		}
	}
	return e.change(func() error { return os.Remove(e.stateFile) })
}

// begin reads the state of an earlier run. It returns an error when the file is complete
// already or shorter than the state says.
func (e *exportRun) begin() error {
	if _, err := files.Target(e.stateFile); err != nil {
		return err
	}
	info, err := os.Stat(e.file)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	text, stateErr := os.ReadFile(e.stateFile)
	switch {
	case errors.Is(stateErr, os.ErrNotExist) && info != nil:
		return usagef("%s already exists: remove it or choose another file", e.file)
	case errors.Is(stateErr, os.ErrNotExist):
		return e.save()
	case stateErr == nil:
		stateErr = json.Unmarshal(text, &e.state)
	}
	if stateErr != nil {
		return usagef("%s cannot be read: %w. Remove it and %s to start over", e.stateFile, stateErr, e.file)
	}
	if e.state.Bytes > 0 && (info == nil || info.Size() < e.state.Bytes) {
		return usagef("%s is shorter than %s says. Remove both to start over", e.file, e.stateFile)
	}
	return nil
}

func (e *exportRun) save() error {
	return e.change(func() error { return writeJSONFile(e.stateFile, e.state) })
}

// pages writes the pages that the file does not have.
func (e *exportRun) pages(ctx context.Context, list hiring.Pager[hiring.Submission], progress *output.Progress) error {
	var to *os.File
	if err := e.change(func() (err error) { to, err = e.open(); return err }); err != nil {
		return err
	}
	defer func() { _ = to.Close() }()
	for page, err := range list.From(e.state.Next).Pages(ctx) {
		if err != nil {
			return err
		}
		if err := e.change(func() error { return appendItems(to, page.Items) }); err != nil {
			return err
		}
		e.state.Items, e.state.Next, e.state.Done = e.state.Items+len(page.Items), page.Next, page.Next == ""
		if e.state.Bytes, err = to.Seek(0, io.SeekCurrent); err != nil {
			return err
		}
		if err := e.save(); err != nil {
			return err
		}
		progress.Show(e.state.Items, 0, "")
	}
	return to.Close()
}

// open opens the file and removes a partial last page.
func (e *exportRun) open() (*os.File, error) {
	to, err := os.OpenFile(e.file, os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return nil, err
	}
	err = to.Truncate(e.state.Bytes)
	if err == nil {
		_, err = to.Seek(e.state.Bytes, io.SeekStart)
	}
	if err != nil {
		_ = to.Close()
	}
	return to, err
}

func appendItems(to *os.File, items []hiring.Submission) error {
	buffered := bufio.NewWriter(to)
	encoder := json.NewEncoder(buffered)
	encoder.SetEscapeHTML(false)
	for _, item := range items {
		if err := encoder.Encode(item); err != nil {
			return err
		}
	}
	if err := buffered.Flush(); err != nil {
		return err
	}
	return to.Sync()
}

func writeJSONFile(name string, value any) error {
	return files.Write(name, func(to *os.File) error { return json.NewEncoder(to).Encode(value) })
}
