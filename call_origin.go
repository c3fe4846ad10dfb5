package hiring

import (
	"bytes"
	"net/http"
	"slices"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/hiring-assessment/hiring-go/internal/texts"
)

// What answers with a 2xx need not be the service: proxies show sign-in pages
// so. The service signs each reply with headers, and its bodies are JSON or
// empty. A gateway may strip headers, which shows where a reply without them
// holds the service's envelope; from then on an empty one may be its own too.

// signatures are the headers that every reply of the service carries.
var signatures = []string{"X-Request-Id", "X-Ratelimit-Limit", "X-Ratelimit-Remaining", "X-Ratelimit-Reset"}

func signed(h http.Header) bool {
	return slices.ContainsFunc(signatures, func(name string) bool { return h.Get(name) != "" })
}

// foreign says why a 2xx reply is not the service's, nothing when it is, and
// whether it is a page or other text that is no JSON.
func (a *attempt) foreign(body []byte) (why replyError, page bool) {
	text := bytes.TrimLeft(body, " \t\r\n\ufeff")
	switch {
	case len(text) > 0 && !texts.LooksLikeJSON(text):
		return replyError(notOwn(body, "")), true
	case signed(a.header):
	case len(text) == 0:
		if !a.core.family.unsigned.Load() {
			return replyError(notOwn(nil, "")), false
		}
	case !a.hasMember(text, a.request.envelope()):
		return replyError(notOwn(text, "envelope")), false
	default:
		a.core.family.unsigned.Store(true)
	}
	return "", false
}

// envelope returns the members of which the service's reply has one at least.
func (r request) envelope() []string {
	if r.route == "/openapi.json" { // The one document that is documented bare.
		return []string{"openapi", "data", "meta"}
	}
	return []string{"data", "meta"}
}

// hasMember tells whether body is a JSON object with a member of one of these
// names, as far as it can be read within the attempt's time.
func (a *attempt) hasMember(body []byte, names []string) bool {
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
			err = a.skipValue(d)
		}
	}
	return false
}

// skipValue is SkipValue, but ends with the attempt's time.
func (a *attempt) skipValue(d *jsontext.Decoder) error {
	for depth, n := d.StackDepth(), 1; ; n++ {
		if _, err := d.ReadToken(); err != nil || d.StackDepth() == depth {
			return err
		}
		if n%4096 == 0 && a.timed.Err() != nil {
			return a.timed.Err()
		}
	}
}

// notOwn says what a reply is that is not the service's. Of JSON, which would
// come in envelope, it quotes nothing.
func notOwn(body []byte, envelope string) string {
	switch {
	case len(body) == 0:
		return "the reply is empty and not the service's own"
	case texts.LooksLikeJSON(body):
		return "the reply is JSON but not the service's " + envelope
	}
	return "the reply is not the service's own: " + texts.Quote(body)
}
