package wire

import "net/http"

// CopyWriter writes a response to its client and keeps a copy.
type CopyWriter struct {
	http.ResponseWriter

	Limit int         // Bytes of the body to keep.
	Sent  http.Header // Nil until the header is sent.
	Body  []byte      // The beginning of the body.
	Size  int         // Bytes of the body that were sent.
}

// WriteHeader keeps the header.
func (w *CopyWriter) WriteHeader(status int) {
	w.Sent = w.Header().Clone()
	w.ResponseWriter.WriteHeader(status)
}

func (w *CopyWriter) Write(p []byte) (int, error) {
	n, err := w.ResponseWriter.Write(p)
	w.Size += n
	w.Body = append(w.Body, p[:min(n, w.Limit-len(w.Body))]...)
	return n, err
}

// Unwrap is called by http.ResponseController and Drop.
func (w *CopyWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }
