package main

import (
	"cmp"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"
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
		case i > 0 && takesValue(command, rest[i-1]):
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

// takesValue reports whether a word is a flag whose value is the next word.
func takesValue(command *cobra.Command, word string) bool {
	name, isLong := strings.CutPrefix(word, "--")
	flag := command.Flag(name)
	if !isLong && len(word) == 2 && word[0] == '-' {
		flag = cmp.Or(command.Flags().ShorthandLookup(word[1:]), command.InheritedFlags().ShorthandLookup(word[1:]))
	}
	return flag != nil && flag.NoOptDefVal == ""
}

// TestFlagsInTheGuideExist: a flag that docs/cli.md names alone is one of some command.
func TestFlagsInTheGuideExist(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../../docs/cli.md")
	require.NoError(t, err)
	known := make(map[string]bool)
	var add func(*cobra.Command)
	add = func(c *cobra.Command) {
		c.InitDefaultHelpFlag()
		c.Flags().VisitAll(func(f *pflag.Flag) { known["--"+f.Name], known["-"+f.Shorthand] = true, true })
		c.PersistentFlags().VisitAll(func(f *pflag.Flag) { known["--"+f.Name], known["-"+f.Shorthand] = true, true })
		for _, child := range c.Commands() {
			add(child)
		}
	}
	add(new(app).rootCommand())
	named := regexp.MustCompile("`(--?[a-z][a-z-]*)").FindAllStringSubmatch(string(text), -1)
	require.Greater(t, len(named), 10)
	for _, flag := range named {
		assert.True(t, known[flag[1]], flag[1])
	}
}

func hasShorthand(command *cobra.Command, letter string) bool {
	return command.Flags().ShorthandLookup(letter) != nil || command.InheritedFlags().ShorthandLookup(letter) != nil
}
