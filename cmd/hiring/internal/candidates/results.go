package candidates

import (
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strings"
	"time"

	hiring "github.com/hiring-assessment/hiring-go"
	"github.com/hiring-assessment/hiring-go/cmd/hiring/internal/files"
	"github.com/hiring-assessment/hiring-go/cmd/hiring/internal/output"
)

// Result is a row of the file of results.
type Result struct {
	Email, Name  string
	Outcome      hiring.InviteOutcome // Unknown also while a request is made; sent also by an earlier run with the same file.
	InvitationID string
	AssessmentID string
	Problem      string
	At           time.Time
	Status       string // Of the invitation, or expired.
}

// Results is the file of results, a CSV file, and the only memory of an import. Before each
// request it gets a row with the outcome unknown, which is on the disk before the request is
// sent, and a row after it. The last row of an address counts. One process at a time can
// open the file.
type Results struct {
	file, target string // target is the file behind symbolic links.
	release      func() // Unlocks the file.
	out          *os.File
	empty        bool              // The file is new and has no rows.
	broken       error             // The first error of writing; nothing is written after it.
	rows         map[string]Result // The last row by assessment and address.
}

var (
	// ErrNotResults is returned for a file that is not a file of results.
	ErrNotResults = errors.New("not a file of results: name another with --results")
	errLost       = errors.New("the file was removed or replaced during the run")
)

const (
	header   = "email,name,outcome,invitation_id,assessment_id,problem,at,status\n"
	leastRow = 7 // Cells of a row of an older version, which has no status.
)

// OpenResults opens or creates the file, and locks it until Finish or Close.
func OpenResults(file string) (*Results, error) {
	target, err := files.Target(file)
	if err != nil {
		return nil, err
	}
	r := &Results{file: file, target: target, rows: make(map[string]Result)}
	if r.release, err = files.Lock(file, 0); err != nil {
		return nil, err
	}
	if err := r.open(); err != nil {
		r.release()
		return nil, err
	}
	return r, nil
}

// open removes an incomplete last row that a killed run left, whose request was not sent.
func (r *Results) open() error {
	size, err := r.load()
	if err != nil {
		return err
	}
	r.out, err = os.OpenFile(r.target, os.O_CREATE|os.O_WRONLY, 0o600)
	if err == nil {
		err = r.out.Truncate(size)
	}
	if err == nil {
		_, err = r.out.Seek(0, io.SeekEnd)
	}
	if r.empty = size == 0; err == nil && r.empty {
		_, err = io.WriteString(r.out, output.BOM+header)
	}
	return files.Named(r.file, err)
}

// load reads the rows and returns the size of the file up to the end of its last whole row;
// 0 means that the file does not exist or has not even a header.
func (r *Results) load() (size int64, err error) {
	text, err := os.ReadFile(r.target)
	switch begin := output.BOM + header; {
	case errors.Is(err, os.ErrNotExist), err == nil && strings.HasPrefix(begin, string(text)) && len(text) < len(begin):
		return 0, nil
	case err != nil:
		return 0, files.Named(r.file, err)
	case !bytes.HasPrefix(bytes.TrimPrefix(text, []byte(output.BOM)), []byte("email,name,outcome,")):
		return 0, fmt.Errorf("%s is %w", r.file, ErrNotResults)
	}
	for line := range bytes.Lines(text) {
		if line[len(line)-1] == '\n' {
			size += int64(len(line))
			r.read(line)
		}
	}
	return size, nil
}

func (r *Results) read(line []byte) {
	cells, err := csv.NewReader(bytes.NewReader(line)).Read()
	if err != nil || len(cells) < leastRow {
		return
	}
	cells = append(cells, "")
	for i, cell := range cells {
		cells[i] = output.Uncell(cell)
	}
	outcome := hiring.InviteOutcome(cells[2])
	switch {
	case outcome == "refused": // Of an older version.
		outcome = hiring.InviteRejected
	case !slices.Contains([]hiring.InviteOutcome{hiring.InviteSent, hiring.InviteExisting, hiring.InviteRejected, hiring.InviteNotSent}, outcome):
		outcome = hiring.InviteUnknown // A later version may write other outcomes.
	}
	if at, err := time.Parse(time.RFC3339, cells[6]); err == nil { // Not in the header.
		r.rows[rowKey(cells[4], cells[0])] = Result{
			Email: cells[0], Name: cells[1], Outcome: outcome,
			InvitationID: cells[3], AssessmentID: cells[4], Problem: cells[5], At: at, Status: cells[7],
		}
	}
}

func rowKey(assessmentID, email string) string {
	return strings.ToLower(assessmentID) + " " + hiring.AddressKey(email)
}

// Row returns the last row of an address. The zero Result means that it has none.
func (r *Results) Row(assessmentID, email string) Result { return r.rows[rowKey(assessmentID, email)] }

// Begin writes a row with the outcome unknown and returns when it is on the disk. On an
// error nothing must be sent.
func (r *Results) Begin(assessmentID string, person hiring.NewInvitation) error {
	begun := Result{
		Email: person.Email, Name: person.Name, AssessmentID: assessmentID,
		Outcome: hiring.InviteUnknown, Problem: "the run ended before the outcome was known", At: time.Now(),
	}
	if r.write(begun) == nil {
		r.broken = r.out.Sync()
	}
	if r.broken == nil {
		r.rows[rowKey(assessmentID, person.Email)] = begun
	}
	return r.broken
}

// Add writes a result. When that fails, the row that Begin wrote protects the address.
func (r *Results) Add(result Result) error {
	r.rows[rowKey(result.AssessmentID, result.Email)] = result
	return r.write(result)
}

func (r Result) cells() []any {
	return []any{r.Email, r.Name, string(r.Outcome), r.InvitationID, r.AssessmentID, output.Clean(r.Problem), r.At.UTC().Format("2006-01-02T15:04:05.000Z"), r.Status}
}

// write returns an error when the file was removed or replaced, because further rows would
// be lost.
func (r *Results) write(result Result) error {
	if r.broken == nil && !files.IsAt(r.out, r.target) {
		r.broken = errLost
	}
	if r.broken == nil {
		r.empty = false
		r.broken = output.WriteCSV(r.out, ',', result.cells()...)
	}
	return r.broken
}

// Close unlocks the file. It removes the file if it is new and has no rows. After Finish
// it does nothing.
func (r *Results) Close() {
	if r.out != nil {
		_ = r.out.Close()
		if r.empty {
			_ = os.Remove(r.target)
		}
		r.release()
		r.out = nil
	}
}

// Finish replaces the file by one with a single row for each of the people, in their
// order, below the rows of other assessments and people. It unlocks the file.
func (r *Results) Finish(assessmentID string, people []hiring.NewInvitation) error {
	defer r.Close()
	r.empty = false // Close keeps the new file.
	order := make([]string, len(people))
	for i, person := range people {
		order[i] = rowKey(assessmentID, person.Email)
	}
	others := slices.DeleteFunc(slices.Sorted(maps.Keys(r.rows)), func(key string) bool { return slices.Contains(order, key) })
	return files.Replace(r.file, func(to *os.File) error {
		_, err := io.WriteString(to, output.BOM+header)
		for _, key := range slices.Concat(others, order) {
			if result, known := r.rows[key]; known && err == nil {
				err = output.WriteCSV(to, ',', result.cells()...)
			}
		}
		return err
	})
}
