package main

import (
	"cmp"
	_ "embed" // The table of habits.
	"path"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/hiring-assessment/hiring-go/cmd/hiring/internal/output"
)

// habits is a table of what users of gh, hcloud, stripe, kubectl, docker, aws and other programs type, and
// after an arrow of what to use here instead: commands without the name of the program; flags of one command,
// of each command with a name, or of any. The word <id> stands for an id or an address. After a command, alone
// is the command without arguments, and more is one with too many. What stands between two % is an example of
// the value that the user gave the flag.
//
//go:embed habits.txt
var habits string

// useInstead returns an error with the advice that habits has for the first of the typed words that it
// has, if any.
func useInstead(err error, typed ...string) error {
	if instead := insteadOf(typed...); instead != "" {
		return adviceError{err, "Use " + instead}
	}
	return err
}

// insteadOf returns what to use instead of the first of the typed words that is in habits, or "".
func insteadOf(typed ...string) string {
	for _, word := range typed {
		if instead := insteadOfWords()[word]; instead != "" {
			return instead
		}
	}
	return ""
}

// insteadOfWords returns habits as a map.
func insteadOfWords() map[string]string {
	all := make(map[string]string)
	for line := range strings.Lines(habits) {
		words, instead, _ := strings.Cut(strings.TrimSpace(line), " => ")
		for word := range strings.SplitSeq(words, ", ") {
			all[word] = instead
		}
	}
	return all
}

// unknownCommand returns an error that names what to use instead, or commands with a
// similar name.
func unknownCommand(c *cobra.Command, given []string) error {
	parent, name := strings.TrimPrefix(c.CommandPath()+" ", "hiring "), given[0]
	err := usagef("There is no command hiring %s%s", parent, output.Clean(name))
	instead := insteadOfCommand(c, parent, given)
	if words := strings.FieldsFunc(name, func(r rune) bool { return strings.ContainsRune("-:/", r) }); len(words) == 2 && instead == "" && !c.HasParent() {
		instead = insteadOfCommand(c, parent, words) // As in list-submissions or submissions:list.
	}
	if instead != "" {
		return adviceError{err, "Use " + instead}
	}
	if strings.Contains(name, " ") {
		return adviceError{err, "Give the words without quotes: " + c.CommandPath() + " " + output.Clean(name)}
	}
	var below, near []string
	for _, child := range c.Commands() {
		below = append(below, child.Name())
		// No suggestion leads to the command that may send a second e-mail.
		if child.Name() != "send" && len(similar(name, append(child.Aliases, child.Name()))) > 0 {
			near = append(near, child.CommandPath())
		}
	}
	if near == nil {
		near = similarHabits(parent, name)
	}
	if len(near) == 1 || len(near) == 2 {
		err = usagef("%w. Did you mean %s?", err, strings.Join(near, " or "))
	}
	if c.HasParent() {
		return adviceError{err, "It has " + strings.Join(below, ", ")}
	}
	return adviceError{err, "hiring help lists the commands"}
}

// insteadOfCommand returns what to use instead of words below c, or "": the help, what habits has of two words, the
// command with the words in their order or turned, as kubectl has them, or what habits has of one word.
func insteadOfCommand(c *cobra.Command, below string, given []string) (instead string) {
	var words []string
	for _, word := range given {
		if strings.Contains(word, "/") { // As in submission/5b….
			words = append(words, path.Base(path.Dir(word)))
		}
		if word = path.Base(word); isID.MatchString(word) || strings.Contains(word, "@") {
			word = "<id>"
		}
		words = append(words, word)
	}
	if given = words; given[0] == "help" {
		return "hiring help " + strings.TrimSpace(below)
	}
	if len(given) > 1 {
		instead = insteadOf(below + given[0] + " " + given[1])
		if instead == "" && !c.HasParent() {
			instead = cmp.Or(usageBelow(c, given[0], given[1]), usageBelow(c, given[1], given[0]))
		}
		if kind, _, _ := c.Root().Find(given[1:]); instead == "" && !c.HasParent() && kind.HasParent() {
			instead = insteadOf(commandName(kind) + " " + given[0])
		}
	}
	return cmp.Or(instead, insteadOf(below+given[0]))
}

// usageBelow returns the usage of a command of a group, or "". The command that may send a second e-mail has none.
func usageBelow(root *cobra.Command, group, name string) string {
	found, rest, err := root.Root().Find([]string{group, name})
	if err != nil || len(rest) > 0 || !found.Parent().HasParent() || found.Name() == "send" {
		return ""
	}
	return found.Parent().CommandPath() + " " + found.Use
}

