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
	return advise(err, insteadOf(typed))
}

// advise returns an error with the advice to use something instead, unless that is "".
func advise(err error, instead string) error {
	if instead == "" {
		return err
	}
	return adviceError{err, "Use " + instead}
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
func (a *app) unknownCommand(c *cobra.Command, given []string) error {
	parent, name := strings.TrimPrefix(c.CommandPath()+" ", "hiring "), given[0]
	err := usagef("There is no command hiring %s%s", parent, output.Clean(name))
	instead := cmp.Or(strings.ReplaceAll(insteadOf("* "+name), "<group>", c.Name()), a.insteadOfCommand(c, parent, given))
	if words := strings.FieldsFunc(name, func(r rune) bool { return strings.ContainsRune("-:. ", r) }); instead == "" && len(words) == 2 {
		// As in list-submissions, submissions:list or 'submissions list', and in a group as in get-archive, if the second is a command.
		if of, _, _ := c.Root().Find(words[1:]); !c.HasParent() || of.HasParent() || usageBelow(c, c.Name(), words[1]) != "" {
			instead = a.insteadOfCommand(c.Root(), "", append(words, given[1:]...))
		}
	} else if instead == "" && !c.HasParent() { // The other of singular and plural.
		instead = a.insteadOfCommand(c, "", append([]string{strings.TrimSuffix(name+"s", "ss")}, given[1:]...))
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
		return adviceError{err, "Did you mean " + strings.Join(near, " or ") + "? " + c.CommandPath() + " --help lists the commands"}
	}
	return listedError{adviceError{err, c.CommandPath() + " has the commands below"}, commandLines(c, "  ", (*cobra.Command).IsAvailableCommand)}
}

// insteadOfCommand returns what to use instead of words below c, or "": what habits has of two words, the
// command with the words in their order or turned, as kubectl has them, or what habits has of one word.
func (a *app) insteadOfCommand(c *cobra.Command, below string, given []string) string {
	var words []string
	if !c.HasParent() && slices.ContainsFunc(a.args, isPath) {
		isTyped := func(method string) bool { return hasWord(strings.ToUpper(strings.Join(a.args, " ")), method) }
		return "hiring api " + apiMethods[max(slices.IndexFunc(apiMethods[1:], isTyped)+1, 0)] + " <path>"
	}
	for _, word := range given {
		if strings.Contains(word, "/") { // As in submission/5b….
			words = append(words, path.Base(path.Dir(word)))
		}
		if word = path.Base(word); isID.MatchString(word) {
			word = "<id>"
		} else if strings.Contains(word, "@") {
			word = "<email>"
		} else if fileToSend.MatchString(word) {
			word = "<file" + strings.ReplaceAll(strings.ReplaceAll(path.Ext(word), "yaml", "json"), "yml", "json") + ">"
		}
		words = append(words, word)
	}
	first, second, usual := words[0], append(words, "")[1], insteadOf(below+words[0])
	instead := insteadOf(below + first + " " + second)
	if kind, behind, _ := c.Root().Find(words[1:]); !c.HasParent() {
		group := cmp.Or(kind.Annotations[shortOf], commandName(kind)) // As in delete invite, and then as in org member add.
		instead = cmp.Or(instead, usageBelow(c, first, second), insteadOf(second+" "+first),
			usageBelow(c, group, first), insteadOf(group+" "+first), insteadOf(group+" "+append(behind, "")[0]))
	}
	if strings.HasPrefix(usual, "a kind ") { // As in get candidates.
		instead = cmp.Or(instead, insteadOf(second))
	}
	if list := listOf.FindStringSubmatch(usual); list != nil { // As in jobs create and attempts <id>.
		instead = cmp.Or(instead, usageBelow(c, list[1], second), insteadOf(list[1]+" "+second))
	}
	return cmp.Or(instead, usual)
}

// fileToSend matches the name of a file that other programs send: import reads only CSV.
var fileToSend = regexp.MustCompile(`\.(?:csv|json|ya?ml)$`)

// listOf matches advice that begins with the list of a group.
var listOf = regexp.MustCompile(`^hiring ([a-z]+) list(?: or |$)`)

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

// filled returns advice for what was typed, with what was typed in place of the placeholders that it fits, and with the flags that were
// typed. said is what the error says.
func (a *app) filled(said, advice string) string {
	return a.withTyped(said, withFullStop(placeholder.ReplaceAllStringFunc(advice, a.inPlaceOf)))
}

// insteadOfTyped returns what to use instead of a flag that was typed and that has no meaning for a command, or "".
func (a *app) insteadOfTyped(c *cobra.Command, typed typedFlag) string {
	switch flag := flagOf(c, typed.flag); {
	case typed.flag == "":
		return ""
	case flag == nil, slices.Contains(outputFlags, flag.Name) && slices.Contains(withoutResults, c.Name()): // As in archive -o code.zip.
		return cmp.Or(columnsIn(typed.value), a.ownFlag(c, typed.value), a.insteadOfFlag(c, typed))
	case flag.Name == "output" && !slices.Contains(output.Formats(), typed.value):
		return insteadOfFormat(typed.value)
	}
	return ""
}

// commandIn returns the command that a text begins with, or nil.
func commandIn(text string) *cobra.Command {
	c, _, _ := new(app).rootCommand().Find(strings.Fields(twoWords.FindString(text)))
	if !c.HasParent() || c.HasSubCommands() || !strings.HasPrefix(text, commandName(c)) {
		return nil
	}
	c.InheritedFlags() // They count as flags of the command from then on.
	return c
}

// placeholder matches a placeholder in advice with the word before it, and kind a word for things that have ids.
var placeholder, kind = regexp.MustCompile(`(?:(\S+) )?<([a-z.]+)>(?:\.\.\.)?`), regexp.MustCompile(`^(submission|invitation|assessment|challenge)s?(?:/|$)`)

// address matches a whole address or 'Ada <ada@example.com>'.
var address = regexp.MustCompile(`^(?:[^=:/@<]*<)?[^\s=:/@<]+@[^\s=:/@>]+>?$`)

// ofFlag maps flags to the only placeholder that their values fit.
var ofFlag = map[string]string{ //nolint:gochecknoglobals // a constant table
	"-a": "assessment", "--challenge": "challenge", "--name": "name", "--base-url": "address", "-p": "", "--profile": "name", "--status": "",
}

// inPlaceOf returns a placeholder with the word before it, or the only value that was typed and is known to fit in its place.
func (a *app) inPlaceOf(shown string) string {
	found := placeholder.FindStringSubmatch(shown)
	before, of := strings.ReplaceAll(found[1], "--assessment", "-a"), found[2]
	var values []string
	for _, typed := range a.typed {
		flag, value := typed.flag, typed.value
		if usual := insteadOf(flag); isFlag.MatchString(usual) && !strings.Contains(usual, " ") { // As in --title.
			flag = usual
		}
		switch {
		case of == "candidate", of == "path", strings.Contains(value, "="): // As in -d email=ada@example.com.
		case of == "file.csv":
			value = strings.TrimPrefix(value, "@")
		default:
			value = copied(value)
		}
		if a.fits(before, of, strings.ReplaceAll(flag, "--assessment", "-a"), value) {
			values = append(values, value)
		}
	}
	slices.Sort(values)
	if values = slices.Compact(values); len(values) != 1 || values[0] == "" {
		return shown
	}
	shown = strings.TrimPrefix(before+" ", " ") + quotedWord(values[0])
	switch isAddress := strings.Contains(shown, "@"); {
	case isAddress && of == "invitation" && (before == "resend" || before == "revoke"):
		shown += " " + a.inPlaceOf("-a <assessment>")
	case isAddress && of == "candidate" && !strings.Contains(shown, "<") && !a.hasTyped("--name"):
		shown += " --name <name>"
	}
	return shown
}

// fits reports whether a value, of a flag or of an argument, fits a placeholder behind a word. An id must be of the kind of things that the
// typed command is about or that a word names. Any other word fits only as the value of a flag that says what it is.
func (a *app) fits(before, of, flag, value string) bool {
	c, _, _ := new(app).rootCommand().Find(a.args)
	named := ""
	for _, word := range append(strings.FieldsFunc(argumentsOf(c), func(r rune) bool { return strings.ContainsRune(" <>", r) }), a.args...) {
		named = cmp.Or(named, append(kind.FindStringSubmatch(word), "", "")[1])
	}
	only, isOfFlag := ofFlag[flag]
	isOfKind := kind.MatchString(of) && (named == "" || named == of)
	switch {
	case of == "file.csv", of == "file" && before == "export":
		return results.MatchString(value) && (of == "file" || strings.HasSuffix(value, ".csv"))
	case strings.HasPrefix(before, "-"):
		return isOfFlag && flag == before
	case isOfFlag:
		return of == only
	case of == "path":
		return flag == "" && isPath(value)
	case isID.MatchString(value):
		return isOfKind
	}
	isOfCandidate := of == "candidate" || of == "email" || isOfKind && (of == "submission" || of == "invitation")
	return isOfCandidate && address.MatchString(value)
}

// quotedWord returns a word of a command line, with quotes if it needs them.
func quotedWord(word string) string {
	if unquoted.MatchString(word) {
		return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
	}
	return word
}

// withTyped adds the flags that were typed to each command in advice that has them. Of advice that has something to use instead it
// says which flags, ids, addresses and files it leaves out and the error does not name.
func (a *app) withTyped(said, advice string) string {
	var kept []typedFlag
	var left []string
	suggests := strings.HasPrefix(advice, "Use ") || strings.HasPrefix(advice, "Did you mean ")
	mayLeaveOut := false
	parts := strings.Split(advice, "hiring ")
	for i, part := range parts[1:] {
		if c := commandIn(part); c != nil {
			isInstead := suggests && !sentenceEnd.MatchString(strings.Join(parts[:i+1], ""))
			mayLeaveOut = mayLeaveOut || isInstead && c.Name() != "api" // A request has the flags in another form.
			flags, at := a.keptFlags(c, part, isInstead)
			parts[i+1] = commandName(c) + flags + a.selected(c, strings.TrimPrefix(part, commandName(c)))
			kept = append(kept, at...)
		}
	}
	advice = strings.Join(parts, "hiring ")
	for _, typed := range a.typed {
		word := cmp.Or(typed.value, typed.flag)
		isKept := slices.Contains(kept, typed) && !mayBeLeftOut.MatchString(typed.value)
		isSaid := isKept || hasWord(said, typed.flag) || hasWord(said+" "+advice, path.Base(word))
		if shown := cmp.Or(typed.flag, typed.value); mayBeLeftOut.MatchString(shown) && !isSaid {
			left = append(left, output.Clean(shown))
		}
	}
	if left != nil && mayLeaveOut {
		advice += " That leaves out " + strings.Join(slices.Compact(left), ", ") + "."
	}
	return advice
}

// condition matches what selects items in habits.
var condition = regexp.MustCompile(`map\((select\(.*\))\)'`)

// selected returns advice about a list with what flags that were typed select among the items that it writes one by one.
func (a *app) selected(c *cobra.Command, advice string) string {
	for _, typed := range a.typed {
		if selects := condition.FindStringSubmatch(a.insteadOfTyped(c, typed)); selects != nil {
			advice = strings.Replace(advice, "'.[].", "'.[] | "+selects[1]+" | .", 1)
		}
	}
	return advice
}

// keptFlags returns the flags that were typed and that a command has, or other flags that habits has instead, for advice that names the
// command. A hint gets only targetFlags. kept has the flags that the advice then has.
func (a *app) keptFlags(c *cobra.Command, text string, isInstead bool) (flags string, kept []typedFlag) {
	isLocal := slices.Contains(withoutServer, strings.Fields(commandName(c))[0])
	for _, typed := range a.typed {
		flag, add, with := flagOf(c, typed.flag), "", text+flags
		isOther := flag == nil || flag.Name == "output" && !slices.Contains(output.Formats(), typed.value)
		switch {
		case typed.flag == "", isLocal && (flag == nil || c.InheritedFlags().Lookup(flag.Name) != nil):
			continue
		case isOther && isInstead && c.Name() != "api":
			if add = a.otherFlags(c, typed, with); add == "" {
				continue
			}
		case flag == nil || !addsTo(c, flag, with), c.Name() == "api" && !slices.Contains(requestFlags, flag.Name),
			!isInstead && !slices.Contains(targetFlags, flag.Name), flag.Name == "jq" && ofItem.MatchString(typed.value) == (c.Flag("limit") != nil):
			continue
		case flag.NoOptDefVal != "":
			add = " --" + flag.Name
		case flag.Name == "data" && !strings.HasPrefix(typed.value, "{") && strings.Contains(typed.value, "="):
			add = " -f " + quotedWord(typed.value)
		case typed.value != "":
			add = " --" + flag.Name + " " + quotedWord(typed.value)
		}
		flags, kept = flags+add, append(kept, typed)
	}
	return flags, kept
}

// ofItem matches a program of --jq that is for one thing, and not for a list.
var ofItem = regexp.MustCompile(`^\.\w`)

// addsTo reports whether a flag of a command has a meaning beside the flags of a text.
func addsTo(c *cobra.Command, flag *pflag.Flag, text string) bool {
	isOutput := slices.Contains(outputFlags, flag.Name)
	return !hasWord(text, "--"+flag.Name, "-"+cmp.Or(flag.Shorthand, "-"+flag.Name)) &&
		(!isOutput || !hasWord(text, "--jq") && !slices.Contains(withoutResults, c.Name())) &&
		(flag.Name != "jq" || !hasWord(text, "csv", "--columns")) &&
		(flag.Name != "limit" || !hasWord(text, "--all")) && (flag.Name != "all" || !hasWord(text, "--limit"))
}

// otherFlags returns the flags that habits has instead of a flag that was typed, unless they have no meaning beside those of a text or
// need a choice.
func (a *app) otherFlags(c *cobra.Command, typed typedFlag, text string) string {
	instead := a.insteadOfTyped(c, typed)
	flags := append(onlyFlags.FindStringSubmatch(instead), "", "")[1]
	isOfList := strings.HasPrefix(flags, "--jq '.[") && c.Flag("limit") == nil
	if flags == "" || isOfList || strings.Contains(flags, "<") || strings.Contains(instead, "; give your value") {
		return ""
	}
	for _, other := range typedIn(strings.Fields(flags)) {
		switch flag := flagOf(c, other.flag); {
		case flag == nil: // The rest of a value.
		case !addsTo(c, flag, text), flag.NoOptDefVal == "" && other.value+typed.value == "":
			return ""
		case flag.NoOptDefVal == "" && other.value == "":
			flags += " " + quotedWord(typed.value)
		}
	}
	return " " + flags
}

// hasWord reports whether a text has one of some words.
func hasWord(text string, words ...string) bool {
	return slices.ContainsFunc(words, func(word string) bool {
		return word != "" && regexp.MustCompile(`(?:^|[\s/'"])`+regexp.QuoteMeta(word)+`(?:\W|$)`).MatchString(text)
	})
}

// mayBeLeftOut matches a flag, an id, an address or a file, twoWords the words that may be a command, and unquoted a word that needs
// quotes.
var mayBeLeftOut = regexp.MustCompile(`^--?[A-Za-z]|[0-9a-f]{8}-[0-9a-f-]{27}|[@/]|\.(?:csv|jsonl?|zip)$`)
var twoWords, unquoted = regexp.MustCompile(`^[a-z]+(?: [a-z]+)?`), regexp.MustCompile(`[^\pL\pN@%+=:,./_-]`)

// sentenceEnd matches the end of what advice has to use: what follows is a hint.
var sentenceEnd = regexp.MustCompile(`[;.?] `)

// onlyFlags matches flags in habits with their values, and nothing about them that the user must read.
var onlyFlags = regexp.MustCompile(`^(--?[a-z-]+(?: '[^']*'| [\w@%+./:-]+)?(?: --jq '[^']*')?)(?:[,;:] |$)`)

// results matches the name of a file.
var results = regexp.MustCompile(`^[^@=:]+\.(?:csv|jsonl?)$`)

// unknownFlags names what to use instead of flags that were typed and that a command does not have, or flags with a similar name.
func (a *app) unknownFlags(c *cobra.Command, unknown []typedFlag) error {
	flags, others := flagLines(c.LocalNonPersistentFlags())+c.Example, "It has the flags below, and those of hiring --help"
	if !isAction(c) {
		others += ": --jq selects from the results"
	}
	if len(unknown) > 1 {
		lines, below := "", ""
		for _, typed := range unknown {
			advice := a.adviceForFlag(c, typed)
			if advice == "" {
				advice, below = others, flags
			}
			lines += fmt.Sprintf("  %-12s  %s\n", output.Clean(typed.flag), a.filled(typed.flag, advice))
		}
		return listedError{usagef("%s does not have these flags", commandName(c)), lines + below}
	}
	flag := unknown[0].flag
	has := func(child *cobra.Command) bool { return child.Flag(strings.TrimLeft(flag, "-")) != nil }
	err := usagef("%s has no flag %s", commandName(c), output.Clean(flag))
	if lines := commandLines(c, "  ", has); lines != "" {
		return listedError{adviceError{err, "Give it to a command below"}, lines}
	}
	if advice := a.adviceForFlag(c, unknown[0]); advice != "" {
		return adviceError{err, advice}
	}
	if usual, _, _ := c.Find([]string{"list"}); usual != c {
		return a.unknownFlags(usual, unknown)
	}
	return listedError{adviceError{err, others}, flags}
}

// adviceForFlag returns what to use instead of a flag that was typed and that a command does not have, or "".
func (a *app) adviceForFlag(c *cobra.Command, typed typedFlag) string {
	instead := a.insteadOfTyped(c, typed)
	switch {
	case strings.HasPrefix(instead, "--all") && a.hasTyped("--limit", "-L"):
		return "Use " + instead + "; leave --limit out"
	case instead != "":
		return "Use " + instead
	}
	var names []string
	c.Flags().VisitAll(func(f *pflag.Flag) { names = append(names, f.Name) })
	near := similar(strings.TrimPrefix(typed.flag, "--"), slices.DeleteFunc(names, func(name string) bool { return name == "again" }))
	if len(near) == 0 {
		return ""
	}
	return "Did you mean --" + strings.Join(near, " or --") + "? " + c.CommandPath() + " --help lists the flags"
}

// ownFlag returns what a command has for a member in the value of another flag, as in --filter status=active: its flag, or what habits
// has of it, or "".
func (a *app) ownFlag(c *cobra.Command, typed string) string {
	member, operator, value := given(typed)
	of := cmp.Or(insteadOf("--"+member), "--"+member)
	switch {
	case member == "" || operator != "":
		return ""
	case c.Flag(of[2:]) != nil:
		return of + " '" + value + "'"
	case insteadOf(commandName(c)+" --"+member) != "":
		return a.insteadOfFlag(c, typedFlag{"--" + member, value})
	}
	return ""
}

// insteadOfFlag returns what to use instead of a flag of a command, or "": no flag or argument that the command does not have. Habits
// may have a flag with a value, or in the singular, and a flag of each command with an argument, as in <submission> --email.
func (a *app) insteadOfFlag(c *cobra.Command, of typedFlag) string {
	flag := of.flag
	if known := flagOf(c, flag); known != nil {
		flag = "--" + known.Name
	}
	member, operator, value := given(of.value)
	_, argument, _ := strings.Cut(strings.TrimSuffix(argumentsOf(c), "..."), " ")
	usual, _, _ := strings.Cut(insteadOf(flag), " ") // Of a flag that the command does not have, either, as in --newer-than.
	for _, typed := range []string{flag + " " + cmp.Or(of.value, "alone"), flag, plural.ReplaceAllString(flag, "$1"), usual} {
		for _, of := range []string{commandName(c) + " ", c.Name() + " ", argument + " ", ""} {
			instead := insteadOf(of + typed)
			words := strings.FieldsFunc(instead, func(r rune) bool { return strings.ContainsRune(" ,;:", r) })
			if instead != "" && (!isAction(c) || words[0] != "--jq") &&
				(!strings.HasPrefix(words[0], "--") || c.Flag(words[0][2:]) != nil) && (argument != "" || !strings.HasPrefix(instead, "an argument")) {
				instead = strings.NewReplacer("<line>", strings.TrimSuffix(c.UseLine(), " [flags]"), "<flag>", strings.TrimPrefix(flag, "--")).Replace(instead)
				instead = a.withValue(instead, member, operator, value)
				return cmp.Or(insteadOf("-o "+strings.TrimPrefix(instead, "-o ")), instead) // As in -o pdf.
			}
		}
	}
	return ""
}

// fields matches a text with a template, columns as kubectl has them, or a query that only selects fields, and
// field one of its fields.
var fields, field = regexp.MustCompile(`^(?:[^?|([]|\[\])*(?:\{\{|columns=|\[\]\.[\[{])[^?|(]*$`), regexp.MustCompile(`(?:[.,]|\]\.[\[{]|columns=)(?:\w+:\.?)?([A-Za-z][\w.]*)`)

// columnsIn returns --columns with the fields that a text selects, as in {{.ID}} {{.Email}} or columns=ID:.id,EMAIL:.email, or "".
func columnsIn(text string) (instead string) {
	for _, found := range field.FindAllStringSubmatch(fields.FindString(text), -1) {
		instead += "," + strings.ToLower(found[1])
	}
	return strings.Replace(instead, ",", "--columns ", 1)
}

// conditionIn matches a condition such as status=active, score>=80, >80 or Name=status,Values=active, or a text that needs no quotes.
var conditionIn = regexp.MustCompile(`^(?:(?:Name=)?(\w*)(?:,Values?=|==?|(!=|[<>]=?)) ?)?([\pL\pN./~][\pL\pN @.,_+:/~-]*|-)$`)

// given returns the member, the operator and the value in the value of a flag, if it needs no quotes.
func given(typed string) (member, operator, value string) {
	found := append(conditionIn.FindStringSubmatch(typed), "", "", "", "")
	return found[1], found[2], found[3]
}

// example matches an example in habits, number a number, and plural a flag such as --types.
var example, number, plural = regexp.MustCompile(`%([^%]+)%`), regexp.MustCompile(`^\d+(\.\d+)?$`), regexp.MustCompile(`^(--.+)s$`)

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
		case strings.Contains(shown, "_"): // As in strong_yes: the API has no spaces or capitals.
			return cmp.Or(strings.ReplaceAll(strings.ToLower(value), " ", "_"), shown)
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
