package sandbox_test

import (
	"context"
	"io"
	"net"
	"net/http"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	hiring "github.com/hiring-assessment/hiring-go"
	"github.com/hiring-assessment/hiring-go/sandbox"
)

func TestThePipeInABubble(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := sandbox.Start(t)
		d := throughPipe(t, s)
		client, err := hiring.New("http://localhost", sandbox.TestKey, hiring.WithHTTPClient(d.client))
		require.NoError(t, err)
		s.Inject(sandbox.Fault{Route: "GET /account", Delay: time.Hour})
		start := time.Now()
		_, err = client.Account.Get(t.Context())
		require.NoError(t, err, "the second attempt")
		assert.GreaterOrEqual(t, time.Since(start), 30*time.Second)
		journal := s.Journal()
		assert.Equal(t, []int{0, 200}, []int{journal[0].Status, journal[1].Status})
	})
}

func TestTheListenerIsANetListener(t *testing.T) {
	s := sandbox.New()
	l := s.Listener()
	assert.Equal(t, "127.0.0.1:49152", l.Addr().String())
	accepted := make(chan net.Conn)
	go func() {
		conn, _ := l.Accept()
		accepted <- conn
	}()
	client, err := l.DialContext(t.Context(), "tcp", "anywhere:1")
	require.NoError(t, err)
	server := <-accepted
	assert.Equal(t, "127.0.0.1:49152", server.RemoteAddr().String())
	assert.Equal(t, "127.0.0.1:49152", client.LocalAddr().String())
	go func() { _, _ = server.Write([]byte("hello")); _ = server.Close() }()
	text, err := io.ReadAll(client)
	require.NoError(t, err, "closing is an end, not a reset")
	assert.Equal(t, "hello", string(text))

	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(io.ErrClosedPipe)
	_, err = l.DialContext(ctx, "tcp", "")
	require.ErrorIs(t, err, io.ErrClosedPipe, "nobody accepts")

	waiting := make(chan error)
	go func() {
		_, err := l.Accept()
		waiting <- err
	}()
	s.Close()
	require.ErrorIs(t, <-waiting, net.ErrClosed)
	require.NoError(t, l.Close(), "once more")
	_, err = l.DialContext(t.Context(), "tcp", "")
	require.ErrorIs(t, err, syscall.ECONNREFUSED)
	_, err = s.Listener().Accept()
	require.ErrorIs(t, err, net.ErrClosed, "of a closed server")
}

func TestADialThatWaitsIsRejected(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := sandbox.New().Listener()
		refused := make(chan error)
		go func() {
			_, err := l.DialContext(t.Context(), "tcp", "")
			refused <- err
		}()
		synctest.Wait()
		require.NoError(t, l.Close())
		err := <-refused
		require.ErrorIs(t, err, syscall.ECONNREFUSED)
		var dial *net.OpError
		require.ErrorAs(t, err, &dial)
		assert.Equal(t, "dial", dial.Op, "nothing was sent")
	})
}

// TestAResetOfAnOldConnection checks that net/http retries the request, as in production.
func TestAResetOfAnOldConnection(t *testing.T) {
	for i := range 2 {
		s := sandbox.Start(t)
		d := transports(t, s)[1:][i]
		assert.Equal(t, 200, d.get(t, "/account").status)
		s.Inject(sandbox.Fault{Route: "GET /account", Reset: true})
		assert.Equal(t, 200, d.get(t, "/account").status, d.name)
		assert.Len(t, s.Journal(), 3, "the repeated request is in the journal")
		s.Inject(sandbox.Fault{Route: "POST /assessments", Reset: true})
		require.ErrorIs(t, d.send(t.Context(), t, http.MethodPost, "/assessments", "{}").err, syscall.ECONNRESET, d.name)
		assert.Len(t, s.Journal(), 4, "a write is not repeated")
	}
}

// TestAnHourOfPolling takes milliseconds; BenchmarkHourOfPolling measures how many.
func TestAnHourOfPolling(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := sandbox.Start(t)
		client, began := s.Client(), time.Now()
		for time.Since(began) < time.Hour {
			_, err := client.Submissions.Report(t.Context(), sandbox.PendingSubmissionID)
			require.NoError(t, err)
			time.Sleep(30 * time.Second)
		}
		assert.Len(t, s.Journal(), 120)
	})
}
