package sandbox_test

import (
	"io"
	"net/http"
	"net/url"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	hiring "github.com/hiring-assessment/hiring-go"
	"github.com/hiring-assessment/hiring-go/sandbox"
)

// anArchive returns the path of a link to the archive of a submission.
func anArchive(t *testing.T, s *sandbox.Server) (path, id string) {
	t.Helper()
	live := s.LiveClient()
	posting, err := live.Assessments.Create(t.Context(), hiring.NewAssessment{ChallengeID: aChallenge(t, live), Name: "n"})
	require.NoError(t, err)
	sent, err := live.Invitations.Send(t.Context(), posting.ID, hiring.NewInvitation{Email: "ada@candidates.test", Name: "Ada"})
	require.NoError(t, err)
	id, err = s.Begin(sent.ID)
	require.NoError(t, err)
	require.NoError(t, s.Submit(id))
	got, err := live.Submissions.Get(t.Context(), id)
	require.NoError(t, err)
	u, err := url.Parse(*got.WorkspaceArchiveURL)
	require.NoError(t, err)
	return u.RequestURI(), id
}

// download requests an archive without a key, as a client does.
func (d transport) download(t *testing.T, method, path string) outcome {
	t.Helper()
	d.client.CloseIdleConnections() // net/http may retry a reset of a reused connection.
	r, err := http.NewRequestWithContext(t.Context(), method, d.base+path, http.NoBody)
	require.NoError(t, err)
	res, err := d.client.Do(r)
	if err != nil {
		return outcome{err: err}
	}
	defer res.Body.Close()
	raw, err := io.ReadAll(res.Body)
	return outcome{res.StatusCode, string(raw), err, res.Header}
}

func TestFaultsOfArchives(t *testing.T) {
	s := sandbox.Start(t)
	path, id := anArchive(t, s)
	for _, d := range transports(t, s) {
		whole := d.download(t, http.MethodGet, path)
		require.NoError(t, whole.err)
		require.Equal(t, 200, whole.status)
		for _, c := range []struct {
			fault  sandbox.Fault
			status int
			err    error
			body   string
		}{
			{sandbox.Fault{Status: 503, RetryAfter: time.Second}, 503, nil, "Service Unavailable\n"},
			{sandbox.Fault{Code: hiring.ErrNotFound}, 404, nil, "Not Found\n"},
			{sandbox.Fault{Status: 403, Body: "<Error/>", ContentType: "application/xml"}, 403, nil, "<Error/>"},
			{sandbox.Fault{Status: 302}, 302, nil, ""},
			{sandbox.Fault{Reset: true}, 0, syscall.ECONNRESET, ""},
			{sandbox.Fault{After: true}, 0, syscall.ECONNRESET, ""},
			{sandbox.Fault{CutAfter: 40_000}, 200, io.ErrUnexpectedEOF, whole.body[:40_000]},
			{sandbox.Fault{CutAfter: 1 << 30}, 200, io.ErrUnexpectedEOF, whole.body[:len(whole.body)-1]},
			{sandbox.Fault{CutAfter: -1}, 200, io.ErrUnexpectedEOF, ""},
			{sandbox.Fault{Delay: time.Millisecond}, 200, nil, whole.body},
		} {
			c.fault.Route = "GET /_archive/{id}"
			s.Inject(c.fault)
			got := d.download(t, http.MethodGet, path)
			assert.Equal(t, c.status, got.status, "%s: %v", d.name, c.fault)
			require.ErrorIs(t, got.err, c.err, "%s: %v", d.name, c.fault)
			assert.Equal(t, c.body, got.body, "%s: %v", d.name, c.fault)
			entry, err := s.Journal().Find("GET", "/_archive/{id}")
			require.NoError(t, err)
			assert.Equal(t, []any{c.status, "/_archive/" + id, ""}, []any{entry.Status, entry.Path, entry.Key})
		}
		s.Inject(sandbox.Fault{Route: "GET /_archive/{id}", CutAfter: 5})
		require.ErrorIs(t, d.download(t, http.MethodHead, path).err, syscall.ECONNRESET, d.name)
		assert.Equal(t, 403, d.download(t, http.MethodGet, strings.Replace(path, "signature=", "signature=x", 1)).status)
		assert.Equal(t, 403, s.Journal()[len(s.Journal())-1].Status)
	}
}
