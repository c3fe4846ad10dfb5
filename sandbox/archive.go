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

// appendArchiveLink appends a new link to a submission's archive, or null if nothing was
// submitted or storage is unavailable. The link has the host of the request, so that it
// works with every transport.
func (c *call) appendArchiveLink(b []byte, a *world.Attempt) []byte {
	if !a.HasArchive() || !c.server.settings.ArchivesAvailable {
		return append(b, "null"...)
	}
	if c.archiveURL == nil {
		scheme := "http"
		if c.request.TLS != nil {
			scheme = "https"
		}
		quoted := encodeJSON(scheme + "://" + c.request.Host + archivePath)
		c.archiveURL = quoted[:len(quoted)-1]
	}
	c.server.links++
	expires := c.at.Add(archiveLinkLifetime).UnixMilli()
	b = append(b, c.archiveURL...)
	b = append(b, a.ID...)
	b = append(b, "?expires="...)
	b = strconv.AppendInt(b, expires, 10)
	b = append(b, "&signature="...)
	b = archives.AppendSignature(b, a.ID, expires, c.server.links)
	return append(b, '"')
}

// writePlainError writes an error of the storage, which has no envelope.
func writePlainError(w http.ResponseWriter, status int, message string) {
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	w.Header().Set("Content-Length", strconv.Itoa(len(message)+1))
	w.WriteHeader(status)
	_, _ = w.Write([]byte(message + "\n"))
}
