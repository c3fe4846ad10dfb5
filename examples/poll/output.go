package main

import (
	"bytes"
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

// result is a line. Consumers recognise repeated lines by submission_id.
type result struct {
	SubmissionID    string                  `json:"submission_id"`
	AssessmentID    string                  `json:"assessment_id"`
	CandidateEmail  string                  `json:"candidate_email"`
	CandidateName   string                  `json:"candidate_name"`
	Status          hiring.SubmissionStatus `json:"status"`
	EvaluatedAt     *time.Time              `json:"evaluated_at"`
	ShipScore       *int                    `json:"ship_score"` // Null: not enough data, which does not mean 0.
	Verdict         hiring.Verdict          `json:"verdict"`
	VerdictLabel    string                  `json:"verdict_label"`
	Confidence      hiring.Confidence       `json:"confidence"`
	IntegrityStatus hiring.IntegrityStatus  `json:"integrity_status"`
	Pillars         map[hiring.PillarID]int `json:"pillars"` // Without those that have not enough data.
}

func resultOf(s hiring.Submission) result {
	r := result{
		SubmissionID: s.ID, AssessmentID: s.AssessmentID, CandidateEmail: s.Candidate.Email, CandidateName: s.Candidate.Name,
		Status: s.Status, EvaluatedAt: s.EvaluatedAt, Pillars: make(map[hiring.PillarID]int),
	}
	if s.Report == nil { // It cannot be read, or the submission was deleted.
		return r
	}
	if score, ok := s.Report.Score(); ok {
		r.ShipScore = &score
	}
	r.Verdict, r.VerdictLabel = s.Report.Verdict, s.Report.VerdictLabel
	r.Confidence, r.IntegrityStatus = s.Report.Confidence, s.Report.IntegrityStatus
	for _, pillar := range s.Report.Pillars {
		if score, ok := pillar.ReliableScore(); ok {
			r.Pillars[pillar.ID] = score
		}
	}
	return r
}

// output receives the lines.
type output struct {
	io.Writer

	sync func() error // Waits until the lines are on the disk.
}

// openOutput opens the file to append to, or uses standard output.
func openOutput(set settings, stdout *os.File) (*output, error) {
	if set.out == "" {
		if set.watch.Checkpoint != nil && isNull(stdout) {
			return nil, errors.New("standard output is closed or the null device: results would be lost; name a file with -out")
		}
		return &output{stdout, func() error { return nil }}, nil
	}
	file, err := os.OpenFile(set.out, os.O_RDWR|os.O_CREATE|os.O_APPEND, 0o600)
	if err != nil {
		return nil, err
	}
	if err := cutTornLine(file); err != nil {
		return nil, errors.Join(err, file.Close())
	}
	return &output{file, file.Sync}, nil
}

// isNull reports whether a file is the null device. The Go runtime opens it in the place of a closed standard output.
func isNull(file *os.File) bool {
	null, nullErr := os.Stat(os.DevNull)
	info, err := file.Stat()
	return err != nil || nullErr == nil && os.SameFile(info, null)
}

// longestLine is far beyond the length of a line.
const longestLine = 1 << 20

// cutTornLine removes the line that a crash or a full disk has left incomplete. Its submission is yielded again.
func cutTornLine(file *os.File) error {
	info, err := file.Stat()
	if err != nil {
		return err
	}
	end := make([]byte, min(info.Size(), longestLine))
	if _, err := file.ReadAt(end, info.Size()-int64(len(end))); err != nil {
		return err
	}
	torn := end[bytes.LastIndexByte(end, '\n')+1:]
	switch {
	case len(torn) == 0:
		return nil
	case torn[0] != '{' || len(torn) == longestLine:
		return fmt.Errorf("%s does not end with a line of this program: choose another file", file.Name())
	}
	return file.Truncate(info.Size() - int64(len(torn)))
}

// write returns when the lines are written and, in a file, on the disk.
func (o *output) write(submissions ...hiring.Submission) error {
	var lines bytes.Buffer
	encoder := json.NewEncoder(&lines)
	encoder.SetEscapeHTML(false)
	for _, submission := range submissions {
		if err := encoder.Encode(resultOf(submission)); err != nil {
			return err
		}
	}
	if lines.Len() == 0 {
		return nil
	}
	_, err := o.Write(escape(lines.String()))
	if err == nil {
		err = o.sync()
	}
	if err != nil {
		return fmt.Errorf("results cannot be written: %w", err)
	}
	for _, submission := range submissions {
		slog.Info("delivered", "submission", submission.ID, "report", submission.Report != nil)
	}
	return nil
}

// escape replaces characters that a terminal would execute with their JSON escapes: names come from outside.
func escape(lines string) (b []byte) {
	for _, r := range lines {
		if unicode.IsGraphic(r) || r == '\n' {
			b = append(b, string(r)...)
			continue
		}
		for _, unit := range utf16.AppendRune(nil, r) {
			b = fmt.Appendf(b, `\u%04x`, unit)
		}
	}
	return b
}
