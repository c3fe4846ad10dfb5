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

// started is the program on a real socket.
type started struct {
	url  string
	log  *text
	stop func() error // Stops it and waits for its end.
}

func start(t *testing.T, baseURL, key string, args ...string) started {
	t.Helper()
	t.Setenv("HIRING_BASE_URL", baseURL)
	t.Setenv("HIRING_API_KEY", key)
	ctx, cancel := context.WithCancel(t.Context())
	out, in := io.Pipe()
	log, ended := new(text), make(chan error, 1)
	go func() {
		err := run(ctx, append(args, "-listen=127.0.0.1:0"), in, log)
		_ = in.CloseWithError(err)
		ended <- err
	}()
	line, err := bufio.NewReader(out).ReadString('\n')
	require.NoError(t, err, log)
	t.Cleanup(cancel)
	return started{
		url: strings.TrimSpace(strings.TrimPrefix(line, "open ")), log: log,
		stop: func() error { cancel(); return <-ended },
	}
}

func (s started) invite(t *testing.T) (status int, header http.Header, body string) {
	t.Helper()
	res, err := browser.PostForm(s.url+"invitations", url.Values{"name": {"Ada <Example>"}, "email": {"ada@candidates.test"}})
	require.NoError(t, err)
	text, err := io.ReadAll(res.Body)
	require.NoError(t, err)
	require.NoError(t, res.Body.Close())
	return res.StatusCode, res.Header, string(text)
}

func TestWithoutSetUp(t *testing.T) {
	s := start(t, "", "")
	status, _, body := s.invite(t)
	require.Equal(t, http.StatusOK, status)
	require.Contains(t, body, "<h1>Ada &lt;Example&gt; <span class=\"stage sent\">")
	require.Contains(t, body, "nobody gets an e-mail")
	res, err := browser.Get(s.url + "_sandbox/")
	require.NoError(t, err)
	require.NoError(t, res.Body.Close())
	require.Equal(t, http.StatusOK, res.StatusCode, "the sandbox's own page")
	require.NoError(t, s.stop())
	_, err = browser.Get(s.url)
	require.ErrorContains(t, err, "refused")
}

func TestOnAService(t *testing.T) {
	server := sandbox.Start(t)
	s := start(t, server.URL(), sandbox.LiveKey, "-assessment="+server.AddAssessment("Backend"))
	status, _, body := s.invite(t)
	require.Equal(t, http.StatusOK, status)
	require.Contains(t, body, "Candidates are real")
	require.NoError(t, s.stop())

	s = start(t, server.URL(), sandbox.TestKey, "-assessment="+sandbox.AssessmentID)
	status, _, body = s.invite(t)
	require.Equal(t, http.StatusOK, status)
	require.Contains(t, body, "Test mode")
	require.NoError(t, s.stop())
}

// TestServiceIsDown covers a closed port and a server that closes the connection.
func TestServiceIsDown(t *testing.T) {
	listener, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	require.NoError(t, err)
	require.NoError(t, listener.Close())
	hangsUp := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }))
	defer hangsUp.Close()
	for name, address := range map[string]string{"no listener": "http://" + listener.Addr().String(), "hangs up": hangsUp.URL} {
		t.Run(name, func(t *testing.T) {
			s := start(t, address, sandbox.LiveKey, "-assessment="+sandbox.AssessmentID)
			status, header, body := s.invite(t)
			require.Equal(t, http.StatusServiceUnavailable, status)
			require.Equal(t, "30", header.Get("Retry-After"))
			require.Contains(t, body, "cannot be reached")
			res, err := browser.Get(s.url)
			require.NoError(t, err)
			require.NoError(t, res.Body.Close())
			require.Equal(t, http.StatusServiceUnavailable, res.StatusCode)
			require.NoError(t, s.stop())
			require.NotContains(t, s.log.String(), "ada@")
			require.NotContains(t, s.log.String(), sandbox.LiveKey)
		})
	}
}

// TestStopsGracefully stops the program during an invitation, which is completed.
func TestStopsGracefully(t *testing.T) {
	server := sandbox.Start(t)
	asked, answer := make(chan struct{}), make(chan struct{})
	service := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodPost {
			close(asked)
			<-answer
		}
		server.ServeHTTP(w, r)
	}))
	defer service.Close()
	assessment := server.AddAssessment("Backend")
	s := start(t, service.URL, sandbox.LiveKey, "-assessment="+assessment)
	stays := &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	status := make(chan int, 1)
	go func() {
		res, err := stays.PostForm(s.url+"invitations", url.Values{"name": {"Ada"}, "email": {"ada@candidates.test"}})
		if err != nil {
			t.Error(err)
			status <- 0
			return
		}
		_ = res.Body.Close()
		status <- res.StatusCode
	}()
	<-asked
	stopped := make(chan error, 1)
	go func() { stopped <- s.stop() }()
	for refused := false; !refused; { // Until new connections are refused.
		connection, err := (&net.Dialer{}).DialContext(t.Context(), "tcp", strings.Trim(strings.TrimPrefix(s.url, "http:"), "/"))
		refused = err != nil
		if !refused {
			_ = connection.Close()
		}
	}
	close(answer)
	require.Equal(t, http.StatusSeeOther, <-status)
	require.NoError(t, <-stopped)
	invitations, err := server.LiveClient().Invitations.List(assessment).Collect(t.Context())
	require.NoError(t, err)
	require.Len(t, invitations, 1)
}

func TestWrongSettings(t *testing.T) {
	taken, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer func() { _ = taken.Close() }()
	for name, c := range map[string]struct {
		url, key string
		args     []string
		want     string
	}{
		"no assessment":  {"https://hiring.example.com", sandbox.LiveKey, nil, "-assessment ID"},
		"no key":         {"https://hiring.example.com", "", []string{"-assessment=a"}, "HIRING_API_KEY"},
		"no address":     {"", sandbox.LiveKey, []string{"-assessment=a"}, "HIRING_BASE_URL"},
		"address in use": {"", "", []string{"-listen=" + taken.Addr().String()}, "in use"},
		"unknown flag":   {"", "", []string{"-port=1"}, "-port"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Setenv("HIRING_BASE_URL", c.url)
			t.Setenv("HIRING_API_KEY", c.key)
			require.ErrorContains(t, run(t.Context(), c.args, io.Discard, io.Discard), c.want)
		})
	}
}
