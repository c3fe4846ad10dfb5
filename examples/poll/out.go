package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"

	hiring "github.com/hiring-assessment/hiring-go"
)

// result is what a line holds. Consumers tell repeated lines by submission_id.
type result struct {
	SubmissionID    string                  `json:"submission_id"`
	AssessmentID    string                  `json:"assessment_id"`
	CandidateEmail  string                  `json:"candidate_email"` // As in the invitation: leads to the consumer's own record.
	CandidateName   string                  `json:"candidate_name"`
	Status          hiring.SubmissionStatus `json:"status"`
	EvaluatedAt     *time.Time              `json:"evaluated_at"`
	ShipScore       *int                    `json:"ship_score"`
	Verdict         hiring.Verdict          `json:"verdict"`
	VerdictLabel    string                  `json:"verdict_label"`
	Confidence      hiring.Confidence       `json:"confidence"`
	IntegrityStatus hiring.IntegrityStatus  `json:"integrity_status"`
	Pillars         []pillar                `json:"pillars"`
}

type pillar struct {
	ID    hiring.PillarID `json:"id"`
	Label string          `json:"label"`
	Score *int            `json:"score"` // Null: not enough data, which does not mean 0.
}

func resultOf(s *hiring.Submission) result {
	r := result{
		SubmissionID: s.ID, AssessmentID: s.AssessmentID, CandidateEmail: s.Candidate.Email, CandidateName: s.Candidate.Name,
		Status: s.Status, EvaluatedAt: s.EvaluatedAt, Pillars: []pillar{},
	}
	if s.Report == nil { // Deleted since it was listed.
		return r
	}
	r.ShipScore, r.Verdict, r.VerdictLabel = s.Report.ShipScore, s.Report.Verdict, s.Report.VerdictLabel
	r.Confidence, r.IntegrityStatus = s.Report.Confidence, s.Report.IntegrityStatus
	for _, p := range s.Report.Pillars {
		line := pillar{ID: p.ID, Label: p.Label}
		if score, ok := p.Reported(); ok {
			line.Score = &score
		}
		r.Pillars = append(r.Pillars, line)
	}
	return r
}

// output takes the lines.
type output struct {
	to   io.Writer
	file *os.File     // Nil: what to writes to is not this program's.
	sync func() error // Makes what was written last. Nil: not for a pipe or a device.
}

// openOutput opens a file to append to, or uses standard output.
func openOutput(name string, stdout io.Writer) (*output, error) {
	if name == "" {
		return &output{to: stdout}, nil
	}
	file, err := os.OpenFile(name, os.O_RDWR|os.O_CREATE|os.O_APPEND, 0o600)
	if err != nil {
		return nil, err
	}
	o := &output{to: file, file: file}
	info, err := file.Stat()
	if err == nil && info.Mode().IsRegular() {
		o.sync = file.Sync
		err = o.mend(info.Size())
	}
	if err != nil {
		return nil, errors.Join(err, file.Close())
	}
	if folder, err := os.Open(filepath.Dir(name)); err == nil {
		_ = folder.Sync() // Makes the name of a new file last; not every system can.
		_ = folder.Close()
	}
	return o, nil
}

// discards tells whether a writer is the null device, which the runtime puts in
// the place of a standard output that is closed.
func discards(w io.Writer) bool {
	file, ok := w.(*os.File)
	if !ok {
		return false
	}
	null, err := os.Stat(os.DevNull)
	if err != nil {
		return false
	}
	info, err := file.Stat()
	return err != nil || os.SameFile(info, null)
}

// longestLine is far beyond what a line can be.
const longestLine = 1 << 20

// mend cuts off the beginning of a line that a crash or a full disk has left at
// the end of the file. Its submission was not saved as delivered, so it comes again.
func (o *output) mend(size int64) error {
	tail := make([]byte, min(size, longestLine))
	if _, err := o.file.ReadAt(tail, size-int64(len(tail))); err != nil {
		return err
	}
	torn := tail[bytes.LastIndexByte(tail, '\n')+1:]
	if len(torn) == 0 {
		return nil
	}
	if torn[0] != '{' || len(torn) == longestLine {
		return fmt.Errorf("%s does not end with a line of this program: choose another file", o.file.Name())
	}
	return o.file.Truncate(size - int64(len(torn)))
}

// write returns when all lines are written and, in a file, on the disk.
func (o *output) write(submissions []hiring.Submission) error {
	var lines bytes.Buffer
	encoder := json.NewEncoder(&lines)
	encoder.SetEscapeHTML(false)
	for i := range submissions {
		if err := encoder.Encode(resultOf(&submissions[i])); err != nil {
			return err
		}
	}
	if lines.Len() == 0 {
		return nil
	}
	_, err := o.to.Write(escaped(lines.String()))
	if err == nil && o.sync != nil {
		err = o.sync()
	}
	if err != nil {
		return fmt.Errorf("results cannot be written: %w", err)
	}
	return nil
}

// escaped replaces what a terminal would obey and JSON leaves as it is, within
// strings, with what means the same in JSON: names come from outside.
func escaped(lines string) []byte {
	var b []byte
	for _, r := range lines {
		if unicode.IsGraphic(r) || r == '\n' {
			b = utf8.AppendRune(b, r)
			continue
		}
		for _, unit := range utf16.AppendRune(nil, r) {
			b = fmt.Appendf(b, `\u%04x`, unit)
		}
	}
	return b
}

func (o *output) close() error {
	if o.file == nil {
		return nil
	}
	return o.file.Close()
}
