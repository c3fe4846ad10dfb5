// Package controlapi reads and checks requests to the control API: strict JSON.
package controlapi

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"strings"
	"time"
)

// maxBody is the maximum size of a request body in bytes.
const maxBody = 1 << 20

// Read returns the body of a request, or nil without one. The body's Content-Type must be
// JSON.
func Read(r *http.Request) ([]byte, error) {
	if r.Body == nil {
		return nil, nil
	}
	body, err := io.ReadAll(io.LimitReader(r.Body, maxBody+1))
	switch {
	case err != nil:
		return nil, fmt.Errorf("the body could not be read: %w", err)
	case len(body) > maxBody:
		return nil, fmt.Errorf("the body is longer than %d bytes", maxBody)
	case len(bytes.TrimSpace(body)) == 0:
		return nil, nil
	}
	// A web page of another site can send a form, but not with this type.
	if kind, _, err := mime.ParseMediaType(r.Header.Get("Content-Type")); err != nil || kind != "application/json" {
		return nil, errors.New("send the header Content-Type: application/json")
	}
	return body, nil
}

// Decode decodes a JSON object. It rejects unknown members, because a misspelt one would
// otherwise be ignored.
func Decode(body []byte, into any) error {
	if body == nil {
		return errors.New("send a JSON object")
	}
	decoder := json.NewDecoder(bytes.NewReader(body))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(into); err != nil {
		return fmt.Errorf("the body is not what is expected here: %s", strings.TrimPrefix(err.Error(), "json: "))
	}
	if _, err := decoder.Token(); !errors.Is(err, io.EOF) {
		return errors.New("the body has more after its JSON object")
	}
	return nil
}

// Span is a duration in JSON.
type Span time.Duration

// UnmarshalJSON accepts a number of seconds, and a text like "1m30s".
func (d *Span) UnmarshalJSON(raw []byte) error {
	var seconds float64
	if json.Unmarshal(raw, &seconds) == nil {
		if seconds < -maxSpan || seconds > maxSpan {
			return fmt.Errorf("%s seconds are more than a duration can hold", raw)
		}
		*d = Span(seconds * float64(time.Second))
		return nil
	}
	var text string
	if json.Unmarshal(raw, &text) == nil {
		if parsed, err := time.ParseDuration(text); err == nil {
			*d = Span(parsed)
			return nil
		}
	}
	return fmt.Errorf(`%.100s is no duration: give seconds, as in 90, or a text like "1m30s"`, raw)
}

// MarshalJSON returns the number of seconds.
func (d Span) MarshalJSON() ([]byte, error) { return json.Marshal(time.Duration(d).Seconds()) }

// maxSpan is the maximum number of seconds of a Span.
const maxSpan = float64(1<<62) / float64(time.Second)
