package console

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"strconv"
	"time"

	"github.com/hiring-assessment/hiring-go/sandbox"
	"github.com/hiring-assessment/hiring-go/sandbox/internal/wire"
)

// sendTimeout limits a request that is sent again. A fault may delay its response.
const sendTimeout = 30 * time.Second

// resend sends the request of an exchange again, with the same key.
func (c *console) resend(r *http.Request) (string, error) {
	e, ok := c.entry(parseNumber(r.PathValue("number")))
	switch {
	case !ok:
		return "", errNotFound
	case e.Detail.Header == nil:
		return "", errors.New("the headers of the request are no longer kept")
	}
	token := ""
	if e.Key != "" {
		token = c.keyToken(e.Key)
		if token == "" {
			return "", errors.New("the key of the request is revoked or expired")
		}
	}
	ctx, cancel := context.WithTimeout(r.Context(), sendTimeout)
	defer cancel()
	if err := c.sendOnce(ctx, e, token); err != nil {
		return "", err
	}
	found, _ := c.server.JournalPage(0, 1, func(f sandbox.Entry) bool { return f.Method == e.Method && f.Path == e.Path })
	if len(found) == 0 { // The server was reset meanwhile.
		return homePath, nil
	}
	return pageURL("/exchanges/"+strconv.Itoa(found[0].Detail.Number), "again"), nil
}

// sendOnce sends a request over a connection of its own. The journal shows the result.
func (c *console) sendOnce(ctx context.Context, e sandbox.Entry, token string) error {
	request, err := http.NewRequestWithContext(ctx, e.Method, "http://sandbox"+pathAndQuery(e), bytes.NewReader(e.Body))
	if err != nil {
		return err
	}
	request.Header = e.Detail.Header.Clone()
	request.Header.Del("Authorization")
	if token != "" {
		request.Header.Set("Authorization", "Bearer "+token)
	}
	pipe := wire.NewPipe()
	server := &http.Server{Handler: c.server, ReadHeaderTimeout: sendTimeout}
	go func() { _ = server.Serve(pipe) }()
	defer func() { _ = server.Close() }()
	// net/http would retry a GET on a reused connection.
	transport := &http.Transport{DialContext: pipe.DialContext, DisableKeepAlives: true}
	response, err := transport.RoundTrip(request)
	if err == nil {
		_, _ = io.Copy(io.Discard, response.Body)
		_ = response.Body.Close()
	}
	return nil
}
