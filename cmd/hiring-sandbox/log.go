package main

import (
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"time"
)

// logged returns a handler that prints a line for each request to the API: its time,
// method, path, status and duration. Requests of the page and of the control API are not
// printed. A query is not printed, because a link in it may be signed.
func logged(next http.Handler, out io.Writer) http.Handler {
	var mu sync.Mutex
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasPrefix(r.URL.Path+"/", "/_sandbox/") {
			next.ServeHTTP(w, r)
			return
		}
		began, status := time.Now(), &statusWriter{ResponseWriter: w}
		defer func() { // Also when a fault aborts the response.
			mu.Lock()
			defer mu.Unlock()
			text := "no response"
			if status.status != 0 {
				text = fmt.Sprint(status.status)
			}
			_, _ = fmt.Fprintf(out, "%s %s %s %s %s\n", began.Format(time.TimeOnly), r.Method, r.URL.EscapedPath(), text, time.Since(began).Round(10*time.Microsecond))
		}()
		next.ServeHTTP(status, r)
	})
}

// statusWriter keeps the status of a response.
type statusWriter struct {
	http.ResponseWriter

	status int
}

func (w *statusWriter) WriteHeader(status int) {
	w.status = status
	w.ResponseWriter.WriteHeader(status)
}

// Unwrap is called by http.ResponseController.
func (w *statusWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }
