package docs_test

import (
	"context"
	"errors"
	"fmt"
	"log"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	hiring "github.com/hiring-assessment/hiring-go"
	"github.com/hiring-assessment/hiring-go/sandbox"
)

// inviteAndWatch is the first code of README.md.
func inviteAndWatch(ctx context.Context, assessmentID string, since time.Time) error {
	client, err := hiring.FromEnv() // HIRING_BASE_URL and HIRING_API_KEY
	if err != nil {
		return err
	}
	ada := hiring.NewInvitation{Email: "ada@example.com", Name: "Ada Example"}
	if _, err := client.Invitations.Ensure(ctx, assessmentID, ada); err != nil { // One e-mail, also after a lost response.
		return err
	}
	options := hiring.WatchOptions{Since: since, Checkpoint: hiring.FileCheckpoint("watch.state")} // A restart resumes.
	for submission, err := range client.Submissions.Watch(ctx, options) {                          // Every new result.
		if bad, ok := errors.AsType[*hiring.ItemError](err); ok {
			log.Print(bad) // A submission that cannot be decoded. It is not yielded again.
			continue
		}
		if ctx.Err() != nil {
			return nil // SIGTERM: the next start receives this result again.
		}
		if err != nil {
			return err
		}
		score, ok := submission.Report.Score() // Not ok means not enough data, never 0.
		fmt.Println(submission.Candidate.Name, score, ok)
	}
	return nil
}

// TestOneEmail is the second code of README.md.
func TestOneEmail(t *testing.T) {
	ada := hiring.NewInvitation{Email: "ada@example.com", Name: "Ada Example"}
	synctest.Test(t, func(t *testing.T) {
		server := sandbox.Start(t)
		server.Inject(sandbox.Fault{Route: "POST /assessments/{id}/invitations", After: true})
		_, err := server.LiveClient().Invitations.Ensure(t.Context(), server.AddAssessment("Backend engineer"), ada)
		if err != nil || len(server.Mails()) != 1 {
			t.Fatal(err, server.Mails())
		}
	})
}

// TestCodeOfTheReadme runs the code twice. SIGTERM comes when it has logged a submission that cannot be decoded, and in
// the second run when its watch sends a request.
func TestCodeOfTheReadme(t *testing.T) {
	server := sandbox.Start(t)
	assessmentID := server.AddAssessment("Backend engineer")
	var stop context.CancelFunc
	api := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if stop != nil && strings.HasSuffix(r.URL.Path, "/submissions") {
			stop()
		}
		server.ServeHTTP(w, r)
	}))
	defer api.Close()
	t.Chdir(t.TempDir())
	t.Setenv("HIRING_BASE_URL", api.URL)
	t.Setenv("HIRING_API_KEY", sandbox.LiveKey)
	bad, err := server.AddResult(assessmentID, "bob@candidates.test", sandbox.Result{Extra: map[string]any{"ship_score": "ninety"}})
	require.NoError(t, err)
	mails := len(server.Mails())
	var logged strings.Builder
	defer log.SetOutput(log.Writer())
	for run := range 2 {
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		log.SetOutput(writer(func(line []byte) (int, error) {
			cancel()
			return logged.Write(line)
		}))
		if run == 1 {
			stop = cancel
		}
		require.NoError(t, inviteAndWatch(ctx, assessmentID, time.Now().Add(-time.Hour)))
		require.ErrorIs(t, ctx.Err(), context.Canceled)
		cancel()
	}
	assert.Equal(t, 1, strings.Count(logged.String(), bad), logged.String())
	assert.Len(t, server.Mails(), mails+1)
	assert.FileExists(t, "watch.state")
}

type writer func([]byte) (int, error)

func (w writer) Write(line []byte) (int, error) { return w(line) }
