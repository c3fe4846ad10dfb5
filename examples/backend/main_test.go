package main

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestRun serves on a real socket, on the embedded sandbox, until it is told to stop.
func TestRun(t *testing.T) {
	t.Setenv("HIRING_BASE_URL", "")
	t.Setenv("HIRING_API_KEY", "")
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	out, in := io.Pipe()
	ended := make(chan error, 1)
	go func() { ended <- run(ctx, []string{"-listen=127.0.0.1:0"}, in, new(bytes.Buffer)) }()
	line := make([]byte, 100)
	n, err := out.Read(line)
	require.NoError(t, err)
	base := strings.TrimSpace(strings.TrimPrefix(string(line[:n]), "open "))

	res, err := http.PostForm(base+"invitations", url.Values{"name": {"Ada <Example>"}, "email": {"ada@candidates.test"}})
	require.NoError(t, err)
	body, err := io.ReadAll(res.Body)
	require.NoError(t, err)
	require.NoError(t, res.Body.Close())
	require.Equal(t, http.StatusOK, res.StatusCode)
	require.Contains(t, string(body), "Ada &lt;Example&gt;")

	stop()
	require.NoError(t, <-ended)
}
