package controlapi_test

import (
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hiring-assessment/hiring-go/sandbox/internal/controlapi"
)

func TestBodies(t *testing.T) {
	const asJSON = "application/json; charset=utf-8"
	longest := strings.Repeat("x", 1<<20)
	for name, c := range map[string]struct {
		body io.Reader
		kind string
		want string
		err  string
	}{
		"none":             {nil, "", "", ""},
		"empty":            {strings.NewReader(""), "", "", ""},
		"blank":            {strings.NewReader(" \n"), "text/plain", "", ""},
		"JSON":             {strings.NewReader("{}"), asJSON, "{}", ""},
		"a form":           {strings.NewReader("{}"), "text/plain", "", "send the header Content-Type: application/json"},
		"of no type":       {strings.NewReader("{}"), "", "", "send the header Content-Type: application/json"},
		"of a broken type": {strings.NewReader("{}"), "application/json; x", "", "send the header Content-Type: application/json"},
		"the longest":      {strings.NewReader(longest), asJSON, longest, ""},
		"too long":         {strings.NewReader(longest + "x"), asJSON, "", "the body is longer than 1048576 bytes"},
		"broken":           {iotest.ErrReader(errors.New("gone")), asJSON, "", "the body could not be read: gone"},
	} {
		r := &http.Request{Header: http.Header{"Content-Type": {c.kind}}}
		if c.body != nil {
			r.Body = io.NopCloser(c.body)
		}
		got, err := controlapi.Read(r)
		if c.err != "" {
			require.EqualError(t, err, c.err, name)
			continue
		}
		require.NoError(t, err, name)
		assert.Equal(t, c.want == "", got == nil, name)
		assert.Equal(t, c.want, string(got), name)
	}
}

func TestDecoding(t *testing.T) {
	type told struct{ Member int }
	for text, want := range map[string]string{
		`{"member":1}`:   "",
		`{"membr":1}`:    `unknown field "membr"`,
		`{"member":1}x`:  "has more after its JSON object",
		`{"member":"a"}`: "not what is expected here: cannot unmarshal",
	} {
		var got told
		err := controlapi.Decode([]byte(text), &got)
		if want == "" {
			require.NoError(t, err, text)
			assert.Equal(t, told{1}, got)
		} else {
			require.ErrorContains(t, err, want, text)
		}
	}
	require.EqualError(t, controlapi.Decode(nil, &told{}), "send a JSON object")
}

func TestSpans(t *testing.T) {
	for text, want := range map[string]time.Duration{
		"90": 90 * time.Second, "1.5": 1500 * time.Millisecond, "-2": -2 * time.Second, `"1m30s"`: 90 * time.Second, "0": 0,
		"4611686018": 4611686018 * time.Second, "-4611686018": -4611686018 * time.Second,
	} {
		var got controlapi.Span
		require.NoError(t, got.UnmarshalJSON([]byte(text)), text)
		assert.Equal(t, want, time.Duration(got), text)
	}
	for text, want := range map[string]string{
		"4611686019": "more than a duration can hold", "-4611686019": "more than a duration can hold",
		`"soon"`: "is no duration", "{}": "is no duration", "": "is no duration",
	} {
		var got controlapi.Span
		require.ErrorContains(t, got.UnmarshalJSON([]byte(text)), want, text)
	}
}
