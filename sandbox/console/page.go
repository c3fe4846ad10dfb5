package console

import (
	"bytes"
	"cmp"
	"embed"
	"errors"
	"html/template"
	"io/fs"
	"net/http"
	"net/url"
	"slices"
	"strings"
)

//go:embed static
var staticFiles embed.FS

//go:embed templates
var templateFiles embed.FS

// page is the data of a template.
type page struct {
	Template     string
	Status       int    // Zero: 200.
	Confirmation string // Name of the confirmation of the previous action, in parts.html.
	Token        string
	Data         any
}

var errNotFound = errors.New("not found")

// templates holds each page, parsed together with the layout.
var templates = func() map[string]*template.Template {
	all := make(map[string]*template.Template)
	layout := template.Must(template.New("layout.html").Funcs(funcs).ParseFS(templateFiles, "templates/layout.html", "templates/parts.html"))
	names, err := fs.Glob(templateFiles, "templates/*.html")
	if err != nil {
		panic(err) // Templates are part of the program.
	}
	for _, name := range names {
		base := strings.TrimSuffix(strings.TrimPrefix(name, "templates/"), ".html")
		if base != "layout" && base != "parts" {
			all[base] = template.Must(template.Must(layout.Clone()).ParseFS(templateFiles, name))
		}
	}
	return all
}()

// errorPage returns the page for an error.
func errorPage(err error) page {
	p := page{Template: "problem", Status: http.StatusBadRequest, Data: err.Error()}
	switch {
	case errors.Is(err, errNotFound):
		p.Status = http.StatusNotFound
	case errors.Is(err, errToken):
		p.Status = http.StatusForbidden
	}
	return p
}

// unknownPage is the view of paths without a page.
func unknownPage(*http.Request) (page, error) { return page{}, errNotFound }

// writePage renders a page and sends it. A page that cannot be rendered is not sent in part.
func (c *console) writePage(w http.ResponseWriter, p page) {
	text, err := c.render(p, "layout.html")
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.WriteHeader(cmp.Or(p.Status, http.StatusOK))
	_, _ = w.Write(text) //nolint:gosec // html/template has escaped it.
}

// render executes a block of the page's template.
func (c *console) render(p page, block string) ([]byte, error) {
	p.Token = c.token
	var text bytes.Buffer
	err := templates[p.Template].ExecuteTemplate(&text, block, p)
	return text.Bytes(), err
}

// pageHandler returns the handler of a page.
func (c *console) pageHandler(view func(r *http.Request) (page, error)) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		p, err := view(r)
		if err != nil {
			p = errorPage(err)
		}
		p.Confirmation = r.URL.Query().Get("done")
		c.writePage(w, p)
	})
}

// actionHandler returns the handler of a form. It executes action and redirects to the URL
// that action returns.
func (c *console) actionHandler(action func(r *http.Request) (nextURL string, err error)) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		err := c.checkForm(w, r)
		nextURL := ""
		if err == nil {
			nextURL, err = action(r)
		}
		if err != nil {
			c.writePage(w, errorPage(err))
			return
		}
		http.Redirect(w, r, nextURL, http.StatusSeeOther)
	})
}

// pageURL returns the URL of a page with the confirmation of an action.
func pageURL(path, done string, query ...string) string {
	return consolePath + path + "?" + encodeQuery(append(query, "done", done)...)
}

// encodeQuery returns a query of names and values, without empty values.
func encodeQuery(pairs ...string) string {
	values := make(url.Values)
	for pair := range slices.Chunk(pairs, 2) {
		if pair[1] != "" {
			values.Set(pair[0], pair[1])
		}
	}
	return values.Encode()
}
