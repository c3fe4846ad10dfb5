package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	hiring "github.com/hiring-assessment/hiring-go"
	"github.com/hiring-assessment/hiring-go/sandbox"
)

func TestRotatedKeyIsUsedWithoutRestart(t *testing.T) {
	t.Parallel()
	const first, second = "sk_test_of_monday_0001", "sk_test_of_tuesday_0002"
	server := sandbox.Start(t, sandbox.WithKey(sandbox.Key{Token: first}), sandbox.WithKey(sandbox.Key{Token: second}))
	file := filepath.Join(t.TempDir(), "api-key")
	require.NoError(t, os.WriteFile(file, []byte(first+"\n"), 0o600))
	client, err := hiring.New(server.URL(), "", hiring.WithKeySource(keyFrom(file)))
	require.NoError(t, err)
	_, err = client.Account.Get(t.Context())
	require.NoError(t, err)

	server.RevokeKey(first)
	require.NoError(t, os.WriteFile(file, []byte(second+"\n"), 0o600))
	_, err = client.Account.Get(t.Context())
	require.NoError(t, err)

	require.NoError(t, os.Remove(file))
	_, err = client.Account.Get(t.Context())
	require.ErrorIs(t, err, os.ErrNotExist)
}
