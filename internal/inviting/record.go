package inviting

import (
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"maps"
	"time"

	"github.com/hiring-assessment/hiring-go/internal/envelope"
)

// MaxRecord is the size of an encoded [Record] at most, in bytes.
const MaxRecord = 256 << 10

// Reasons why a text is not the record of a run.
var (
	ErrNoRecord      = errors.New("is not the state of a run of SendAll, or is damaged")
	ErrOtherRecord   = errors.New("belongs to a run for another assessment")
	ErrRecordTooLong = errors.New("holds too many addresses whose outcome is unknown")
)

// Record is the state of a run that survives a crash: the addresses, hashed with the
// assessment, to which a request may be on its way, each with the time by which that
// request has ended, by the server's clock. The zero value is not usable.
type Record struct {
	assessment string
	ends       map[string]time.Time
	dropAt     map[string]time.Time // When an address is dropped whose outcome is known.
}

// savedRecord is a saved Record.
type savedRecord struct {
	Assessment string
	Ends       map[string]int64 // In Unix seconds.
}

var recordKind = envelope.Kind{Name: "invitations", Version: 1}

// NewRecord returns the record of a run that has sent nothing.
func NewRecord(assessmentID string) Record {
	return Record{assessment: To(assessmentID, "").Assessment, ends: make(map[string]time.Time), dropAt: make(map[string]time.Time)}
}

// ParseRecord returns the record of an earlier run for the assessment.
func ParseRecord(text, assessmentID string) (Record, error) {
	r := NewRecord(assessmentID)
	if text == "" {
		return r, nil
	}
	var w savedRecord
	if len(text) > MaxRecord || recordKind.Open(text, &w) != nil {
		return Record{}, ErrNoRecord
	}
	if w.Assessment != r.assessment {
		return Record{}, ErrOtherRecord
	}
	for key, at := range w.Ends {
		r.ends[key] = time.Unix(at, 0)
	}
	return r, nil
}

// Key returns the name of an addressee in a record, from which the address cannot
// be read.
func Key(who Addressee) string {
	sum := sha256.Sum256([]byte(who.Assessment + "\n" + who.Address))
	return base64.RawURLEncoding.EncodeToString(sum[:16])
}

// Begin records a request that is about to be sent and ends at the given time at the latest.
func (r Record) Begin(key string, ends time.Time) {
	r.ends[key] = ends
	delete(r.dropAt, key)
}

// Resolve records that the outcome of an address is known. The address is dropped at the
// given time, or later if an earlier call said so.
func (r Record) Resolve(key string, at time.Time) {
	if _, found := r.ends[key]; found && at.After(r.dropAt[key]) {
		r.dropAt[key] = at
	}
}

// Ends returns by when the request of each unresolved address has ended.
func (r Record) Ends() map[string]time.Time { return maps.Clone(r.ends) }

// Expire drops the addresses whose outcome a scan of the whole listing has shown. began is
// when the scan began, by the server's clock.
func (r Record) Expire(began time.Time) {
	maps.DeleteFunc(r.ends, func(_ string, ends time.Time) bool { return !began.Before(ends.Add(lastLookup)) })
}

// Encode drops the resolved addresses that are due and returns the record as text.
func (r Record) Encode(now time.Time) (string, error) {
	for key, at := range r.dropAt {
		if !now.Before(at) {
			delete(r.ends, key)
			delete(r.dropAt, key)
		}
	}
	w := savedRecord{r.assessment, make(map[string]int64, len(r.ends))}
	for key, at := range r.ends {
		if at.Nanosecond() > 0 {
			at = at.Add(time.Second) // Rounded up.
		}
		w.Ends[key] = at.Unix()
	}
	text := recordKind.Seal(w)
	if len(text) > MaxRecord {
		return "", ErrRecordTooLong
	}
	return text, nil
}
