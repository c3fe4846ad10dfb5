package console

import (
	"crypto/subtle"
	"errors"
	"net/http"

	"github.com/hiring-assessment/hiring-go/sandbox/internal/guard"
)

// policy is the Content-Security-Policy. It prevents injected scripts, and requests to
// other servers.
const policy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; " +
	"form-action 'self'; base-uri 'none'; frame-ancestors 'none'"

// maxForm is larger than any form of the page.
const maxForm = 1 << 20

// errToken is returned for a form without the page's token.
var errToken = errors.New("the form is from another page or from before a restart: open the page again")

// guard calls next for requests that may use the control API, and rejects others.
func (c *console) guard(next http.Handler, w http.ResponseWriter, r *http.Request) {
	h := w.Header()
	h.Set("Content-Security-Policy", policy)
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("X-Frame-Options", "DENY")
	h.Set("Referrer-Policy", "same-origin") // Without a policy, browsers send forms with the Origin null.
	h.Set("Cross-Origin-Opener-Policy", "same-origin")
	h.Set("Cross-Origin-Resource-Policy", "same-origin")
	h.Set("Cache-Control", "no-store")
	if err := guard.Admit(r, c.server.AnyHost()); err != nil {
		p := errorPage(err)
		p.Status = http.StatusForbidden
		c.writePage(w, p)
		return
	}
	next.ServeHTTP(w, r)
}

// checkForm parses a form, and returns an error unless it is one of this page.
func (c *console) checkForm(w http.ResponseWriter, r *http.Request) error {
	r.Body = http.MaxBytesReader(w, r.Body, maxForm)
	if err := r.ParseForm(); err != nil {
		return err
	}
	if subtle.ConstantTimeCompare([]byte(r.PostForm.Get("token")), []byte(c.token)) != 1 {
		return errToken
	}
	return nil
}
