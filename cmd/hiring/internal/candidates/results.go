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

// The outcomes. Those of an invitation are the client's.
const (
	Sent     = Outcome(hiring.InviteSent)     // By this run, or by an earlier one with the same file.
	Existing = Outcome(hiring.InviteExisting) // The address already had an invitation.
	Refused  = Outcome("refused")             // The API rejected this candidate.
	NotSent  = Outcome(hiring.InviteNotSent)  // The run ended before.
	Unknown  = Outcome(hiring.InviteUnknown)  // The invitation may have been sent; a lookup decides.
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

// Results is a CSV file with a row for each candidate. It is the record of what an import
// did: one process at a time can open it, and rows are added as results become known, so
// that a killed run leaves its results.
type Results struct {
	file, target string // target is the file behind symbolic links.
	lock         *files.Lock
	out          *os.File
	empty        bool              // The file is new and has no rows.
	lost         bool              // The file was removed or replaced.
	rows         map[string]Result // By assessment and address; the last row counts.
	torn         map[string]Result // Incomplete rows by address. Their outcome is unknown.
	inFile       map[string]bool   // Keys of the rows in the file.
	changed      time.Time         // The time of the last change before this run.
}

var (
	// ErrInUse is returned when another import writes the same file.
	ErrInUse = errors.New("another import is writing this file: wait until it has ended")
	// ErrNotResults is returned for a file that is not a file of results.
	ErrNotResults = errors.New("not a file of results: name another with --results")
	errLost       = errors.New("the file was removed or replaced during the run")
)

func header() []any {
	return []any{"email", "name", "outcome", "invitation_id", "assessment_id", "problem", "at"}
}

// OpenResults opens or creates the file, and locks it until Finish or Close.
func OpenResults(file string) (*Results, error) {
	r, err := newResults(file)
	if err != nil {
		return nil, err
	}
	r.lock, err = files.TakeLock(r.target + ".lock")
	switch {
	case errors.Is(err, files.ErrLocked):
		return nil, fmt.Errorf("%s: %w", file, ErrInUse)
	case err != nil:
		return nil, files.Named(file, err)
	}
	if err := r.open(); err != nil {
		r.lock.Release()
		return nil, err
	}
	return r, nil
}

// ReadResults reads the rows of the file, which need not exist, without locking it.
func ReadResults(file string) (*Results, error) {
	r, err := newResults(file)
	if err != nil {
		return nil, err
	}
	_, err = r.load()
	return r, err
}

func newResults(file string) (*Results, error) {
	target, err := files.Target(file)
	return &Results{file: file, target: target, rows: make(map[string]Result), torn: make(map[string]Result), inFile: make(map[string]bool)}, err
}

func (r *Results) open() error {
	files.RemoveTemporary(r.target) // They hold names and addresses.
	text, err := r.load()
	if err != nil {
		return err
	}
	truncate := 0
	if text == nil {
		truncate = os.O_TRUNC
	}
	r.out, err = os.OpenFile(r.target, os.O_CREATE|os.O_WRONLY|os.O_APPEND|truncate, 0o600)
	switch {
	case err != nil:
		err = files.Named(r.file, err)
	case text == nil:
		err = r.write(header()...)
		r.empty = true
	case text[len(text)-1] != '\n': // A run was killed while it wrote a line.
		_, err = r.out.WriteString("\n")
	}
	return err
}

// load reads the rows. The text is nil for a file that does not exist or has nothing but
// the beginning of the header.
func (r *Results) load() ([]byte, error) {
	text, err := os.ReadFile(r.target)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return nil, files.Named(r.file, err)
	}
	var first strings.Builder
	_ = output.WriteCSV(&first, header()...)
	if strings.HasPrefix(first.String(), string(text)) {
		return nil, nil
	}
	if !bytes.HasPrefix(text, []byte("email,name,outcome,")) {
		return nil, fmt.Errorf("%s is %w", r.file, ErrNotResults)
	}
	info, err := os.Stat(r.target)
	if err != nil {
		return nil, files.Named(r.file, err)
	}
	r.changed = info.ModTime()
	for line := range bytes.Lines(text) {
		r.read(line)
	}
	return text, nil
}

// read decodes a row. The outcome of a row that is torn before its assessment is unknown.
func (r *Results) read(line []byte) {
	cells, err := csv.NewReader(bytes.NewReader(line)).Read()
	if err != nil || len(cells) < len(header())-1 {
		if email, _, whole := strings.Cut(string(line), ","); whole {
			email = output.Uncell(email)
			r.torn[Key(email)] = Result{Email: email, Outcome: Unknown, Problem: EndedEarly}
		}
		return
	}
	if cells[0] == header()[0] {
		return
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
	delete(r.torn, Key(result.Email))
}

// EndedEarly is the problem of a row whose run ended before a lookup.
const EndedEarly = "the run ended before the outcome was known"

func (r Result) key() string { return strings.ToLower(r.AssessmentID) + " " + Key(r.Email) }

// Target is the path of the file behind symbolic links.
func (r *Results) Target() string { return r.target }

// Row returns what the file says about an address. The zero Result means that it has no
// row.
func (r *Results) Row(assessmentID, email string) Result {
	if torn, found := r.torn[Key(email)]; found {
		return torn
	}
	return r.rows[Result{AssessmentID: assessmentID, Email: email}.key()]
}

// Invited returns the invitation that a row records for an address, if it does. Such an
// address is never invited again.
func (r *Results) Invited(assessmentID, email string) (invitationID string, invited bool) {
	row := r.Row(assessmentID, email)
	return row.InvitationID, row.Outcome == Sent && row.InvitationID != ""
}

// Touch sets the time of the file's last change to now. An import calls it before each
// request, so that LastChange is not before any request.
func (r *Results) Touch() error {
	if err := r.check(); err != nil {
		return err
	}
	now := time.Now()
	return files.Named(r.file, os.Chtimes(r.target, now, now))
}

// LastChange returns when an earlier run, or the user, changed the file last.
func (r *Results) LastChange() time.Time { return r.changed }

// Begin writes a row with the outcome Unknown before the request is sent. On an error,
// nothing must be sent. When the process is killed, the next run finds the row and knows
// that this run may have sent the invitation.
func (r *Results) Begin(assessmentID string, person hiring.NewInvitation) error {
	begun := Result{
		Email: person.Email, Name: person.Name, AssessmentID: assessmentID,
		Outcome: Unknown, Problem: EndedEarly, At: time.Now(),
	}
	err := r.write(begun.cells()...)
	r.inFile[begun.key()] = r.inFile[begun.key()] || err == nil
	return err
}

// Add writes a result, unless the file has the same result already.
func (r *Results) Add(result Result) error {
	key := result.key()
	before := r.rows[key]
	r.rows[key] = result
	delete(r.torn, Key(result.Email))
	if before.Outcome == Sent && result == before {
		return r.check()
	}
	err := r.write(result.cells()...)
	r.inFile[key] = r.inFile[key] || err == nil
	return err
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
