package compare

import (
	"context"
	"fmt"
	"net/http"
)

// peer is one way to read from the API.
type peer interface {
	account(context.Context) error
	invitations(context.Context) error // The first page of 100.
	submissions(context.Context) error // The first page of 100, with their reports.
	events(context.Context) error      // The first page of 500.
	walk(context.Context) (events int, err error)
}

// makers are the peers by name. The times of the others are compared with the first.
var makers = []struct {
	name string
	make func(base string, transport http.RoundTripper) (peer, error)
}{
	{"net-http", newByHand},
	{"ogen", newOgen},
	{"hiring", newSDK},
}

// The places of two peers in makers.
const (
	ogenPeer   = 1
	hiringPeer = 2
)

// works is what the peers do, and the limits of what the client allocates for each.
var works = []struct {
	name          string
	path          string // Without the query, which each peer writes in its own order.
	do            func(peer, context.Context) error
	allocs, bytes float64
}{
	{"Account", "/api/v1/account", peer.account, 30, 4_000},
	{"Invitations", "/api/v1/assessments/" + assessmentID + "/invitations", peer.invitations, 550, 60_000},
	{"Submissions", "/api/v1/submissions", peer.submissions, 2_300, 230_000},
	{"Events", eventsPath, peer.events, 75, 75_000},
	{"Walk", eventsPath, walkAll, 320, 450_000},
}

const eventsPath = "/api/v1/submissions/" + submissionID + "/events"

// walkAll reads the whole log.
//
//nolint:revive // The peer comes first, as in the method expressions of peer.
func walkAll(p peer, ctx context.Context) error {
	events, err := p.walk(ctx)
	if err == nil && events < 2000 {
		err = fmt.Errorf("read %d events, the log has more than 2000", events)
	}
	return err
}

// follow reads a log page by page: page reads what comes after seq and returns
// the last seq that it read, and whether there is more.
func follow(page func(after int64) (last int64, more bool, err error)) error {
	var last int64
	for more := true; more; {
		var err error
		if last, more, err = page(last); err != nil {
			return err
		}
	}
	return nil
}
