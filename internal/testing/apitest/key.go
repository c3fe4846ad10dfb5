package apitest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"log/slog"
	"strings"
	"testing"

	jsonv2 "github.com/go-json-experiment/json"
	"github.com/stretchr/testify/require"
)

// Renderings is v in every way that a program may print it.
func Renderings(v any) []string {
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

// AssertNoKey looks for the key as it is, escaped and in hexadecimal.
func AssertNoKey(t *testing.T, key, what string, values ...any) {
	t.Helper()
	quoted, err := json.Marshal(key)
	require.NoError(t, err)
	forms := []string{key, string(quoted[1 : len(quoted)-1]), fmt.Sprintf("%x", key), fmt.Sprintf("%X", key), strings.Trim(fmt.Sprintf("%q", key), `"`)}
	for _, v := range values {
		for _, text := range Renderings(v) {
			for _, form := range forms {
				if strings.Contains(text, form) {
					t.Errorf("%s: a %T shows the key: %.300s", what, v, text)
					return
				}
			}
		}
	}
}
