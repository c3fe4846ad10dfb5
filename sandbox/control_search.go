package sandbox

import (
	"cmp"
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf16"
)

// journalFilter selects exchanges. Key and status mean the same as in a search.
type journalFilter struct {
	Key    string `json:"key"` // A token, an id, or none.
	Status string `json:"status"`
	Search string `json:"search"` // Such as status:4xx -route:/report took:>1s after:17:16 "Ada Lovelace".
}

const noKey = "none" // Selects requests without a key, a route, a User-Agent or a status.

// condition reports whether an exchange is selected.
type condition func(*exchange) bool

// searchWord matches a word of a search: with a minus sign or without, a name or none, and a value, in
// quotation marks if it has spaces.
var searchWord = regexp.MustCompile(`(-?)(?:([a-z]+):)?(?:"([^"]*)"|(\S+))`)

// conditions returns the conditions that an exchange must meet. A duration is one before now.
func (f *journalFilter) conditions(now time.Time) (all []condition, err error) {
	for name, value := range map[string]string{"key": f.Key, "status": f.Status} {
		if value == "" {
			continue
		}
		c, problem := newCondition(name, value, now)
		if problem != "" {
			return nil, inputError{name, problem}
		}
		all = append(all, c)
	}
	for _, word := range searchWord.FindAllStringSubmatch(f.Search, -1) {
		name, value := word[2], word[3]+word[4]
		c, problem := newCondition(name, value, now)
		switch {
		case problem != "":
			return nil, inputError{"search", name + ": " + problem}
		case c == nil: // Not the name of a condition: a text, which the page may have shortened.
			c = contains(strings.TrimLeft(name+":"+value, ":…"))
		}
		isExcluded := word[1] != ""
		all = append(all, func(e *exchange) bool { return c(e) != isExcluded })
	}
	return all, nil
}

// window returns the times that limit a search, if they are after the oldest exchange and before now. A time of each day limits none.
func (f *journalFilter) window(oldest, now time.Time) (ends []time.Time) {
	for _, word := range searchWord.FindAllStringSubmatch(f.Search, -1) {
		at, ok := parseSearchTime(word[3]+word[4], now)
		switch isTime := ok && at.Year() > 0 && word[1] == ""; {
		case isTime && word[2] == "after" && at.After(oldest):
			ends = append(ends, at)
		case isTime && word[2] == "before" && at.Before(now):
			ends = append(ends, at.Add(-1)) // In the last bucket of the window.
		}
	}
	return ends
}

// newCondition returns the condition that a name and its value mean, or what is wrong with the value. It
// returns nil for an unknown name. A value of some names can be a list with commas: one match is enough.
func newCondition(name, value string, now time.Time) (c condition, problem string) {
	if value, others, isList := strings.Cut(value, ","); isList && slices.Contains([]string{"status", "code", "key", "fault", "repeats"}, name) {
		first, problem := newCondition(name, value, now)
		rest, another := newCondition(name, others, now)
		return func(e *exchange) bool { return first(e) || rest(e) }, max(problem, another) // Of a name there is one problem.
	}
	number, _ := strconv.Atoi(value)
	switch name {
	case "status":
		return hasStatus(value)
	case "method":
		return func(e *exchange) bool { return strings.EqualFold(e.Method, value) }, ""
	case "route":
		return hasRoute(value), ""
	case "key":
		return hasKey(value), ""
	case "candidate":
		if strings.Contains(value, "@") {
			return func(e *exchange) bool { return strings.EqualFold(e.Subject, value) }, ""
		}
		return func(e *exchange) bool {
			name, _, isAddress := strings.Cut(strings.ToLower(e.Subject), "@")
			return isAddress && strings.Contains(name, strings.ToLower(value))
		}, ""
	case "field":
		return func(e *exchange) bool {
			return e.failure().Field == value || slices.Contains(e.failure().Others, value)
		}, ""
	case "program":
		return func(e *exchange) bool {
			return strings.Contains(strings.ToLower(cmp.Or(e.Agent, noKey)), strings.ToLower(value))
		}, ""
	case "code":
		return func(e *exchange) bool { return strings.EqualFold(e.failure().Code, value) }, ""
	case "fault":
		return func(e *exchange) bool { return e.Fault != nil && e.FaultID == number }, ""
	case "repeats":
		return func(e *exchange) bool { return number > 0 && (e.Repeats == number || e.Number == number) }, ""
	case "is":
		if kinds[value] == nil {
			return nil, "must be failed, repeated or fault"
		}
		return kinds[value], ""
	case "took":
		return hasTaken(value)
	case "after", "before":
		const day = 24 * time.Hour
		at, ok := parseSearchTime(value, now)
		if !ok {
			return nil, "must be a time such as 17:16 or 2026-12-01T10:00, or how long ago, such as 5m"
		}
		return func(e *exchange) bool {
			moment := e.At
			if at.Year() == 0 {
				moment = at.Truncate(day).Add(moment.Sub(moment.Truncate(day)))
			}
			return moment.Before(at) == (name == "before")
		}, ""
	}
	return nil, ""
}

// beyondASCII matches what some clients escape in JSON.
var beyondASCII = regexp.MustCompile(`[^\x00-\x7f]`)