// insteadOfArgument returns what to use instead of a first argument that is the word for a command, or "". After the
// short form of a command the word may be for a command of its group, as in invite list.
func insteadOfArgument(c *cobra.Command, given []string) string {
	instead, group := insteadOfCommand(c, commandName(c)+" ", given), c.Annotations[shortOf]
	return cmp.Or(instead, usageBelow(c, group, given[0]), insteadOf(group+" "+given[0]))
}

// similar returns the names that begin with what was typed, or differ from it by a few letters.
func similar(typed string, names []string) []string {
	c := &cobra.Command{SuggestionsMinimumDistance: 2} // Cobra compares the names of commands only.
	if len(typed) < 5 {                                // Of a short name too much is similar.
		c.SuggestionsMinimumDistance = 1
	}
	for _, name := range names {
		c.AddCommand(&cobra.Command{Use: name, Run: func(*cobra.Command, []string) {}})
	}
	return c.SuggestionsFor(typed)
}

// similarHabits returns what to use instead of the words in habits that are similar to a name below a command.
func similarHabits(path, name string) (insteads []string) {
	var words []string
	for word := range insteadOfWords() {
		if below, found := strings.CutPrefix(word, path); found && strings.HasPrefix(below, name[:min(1, len(name))]) {
			words = append(words, below)
		}
	}
	for _, word := range similar(name, words) {
		insteads = append(insteads, insteadOf(path+word))
	}
	slices.Sort(insteads)
	return slices.Compact(insteads)
}

// unknownFlag names the flag or the command to use instead, or flags with a similar name.
func (a *app) unknownFlag(c *cobra.Command, e *pflag.NotExistError) error {
	flag := "--" + e.GetSpecifiedName()
	if letters := e.GetSpecifiedShortnames(); letters != "" {
		flag = "-" + letters[:1]
	}
	err := usagef("%s has no flag %s", commandName(c), output.Clean(flag))
	if instead := a.insteadOfFlag(c, flag); instead != "" {
		return adviceError{err, "Use " + instead}
	}
	var names []string
	c.Flags().VisitAll(func(f *pflag.Flag) { names = append(names, f.Name) })
	if near := similar(e.GetSpecifiedName(), names); len(near) > 0 && strings.HasPrefix(flag, "--") {
		err = usagef("%w. Did you mean --%s?", err, strings.Join(near, " or --"))
	}
	var own []string
	c.LocalNonPersistentFlags().VisitAll(func(f *pflag.Flag) { own = append(own, "--"+f.Name) })
	advice := "It has " + strings.Join(own, ", ") + ", and those of hiring --help"
	if c.Flag("all") != nil {
		advice += `; --jq 'map(select(.<member> == "<value>"))' selects from the results`
	}
	return adviceError{err, advice}
}

// insteadOfFlag returns what to use instead of a flag of a command, or "": no flag that the command does not have.
func (a *app) insteadOfFlag(c *cobra.Command, flag string) string {
	for _, typed := range []string{commandName(c) + " " + flag, c.Name() + " " + flag, flag} {
		instead := insteadOf(typed)
		words := strings.FieldsFunc(instead, func(r rune) bool { return strings.ContainsRune(" ,;:", r) })
		if instead != "" && (!strings.HasPrefix(words[0], "--") || c.Flag(words[0][2:]) != nil) {
			return a.withValue(instead, strings.TrimLeft(flag, "-"))
		}
	}
	return ""
}

// example matches an example in habits, and number a number.
var example, number = regexp.MustCompile(`%([^%]+)%`), regexp.MustCompile(`^\d+(\.\d+)?$`)

// withValue returns advice with the value that the user gave a flag in place of the examples of its kind: a
// number, a time, which the API writes in UTC, or a text that needs no quotes. The value status=active is the
// one of a member.
func (a *app) withValue(advice, flag string) string {
	given := regexp.MustCompile(`(?:^|\x00)--?` + regexp.QuoteMeta(flag) + `[=\x00](?:(\w+)==?)?([\pL\pN][\pL\pN @._+:-]*)(?:\x00|$)`)
	found := append(given.FindStringSubmatch(strings.Join(a.args, "\x00")), "", "", "")
	member, value, at := found[1], found[2], &timeValue{zone: a.zone, getenv: a.getenv}
	return example.ReplaceAllStringFunc(advice, func(shown string) string {
		shown = strings.Trim(shown, "%")
		switch isTime := at.Set(shown) == nil; {
		case shown == "<member>":
			return cmp.Or(member, shown)
		case isTime && at.Set(value) == nil:
			return at.at.UTC().Format(time.RFC3339)
		case isTime || number.MatchString(shown) && !number.MatchString(value):
			return shown
		}
		return cmp.Or(value, shown)
	})
}
