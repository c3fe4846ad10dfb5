package hiring_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log"
	"os"
	"path/filepath"
	"time"

	hiring "github.com/hiring-assessment/hiring-go"
	"github.com/hiring-assessment/hiring-go/sandbox"
)

// archive is the code under test. The README has it too.
func archive(ctx context.Context, client *hiring.Client, submissionID, path string) (err error) {
	file, err := os.Create(path)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	_, err = client.Submissions.DownloadArchive(ctx, submissionID, file)
	return err // After an error the file is incomplete.
}

func ExampleSubmissionService_DownloadArchive() {
	ctx := context.Background()
	server := sandbox.New()
	client := server.LiveClient()
	submissionID := submitted(ctx, server, client) // A submitted attempt.

	path := filepath.Join(os.TempDir(), submissionID+".zip")
	defer func() { _ = os.Remove(path) }()
	err := archive(ctx, client, submissionID, path)
	fmt.Println(err)

	// In test mode there are no archives.
	err = archive(ctx, server.Client(), sandbox.SubmissionID, path)
	fmt.Println(errors.Is(err, hiring.ErrNoArchive))
	// Output:
	// <nil>
	// true
}

// submitted invites a candidate and submits the attempt.
func submitted(ctx context.Context, server *sandbox.Server, client *hiring.Client) (submissionID string) {
	challenges, err := client.Challenges.List().Collect(ctx)
	if err != nil {
		log.Fatal(err)
	}
	assessment, err := client.Assessments.Create(ctx, hiring.NewAssessment{ChallengeID: challenges[0].ID, Name: "Backend engineer"})
	if err != nil {
		log.Fatal(err)
	}
	invitation, err := client.Invitations.Send(ctx, assessment.ID, hiring.NewInvitation{Email: "ada@example.com", Name: "Ada Example"})
	if err != nil {
		log.Fatal(err)
	}
	if submissionID, err = server.Begin(invitation.ID); err == nil {
		err = server.Submit(submissionID)
	}
	if err != nil {
		log.Fatal(err)
	}
	return submissionID
}

// An interrupted download is resumed.
func ExampleSubmissionService_DownloadArchive_broken() {
	ctx := context.Background()
	server := sandbox.New()
	client := server.LiveClient(hiring.WithRetry(hiring.RetryPolicy{BaseBackoff: time.Millisecond}))
	submissionID := submitted(ctx, server, client)

	var whole, broken bytes.Buffer
	if _, err := client.Submissions.DownloadArchive(ctx, submissionID, &whole); err != nil {
		log.Fatal(err)
	}
	server.Inject(sandbox.Fault{Route: "GET /_archive/{id}", CutAfter: 100})
	written, err := client.Submissions.DownloadArchive(ctx, submissionID, &broken)
	fmt.Println(err, written == int64(broken.Len()), bytes.Equal(whole.Bytes(), broken.Bytes()))
	// Output: <nil> true true
}
