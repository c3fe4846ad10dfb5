package candidates

import (
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"time"

	hiring "github.com/hiring-assessment/hiring-go"
	"github.com/hiring-assessment/hiring-go/cmd/hiring/internal/files"
	"github.com/hiring-assessment/hiring-go/cmd/hiring/internal/output"
)

// Outcome is the result of inviting a candidate.
type Outcome string

// The outcomes.
const (
	Sent     Outcome = "sent"     // By this run, or by an earlier one with the same file.
	Existing Outcome = "existing" // The address already had an invitation.
	Refused  Outcome = "refused"  // The API rejected this candidate.
	NotSent  Outcome = "not sent" // The run ended before.
	Unknown  Outcome = "unknown"  // The invitation may have been sent; the next run finds out.
)

// Result is the row of one candidate.
type Result struct {
	Email, Name  string
	Outcome      Outcome
	InvitationID string
	AssessmentID string
	Problem      string
	At           time.Time
}

// Results is a CSV file with a row for each candidate. One process at a time can open it.
// Rows are added as results become known, so that a killed run leaves its results.
type Results struct {
	file, target string // target is the file behind symbolic links.
	lock         *files.Lock
	out          *os.File
	empty        bool              // The file is new and has no rows.
	lost         bool              // The file was removed or replaced.
	rows         map[string]Result // By assessment and address; the last row counts.
	inFile       map[string]bool   // Keys of the rows in the file.
}

var (
	// ErrInUse is returned when another import writes the same file.
	ErrInUse = errors.New("another import is writing this file: wait until it has ended")
	errLost  = errors.New("the file was removed or replaced during the run")
)

func header() []any {
	return []any{"email", "name", "outcome", "invitation_id", "assessment_id", "problem", "at"}
}

// OpenResults opens or creates the file, and locks it until Finish or Close.
func OpenResults(file string) (*Results, error) {
	target, err := files.Target(file)
	if err != nil {
		return nil, err
	}
	lock, err := files.TakeLock(target + ".lock")
	if errors.Is(err, files.ErrLocked) {
		err = ErrInUse
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	r := &Results{file: file, target: target, lock: lock, rows: make(map[string]Result), inFile: make(map[string]bool)}
	if err := r.open(); err != nil {
		lock.Release()
		return nil, err
	}
	return r, nil
}

func (r *Results) open() error {
	text, err := os.ReadFile(r.target)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	var first strings.Builder
	_ = output.WriteCSV(&first, header()...)
	if torn := strings.HasPrefix(first.String(), string(text)); torn { // Also true for a new file.
		text = nil
	}
	if text != nil && !bytes.HasPrefix(text, []byte("email,name,outcome,")) {
		return errors.New(r.file + " is not a file of results: remove it, or name another with --results")
	}
	r.read(text)
	truncate := 0
	if text == nil {
		truncate = os.O_TRUNC
	}
	r.out, err = os.OpenFile(r.target, os.O_CREATE|os.O_WRONLY|os.O_APPEND|truncate, 0o600)
	switch {
	case err != nil:
	case text == nil:
		err = r.write(header()...)
		r.empty = true
	case text[len(text)-1] != '\n': // A run was killed while it wrote a line.
		_, err = r.out.WriteString("\n")
	}
	return err
}

// read decodes the rows. It skips an incomplete last line, unless only the problem or the
// time is incomplete.
func (r *Results) read(text []byte) {
	for line := range bytes.Lines(text) {
		cells, err := csv.NewReader(bytes.NewReader(line)).Read()
		if err != nil || len(cells) < len(header())-1 || cells[0] == header()[0] {
			continue
		}
		cells = append(cells, "")
		for i, cell := range cells {
			cells[i] = output.Uncell(cell)
		}
		at, _ := time.Parse(time.RFC3339, cells[6])
		result := Result{
			Email: cells[0], Name: cells[1], Outcome: Outcome(cells[2]),
			InvitationID: cells[3], AssessmentID: cells[4], Problem: cells[5], At: at,
		}
		r.rows[result.key()], r.inFile[result.key()] = result, true
	}
}

func (r Result) key() string { return r.AssessmentID + " " + Key(r.Email) }

// Begin writes a row with the outcome Unknown before the request is sent. On an error,
// nothing must be sent. When the process is killed, the next run finds the row and knows
// that this run sent the invitation.
func (r *Results) Begin(assessmentID string, person hiring.NewInvitation) error {
	begun := Result{
		Email: person.Email, Name: person.Name, AssessmentID: assessmentID,
		Outcome: Unknown, Problem: "the run ended before the outcome was known", At: time.Now(),
	}
	if r.rows[begun.key()].Outcome == Sent {
		return r.check()
	}
	err := r.write(begun.cells()...)
	r.inFile[begun.key()] = r.inFile[begun.key()] || err == nil
	return err
}

// Add writes a result. It returns the result as written, and whether an earlier run sent
// an invitation that this run found as existing.
func (r *Results) Add(result Result) (Result, bool, error) {
	key := result.key()
	before := r.rows[key]
	earlier := result.Outcome == Existing &&
		(before.Outcome == Unknown || before.Outcome == Sent && before.InvitationID == result.InvitationID)
	if earlier {
		result.Outcome = Sent
	}
	r.rows[key] = result
	if earlier && before.Outcome == Sent {
		r.rows[key] = before
		return before, true, r.check()
	}
	err := r.write(result.cells()...)
	r.inFile[key] = r.inFile[key] || err == nil
	return result, earlier, err
}

func (r Result) cells() []any {
	return []any{r.Email, r.Name, string(r.Outcome), r.InvitationID, r.AssessmentID, output.Clean(r.Problem), r.At.UTC().Format(time.RFC3339)}
}

// check returns an error when the file was removed or replaced, because further rows would
// be lost.
func (r *Results) check() error {
	r.lost = r.lost || !files.IsAt(r.out, r.target)
	if r.lost {
		return errLost
	}
	return nil
}

func (r *Results) write(cells ...any) error {
	if err := r.check(); err != nil {
		return err
	}
	r.empty = false
	return output.WriteCSV(r.out, cells...)
}

// Close unlocks the file. It removes the file if it is new and has no rows. After Finish
// it does nothing.
func (r *Results) Close() {
	if r.out != nil {
		_ = r.out.Close()
		if r.empty {
			_ = os.Remove(r.target)
		}
		r.lock.Release()
		r.out = nil
	}
}

// Finish replaces the file by one with a single row for each of the people, in their
// order, below the rows of other assessments and people. It unlocks the file. When the
// file cannot be replaced, Finish returns how many of the people have no row in it.
func (r *Results) Finish(assessmentID string, people []hiring.NewInvitation) (missing int, err error) {
	defer r.Close()
	order, mine := make([]string, len(people)), make(map[string]bool, len(people))
	for i, person := range people {
		order[i] = Result{AssessmentID: assessmentID, Email: person.Email}.key()
		mine[order[i]] = true
	}
	others := slices.DeleteFunc(slices.Sorted(maps.Keys(r.rows)), func(key string) bool { return mine[key] })
	err = errors.Join(r.out.Sync(), files.Write(r.file, func(to *os.File) error {
		err := output.WriteCSV(to, header()...)
		for _, key := range slices.Concat(others, order) {
			if result, known := r.rows[key]; known && err == nil {
				err = output.WriteCSV(to, result.cells()...)
			}
		}
		return err
	}))
	for _, key := range order {
		if err != nil && (r.lost || !r.inFile[key]) {
			missing++
		}
	}
	return missing, err
}
