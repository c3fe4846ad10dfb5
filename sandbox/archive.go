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

	"github.com/hiring-assessment/hiring-go/sandbox/internal/world"
)

const (
	archivePath = "/_archive/"
	archiveLife = time.Hour
)

// archiveSecret signs links. A fake has nothing to hide; a signature only has to
// fail when anything was changed.
const archiveSecret = "sandbox archive\n"

// storage is where archives are.
type storage struct {
	gone  bool   // for the time being
	links uint64 // how many were given out
}

// appendSubmission appends a submission as the call's reply shows it.
func (c *call) appendSubmission(b []byte, a *world.Attempt) []byte {
	b = append(b, submissionParts(a).head...)
	b = c.appendArchiveLink(b, a)
	b = append(b, `,"report":`...)
	return append(appendReport(b, a), '}')
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
	b = appendSignature(b, a.ID, expires, c.storage.links)
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

// plainly refuses as storage does, without an envelope.
func plainly(w http.ResponseWriter, status int, message string) {
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	w.Header().Set("Content-Length", strconv.Itoa(len(message)+1))
	w.WriteHeader(status)
	_, _ = w.Write([]byte(message + "\n"))
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
