// Package files writes the files that a user names. It never replaces a device, a
// FIFO, a directory or another special file.
package files

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// ErrSpecial is returned for a path that leads to a file that is not regular.
var ErrSpecial = errors.New("not a regular file")

// Target follows symbolic links and returns the path of the file to write, which need not
// exist. It fails with ErrSpecial when the path leads to a special file, or to an open
// file of a process such as /dev/stdout.
func Target(name string) (string, error) {
	path := name
	for range 40 { // The limit of Linux.
		if isOpenFile(path) {
			return "", fmt.Errorf("%s is %w", name, ErrSpecial)
		}
		link, err := os.Readlink(path)
		if err != nil {
			return path, checkRegular(name, path)
		}
		if !filepath.IsAbs(link) {
			folder, _ := filepath.Split(path)
			link = folder + link // Not cleaned, because the folder before ".." may be a link.
		}
		path = link
	}
	return "", fmt.Errorf("%s: too many symbolic links", name)
}

// isOpenFile reports whether a path names a file descriptor, as /dev/stdout does. A rename
// would replace the file that the shell has opened.
func isOpenFile(path string) bool {
	absolute, err := filepath.Abs(path)
	return err == nil && (strings.HasPrefix(absolute, "/dev/fd/") || strings.HasPrefix(absolute, "/proc/"))
}

func checkRegular(name, path string) error {
	info, err := os.Lstat(path)
	switch {
	case errors.Is(err, os.ErrNotExist):
		return nil
	case err != nil:
		return Named(name, err)
	case !info.Mode().IsRegular():
		return fmt.Errorf("%s is %w", name, ErrSpecial)
	}
	return nil
}

// Write replaces a file once its new content is complete and on the disk. Only the user
// can read the new file. A symbolic link stays; its target is replaced.
func Write(name string, write func(*os.File) error) (err error) {
	target, err := Target(name)
	if err != nil {
		return err
	}
	temporary, err := os.CreateTemp(filepath.Dir(target), temporaryName(filepath.Base(target))) // 0600
	if err != nil {
		return Named(name, err)
	}
	defer func() {
		if err != nil {
			_ = temporary.Close()
			_ = os.Remove(temporary.Name())
		}
	}()
	if err := write(temporary); err != nil {
		return Named(name, err)
	}
	if err := temporary.Sync(); err != nil {
		return Named(name, err)
	}
	if err := temporary.Close(); err != nil {
		return Named(name, err)
	}
	return Named(name, os.Rename(temporary.Name(), target))
}

// WriteJSON replaces a file with a value as JSON.
func WriteJSON(name string, value any) error {
	text, err := json.MarshalIndent(value, "", "  ")
	if err != nil {
		return err
	}
	return Write(name, func(to *os.File) error {
		_, err := to.Write(append(text, '\n'))
		return err
	})
}

// temporaryName leaves room for the suffix of os.CreateTemp when a name is near the
// system's length limit.
func temporaryName(name string) string {
	return strings.ToValidUTF8(name[:min(len(name), 200)], "") + ".*.part"
}

// RemoveTemporary removes the temporary files that killed calls of Write left beside a
// target. The caller must exclude other writers of the target.
func RemoveTemporary(target string) {
	folder, base := filepath.Split(target)
	const after = ".part"
	before := strings.TrimSuffix(temporaryName(base), "*"+after)
	entries, _ := os.ReadDir(filepath.Clean(folder))
	for _, entry := range entries {
		number, isTemporary := strings.CutPrefix(entry.Name(), before)
		number, ends := strings.CutSuffix(number, after)
		if isTemporary && ends && number != "" && strings.Trim(number, "0123456789") == "" {
			_ = os.Remove(folder + entry.Name())
		}
	}
}

// Named returns an error of the file system with the name that the user knows instead of
// the path of a temporary or a lock file.
func Named(name string, err error) error {
	if path, ok := errors.AsType[*os.PathError](err); ok {
		err = path.Err
	} else if link, ok := errors.AsType[*os.LinkError](err); ok {
		err = link.Err
	} else {
		return err
	}
	return fmt.Errorf("%s cannot be written: %w", name, err)
}
