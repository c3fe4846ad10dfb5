package console

import (
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/hiring-assessment/hiring-go/sandbox"
)

// faultText describes a fault in words, such as "502 for GET /account".
func faultText(f sandbox.Fault) string {
	var parts []string
	add := func(set bool, format string, args ...any) {
		if set {
			parts = append(parts, fmt.Sprintf(format, args...))
		}
	}
	add(f.Status != 0, "%d", f.Status)
	add(f.Code != "", "%s", f.Code)
	add(f.Status == 0 && f.Code == "" && f.RetryAfter > 0, "429")
	add(f.Body != "" || f.ContentType != "", "response from an intermediary")
	add(f.Reset, "connection reset")
	add(f.CutAfter != 0, "cut after %d bytes", max(f.CutAfter, 0))
	add(f.RetryAfter > 0, "Retry-After %s", formatWait(f.RetryAfter))
	add(f.Delay > 0, "delayed by %s", formatElapsed(f.Delay))
	add(f.Late > 0, "response lost, done %s later", formatWait(f.Late))
	add(f.After && len(parts) == 0, "response lost")
	add(f.After && len(parts) > 0 && parts[0] != "response lost", "after the work is done")
	text := strings.Join(parts, ", ") + " for "
	if f.Route == "" || f.Route == "*" {
		text += "every request"
	} else {
		text += f.Route
	}
	if f.Key != "" {
		text += " of " + f.Key
	}
	return text
}

// leftText describes the remaining requests of a fault, such as "2 of 3 left", and the
// requests that pass first.
func leftText(times, remaining, skip int) string {
	text := "every time"
	if times >= 0 {
		text = fmt.Sprintf("%d of %d left", remaining, max(times, 1))
	}
	if skip > 0 {
		text += fmt.Sprintf(", after %d more requests", skip)
	}
	return text
}

// problemText returns the error code and the first field error of a response.
func problemText(e sandbox.Entry) string {
	if e.Status < 400 || e.Detail == nil {
		return ""
	}
	var body struct {
		Error struct {
			Code    string `json:"code"`
			Details struct {
				FormErrors  []string            `json:"formErrors"`
				FieldErrors map[string][]string `json:"fieldErrors"`
			} `json:"details"`
		} `json:"error"`
	}
	if json.Unmarshal(e.Detail.Response, &body) != nil {
		return ""
	}
	text := body.Error.Code
	for _, name := range slices.Sorted(maps.Keys(body.Error.Details.FieldErrors)) {
		if messages := body.Error.Details.FieldErrors[name]; len(messages) > 0 {
			return text + ": " + name + ": " + messages[0]
		}
	}
	if messages := body.Error.Details.FormErrors; len(messages) > 0 {
		text += ": " + messages[0]
	}
	return text
}

var uuid = regexp.MustCompile(`[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}`)

// shortenIDs shortens the ids in a text by omitting their middle.
func shortenIDs(text string) string {
	return uuid.ReplaceAllStringFunc(text, func(id string) string { return id[:8] + "…" + id[len(id)-4:] })
}

// dollars formats an amount with cents.
func dollars(amount float64) string { return "$" + strconv.FormatFloat(amount, 'f', 2, 64) }
