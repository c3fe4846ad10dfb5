package main

import (
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/pflag"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// These expressions find commands in guides: in code, as in `hiring top`, at a prompt or
// in a script, and run from a clone.
var (
	inText   = regexp.MustCompile("`hiring ([^`\n]+)`")
	inScript = regexp.MustCompile(`(?m)^(?:\$ )?hiring +(.+)$`)
	inClone  = regexp.MustCompile(`(?m)^\s*go run -C cmd/hiring \. +(.+)$`)
)

// TestCommandsInGuidesExist: every command line in a guide names existing commands and
// flags.
func TestCommandsInGuidesExist(t *testing.T) {
	t.Parallel()
	guides, err := filepath.Glob("../../docs/*.md")
	require.NoError(t, err)
	seen := 0
	internals, err := filepath.Glob("../../docs/internals/*.md")
	require.NoError(t, err)
	for _, name := range slices.Concat(guides, internals, []string{"../../README.md", "../../jobs/README.md"}) {
		if filepath.Base(name) == "decisions.md" { // Decisions may describe commands of the past.
			continue
		}
		text, err := os.ReadFile(name)
		require.NoError(t, err)
		for _, mention := range []*regexp.Regexp{inText, inScript, inClone} {
			for _, found := range mention.FindAllStringSubmatch(string(text), -1) {
				line, _, _ := strings.Cut(strings.TrimSuffix(found[1], " ..."), " #")
				assert.Empty(t, usageProblem(strings.Fields(line)), "%s: hiring %s", filepath.Base(name), line)
				seen++
			}
		}
	}
	require.Greater(t, seen, 30)
}

// usageProblem returns what is wrong with a command line, or "". It does not check arguments and
// the values of flags, which may be placeholders.
func usageProblem(words []string) string {
	root := new(app).rootCommand()
	root.InitDefaultHelpCmd()
	command, rest, err := root.Find(words)
	if err != nil {
		return err.Error()
	}
	command.InitDefaultHelpFlag()
	if err := command.ParseFlags(rest); errors.As(err, new(*pflag.NotExistError)) {
		return err.Error()
	}
	if given := command.Flags().Args(); command.HasSubCommands() && len(given) > 0 {
		return "no command " + given[0]
	}
	return ""
}

// TestFlagsInTheGuideExist: a flag that docs/cli.md names alone is one of some command.
func TestFlagsInTheGuideExist(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../../docs/cli.md")
	require.NoError(t, err)
	known := make(map[string]bool)
	for _, c := range everyCommand(t) {
		_ = c.ParseFlags(nil) // Adds the flags of its parents.
		c.Flags().VisitAll(func(f *pflag.Flag) { known["--"+f.Name], known["-"+f.Shorthand] = true, true })
	}
	named := regexp.MustCompile("`(--?[a-z][a-z-]*)").FindAllStringSubmatch(string(text), -1)
	require.Greater(t, len(named), 10)
	for _, flag := range named {
		assert.True(t, known[flag[1]] || flag[1] == "--help", flag[1])
	}
}

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
