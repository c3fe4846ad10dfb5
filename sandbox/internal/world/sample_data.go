package world

import (
	"bytes"
	_ "embed" // For sample.json.
	"encoding/json"
)

// sampleFile is the part of the sample data that is written by hand: JSON as the API
// shows it, except that reports have no submission, and events no number and time.
//
//go:embed sample.json
var sampleFile []byte

// data is the content of sampleFile. It is shared and never changed.
var data = func() (d struct {
	Account     Account      `json:"account"`
	Members     []Member     `json:"members"`
	Challenges  []Challenge  `json:"challenges"`
	Assessments []Assessment `json:"assessments"`
	Plans       []plan       `json:"plans"`
	// Submissions share them. Percentile and time used are nil or replaced by those of the submission.
	Reports       []Report      `json:"reports"`
	UsualEvents   []sampleEvent `json:"usual_events"`   // Repeated in logs.
	UnusualEvents []sampleEvent `json:"unusual_events"` // With payloads that clients must accept.
	LongSentence  string        `json:"long_sentence"`  // Repeated in a long prompt.
	FirstNames    [][2]string   `json:"first_names"`    // Each with its spelling in e-mail addresses.
	LastNames     [][2]string   `json:"last_names"`
},
) {
	decoder := json.NewDecoder(bytes.NewReader(sampleFile))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&d); err != nil {
		panic(err) // The file is part of the program.
	}
	return d
}()

// sampleEvent is an event without a sequence number and a time.
type sampleEvent struct {
	Kind    string  `json:"kind"`
	Payload RawJSON `json:"payload"`
}
