package main

import (
	"bufio"
	"context"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/hiring-assessment/hiring-go/sandbox"
)

var browser = &http.Client{Timeout: 20 * time.Second}

// start runs the program on a real socket. stop stops it and waits for its end.
func start(t *testing.T, baseURL, key, assessment string) (page string, stop func() error) {
	t.Helper()
	t.Setenv("HIRING_BASE_URL", baseURL)
	t.Setenv("HIRING_API_KEY", key)
	ctx, cancel := context.WithCancel(t.Context())
	out, in := io.Pipe()
	ended := make(chan error, 1)
	go func() {
		err := run(ctx, "127.0.0.1:0", assessment, in)
		_ = in.CloseWithError(err)
		ended <- err
	}()
	line, err := bufio.NewReader(out).ReadString('\n')
	require.NoError(t, err)
	t.Cleanup(cancel)
	return strings.TrimSpace(strings.TrimPrefix(line, "open ")), func() error { cancel(); return <-ended }
}

func invite(page string) (status int, body string, err error) {
	response, err := browser.PostForm(page+"invitations", url.Values{"name": {"Ada"}, "email": {"ada@candidates.test"}})
	if err != nil {
		return 0, "", err
	}
	text, err := io.ReadAll(response.Body)
	_ = response.Body.Close()
	return response.StatusCode, string(text), err
}

func TestRunNeedsNoSetup(t *testing.T) {
	page, stop := start(t, "", "", "")
	status, body, err := invite(page)
	require.NoError(t, err)
	require.Equal(t, http.StatusOK, status)
	require.Contains(t, body, "The invitation was sent.")
	response, err := browser.Get(page + "_sandbox/")
	require.NoError(t, err)
	require.NoError(t, response.Body.Close())
	require.Equal(t, http.StatusOK, response.StatusCode, "the sandbox's own page")

	foreign, err := http.NewRequestWithContext(t.Context(), http.MethodPost, page+"invitations", nil)
	require.NoError(t, err)
	foreign.Header.Set("Sec-Fetch-Site", "cross-site")
	response, err = browser.Do(foreign)
	require.NoError(t, err)
	require.NoError(t, response.Body.Close())
	require.Equal(t, http.StatusForbidden, response.StatusCode)
	require.NoError(t, stop())
}

// TestStopsGracefully stops the program during an invitation, which is completed.
func TestStopsGracefully(t *testing.T) {
	server := sandbox.Start(t)
	asked, answer := make(chan struct{}), make(chan struct{})
	api := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodPost {
			close(asked)
			<-answer
		}
		server.ServeHTTP(w, r)
	}))
	defer api.Close()
	assessment := server.AddAssessment("Backend")
	page, stop := start(t, api.URL, sandbox.LiveKey, assessment)
	invited := make(chan error, 1)
	go func() {
		_, _, err := invite(page)
		invited <- err
	}()
	<-asked
	stopped := make(chan error, 1)
	go func() { stopped <- stop() }()
	for refused := false; !refused; { // Until new connections are refused.
		connection, err := (&net.Dialer{}).DialContext(t.Context(), "tcp", strings.Trim(strings.TrimPrefix(page, "http:"), "/"))
		refused = err != nil
		if !refused {
			_ = connection.Close()
		}
	}
	close(answer)
	require.NoError(t, <-invited)
	require.NoError(t, <-stopped)
	invitations, err := server.LiveClient().Invitations.List(assessment).Collect(t.Context())
	require.NoError(t, err)
	require.Len(t, invitations, 1)
}
