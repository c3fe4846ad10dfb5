package main

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"time"

	hiring "github.com/hiring-assessment/hiring-go"
)

// results is all that a report is made of.
type results struct {
	Assessment  hiring.Assessment
	Submissions []hiring.Submission // Each evaluated one with its report.
	Reads       int                 // What it cost.
	At          time.Time
}

// read costs one read for the assessment and one for each 100 submissions; if
// listings come without reports, which is not documented, one more for each of them.
func read(ctx context.Context, client *hiring.Client, assessmentID string) (all results, err error) {
	counted, err := client.With(hiring.WithObserver(func(context.Context, hiring.Exchange) { all.Reads++ }))
	if err != nil {
		return results{}, err
	}
	if all.Assessment, err = counted.Assessments.Get(ctx, assessmentID); err != nil {
		return results{}, err
	}
	filter := hiring.SubmissionFilter{AssessmentID: assessmentID}
	if all.Submissions, err = counted.Submissions.List(filter).Collect(ctx); err != nil {
		return results{}, err
	}
	for i := range all.Submissions {
		if err := complete(ctx, counted, &all.Submissions[i]); err != nil {
			return results{}, err
		}
	}
	return all, nil
}

// complete reads the report of an evaluated submission that was listed without it.
func complete(ctx context.Context, client *hiring.Client, submission *hiring.Submission) error {
	if submission.Report != nil || submission.Status != hiring.SubmissionEvaluated {
		return nil
	}
	report, err := client.Submissions.Report(ctx, submission.ID)
	if err != nil {
		return err
	}
	submission.Report = &report
	return nil
}

// write puts a file in its place, readable by its user only, whole or not at all.
func write(name string, text []byte) (err error) {
	file, err := os.CreateTemp(filepath.Dir(name), ".report-*") // With mode 0600.
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			_ = os.Remove(file.Name())
		}
	}()
	_, err = file.Write(text)
	if err = errors.Join(err, file.Sync(), file.Close()); err != nil {
		return err
	}
	return os.Rename(file.Name(), name)
}
