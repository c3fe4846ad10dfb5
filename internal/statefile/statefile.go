// Package statefile keeps a text in a file that a crash leaves as it was or as it
// was to be: written beside it, put on the disk, and renamed. A file that is
// damaged, empty, foreign or out of reach is never taken for one that is not there
// yet.
package statefile

import (
	"cmp"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"
)

// File is one such file. It is safe for concurrent use, though one process at a
// time is meant to use it.
type File struct {
	path string

	saving sync.Mutex // Two saves at once would take each other for killed ones.
}

// At names the file, which need not exist yet; its folder must. A symbolic link
// stays: what is replaced is its target.
func At(path string) *File { return &File{path: path} }

// maxSize is far above what a state takes.
const maxSize = 1 << 20

// Load returns the state that was saved last, "" when there is no file.
func (f *File) Load() (string, error) {
	text, err := f.read()
	if err != nil || text == nil {
		return "", err
	}
	sum, state, _ := strings.Cut(string(text), "\n")
	if sum != checksum(state) {
		return "", fmt.Errorf("the file %s is damaged: restore it, or delete it to start afresh", f.path)
	}
	return state, nil
}

// read returns nil when there is no file.
func (f *File) read() ([]byte, error) {
	place, exists, err := find(f.path)
	if err != nil || !exists {
		return nil, err
	}
	file, err := os.Open(place) //nolint:gosec // the caller's own path
	if err != nil {
		return nil, err
	}
	text, err := io.ReadAll(io.LimitReader(file, maxSize+1))
	_ = file.Close() // It was only read.
	if err == nil && len(text) > maxSize {
		err = fmt.Errorf("%s is longer than a state can be", f.path)
	}
	return text, err
}

// find follows links to the place of the file. A folder that does not
// exist is a mistyped path or a disk that is not there, and not a fresh start.
func find(path string) (place string, exists bool, err error) {
	if place, err = followLinks(path); err != nil {
		return "", false, err
	}
	folder, name := filepath.Split(place)
	if name == "" {
		return "", false, fmt.Errorf("%q names no file", path)
	}
	if _, err := os.Stat(cmp.Or(folder, ".")); err != nil {
		return "", false, fmt.Errorf("the folder of the file: %w", err)
	}
	info, err := os.Stat(place)
	if errors.Is(err, fs.ErrNotExist) {
		return place, false, nil
	}
	if err == nil && !info.Mode().IsRegular() {
		err = fmt.Errorf("%s is not a regular file", path)
	}
	return place, true, err
}

// followLinks returns where a path leads, which need not exist.
func followLinks(path string) (string, error) {
	for range 40 { // What systems allow.
		link, err := os.Readlink(path)
		if err != nil {
			return path, nil //nolint:nilerr // It is no link, or not there yet.
		}
		if !filepath.IsAbs(link) {
			folder, _ := filepath.Split(path)
			link = folder + link // Not cleaned: a folder before ".." may be a link too.
		}
		path = link
	}
	return "", errors.New("there are too many symbolic links")
}

// checksum is the first line of a file, so that one that was cut, emptied or
// edited is noticed.
func checksum(state string) string {
	return fmt.Sprintf("hiring-checkpoint-1 %08x", crc32.ChecksumIEEE([]byte(state)))
}

// Save replaces the file, which is on the disk when it returns.
func (f *File) Save(state string) (err error) {
	f.saving.Lock()
	defer f.saving.Unlock()
	text := checksum(state) + "\n" + state
	if len(text) > maxSize {
		return fmt.Errorf("a state of %d bytes is longer than a file may be", len(state))
	}
	place, _, err := find(f.path)
	if err != nil {
		return err
	}
	folder, name := filepath.Split(place)
	folder = cmp.Or(folder, ".")
	// The name itself may be as long as names can be.
	temporary := fmt.Sprintf("hiring-checkpoint-%08x-", crc32.ChecksumIEEE([]byte(name)))
	clearKilledSaves(folder, temporary)
	file, err := os.CreateTemp(folder, temporary+"*.tmp")
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			_ = os.Remove(file.Name())
		}
	}()
	_, err = file.WriteString(text)
	if err == nil {
		err = file.Sync()
	}
	if closed := file.Close(); err == nil {
		err = closed
	}
	if err == nil {
		err = os.Rename(file.Name(), place)
	}
	if err != nil {
		return err
	}
	return syncFolder(folder)
}

// A temporary file that is younger may belong to a save that still goes on, in a
// process that is about to be replaced. That there are so many, and none does,
// is certain too: one watch at a time uses a checkpoint.
const (
	killedSaveAge = 10 * time.Minute
	killedSaves   = 10
)

// clearKilledSaves removes temporary files. It is housekeeping, and a folder
// that cannot be listed can do without.
func clearKilledSaves(folder, prefix string) {
	entries, _ := os.ReadDir(folder)
	var left []fs.FileInfo
	for _, entry := range entries {
		if !strings.HasPrefix(entry.Name(), prefix) || !strings.HasSuffix(entry.Name(), ".tmp") {
			continue
		}
		if info, err := entry.Info(); err == nil && info.Mode().IsRegular() {
			left = append(left, info)
		}
	}
	slices.SortFunc(left, func(a, b fs.FileInfo) int { return b.ModTime().Compare(a.ModTime()) })
	for i, info := range left {
		if i >= killedSaves || time.Since(info.ModTime()) > killedSaveAge {
			_ = os.Remove(filepath.Join(folder, info.Name()))
		}
	}
}

// syncFolder makes the new name last. Some systems cannot do that for a folder.
func syncFolder(path string) error {
	folder, err := os.Open(path) //nolint:gosec // the caller's own path
	if err != nil {
		return err
	}
	err = folder.Sync()
	_ = folder.Close() // It was only read.
	if err != nil && !errors.Is(err, errors.ErrUnsupported) && !errors.Is(err, fs.ErrInvalid) && !errors.Is(err, fs.ErrPermission) {
		return err
	}
	return nil
}
