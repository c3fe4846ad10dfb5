package main

import (
	"cmp"
	_ "embed" // The table of habits.
	"fmt"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/hiring-assessment/hiring-go/cmd/hiring/internal/output"
)

// habits is a table of what users of gh, hcloud, stripe, kubectl, docker, aws and other programs type, and
// after an arrow of what to use here instead: commands without the name of the program; flags of one command,
// of each command with a name, or of any. The word <id> stands for an id, and <email> for an address. After a command, alone
// is the command without arguments, and more is one with too many. After *, a command is one of any group. What stands
// between two % is an example of the value that the user gave the flag. Before a flag, <submission> means each command
// with that argument.
//
//go:embed habits.txt
var habits string

// useInstead returns an error with the advice that habits has for what was typed, if any.
func useInstead(err error, typed string) error {
	if instead := cmp.Or(insteadOf(typed), columnsIn(typed)); instead != "" {
		return adviceError{err, "Use " + instead}
	}
	return err
}

// insteadOf returns what to use instead of words in habits, or "".
func insteadOf(typed string) string { return insteadOfWords()[typed] }

// insteadOfWords returns habits as a map.
var insteadOfWords = sync.OnceValue(func() map[string]string { //nolint:gochecknoglobals // a constant table
	all := make(map[string]string)
	for line := range strings.Lines(habits) {
		words, instead, _ := strings.Cut(strings.TrimSpace(line), " => ")
		for word := range strings.SplitSeq(words, ", ") {
			all[word] = instead
		}
	}
	return all
})

// unknownCommand returns an error that names what to use instead, or commands with a
// similar name.
func unknownCommand(c *cobra.Command, given []string) error {
	parent, name := strings.TrimPrefix(c.CommandPath()+" ", "hiring "), given[0]
	err := usagef("There is no command hiring %s%s", parent, output.Clean(name))
	instead := cmp.Or(insteadOf("* "+name), insteadOfCommand(c, parent, given))
	if !c.HasParent() {
		words := strings.FieldsFunc(name, func(r rune) bool { return strings.ContainsRune("-:. ", r) })
		if len(words) != 2 { // Else as in list-submissions, submissions:list or 'submissions list'.
			words = append([]string{strings.TrimSuffix(name+"s", "ss")}, given[1:]...) // The other of singular and plural.
		}
		instead = cmp.Or(instead, insteadOfCommand(c, parent, words))
	}
	if instead != "" {
		return adviceError{err, "Use " + instead}
	}
	var near []string
	for _, child := range c.Commands() {
		// No suggestion leads to the command that may send a second e-mail. A group comes before the short forms of its commands.
		isTopic := child.IsAdditionalHelpTopicCommand() && len(given) > 1 // A topic has no commands.
		if child.Name() != "send" && !isTopic && (near == nil || child.Annotations[shortOf] == "") && len(similar(name, append(child.Aliases, child.Name()))) > 0 {
			usual, _, _ := child.Find([]string{"list"}) // Of a group that has a list.
			near = append(near, cmp.Or(usageBelow(c, child.Name(), append(given, "")[1]), usual.CommandPath()))
		}
	}
	if len(near) == 1 || len(near) == 2 {
		return adviceError{usagef("%w. Did you mean %s?", err, strings.Join(near, " or ")), c.CommandPath() + " --help lists the commands"}
	}
	return listedError{adviceError{err, c.CommandPath() + " has the commands below"}, commandLines(c, "  ", (*cobra.Command).IsAvailableCommand)}
}

