package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"time"
	"unicode"
	"unicode/utf16"

	hiring "github.com/hiring-assessment/hiring-go"
)

// watch writes results until the context ends.
func watch(ctx context.Context, client *hiring.Client, options hiring.WatchOptions, out io.Writer) error {
	for submission, err := range client.Submissions.Watch(ctx, options) {
		if err == nil {
			err = ctx.Err() // After SIGTERM. The next run begins with this submission.
		}
		if err != nil {
			return err
		}
		// The checkpoint records this submission when the loop asks for the next one. Its line must be on the disk by
		// then, or a crash loses it. A crash before then repeats it.
		if err := write(out, submission); err != nil {
			return err
		}
	}
	return nil
}

// once writes what is new since the last run. Cron runs it again.
func once(ctx context.Context, client *hiring.Client, options hiring.WatchOptions, out io.Writer) error {
	checkpoint := options.Checkpoint
	options.Checkpoint = nil // Poll takes and returns its state.
	state, err := checkpoint.Load(ctx)
	for err == nil {
		polled, pollErr := client.Submissions.Poll(ctx, options, state)
		// Results from before an error are returned with it. The state is saved after their lines, also when a signal
		// arrives in between.
		if err = write(out, polled.Submissions...); err == nil && polled.State != "" {
			err = checkpoint.Save(context.WithoutCancel(ctx), polled.State)
		}
		if err == nil && (pollErr != nil || polled.Wait > 0) {
			return pollErr
		}
		state = polled.State
	}
	return err
}

// result is a line. Consumers recognise repeated lines by submission_id.
type result struct {
	SubmissionID   string         `json:"submission_id"`
	AssessmentID   string         `json:"assessment_id"`
	CandidateEmail string         `json:"candidate_email"`
	CandidateName  string         `json:"candidate_name"`
	EvaluatedAt    *time.Time     `json:"evaluated_at"`
	ShipScore      *int           `json:"ship_score"` // Null: not enough data, which does not mean 0.
	Verdict        hiring.Verdict `json:"verdict"`
}

// write writes a line for each submission.
func write(out io.Writer, submissions ...hiring.Submission) error {
	for _, s := range submissions {
		line := result{s.ID, s.AssessmentID, s.Candidate.Email, s.Candidate.Name, s.EvaluatedAt, nil, ""}
		if s.Report != nil { // There is none if it cannot be read or the submission was deleted.
			line.ShipScore, line.Verdict = s.Report.ShipScore, s.Report.Verdict
		}
		text, err := json.Marshal(line)
		if err == nil {
			_, err = out.Write(append(escape(text), '\n'))
		}
		if err != nil {
			return fmt.Errorf("results cannot be written: %w", err)
		}
		slog.Info("delivered", "submission", s.ID, "report", s.Report != nil)
	}
	return nil
}

// escape replaces characters that a terminal would execute with their JSON escapes: names come from outside.
func escape(text []byte) (b []byte) {
	for _, r := range string(text) {
		if unicode.IsGraphic(r) {
			b = append(b, string(r)...)
			continue
		}
		for _, unit := range utf16.AppendRune(nil, r) {
			b = fmt.Appendf(b, `\u%04x`, unit)
		}
	}
	return b
}

// openOutput opens the file to append to, or uses standard output. A line is on the disk when its write to a file returns.
func openOutput(set settings, stdout *os.File) (*os.File, error) {
	if set.out == "" {
		null, nullErr := os.Stat(os.DevNull)
		info, err := stdout.Stat()
		if set.watch.Checkpoint != nil && (err != nil || nullErr == nil && os.SameFile(info, null)) { // Go opens it in the place of a closed one.
			return nil, errors.New("standard output is closed or the null device: results would be lost; name a file with -out")
		}
		return stdout, nil
	}
	out, err := os.OpenFile(set.out, os.O_RDWR|os.O_CREATE|os.O_APPEND|os.O_SYNC, 0o600)
	if err != nil {
		return nil, err
	}
	end := []byte{'\n'}
	if _, seekErr := out.Seek(-1, io.SeekEnd); seekErr == nil { // It is neither empty nor a pipe.
		_, err = out.Read(end)
	}
	if errors.Is(err, io.EOF) { // A device.
		err = nil
	}
	if err == nil && end[0] != '\n' { // A crash or a full disk cut the last line. Its submission is delivered again.
		_, err = out.WriteString("\n")
	}
	return out, err
}
