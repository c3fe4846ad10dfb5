package console

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"io/fs"
	"mime"
	"net/http"
	"path"
	"strings"
	"sync"
	"time"
)

//go:embed static
var embedded embed.FS

const (
	pageName = "index.html"
	// hashMark stands in the page for the hash of all files. The hash is part of their URLs, so
	// that browsers may keep them for ever.
	hashMark = "CONTENT-HASH"
)

// file is a static file, as it is and compressed.
type file struct {
	kind         string
	text, zipped []byte
	cache        string // The value of Cache-Control.
}

// contentHash returns the hash of all static files.
var contentHash = sync.OnceValue(func() string {
	sum := sha256.New()
	visitFiles(func(name string, text []byte) {
		_, _ = sum.Write([]byte(name + "\n"))
		_, _ = sum.Write(text)
	})
	return hex.EncodeToString(sum.Sum(nil)[:8])
})

// files returns the static files by their names. They are compressed once.
var files = sync.OnceValue(func() map[string]file {
	all := make(map[string]file)
	visitFiles(func(name string, text []byte) {
		f := file{kind: mime.TypeByExtension(path.Ext(name)), text: text, cache: "public, max-age=31536000, immutable"}
		switch path.Ext(name) {
		case ".js": // The types of a machine's own tables may differ.
			f.kind = "text/javascript; charset=utf-8"
		case ".txt":
			f.kind = "text/plain; charset=utf-8"
		}
		if name == pageName {
			f.text = bytes.ReplaceAll(text, []byte(hashMark), []byte(contentHash()))
			f.cache = "no-cache" // Ask each time: the answer is 304 unless the program is a new one.
		}
		var zipped bytes.Buffer
		writer := gzip.NewWriter(&zipped)
		_, _ = writer.Write(f.text) // A buffer returns no errors.
		_ = writer.Close()
		f.zipped = zipped.Bytes()
		all[name] = f
	})
	return all
})

// visitFiles calls visit with each static file, in order.
func visitFiles(visit func(name string, text []byte)) {
	err := fs.WalkDir(embedded, "static", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		text, err := embedded.ReadFile(name)
		visit(strings.TrimPrefix(name, "static/"), text)
		return err
	})
	if err != nil {
		panic(err) // The files are part of the program.
	}
}

// serve sends a file, compressed if the client accepts gzip.
func (f file) serve(w http.ResponseWriter, r *http.Request) {
	text, h := f.text, w.Header()
	h.Set("Content-Type", f.kind)
	h.Set("Cache-Control", f.cache)
	h.Set("Vary", "Accept, Accept-Encoding")
	h.Set("ETag", `"`+contentHash()+`"`)
	if strings.Contains(r.Header.Get("Accept-Encoding"), "gzip") {
		text = f.zipped
		h.Set("Content-Encoding", "gzip")
		h.Set("ETag", `"`+contentHash()+`-gzip"`)
	}
	http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(text))
}
