// Package profile keeps which services a user works with, and the keys: these in
// the system's keyring or, where there is none, in a file that only the user can
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

// Profile is one service with one key.
type Profile struct {
	BaseURL      string `json:"base_url"`
	KeyIn        Place  `json:"key_in"`
	DashboardURL string `json:"dashboard_url,omitempty"` // May hold {kind} and {id}.
	Dialect      string `json:"dialect,omitempty"`       // A file, as hiring doctor writes it.
}

// Place is where a key is kept.
type Place string

// The places.
const (
	Keyring Place = "keyring"
	File    Place = "file"
)

// Store holds the profiles of a user.
type Store struct {
	dir  string
	ring ring
}

// Open finds the store in the user's configuration folder. It reads nothing yet.
func Open() (*Store, error) {
	dir, err := os.UserConfigDir()
	if err != nil {
		return nil, err
	}
	return &Store{dir: filepath.Join(dir, "hiring"), ring: systemRing{}}, nil
}

// ErrUnknown means that there is no such profile.
var ErrUnknown = errors.New("there is no such profile")

// content is the file of the profiles, which holds no key.
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

// check refuses a folder or a file that another user owns or can write: its content may
// send a key elsewhere.
func (s *Store) check() error {
	for _, path := range []string{s.dir, s.path(), s.keyPath()} {
		info, err := os.Stat(path)
		if errors.Is(err, os.ErrNotExist) {
			continue
		}
		if err != nil {
			return err
		}
		if runtime.GOOS == "windows" { // Access lists are not mode bits.
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

// Names returns the profiles in order, and which one is in use.
func (s *Store) Names() (names []string, current string, err error) {
	all, err := s.load()
	return slices.Sorted(maps.Keys(all.Profiles)), all.Current, err
}

// Get returns a profile; "" means the one in use, which may be none: ErrUnknown.
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

// proper names are safe in files, shells and tables.
var proper = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$`)

// CheckName refuses a name, and above all a key in its place.
func CheckName(name string) error {
	if regexp.MustCompile(`^sk_|\bsk_(live|test)_`).MatchString(name) {
		return errors.New("The name looks like a key. Never give a key as an argument: the shell's history shows it. Revoke the key in the dashboard")
	}
	if !proper.MatchString(name) {
		return errors.New("A profile's name has up to 64 letters, digits, dots, dashes and underscores")
	}
	return nil
}

// Add keeps a profile and its key, and returns where the key is; the key that the
// profile had before is forgotten. The first profile is the one in use. inFile leaves
// the keyring alone, save for that. A keyring that refuses is an error: only where
// there is none, the key is kept in the file.
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
	if p.BaseURL != baseURL { // What was set is about the other server.
		p = Profile{}
	}
	p.BaseURL, p.KeyIn = baseURL, place
	all.Profiles[name] = p
	if all.Current == "" {
		all.Current = name
	}
	err = writeJSON(s.path(), all)
	if err == nil && place == Keyring { // Not before: a key in the keyring is found by its profile alone.
		err = s.setKey(name, "")
	}
	return place, err
}

// keep puts a key where it belongs. What the keyring had before goes first: when it
// cannot, nothing has changed.
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
			return "", fmt.Errorf("The old key of profile %s cannot be removed from the system's keyring: %w. Unlock it, or add a profile with another name", name, err)
		}
	}
	return File, s.setKey(name, key)
}

// Use makes a profile the one in use.
func (s *Store) Use(name string) error {
	all, err := s.load()
	if err != nil {
		return err
	}
	if _, ok := all.Profiles[name]; !ok {
		return ErrUnknown
	}
	all.Current = name
	return writeJSON(s.path(), all)
}

// Change replaces the settings of a profile, except its address and its key.
func (s *Store) Change(name string, change func(*Profile)) error {
	all, err := s.load()
	if err != nil {
		return err
	}
	p, ok := all.Profiles[name]
	if !ok {
		return ErrUnknown
	}
	base, place := p.BaseURL, p.KeyIn
	change(&p)
	p.BaseURL, p.KeyIn = base, place
	all.Profiles[name] = p
	return writeJSON(s.path(), all)
}

// Remove forgets a profile and its key. When it was in use, none is afterwards.
func (s *Store) Remove(name string) error {
	all, err := s.load()
	if err != nil {
		return err
	}
	p, ok := all.Profiles[name]
	if !ok {
		return ErrUnknown
	}
	if p.KeyIn == Keyring {
		err = s.ring.remove(name)
	}
	if err == nil { // Also what a run left there that was killed while the key moved.
		err = s.setKey(name, "")
	}
	if err != nil {
		return fmt.Errorf("The key of profile %s cannot be removed: %w", name, err)
	}
	delete(all.Profiles, name)
	if all.Current == name {
		all.Current = ""
	}
	return writeJSON(s.path(), all)
}

// keys reads the file of keys, unless others can read it, too.
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

// setKey puts a key into the file of keys, or takes it out with "".
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

// readJSON leaves value alone where there is no file.
func readJSON(name string, value any) error {
	text, err := os.ReadFile(name)
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	if json.Unmarshal(text, value) != nil { // Its error could quote a key.
		return fmt.Errorf("%s is not valid JSON: repair or remove it", name)
	}
	return nil
}

// writeJSON replaces a file, which only the user can read at any time.
func writeJSON(name string, value any) error {
	text, err := json.MarshalIndent(value, "", "  ")
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
		return err
	}
	return files.Write(name, func(to *os.File) error {
		_, err := to.Write(append(text, '\n'))
		return err
	})
}
