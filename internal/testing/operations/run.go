// Package operations is what the client and the sandbox promise each other, as
// tests that take both. They run once for each transport of the sandbox, and once
// more with every exchange judged by the document that the sandbox serves.
package operations

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	hiring "github.com/hiring-assessment/hiring-go"
	"github.com/hiring-assessment/hiring-go/sandbox"
)

// Open returns a server of its own for a test, and a client with
// [sandbox.TestKey] that uses the transport under test.
type Open func(t *testing.T) (*hiring.Client, *sandbox.Server)

// Controls are the test controls of a server: a *sandbox.Server,
// or one in another process, by its control API.
type Controls interface {
	AddKey(sandbox.Key)
	RevokeKey(token string)
	SetQuota(token string, class sandbox.Class, remaining int)
	Inject(sandbox.Fault)
}

// Test is one behaviour, in test mode.
type Test func(t *testing.T, client *hiring.Client, server Controls)

// Run runs all tests over a transport, including those of the live data.
func Run(t *testing.T, open Open) {
	RunRemote(t, func(t *testing.T) (*hiring.Client, Controls) { return open(t) })
	for name, test := range LiveTests {
		t.Run(name, func(t *testing.T) {
			client, server := open(t)
			test(t, as(t, client, sandbox.LiveKey), server)
		})
	}
}

// RunRemote is like Run, for a server in another process: only test mode.
func RunRemote(t *testing.T, open func(t *testing.T) (*hiring.Client, Controls)) {
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			client, server := open(t)
			test(t, client, server)
		})
	}
}

// as is the client with another key.
func as(t *testing.T, client *hiring.Client, key string) *hiring.Client {
	t.Helper()
	return with(t, client, hiring.WithKeySource(func(context.Context) (string, error) { return key, nil }))
}

func with(t *testing.T, client *hiring.Client, opts ...hiring.Option) *hiring.Client {
	t.Helper()
	variant, err := client.With(opts...)
	require.NoError(t, err)
	return variant
}

// counted is the client, and how many requests it has sent since.
func counted(t *testing.T, client *hiring.Client) (*hiring.Client, *int) {
	t.Helper()
	requests := new(int)
	return with(t, client, hiring.WithObserver(func(context.Context, hiring.Exchange) { *requests++ })), requests
}

// only returns the first item of a list.
func only[T any](t *testing.T, list hiring.Pager[T]) T {
	t.Helper()
	page, err := list.PageSize(1).Page(t.Context())
	require.NoError(t, err)
	require.Len(t, page.Items, 1)
	return page.Items[0]
}

func collect[T any](t *testing.T, list hiring.Pager[T]) []T {
	t.Helper()
	items, err := list.Collect(t.Context())
	require.NoError(t, err)
	return items
}
