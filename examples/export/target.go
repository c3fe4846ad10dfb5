package main

import (
	"errors"
	"fmt"
	"hash/crc32"
	"os"
)

// target is a file that a list is copied to. Until it is complete its name is name.part,
// and name.state contains the length of the valid part and the token at which the list
// resumes.
type target struct {
	dir  *os.Root
	name string
}

// state is how far a list was copied.
type state struct {
	size  int64  // Of the file, in bytes.
	token string // Resume token of the list; empty for its beginning.
}

func (s state) checksum() uint32 {
	return crc32.ChecksumIEEE(fmt.Appendf(nil, "%d%s", s.size, s.token))
}

// exists reports whether the file is complete.
func (t target) exists() (bool, error) {
	_, err := t.dir.Stat(t.name)
	if errors.Is(err, os.ErrNotExist) {
		return false, nil
	}
	return err == nil, err
}

// load returns the zero state when there is none, and an error when what there is
// cannot be trusted: going on from there would leave a gap.
func (t target) load() (state, error) {
	text, err := t.dir.ReadFile(t.name + ".state")
	if errors.Is(err, os.ErrNotExist) {
		return state{}, nil
	}
	if err != nil {
		return state{}, err
	}
	var saved state
	var sum uint32
	_, err = fmt.Sscanf(string(text), "%d %s %d\n", &saved.size, &saved.token, &sum)
	if err != nil || sum != saved.checksum() {
		return state{}, t.damaged()
	}
	return saved, nil
}

// save replaces the state at once: a kill leaves the old one or the new one.
func (t target) save(reached state) error {
	text := fmt.Sprintf("%d %s %d\n", reached.size, reached.token, reached.checksum())
	if err := t.dir.WriteFile(t.name+".new", []byte(text), 0o600); err != nil {
		return err
	}
	return t.dir.Rename(t.name+".new", t.name+".state")
}

func (t target) damaged() error {
	return fmt.Errorf("%s/%s.state is damaged: delete it to begin this file anew", t.dir.Name(), t.name)
}

// open opens the file to append to. A kill may have left more in it than the
// state says, which is cut off, but never less.
func (t target) open(from state) (*os.File, error) {
	part, err := t.dir.OpenFile(t.name+".part", os.O_CREATE|os.O_RDWR|os.O_APPEND, 0o600)
	if err != nil {
		return nil, err
	}
	info, err := part.Stat()
	if err == nil && info.Size() < from.size {
		err = t.damaged()
	}
	if err == nil {
		err = part.Truncate(from.size)
	}
	if err != nil {
		_ = part.Close() // Nothing was written.
		return nil, err
	}
	return part, nil
}

// complete gives the file its name. Killed between the two steps, the next run
// copies the list again.
func (t target) complete() error {
	err := t.dir.Remove(t.name + ".state")
	if err != nil && !errors.Is(err, os.ErrNotExist) { // A list of one page has none.
		return err
	}
	return t.dir.Rename(t.name+".part", t.name)
}
