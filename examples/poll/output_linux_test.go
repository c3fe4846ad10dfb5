package main

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestAWrittenLineIsOnTheDisk asks the kernel whether a write to the file returns only then.
// The checkpoint records a submission after its write.
func TestAWrittenLineIsOnTheDisk(t *testing.T) {
	t.Parallel()
	out, err := openOutput(filepath.Join(t.TempDir(), "out"), true)
	require.NoError(t, err)
	text, err := os.ReadFile(fmt.Sprintf("/proc/self/fdinfo/%d", out.Fd()))
	require.NoError(t, err)
	found := regexp.MustCompile(`flags:\s+(\d+)`).FindSubmatch(text)
	require.NotNil(t, found, "%s", text)
	flags, err := strconv.ParseInt(string(found[1]), 8, 0)
	require.NoError(t, err)
	require.Equal(t, syscall.O_SYNC, int(flags)&syscall.O_SYNC)
	require.NoError(t, out.Close())
}
