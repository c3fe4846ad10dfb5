package main

import "github.com/spf13/cobra"

// formattingTopic describes output formats.
func formattingTopic() *cobra.Command {
	return &cobra.Command{
		Use:   "formatting",
		Short: "Formats, columns and jq programs",
		Long: `Formats of -o:

  table   for people (default); times are in the local time zone
  json    one JSON value, indented
  jsonl   one line of JSON for each item
  csv     for spreadsheets; a text that begins like a formula gets an apostrophe

--columns selects the columns of a table or CSV. A column is a name of the table or the
path of a JSON member, as in report.pipeline_rank.rank. --sort takes the same names.

--jq runs a jq program over the JSON. Strings are printed without quotes, so that a shell
can use them. Examples:

  hiring assessments list --jq '.[].id'
  hiring submissions list --jq '.[] | select(.report.ship_score >= 80) | .candidate.email'
  hiring submissions list --jq '.[] | [.candidate.name, .report.ship_score] | @tsv'
  hiring submissions list --jq '.[] | "\(.candidate.name): \(.report.verdict_label // "not evaluated")"'
  hiring submissions list --jq 'group_by(.status) | map({status: .[0].status, n: length})'
  hiring account --jq '.usage | .assessments_limit - .assessments_used'
  hiring submissions list -o jsonl --jq '{id, score: .report.ship_score}'
  hiring api /account --jq .data.plan.id
  hiring submissions list --columns id,candidate.email,score --sort -score

String interpolation, as in "\(.id)", and @tsv serve as templates.`,
	}
}

// environmentTopic lists the environment variables.
func environmentTopic() *cobra.Command {
	return &cobra.Command{
		Use:   "environment",
		Short: "Environment variables",
		Long: `The program reads these environment variables:

  HIRING_BASE_URL  the server address; it counts only together with the key
  HIRING_API_KEY   the API key
  NO_COLOR         if set, no colors are used
  TZ               the time zone of times in tables
  XDG_CONFIG_HOME  the parent folder of the profiles (Linux)
  XDG_CACHE_HOME   the parent folder of what shell completion remembers (Linux)`,
	}
}
