package console

import (
	"html/template"
	"net/http"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/hiring-assessment/hiring-go/sandbox/internal/world"
)

// funcs are the functions of the templates.
var funcs = template.FuncMap{
	"clock":   func(t time.Time) string { return t.UTC().Format("15:04:05.000") },
	"date":    func(t time.Time) string { return t.UTC().Format("2006-01-02 15:04:05 MST") },
	"brief":   func(t time.Time) string { return t.UTC().Format("2 Jan 15:04:05") },
	"stamp":   func(t time.Time) string { return t.UTC().Format(time.RFC3339Nano) },
	"moment":  func(m world.Moment) time.Time { return m.Time() },
	"reason":  http.StatusText,
	"short":   shorten,
	"took":    formatElapsed,
	"wait":    formatWait,
	"share":   percentage,
	"stage":   func(n int) string { return world.Stages[n] },
	"hundred": func(n int) int { return n / 100 },
	"seq":     func(all ...string) []string { return all },
	"dict":    dict,
	"add":     func(a, b int) int { return a + b },
	"fault":   faultText,
	"left":    leftText,
	"problem": problemText,
	"ids":     shortenIDs,
	"json":    highlight,
	"dollars": dollars,
}

// shorten shortens a text to at most limit characters.
func shorten(limit int, text string) string {
	if utf8.RuneCountInString(text) <= limit {
		return text
	}
	runes := []rune(text)
	return string(runes[:limit-1]) + "…"
}

// formatElapsed formats a duration in µs, ms or s.
func formatElapsed(d time.Duration) string {
	switch {
	case d < time.Millisecond:
		return strconv.FormatInt(d.Microseconds(), 10) + " µs"
	case d < time.Second:
		return strconv.FormatInt(d.Milliseconds(), 10) + " ms"
	}
	return strconv.FormatFloat(d.Seconds(), 'f', 1, 64) + " s"
}

// formatWait formats a duration in its two largest units.
func formatWait(d time.Duration) string {
	if d < time.Minute {
		return strconv.FormatInt(int64(d.Round(time.Second)/time.Second), 10) + " s"
	}
	var parts []string
	for _, unit := range []struct {
		name string
		size time.Duration
	}{{"d", 24 * time.Hour}, {"h", time.Hour}, {"min", time.Minute}, {"s", time.Second}} {
		if n := d / unit.size; n > 0 && len(parts) < 2 {
			parts = append(parts, strconv.FormatInt(int64(n), 10)+" "+unit.name)
		}
		d %= unit.size
	}
	return strings.Join(parts, " ")
}

// percentage returns a part of a whole in percent.
func percentage(part, whole int) int {
	if whole == 0 {
		return 0
	}
	return part * 100 / whole
}

// dict returns a map, to pass several values to a template.
func dict(pairs ...any) map[string]any {
	values := make(map[string]any, len(pairs)/2)
	for i := 0; i+1 < len(pairs); i += 2 {
		values[pairs[i].(string)] = pairs[i+1] // Templates are part of the program.
	}
	return values
}
