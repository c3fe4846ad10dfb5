package archives_test

import (
	"archive/zip"
	"bytes"
	"io"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hiring-assessment/hiring-go/sandbox/internal/archives"
)

// TestLinks checks that a signed link is valid, and that a changed one is not.
func TestLinks(t *testing.T) {
	signature := archives.Signature("id", 1700, 7)
	assert.NotEqual(t, signature, archives.Signature("id", 1700, 8), "no two are the same")
	until, ok := archives.ValidLink("id", "1700", signature)
	assert.True(t, ok)
	assert.Equal(t, int64(1700), until)
	for name, link := range map[string][3]string{
		"another id":             {"other", "1700", signature},
		"another time":           {"id", "1701", signature},
		"no number":              {"id", "soon", signature},
		"the time written oddly": {"id", "+1700", signature},
		"another number":         {"id", "1700", "f" + signature[1:]},
		"no number in it":        {"id", "1700", "x" + signature[1:]},
		"the number in capitals": {"id", "1700", "000000000000000A" + archives.Signature("id", 1700, 10)[16:]},
		"another end":            {"id", "1700", signature[:len(signature)-1] + "x"},
		"cut":                    {"id", "1700", signature[:16]},
		"cut within the number":  {"id", "1700", signature[:15]},
		"empty":                  {"id", "1700", ""},
	} {
		_, ok := archives.ValidLink(link[0], link[1], link[2])
		assert.False(t, ok, name)
	}
}

func TestZipIsAWorkspace(t *testing.T) {
	at := time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC)
	content := archives.Zip("id", at)
	assert.Equal(t, content, archives.Zip("id", at), "always the same")
	assert.NotEqual(t, content, archives.Zip("other", at))
	files, err := zip.NewReader(bytes.NewReader(content), int64(len(content)))
	require.NoError(t, err)
	for i, name := range []string{"README.md", "main.go"} {
		assert.Equal(t, name, files.File[i].Name)
		file, err := files.File[i].Open()
		require.NoError(t, err)
		text, err := io.ReadAll(file)
		require.NoError(t, err)
		assert.Contains(t, string(text), "id")
	}
}
