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
	if text, ok := value.(string); ok && len(text) >= len("2006-01-02T15:04:05Z") && text[4] == '-' {
		if t, err := time.Parse(time.RFC3339, text); err == nil {
			return p.Time(t)
		}
	}
	return Clean(plainText(value))
}

// Time returns a time in the user's zone, with the name of the zone.
func (p *Printer) Time(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.In(p.zone).Format(timeLayout)
}

const (
	timeLayout = "2006-01-02 15:04 MST"
	dayLayout  = "2006-01-02"
)

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
