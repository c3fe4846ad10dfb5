package hiring

import (
	"errors"
	"fmt"
	"reflect"
	"time"

	stdjson "encoding/json"

	"github.com/go-json-experiment/json"

	"github.com/hiring-assessment/hiring-go/internal/jsoncodec"
	"github.com/hiring-assessment/hiring-go/internal/jsoncodec/fastjson"
	"github.com/hiring-assessment/hiring-go/internal/limits"
	"github.com/hiring-assessment/hiring-go/internal/paging"
)

// reply is a 2xx reply whose body was read in full.
type reply struct {
	body     []byte       // Lies in a buffer that is used again: copy what is kept.
	within   limits.Bound // What decoding may take.
	warning  string       // Set by the reader when the reply is usable but odd.
	leniency leniency     // The request's.
	data     any          // Set by the reader, for fetch.
}

// leniency decodes a response of which a part cannot be decoded.
type leniency interface {
	begin()                  // Forgets what an earlier attempt found.
	codec() *jsoncodec.Codec // Decodes a response that the fast decoder refused.
	check(data any) string   // Returns a warning of what cannot be decoded, or "".
}

// replyError says in full why a 2xx reply is not what was asked for.
type replyError string

func (e replyError) Error() string { return string(e) }

// RawValue is a piece of a reply whose shape the service does not document. It is
// kept as it came.
type RawValue stdjson.RawMessage

// Text returns the value when it is a JSON string.
func (v RawValue) Text() (string, bool) {
	var s string
	if len(v) == 0 || v[0] != '"' || decode(v, &s) != nil {
		return "", false
	}
	return s, true
}

