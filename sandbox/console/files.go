package console

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"fmt"
	"io/fs"
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
	// hashMark stands in the page for the hash of all files.
	hashMark = "CONTENT-HASH"
)

// kinds are the media types of static files. Those of a machine's own tables may differ.
var kinds = map[string]string{
	".html": "text/html; charset=utf-8", ".css": "text/css; charset=utf-8", ".js": "text/javascript; charset=utf-8",
	".svg": "image/svg+xml", ".txt": "text/plain; charset=utf-8",
}

// file is a static file, as it is and compressed.
type file struct {
	kind         string
	text, zipped []byte
	cache        string // The value of Cache-Control.
}

// static returns the static files by their names, and the hash of all of them. It is part of
// their URLs, so that browsers may keep them for ever.
var static = sync.OnceValues(func() (files map[string]file, hash string) {
	files = make(map[string]file)
	sum := sha256.New()
	err := fs.WalkDir(embedded, "static", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		text, err := embedded.ReadFile(name)
		_, _ = fmt.Fprintf(sum, "%s\n%s", name, text)
		files[strings.TrimPrefix(name, "static/")] = file{kinds[path.Ext(name)], text, nil, "public, max-age=31536000, immutable"}
		return err
	})
	if err != nil {
		panic(err) // The files are part of the program.
	}
	hash = hex.EncodeToString(sum.Sum(nil)[:8])
	page := files[pageName]
	page.text = bytes.ReplaceAll(page.text, []byte(hashMark), []byte(hash))
	page.cache = "no-cache" // Ask each time: the answer is 304 unless the program is a new one.
	files[pageName] = page
	for name, f := range files {
		var zipped bytes.Buffer
		writer := gzip.NewWriter(&zipped)
		_, _ = writer.Write(f.text) // A buffer returns no errors.
		_ = writer.Close()
		f.zipped = zipped.Bytes()
		files[name] = f
	}
	return files, hash
})

// serve sends a file, compressed if the client accepts gzip.
func (f file) serve(w http.ResponseWriter, r *http.Request) {
	text, h := f.text, w.Header()
	_, tag := static()
	if strings.Contains(r.Header.Get("Accept-Encoding"), "gzip") {
		text = f.zipped
		tag += "-gzip"
		h.Set("Content-Encoding", "gzip")
	}
	h.Set("Content-Type", f.kind)
	h.Set("Cache-Control", f.cache)
	h.Set("Vary", "Accept, Accept-Encoding")
	h.Set("ETag", `"`+tag+`"`)
	http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(text))
}
