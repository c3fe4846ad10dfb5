package hiring

import (
	"encoding/json"
	"reflect"
	"strings"

	jsonv2 "github.com/go-json-experiment/json"

	"github.com/hiring-assessment/hiring-go/internal/jsoncodec"
	"github.com/hiring-assessment/hiring-go/internal/jsoncodec/fastjson"
)

// resource is implemented by the structs that represent the API's JSON. Their exported
// JSON methods keep unknown members under encoding/json and json/v2 alike. This package
// does not call these methods, because they would parse each level again.
type resource interface{ resource() }

// entity is what a call can return.
type entity interface {
	// check returns an error for the data of another resource: one without an id, or with another
	// than wanted. With "" for wanted any id is right.
	check(wanted string) error
}

// checkID is the check of a resource that must have an id.
func checkID(id, wanted string) error {
	switch {
	case id == "":
		return errNoIdentity
	case wanted != "" && idKey(id) != idKey(wanted):
		return errOtherID
	}
	return nil
}

// idKey returns the same text for all spellings of a UUID: case, hyphens and braces do not matter.
func idKey(id string) string { return strings.ToLower(spelling.Replace(id)) }

// spelling removes what spellings of a UUID differ in, besides case.
var spelling = strings.NewReplacer("-", "", "{", "", "}", "")

var apiCodec = jsoncodec.New[resource]()

// encode is the MarshalJSON of a resource. Without the marker of the interface resource it would call itself.
func encode(v resource) ([]byte, error) { return apiCodec.Encode(v) }

func decode(b []byte, v any, options ...jsonv2.Options) error {
	return apiCodec.Decode(b, v, options...)
}

// decoder decodes the body of a 2xx API response, which lies in memory that is used again. It is
// called again for each attempt and keeps nothing of an earlier one. The warning is for a response
// that is usable but unexpected; it is "" for any other.
type decoder func(body []byte) (warning string, err error)

// responseError is the complete text of an error about a 2xx response.
type responseError string

func (e responseError) Error() string { return string(e) }

// envelope is the form of a 2xx response.
type envelope[T any] struct {
	Data *T       `json:"data"`
	Meta wireMeta `json:"meta"`

	inline T // What Data usually points to, which saves an allocation.
}

// readEnvelope decodes an envelope into e. JSON that the fast decoder refuses is decoded with
// json/v2, whose error says where and why. So is data that is a zero value, which may be absent.
func readEnvelope[T any](body []byte, e *envelope[T]) error {
	*e = envelope[T]{} // It may hold the data of an earlier attempt.
	e.Data = &e.inline
	if fastjson.Decode(body, e, apiCodec.Reading) != nil || e.Data != nil && reflect.ValueOf(e.Data).Elem().IsZero() {
		*e = envelope[T]{}
		return decode(body, e)
	}
	return nil
}

const (
	errNoData     = responseError("the response has no data")
	errNoIdentity = responseError("the response's data has no id, so it is not the expected resource")
	errNoDocument = responseError("the response is no OpenAPI document: it has no member openapi with a text")
	errOtherID    = responseError("the response has another id than the requested resource")
)

// decodeList decodes an envelope whose data is an array. Data of null is an empty list.
func decodeList[T any](body []byte) (list []T, meta wireMeta, err error) {
	var e envelope[[]T]
	if err := readEnvelope(body, &e); err != nil {
		return nil, wireMeta{}, err
	}
	if e.Data != nil {
		return *e.Data, e.Meta, nil
	}
	var given struct {
		Data RawValue `json:"data"` // Not nil for null.
	}
	if decode(body, &given) != nil || given.Data == nil {
		return nil, wireMeta{}, errNoData
	}
	return nil, e.Meta, nil
}

// rejection is what the API says about a request that failed.
type rejection struct {
	Code      ErrorCode       `json:"code"`
	Message   string          `json:"message"`
	Details   json.RawMessage `json:"details"`
	RequestID RawValue        `json:"request_id"` // Any type is accepted, so that an invalid id does not hide the code.
}

// readRejection returns the content of an error envelope, nil for another body.
func readRejection(body []byte) *rejection {
	var e struct {
		Error *rejection `json:"error"`
	}
	if decode(body, &e) != nil || e.Error == nil || e.Error.Code == "" && e.Error.Message == "" {
		return nil
	}
	return e.Error
}

// RawValue is a part of a response whose shape is not documented. It is kept unchanged.
type RawValue json.RawMessage

// Text returns the value when it is a JSON string.
func (v RawValue) Text() (string, bool) {
	var s string
	if len(v) == 0 || v[0] != '"' || decode(v, &s) != nil {
		return "", false
	}
	return s, true
}

// texts returns the strings of an array, or the one string that stands alone.
func (v RawValue) texts() []string {
	if text, ok := v.Text(); ok {
		return []string{text}
	}
	var items []RawValue
	if len(v) == 0 || v[0] != '[' || decode(v, &items) != nil {
		return nil
	}
	texts := make([]string, 0, len(items))
	for _, item := range items {
		if text, ok := item.Text(); ok {
			texts = append(texts, text)
		}
	}
	return texts
}

// MarshalJSON returns the value unchanged, or null for an empty value.
func (v RawValue) MarshalJSON() ([]byte, error) { return apiCodec.Encode(json.RawMessage(v)) }

// UnmarshalJSON keeps a copy of b.
func (v *RawValue) UnmarshalJSON(b []byte) error {
	*v = append((*v)[:0], b...)
	return nil
}
