package console

import (
	"bytes"
	"embed"
	"errors"
	"html/template"
	"io/fs"
	"net/http"
	"net/url"
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
	if errors.Is(err, errNotFound) {
		return page{Template: "problem", Status: http.StatusNotFound, Data: err.Error()}
	}
	return page{Template: "problem", Status: http.StatusBadRequest, Data: err.Error()}
}

// unknownPage is the view of paths without a page.
func unknownPage(*http.Request) (page, error) { return page{}, errNotFound }

// writePage renders a page and sends it. A page that cannot be rendered is not sent in part.
func (c *console) writePage(w http.ResponseWriter, status int, p page) {
	text, err := c.render(p, "layout.html")
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.WriteHeader(status)
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
		if p.Status == 0 {
			p.Status = http.StatusOK
		}
		c.writePage(w, p.Status, p)
	})
}

// actionHandler returns the handler of a form. It executes action and redirects to the URL
// that action returns.
func (c *console) actionHandler(action func(r *http.Request) (nextURL string, err error)) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		err := c.checkForm(w, r)
		if errors.Is(err, errToken) {
			c.writePage(w, http.StatusForbidden, errorPage(err))
			return
		}
		nextURL := ""
		if err == nil {
			nextURL, err = action(r)
		}
		if err != nil {
			p := errorPage(err)
			c.writePage(w, p.Status, p)
			return
		}
		http.Redirect(w, r, nextURL, http.StatusSeeOther)
	})
}

// pageURL returns the URL of a page with the confirmation of an action.
func pageURL(path, done string, query ...string) string {
	values := url.Values{"done": {done}}
	for i := 0; i+1 < len(query); i += 2 {
		if query[i+1] != "" {
			values.Set(query[i], query[i+1])
		}
	}
	return consolePath + path + "?" + values.Encode()
}
