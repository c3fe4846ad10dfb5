package candidates

import (
	"bytes"
	"encoding/csv"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/hiring-assessment/hiring-go/cmd/hiring/internal/output"
)

// Outcome is what became of a candidate.
type Outcome string

// The outcomes.
const (
	Sent     Outcome = "sent"     // By this run or one before.
	Existing Outcome = "existing" // There was an invitation already.
	Refused  Outcome = "refused"  // The service does not take this candidate.
	NotSent  Outcome = "not sent" // The run ended before.
	Unknown  Outcome = "unknown"  // It may be out; another run finds out.
)

// Result is what is known of one candidate.
type Result struct {
	Email, Name  string
	Outcome      Outcome
	InvitationID string
	AssessmentID string
	Problem      string
	At           time.Time
}

// Results is a file with a row for each candidate. While a run goes on, rows are
// added as they become known, so that a run that is killed leaves what it did.
type Results struct {
	file string
	out  *os.File
	rows map[string]Result // By assessment and address; the last one counts.
}

func header() []string {
	return []string{"email", "name", "outcome", "invitation_id", "assessment_id", "problem", "at"}
}

// OpenResults opens the file of earlier runs, or makes one.
func OpenResults(file string) (*Results, error) {
	r := &Results{file: file, rows: make(map[string]Result)}
	text, err := os.ReadFile(file)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return nil, err
	}
	if len(text) > 0 && !bytes.HasPrefix(text, []byte("email,name,outcome,")) {
		return nil, errors.New(file + " is not a file of results: remove it, or name another with --results")
	}
	r.read(text)
	r.out, err = os.OpenFile(file, os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
	switch {
	case err != nil:
	case len(text) == 0:
		err = r.write(header())
	case text[len(text)-1] != '\n': // A run was killed in the middle of a line.
		_, err = r.out.WriteString("\n")
	}
	return r, err
}

// read passes over what a run that was killed left unfinished.
func (r *Results) read(text []byte) {
	for line := range bytes.Lines(text) {
		cells, err := csv.NewReader(bytes.NewReader(line)).Read()
		if err != nil || len(cells) != len(header()) || cells[0] == header()[0] {
			continue
		}
		at, _ := time.Parse(time.RFC3339, cells[6])
		result := Result{
			Email: strings.TrimPrefix(cells[0], "'"), Name: cells[1], Outcome: Outcome(cells[2]),
			InvitationID: cells[3], AssessmentID: cells[4], Problem: cells[5], At: at,
		}
		r.rows[result.key()] = result
	}
}

func (r Result) key() string { return r.AssessmentID + " " + Key(r.Email) }

// SentIDs are the invitations that runs with this file have sent.
func (r *Results) SentIDs() map[string]bool {
	ids := make(map[string]bool)
	for _, result := range r.rows {
		if result.Outcome == Sent {
			ids[result.InvitationID] = true
		}
	}
	return ids
}

// Add keeps a result. An invitation that an earlier run sent stays sent, though
// this one found that it exists.
func (r *Results) Add(result Result) error {
	before, known := r.rows[result.key()]
	if known && before.Outcome == Sent && result.Outcome == Existing && before.InvitationID == result.InvitationID {
		return nil
	}
	r.rows[result.key()] = result
	return r.write(result.cells())
}

func (r Result) cells() []string {
	return []string{
		output.Cell(r.Email), output.Cell(r.Name), string(r.Outcome), r.InvitationID, r.AssessmentID,
		output.Clean(r.Problem), r.At.UTC().Format(time.RFC3339),
	}
}

// write adds a row in one piece.
func (r *Results) write(cells []string) error {
	var line bytes.Buffer
	w := csv.NewWriter(&line)
	_ = w.Write(cells) // Flush tells
	w.Flush()
	if err := w.Error(); err != nil {
		return err
	}
	_, err := r.out.Write(line.Bytes())
	return err
}

// Finish leaves one row for each of those people, in their order, and closes the
// file. Rows of other assessments and people stay, above.
func (r *Results) Finish(assessmentID string, emails []string) (err error) {
	if err := r.out.Close(); err != nil {
		return err
	}
	temporary, err := os.CreateTemp(filepath.Dir(r.file), filepath.Base(r.file)+".*") // 0600
	if err != nil {
		return err
	}
	r.out = temporary
	mine := make(map[string]bool, len(emails))
	order := make([]string, 0, len(emails))
	for _, email := range emails {
		key := Result{AssessmentID: assessmentID, Email: email}.key()
		mine[key], order = true, append(order, key)
	}
	err = r.write(header())
	for key, result := range r.rows {
		if !mine[key] {
			err = errors.Join(err, r.write(result.cells()))
		}
	}
	for _, key := range order {
		if result, ok := r.rows[key]; ok {
			err = errors.Join(err, r.write(result.cells()))
		}
	}
	if err = errors.Join(err, temporary.Close()); err == nil {
		err = os.Rename(temporary.Name(), r.file)
	}
	if err != nil {
		_ = os.Remove(temporary.Name())
	}
	return err
}
