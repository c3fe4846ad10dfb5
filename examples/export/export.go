package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	hiring "github.com/hiring-assessment/hiring-go"
)

const submissionsFile = "submissions.jsonl"

// export copies an account into a folder of its own below the one that is named.
// The test mode of an account has another folder than its live one: it holds other
// data.
func export(ctx context.Context, client *hiring.Client, folder string, out io.Writer) error {
	account, err := client.Account.Get(ctx)
	if err != nil {
		return fmt.Errorf("account: %w", err)
	}
	name := string(client.Environment()) + "-" + account.ID
	dir, err := openFolder(folder, name)
	if err != nil {
		return err
	}
	defer func() { _ = dir.Close() }()
	if err := exportSubmissions(ctx, client, dir); err != nil {
		return fmt.Errorf("submissions: %w", err)
	}
	if err := exportEvents(ctx, client, dir); err != nil {
		return fmt.Errorf("events: %w", err)
	}
	if _, err := fmt.Fprintln(out, "exported to", filepath.Join(folder, name)); err != nil {
		return fmt.Errorf("print: %w", err)
	}
	return nil
}

// openFolder makes the folder if need be, readable by this user only. The ids of
// which file names are made come from outside; an os.Root keeps them in the folder.
func openFolder(folder, name string) (*os.Root, error) {
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return nil, err
	}
	parent, err := os.OpenRoot(folder)
	if err != nil {
		return nil, err
	}
	defer func() { _ = parent.Close() }()
	if err := parent.MkdirAll(name+"/events", 0o700); err != nil {
		return nil, err
	}
	return parent.OpenRoot(name)
}

func exportSubmissions(ctx context.Context, client *hiring.Client, dir *os.Root) error {
	return copyList(ctx, target{dir, submissionsFile}, client.Submissions.List(hiring.SubmissionFilter{}), withoutLink)
}

// withoutLink removes the signed link, with which anyone can download the archive.
func withoutLink(submission hiring.Submission) hiring.Submission {
	submission.WorkspaceArchiveURL = nil
	return submission
}

// exportEvents copies the log of each submission in the file. It reads the file
// instead of the list, which costs no requests and leaves out who came meanwhile.
func exportEvents(ctx context.Context, client *hiring.Client, dir *os.Root) error {
	file, err := dir.Open(submissionsFile)
	if err != nil {
		return err
	}
	defer func() { _ = file.Close() }() // It was only read.
	submissions := json.NewDecoder(file)
	for {
		var submission hiring.Submission
		err := submissions.Decode(&submission)
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("%s: %w", submissionsFile, err)
		}
		to := target{dir, "events/" + submission.ID + ".jsonl"}
		if err := copyList(ctx, to, client.Events.List(submission.ID, hiring.EventFilter{}), asItIs); err != nil {
			return err
		}
	}
}

func asItIs(event hiring.Event) hiring.Event { return event }
