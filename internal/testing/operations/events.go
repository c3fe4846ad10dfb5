package operations

import (
	hiring "github.com/hiring-assessment/hiring-go"
	"github.com/hiring-assessment/hiring-go/sandbox"
)

func init() {
	list(Operation{
		Name: "Events.List", Route: "GET /submissions/{id}/events", Query: "page_size=500&since_seq=7",
		IDs: []string{sandbox.SubmissionID}, OtherIDs: [][]string{{sandbox.BusySubmissionID}},
		Cost: "1 read a page", Test: "Events",
	}, 500, func(c *hiring.Client, id []string) hiring.Pager[hiring.Event] {
		return c.Events.List(id[0], hiring.EventFilter{SinceSeq: 7})
	})
	compose("Events.Tail", "read", "two reads a poll, about 160 an hour", true)
	tests["Events"] = Events
}
