package redact_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hiring-assessment/hiring-go/internal/redact"
)

func TestRedact(t *testing.T) {
	long := strings.Repeat("a", 20) + "WXYZ"
	for key, want := range map[string]string{
		"sk_live_" + long:     "the key sk_live_…WXYZ",
		"sk_test_" + long[1:]: "the key sk_test_…",
		"sk_live_":            "the key sk_live_…",
		long:                  "the key …WXYZ, which begins with neither sk_live_ nor sk_test_",
		long[1:]:              "the key, which begins with neither sk_live_ nor sk_test_",
		"":                    "the key, which begins with neither sk_live_ nor sk_test_",
	} {
		assert.Equal(t, want, redact.Redact(key), key)
	}
}

func TestJudge(t *testing.T) {
	require.NoError(t, redact.CheckKey("sk_live_"+strings.Repeat("a", 24)))
	for key, want := range map[string]string{
		"": "is empty", "Bearer x": `begins with "Bearer "`, "BEARER x": `begins with "Bearer "`, "Bearer ": `begins with "Bearer "`,
		"sk_live_a\n": "white space", " sk_live_a": "white space", "Bearer\t": "white space", "sk_\x00live": "control characters",
	} {
		assert.ErrorContains(t, redact.CheckKey(key), want, "%q", key)
	}
}
