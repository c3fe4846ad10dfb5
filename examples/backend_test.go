package examples_test

import (
	"bufio"
	"io"
	"net/http"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/hiring-assessment/hiring-go/sandbox"
)

func TestBackendServesUntilItIsStopped(t *testing.T) {
	t.Parallel()
	cmd := program(t, service{}, "backend", "-listen=127.0.0.1:0")
	stdout, err := cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	line, err := bufio.NewReader(stdout).ReadString('\n')
	require.NoError(t, err)
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, strings.TrimSpace(strings.TrimPrefix(line, "open ")), nil)
	require.NoError(t, err)
	reply, err := (&http.Client{Timeout: time.Minute}).Do(request)
	require.NoError(t, err)
	body, err := io.ReadAll(reply.Body)
	require.NoError(t, err)
	require.NoError(t, reply.Body.Close())
	require.Equal(t, http.StatusOK, reply.StatusCode)
	require.Contains(t, string(body), "Invite a candidate")
	require.NoError(t, cmd.Process.Signal(syscall.SIGTERM))
	require.NoError(t, cmd.Wait(), "status 0")
}

func TestBackendRejectsWrongSettings(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		service
		args []string
		want string
	}{
		"no assessment":  {service{"https://hiring.example.com", sandbox.LiveKey}, nil, "-assessment ID"},
		"not an address": {service{"hiring.example.com", sandbox.LiveKey}, []string{"-assessment=a"}, "HIRING_BASE_URL: must be absolute"},
		"no key":         {service{"https://hiring.example.com", ""}, []string{"-assessment=a"}, "HIRING_API_KEY"},
		"nowhere":        {service{}, []string{"-listen=nowhere"}, "nowhere"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			stdout, stderr, status := output(t, program(t, c.service, "backend", c.args...))
			require.Empty(t, stdout)
			oneLine(t, "backend", stderr, status, c.want)
		})
	}
}
