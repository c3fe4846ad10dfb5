// Package profile stores the servers that a user works with and their keys, in a file that
// only the user can read.
package profile

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/hiring-assessment/hiring-go/cmd/hiring/internal/files"
)

// Profile is a server and a key.
type Profile struct {
	BaseURL string `json:"base_url"`
	Key     string `json:"key"`
	Dialect string `json:"dialect,omitempty"` // Path of a file; "" means the names that the client assumes.

	Extra map[string]jsontext.Value `json:",unknown,embed"` // Members of other versions.
}

// Store is the file with the profiles of a user.
type Store struct{ path string }

// ErrUnknown is returned for a profile that does not exist.
var ErrUnknown = errors.New("there is no such profile")

// Open returns the store in the user's configuration folder. It reads no file.
func Open() (Store, error) {
	dir, err := os.UserConfigDir()
	if err != nil {
		return Store{}, fmt.Errorf("The folder of the profiles is not known: set HOME or XDG_CONFIG_HOME (%w)", err)
	}
	return Store{filepath.Join(dir, "hiring", "profiles.json")}, nil
}

// Path returns the path of the file.
func (s Store) Path() string { return s.path }

// content is the file.
type content struct {
	Current  string             `json:"current"`
	Profiles map[string]Profile `json:"profiles"`

	Extra map[string]jsontext.Value `json:",unknown,embed"`
}

// Exposed returns the path of the file or of its folder when other users can read or write the
// file, or write the folder, or "". Mounts of containers set such modes.
func (s Store) Exposed() string {
	for path, exposing := range map[string]os.FileMode{filepath.Dir(s.path): 0o022, s.path: 0o077} {
		info, err := os.Stat(path)
		if err == nil && info.Mode().Perm()&exposing != 0 && runtime.GOOS != "windows" { // It has access lists.
			return path
		}
	}
	return ""
}

// load reads the file, which need not exist.
func (s Store) load() (content, error) {
	var all content
	text, err := os.ReadFile(s.path)
	switch {
	case errors.Is(err, os.ErrNotExist):
		err = nil
	case err == nil && json.Unmarshal(text, &all) != nil: // The decoder's error could quote a key.
		err = fmt.Errorf("%s is not valid JSON: repair or remove it", s.path)
	}
	if all.Profiles == nil {
		all.Profiles = make(map[string]Profile)
	}
	return all, err
}

// All returns the profiles by name, and the name of the profile in use.
func (s Store) All() (profiles map[string]Profile, current string, err error) {
	all, err := s.load()
	return all.Profiles, all.Current, err
}

// Get returns a profile; "" means the profile in use. It returns ErrUnknown if there is
// none.
func (s Store) Get(name string) (string, Profile, error) {
	all, err := s.load()
	if err != nil {
		return "", Profile{}, err
	}
	name = cmp.Or(name, all.Current)
	profile, ok := all.Profiles[name]
	if !ok {
		return name, Profile{}, ErrUnknown
	}
	return name, profile, nil
}

// properName matches names that are safe in files, shells and tables.
var properName = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$`)

// CheckName returns an error for an invalid name.
func CheckName(name string) error {
	if !properName.MatchString(name) {
		return errors.New("A profile's name has up to 64 letters, digits, dots, dashes and underscores")
	}
	return nil
}

// Add stores a profile. The first one becomes the profile in use. A profile of the same
// name and server keeps its dialect.
func (s Store) Add(name, baseURL, key string) error {
	return s.change(func(all *content) error {
		p := all.Profiles[name]
		if p.BaseURL != baseURL {
			p = Profile{BaseURL: baseURL}
		}
		p.Key = key
		all.Profiles[name] = p
		if all.Current == "" {
			all.Current = name
		}
		return nil
	})
}

// edit changes a profile. It returns ErrUnknown if the profile does not exist.
func (s Store) edit(name string, do func(all *content)) error {
	return s.change(func(all *content) error {
		if _, ok := all.Profiles[name]; !ok {
			return ErrUnknown
		}
		do(all)
		return nil
	})
}

// Use makes a profile the profile in use.
func (s Store) Use(name string) error { return s.edit(name, func(all *content) { all.Current = name }) }

// SetDialect sets the dialect file of a profile; "" means none.
func (s Store) SetDialect(name, file string) error {
	return s.edit(name, func(all *content) {
		p := all.Profiles[name]
		p.Dialect = file
		all.Profiles[name] = p
	})
}

// Remove removes a profile and its key. When it was in use, no profile is in use
// afterwards.
func (s Store) Remove(name string) error {
	return s.edit(name, func(all *content) {
		delete(all.Profiles, name)
		if all.Current == name {
			all.Current = ""
		}
	})
}

// change changes the file while no other process does. Only the user can read the new file.
func (s Store) change(do func(all *content) error) error {
	const wait = 10 * time.Second
	if err := os.MkdirAll(filepath.Dir(s.path), 0o700); err != nil {
		return err
	}
	release, err := files.LockIfPossible(s.path, wait)
	if err != nil {
		return err
	}
	defer release()
	all, err := s.load()
	if err == nil {
		err = do(&all)
	}
	if err != nil {
		return err
	}
	return files.Replace(s.path, func(to *os.File) error {
		_ = to.Chmod(0o600) // Some file systems have no modes.
		return json.MarshalWrite(to, all, jsontext.WithIndent("  "), json.Deterministic(true))
	})
}
