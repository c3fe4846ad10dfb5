package sandbox

import (
	"archive/zip"
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"net/http"
	"strconv"
	"strings"
	"time"
)

const (
	archivePath = "/_archive/"
	archiveLife = time.Hour
)

// archiveSecret signs links. A fake has nothing to hide; a signature only has to
// fail when anything was changed.
const archiveSecret = "sandbox archive\n"

// SetArchives says whether archive storage is available, as it is at first.
// While it is not, workspace_archive_url is null, and links that were given out
// before answer 503.
func (s *Server) SetArchives(available bool) {
	now := s.now()
	s.mu.Lock()
	defer s.mu.Unlock()
	s.catchUp(now)
	s.noArchives = !available
}

// appendArchiveLink appends a new link to a submission's archive, or null when
// nothing was handed in or storage is not available. It leads to where the request went, so that it works
// through every door.
func (c *call) appendArchiveLink(b []byte, s *submission) []byte {
	if s.of.stage < submitted || c.s.noArchives {
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
	c.s.links++
	expires := c.at.Add(archiveLife).UnixMilli()
	b = append(b, c.archives...)
	b = append(b, s.id...)
	b = append(b, "?expires="...)
	b = strconv.AppendInt(b, expires, 10)
	b = append(b, "&signature="...)
	b = appendSignature(b, s.id, expires, c.s.links)
	return append(b, '"')
}

// A signature holds a number of its own, so that no two are the same.
func appendSignature(b []byte, id string, expires int64, number uint64) []byte {
	var buffer [128]byte
	plain := append(buffer[:0], archiveSecret...)
	plain = append(plain, id...)
	plain = strconv.AppendInt(append(plain, '\n'), expires, 10)
	plain = binary.BigEndian.AppendUint64(plain, number)
	sum := sha256.Sum256(plain)
	b = hex.AppendEncode(b, plain[len(plain)-numberSize:])
	return hex.AppendEncode(b, sum[:16])
}

const numberSize = 8

func validLink(id, expires, signature string) (until int64, ok bool) {
	if len(signature) < 2*numberSize {
		return 0, false
	}
	until, err := strconv.ParseInt(expires, 10, 64)
	if err != nil || expires != strconv.FormatInt(until, 10) {
		return 0, false
	}
	number, err := strconv.ParseUint(signature[:2*numberSize], 16, 64)
	return until, err == nil && signature == string(appendSignature(nil, id, until, number))
}

// serveArchive answers a link. It is storage and not the API: it asks for no
// key, counts against nothing and has no envelope.
func (s *Server) serveArchive(w http.ResponseWriter, r *http.Request, id string) {
	now := s.now()
	w.Header().Set("Date", now.UTC().Format(http.TimeFormat))
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		w.Header().Set("Allow", "GET, HEAD")
		plainly(w, http.StatusMethodNotAllowed, "Archives can only be read.")
		return
	}
	query := r.URL.Query()
	expires, ok := validLink(id, query.Get("expires"), query.Get("signature"))
	if !ok {
		plainly(w, http.StatusForbidden, "The signature is not valid.")
		return
	}
	if now.UnixMilli() >= expires {
		plainly(w, http.StatusForbidden, "The link has expired.")
		return
	}
	modified, found, available := s.archived(id)
	if !available {
		plainly(w, http.StatusServiceUnavailable, "Storage is not available.")
		return
	}
	if !found {
		plainly(w, http.StatusNotFound, "There is no such archive.")
		return
	}
	content := archive(id, modified)
	sum := sha256.Sum256(content)
	w.Header().Set("Etag", `"`+hex.EncodeToString(sum[:16])+`"`)
	w.Header().Set("Content-Type", "application/zip")
	http.ServeContent(w, r, "", modified, bytes.NewReader(content))
}

// plainly refuses as storage does, without an envelope.
func plainly(w http.ResponseWriter, status int, message string) {
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	w.Header().Set("Content-Length", strconv.Itoa(len(message)+1))
	w.WriteHeader(status)
	_, _ = w.Write([]byte(message + "\n"))
}

func (s *Server) archived(id string) (modified time.Time, found, available bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	c := s.author(id)
	if c == nil || c.stage < submitted {
		return time.Time{}, false, !s.noArchives
	}
	return c.submission.wire.SubmittedAt.Time, true, !s.noArchives
}

// archive makes a submission's workspace: a zip file of some 100 KB, always the
// same, and not compressed so that it is worth being read in parts.
func archive(id string, modified time.Time) []byte {
	var content bytes.Buffer
	files := zip.NewWriter(&content)
	for _, f := range [...]struct{ name, text string }{
		{"README.md", "# Workspace\n\nOf submission " + id + ", made by the sandbox.\n"},
		{"main.go", "package main\n\n" + strings.Repeat("// "+id+" was here.\n", 2000)},
	} {
		part, err := files.CreateHeader(&zip.FileHeader{Name: f.name, Method: zip.Store, Modified: modified})
		if err == nil {
			_, err = part.Write([]byte(f.text))
		}
		if err != nil {
			panic(err) // memory takes all
		}
	}
	if err := files.Close(); err != nil {
		panic(err)
	}
	return content.Bytes()
}
