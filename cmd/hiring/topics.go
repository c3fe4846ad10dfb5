package main

import "github.com/spf13/cobra"

// topics returns the help texts that belong to no command.
func topics() []*cobra.Command {
	return []*cobra.Command{
		{Use: "environment", Short: "Environment variables", Long: environmentTopic},
		{Use: "exit-status", Short: "Exit statuses", Long: exitStatusTopic},
		{Use: "formatting", Short: "Formats, columns and jq programs", Long: formattingTopic},
	}
}

const exitStatusTopic = `Exit statuses:

  0    success; for doctor: nothing contradicts the assumptions
  1    failure
  2    wrong usage or input, also when the API says so; an unknown profile; an invalid
       key or base URL
  3    not found; also: a submission has no archive
  4    the key is missing, rejected or lacks a scope
  5    the hourly rate limit is reached
  6    the plan's limit is reached
  7    the outcome of a write is unknown: check before you repeat it
  130  interrupted

A request ends after 30 seconds and is made at most four times, and doctor ends after three
minutes. --timeout ends the whole command after another time.`

const formattingTopic = `Formats of -o:

  table   for people (default); times are in the local time zone
  json    one JSON value, indented
  jsonl   one line of JSON for each item
  csv     for spreadsheets; a text that begins like a formula gets an apostrophe

--columns selects the columns of a table or CSV, or the members of JSON. A column is a name
of the table or the path of a JSON member, as in report.pipeline_rank.rank. --sort takes
the same names.

On a terminal, times are relative (2 days ago), and ids are shortened where they do not fit.
All other formats have times as the API writes them, and whole ids. An empty cell of CSV
means that there is no data. --bom begins CSV with a byte order mark, which Excel needs;
files that the program names have one. --separator ';' is for the spreadsheets of most of
Europe. Files and CSV have no signed download links.

--jq runs a jq program over the JSON. Strings are printed without quotes, so that a shell
can use them. Examples:

  hiring submissions list --jq '.[] | select(.report.ship_score >= 80) | .candidate.email'
  hiring submissions list --jq '.[] | [.candidate.name, .report.ship_score] | @tsv'
  hiring submissions list --jq 'map(select(.report.ship_score != null) | .report.ship_score) | add / length'
  hiring report ada@example.com --jq .ship_score
  hiring submissions list --jq '.[] | "\(.candidate.name): \(.report.verdict_label // "not evaluated")"'
  hiring submissions list --jq 'group_by(.status) | map({status: .[0].status, n: length})'
  hiring account --jq '.usage | .assessments_limit - .assessments_used'
  hiring api /account --jq .data.plan.id
  hiring submissions list --columns id,candidate.email,score --sort -score

report writes the report, whose score is .ship_score. Everything else that writes results
writes submissions, whose score is .report.ship_score. A score is null until there is one,
and jq sorts null below 0 and adds it as 0: select(.report.ship_score != null) leaves such
submissions out. String interpolation, as in "\(.id)", and @tsv serve as templates.`

const environmentTopic = `The server and the key come from --sandbox, --profile or HIRING_PROFILE, or else from the
variables HIRING_BASE_URL and HIRING_API_KEY, or else from the profile in use (hiring profile).

  HIRING_PROFILE   the name of a profile to use, as with --profile
  HIRING_BASE_URL  the server address; it counts only together with the key
  HIRING_API_KEY   the API key
  NO_COLOR         if set, no colors are used
  CLICOLOR         0 means no colors
  CLICOLOR_FORCE   if set and not 0, colors are used in a pipe too
  COLUMNS          the width of the terminal
  TZ               the time zone of times in tables and of dates in flags
  XDG_CONFIG_HOME  the parent folder of the profiles (Linux)`
