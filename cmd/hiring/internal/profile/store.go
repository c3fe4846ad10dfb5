// Package profile stores the servers that a user works with, and their keys. Keys are
// stored in the system's keyring or, where there is none, in a file that only the user can
// read.
package profile

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"

	"github.com/hiring-assessment/hiring-go/cmd/hiring/internal/files"
)

// Profile is a server and the place of its key.
type Profile struct {
	BaseURL string `json:"base_url"`
	KeyIn   Place  `json:"key_in"`
	Dialect string `json:"dialect,omitempty"` // Path of a file that hiring doctor wrote.
}

// Place is where a key is stored.
type Place string

// The places.
const (
	Keyring Place = "keyring"
	File    Place = "file"
)

// Store holds the profiles of a user.
type Store struct {
	dir  string
	err  error // Why the folder is not known; load returns it.
	ring ring
}

// Open returns the store in the user's configuration folder. It reads no file.
func Open() *Store {
	dir, err := os.UserConfigDir()
	if err != nil {
		err = fmt.Errorf("The folder of the profiles is not known: set HOME or XDG_CONFIG_HOME (%w)", err)
	}
	return &Store{dir: filepath.Join(dir, "hiring"), err: err, ring: systemRing{}}
}

// ErrUnknown is returned for a profile that does not exist.
var ErrUnknown = errors.New("there is no such profile")

// content is the file of profiles. It has no keys.
type content struct {
	Current  string             `json:"current"`
	Profiles map[string]Profile `json:"profiles"`
}

func (s *Store) path() string    { return filepath.Join(s.dir, "profiles.json") }
func (s *Store) keyPath() string { return filepath.Join(s.dir, "keys.json") }

func (s *Store) load() (content, error) {
	all := content{Profiles: make(map[string]Profile)}
	if err := s.check(); err != nil {
		return all, err
	}
	err := readJSON(s.path(), &all)
	return all, err
}

// check returns an error when the folder is not known. It also returns one when another
// user owns or can write the folder or the files, because their content could send a key
// to another server.
func (s *Store) check() error {
	if s.err != nil {
		return s.err
	}
	for _, path := range []string{s.dir, s.path(), s.keyPath()} {
		info, err := os.Stat(path)
		if errors.Is(err, os.ErrNotExist) {
			continue
		}
		if err != nil {
			return err
		}
		if runtime.GOOS == "windows" { // Windows has access lists instead of mode bits.
			return nil
		}
		if info.Mode().Perm()&0o022 != 0 {
			return fmt.Errorf("Other users can write to %s: run chmod go-w on it and check its content", path)
		}
		if !ownedByUser(info) {
			return fmt.Errorf("%s belongs to another user: change its owner with chown, or remove it", path)
		}
	}
	return nil
}

// Names returns the names of the profiles in order, and the profile in use.
func (s *Store) Names() (names []string, current string, err error) {
	all, err := s.load()
	return slices.Sorted(maps.Keys(all.Profiles)), all.Current, err
}

// Get returns a profile; "" means the profile in use. It returns ErrUnknown if there is
// none.
func (s *Store) Get(name string) (string, Profile, error) {
	all, err := s.load()
	if err != nil {
		return "", Profile{}, err
	}
	if name == "" {
		name = all.Current
	}
	profile, ok := all.Profiles[name]
	if !ok {
		return name, Profile{}, ErrUnknown
	}
	return name, profile, nil
}

// Key returns the key of a profile.
func (s *Store) Key(name string, p Profile) (string, error) {
	if p.KeyIn == Keyring {
		key, err := s.ring.get(name)
		if err != nil {
			return "", fmt.Errorf("The key of profile %s cannot be read from the system's keyring: %w", name, err)
		}
		return key, nil
	}
	keys, err := s.keys()
	if err != nil {
		return "", err
	}
	if keys[name] == "" {
		return "", fmt.Errorf("The key of profile %s is not in %s", name, s.keyPath())
	}
	return keys[name], nil
}

