package doctor

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"maps"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"time"

	hiring "github.com/hiring-assessment/hiring-go"
)

// response is the response to one request, or the reason why the request was not sent.
type response struct {
	label   string // The request, without ids and cursors.
	skipped string // Why the request was not sent; empty when it was.
	limited bool   // The time limit of the whole run had ended when the call returned.
	status  int    // 0 when no response arrived.
	header  http.Header
	body    []byte
	err     error     // The client's error; nil for a 2xx response of the API.
	at      time.Time // By the local clock, half way between request and response.

	data     json.RawMessage
	meta     meta
	apiError apiError
}

// meta is the meta object of an envelope. A nil member was absent.
type meta struct {
	RequestID  string  `json:"request_id"`
	Page       *int    `json:"page"`
	PageSize   *int    `json:"page_size"`
	HasMore    *bool   `json:"has_more"`
	NextCursor *string `json:"next_cursor"`
}

// apiError is an error response of the API as the client decoded it, without the key.
type apiError struct {
	code, message string
	form          []string
	fields        map[string][]string
}

// parse decodes the envelope and the error of a response.
func (resp *response) parse() {
	if failure, ok := errors.AsType[*hiring.Error](resp.err); ok {
		form, fields := failure.Fields()
		resp.apiError = apiError{string(failure.Code), failure.Message, form, fields}
	}
	var envelope struct {
		Data json.RawMessage `json:"data"`
		Meta json.RawMessage `json:"meta"`
	}
	if json.Unmarshal(resp.body, &envelope) == nil {
		resp.data = envelope.Data
		_ = json.Unmarshal(envelope.Meta, &resp.meta) // Members that decode are kept when others do not.
	}
}

func (resp response) ok() bool { return resp.skipped == "" && resp.err == nil && resp.status/100 == 2 }

// absent reports whether the response says that there is no such route or resource.
func (resp response) absent() bool {
	return resp.status == http.StatusNotFound || resp.status == http.StatusMethodNotAllowed
}

// routeExists reports whether the response shows that the route exists, even when the
// input was rejected.
func (resp response) routeExists() bool {
	switch resp.status {
	case http.StatusBadRequest, http.StatusPaymentRequired, http.StatusConflict, http.StatusUnprocessableEntity:
		return resp.apiError.code != ""
	}
	return resp.ok()
}

// timedOut reports whether a time limit ended the request or its response. Such a response
// says nothing about the server or the key.
func (resp response) timedOut() bool {
	return resp.limited || resp.status/100 == 2 && errors.Is(resp.err, context.DeadlineExceeded)
}

// items returns the items of a list, or nil when data is not an array.
func (resp response) items() []json.RawMessage {
	var items []json.RawMessage
	if json.Unmarshal(resp.data, &items) != nil {
		return nil
	}
	return items
}

// decoded returns the items that decode as T.
func decoded[T any](items []json.RawMessage) []T {
	var all []T
	for _, item := range items {
		var one T
		if json.Unmarshal(item, &one) == nil {
			all = append(all, one)
		}
	}
	return all
}

func (resp response) hasMore() bool {
	if resp.meta.HasMore != nil {
		return *resp.meta.HasMore
	}
	return resp.cursor() != ""
}

func (resp response) cursor() string {
	if resp.meta.NextCursor == nil {
		return ""
	}
	return *resp.meta.NextCursor
}

// summary describes the outcome in a few words.
func (resp response) summary() string {
	switch {
	case resp.skipped != "":
		return resp.skipped
	case resp.limited && resp.status == 0:
		return resp.label + ": no response within the time limit"
	case resp.timedOut():
		return resp.label + ": the time limit ended the response"
	case resp.status == 0:
		return resp.label + ": no response"
	}
	return resp.label + ": " + cmp.Or(resp.apiError.code, http.StatusText(resp.status))
}

// indecisive describes a response that does not decide what it was requested for.
func (resp response) indecisive() string { return resp.summary() + ", which does not decide it" }

// complaint is what an error response says about a name.
type complaint int

const (
	noComplaint complaint = iota
	aboutValue            // The name is known; its value is rejected.
	unknownName           // The name is not known.
	missingName           // The name is required and was not sent.
)

var (
	namesUnknown = regexp.MustCompile(`(?i)\b(unknown|unrecogni[sz]ed|unexpected|unsupported|not (known|allowed|supported|recogni[sz]ed|expected))\b`)
	namesMissing = regexp.MustCompile(`(?i)\b(required|missing|must be (given|present|sent)|received undefined)\b`)
)

// complaintAbout returns what the response says about a name. sent reports whether the
// request had it.
func (resp response) complaintAbout(name string, sent bool) complaint {
	if resp.status != http.StatusBadRequest && resp.status != http.StatusUnprocessableEntity {
		return noComplaint
	}
	texts, nameWithValue := resp.apiError.fields[name]
	if !nameWithValue {
		for _, text := range append(slices.Clone(resp.apiError.form), resp.apiError.message) {
			if mentions(text, name) {
				texts, nameWithValue = append(texts, text), true
			}
		}
	}
	about := strings.Join(texts, " ")
	switch {
	case !nameWithValue:
		return noComplaint
	case namesUnknown.MatchString(about):
		return unknownName
	case !sent && namesMissing.MatchString(about):
		return missingName
	case sent && !namesMissing.MatchString(about):
		return aboutValue
	}
	return noComplaint
}

// mentions reports whether a text has a name in quotation marks. Without them, words such
// as page and name are not counted as names.
func mentions(text, name string) bool {
	return slices.ContainsFunc([]string{`"`, `'`, "`"}, func(mark string) bool { return strings.Contains(text, mark+name+mark) })
}

// missingFields returns the names that the response requires and that were not sent.
func (resp response) missingFields() []string {
	return namesWith(missingName, resp, resp.apiError.fields, false)
}

// unknownNames returns the names that a strict server rejects as unknown.
func unknownNames[V any](resp response, sent map[string]V) []string {
	return namesWith(unknownName, resp, sent, true)
}

// namesWith returns the names about which the response has the complaint, in order.
func namesWith[V any](c complaint, resp response, names map[string]V, sent bool) []string {
	return slices.DeleteFunc(slices.Sorted(maps.Keys(names)), func(name string) bool { return resp.complaintAbout(name, sent) != c })
}

// isPage reports whether the body is a web page or plain text, not JSON.
func (resp response) isPage() bool {
	body := bytes.TrimLeft(resp.body, " \t\r\n\ufeff")
	return len(body) > 0 && !bytes.ContainsAny(body[:1], `{["`) && !json.Valid(body)
}

var pageTitle = regexp.MustCompile(`(?is)<title[^>]*>([^<]{1,100})`)

// notFromAPI reports whether no response arrived, or one of an intermediary.
func (resp response) notFromAPI() bool {
	return resp.status == 0 || resp.isPage() || resp.status/100 == 3
}

// title returns the title of a web page, or "". It is taken from the client's error, which
// never contains the key.
func (resp response) title() string {
	if resp.err == nil {
		return ""
	}
	found := pageTitle.FindStringSubmatch(resp.err.Error())
	if found == nil {
		return ""
	}
	return strings.Join(strings.Fields(found[1]), " ")
}
