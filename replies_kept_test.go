package hiring_test

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// keptBodies are those that hours of FuzzReplies found worth keeping, one a
// line: the reader and the body in quotes.
func keptBodies(tb testing.TB) (all []seedBody) {
	tb.Helper()
	text, err := os.ReadFile("testdata/replies.txt")
	require.NoError(tb, err)
	for line := range strings.Lines(string(text)) {
		var reader uint8
		var body string
		_, err := fmt.Sscanf(line, "%d %q", &reader, &body)
		require.NoError(tb, err, line)
		all = append(all, seedBody{reader, []byte(body)})
	}
	return all
}

func TestReadersAgreeOnWhatWasKept(t *testing.T) {
	t.Parallel()
	kept := keptBodies(t)
	require.Greater(t, len(kept), 100)
	for _, s := range kept {
		checkReader(t, s.reader, s.body)
	}
}
