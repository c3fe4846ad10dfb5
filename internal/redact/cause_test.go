package redact_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/url"
	"os"
	"sync"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hiring-assessment/hiring-go/internal/redact"
)

type textErr string

func (e textErr) Error() string { return string(e) }

type openErr struct {
	Text  string
	Extra any
	Tags  map[string][]string
	Raw   []byte
}

func (e *openErr) Error() string { return e.Text }

type closedErr struct{ text string }

func (e closedErr) Error() string { return "closed: " + e.text }

type quietErr struct{ Response *http.Response }

func (e *quietErr) Error() string { return e.Response.Status }

type listErr []error

func (e listErr) Error() string   { return fmt.Sprint([]error(e)) }
func (e listErr) Unwrap() []error { return e }

type pairErr struct{ both []error }

func (e *pairErr) Error() string   { return "a pair" }
func (e *pairErr) Unwrap() []error { return e.both }

type lockedErr struct {
	Text string
	mu   sync.Mutex
}

func (e *lockedErr) Error() string {
	e.mu.Lock()
	defer e.mu.Unlock()
	return "locked"
}

type selfErr struct {
	Text string
	Self *selfErr
}

func (e *selfErr) Error() string { return e.Text }

type logErr struct{ value func() slog.Value }

func (e logErr) Error() string        { return "logs" }
func (e logErr) LogValue() slog.Value { return e.value() }

type jsonErr struct{ value func() string }

func (e jsonErr) Error() string                { return "json" }
func (e jsonErr) MarshalJSON() ([]byte, error) { return []byte(`"` + e.value() + `"`), nil }

// hiddenErr wraps an error that no printer shows.
type hiddenErr struct{ cause func() error }

func (e *hiddenErr) Error() string { return "hidden" }
func (e *hiddenErr) Unwrap() error { return e.cause() }

// farErr has a field that no printer follows.
type farErr struct{ far *string }

func (e *farErr) Error() string { return "far" }

// itselfErr cannot be copied.
type itselfErr struct {
	Text string
	self *itselfErr
}

func (e *itselfErr) Error() string {
	if e.self != e {
		panic("copied")
	}
	return "itself"
}

// circleErr wraps itself.
type circleErr struct {
	Text string
	next error
}

func (e *circleErr) Error() string { return e.Text }
func (e *circleErr) Unwrap() error { return e.next }

var errSentinel = errors.New("sentinel")

// tree returns err and all errors that it wraps.
func tree(err error) []error {
	if err == nil {
		return nil
	}
	all := []error{err}
	switch err := err.(type) { //nolint:errorlint // Visits the tree.
	case interface{ Unwrap() error }:
		all = append(all, tree(err.Unwrap())...)
	case interface{ Unwrap() []error }:
		for _, cause := range err.Unwrap() {
			all = append(all, tree(cause)...)
		}
	}
	return all
}

func TestCleanErrorSaysTheSameWithoutTheKey(t *testing.T) {
	self := &selfErr{Text: key}
	self.Self = self
	finder := redact.New(key)
	request := &http.Request{Header: http.Header{"Authorization": {"Bearer " + key}}}
	hidden := &hiddenErr{func() error { return textErr(key) }}
	itself := &itselfErr{Text: key}
	itself.self = itself
	split := key[:14] + "\x00" + key[14:]
	for name, err := range map[string]error{
		"text":             errors.New("bad " + key),
		"split":            errors.New("bad " + split),
		"string type":      textErr("bad " + split),
		"wrapped":          fmt.Errorf("more: %w", fmt.Errorf("%w: %w", errSentinel, errors.New(key))),
		"joined":           errors.Join(errSentinel, io.EOF, textErr(key)),
		"url":              &url.Error{Op: "Get", URL: "https://x/" + key, Err: &net.OpError{Op: "dial", Net: "tcp", Err: os.NewSyscallError(key, syscall.ECONNREFUSED)}},
		"deep":             &net.OpError{Op: "dial", Net: "tcp", Err: fmt.Errorf("%w: %w", textErr(key), errSentinel)},
		"fields":           &openErr{"open", []any{map[string]string{"k": key}, 7}, map[string][]string{key: {"a", key}}, []byte(split)},
		"closed field":     closedErr{key},
		"request":          &quietErr{&http.Response{Status: "502", Request: request}},
		"not comparable":   listErr{textErr(key), errSentinel},
		"holds a lock":     &lockedErr{Text: key},
		"leads to itself":  self,
		"in the log":       &logErr{func() slog.Value { return slog.StringValue(key) }},
		"in JSON":          &jsonErr{func() string { return key }},
		"typed nil within": &openErr{Text: key, Extra: (*url.Error)(nil)},
		"hidden":           hidden,
		"hidden twice":     &hiddenErr{func() error { return hidden }},
		"hidden, wrapped":  fmt.Errorf("more: %w", hidden),
		"hidden in fields": &url.Error{Op: "Get", URL: "u", Err: hidden},
		"minds a copy":     itself,
	} {
		t.Run(name, func(t *testing.T) {
			clean := finder.Clean(err)
			for _, node := range tree(clean) {
				for _, verb := range []string{"%v", "%+v", "%#v", "%q"} {
					assert.False(t, finder.InString(fmt.Sprintf(verb, node)), "%T: "+verb, node, node)
				}
				assert.False(t, finder.InString(slog.AnyValue(node).Resolve().String()), "%T in the log", node)
				if node, ok := node.(json.Marshaler); ok {
					text, err := node.MarshalJSON()
					require.NoError(t, err)
					assert.False(t, finder.In(text), "%T in JSON", node)
				}
			}
			assert.Equal(t, finder.ScrubString(err.Error()), clean.Error(), "it says the same")
			for _, node := range tree(err) {
				if name != "not comparable" || node != nil && fmt.Sprintf("%T", node) != "redact_test.listErr" {
					require.ErrorIs(t, clean, node, "%T is still found", node)
				}
			}
		})
	}
}

