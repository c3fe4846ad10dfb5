package main

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// What the guides say of hiring: in code, as in `hiring top`, at a prompt or in a
// script, and as run from a clone.
var (
	inText   = regexp.MustCompile("`hiring ([^`\n]+)`")
	inScript = regexp.MustCompile(`(?m)^(?:\$ )?hiring +(.+)$`)
	inClone  = regexp.MustCompile(`(?m)^\s*go run -C cmd/hiring \. +(.+)$`)
)

// TestCommandsInGuidesExist: each command that a guide of the repository shows is
// one of the program's, with flags that it has.
func TestCommandsInGuidesExist(t *testing.T) {
	t.Parallel()
	guides, err := filepath.Glob("../../docs/*.md")
	require.NoError(t, err)
	seen := 0
	internals, err := filepath.Glob("../../docs/internals/*.md")
	require.NoError(t, err)
	for _, name := range slices.Concat(guides, internals, []string{"../../README.md", "../../jobs/README.md"}) {
		if filepath.Base(name) == "decisions.md" { // They speak of the past.
			continue
		}
		text, err := os.ReadFile(name)
		require.NoError(t, err)
		for _, mention := range []*regexp.Regexp{inText, inScript, inClone} {
			for _, found := range mention.FindAllStringSubmatch(string(text), -1) {
				line, _, _ := strings.Cut(strings.TrimSuffix(found[1], " ..."), " #")
				assert.Empty(t, misused(strings.Fields(line)), "%s: hiring %s", filepath.Base(name), line)
				seen++
			}
		}
	}
	require.Greater(t, seen, 30)
}

// misused tells what is wrong with a command line; the arguments of commands are
// not judged.
func misused(words []string) string {
	root := new(app).rootCommand()
	root.InitDefaultHelpCmd()
	root.InitDefaultCompletionCmd()
	command, rest, err := root.Find(words)
	if err != nil {
		return err.Error()
	}
	command.InitDefaultHelpFlag()
	for i, word := range rest {
		switch {
		case i > 0 && strings.HasPrefix(rest[i-1], "-"): // Perhaps a flag's value.
		case strings.HasPrefix(word, "--"):
			name, _, _ := strings.Cut(word[2:], "=")
			if command.Flag(name) == nil {
				return "no flag --" + name
			}
		case strings.HasPrefix(word, "-"):
			if !hasShorthand(command, word[1:2]) {
				return "no flag " + word
			}
		case command.HasSubCommands():
			return "no command " + word
		}
	}
	return ""
}

func hasShorthand(command *cobra.Command, letter string) bool {
	return command.Flags().ShorthandLookup(letter) != nil || command.InheritedFlags().ShorthandLookup(letter) != nil
}
