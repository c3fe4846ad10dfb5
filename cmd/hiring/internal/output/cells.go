package output

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"time"
)

// plainText returns a value as the text of a cell.
func plainText(value any) string {
	switch v := value.(type) {
	case nil:
		return ""
	case string:
		return v
	case float64:
		return strconv.FormatFloat(v, 'f', -1, 64)
	case int, bool:
		return fmt.Sprint(v)
	case []any:
		return listText(v)
	}
	text, err := encode(value)
	if err != nil {
		return ""
	}
	return string(cleanJSON(text))
}

// listText joins a list of texts and numbers. Other lists stay JSON.
func listText(list []any) string {
	var texts []string
	for _, value := range list {
		switch value.(type) {
		case string, float64, bool:
			texts = append(texts, plainText(value))
		default:
			text, _ := json.Marshal(list)
			return string(cleanJSON(text))
		}
	}
	return strings.Join(texts, ", ")
}

// forPeople is plainText with times in the user's zone.
func (p *Printer) forPeople(value any) string {
	if t, isTime := timeOf(value); isTime {
		return p.Time(t)
	}
	return Clean(plainText(value))
}

// inTable is forPeople with relative times on a terminal.
func (p *Printer) inTable(value any) string {
	if t, isTime := timeOf(value); isTime && p.Terminal && p.Now != nil && !t.IsZero() {
		return relative(t, p.Now())
	}
	return p.forPeople(value)
}

func timeOf(value any) (t time.Time, ok bool) {
	text, ok := value.(string)
	if !ok || len(text) < len("2006-01-02T15:04:05Z") || text[4] != '-' {
		return t, false
	}
	t, err := time.Parse(time.RFC3339, text)
	return t, err == nil
}

// relative returns a time as people say it, as in "2 days ago" and "in 3 hours".
func relative(t, now time.Time) string {
	const day = 24 * time.Hour
	d := now.Sub(t).Abs()
	n, unit := d/(365*day), "year"
	switch {
	case d < time.Minute:
		return "now"
	case d < time.Hour:
		n, unit = d/time.Minute, "minute"
	case d < 2*day:
		n, unit = d/time.Hour, "hour"
	case d < 60*day:
		n, unit = d/day, "day"
	case d < 730*day:
		n, unit = d/(30*day), "month"
	}
	if n != 1 {
		unit += "s"
	}
	if t.After(now) {
		return fmt.Sprintf("in %d %s", n, unit)
	}
	return fmt.Sprintf("%d %s ago", n, unit)
}

// Time returns a time in the user's zone, with the name of the zone.
func (p *Printer) Time(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.In(p.zone).Format("2006-01-02 15:04 MST")
}

// StyleOf returns the style of words such as statuses.
func StyleOf(text string) Style {
	switch text {
	case "evaluated", "active", "strong_yes", "yes", "shortlisted", "sent":
		return Green
	case "started", "opened", "submitted", "existing":
		return Yellow
	case "revoked", "flagged", "strong_no", "no", "unknown":
		return Red
	case "closed", "expired", "not sent", "not enough data":
		return Faint
	}
	return Plain
}
