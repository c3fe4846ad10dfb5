package main

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

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
resumes, with a key of the same organization. <file>.state holds the position and is
removed at the end.`,
	}
	assessment := a.assessmentFilter(c, "only submissions of this assessment: its id or `name`")
	statusFlag(c, &filter)
	since := a.sinceFlag(c, "only submissions since a `time`, as in 2026-03-15; a relative time as in 7d cannot be resumed")
	c.RunE = func(c *cobra.Command, args []string) error {
		if strings.EqualFold(filepath.Ext(args[0]), ".csv") {
			return adviceError{usagef("export writes JSON Lines, not CSV: %s", args[0]), "For CSV, use hiring submissions list -o csv > file.csv"}
		}
		if err := checkStatus(filter.Status); err != nil {
			return err
		}
		file, err := checkFile("<file>", args[0], "an interrupted export resumes from the file")
		if err != nil {
			return err
		}
		if err := needFolder(args[0], file); err != nil {
			return err
		}
		progress := a.err.Progress("exported")
		client, err := a.client(a.longRunOptions(progress)...)
		if err != nil {
			return err
		}
		filter.Since = *since
		if filter.AssessmentID, err = assessment.id(c.Context(), client); err != nil {
			return err
		}
		account, err := client.Account.Get(c.Context())
		if err != nil {
			return err
		}
		lock, err := files.TakeLock(file + ".lock")
		switch {
		case errors.Is(err, files.ErrLocked):
			return usagef("%s: another export is writing this file: wait until it has ended", args[0])
		case err != nil:
			return files.Named(args[0], err)
		}
		defer lock.Release()
		content := exportContent{Account: account.ID, Assessment: filter.AssessmentID, Status: filter.Status, Since: filter.Since.UTC()}
		n, err := export(c.Context(), client.Submissions.List(filter), args[0], file, content, progress)
		progress.Clear()
		if err != nil {
			return err
		}
		return a.printDone(fmt.Sprintf("Wrote %s to %s.", counted(n, "submission", "submissions"), output.Clean(args[0])))
	}
	return c
}

// exportContent is what an export writes. A run that resumes must write the same.
type exportContent struct {
	Account    string                  `json:"account"`
	Assessment string                  `json:"assessment"`
	Status     hiring.SubmissionStatus `json:"status"`
	Since      time.Time               `json:"since"`
}

// exportState is the progress of an export. It is written after the first page has arrived,
// before the output file is created. An output file without a state is complete or belongs
// to something else.
type exportState struct {
	Content exportContent `json:"content"`
	Next    string        `json:"next"`  // The resume token of the next page.
	Bytes   int64         `json:"bytes"` // The size of the file after the pages before Next.
	Sum     uint32        `json:"sum"`   // The checksum of these bytes.
	Items   int           `json:"items"`
	Done    bool          `json:"done"` // The file is complete, and only the state is left to remove.
}

// exportRun is one run of an export. It can be killed before, during and after each change
// on the disk.
type exportRun struct {
	name, file, stateFile string // name is the output file as the user named it.
	state                 exportState
	resumed               bool                     // An earlier run has left a state.
	change                func(func() error) error // Makes a change; tests stop here.
}

// export writes a list to a file and returns the number of submissions in it.
func export(
	ctx context.Context, list hiring.Pager[hiring.Submission], name, file string, content exportContent, progress *output.Progress,
) (int, error) {
	e := exportRun{name: name, file: file, stateFile: file + ".state", change: func(change func() error) error { return change() }}
	err := e.run(ctx, list, content, progress)
	return e.state.Items, err
}

func (e *exportRun) run(ctx context.Context, list hiring.Pager[hiring.Submission], content exportContent, progress *output.Progress) error {
	if err := e.begin(content); err != nil {
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
// already, and when the file or the content is not what the state describes.
func (e *exportRun) begin(content exportContent) error {
	if _, err := files.Target(e.stateFile); err != nil {
		return err
	}
	text, err := os.ReadFile(e.stateFile)
	if errors.Is(err, os.ErrNotExist) {
		e.state.Content = content
		if _, err := os.Stat(e.file); !errors.Is(err, os.ErrNotExist) {
			return cmp.Or(err, usagef("%s already exists: remove it or choose another file", e.name))
		}
		return nil
	}
	if err == nil {
		err = json.Unmarshal(text, &e.state)
	}
	if err != nil {
		return usagef("%s cannot be read: %w. Remove it and %s to start over", e.stateFile, err, e.name)
	}
	e.resumed = true
	switch was := e.state.Content; {
	case was.Account != content.Account:
		return adviceError{usagef("%s has submissions of another organization", e.name), "Use the key or the profile that began it, or choose another file"}
	case was != content:
		return adviceError{usagef("%s was begun with other filters", e.name), "Give the same --assessment, --status and --since, or choose another " +
			"file; a --since as in 7d is another time in each run"}
	case e.state.Done:
		return nil
	}
	return e.check()
}

// check returns an error unless the file has the pages that the state describes, followed
// by nothing but the beginning of a page.
func (e *exportRun) check() error {
	from, err := os.Open(e.file)
	if errors.Is(err, os.ErrNotExist) && e.state.Bytes == 0 {
		return nil
	}
	if err != nil {
		return usagef("%s cannot be read: %w. Remove %s to start over", e.name, err, e.stateFile)
	}
	defer func() { _ = from.Close() }()
	sum := crc32.NewIEEE()
	n, err := io.CopyN(sum, from, e.state.Bytes)
	if err != nil && !errors.Is(err, io.EOF) {
		return err
	}
	const begins = `{"id":"` // As each line does.
	rest := make([]byte, len(begins))
	partial, _ := io.ReadFull(from, rest)
	if n != e.state.Bytes || sum.Sum32() != e.state.Sum || !strings.HasPrefix(begins, string(rest[:partial])) {
		return usagef("%s was changed since it was begun. Move it away and remove %s to start over", e.name, e.stateFile)
	}
	return nil
}

