package poll

import (
	"slices"
	"time"

	jsonv2 "github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// Item is what a response shows of a submission.
type Item struct {
	ID, Status                    string
	Created, Submitted, Evaluated Server
	Undated                       bool // One of the times cannot be read, or there is none.
	Ready                         bool // Its report is ready.
	Unreadable                    bool // It cannot be decoded, and does not show that it is unfinished. The caller sets it.

	JSON []byte // The whole submission, for the caller.
}

// ReadItem reads what a submission's JSON shows, whatever else is wrong with it. A submission or a
// report of the wrong JSON type counts as ready, so that the error of decoding it is yielded.
func ReadItem(raw []byte) Item {
	var s, report map[string]jsontext.Value
	wrong := jsonv2.Unmarshal(raw, &s, lenient) != nil || len(s["report"]) > 0 && jsonv2.Unmarshal(s["report"], &report, lenient) != nil
	it := Item{ID: textOf(s["id"]), Status: textOf(s["status"]), JSON: raw}
	for name, to := range map[string]*Server{"created_at": &it.Created, "submitted_at": &it.Submitted, "evaluated_at": &it.Evaluated} {
		at, _ := time.Parse(time.RFC3339, textOf(s[name]))
		*to = TimeOf(at)
		it.Undated = it.Undated || *to == 0 && !slices.Contains([]string{"", "null"}, string(s[name]))
	}
	it.Undated = it.Undated || it.latest() == 0
	it.Ready = wrong || !slices.Contains([]string{"", "null", "false"}, string(report["evaluated"]))
	if it.Ready {
		it.Status = Finished
	}
	return it
}

// lenient accepts what the client accepts of the JSON of a response.
var lenient = jsonv2.JoinOptions(jsontext.AllowInvalidUTF8(true), jsontext.AllowDuplicateNames(true))

// textOf returns the text of a JSON string, "" of anything else.
func textOf(value jsontext.Value) (text string) {
	_ = jsonv2.Unmarshal(value, &text, lenient)
	return text
}

// TimeOf returns a time of the server. One that cannot be represented is none.
func TimeOf(at time.Time) Server {
	if year := at.Year(); year < 1970 || year > 2250 {
		return 0
	}
	return Server(at.UnixNano())
}

// IsUnfinished reports whether a submission shows that it is unfinished.
func (it Item) IsUnfinished() bool {
	return it.ID != "" && it.Status != "" && it.Status != Finished
}

// latest returns the latest time of the submission.
func (it Item) latest() Server { return max(it.Created, it.Submitted, it.Evaluated) }
