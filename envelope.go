package hiring

import (
	"encoding/json"
	"reflect"
	"strings"
	"sync"

	jsonv2 "github.com/go-json-experiment/json"

	"github.com/hiring-assessment/hiring-go/internal/jsoncodec"
	"github.com/hiring-assessment/hiring-go/internal/jsoncodec/fastjson"
)

// resource is implemented by the structs that represent the API's JSON. Their exported
// JSON methods keep unknown members under encoding/json and json/v2 alike. This package
// does not call these methods, because they would parse each level again.
type resource interface{ resource() }

// readable is implemented by the types that responses contain. The method returns a
// fastjson.Reader of the type. The readers of structs are generated from their tags.
type readable interface{ reader() any }

// entity is what a call can return.
type entity interface {
	readable

	// check returns an error for the data of another resource: one without an id, or with another
	// than wanted. With "" for wanted any id is right.
	check(wanted string) error
}

// checkID is the check of a resource that must have an id.
func checkID(id, wanted string) error {
	switch {
	case id == "":
		return errNoIdentity
	case wanted != "" && !sameID(id, wanted):
		return errOtherID
	}
	return nil
}

// sameID reports whether two ids are the same UUID, or the same text: case, hyphens and braces do not matter.
func sameID(a, b string) bool {
	plain := strings.NewReplacer("-", "", "{", "", "}", "").Replace
	return a == b || strings.EqualFold(plain(a), plain(b))
}

var apiCodec = jsoncodec.New[resource]()

func encode(v any) ([]byte, error) { return apiCodec.Encode(v) }

func decode(b []byte, v any, options ...jsonv2.Options) error {
	return apiCodec.Decode(b, v, options...)
}

// readerOf returns the reader of a readable type.
func readerOf[T any]() fastjson.Reader[T] {
	return any(*new(T)).(readable).reader().(fastjson.Reader[T])
}

// items is the data of a response with several resources.
type items[T any] []T

func (items[T]) reader() any {
	read := fastjson.Slice(readerOf[T]())
	return fastjson.Reader[items[T]](func(d *fastjson.Decoder, to *items[T], i, depth int) int {
		return read(d, (*[]T)(to), i, depth)
	})
}

// decoder decodes the body of a 2xx API response, which lies in memory that is used again. bodyErr
// is why body is not all of it: a decoder returns it, unless it needs no data. It is called again
// for each attempt and keeps nothing of an earlier one. The warning is for a response that is
// usable but unexpected; it is "" for any other.
type decoder func(body []byte, bodyErr error) (warning string, err error)

// responseError is the complete text of an error about a 2xx response.
type responseError string

func (e responseError) Error() string { return string(e) }

// envelope is the form of a 2xx response.
type envelope[T any] struct {
	Data *T       `json:"data"`
	Meta wireMeta `json:"meta"`

	data T // What Data usually points to, which saves an allocation.
}

// envelopeReaders holds a fastjson.Reader[envelope[T]] for each type T that was decoded.
var envelopeReaders sync.Map

// envelopeReader returns the reader of an envelope.
func envelopeReader[T any]() fastjson.Reader[envelope[T]] {
	key := reflect.TypeFor[T]()
	known, ok := envelopeReaders.Load(key)
	if !ok {
		known, _ = envelopeReaders.LoadOrStore(key, fastjson.Object(nil,
			fastjson.Field("data", func(e *envelope[T]) **T {
				if e.Data == nil {
					e.Data = &e.data
				}
				return &e.Data // Nil for null.
			}, fastjson.Pointer(readerOf[T]())),
			fastjson.Field("meta", func(e *envelope[T]) *wireMeta { return &e.Meta }, readerOf[wireMeta]()),
		))
	}
	return known.(fastjson.Reader[envelope[T]])
}

// readEnvelope decodes an envelope into e. JSON that the fast decoder refuses is decoded with
// json/v2, whose error says where and why.
func readEnvelope[T any](body []byte, bodyErr error, e *envelope[T]) error {
	*e = envelope[T]{} // Nothing of an earlier attempt is kept.
	if bodyErr != nil {
		return bodyErr
	}
	if fastjson.Decode(body, envelopeReader[T](), e, apiCodec.Reading) != nil {
		*e = envelope[T]{}
		if err := decode(body, e); err != nil {
			return err
		}
	}
	return nil
}

const (
	errNoData     = responseError("the response has no data")
	errNoIdentity = responseError("the response's data has no id, so it is not the expected resource")
	errNoDocument = responseError("the response is no OpenAPI document: it has no member openapi with a text")
	errOtherID    = responseError("the response has another id than the requested resource")
)

// readData reads the data of an envelope unchanged, to tell null from absence.
var readData = fastjson.Object(nil, fastjson.Field("data", func(v *RawValue) *RawValue { return v }, fastjson.Raw))

// decodeList decodes an envelope whose data is an array. Data of null is an empty list.
func decodeList[T any](body []byte, bodyErr error) (list []T, meta wireMeta, err error) {
	var e envelope[items[T]]
	if err := readEnvelope(body, bodyErr, &e); err != nil {
		return nil, wireMeta{}, err
	}
	if e.Data != nil {
		return *e.Data, e.Meta, nil
	}
	var data RawValue
	if fastjson.Decode(body, readData, &data, apiCodec.Reading) != nil || data == nil {
		return nil, wireMeta{}, errNoData
	}
	return nil, e.Meta, nil
}

// errorEnvelope is the envelope of a response with an error.
type errorEnvelope struct {
	Error *struct {
		Code      ErrorCode       `json:"code"`
		Message   string          `json:"message"`
		Details   json.RawMessage `json:"details"`
		RequestID RawValue        `json:"request_id"` // Any type is accepted, so that an invalid id does not hide the code.
	} `json:"error"`
}
