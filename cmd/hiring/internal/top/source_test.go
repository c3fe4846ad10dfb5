package top

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	hiring "github.com/hiring-assessment/hiring-go"
	"github.com/hiring-assessment/hiring-go/sandbox"
)

// TestClosedAssessmentsAreNotCounted: an assessment that is closed while the view is open
// leaves the sum with the next list of assessments.
func TestClosedAssessmentsAreNotCounted(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		server := sandbox.New()
		client := server.LiveClient()
		first, second := server.AddAssessment("First"), server.AddAssessment("Second")
		for _, id := range []string{first, second} {
			_, err := client.Invitations.Send(t.Context(), id, hiring.NewInvitation{Name: "Ada", Email: "ada@example.com"})
			require.NoError(t, err)
		}
		m := &model{state: State{Stages: make(map[string]Stages)}}
		ctx, stop := context.WithCancel(t.Context())
		defer stop()
		go func() {
			_ = Source{Client: client, Every: time.Minute}.list(ctx, func(message any) { m.Update(message) })
		}()

		time.Sleep(90 * time.Second)
		synctest.Wait()
		assert.Equal(t, 2, m.state.Sum().Invited)
		assert.Equal(t, 2, m.state.Assessments)

		_, err := client.Assessments.Close(t.Context(), first)
		require.NoError(t, err)
		time.Sleep(2 * time.Minute)
		synctest.Wait()
		assert.Equal(t, 1, m.state.Sum().Invited)
		assert.Equal(t, 1, m.state.Assessments)

		_, err = client.Assessments.Close(t.Context(), second)
		require.NoError(t, err)
		time.Sleep(time.Minute)
		synctest.Wait()
		assert.Zero(t, m.state.Sum())
		assert.Less(t, time.Since(m.state.Listed), time.Minute, "it was listed again")
	})
}
