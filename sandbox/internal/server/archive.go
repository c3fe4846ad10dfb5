package server

import (
	"net/http"
	"strconv"
	"time"

	"github.com/hiring-assessment/hiring-go/sandbox/internal/archives"
	"github.com/hiring-assessment/hiring-go/sandbox/internal/world"
)

const (
	archivePath = "/_archive/"
	archiveLife = time.Hour
)

// storage is where archives are.
type storage struct {
	gone  bool   // for the time being
	links uint64 // how many were given out
}

// appendArchiveLink appends a new link to a submission's archive, or null when
// nothing was handed in or storage is not available. It leads to where the request went, so that it works
// through every door.
func (c *call) appendArchiveLink(b []byte, a *world.Attempt) []byte {
	if !a.HasArchive() || c.storage.gone {
		return append(b, "null"...)
	}
	if c.archives == nil {
		scheme := "http"
		if c.request.TLS != nil {
			scheme = "https"
		}
		quoted := render(scheme + "://" + c.request.Host + archivePath)
		c.archives = quoted[:len(quoted)-1]
	}
	c.storage.links++
	expires := c.at.Add(archiveLife).UnixMilli()
	b = append(b, c.archives...)
	b = append(b, a.ID...)
	b = append(b, "?expires="...)
	b = strconv.AppendInt(b, expires, 10)
	b = append(b, "&signature="...)
	b = archives.AppendSignature(b, a.ID, expires, c.storage.links)
	return append(b, '"')
}

// plainly refuses as storage does, without an envelope.
func plainly(w http.ResponseWriter, status int, message string) {
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	w.Header().Set("Content-Length", strconv.Itoa(len(message)+1))
	w.WriteHeader(status)
	_, _ = w.Write([]byte(message + "\n"))
}