// properName matches names that are safe in files, shells and tables.
var properName = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$`)

// CheckName returns an error for an invalid name, in particular for a key.
func CheckName(name string) error {
	if regexp.MustCompile(`^sk_|\bsk_(live|test)_`).MatchString(name) {
		return errors.New("The name looks like a key. Never give a key as an argument: the shell's history shows it. Revoke the " +
			"key in the dashboard")
	}
	if !properName.MatchString(name) {
		return errors.New("A profile's name has up to 64 letters, digits, dots, dashes and underscores")
	}
	return nil
}

// Add stores a profile and its key, and returns where the key is stored. The previous key
// of the profile is removed. The first profile becomes the profile in use. inFile stores
// the key in the file. Without inFile, a locked keyring is an error: the file is used only
// where there is no keyring.
func (s *Store) Add(name, baseURL, key string, inFile bool) (Place, error) {
	if err := CheckName(name); err != nil {
		return "", err
	}
	all, err := s.load()
	if err != nil {
		return "", err
	}
	before := all.Profiles[name].KeyIn
	place, err := s.keep(name, key, before, inFile)
	if err != nil {
		return "", err
	}
	p := all.Profiles[name]
	if p.BaseURL != baseURL { // The settings belong to the other server.
		p = Profile{}
	}
	p.BaseURL, p.KeyIn = baseURL, place
	all.Profiles[name] = p
	if all.Current == "" {
		all.Current = name
	}
	err = writeJSON(s.path(), all)
	if err == nil && place == Keyring { // Not earlier: a key in the keyring is found through its profile only.
		err = s.setKey(name, "")
	}
	return place, err
}

// keep stores a key. The previous key is removed from the keyring first: when that fails,
// nothing has changed.
func (s *Store) keep(name, key string, before Place, inFile bool) (Place, error) {
	if !inFile {
		err := s.ring.set(name, key)
		if err == nil {
			return Keyring, nil
		}
		if !errors.Is(err, errNoRing) {
			return "", fmt.Errorf("The system's keyring does not accept the key: %w. Unlock it, or store the key in a file with --in-file", err)
		}
	}
	if before == Keyring {
		if err := s.ring.remove(name); err != nil {
			return "", fmt.Errorf("The old key of profile %s cannot be removed from the system's keyring: %w. Unlock it, or add a "+
				"profile with another name", name, err)
		}
	}
	return File, s.setKey(name, key)
}

// edit changes the file of profiles. It returns ErrUnknown if the profile does not exist.
func (s *Store) edit(name string, change func(all *content, p Profile) error) error {
	all, err := s.load()
	if err != nil {
		return err
	}
	p, ok := all.Profiles[name]
	if !ok {
		return ErrUnknown
	}
	if err := change(&all, p); err != nil {
		return err
	}
	return writeJSON(s.path(), all)
}

// Use makes a profile the profile in use.
func (s *Store) Use(name string) error {
	return s.edit(name, func(all *content, _ Profile) error {
		all.Current = name
		return nil
	})
}

// SetDialect sets the dialect file of a profile; "" means none.
func (s *Store) SetDialect(name, file string) error {
	return s.edit(name, func(all *content, p Profile) error {
		p.Dialect = file
		all.Profiles[name] = p
		return nil
	})
}

// Remove removes a profile and its key. When it was in use, no profile is in use
// afterwards.
func (s *Store) Remove(name string) error {
	return s.edit(name, func(all *content, p Profile) (err error) {
		if p.KeyIn == Keyring {
			err = s.ring.remove(name)
		}
		if err == nil { // A run that was killed while it moved the key may have left one there.
			err = s.setKey(name, "")
		}
		if err != nil {
			return fmt.Errorf("The key of profile %s cannot be removed: %w", name, err)
		}
		delete(all.Profiles, name)
		if all.Current == name {
			all.Current = ""
		}
		return nil
	})
}

// keys reads the file of keys. It returns an error when other users can read the file.
func (s *Store) keys() (map[string]string, error) {
	keys := make(map[string]string)
	info, err := os.Stat(s.keyPath())
	if errors.Is(err, os.ErrNotExist) {
		return keys, nil
	}
	if err != nil {
		return nil, err
	}
	if others := info.Mode().Perm() & 0o077; others != 0 && runtime.GOOS != "windows" {
		return nil, fmt.Errorf("Other users can read %s: run chmod 600 on it and replace the keys in it", s.keyPath())
	}
	return keys, readJSON(s.keyPath(), &keys)
}

// setKey adds a key to the file of keys, or removes it if key is "".
func (s *Store) setKey(name, key string) error {
	keys, err := s.keys()
	if err != nil || keys[name] == key {
		return err
	}
	keys[name] = key
	if key == "" {
		delete(keys, name)
	}
	return writeJSON(s.keyPath(), keys)
}

// readJSON leaves value unchanged when the file does not exist.
func readJSON(name string, value any) error {
	text, err := os.ReadFile(name)
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	if json.Unmarshal(text, value) != nil { // The decoder's error could quote a key.
		return fmt.Errorf("%s is not valid JSON: repair or remove it", name)
	}
	return nil
}

// writeJSON replaces a file that only the user can read.
func writeJSON(name string, value any) error {
	if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
		return err
	}
	return files.WriteJSON(name, value)
}
