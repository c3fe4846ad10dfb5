package fastjson_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hiring-assessment/hiring-go/internal/jsoncodec/fastjson"
)

// TestReadsValuesThatAreInNoObject decodes top-level values of each kind.
func TestReadsValuesThatAreInNoObject(t *testing.T) {
	alone[string](t)
	alone[*string](t)
	alone[bool](t)
	alone[int](t)
	alone[int8](t)
	alone[int64](t)
	alone[float64](t)
	alone[time.Time](t)
	alone[*time.Time](t)
	alone[rawValue](t)
	alone[upper](t)
	alone[map[string]int](t)
	alone[[]string](t)
	alone[[]int](t)
	alone[[]bool](t)
	alone[[]struct{}](t)
	alone[part](t)
	alone[[]part](t)
	alone[struct {
		Extra fastjson.Extra `json:",unknown,embed"`
		N     int            `json:"n"`
	}](t)
	alone[struct {
		N int `json:"n,string"`
	}](t)
	alone[struct{ Part part }](t)
}

// alone decodes each value into a T, and with json/v2.
func alone[T any](t *testing.T) {
	t.Helper()
	for _, text := range values() {
		if len(text) > 3000 {
			continue // Deep values are slow.
		}
		var want, got T
		wantErr := codec.Decode([]byte(text), &want)
		err := fastjson.Decode([]byte(text), &got, codec.Reading)
		if wantErr != nil {
			assert.Equal(t, fastjson.ErrRefused, err, "%T of %q: %v", got, text, wantErr)
			continue
		}
		require.NoError(t, err, "%T of %q", got, text)
		assert.Equal(t, want, got, "%T of %q", got, text)
	}
}