// contains returns the condition that an exchange contains a text, as it is or escaped, or has its number, also as in #33.
func contains(text string) condition {
	escaped := strings.ToLower(beyondASCII.ReplaceAllStringFunc(text, func(letter string) (all string) {
		for _, unit := range utf16.Encode([]rune(letter)) {
			all += fmt.Sprintf(`\u%04x`, unit)
		}
		return all
	}))
	text = strings.ToLower(text)
	has := func(part string) bool {
		part = strings.ToLower(part)
		return strings.Contains(part, text) || escaped != text && strings.Contains(part, escaped)
	}
	return func(e *exchange) bool {
		return has(e.Method+" "+e.Path+"?"+e.Query) || has(e.Subject) || has(e.failure().text()) || strconv.Itoa(e.Status) == text || has(e.outcome()) || strconv.Itoa(e.Number) == strings.TrimPrefix(text, "#") ||
			has(string(e.Body)) || has(e.RequestID) || has(string(e.Response)) || has(string(cmp.Or(e.Withheld, &withheldJSON{}).Response)) || has(e.Agent)
	}
}

// outcome returns what the page shows in the row of an exchange although the response does not say it, such as "lost not done".
func (e *exchange) outcome() string {
	words := ""
	switch f := cmp.Or(e.Fault, &Fault{}); {
	case !e.Ended:
	case e.Status == 0 && f.Reset && !f.After:
		words = "reset"
	case e.Status == 0:
		words = "lost"
	case f.CutAfter != 0:
		words = "cut"
	case e.Status == http.StatusTooManyRequests && e.Limit > 0:
		return fmt.Sprintf("no %ss left", classOf(e.Method))
	case e.Status == http.StatusUnauthorized && e.Key == "":
		return "no key"
	case e.Status == http.StatusUnauthorized && e.Organization == nil:
		return "unknown key"
	}
	if classOf(e.Method) == ClassWrite && e.Ended && (e.Status == 0 || e.Status/100 == 5) {
		if !e.Done {
			words += " not"
		}
		words += " done"
	}
	return words
}

func hasStatus(value string) (c condition, problem string) {
	number, _ := strconv.Atoi(value)
	switch {
	case value == "failed":
		return (*exchange).failed, ""
	case value == noKey:
		return func(e *exchange) bool { return e.Status == 0 }, ""
	case slices.Contains([]string{"lost", "reset", "cut"}, value):
		return func(e *exchange) bool { return strings.HasPrefix(e.outcome(), value) }, ""
	case slices.Contains([]string{"2xx", "3xx", "4xx", "5xx"}, value):
		return func(e *exchange) bool { return strconv.Itoa(e.Status/100)+"xx" == value }, ""
	case number >= http.StatusContinue:
		return func(e *exchange) bool { return e.Status == number }, ""
	}
	return nil, "must be a status such as 404, 2xx, 4xx, 5xx, none, lost, reset, cut or failed"
}

// hasRoute returns the condition for a route with its method, for a part of a route, or for none.
func hasRoute(value string) condition {
	if value == noKey {
		return func(e *exchange) bool { return e.Route == "" }
	}
	if strings.Contains(value, " ") {
		return func(e *exchange) bool { return e.operation() == value }
	}
	part := strings.ToLower(value)
	return func(e *exchange) bool { return strings.Contains(strings.ToLower(e.operation()), part) }
}

// hasKey returns the condition for a token, the id of a key, a part of a redacted key, or none.
func hasKey(value string) condition {
	switch {
	case value == noKey:
		return func(e *exchange) bool { return e.KeyID == "" }
	case isToken(value):
		value = keyID(value)
	}
	return func(e *exchange) bool { return e.KeyID == value || strings.Contains(e.Key, value) }
}

// kinds are the values of is.
var kinds = map[string]condition{
	"failed":   (*exchange).failed,
	"repeated": func(e *exchange) bool { return e.Repeats != 0 || e.RepeatedBy != 0 },
	"fault":    func(e *exchange) bool { return e.Fault != nil },
}

func hasTaken(value string) (c condition, problem string) {
	limit, err := time.ParseDuration(strings.TrimLeft(value, "<>"))
	if err != nil || limit <= 0 {
		return nil, "must be a duration, as in took:>1s or took:<50ms"
	}
	less := strings.HasPrefix(value, "<")
	return func(e *exchange) bool { return (e.Took <= limit) == less }, ""
}

// parseSearchTime parses a time in UTC, or a duration before now. A time of day is in the year 0 and means each day.
func parseSearchTime(text string, now time.Time) (at time.Time, ok bool) {
	var ago time.Duration
	if decodeDuration([]byte(strconv.Quote(text)), &ago) == nil {
		return now.Add(-ago), true
	}
	for _, layout := range []string{"15:04", "15:04:05", time.DateOnly, "2006-01-02T15:04", "2006-01-02T15:04:05"} {
		if at, err := time.Parse(layout, strings.TrimSuffix(text, "Z")); err == nil {
			return at, true
		}
	}
	return time.Time{}, false
}

// matching returns the exchanges that meet all conditions among those that changed after a revision.
func matching(exchanges []*exchange, after int, all []condition) (found []*exchange) {
	for _, e := range exchanges {
		if e.revision > after && !slices.ContainsFunc(all, func(c condition) bool { return !c(e) }) {
			found = append(found, e)
		}
	}
	return found
}
