package operations

import (
	"context"

	hiring "github.com/hiring-assessment/hiring-go"
	"github.com/hiring-assessment/hiring-go/sandbox"
)

func init() {
	add(Operation{
		Name: "Events.List", Route: "GET /submissions/{id}/events", Query: "page_size=500&since_seq=7",
		IDs: []string{sandbox.SubmissionID}, OtherIDs: [][]string{{sandbox.BusySubmissionID}},
		Cost: "1 read a page", Test: "Events",
		Call: func(ctx context.Context, c *hiring.Client, id []string) (any, error) {
			return c.Events.List(id[0], hiring.EventFilter{SinceSeq: 7}).PageSize(500).Page(ctx)
		},
	})
	compose("Events.Tail", "read", "two reads a poll, about 160 an hour")
	tests["Events"] = Events
}
