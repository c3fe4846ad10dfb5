// Package provenance tells the service's replies from those of others.
//
// What answers with a 2xx need not be the service: proxies show sign-in pages
// so. The service signs each reply with headers, and its bodies are JSON or
// empty. A gateway may strip headers, which shows where a reply without them
// holds the service's envelope; from then on an empty one may be its own too.
package provenance

import (
	"bytes"
	"slices"
	"sync/atomic"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/hiring-assessment/hiring-go/internal/text"
)

// signatures are the headers that every reply of the service carries.
var signatures = []string{"X-Request-Id", "X-Ratelimit-Limit", "X-Ratelimit-Remaining", "X-Ratelimit-Reset"}

// Signed tells whether a header, whose names are canonical, is the service's.
func Signed(header map[string][]string) bool {
	return slices.ContainsFunc(signatures, func(name string) bool {
		values := header[name]
		return len(values) > 0 && values[0] != ""
	})
}

// Judge knows what is on the way to the service. Its zero value knows nothing yet.
type Judge struct{ stripped atomic.Bool }

// Foreign says why a 2xx reply is not the service's, nothing when it is, and
// whether it is a page or other text that is no JSON. The service's own is a JSON
// object with one of the members at least, as far as it can be read until then.
func (j *Judge) Foreign(header map[string][]string, body []byte, members []string, until interface{ Err() error }) (why string, page bool) {
	trimmed := bytes.TrimLeft(body, " \t\r\n\ufeff")
	switch {
	case len(trimmed) > 0 && !text.LooksLikeJSON(trimmed):
		return NotOwn(body, ""), true
	case Signed(header):
	case len(trimmed) == 0:
		if !j.stripped.Load() {
			return NotOwn(nil, ""), false
		}
	case !hasMember(trimmed, members, until):
		return NotOwn(trimmed, "envelope"), false
	default:
		j.stripped.Store(true)
	}
	return "", false
}

// NotOwn says what a reply is that is not the service's. Of JSON, which would
// come in envelope, it quotes nothing.
func NotOwn(body []byte, envelope string) string {
	switch {
	case len(body) == 0:
		return "the reply is empty and not the service's own"
	case text.LooksLikeJSON(body):
		return "the reply is JSON but not the service's " + envelope
	}
	return "the reply is not the service's own: " + text.Quote(body)
}

// hasMember tells whether body is a JSON object with a member of one of these
// names.
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

// skipValue is SkipValue, but ends with the time.
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
