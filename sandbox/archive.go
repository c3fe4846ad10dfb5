package sandbox

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"net/http"
	"strconv"
	"time"

	"github.com/hiring-assessment/hiring-go/sandbox/internal/archives"
	"github.com/hiring-assessment/hiring-go/sandbox/internal/world"
)

const archiveLinkLifetime = time.Hour

// archiveLink returns a new link to a submission's archive, or nil if nothing was
// submitted or storage is unavailable. The link has the host of the request, so that it
// works with every transport.
func (c *call) archiveLink(a *world.Attempt) *string {
	if !a.HasArchive() || !c.server.settings.Archives {
		return nil
	}
	scheme := "http"
	if c.request.TLS != nil {
		scheme = "https"
	}
	c.server.links++
	expires := c.at.Add(archiveLinkLifetime).UnixMilli()
	return new(scheme + "://" + c.request.Host + archivePath + a.ID + "?expires=" + strconv.FormatInt(expires, 10) +
		"&signature=" + archives.Signature(a.ID, expires, c.server.links))
}

func init() { archiveRoute.handle = getArchive }

// getArchive responds to an archive link as storage does: without a key, rate limit or
// envelope.
func getArchive(c *call) response {
	refuse := func(status int, message string) response {
		return rawResponse(status, []byte(message+"\n"), "text/plain; charset=utf-8")
	}
	id, query := c.params[0], c.request.URL.Query()
	expires, ok := archives.ValidLink(id, query.Get("expires"), query.Get("signature"))
	submitted, found := c.server.live.SubmittedAt(canonicalID(id))
	switch {
	case c.request.Method != http.MethodGet && c.request.Method != http.MethodHead:
		r := refuse(http.StatusMethodNotAllowed, "Archives can only be read.")
		r.extra = [2]string{"Allow", "GET, HEAD"}
		return r
	case !ok:
		return refuse(http.StatusForbidden, "The signature is not valid.")
	case c.at.UnixMilli() >= expires:
		return refuse(http.StatusForbidden, "The link has expired.")
	case !c.server.settings.Archives:
		return refuse(http.StatusServiceUnavailable, "Storage is not available.")
	case !found:
		return refuse(http.StatusNotFound, "There is no such archive.")
	}
	content := archives.Zip(id, submitted.Time())
	sum := sha256.Sum256(content)
	w := &contentWriter{response{raw: http.Header{"Etag": {`"` + hex.EncodeToString(sum[:16]) + `"`}, "Content-Type": {"application/zip"}}}}
	http.ServeContent(w, c.request, "", submitted.Time(), bytes.NewReader(content))
	return w.response
}

// contentWriter makes a response of what http.ServeContent writes.
type contentWriter struct{ response }

func (w *contentWriter) Header() http.Header { return w.raw }

func (w *contentWriter) WriteHeader(status int) { w.status = status }

func (w *contentWriter) Write(p []byte) (int, error) {
	w.body = append(w.body, p...)
	return len(p), nil
}
