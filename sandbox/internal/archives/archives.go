// Package archives creates the workspace archives of submissions, and signs the links to
// them.
package archives

import (
	"archive/zip"
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"strconv"
	"strings"
	"time"
)

// Signature returns the signature of a link. number makes each link different. The key is
// not secret, because a signature only detects changes.
func Signature(id string, expires int64, number uint64) string {
	link := binary.BigEndian.AppendUint64(nil, number)
	link = strconv.AppendInt(link, expires, 10)
	sum := sha256.Sum256(append(link, id...))
	return hex.EncodeToString(append(link[:8], sum[:16]...))
}

// ValidLink returns when a link expires, in milliseconds since 1970. ok is false if the
// link was changed.
func ValidLink(id, expires, signature string) (until int64, ok bool) {
	until, err := strconv.ParseInt(expires, 10, 64)
	number, wrong := strconv.ParseUint(signature[:min(len(signature), 16)], 16, 64)
	return until, err == nil && wrong == nil && expires == strconv.FormatInt(until, 10) && signature == Signature(id, until, number)
}

// Zip returns a submission's workspace: a zip file of about 100 KB that is always the
// same. It is not compressed, so that it is large enough to be read in parts.
func Zip(id string, modified time.Time) []byte {
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
			panic(err) // Writes to memory do not fail.
		}
	}
	if err := files.Close(); err != nil {
		panic(err)
	}
	return content.Bytes()
}
