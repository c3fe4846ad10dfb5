package profile

import (
	"errors"
	"os"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const secret = "sk_live_0123456789abcdef"

// memory is a keyring; nil means that there is none.
type memory map[string]string

func (m memory) get(name string) (string, error) {
	if m[name] == "" {
		return "", errNoRing
	}
	return m[name], nil
}

func (m memory) set(name, key string) error {
	if m == nil {
		return errNoRing
	}
	m[name] = key
	return nil
}

func (m memory) remove(name string) error {
	if m == nil {
		return errNoRing
	}
	delete(m, name)
	return nil
}

func newStore(t *testing.T, r ring) *Store {
	t.Helper()
	return &Store{dir: t.TempDir() + "/hiring", ring: r}
}

// everything returns the content of the store's files.
func everything(t *testing.T, s *Store) string {
	t.Helper()
	var all strings.Builder
	entries, err := os.ReadDir(s.dir)
	require.NoError(t, err)
	for _, entry := range entries {
		info, err := entry.Info()
		require.NoError(t, err)
		if runtime.GOOS != "windows" {
			assert.Equal(t, os.FileMode(0o600), info.Mode(), entry.Name())
		}
		text, err := os.ReadFile(s.dir + "/" + entry.Name())
		require.NoError(t, err)
		all.Write(text)
	}
	return all.String()
}

func TestAKeyIsInTheKeyringAndInNoFile(t *testing.T) {
	t.Parallel()
	ring := memory{}
	s := newStore(t, ring)
	place, err := s.Add("acme", "https://hiring.example.com", secret, false)
	require.NoError(t, err)
	assert.Equal(t, Keyring, place)
	assert.NotContains(t, everything(t, s), "0123456789")
	name, p, err := s.Get("")
	require.NoError(t, err)
	assert.Equal(t, "acme", name, "the first is in use")
	key, err := s.Key(name, p)
	require.NoError(t, err)
	assert.Equal(t, secret, key)
	require.NoError(t, s.Remove("acme"))
	assert.Empty(t, ring)
}

func TestAKeyIsInAFileWhereThereIsNoKeyring(t *testing.T) {
	t.Parallel()
	s := newStore(t, memory(nil))
	place, err := s.Add("acme", "https://hiring.example.com", secret, false)
	require.NoError(t, err)
	assert.Equal(t, File, place)
	assert.Contains(t, everything(t, s), secret)
	_, p, err := s.Get("acme")
	require.NoError(t, err)
	key, err := s.Key("acme", p)
	require.NoError(t, err)
	assert.Equal(t, secret, key)
	require.NoError(t, s.Remove("acme"))
	assert.NotContains(t, everything(t, s), "0123456789")
}

// TestMovedKeyIsRemovedFromItsOldPlace moves a key from the file into the keyring, and back.
func TestMovedKeyIsRemovedFromItsOldPlace(t *testing.T) {
	t.Parallel()
	ring := memory{}
	s := newStore(t, ring)
	for _, inFile := range []bool{true, false, true} {
		_, err := s.Add("acme", "https://hiring.example.com", secret, inFile)
		require.NoError(t, err)
		assert.Equal(t, inFile, strings.Contains(everything(t, s), secret))
		assert.Equal(t, inFile, ring["acme"] == "")
	}
	_, err := s.Add("acme", "https://hiring.example.com", secret, false)
	require.NoError(t, err)
	require.NoError(t, s.setKey("acme", secret), "as when it is killed while the key moves")
	require.NoError(t, s.Remove("acme"))
	assert.NotContains(t, everything(t, s), "0123456789")
	assert.Empty(t, ring)
}

// locked is a keyring that returns errors.
type locked struct{ ring }

var errLocked = errors.New("it is locked")

func (locked) set(string, string) error { return errLocked }
func (locked) remove(string) error      { return errLocked }

// TestAKeyringThatRefuses: a key is not stored in a file then, unless the user asks for
// it.
func TestAKeyringThatRefuses(t *testing.T) {
	t.Parallel()
	ring := memory{}
	s := newStore(t, locked{ring})
	_, err := s.Add("acme", "https://hiring.example.com", secret, false)
	require.ErrorIs(t, err, errLocked)
	require.ErrorContains(t, err, "--in-file")
	assert.NoDirExists(t, s.dir, "nothing was kept")
	place, err := s.Add("acme", "https://hiring.example.com", secret, true)
	require.NoError(t, err)
	assert.Equal(t, File, place)
}

// TestAnOldKeyThatCannotBeRemoved: the profile stays unchanged, so that no key is left
// without a profile.
func TestAnOldKeyThatCannotBeRemoved(t *testing.T) {
	t.Parallel()
	for name, now := range map[string]ring{"locked": locked{memory{}}, "out of reach": memory(nil)} {
		s := newStore(t, memory{})
		_, err := s.Add("acme", "https://hiring.example.com", secret, false)
		require.NoError(t, err, name)
		s.ring = now
		_, err = s.Add("acme", "https://hiring.example.com", secret+"2", true)
		require.ErrorContains(t, err, "The old key of profile acme cannot be removed", name)
		require.Error(t, s.Remove("acme"), name)
		_, p, err := s.Get("acme")
		require.NoError(t, err, name)
		assert.Equal(t, Keyring, p.KeyIn, name)
		assert.NotContains(t, everything(t, s), "0123456789", name)
	}
}

func TestAFileThatOthersCanReadIsRejected(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		return // Windows has no such modes.
	}
	s := newStore(t, memory(nil))
	_, err := s.Add("acme", "https://hiring.example.com", secret, false)
	require.NoError(t, err)
	require.NoError(t, os.Chmod(s.keyPath(), 0o644))
	_, p, err := s.Get("acme")
	require.NoError(t, err)
	_, err = s.Key("acme", p)
	require.ErrorContains(t, err, "chmod 600")
	_, err = s.Add("other", "https://hiring.example.com", secret, false)
	require.ErrorContains(t, err, "chmod 600")
}

func TestADamagedFileIsNotQuoted(t *testing.T) {
	t.Parallel()
	s := newStore(t, memory(nil))
	_, err := s.Add("acme", "https://hiring.example.com", secret, false)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(s.keyPath(), []byte(`{"acme": `+secret), 0o600))
	_, p, err := s.Get("acme")
	require.NoError(t, err)
	_, err = s.Key("acme", p)
	require.ErrorContains(t, err, "not valid JSON")
	assert.NotContains(t, err.Error(), "sk_live")
}

func TestNames(t *testing.T) {
	t.Parallel()
	s := newStore(t, memory{})
	for _, name := range []string{"b", "a", "c.d-e_f"} {
		_, err := s.Add(name, "https://hiring.example.com", secret, false)
		require.NoError(t, err)
	}
	require.NoError(t, s.Use("a"))
	names, current, err := s.Names()
	require.NoError(t, err)
	assert.Equal(t, []string{"a", "b", "c.d-e_f"}, names)
	assert.Equal(t, "a", current)
	require.ErrorIs(t, s.Use("none"), ErrUnknown)
	require.ErrorIs(t, s.Remove("none"), ErrUnknown)
	for _, name := range []string{"", "../x", "a b", "-x", secret, "my-sk_test_1"} {
		_, err := s.Add(name, "https://hiring.example.com", secret, false)
		require.Error(t, err, name)
		assert.NotContains(t, err.Error(), "0123456789")
	}
}
