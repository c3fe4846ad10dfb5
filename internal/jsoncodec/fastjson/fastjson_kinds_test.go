package fastjson_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hiring-assessment/hiring-go/internal/jsoncodec/fastjson"
)

// TestReadsValuesThatAreInNoObject decodes top-level values of each kind.
func TestReadsValuesThatAreInNoObject(t *testing.T) {
	alone(t, fastjson.String[string])
	alone(t, fastjson.Pointer[string](fastjson.String))
	alone(t, fastjson.Bool)
	alone(t, fastjson.Int[int])
	alone(t, fastjson.Int[int8])
	alone(t, fastjson.Int[int64])
	alone(t, fastjson.Float)
	alone(t, fastjson.Time)
	alone(t, fastjson.TimePointer)
	alone(t, fastjson.Raw[rawValue])
	alone(t, fastjson.JSON[upper])
	alone(t, fastjson.JSON[map[string]int])
	alone(t, fastjson.Slice(fastjson.String[string]))
	alone(t, fastjson.Slice(fastjson.Int[int]))
	alone(t, fastjson.Slice(fastjson.Bool))
	alone(t, fastjson.Slice(fastjson.Object[struct{}](nil)))
	alone(t, readPart)
	alone(t, fastjson.Slice(readPart))
	type withExtra struct {
		Extra fastjson.Extra `json:",unknown,embed"`
		N     int            `json:"n"`
	}
	alone(t, fastjson.Object(func(v *withExtra) *fastjson.Extra { return &v.Extra },
		fastjson.Field("n", func(v *withExtra) *int { return &v.N }, fastjson.Int)))
}

// alone decodes each value with the reader and with json/v2.
func alone[T any](t *testing.T, reader fastjson.Reader[T]) {
	t.Helper()
	for _, text := range values() {
		if len(text) > 3000 {
			continue // Deep values are slow.
		}
		var want, got T
		wantErr := codec.Decode([]byte(text), &want)
		err := read(reader, text, &got)
		if wantErr != nil {
			assert.Equal(t, fastjson.ErrRefused, err, "%T of %q: %v", got, text, wantErr)
			continue
		}
		require.NoError(t, err, "%T of %q", got, text)
		assert.Equal(t, want, got, "%T of %q", got, text)
	}
}
