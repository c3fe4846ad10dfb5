package hiring

import (
	"bytes"
	"slices"
	"sync/atomic"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/hiring-assessment/hiring-go/internal/limits"
)

// This file determines whether a response came from the API or from an
// intermediary.
//
// A 2xx response may come from a proxy that shows a sign-in page. Every response of the
// API has certain headers, and its body is JSON or empty. A gateway may remove these
// headers: a response that has the API's envelope but not the headers shows it. From then
// on, an empty response without the headers also counts as the API's.

// signatures are the headers of every API response, by canonical name.
var signatures = []string{"X-Request-Id", "X-Ratelimit-Limit", "X-Ratelimit-Remaining", "X-Ratelimit-Reset"}

// isSigned reports whether header has one of the API's headers. Its names must be canonical.
func isSigned(header map[string][]string) bool {
	return slices.ContainsFunc(signatures, func(name string) bool {
		values := header[name]
		return len(values) > 0 && values[0] != ""
	})
}

// provenanceDetector determines where responses came from, and remembers whether a gateway removes
// the API's headers. Its zero value is ready to use. It is safe for concurrent use.
type provenanceDetector struct{ gatewayStrips atomic.Bool }

// Intermediary returns why a 2xx response did not come from the API, or "" if it did.
// page reports whether the body is text other than JSON. A response without the API's
// headers must be a JSON object with one of the members. The search for them ends when
// until returns an error.
func (j *provenanceDetector) Intermediary(
	header map[string][]string, body []byte, members []string, until interface{ Err() error },
) (why string, page bool) {
	trimmed := bytes.TrimLeft(body, " \t\r\n\ufeff")
	switch {
	case len(trimmed) > 0 && !limits.LooksLikeJSON(trimmed):
		return describeBody(body, ""), true
	case isSigned(header):
	case len(trimmed) == 0:
		if !j.gatewayStrips.Load() {
			return describeBody(nil, ""), false
		}
	case !hasMember(trimmed, members, until):
		return describeBody(trimmed, "envelope"), false
	default:
		j.gatewayStrips.Store(true)
	}
	return "", false
}

// describeBody returns an error text for a body that did not come from the API. It does not
// quote JSON, which may contain candidates' data. envelope names the expected JSON.
func describeBody(body []byte, envelope string) string {
	switch {
	case len(body) == 0:
		return "the response is empty and not from the API"
	case limits.LooksLikeJSON(body):
		return "the response is JSON but not the API's " + envelope
	}
	return "the response is not from the API: " + limits.Quote(body)
}

// hasMember reports whether body is a JSON object with a member of one of these names.
func hasMember(body []byte, names []string, until interface{ Err() error }) bool {
	d := jsontext.NewDecoder(bytes.NewBuffer(body), jsontext.AllowInvalidUTF8(true), jsontext.AllowDuplicateNames(true))
	if d.PeekKind() != '{' {
		return false
	}
	_, err := d.ReadToken()
	for err == nil && d.PeekKind() == '"' {
		var name jsontext.Token
		if name, err = d.ReadToken(); err == nil && slices.Contains(names, name.String()) {
			return true
		}
		if err == nil {
			err = skipValue(d, until)
		}
	}
	return false
}

// skipValue skips one value like jsontext.Decoder.SkipValue, and stops when until returns
// an error.
func skipValue(d *jsontext.Decoder, until interface{ Err() error }) error {
	for depth, n := d.StackDepth(), 1; ; n++ {
		if _, err := d.ReadToken(); err != nil || d.StackDepth() == depth {
			return err
		}
		if n%4096 == 0 && until.Err() != nil {
			return until.Err()
		}
	}
}
