package main

import (
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	hiring "github.com/hiring-assessment/hiring-go"
)

// parse returns the candidates of a CSV file with the columns name,email. It reads the whole file first, so that a
// mistake at its end is found before the first e-mail. For a file that does not fit into memory, see docs/inviting.md.
func parse(text string) ([]hiring.NewInvitation, error) {
	text = strings.TrimPrefix(text, "\ufeff") // Spreadsheets write this mark.
	rows, err := csv.NewReader(strings.NewReader(text)).ReadAll()
	if err != nil {
		return nil, err
	}
	if len(rows) > 0 && strings.EqualFold(strings.Join(rows[0], ","), "name,email") {
		rows = rows[1:]
	}
	var candidates []hiring.NewInvitation
	for i, row := range rows {
		if len(row) != 2 || i == 0 && !strings.Contains(row[1], "@") {
			return nil, errors.New("the columns must be name,email")
		}
		candidates = append(candidates, hiring.NewInvitation{Name: row[0], Email: strings.TrimSpace(row[1])})
	}
	if len(candidates) == 0 {
		return nil, errors.New("there are no candidates in the file")
	}
	return candidates, nil
}

// concernsOne reports whether an error concerns one candidate. Another error ends the run and is printed at its end.
func concernsOne(invited hiring.InviteResult, err error) bool {
	return errors.Is(err, hiring.ErrInvalidInput) || errors.Is(err, hiring.ErrConflict) || invited.Outcome == hiring.InviteUnknown
}

// invite logs the outcome of each candidate by its position, because logs must not contain names and addresses. It
// prints the number of each outcome at the end.
func invite(ctx context.Context, client *hiring.Client, assessment string, candidates []hiring.NewInvitation,
	checkpoint hiring.Checkpoint, stdout, log io.Writer,
) error {
	counts, position := make(map[hiring.InviteOutcome]int), 0
	err := client.Invitations.SendAll(ctx, assessment, slices.Values(candidates), hiring.SendAllOptions{
		Each: func(invited hiring.InviteResult, err error) bool {
			position++
			counts[invited.Outcome]++
			switch {
			case err == nil:
				_, _ = fmt.Fprintf(log, "candidate %d: %s\n", position, invited.Outcome)
			case concernsOne(invited, err):
				_, _ = fmt.Fprintf(log, "candidate %d: %s: %s\n", position, invited.Outcome, printable(err.Error()))
			}
			return true
		},
		Progress: func(p hiring.InviteProgress) {
			if p.Reason == hiring.PauseQuota || p.Reason == hiring.PauseSettle { // The others are short.
				_, _ = fmt.Fprintf(log, "%d of %d done; waiting until %s\n", p.Done, len(candidates), p.WaitUntil.Format(time.TimeOnly))
			}
		},
		Checkpoint: checkpoint,
	})
	_, printErr := fmt.Fprintf(stdout, "%d sent, %d existing, %d not sent, %d unknown\n",
		counts[hiring.InviteSent], counts[hiring.InviteExisting], counts[hiring.InviteNotSent], counts[hiring.InviteUnknown])
	switch {
	case err != nil:
		return fmt.Errorf("%w; run this again: no candidate gets a second e-mail", err)
	case counts[hiring.InviteSent]+counts[hiring.InviteExisting] == 0:
		return errors.New("no candidate was invited")
	}
	return printErr
}
