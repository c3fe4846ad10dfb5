package operations

import (
	"context"
	"time"

	hiring "github.com/hiring-assessment/hiring-go"
	"github.com/hiring-assessment/hiring-go/sandbox"
)

func init() {
	ids, others := []string{sandbox.SubmissionID}, [][]string{{sandbox.BusySubmissionID}, {sandbox.PendingSubmissionID}}
	list(Operation{
		Name: "Submissions.List", Route: "GET /submissions", Cost: "1 read a page", Test: "Submissions",
		Query: "assessment_id=" + sandbox.AssessmentID + "&page_size=100&since=2020-01-02T02%3A04%3A05.678Z&status=evaluated",
	}, 100, func(c *hiring.Client, _ []string) hiring.Pager[hiring.Submission] {
		return c.Submissions.List(hiring.SubmissionFilter{
			AssessmentID: sandbox.AssessmentID, Status: hiring.SubmissionEvaluated,
			Since: time.Date(2020, 1, 2, 3, 4, 5, 678e6, time.FixedZone("CET", 3600)),
		})
	})
	add(Operation{
		Name: "Submissions.Get", Route: "GET /submissions/{id}", IDs: ids, OtherIDs: others, Cost: "1 read", Test: "Submissions",
		Call: func(ctx context.Context, c *hiring.Client, id []string) (any, error) {
			return c.Submissions.Get(ctx, id[0])
		},
	})
	add(Operation{
		Name: "Submissions.Report", Route: "GET /submissions/{id}/report", IDs: ids, OtherIDs: others, Cost: "1 read", Test: "Submissions", NoID: true,
		Call: func(ctx context.Context, c *hiring.Client, id []string) (any, error) {
			return c.Submissions.Report(ctx, id[0])
		},
	})
	compose("Submissions.FindByEmail", "read", "1 read for each 100 submissions of the assessment until the address is found", false)
	compose("Submissions.DownloadArchive", "read", "1 read, 1 more for each link that expires", false)
	compose("Submissions.WaitReport", "read", "1 read a poll, 60 to 120 an hour", true)
	compose("Submissions.WaitReports", "read", "about 150 reads an hour for 100 ids, 420 for 1,000", true)
	compose("Submissions.Watch", "read", "[130 reads an hour or more](waiting.md#delays-and-cost)", true)
	compose("Submissions.Poll", "read", "usually 1 to 10 reads, at most 102", false)
	tests["Submissions"] = Submissions
}
