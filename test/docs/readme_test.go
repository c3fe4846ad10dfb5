package docs_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	hiring "github.com/hiring-assessment/hiring-go"
	"github.com/hiring-assessment/hiring-go/sandbox"
)

// handle has the short blocks of README.md.
func handle(ctx context.Context, client *hiring.Client, assessmentID string, err error) error {
	switch {
	case errors.Is(err, hiring.ErrNotFound): // Or another code.
	case errors.Is(err, hiring.ErrOutcomeUnknown): // A write that may have happened: look before you call again.
	case hiring.IsTransient(err): // The same call may succeed later.
	}

	ctx, cancel := context.WithTimeout(ctx, time.Minute) // The whole call. An attempt: hiring.WithTimeout, 30 s by default.
	defer cancel()

	for invitation, err := range client.Invitations.List(assessmentID).All(ctx) { // Every page.
		if err != nil {
			return err
		}
		fmt.Println(invitation.CandidateName, invitation.Status)
	}
	return nil
}

func TestShortBlocksOfTheReadme(t *testing.T) {
	server := sandbox.Start(t)
	err := handle(t.Context(), server.LiveClient(), server.AddAssessment("Backend engineer"), nil)
	require.NoError(t, err)
	err = handle(t.Context(), server.Client(), sandbox.UnknownID, hiring.ErrNotFound)
	require.ErrorIs(t, err, hiring.ErrNotFound)
}