// Errors without the key keep their types.
func TestCleanErrorKeepsCleanCauses(t *testing.T) {
	finder := redact.New(key)
	dial := &net.OpError{Op: "dial", Net: "tcp", Err: syscall.ECONNREFUSED}
	clean := finder.Clean(fmt.Errorf("x: %w", &url.Error{Op: "Get", URL: key, Err: dial}))
	require.EqualError(t, clean, `x: Get "[redacted]": dial tcp: connection refused`)
	inner, ok := errors.AsType[*net.OpError](clean)
	require.True(t, ok)
	assert.Same(t, dial, inner)
	_, ok = errors.AsType[*url.Error](clean)
	assert.False(t, ok, "it holds the key")
}

func TestErrorWithoutTheKeyIsLeftAlone(t *testing.T) {
	finder := redact.New(key)
	self, far := &selfErr{Text: "self"}, key
	self.Self = self
	for _, err := range []error{self, &farErr{&far}, nil, io.EOF, errors.Join(io.EOF, errSentinel), &net.OpError{Op: "dial", Err: syscall.ECONNRESET}, fmt.Errorf("x: %w", closedErr{"y"})} {
		assert.Equal(t, fmt.Sprintf("%p %#v", err, err), fmt.Sprintf("%p %#v", finder.Clean(err), finder.Clean(err)))
	}
	err := errors.New(key)
	assert.Same(t, err, redact.Finder{}.Clean(err), "no key, nothing to clean")
}

// The tree of an error may be deep, wide or circular.
func TestCleaningDeepAndCircularErrorsEnds(t *testing.T) {
	finder := redact.New(key)
	var chain error = textErr(key)
	for range 300 {
		chain = &url.Error{Op: "a", URL: "b", Err: chain}
	}
	var wide error = textErr(key)
	for range 60 {
		wide = &pairErr{[]error{wide, wide}}
	}
	circle := &circleErr{Text: key}
	circle.next = circle
	for _, err := range []error{chain, wide, circle} {
		assert.False(t, finder.InString(fmt.Sprintf("%v %+v %#v", finder.Clean(err), finder.Clean(err), finder.Clean(err))))
	}
	large := &openErr{Text: "large", Extra: make([]any, 60_000)}
	assert.NotSame(t, large, finder.Clean(large), "what is too large to be looked through is taken for the key's")
}

func TestCleanErrorOfAKeyWithFewLetters(t *testing.T) {
	assert.EqualError(t, redact.New("sk_live_------").Clean(errors.New("bad sk_live_------")), "bad [redacted]")
}

type arrayErr struct{ Text [64]byte }

func (e *arrayErr) Error() string { return "an array" }

func TestAKeyInAnArrayOfBytesIsNotReachable(t *testing.T) {
	t.Parallel()
	err := &arrayErr{}
	copy(err.Text[:], "the key is "+key)
	var found *arrayErr
	assert.NotErrorAs(t, redact.New(key).Clean(err), &found)
}
