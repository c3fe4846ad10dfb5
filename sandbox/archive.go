package sandbox

import (
	"net/http"
	"strconv"
	"time"

	"github.com/hiring-assessment/hiring-go/sandbox/internal/archives"
	"github.com/hiring-assessment/hiring-go/sandbox/internal/world"
)

const (
	archivePath         = "/_archive/"
	archiveLinkLifetime = time.Hour
)

// archiveLink returns a new link to a submission's archive, or nil if nothing was
// submitted or storage is unavailable. The link has the host of the request, so that it
// works with every transport.
func (c *call) archiveLink(a *world.Attempt) *string {
	if !a.HasArchive() || !c.server.settings.ArchivesAvailable {
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

// writePlainError writes an error of the storage, which has no envelope.
func writePlainError(w http.ResponseWriter, status int, message string) {
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	w.Header().Set("Content-Length", strconv.Itoa(len(message)+1))
	w.WriteHeader(status)
	_, _ = w.Write([]byte(message + "\n"))
}
