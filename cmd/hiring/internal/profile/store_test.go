package profile

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const (
	server = "https://hiring.example.com"
	secret = "sk_live_0123456789abcdef"
)

func newStore(t *testing.T) Store {
	t.Helper()
	return Store{filepath.Join(t.TempDir(), "hiring", "profiles.json")}
}

func TestProfilesAreInOnePrivateFile(t *testing.T) {
	t.Parallel()
	s := newStore(t)
	for _, name := range []string{"b", "a", "c.d-e_f"} {
		require.NoError(t, s.Add(name, server, secret+name))
	}
	info, err := os.Stat(s.Path())
	require.NoError(t, err)
	if runtime.GOOS != "windows" {
		assert.Equal(t, os.FileMode(0o600), info.Mode())
	}
	all, current, err := s.All()
	require.NoError(t, err)
	assert.Len(t, all, 3)
	assert.Equal(t, "b", current, "the first is in use")
	require.NoError(t, s.Use("a"))
	name, p, err := s.Get("")
	require.NoError(t, err)
	assert.Equal(t, "a", name)
	assert.Equal(t, Profile{BaseURL: server, Key: secret + "a"}, p)

	require.NoError(t, s.SetDialect("a", "/d.json"))
	require.NoError(t, s.Add("a", server, secret+"2"))
	_, p, _ = s.Get("a")
	assert.Equal(t, Profile{BaseURL: server, Key: secret + "2", Dialect: "/d.json"}, p)
	require.NoError(t, s.Add("a", server+"/other", secret))
	_, p, _ = s.Get("a")
	assert.Empty(t, p.Dialect, "it belongs to the other server")

	require.NoError(t, s.Remove("a"))
	_, _, err = s.Get("")
	require.ErrorIs(t, err, ErrUnknown, "the profile in use is gone")
	require.ErrorIs(t, s.Use("none"), ErrUnknown)
	require.ErrorIs(t, s.Remove("none"), ErrUnknown)
	for _, name := range []string{"", "../x", "a b", "-x"} {
		require.Error(t, CheckName(name), name)
	}
}

func TestADamagedFileIsNotQuoted(t *testing.T) {
	t.Parallel()
	s := newStore(t)
	require.NoError(t, s.Add("acme", server, secret))
	require.NoError(t, os.WriteFile(s.Path(), []byte(`{"acme": `+secret), 0o600))
	_, _, err := s.Get("acme")
	require.ErrorContains(t, err, "not valid JSON")
	assert.NotContains(t, err.Error(), "sk_live")
	require.Error(t, s.Add("other", server, secret), "it is not replaced")
}

// TestChangesAtOnce: each of several processes adds its profile, and none loses that of another.
func TestChangesAtOnce(t *testing.T) {
	t.Parallel()
	s := newStore(t)
	var adding sync.WaitGroup
	for i := range 12 {
		adding.Go(func() { assert.NoError(t, s.Add(fmt.Sprintf("p%d", i), server, secret)) })
	}
	adding.Wait()
	all, _, err := s.All()
	require.NoError(t, err)
	assert.Len(t, all, 12)
}

// TestMembersOfOtherVersionsAreKept, and a null is a file without profiles.
func TestMembersOfOtherVersionsAreKept(t *testing.T) {
	t.Parallel()
	s := newStore(t)
	require.NoError(t, os.MkdirAll(filepath.Dir(s.Path()), 0o700))
	for text, want := range map[string]string{
		"null":                                  `{"current":"b","profiles":{"b":{"base_url":"https://hiring.example.com","key":"k"}}}`,
		`{"profiles": null, "n":1}`:             `{"current":"b","profiles":{"b":{"base_url":"https://hiring.example.com","key":"k"}},"n":1}`,
		`{"current":"a","profiles":{"a":null}}`: `{"current":"b","profiles":{"a":{"base_url":"","key":""},"b":{"base_url":"https://hiring.example.com","key":"k"}}}`,
		`{"current":"b","profiles":{"b":{"base_url":"https://hiring.example.com","key":"old","color":"red"}},"theme":{"x":[1]}}`: `{"current":"b","profiles":{"b":{"base_url":"https://hiring.example.com","key":"k","color":"red"}},"theme":{"x":[1]}}`,
	} {
		require.NoError(t, os.WriteFile(s.Path(), []byte(text), 0o644))
		require.NoError(t, s.Add("b", server, "k"), text)
		require.NoError(t, s.Use("b"))
		kept, err := os.ReadFile(s.Path())
		require.NoError(t, err)
		assert.JSONEq(t, want, string(kept), text)
		info, err := os.Stat(s.Path())
		require.NoError(t, err)
		assert.Equal(t, os.FileMode(0o600), info.Mode())
	}
}
