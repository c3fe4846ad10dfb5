package main

import (
	"bytes"
	"context"
	"io"
	"net"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// TestWatch runs the program on a real socket until a scrape shows a watch.
func TestWatch(t *testing.T) {
	t.Setenv("HIRING_BASE_URL", "")
	t.Setenv("HIRING_API_KEY", "")
	ctx, cancel := context.WithCancel(t.Context())
	free, err := (&net.ListenConfig{}).Listen(ctx, "tcp", "127.0.0.1:0")
	require.NoError(t, err)
	address := free.Addr().String()
	require.NoError(t, free.Close())
	var spans bytes.Buffer
	ended := make(chan error, 1)
	go func() { ended <- run(ctx, address, &spans) }()
	require.Eventually(t, func() bool {
		request, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+address+"/metrics", nil)
		require.NoError(t, err)
		reply, err := http.DefaultTransport.RoundTrip(request)
		if err != nil {
			return false
		}
		defer reply.Body.Close()
		text, err := io.ReadAll(reply.Body)
		return err == nil && bytes.Contains(text, []byte(`hiring_client_quota_remaining{hiring_quota_class="read"`)) &&
			bytes.Contains(text, []byte("hiring_poll_overdue_seconds"))
	}, 20*time.Second, 50*time.Millisecond)
	cancel()
	require.NoError(t, <-ended)
	require.Contains(t, spans.String(), "Submissions.Watch", "the last spans are written at the end")
	require.Contains(t, spans.String(), "/api/v1/submissions")
}