// insteadOfCommand returns what to use instead of words below c, or "": the help, what habits has of two words, the
// command with the words in their order or turned, as kubectl has them, or what habits has of one word.
func insteadOfCommand(c *cobra.Command, below string, given []string) (instead string) {
	var words []string
	for _, word := range given {
		if strings.Contains(word, "/") { // As in submission/5b….
			words = append(words, path.Base(path.Dir(word)))
		}
		if word = path.Base(word); isID.MatchString(word) {
			word = "<id>"
		} else if strings.Contains(word, "@") {
			word = "<email>"
		}
		words = append(words, word)
	}
	if given = words; given[0] == "help" {
		return "hiring help " + strings.TrimSpace(below+strings.Join(given[1:], " "))
	}
	if len(given) > 1 {
		instead = insteadOf(below + given[0] + " " + given[1])
		if kind, rest, _ := c.Root().Find(given[1:]); instead == "" && !c.HasParent() {
			group := cmp.Or(kind.Annotations[shortOf], commandName(kind)) // As in delete invite.
			instead = cmp.Or(usageBelow(c, given[0], given[1]), insteadOf(given[1]+" "+given[0]), usageBelow(c, group, given[0]))
			instead = cmp.Or(instead, insteadOf(group+" "+given[0]), insteadOf(group+" "+append(rest, "")[0])) // As in org member add.
		}
		if instead = cmp.Or(instead, insteadOf(below+given[1]+" "+given[0])); instead == "" && strings.HasPrefix(insteadOf(below+given[0]), "a kind ") && given[1][:1] != "<" {
			instead = insteadOf(given[1]) // As in get candidates.
		}
	}
	if list := strings.Fields(insteadOf(below + given[0])); len(given) > 1 && len(list) == 3 && list[2] == "list" { // As in jobs create.
		instead = cmp.Or(instead, usageBelow(c, list[1], given[1]), insteadOf(list[1]+" "+given[1]))
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

// similar returns the names that begin with what was typed, or differ from it by a few letters: by one if either is short.
func similar(typed string, names []string) (found []string) {
	for _, name := range names {
		distance := 1 + min(len(typed), len(name), 6)/6
		c := &cobra.Command{SuggestionsMinimumDistance: distance} // Cobra compares the names of commands only.
		c.AddCommand(&cobra.Command{Use: name, Run: func(*cobra.Command, []string) {}})
		found = append(found, c.SuggestionsFor(typed)...)
	}
	return found
}

// typedID matches an id or an address in a command line, with the flag before it, and placeholder one in advice.
var typedID, placeholder = regexp.MustCompile(`(?i)(?:(?:^| )(-\S*[ =]))?([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|[\w.+-]+@[\w.-]+\w)`), regexp.MustCompile(`<[a-z.]+>(?:\.\.\.)?`)

// kind matches a kind of things that have ids, and fitting a placeholder with an id or an address that fits it.
var kind, fitting = regexp.MustCompile(`\b(?:submission|invitation|assessment|challenge)`), regexp.MustCompile(`^<(?:(?:email|submission)>.*@|(?:submission|invitation|assessment|challenge)>[^@]*$)`)

// filled returns a text that advises a command with the id or the address that was typed instead of its placeholder, if there
// is one of each and no other kind of thing was named, and with the value that a flag was given in place of the one behind it.
func (a *app) filled(text string) string {
	_, advice, _ := strings.Cut(text, "Use hiring ")
	said, line := strings.TrimSuffix(text, advice), strings.Join(a.args, " ")
	typed, blanks := typedID.FindAllStringSubmatch(line, -1), slices.Compact(placeholder.FindAllString(advice, -1))
	isOther := slices.ContainsFunc(kind.FindAllString(line, -1), func(of string) bool { return !strings.Contains(advice, "<"+of) })
	if len(typed) == 1 && typed[0][1] == "" && len(blanks) == 1 && !isOther && fitting.MatchString(blanks[0]+typed[0][2]) {
		advice = strings.ReplaceAll(advice, blanks[0], typed[0][2])
	}
	if file := results.FindString(line); file != "" {
		advice = strings.NewReplacer("<file.csv>", file, "export <file>", "export "+file).Replace(advice)
	}
	args := strings.Split(strings.ReplaceAll(strings.Join(a.args, "\x00"), "--assessment", "-a"), "\x00")
	text = flagBlank.ReplaceAllStringFunc(a.narrowed(said+advice, args), func(shown string) string {
		flag, blank, _ := strings.Cut(shown, " ")
		_, _, value := given(flag, args)
		return flag + " " + cmp.Or(spaced.ReplaceAllString(value, "'$0'"), blank)
	})
	return a.withTyped(withFullStop(text))
}

// withTyped adds the flags that were typed to each command that a text suggests and that has them, and says which flags, ids,
// addresses and files that were typed the text leaves out.
func (a *app) withTyped(text string) string {
	at := suggests.FindStringIndex(text)
	if at == nil || !strings.Contains(text[at[1]:], "hiring ") {
		return text
	}
	var kept []int
	var left []string
	parts := strings.Split(text[at[1]:], "hiring ")
	for i, part := range parts[1:] {
		if c, _, _ := new(app).rootCommand().Find(strings.Fields(twoWords.FindString(part))); c.HasParent() && strings.HasPrefix(part, commandName(c)) {
			flags, at := a.typedFlags(c, part)
			parts[i+1] = commandName(c) + flags + strings.TrimPrefix(part, commandName(c))
			kept = append(kept, at...)
		}
	}
	text = text[:at[1]] + strings.Join(parts, "hiring ")
	for i, argument := range a.args {
		name, value := a.typedAt(i)
		if mayBeLeftOut.MatchString(argument) && !slices.Contains(kept, i) && !hasWord(text, path.Base(name), value) {
			left = append(left, output.Clean(name))
		}
	}
	if left != nil && !strings.Contains(text, "hiring api ") { // The body and the query of a request have another form there.
		text += " That leaves out " + strings.Join(slices.Compact(left), ", ") + "."
	}
	return text
}

// typedFlags returns the flags that were typed and that a command has, for a text that suggests it, unless the text has them or
// they have no meaning beside its flags. kept has the positions of the flags that the text then has.
func (a *app) typedFlags(c *cobra.Command, text string) (flags string, kept []int) {
	c.InheritedFlags() // They count as flags of the command from then on.
	hasOtherOutput := hasWord(text, "--jq") || slices.Contains(withoutResults, c.Name())
	for i := range a.args {
		name, value := a.typedAt(i)
		flag := flagOf(c, name)
		switch {
		case flag == nil, c.Parent().Name() == "profile", c.Name() == "api" && flag.Name != "sandbox" && flag.Name != "profile",
			flag.Name == "limit" && hasWord(text, "--all"), hasOtherOutput && slices.Contains(outputFlags, flag.Name):
		case flag.NoOptDefVal != "" && !hasWord(text, "--"+flag.Name):
			flags += " --" + flag.Name
			kept = append(kept, i)
		case hasWord(text, "--"+flag.Name, "-"+cmp.Or(flag.Shorthand, "-"+flag.Name)):
			kept = append(kept, i)
		case value != "" && flag.Name != "output" || slices.Contains(output.Formats(), value):
			flags += " --" + flag.Name + " " + unquoted.ReplaceAllString(value, "'$0'")
			kept = append(kept, i)
		}
	}
	return flags, kept
}

// typedAt returns an argument that was typed: the name of a flag with the value that follows, or the argument alone.
func (a *app) typedAt(i int) (name, value string) {
	name, value, _ = strings.Cut(a.args[i], "=")
	if next := append(a.args, "-")[i+1]; name != "" && name[0] == '-' && value == "" && next != "" && next[0] != '-' {
		value = next
	}
	return name, value
}

// hasWord reports whether a text has one of some words.
func hasWord(text string, words ...string) bool {
	return slices.ContainsFunc(words, func(word string) bool {
		return word != "" && regexp.MustCompile(`(?:^|[\s/'])`+regexp.QuoteMeta(word)+`(?:\W|$)`).MatchString(text)
	})
}

// suggests matches the words before suggestions, twoWords the words that may be a command, mayBeLeftOut a flag, an id, an address
// or a file, and unquoted a value that needs quotes.
var suggests, mayBeLeftOut = regexp.MustCompile(`(?:Use|Did you mean) `), regexp.MustCompile(`^--?[A-Za-z]|[0-9a-f]{8}-[0-9a-f-]{27}|[@/]|\.(?:csv|jsonl?|zip)$`)
var twoWords, unquoted = regexp.MustCompile(`^[a-z]+(?: [a-z]+)?`), regexp.MustCompile(`^.*[^\w@%+=:,./-].*$`)

// list matches a list or an export in advice with its flags, selector a flag that selects from it, condition what selects ids
// without a flag, and results the name of a file.
var list, selector = regexp.MustCompile(`(hiring (?:\w+ list|submissions export [^\s,]*[^\s,.]))(?: -[\w-]+(?: <\w+>| [\w-]+)?| '\.\[\])*`), regexp.MustCompile(`^(-a|--status|--since|--evaluated-since) ('.*'|[^\s,]+)(?:[,;:]? |$)`)
var condition, results = regexp.MustCompile(`map\((select\(.*\))\)'`), regexp.MustCompile(`[^\s@=]+\.(?:csv|jsonl?)\b`)

// narrowed returns advice with lists that select what flags among arguments select.
func (a *app) narrowed(advice string, args []string) string {
	return list.ReplaceAllStringFunc(advice, func(shown string) string {
		command := list.FindStringSubmatch(shown)[1]
		c, _, _ := new(app).rootCommand().Find(strings.Fields(command)[1:3])
		for i := range args {
			name, _, _ := strings.Cut(args[i], "=")
			_, _, value := given(name, args[i:])
			instead := cmp.Or(a.insteadOfFlag(c, name, args[i:]), name+" "+spaced.ReplaceAllString(value, "'$0'"))
			if flag := selector.FindStringSubmatch(instead); flag != nil && flagOf(c, flag[1]) != nil {
				shown = regexp.MustCompile(" (?:"+flag[1]+`|--assessment) \S+`).ReplaceAllString(shown, "")
				shown = command + " " + flag[1] + " " + flag[2] + strings.TrimPrefix(shown, command)
			} else if selects := condition.FindStringSubmatch(instead); selects != nil && strings.HasSuffix(shown, ".[]") {
				shown += " | " + selects[1]
			}
		}
		return shown
	})
}

// flagBlank matches a flag with a placeholder in advice, and spaced a value that needs quotes.
var flagBlank, spaced = regexp.MustCompile(`(?:-a|--name) <[a-z]+>`), regexp.MustCompile(`.* .*`)

// flagOf returns the flag of a command such as --status or -a, or nil.
func flagOf(c *cobra.Command, name string) *pflag.Flag {
	if long, ok := strings.CutPrefix(name, "--"); ok {
		return c.Flag(long)
	}
	if short, ok := strings.CutPrefix(name, "-"); ok && short != "" {
		return c.Flags().ShorthandLookup(short[:1])
	}
	return nil
}

// unknownFlags names what to use instead of flags that a command does not have, or flags with a similar name. from has the
// arguments from each flag on.
func (a *app) unknownFlags(c *cobra.Command, unknown []string, from [][]string) error {
	flags, others := flagLines(c.LocalNonPersistentFlags())+c.Example, "It has the flags below, and those of hiring --help"
	if !isAction(c) {
		others += ": --jq selects from the results"
	}
	if len(unknown) > 1 && !c.HasSubCommands() {
		lines, below := "", ""
		for i, flag := range unknown {
			advice := a.adviceForFlag(c, flag, from[i])
			if advice == "" {
				advice, below = others, flags
			}
			lines += fmt.Sprintf("  %-12s  %s\n", output.Clean(flag), a.filled(withFullStop(advice)))
		}
		return listedError{usagef("%s does not have these flags", commandName(c)), lines + below}
	}
	has := func(child *cobra.Command) bool { return child.Flag(strings.TrimLeft(unknown[0], "-")) != nil }
	err := usagef("%s has no flag %s", commandName(c), output.Clean(unknown[0]))
	if lines := commandLines(c, "  ", has); lines != "" {
		return listedError{adviceError{err, "Give it to a command below"}, lines}
	}
	if advice := a.adviceForFlag(c, unknown[0], from[0]); advice != "" {
		return adviceError{err, advice}
	}
	if usual, _, _ := c.Find([]string{"list"}); usual != c {
		return a.unknownFlags(usual, unknown, from)
	}
	return listedError{adviceError{err, others}, flags}
}

// isFlag matches an argument that is a flag also after a flag that needs a value.
var isFlag = regexp.MustCompile(`^--[A-Za-z]`)

// flagsWithout returns the flags that were typed and that a command does not have, and the arguments from each on. The value
// of --sort may begin with a dash.
func (a *app) flagsWithout(c *cobra.Command) (unknown []string, from [][]string) {
	for i, argument := range a.args {
		name, _, _ := strings.Cut(argument, "=")
		if !isFlag.MatchString(name) {
			name = name[:min(2, len(name))]
		}
		isValue := i > 0 && a.args[i-1] == "--sort" && !isFlag.MatchString(name)
		if strings.Trim(name, "-") != "" && name[0] == '-' && !isValue && flagOf(c, name) == nil {
			unknown, from = append(unknown, name), append(from, a.args[i:])
		}
	}
	return unknown, from
}

// adviceForFlag returns what to use instead of a flag among arguments that a command does not have, or "".
func (a *app) adviceForFlag(c *cobra.Command, flag string, args []string) string {
	if child, _, _ := c.Find(args[1:]); child != c { // A command follows, and no value.
		args = args[:1]
	}
	member, _, value := given(flag, args)
	if of := cmp.Or(insteadOf("--"+member), "--"+member); member != "" && c.Flag(of[2:]) != nil { // As in --filter status=x.
		return "Use " + of + " '" + value + "'"
	}
	instead := cmp.Or(columnsIn(strings.Join(args[:min(len(args), 2)], " ")), a.insteadOfFlag(c, flag, args))
	switch {
	case strings.HasPrefix(instead, "--all") && slices.ContainsFunc(a.args, limit.MatchString):
		return "Use " + instead + "; leave --limit out"
	case instead != "":
		return "Use " + instead
	}
	var names []string
	c.Flags().VisitAll(func(f *pflag.Flag) { names = append(names, f.Name) })
	near := similar(strings.TrimPrefix(flag, "--"), slices.DeleteFunc(names, func(name string) bool { return name == "again" }))
	if len(near) == 0 || !strings.HasPrefix(flag, "--") {
		return ""
	}
	return "Did you mean --" + strings.Join(near, " or --") + "? " + c.CommandPath() + " --help lists the flags"
}

// insteadOfFlag returns what to use instead of a flag of a command, or "": no flag or argument that the command does not have. Habits
// may have a flag in the singular, and a flag of each command with an argument, as in <submission> --email.
func (a *app) insteadOfFlag(c *cobra.Command, flag string, args []string) string {
	member, operator, value := given(flag, args)
	_, argument, _ := strings.Cut(strings.TrimSuffix(argumentsOf(c), "..."), " ")
	usual, _, _ := strings.Cut(insteadOf(flag), " ") // Of a flag that the command does not have, either, as in --newer-than.
	for _, typed := range []string{flag, plural.ReplaceAllString(flag, "$1"), usual} {
		for _, of := range []string{commandName(c) + " ", c.Name() + " ", argument + " ", ""} {
			instead := insteadOf(of + typed)
			words := strings.FieldsFunc(instead, func(r rune) bool { return strings.ContainsRune(" ,;:", r) })
			if instead != "" && (!isAction(c) || words[0] != "--jq") && (!strings.HasPrefix(words[0], "--") || c.Flag(words[0][2:]) != nil) && (argument != "" || !strings.HasPrefix(instead, "an argument")) {
				instead = strings.NewReplacer("<line>", strings.TrimSuffix(c.UseLine(), " [flags]"), "<flag>", strings.TrimPrefix(flag, "--")).Replace(instead)
				instead = a.withValue(instead, member, operator, value)
				return cmp.Or(insteadOf("-o "+strings.TrimPrefix(instead, "-o ")), instead) // As in -o pdf.
			}
		}
	}
	return ""
}

// fields matches a text with a template, columns as kubectl has them, or a query that selects fields without a condition, and
// field one of its fields.
var fields, field = regexp.MustCompile(`^[^?]*(?:\{\{|columns=|\]\.[\[{]).*`), regexp.MustCompile(`(?:[.,]|\]\.[\[{]|columns=)(?:\w+:\.?)?([A-Za-z][\w.]*)`)

// columnsIn returns --columns with the fields that a text selects, as in {{.ID}} {{.Email}} or columns=ID:.id,EMAIL:.email, or "".
func columnsIn(text string) (instead string) {
	for _, found := range field.FindAllStringSubmatch(fields.FindString(text), -1) {
		instead += "," + strings.ToLower(found[1])
	}
	return strings.Replace(instead, ",", "--columns ", 1)
}

// given returns the value that arguments give a flag, if it is a text that needs no quotes, and the member and the operator
// of a value such as status=active, score>=80 or >80.
func given(flag string, args []string) (member, operator, value string) {
	first := regexp.MustCompile(`(?:^|\x00)--?` + regexp.QuoteMeta(strings.TrimLeft(flag, "-")) + `[=\x00](?:(\w*)(?:==?|(!=|[<>]=?)) ?)?([\pL\pN][\pL\pN @.,_+:-]*)(?:\x00|$)`)
	found := append(first.FindStringSubmatch(strings.Join(args, "\x00")), "", "", "", "")
	return found[1], found[2], found[3]
}

// example matches an example in habits, number a number, and plural a flag such as --types.
var example, number, plural = regexp.MustCompile(`%([^%]+)%`), regexp.MustCompile(`^\d+(\.\d+)?$`), regexp.MustCompile(`^(--.+)s$`)

// limit matches the limit of a list among arguments.
var limit = regexp.MustCompile(`^(--limit|-L)`)

// withValue returns advice with the member, the operator and the value that the user gave a flag in place of the examples of
// its kind: a number, a time, which the API writes in UTC, or a text. It says which number or time is only an example.
func (a *app) withValue(advice, member, operator, value string) string {
	at, kept := &timeValue{zone: a.zone}, ""
	advice = example.ReplaceAllStringFunc(advice, func(shown string) string {
		shown = strings.Trim(shown, "%")
		switch isTime := at.Set(shown) == nil; {
		case shown == "<member>":
			return cmp.Or(member, shown)
		case strings.Trim(shown, "<>=") == "":
			return cmp.Or(operator, shown)
		case shown == `"<value>"` && value != "" && !number.MatchString(value):
			return strconv.Quote(value)
		case isTime && at.Set(value) == nil:
			return at.at.UTC().Format(time.RFC3339)
		case isTime || number.MatchString(shown) && !number.MatchString(value):
			kept = "; give your value in place of " + shown
			return shown
		}
		return cmp.Or(value, shown)
	})
	return advice + kept
}
