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

// usageProblem returns what is wrong with a command line, or "". It does not check
// arguments.
func usageProblem(words []string) string {
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
		case i > 0 && strings.HasPrefix(rest[i-1], "-"): // It may be the value of a flag.
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
