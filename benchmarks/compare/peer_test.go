package compare

import (
	"context"
	"net/http"
)

// peer is one way to read from the API. It keeps the value of its last call,
// so that nothing is left out by the compiler and tests can compare.
type peer interface {
	account(context.Context) error
	invitations(context.Context) error // The first page of 100.
	submissions(context.Context) error // The first page of 100, with their reports.
	events(context.Context) error      // The first page of 500.
	walk(ctx context.Context, each func(seq int64, payload []byte)) error

	last(work string) any // What the response's data became.
}

// makers are the peers by name, the one first that the others are measured by.
var makers = []struct {
	name string
	make func(base string, transport http.RoundTripper) (peer, error)
}{
	{"net-http", newByHand},
	{"retryablehttp", newRetryable},
	{"oapi-codegen", newOapi},
	{"ogen", newOgen},
	{"hiring", newSDK},
}

// works is what the peers do.
var works = []struct {
	name string
	path string // Without the query, which each peer writes in its own order.
	do   func(peer, context.Context) error
}{
	{"Account", "/api/v1/account", peer.account},
	{"Invitations", "/api/v1/assessments/" + assessmentID + "/invitations", peer.invitations},
	{"Submissions", "/api/v1/submissions", peer.submissions},
	{"Events", "/api/v1/submissions/" + submissionID + "/events", peer.events},
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
