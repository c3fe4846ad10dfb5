package sandbox

import (
	"archive/zip"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"time"

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
	expires := strconv.FormatInt(c.at.Add(archiveLinkLifetime).UnixMilli(), 10)
	return new(scheme + "://" + c.request.Host + archivePath + a.ID + "?expires=" + expires + "&signature=" + archiveSignature(a.ID, expires))
}

// archiveSignature returns the signature of a link. Its key is not secret, because a
// signature only detects changes.
func archiveSignature(id, expires string) string {
	sum := sha256.Sum256([]byte(id + " " + expires))
	return hex.EncodeToString(sum[:16])
}

func init() { archiveRoute.handle = getArchive }

// getArchive responds to an archive link as storage does: without a key, rate limit or
// envelope.
func getArchive(c *call) response {
	refuse := func(status int, message string) response {
		return rawResponse(status, []byte(message+"\n"), "text/plain; charset=utf-8")
	}
	id, query := c.params[0], c.request.URL.Query()
	expires, _ := strconv.ParseInt(query.Get("expires"), 10, 64)
	one, _ := c.server.live.Candidate(canonicalID(id), c.at)
	switch {
	case query.Get("signature") != archiveSignature(id, query.Get("expires")):
		return refuse(http.StatusForbidden, "The signature is not valid.")
	case c.at.UnixMilli() >= expires:
		return refuse(http.StatusForbidden, "The link has expired.")
	case !c.server.settings.Archives:
		return refuse(http.StatusServiceUnavailable, "Storage is not available.")
	case one.SubmittedAt == nil:
		return refuse(http.StatusNotFound, "There is no such archive.")
	}
	c.entry.Subject = one.CandidateEmail
	content := archiveOf(id, one.SubmittedAt.Time())
	sum := sha256.Sum256(content)
	w := httptest.NewRecorder()
	w.Header().Set("Etag", `"`+hex.EncodeToString(sum[:16])+`"`)
	w.Header().Set("Content-Type", "application/zip")
	http.ServeContent(w, c.request, "", one.SubmittedAt.Time(), bytes.NewReader(content))
	return response{status: w.Code, body: w.Body.Bytes(), raw: w.Header()}
}

// archiveOf returns a submission's workspace: a zip file of about 100 KB that is always the
// same. It is not compressed, so that it is large enough to be read in parts.
func archiveOf(id string, modified time.Time) []byte {
	var content bytes.Buffer
	files := zip.NewWriter(&content)
	add := func(name, text string) {
		part, err := files.CreateHeader(&zip.FileHeader{Name: name, Method: zip.Store, Modified: modified})
		must("archive", err) // Writes to memory do not fail.
		_, err = part.Write([]byte(text))
		must("archive", err)
	}
	add("README.md", "# Workspace\n\nOf submission "+id+", made by the sandbox.\n")
	add("main.go", "package main\n\n"+strings.Repeat("// "+id+" was here.\n", 2000))
	must("archive", files.Close())
	return content.Bytes()
}
