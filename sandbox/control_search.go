package sandbox

import (
	"cmp"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/hiring-assessment/hiring-go/sandbox/internal/world"
)

// term is one condition of a search: a filter with one member, or its negation.
type term struct {
	journalFilter

	not bool
}

// searchWord matches a word of a search: with a minus sign or without, a name or none, and a value, in
// quotation marks if it has spaces.
var searchWord = regexp.MustCompile(`(-?)(?:([a-z]+):)?("[^"]*"|\S+)`)

// parseSearch returns the terms of a search such as
//
//	status:4xx -route:/report took:>1s after:17:16 "Ada Lovelace"
//
// A word without a known name is a text. now gives a time of day its day.
func parseSearch(search string, now time.Time) (terms []term, err error) {
	for _, m := range searchWord.FindAllStringSubmatch(search, -1) {
		t := term{not: m[1] != ""}
		value := strings.Trim(m[3], `"`)
		f := &t.journalFilter
		switch m[2] {
		case "status":
			f.Status = value
		case "method":
			f.Method = strings.ToUpper(value)
		case "route":
			if strings.Contains(value, " ") {
				f.Route = value // With a method: the whole route.
			} else {
				f.routePart = strings.ToLower(value)
			}
		case "key":
			if f.Key = value; value != noKey && !isToken(value) {
				f.Key, f.keyPart = "", value
			}
		case "field":
			f.Field = value
		case "code":
			f.Code = strings.ToUpper(value)
		case "fault":
			f.Fault, _ = strconv.Atoi(value)
			f.Faults = f.Fault == 0
		case "repeats":
			f.Repeats, _ = strconv.Atoi(value)
		case "is":
			f.Repeated, f.Faults = value == "repeated", value == "fault"
			if value == "failed" {
				f.Status = value
			} else if !f.Repeated && !f.Faults {
				err = inputError{"search", "is: must be followed by failed, repeated or fault"}
			}
		case "took":
			f.tookLess = strings.HasPrefix(value, "<")
			if f.SlowerThan, err = time.ParseDuration(strings.TrimLeft(value, "<>")); err != nil || f.SlowerThan <= 0 {
				err = inputError{"search", "took: must be followed by a duration, as in took:>1s or took:<50ms"}
			}
		case "after":
			f.from, err = parseSearchTime(value, now)
		case "before":
			f.to, err = parseSearchTime(value, now)
		default: // A text of its own, also with a colon.
			f.Text = strings.TrimLeft(strings.ToLower(strings.TrimPrefix(m[0], m[1])), "…")
			if m[2] == "" && strings.HasPrefix(m[3], `"`) {
				f.Text = strings.ToLower(value)
			}
		}
		if err = cmp.Or(err, f.check()); err != nil {
			return nil, err
		}
		terms = append(terms, t)
	}
	return terms, nil
}

// parseSearchTime parses a time of day, on the day of now, or a time, in UTC.
func parseSearchTime(text string, now time.Time) (time.Time, error) {
	for _, layout := range []string{"15:04", "15:04:05", time.DateOnly, "2006-01-02T15:04", "2006-01-02T15:04:05"} {
		if at, err := time.Parse(layout, strings.TrimSuffix(text, "Z")); err == nil {
			if at.Year() == 0 {
				at = at.AddDate(now.Year(), int(now.Month())-1, now.Day()-1)
			}
			return at, nil
		}
	}
	return time.Time{}, inputError{"search", "after: and before: must be followed by a time such as 17:16 or 2026-12-01T10:00"}
}

// matches reports whether a term selects an exchange.
func (t *term) matches(e *exchange) bool {
	return t.not != (t.selects(e) && (t.Text == "" || e.contains(t.Text)))
}

// groupJSON counts the exchanges that are alike.
type groupJSON struct {
	Status int          `json:"status"`
	Method string       `json:"method"`
	Route  string       `json:"route"`
	KeyID  string       `json:"key_id"`
	Code   string       `json:"code,omitzero"`
	Field  string       `json:"field,omitzero"`
	Count  int          `json:"count"`
	First  world.Moment `json:"first"`
	Last   world.Moment `json:"last"`
	Newest int          `json:"newest"` // Number of the last one.
	Line   []int        `json:"line"`   // Counts in the buckets of the statistics.
}

// newGroups counts exchanges by status, route, key and field, the most frequent first. buckets are the indexes
// of the exchanges in n buckets.
func newGroups(found []*exchange, buckets []int, n int) []groupJSON {
	type alike struct{ status, operation, key, code, field string }
	at := make(map[alike]int)
	all := []groupJSON{}
	for i, e := range found {
		problem := *cmp.Or(e.Error, &errorJSON{})
		name := alike{strconv.Itoa(e.Status), e.operation(), e.KeyID, problem.Code, problem.Field}
		if _, known := at[name]; !known {
			at[name] = len(all)
			all = append(all, groupJSON{
				Status: e.Status, Method: e.Method, Route: cmp.Or(e.Route, e.Path), KeyID: e.KeyID, Code: problem.Code, Field: problem.Field,
				First: world.MomentOf(e.At), Line: make([]int, n),
			})
		}
		g := &all[at[name]]
		g.Count++
		g.Line[buckets[i]]++
		g.Last, g.Newest = world.MomentOf(e.At), e.Number
	}
	slices.SortStableFunc(all, func(a, b groupJSON) int { return cmp.Compare(b.Count, a.Count) })
	return all[:min(len(all), maxGroups)]
}

// maxGroups is the number of groups that are returned.
const maxGroups = 200