func (e *exportRun) save() error {
	return e.change(func() error { return files.WriteJSON(e.stateFile, e.state) })
}

// pages writes the pages that the file does not have.
func (e *exportRun) pages(ctx context.Context, list hiring.Pager[hiring.Submission], progress *output.Progress) error {
	var to *os.File
	defer func() {
		if to != nil {
			_ = to.Close()
		}
	}()
	for page, err := range list.From(e.state.Next).Pages(ctx) {
		if err != nil {
			return err
		}
		if to == nil {
			if to, err = e.open(); err != nil {
				return err
			}
		}
		text, err := encodeItems(page.Items)
		if err != nil {
			return err
		}
		if err := e.change(func() error { return appendText(to, text) }); err != nil {
			return err
		}
		e.state.Items, e.state.Next, e.state.Done = e.state.Items+len(page.Items), page.Next, page.Next == ""
		e.state.Bytes, e.state.Sum = e.state.Bytes+int64(len(text)), crc32.Update(e.state.Sum, crc32.IEEETable, text)
		if err := e.save(); err != nil {
			return err
		}
		progress.Show(e.state.Items, 0, "")
	}
	return nil
}

// open creates the file, or removes the beginning of a page from it.
func (e *exportRun) open() (to *os.File, err error) {
	how := os.O_CREATE | os.O_WRONLY
	if !e.resumed {
		how |= os.O_EXCL
		if err := e.save(); err != nil {
			return nil, err
		}
	}
	err = e.change(func() (err error) { to, err = os.OpenFile(e.file, how, 0o600); return err })
	if err != nil {
		return nil, err
	}
	err = to.Truncate(e.state.Bytes)
	if err == nil {
		_, err = to.Seek(e.state.Bytes, io.SeekStart)
	}
	return to, err
}

func encodeItems(items []hiring.Submission) ([]byte, error) {
	var text bytes.Buffer
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false)
	for _, item := range items {
		if err := encoder.Encode(item); err != nil {
			return nil, err
		}
	}
	return text.Bytes(), nil
}

func appendText(to *os.File, text []byte) error {
	if _, err := to.Write(text); err != nil {
		return err
	}
	return to.Sync()
}