// texts returns the strings of an array, or the one string that stands alone.
func (v RawValue) texts(within *limits.Bound) []string {
	if text, ok := v.Text(); ok {
		return []string{text}
	}
	var items []RawValue
	if len(v) == 0 || v[0] != '[' || decodeWithin(within, v, &items) != nil {
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

// MarshalJSON returns the value as it came, null when there is none.
func (v RawValue) MarshalJSON() ([]byte, error) { return encode(stdjson.RawMessage(v)) }

// UnmarshalJSON keeps a copy of b.
func (v *RawValue) UnmarshalJSON(b []byte) error {
	*v = append((*v)[:0], b...)
	return nil
}

// resource is a struct of the service. Each has methods that give it, with its
// unknown members, the same JSON under encoding/json and json/v2; inside the
// package they are bypassed, because they would parse every level once more.
type resource interface{ resource() }

// entity is a resource that a call can promise. Its identity is empty only when
// the data that came is something else.
type entity interface {
	resource
	identity() string
}

// tidier is a resource that has something to put right when it was read.
type tidier interface{ tidy() }

var wire = jsoncodec.New(func(v resource) {
	if t, ok := v.(tidier); ok {
		t.tidy()
	}
})

func encode(v any) ([]byte, error) { return wire.Encode(v) }

func decode(b []byte, v any) error { return wire.Decode(b, v) }

// decodeWithin is decode for what others wrote.
func decodeWithin(within *limits.Bound, b []byte, v any, options ...json.Options) error {
	return wire.DecodeWithin(within, b, v, options...)
}

const unexplained = replyError("the reply is not the JSON that was promised, and takes too much memory to tell where")

// Meta is what the service says beside the data.
type Meta struct {
	RequestID  string
	Page       int // From 1; 0 when the list is not paged by number.
	PageSize   int
	Total      int
	HasMore    bool
	NextCursor string
}

// wireMeta is meta as it comes: which of it is there tells how a list is paged.
type wireMeta struct {
	RequestID  string   `json:"request_id"`
	Page       *int     `json:"page"`
	PageSize   int      `json:"page_size"`
	Total      *int     `json:"total"`
	HasMore    *bool    `json:"has_more"`
	NextCursor RawValue `json:"next_cursor"` // A null one ends a list; an absent one says nothing.
}

// cursor is empty at the end of a list. A bare number is taken for its text:
// the cursor of a log is one.
func (m wireMeta) cursor() string {
	text, isText := m.NextCursor.Text()
	if v := m.NextCursor; !isText && len(v) > 0 && (v[0] == '-' || v[0] >= '0' && v[0] <= '9') {
		return string(v)
	}
	return text
}

// said is what a walk over a list goes by.
func (m wireMeta) said() paging.Said {
	return paging.Said{Page: m.Page, Size: m.PageSize, Total: m.Total, HasMore: m.HasMore, Cursor: m.cursor(), Cursors: m.NextCursor != nil}
}

func (m wireMeta) public() Meta {
	p := Meta{RequestID: m.RequestID, PageSize: m.PageSize, NextCursor: m.cursor()}
	if m.Page != nil {
		p.Page = *m.Page
	}
	if m.Total != nil {
		p.Total = *m.Total
	}
	if m.HasMore != nil {
		p.HasMore = *m.HasMore
	}
	return p
}

type envelope[T any] struct {
	Data *T       `json:"data"`
	Meta wireMeta `json:"meta"`
}

// replies reads what succeeded, to the values that decode gives.
var replies = fastjson.Reader{Own: reflect.TypeFor[resource](), Raw: reflect.TypeFor[RawValue](), Options: wire.Reading}

// readEnvelope decodes an envelope. Of one that replies refuses, json/v2 says
// where and why. A list may lie in the memory of spare, and has at most so many
// items.
func readEnvelope[T any](r *reply, spare any, most int) (*envelope[T], error) {
	e := new(envelope[T])
	err := replies.Read(r.body, e, spare, most, &r.within)
	if errors.Is(err, fastjson.ErrRefused) {
		*e = envelope[T]{}
		codec := wire
		if r.leniency != nil {
			codec = r.leniency.codec()
		}
		if err = codec.DecodeWithin(&r.within, r.body, e); errors.Is(err, limits.ErrMemory) {
			err = unexplained
		}
	}
	if err == nil && r.leniency != nil {
		r.warning = r.leniency.check(e.Data)
	}
	if errors.Is(err, fastjson.ErrItems) {
		err = tooManyItems(most)
	}
	return e, err
}

func tooManyItems(most int) error {
	return replyError(fmt.Sprintf("the page holds more than %d items, ten times what the documentation allows", most))
}

const (
	noData     = replyError("the reply holds no data, which was promised")
	noIdentity = replyError("the reply's data has no id, so it is not the resource that was promised")
)

// open decodes an envelope whose data is there.
func open[T any](r *reply) (*T, wireMeta, error) {
	e, err := readEnvelope[T](r, nil, 0)
	if err != nil {
		return nil, wireMeta{}, err
	}
	if e.Data == nil {
		return nil, wireMeta{}, noData
	}
	return e.Data, e.Meta, nil
}

// openList decodes an envelope whose data is an array, of at most so many items
// when that is not 0; null is an empty one. A spare is overwritten.
func openList[T any](r *reply, spare []T, most int) ([]T, wireMeta, error) {
	e, err := readEnvelope[[]T](r, spare, most)
	if err != nil {
		return nil, wireMeta{}, err
	}
	if e.Data != nil {
		if most > 0 && len(*e.Data) > most {
			return nil, wireMeta{}, tooManyItems(most)
		}
		return *e.Data, e.Meta, nil
	}
	var members struct {
		Data RawValue `json:"data"`
	}
	if err := replies.Read(r.body, &members, nil, 0, &r.within); err != nil || members.Data == nil {
		return nil, wireMeta{}, noData
	}
	return nil, e.Meta, nil
}

// looseTime reads a time that may lack its zone, which is UTC then. It is zero when
// there is none.
func looseTime(v RawValue) time.Time {
	text, _ := v.Text()
	for _, layout := range []string{time.RFC3339, "2006-01-02T15:04:05", time.DateTime} {
		if at, err := time.Parse(layout, text); err == nil {
			return at
		}
	}
	return time.Time{}
}
