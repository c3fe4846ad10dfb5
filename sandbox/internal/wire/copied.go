package wire

import "net/http"

// Copied is a response that goes to its client and is kept.
type Copied struct {
	http.ResponseWriter

	Most int         // How many bytes of the body are kept.
	Sent http.Header // Nil before anything was sent.
	Body []byte      // Its beginning.
	Size int         // Of all that was sent of the body.
}

// WriteHeader keeps the headers.
func (w *Copied) WriteHeader(status int) {
	w.Sent = w.Header().Clone()
	w.ResponseWriter.WriteHeader(status)
}

func (w *Copied) Write(p []byte) (int, error) {
	n, err := w.ResponseWriter.Write(p)
	w.Size += n
	w.Body = append(w.Body, p[:min(n, w.Most-len(w.Body))]...)
	return n, err
}

// Unwrap is for http.ResponseController, and for what breaks connections.
func (w *Copied) Unwrap() http.ResponseWriter { return w.ResponseWriter }
