package main

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	hiring "github.com/hiring-assessment/hiring-go"
	"github.com/hiring-assessment/hiring-go/cmd/hiring/internal/output"
)

func (a *app) challengesCommand() *cobra.Command {
	return group("challenges", "challenge", "Browse the library of challenges that assessments are created from",
		listCommand(a, command("list", "List challenges, newest first"), challengeTable(), func(_ context.Context, t task) (hiring.Pager[hiring.Challenge], error) {
			return sized(t, t.client.Challenges.List()), nil
		}),
		getCommand(a, command("get <challenge>", "Show a challenge with its tasks and its brief"), challengeTable(), a.challengeID,
			func(client *hiring.Client) getter[hiring.Challenge] { return client.Challenges.Get }))
}

func challengeTable() output.Table[hiring.Challenge] {
	return output.Table[hiring.Challenge]{
		Things:  "challenges",
		Shown:   []string{"name", "domain", "difficulty", "level", "stack", "minutes", "id"},
		More:    []string{"slug", "budget_dollars_cap", "is_multi_task", "is_platform", "published_at", "created_at"},
		Own:     map[string]func(hiring.Challenge) any{"minutes": func(c hiring.Challenge) any { return c.TimeLimitMinutes }},
		Verbose: showChallenge,
	}
}

// showChallenge prints the brief last, because it is long.
func showChallenge(p *output.Printer, challenge hiring.Challenge) error {
	table := challengeTable()
	table.Verbose = nil
	if err := output.One(p, table, challenge); err != nil {
		return err
	}
	if len(challenge.Tasks) > 0 {
		_, _ = fmt.Fprintln(p)
		err := output.List(p, output.Table[hiring.Task]{
			Shown: []string{"task_key", "kind", "title", "weight", "minutes", "id"},
			Own:   map[string]func(hiring.Task) any{"minutes": func(t hiring.Task) any { return t.TimeLimitMinutes }},
		}, output.Of(challenge.Tasks...))
		if err != nil {
			return err
		}
	}
	_, err := fmt.Fprintf(p, "\n%s\n", output.CleanLines(challenge.BriefMD))
	return err
}
