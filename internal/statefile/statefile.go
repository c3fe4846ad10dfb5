// Package statefile stores a text in a file atomically: it writes a temporary file, syncs
// it and renames it, so a crash leaves the old or the new content. A file that is empty or
// unreachable is an error and never counts as missing. The text has a checksum of its own.
package statefile

import (
	"cmp"
	"errors"
	"fmt"
	"hash/crc32"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"
)

// maxSize is above the size of a state with 160,000 ids. It keeps Load from reading a file of another kind.
const maxSize = 16 << 20

// Load returns the state that was saved last at path, or "" if the file does not exist. Its folder must exist.
func Load(path string) (string, error) {
	place, info, err := find(path)
	switch {
	case err != nil || info == nil:
		return "", err
	case info.Size() > maxSize:
		return "", fmt.Errorf("%s is larger than a state file can be", path)
	}
	text, err := os.ReadFile(place) //nolint:gosec // the caller's own path
	if err == nil && len(text) == 0 {
		err = fmt.Errorf("the file %s is damaged, it is empty: restore it, or delete it to start afresh", path)
	}
	return string(text), err
}

// temporaryPrefix returns the beginning of the names of temporary files. It is independent of the
// length of the name, which may be the maximum.
func temporaryPrefix(place string) string {
	return fmt.Sprintf("hiring-checkpoint-%08x-", crc32.ChecksumIEEE([]byte(filepath.Base(place))))
}

// find follows links to the file, whose info is nil if it does not exist. A missing folder is
// an error, because it suggests a mistyped path or an unmounted disk.
func find(path string) (place string, info fs.FileInfo, err error) {
	if place, err = followLinks(path); err != nil {
		return "", nil, err
	}
	folder, name := filepath.Split(place)
	if name == "" {
		return "", nil, fmt.Errorf("%q has no file name", path)
	}
	if _, err := os.Stat(cmp.Or(folder, ".")); err != nil {
		return "", nil, fmt.Errorf("the folder of the file must exist (create it, or mount its disk): %w", err)
	}
	info, err = os.Stat(place)
	if errors.Is(err, fs.ErrNotExist) {
		return place, nil, nil
	}
	if err == nil && !info.Mode().IsRegular() {
		err = fmt.Errorf("%s is not a regular file", path)
	}
	return place, info, err
}

// followLinks returns the final target of path, which need not exist.
func followLinks(path string) (string, error) {
	for range 40 { // The limit of common systems.
		link, err := os.Readlink(path)
		if err != nil {
			return path, nil //nolint:nilerr // The path is no link, or does not exist yet.
		}
		if !filepath.IsAbs(link) {
			folder, _ := filepath.Split(path)
			link = folder + link // Not cleaned: a folder before ".." may be a link too.
		}
		path = link
	}
	return "", errors.New("there are too many symbolic links")
}

// Save replaces the file at path atomically and syncs it to disk. If path is a symbolic link, Save
// replaces the link's target. Only one process at a time may use a file.
func Save(path, state string) error {
	switch {
	case state == "": // Load rejects it.
		return errors.New("a state is never empty: to start afresh, delete the file")
	case len(state) > maxSize:
		return fmt.Errorf("a state of %d bytes exceeds the limit of a state file", len(state))
	}
	place, _, err := find(path)
	if err != nil {
		return err
	}
	folder, temporary := filepath.Dir(place), temporaryPrefix(place)
	clearKilledSaves(folder, temporary)
	file, err := os.CreateTemp(folder, temporary+"*.tmp")
	if err != nil {
		return err
	}
	_, err = file.WriteString(state)
	if err = cmp.Or(err, file.Sync(), file.Close()); err == nil {
		err = os.Rename(file.Name(), place)
	}
	if errors.Is(err, syscall.EBUSY) { // For example a file that is mounted into a container.
		err = fmt.Errorf("%s is a mount point, so that no save can replace it: mount its folder: %w", path, err)
	}
	if err != nil {
		_ = os.Remove(file.Name())
		return err
	}
	return syncFolder(folder)
}

// A younger temporary file may belong to a save that is still running in a process that is
// being replaced.
const killedSaveAge = 10 * time.Minute

// clearKilledSaves removes temporary files of killed saves. It ignores errors, because
// saving works without it.
func clearKilledSaves(folder, prefix string) {
	entries, _ := os.ReadDir(folder)
	for _, entry := range entries {
		if !strings.HasPrefix(entry.Name(), prefix) || !strings.HasSuffix(entry.Name(), ".tmp") {
			continue
		}
		if info, err := entry.Info(); err == nil && time.Since(info.ModTime()) > killedSaveAge {
			_ = os.Remove(filepath.Join(folder, entry.Name()))
		}
	}
}

// syncFolder makes the rename durable. Some systems cannot sync a folder.
func syncFolder(path string) error {
	folder, err := os.Open(path) //nolint:gosec // the caller's own path
	if err != nil {
		return err
	}
	err = folder.Sync()
	_ = folder.Close() // An error of closing is harmless after reading.
	if err != nil && !errors.Is(err, errors.ErrUnsupported) && !errors.Is(err, fs.ErrInvalid) && !errors.Is(err, fs.ErrPermission) {
		return err
	}
	return nil
}
