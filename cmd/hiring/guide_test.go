package main

import (
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestScreensOfTheGuide runs the commands of docs/cli.md and compares what they print. The
// screen of the import is compared with that of its test.
func TestScreensOfTheGuide(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../../docs/cli.md")
	require.NoError(t, err)
	screens := regexp.MustCompile("(?s)```\n\\$ hiring (.+?)\n(.+?)```").FindAllStringSubmatch(string(text), -1)
	require.Len(t, screens, 3)
	assert.True(t, strings.HasPrefix(screens[0][1], "--sandbox "), "the first command needs no setup")
	for _, screen := range screens {
		line, want := screen[1], screen[2]
		if strings.HasPrefix(line, "invitations import") {
			recorded, err := os.ReadFile("testdata/golden/import.txt")
			require.NoError(t, err)
			assert.Equal(t, "$ hiring "+line+"\n"+want, regexp.MustCompile(`␛\[[0-9;]*m`).ReplaceAllString(string(recorded), ""))
			continue
		}
		command, program, _ := strings.Cut(line, " --jq ")
		args := strings.Fields(command)
		if program != "" {
			args = append(args, "--jq", strings.Trim(program, "'"))
		}
		got := seeded(t).run(args...)
		assert.Equal(t, want, got.stdout+got.stderr, line)
	}
}
