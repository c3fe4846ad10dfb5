package main

import (
	"cmp"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hiring-assessment/hiring-go/sandbox"
)

// These expressions match a word of a command line, the commands and the flags in advice without the text behind them, a
// command that the test only parses, because it never ends, changes the profiles, reads standard input or needs what the
// sandbox does not have.
var (
	shellWord  = regexp.MustCompile(`(?:'[^']*'|<[^<>]+>|[^\s'])+`)
	prose      = regexp.MustCompile(` (?:or|and|lists|shows|sends|writes|has|searches|waits|see|adds|starts|for|with|of|2)(?: |$|>)|\. [A-Z]`)
	advised    = regexp.MustCompile(`hiring(?: (?:'[^']*'|<[^<>]+>(?:\.\.\.)?|[^\s'<>|;(]+[^\s'<>|;:,.(]|[a-z0-9-]))+|^-[^\s,;:]+(?: (?:'[^']*'|[^\s',;]*[^\s',;:.]))*`)
	onlyParsed = regexp.MustCompile(`^hiring (?:sandbox|profile|watch|events follow|submissions archive|submissions wait -$|invitations import -|help|report$|api (?:P|<path> -[df]|GET <path> -f))|--(?:dialect|profile|base-url)| -p `)
	noneFound  = regexp.MustCompile(`There is no (?:submission|invitation|assessment|challenge)\b|; this may be the id of something else\.`)
	blank      = regexp.MustCompile(`<[a-z.|-]+>(?:\.\.\.)?`)
)

// TestAdviceWorks types the words of habits, and runs each command that the answer names, and
// the command with the flags that the answer names, word for word: only the placeholders are filled.
func TestAdviceWorks(t *testing.T) {
	transport := sandbox.New(sandbox.WithQuota(100_000, 100_000)).Transport()
	t.Chdir(t.TempDir()) // Some advice has the name of a file to write.
	require.NoError(t, os.WriteFile("people.csv", []byte("name,email\nAda,ada@example.com\n"), 0o600))
	values := map[string]string{
		"<submission>": sandbox.SubmissionID, "<word>": "payments", "<assessment>": sandbox.AssessmentID, "<challenge>": "payments-backend", "<invitation>": "1a000000-0000-4000-8001-000000000360",
		"<candidate>": "Ada <ada@example.com>", "<email>": "bjorn.bergstrom@candidates.test", "<file.csv>": "people.csv", "<file.json>": "people.json", "<path>": "/account", "<name>": "backend",
		"<command>": "report", "<status>": "evaluated", "<id>": sandbox.SubmissionID, "<bash|fish|powershell|zsh>": "bash", "<method>": "GET", "<value>": "x", "<member>": "id", "<columns>": "id", "<address>": "http://127.0.0.1",
	}
	filled := func(line string) (args []string) {
		_ = os.Remove("results.csv")
		values["<file>"] = "results.csv"
		for _, word := range shellWord.FindAllString(line, -1)[1:] {
			args = append(args, blank.ReplaceAllStringFunc(strings.ReplaceAll(word, "'", ""), func(name string) string {
				value, known := values[strings.TrimSuffix(name, "...")]
				assert.True(t, known, "%s in %s", name, line)
				return value
			}))
		}
		return args
	}
	commands := append(everyCommand(t), new(app).rootCommand())
	worked := make(map[string]bool)
	for habit := range strings.Lines(habits) {
		typed, advice, _ := strings.Cut(strings.TrimSpace(habit), " => ")
		for word := range strings.SplitSeq(typed, ", ") {
			answered := false
			values["<id>"] = cmp.Or(map[string]string{"assessment": sandbox.AssessmentID, "challenge": "c0000000-0000-4000-8000-000000000001", "invitation": values["<invitation>"]}[strings.TrimSuffix(strings.Fields(word + " .")[0], "s")], sandbox.SubmissionID)
			for base, line := range linesOf(commands, word, advice) {
				got := runWith(t.Context(), sandbox.TestKey, transport, filled(line)...)
				said, _, _ := strings.Cut(got.stderr, "\n")
				_, said, _ = strings.Cut(said, " Use ")
				assert.NotContains(t, said, "--again", line)
				answered = answered || said != ""
				for _, command := range advised.FindAllString(prose.ReplaceAllString(said, "; "), -1) {
					if strings.HasPrefix(command, "-") {
						command = base + " " + strings.TrimSuffix(command, ".")
					}
					args := filled(command)
					found, _, _ := new(app).rootCommand().Find(args)
					assert.True(t, found.Name() == "members" || args[0] == "help" || args[0] == "--version" || !found.HasSubCommands(), "%s only shows help\n%s", command, got.stderr)
					switch {
					case worked[command]:
					case onlyParsed.MatchString(command):
						assert.Empty(t, usageProblem(args), "%s\n%s", line, got.stderr)
					default:
						did := runWith(t.Context(), sandbox.TestKey, transport, args...)
						worked[command] = did.code == 0 || strings.Contains(did.stderr, " needs a value: ") || strings.Contains(said, " of one thing") ||
							noneFound.MatchString(did.stderr) // What was typed is searched.
						assert.True(t, worked[command], "%s\n%s%s\n%s", line, got.stderr, command, did.stderr)
					}
				}
			}
			assert.True(t, answered || slices.Contains([]string{"", "logs -f", "quota"}, word), word)
		}
	}
	assert.Greater(t, len(worked), 150)
}

// linesOf returns command lines with a word of habits, by the command with its arguments: a flag is typed with each command
// that it is for.
func linesOf(commands []*cobra.Command, word, advice string) map[string]string {
	of, flag, isFlag := strings.Cut(" "+word, " -")
	if of = strings.TrimSpace(of); !isFlag || flag == "" {
		name, _, _ := strings.Cut(word, " more")
		i := slices.IndexFunc(commands, func(c *cobra.Command) bool { return commandName(c) == name })
		return map[string]string{strings.TrimSuffix(commands[max(i, 0)].UseLine(), " [flags]"): strings.NewReplacer("* ", "submissions ", " to ", " ", " more", " zz b c", " alone", "").Replace("hiring " + word)}
	}
	lines := make(map[string]string)
	for _, c := range commands {
		base := strings.NewReplacer(" [flags]", "", "[<method>] ", "").Replace(c.UseLine())
		argument := strings.TrimSuffix(blank.FindString(c.Use), "...")
		if of != "" && slices.Contains([]string{commandName(c), c.Name(), argument}, of) || of == "" && slices.Contains([]string{"submissions list", "report", "watch", "assessments create", "sandbox", "submissions archive"}, commandName(c)) {
			lines[base] = base + " -" + strings.NewReplacer(" alone", "", " wrong", " !", " twice", " . --jq . --timeout 1s").Replace(flag)
			if shown := example.FindStringSubmatch(advice); shown != nil && !strings.Contains(flag, " ") {
				lines[base] += " '" + strings.Trim(shown[1], `<>"`) + "'"
			}
		}
	}
	return lines
}
