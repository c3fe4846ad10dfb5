package apitest

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"os"
	"reflect"
	"runtime"
	"strings"
	"testing"

	jsonv2 "github.com/go-json-experiment/json"
	"github.com/stretchr/testify/require"

	"github.com/hiring-assessment/hiring-go"
)

// RequireError returns the *Error in err.
func RequireError(t *testing.T, call string, err error) *hiring.Error {
	t.Helper()
	var failure *hiring.Error
	require.ErrorAs(t, err, &failure, "%s", call)
	return failure
}

// NoRetry makes each call send one request.
var NoRetry = hiring.WithRetry(hiring.RetryPolicy{MaxAttempts: 1})

// LastError returns the last error of a range.
func LastError[T any](seq func(yield func(T, error) bool)) (end error) {
	for _, err := range seq {
		end = err
	}
	return end
}

// ErrorOf returns the error of a call that also returns a value.
func ErrorOf[T any](_ T, err error) error { return err }

// WarningRecorder records the warnings that a client reports to its observer and its logger.
type WarningRecorder struct {
	Warnings []string
	Lines    strings.Builder
}

// Options returns the observer and the logger.
func (l *WarningRecorder) Options() []hiring.Option {
	return []hiring.Option{
		hiring.WithObserver(func(_ context.Context, e hiring.Exchange) {
			if e.Warning != "" {
				l.Warnings = append(l.Warnings, e.Warning)
			}
		}),
		hiring.WithLogger(slog.New(slog.NewTextHandler(&l.Lines, &slog.HandlerOptions{Level: slog.LevelWarn}))),
	}
}

// Formatted returns v formatted in every way in which a program may print it.
func Formatted(v any) []string {
	var out []string
	for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q", "%x", "%X"} {
		out = append(out, fmt.Sprintf(verb, v))
	}
	out = append(out, fmt.Sprint(v))
	if b, err := json.Marshal(v); err == nil {
		out = append(out, string(b))
	}
	if b, err := jsonv2.Marshal(v); err == nil {
		out = append(out, string(b))
	}
	var log bytes.Buffer
	options := &slog.HandlerOptions{Level: slog.LevelDebug}
	slog.New(slog.NewTextHandler(&log, options)).Debug("m", "v", v)
	slog.New(slog.NewJSONHandler(&log, options)).Debug("m", "v", v)
	return append(out, log.String())
}

// AssertNoKey fails the test when a formatted value contains the key, as it is, escaped or in hexadecimal.
func AssertNoKey(t *testing.T, key, what string, values ...any) {
	t.Helper()
	quoted, err := json.Marshal(key)
	require.NoError(t, err)
	forms := []string{key, string(quoted[1 : len(quoted)-1]), fmt.Sprintf("%x", key), fmt.Sprintf("%X", key), strings.Trim(fmt.Sprintf("%q", key), `"`)}
	for _, v := range values {
		for _, text := range Formatted(v) {
			for _, form := range forms {
				if strings.Contains(text, form) {
					t.Errorf("%s: a %T shows the key: %.300s", what, v, text)
					return
				}
			}
		}
	}
}

// Codecs are the JSON packages that programs use.
var Codecs = map[string]struct {
	Marshal   func(any) ([]byte, error)
	Unmarshal func([]byte, any) error
}{
	"encoding/json": {json.Marshal, json.Unmarshal},
	"json/v2": {
		func(v any) ([]byte, error) { return jsonv2.Marshal(v) },
		func(b []byte, v any) error { return jsonv2.Unmarshal(b, v) },
	},
}

// HeapInUse returns the bytes in use after a garbage collection.
func HeapInUse() uint64 {
	var stats runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&stats)
	return stats.HeapAlloc
}

// Long reports whether the tests run at full count, as .ci/long does.
func Long() bool { return os.Getenv("HIRING_LONG") != "" }

// Thorough reports whether tests that compile programs or run for long run, as in .ci/run and .ci/long.
func Thorough() bool { return Long() || os.Getenv("HIRING_SKIP_NOTHING") != "" }

// SkipUnlessThorough skips a test that compiles programs or runs for long, unless .ci/run or
// .ci/long runs it.
func SkipUnlessThorough(t *testing.T) {
	t.Helper()
	if !Thorough() {
		t.Skip("runs in .ci/run, which sets HIRING_SKIP_NOTHING=1")
	}
}

// SampleInvitationID is an invitation of the sandbox's sample data.
const SampleInvitationID = "1a000000-0000-4000-8001-000000000001"

// DialectFields returns the field names of hiring.Dialect.
func DialectFields() []string {
	var names []string
	for field := range reflect.TypeFor[hiring.Dialect]().Fields() {
		names = append(names, field.Name)
	}
	return names
}
