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
	"github.com/hiring-assessment/hiring-go/cmd/hiring/internal/output"
)

func (a *app) submissionsExportCommand() *cobra.Command {
	var filter hiring.SubmissionFilter
	c := &cobra.Command{
		Use:   "export FILE",
		Short: "Write all submissions with their reports into a file of JSON Lines",
		Long: `Export writes a line of JSON for each submission, with its report, into FILE. It waits
for as many windows of the quota as it takes. Stopped at any moment, the same command
goes on where it was; FILE.state, which is removed at the end, says where that is.`,
		Args: cobra.ExactArgs(1),
	}
	c.Flags().StringVarP(&filter.AssessmentID, "assessment", "a", "", "only those of the assessment with this `id`")
	statusFlag(c, &filter)
	since := a.sinceFlag(c, "only those since that `time`, as in 2026-03-15; for a run that may be repeated, not as in 7d")
	c.RunE = func(c *cobra.Command, args []string) error {
		if strings.EqualFold(filepath.Ext(args[0]), ".csv") {
			return advised{usagef("export writes JSON Lines, and %s is called CSV", args[0]), "hiring submissions list -o csv > FILE.csv writes that"}
		}
		progress := a.err.Progress("exported")
		client, err := a.client(a.patience(progress)...)
		if err != nil {
			return err
		}
		filter.Since = *since
		n, err := export(c.Context(), client.Submissions.List(filter), args[0], progress)
		progress.Clear()
		if err != nil {
			return err
		}
		if note := statusNote(filter.Status); n == 0 && note != "" {
			_, _ = fmt.Fprintln(a.err, output.Clean(note))
		}
		return a.done(fmt.Sprintf("wrote %s into %s", counted(n, "submission", "submissions"), output.Clean(args[0])))
	}
	return c
}

// exportState is how far an export has come.
type exportState struct {
	Next  string `json:"next"`  // The token of the page that comes.
	Bytes int64  `json:"bytes"` // That the pages before take in the file.
	Items int    `json:"items"`
}

// export returns how many submissions the file holds.
func export(ctx context.Context, list hiring.Pager[hiring.Submission], file string, progress *output.Progress) (int, error) {
	stateFile := file + ".state"
	state, err := readExportState(file, stateFile)
	if err != nil {
		return 0, err
	}
	to, err := os.OpenFile(file, os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return 0, err
	}
	defer func() { _ = to.Close() }()
	if err := to.Truncate(state.Bytes); err != nil { // What a run that was killed wrote of its last page.
		return 0, err
	}
	if _, err := to.Seek(state.Bytes, io.SeekStart); err != nil {
		return 0, err
	}
	for page, err := range list.From(state.Next).Pages(ctx) {
		if err != nil {
			return state.Items, err
		}
		if err := appendItems(to, page.Items); err != nil {
			return state.Items, err
		}
		state.Items, state.Next = state.Items+len(page.Items), page.Next
		if state.Bytes, err = to.Seek(0, io.SeekCurrent); err != nil {
			return state.Items, err
		}
		if err := writeJSONFile(stateFile, state); err != nil {
			return state.Items, err
		}
		progress.Show(state.Items, 0, "")
	}
	return state.Items, errors.Join(to.Close(), os.Remove(stateFile))
}

// readExportState never lets a run write over a file that another one finished.
func readExportState(file, stateFile string) (state exportState, err error) {
	text, err := os.ReadFile(stateFile)
	if errors.Is(err, os.ErrNotExist) {
		if _, err := os.Stat(file); err == nil {
			return state, usagef("%s is there already: remove it, or name another file", file)
		}
		return state, nil
	}
	if err == nil {
		err = json.Unmarshal(text, &state)
	}
	if err != nil {
		return state, usagef("%s cannot be read; remove it and %s to begin anew: %w", stateFile, file, err)
	}
	return state, nil
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
	return writeFile(name, func(to *os.File) error { return json.NewEncoder(to).Encode(value) })
}
