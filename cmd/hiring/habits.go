package main

import (
	"slices"
	"strings"
)

// habits lists what users of gh, hcloud, stripe and other programs type, and what to use here
// instead: commands without the program's name, and flags of one command or of any. The
// argument <id> stands for an id or an address.
var habits = []struct{ typed, instead string }{ //nolint:gochecknoglobals // a constant table
	{"login, auth, config, configure, init, setup", "hiring profile add <name>"},
	{"profile login, profile set, profile new, profile create, profile edit, profile update", "hiring profile add <name>"},
	{"switch, profile switch, profile select", "hiring profile use <name>"},
	{"logout, profile logout", "hiring profile remove <name>"},
	{"status, profile show, profile view, profile get, profile current", "hiring profile status"},
	{"profile add --key, profile add --token, profile add --api-key", "the question of the command, or its standard input, as in hiring profile add acme < key-file"},
	{"--key, --token, --api-key, --base-url, --host, --server", "--profile, or the variables HIRING_BASE_URL and HIRING_API_KEY"},
	{"org, organization", "hiring account"},
	{"users, team", "hiring members"},
	{"usage, limits, rate-limit", "hiring quota"},
	{"listen, --watch", "hiring watch"},
	{"jobs, job, postings", "hiring assessments"},
	{"assessments archive, assessments stop, assessments disable", "hiring assessments close <assessment>"},
	{"assessments rename, assessments edit, assessments update", "hiring assessments close <assessment>: the API documents no other change"},
	{"assessments results, assessments submissions", "hiring submissions list -a <assessment>"},
	{"candidates, candidate", "hiring invitations or hiring submissions"},
	{"attempts, results, result", "hiring submissions"},
	{"submissions <id>", "hiring submissions get <submission>"},
	{"search, submissions search, --email, --candidate, --search", "hiring submissions find <email>"},
	{"<id>, open, browse, submissions open, submissions browse, --web", "hiring report <submission>"},
	{"events <id>, logs, log, events get, events show, events view", "hiring events list <submission>"},
	{"events watch, events list --follow", "hiring events follow <submission>"},
	{"invitations <id>, invitations get, invitations view, invitations show", "hiring invitations list -a <assessment>"},
	{"invitations ensure, invitations create, invitations add, invitations new", "hiring invitations invite <candidate> -a <assessment>"},
	{"invite --email, invitations invite --email", "an argument, as in 'Ada <ada@example.com>'"},
	{"invite --file, invitations invite --file, invite --csv, invitations invite --csv", "hiring invitations import <file.csv> -a <assessment>"},
	{"remind, invitations remind", "hiring invitations resend <invitation>"},
	{"invitations delete, invitations remove, invitations cancel", "hiring invitations revoke <invitation>"},
	{"invitations import --resume, invitations import --continue, watch --resume", "the same command again: it resumes"},
	{"--dry-run", "the command without --yes: it asks first"},
	{"--force, --confirm", "--yes"},
	{"--json", "-o json, with --columns for some members"},
	{"submissions archive --output", "-f <file> names the file"},
	{"--format", "-o"},
	{"--csv", "-o csv"},
	{"--template, -t, --query", "--jq; see hiring help formatting"},
	{"--fields", "--columns"},
	{"--order, --order-by, --sort-by", "--sort"},
	{"--state", "--status"},
	{"--title", "--name"},
	{"--page, --per-page, --page-size, --after, --starting-after", "--limit or --all"},
	{"--paginate", "--all"},
	{"--verbose, -v", "--debug"},
	{"--input", "-d @file"},
}

// insteadOf returns what to use instead of the first of the typed words that is in habits, or "".
func insteadOf(typed ...string) string {
	for _, word := range typed {
		for _, habit := range habits {
			if slices.Contains(strings.Split(habit.typed, ", "), word) {
				return habit.instead
			}
		}
	}
	return ""
}
