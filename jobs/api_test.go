package jobs_test

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	hiring "github.com/hiring-assessment/hiring-go"
	"github.com/hiring-assessment/hiring-go/jobs"
	"github.com/hiring-assessment/hiring-go/sandbox"
)

// fakeAPI is a sandbox with one assessment, whose candidates the test controls.
type fakeAPI struct {
	*sandbox.Server

	client     *hiring.Client
	assessment string
	start      time.Time // A minute before the sandbox was created, by its clock.
}

func newAPI(tb testing.TB, more ...sandbox.Option) *fakeAPI {
	tb.Helper()
	return newAPIBehind(tb, 0, more...)
}

// newAPIBehind returns an API whose clock is behind by d.
func newAPIBehind(tb testing.TB, d time.Duration, more ...sandbox.Option) *fakeAPI {
	tb.Helper()
	now := func() time.Time { return time.Now().Add(-d) }
	s := sandbox.New(append([]sandbox.Option{sandbox.WithQuota(1000, 100_000), sandbox.WithClock(now)}, more...)...)
	tb.Cleanup(s.Close)
	return &fakeAPI{s, s.LiveClient(), s.AddAssessment("Backend engineer"), now().Add(-time.Minute)}
}

// addEvaluated adds n evaluated submissions, and returns their ids.
func (api *fakeAPI) addEvaluated(tb testing.TB, n int) (ids []string) {
	tb.Helper()
	for range n {
		ids = append(ids, api.addSubmission(tb))
		api.evaluate(tb, ids[len(ids)-1], sandbox.Result{ShipScore: new(len(ids) % 100)})
	}
	return ids
}

// candidateNumber makes the addresses of candidates unique.
var candidateNumber atomic.Int64

// addSubmission adds a submission that has been started, and returns its id.
func (api *fakeAPI) addSubmission(tb testing.TB) (submission string) {
	tb.Helper()
	i, err := api.client.Invitations.Send(tb.Context(), api.assessment, hiring.NewInvitation{
		Email: fmt.Sprintf("candidate&co-%d@example.com", candidateNumber.Add(1)), Name: "A Candidate",
	})
	require.NoError(tb, err)
	submission, err = api.Begin(i.ID)
	require.NoError(tb, err)
	return submission
}

// evaluate submits and evaluates a submission.
func (api *fakeAPI) evaluate(tb testing.TB, submission string, r sandbox.Result) {
	tb.Helper()
	require.NoError(tb, api.Submit(submission))
	require.NoError(tb, api.Evaluate(submission, r))
}

// organization returns an organization that is polled every second.
func (api *fakeAPI) organization(name string) jobs.Organization {
	return jobs.Organization{Name: name, Client: api.LiveClient(), Watch: hiring.WatchOptions{
		Since: api.start, MinInterval: time.Second, MaxInterval: time.Second,
	}}
}

// organizations returns one organization, acme.
func (api *fakeAPI) organizations() []jobs.Organization {
	return []jobs.Organization{api.organization("acme")}
}

// requireInvitedOnce checks that n addresses have an invitation, and that each has
// one.
func (api *fakeAPI) requireInvitedOnce(t *testing.T, n int) {
	t.Helper()
	client, err := api.client.With()
	require.NoError(t, err)
	all, err := client.Invitations.List(api.assessment).Collect(t.Context())
	require.NoError(t, err)
	invitations := make(map[string]int)
	for _, i := range all {
		invitations[i.CandidateEmail]++
	}
	require.Len(t, invitations, n)
	for address, count := range invitations {
		require.Equal(t, 1, count, "invitations of %s", address)
	}
}

type roundTripperFunc func(*http.Request) (*http.Response, error)

func (f roundTripperFunc) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// clientVia returns a client with a transport. It makes one attempt for each call.
func clientVia(t *testing.T, transport roundTripperFunc) *hiring.Client {
	t.Helper()
	client, err := hiring.New("http://sandbox.test", sandbox.LiveKey, hiring.WithInsecureHTTP(),
		hiring.WithRetry(hiring.RetryPolicy{MaxAttempts: 1}), hiring.WithHTTPClient(&http.Client{Transport: transport}))
	require.NoError(t, err)
	return client
}

// clientChangingBodies returns a client whose responses have changed bodies.
func (api *fakeAPI) clientChangingBodies(t *testing.T, change func(body []byte) []byte) *hiring.Client {
	t.Helper()
	return clientVia(t, func(r *http.Request) (*http.Response, error) {
		response, err := api.Transport().RoundTrip(r)
		if err != nil {
			return nil, err
		}
		body, err := io.ReadAll(response.Body)
		_ = response.Body.Close()
		body = change(body)
		response.Body, response.ContentLength = io.NopCloser(bytes.NewReader(body)), int64(len(body))
		return response, err
	})
}
