package urls_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hiring-assessment/hiring-go/internal/urls"
)

func TestLayouts(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, time.March, 15, 13, 14, 15, 678e6, time.FixedZone("", 3600))
	for layout, text := range map[string]string{
		urls.Unix: "1773576855", urls.UnixMilli: "1773576855678", time.DateTime: "2026-03-15 12:14:15",
	} {
		assert.Equal(t, text, urls.FormatTime(layout, at), layout)
		read, err := urls.ParseTime(layout, text)
		require.NoError(t, err)
		assert.Equal(t, text, urls.FormatTime(layout, read))
		_, err = urls.ParseTime(layout, "soon")
		require.Error(t, err)
	}
}
