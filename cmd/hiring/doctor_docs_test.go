package main

import (
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestDoctorGuideEqualsGoldenFile: every line of the table in the guide is in the golden
// output.
func TestDoctorGuideEqualsGoldenFile(t *testing.T) {
	guide, err := os.ReadFile("../../docs/doctor.md")
	require.NoError(t, err)
	printed, err := os.ReadFile("testdata/golden/doctor-foreign.txt")
	require.NoError(t, err)
	_, block, _ := strings.Cut(string(guide), "```text\n")
	block, _, found := strings.Cut(block, "```")
	require.True(t, found)
	for line := range strings.Lines(block) {
		assert.Contains(t, string(printed), line)
	}
}
