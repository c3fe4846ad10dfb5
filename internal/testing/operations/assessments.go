package operations

import (
	"context"
	"testing"

	hiring "github.com/hiring-assessment/hiring-go"
	"github.com/hiring-assessment/hiring-go/sandbox"
)

func init() {
	assessment := []string{sandbox.AssessmentID}
	live := func(t *testing.T, c *hiring.Client, _ *sandbox.Server) []string { return []string{posted(t, c).ID} }
	list(Operation{
		Name: "Assessments.List", Route: "GET /assessments", Query: "page_size=100", Cost: "1 read a page", Test: "Assessments",
	}, 100, func(c *hiring.Client, _ []string) hiring.Pager[hiring.Assessment] { return c.Assessments.List() })
	add(Operation{
		Name: "Assessments.Get", Route: "GET /assessments/{id}", IDs: assessment, Cost: "1 read", Test: "Assessments",
		Call: func(ctx context.Context, c *hiring.Client, id []string) (any, error) {
			return c.Assessments.Get(ctx, id[0])
		},
	})
	add(Operation{
		Name: "Assessments.Create", Route: "POST /assessments", Cost: "1 write", Test: "Assessments",
		Body: `{"budget_dollars_cap":4.5,"challenge_id":"` + multiTaskChallenge + `","name":"Analyst","selected_task_ids":["` + aTask + `"],"time_limit_minutes":45}`,
		Call: func(ctx context.Context, c *hiring.Client, _ []string) (any, error) {
			return c.Assessments.Create(ctx, hiring.NewAssessment{
				ChallengeID: multiTaskChallenge, Name: "Analyst", TimeLimitMinutes: 45, BudgetDollarsCap: new(4.5), SelectedTaskIDs: []string{aTask},
			})
		},
	})
	add(Operation{
		Name: "Assessments.Update", Route: "PATCH /assessments/{id}", IDs: assessment, Live: live, Cost: "1 write", Test: "Assessments",
		Body: `{"status":"active"}`,
		Call: func(ctx context.Context, c *hiring.Client, id []string) (any, error) {
			return c.Assessments.Update(ctx, id[0], hiring.AssessmentUpdate{Status: hiring.AssessmentActive})
		},
	})
	add(Operation{
		Name: "Assessments.Close", Route: "PATCH /assessments/{id}", IDs: assessment, Live: live, Cost: "1 write", Test: "Assessments",
		Body: `{"status":"closed"}`,
		Call: func(ctx context.Context, c *hiring.Client, id []string) (any, error) {
			return c.Assessments.Close(ctx, id[0])
		},
	})
	add(Operation{
		Name: "Assessments.Delete", Route: "DELETE /assessments/{id}", IDs: assessment, Live: live, Cost: "1 write", Test: "Assessments", NoID: true,
		Call: func(ctx context.Context, c *hiring.Client, id []string) (any, error) {
			return nil, c.Assessments.Delete(ctx, id[0])
		},
	})
	tests["Assessments"] = Assessments
}
