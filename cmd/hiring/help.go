package main

import (
	"cmp"
	"fmt"
	"io"
	"regexp"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/hiring-assessment/hiring-go/cmd/hiring/internal/output"
)

// helpCommand replaces Cobra's help command, to suggest other names for an unknown
// command.
func (a *app) helpCommand(root *cobra.Command) *cobra.Command {
	return &cobra.Command{
		Use:   "help [command]",
		Short: "Show help for a command or a topic",
		RunE: func(_ *cobra.Command, args []string) error {
			c, rest, _ := root.Find(args)
			if len(rest) > 0 && c.HasSubCommands() {
				return a.unknownCommand(c, rest)
			}
			c.InitDefaultHelpFlag()
			return c.Help()
		},
	}
}

// help shows the help of a command: what it does, its usage, commands by group, flags and
// examples.
func (a *app) help(c *cobra.Command, _ []string) {
	if a.noHelp = a.wrongWord(c, c.Flags().Args()); a.noHelp != nil {
		return
	}
	to := new(strings.Builder)
	defer func() {
		_, _ = io.WriteString(c.OutOrStdout(), reflow(to.String(), min(cmp.Or(a.out.Width, helpWidth), widestTexts)))
	}()
	_, _ = fmt.Fprintln(to, cmp.Or(strings.TrimSpace(c.Long), c.Short+"."))
	if c.IsAdditionalHelpTopicCommand() {
		return
	}
	usage := c.UseLine()
	if c.HasAvailableSubCommands() {
		usage = c.CommandPath() + " <command> [flags]"
	}
	section(to, "Usage", "  "+usage)
	if len(c.Aliases) > 0 {
		section(to, "Aliases", "  "+strings.Join(c.Aliases, ", "))
	}
	for _, group := range c.Groups() {
		section(to, strings.TrimSuffix(group.Title, ":"), commandLines(c, "  ", func(child *cobra.Command) bool { return child.GroupID == group.ID }))
	}
	section(to, "Commands", commandLines(c, "  ", func(child *cobra.Command) bool { return child.GroupID == "" && child.IsAvailableCommand() }))
	section(to, "Flags", flagLines(c.LocalFlags()))
	if c.HasParent() {
		section(to, "Flags of every command", "  --bom, --columns, --debug, --dialect, -q/--jq, -o/--output, -p/--profile,\n"+
			"  --sandbox, --separator, --timeout, -y/--yes; see hiring --help")
	}
	section(to, "Examples", c.Example)
	if !c.HasParent() {
		section(to, "Topics", commandLines(c, "  hiring help ", (*cobra.Command).IsAdditionalHelpTopicCommand))
	}
}

// helpWidth is the width of help where the output has none.
const helpWidth = 80

// rightColumn matches a line of a list, whose first part is the left column.
var rightColumn = regexp.MustCompile(`^( +\S.*?  +)(\S.*)$`)

// reflow fits a help text to a width: its paragraphs, and the right columns of its lists. Other
// indented lines, such as examples, stay.
func reflow(text string, width int) string {
	var lines []string
	paragraph := ""
	for line := range strings.SplitSeq(text, "\n") {
		if line != "" && line[0] != ' ' {
			paragraph = strings.TrimPrefix(paragraph+" "+line, " ")
			continue
		}
		if paragraph != "" {
			lines, paragraph = append(lines, output.Wrap(paragraph, width)...), ""
		}
		if row := rightColumn.FindStringSubmatch(line); row != nil {
			for _, part := range output.Wrap(row[2], max(width-len(row[1]), helpWidth/4)) {
				lines = append(lines, row[1]+part)
				row[1] = strings.Repeat(" ", len(row[1]))
			}
			continue
		}
		lines = append(lines, line)
	}
	return strings.Join(lines, "\n") // The text ends with a line break.
}

// section writes a part of a help text that is not empty.
func section(to io.Writer, title, text string) {
	if text = strings.TrimRight(text, "\n"); text != "" {
		_, _ = fmt.Fprintf(to, "\n%s:\n%s\n", title, text)
	}
}

// commandLines returns a line for each command below c that which selects.
func commandLines(c *cobra.Command, before string, which func(*cobra.Command) bool) (text string) {
	for _, child := range c.Commands() {
		if which(child) {
			text += fmt.Sprintf("%s%-12s %s\n", before, child.Name(), child.Short)
		}
	}
	return text
}

// flagLines returns a line for each flag. Those of pflag show a boolean as --yes[=true|false].
func flagLines(flags *pflag.FlagSet) string {
	var text strings.Builder
	lines := tabwriter.NewWriter(&text, 0, 0, 3, ' ', 0)
	flags.VisitAll(func(flag *pflag.Flag) {
		value, usage := pflag.UnquoteUsage(flag)
		letter := "   "
		if flag.Shorthand != "" {
			letter = "-" + flag.Shorthand + ","
		}
		_, _ = fmt.Fprintf(lines, "  %s %s\t%s\n", letter, strings.TrimSpace("--"+flag.Name+" "+value), usage)
	})
	_ = lines.Flush() // A strings.Builder returns no error.
	return text.String()
}
