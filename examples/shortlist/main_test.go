package main

import (
	"errors"
	"testing"

	hiring "github.com/hiring-assessment/hiring-go"
	"github.com/hiring-assessment/hiring-go/sandbox"
)

func TestShortlist(t *testing.T) {
	server := sandbox.Start(t)

	best, err := shortlist(t.Context(), server.Client(), 95)
	if err != nil || len(best) == 0 {
		t.Fatalf("got %d submissions and %v, want the best", len(best), err)
	}
	for _, submission := range best {
		if score, ok := submission.Report.Score(); !ok || score < 95 {
			t.Errorf("%s has the score %d", submission.Candidate.Name, score)
		}
	}

	server.RevokeKey(sandbox.TestKey)
	_, err = shortlist(t.Context(), server.Client(), 95)
	if !errors.Is(err, hiring.ErrInvalidToken) {
		t.Fatalf("got %v, want ErrInvalidToken", err)
	}
}
