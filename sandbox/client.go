package sandbox

import (
	"fmt"
	"net/http"

	hiring "github.com/hiring-assessment/hiring-go"
	"github.com/hiring-assessment/hiring-go/sandbox/internal/guard"
)

// Client returns a client with TestKey that calls the server in-process. opts take
// precedence over the options of Client itself. It panics on an invalid option.
func (s *Server) Client(opts ...hiring.Option) *hiring.Client { return s.client(TestKey, opts) }

// LiveClient is Client with LiveKey.
func (s *Server) LiveClient(opts ...hiring.Option) *hiring.Client { return s.client(LiveKey, opts) }

func (s *Server) client(key string, opts []hiring.Option) *hiring.Client {
	options := []hiring.Option{hiring.WithHTTPClient(&http.Client{Transport: s.Transport()})}
	client, err := hiring.New(guard.InProcess, key, append(options, opts...)...)
	if err != nil {
		panic(fmt.Sprintf("sandbox: a client option is not valid: %v", err))
	}
	return client
}
