package doctor

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"time"

	hiring "github.com/hiring-assessment/hiring-go"
)

// answer is what one request brought, or why it was not sent.
type answer struct {
	asked   string // For people: no ids, no cursors.
	skipped string // Why it was not sent; empty when it was.
	limited bool   // The time limit of the whole run had ended when the call returned.
	status  int    // 0: no reply.
	header  http.Header
	body    []byte
	err     error     // The client's; nil for a 2xx of the service.
	at      time.Time // By the local clock, half way between request and reply.

	data    json.RawMessage
	meta    meta
	refusal refusal
}

// meta is what replies say about themselves. A nil member was not there.
type meta struct {
	RequestID  string  `json:"request_id"`
	Page       *int    `json:"page"`
	PageSize   *int    `json:"page_size"`
	HasMore    *bool   `json:"has_more"`
	NextCursor *string `json:"next_cursor"`
}

// refusal is an error of the service, as the client read it: without the key.
type refusal struct {
	code, message string
	form          []string
	fields        map[string][]string
}

// open reads the reply as far as it is the service's.
func (a *answer) open() {
	if failure, ok := errors.AsType[*hiring.Error](a.err); ok {
		form, fields := failure.Fields()
		a.refusal = refusal{string(failure.Code), failure.Message, form, fields}
	}
	var envelope struct {
		Data json.RawMessage `json:"data"`
		Meta json.RawMessage `json:"meta"`
	}
	if json.Unmarshal(a.body, &envelope) == nil {
		a.data = envelope.Data
		_ = json.Unmarshal(envelope.Meta, &a.meta) // As far as it can be read: each member stands by itself.
	}
}

func (a answer) ok() bool { return a.skipped == "" && a.err == nil && a.status/100 == 2 }

// absent tells that the service has no such route, or nothing under the id.
func (a answer) absent() bool {
	return a.status == http.StatusNotFound || a.status == http.StatusMethodNotAllowed
}

// exists tells that the service has the route, whatever it thought of the input.
func (a answer) exists() bool {
	switch a.status {
	case http.StatusBadRequest, http.StatusPaymentRequired, http.StatusConflict, http.StatusUnprocessableEntity:
		return a.refusal.code != ""
	}
	return a.ok()
}

// timedOut reports whether a time limit ended the request or its response. Nothing is
// known then about the server or the key.
func (a answer) timedOut() bool {
	return a.limited || a.status/100 == 2 && errors.Is(a.err, context.DeadlineExceeded)
}

// items are the resources of a list; nil when there is none.
func (a answer) items() []json.RawMessage {
	var items []json.RawMessage
	if json.Unmarshal(a.data, &items) != nil {
		return nil
	}
	return items
}

func (a answer) more() bool {
	if a.meta.HasMore != nil {
		return *a.meta.HasMore
	}
	return a.cursor() != ""
}

func (a answer) cursor() string {
	if a.meta.NextCursor == nil {
		return ""
	}
	return *a.meta.NextCursor
}

// saw tells the outcome in a few words.
func (a answer) saw() string {
	switch {
	case a.skipped != "":
		return a.skipped
	case a.limited && a.status == 0:
		return a.asked + ": no response within the time limit"
	case a.timedOut():
		return a.asked + ": the time limit ended the response"
	case a.status == 0:
		return a.asked + ": no reply"
	}
	text := a.asked + ": " + http.StatusText(a.status)
	if a.refusal.code != "" {
		text = a.asked + ": " + a.refusal.code
	}
	return text
}

// objection is what a 400 has against a name.
type objection int

const (
	none      objection = iota
	toValue             // The name is known: its value is refused.
	toName              // The name is not known.
	toAbsence           // The name is missed.
)

var (
	namesUnknown = regexp.MustCompile(`(?i)\b(unknown|unrecogni[sz]ed|unexpected|unsupported|not (known|allowed|supported|recogni[sz]ed|expected))\b`)
	namesMissing = regexp.MustCompile(`(?i)\b(required|missing|must be (given|present|sent)|received undefined)\b`)
)

// objectsTo tells what the reply has against a name that was sent, or was not.
func (a answer) objectsTo(name string, sent bool) objection {
	if a.status != http.StatusBadRequest && a.status != http.StatusUnprocessableEntity {
		return none
	}
	texts, named := a.refusal.fields[name]
	if !named {
		for _, text := range append(slices.Clone(a.refusal.form), a.refusal.message) {
			if mentions(text, name) {
				texts, named = append(texts, text), true
			}
		}
	}
	about := strings.Join(texts, " ")
	switch {
	case !named:
		return none
	case namesUnknown.MatchString(about):
		return toName
	case !sent && namesMissing.MatchString(about):
		return toAbsence
	case sent && !namesMissing.MatchString(about):
		return toValue
	}
	return none
}

// mentions tells whether a text has a name in quotation marks: without them, page
// or name are words like any other.
func mentions(text, name string) bool {
	return slices.ContainsFunc([]string{`"`, `'`, "`"}, func(mark string) bool { return strings.Contains(text, mark+name+mark) })
}

// missed are the names that a 400 wants and that were not sent.
func (a answer) missed() []string {
	var names []string
	for name := range a.refusal.fields {
		if a.objectsTo(name, false) == toAbsence {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

// isPage tells a web page from what an interface of JSON would say.
func (a answer) isPage() bool {
	body := bytes.TrimLeft(a.body, " \t\r\n\ufeff")
	return len(body) > 0 && !bytes.ContainsAny(body[:1], `{["`) && !json.Valid(body)
}

var pageTitle = regexp.MustCompile(`(?is)<title[^>]*>([^<]{1,100})`)

// elsewhere tells that no reply is the service's: there is none, or one of
// something else.
func (a answer) elsewhere() bool { return a.status == 0 || a.isPage() || a.status/100 == 3 }

// title is that of a page, as far as the client's error quotes it: what the error
// quotes holds no key.
func (a answer) title() string {
	if a.err == nil {
		return ""
	}
	found := pageTitle.FindStringSubmatch(a.err.Error())
	if found == nil {
		return ""
	}
	return strings.Join(strings.Fields(found[1]), " ")
}
