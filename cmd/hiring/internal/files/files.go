// Package files writes the files that a user names. It never replaces a device, a
// FIFO, a directory or another special file.
package files

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// TargetError is returned for a name that cannot be that of a file to write.
type TargetError struct{ problem string }

func (e TargetError) Error() string { return e.problem }

// Target follows symbolic links and returns the path of the file to write, which need not
// exist. It fails with a TargetError for -, in a folder that does not exist, for a special file,
// for an open file of a process such as /dev/stdout, and for a link that leads to no file.
func Target(name string) (string, error) {
	path, err := filepath.EvalSymlinks(name)
	if err != nil {
		path = name
	}
	info, err := os.Lstat(path)
	missing := errors.Is(err, os.ErrNotExist)
	_, noFolder := os.Stat(filepath.Dir(path))
	switch {
	case name == "-":
		return "", TargetError{"- is not possible: give the name of a file"}
	case errors.Is(noFolder, os.ErrNotExist):
		return "", TargetError{name + ": the folder does not exist"}
	case err != nil && !missing:
		return "", TargetError{Named(name, err).Error()}
	case !missing && !info.Mode().IsRegular() || isOpenFile(name):
		return "", TargetError{name + " is not a regular file"}
	}
	return path, nil
}

// isOpenFile reports whether a path names a file descriptor. A rename would replace the file
// that the shell has opened.
func isOpenFile(path string) bool {
	absolute, err := filepath.Abs(path)
	return err == nil && (strings.HasPrefix(absolute, "/dev/std") || strings.HasPrefix(absolute, "/dev/fd/") || strings.HasPrefix(absolute, "/proc/"))
}

// Write replaces a file once its new content is complete and on the disk. It fails with
// ErrLocked while another command writes the file. A new file can be read by the user only,
// and one that is replaced keeps its mode. A symbolic link stays; its target is replaced.
func Write(name string, write func(*os.File) error) error {
	release, err := LockIfPossible(name, 0)
	if err != nil {
		return err
	}
	defer release()
	return Replace(name, write)
}

// Replace is Write for a caller that has locked the file. The new content is in a temporary file,
// which the next call replaces when a command was killed: it may name candidates.
func Replace(name string, write func(*os.File) error) (err error) {
	target, err := Target(name)
	if err != nil {
		return err
	}
	part := beside(target, ".hiring-part")
	_ = os.Remove(part)
	temporary, err := os.OpenFile(part, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return Named(name, err)
	}
	defer func() {
		if err != nil {
			_ = temporary.Close()
			_ = os.Remove(part)
		}
	}()
	if before, err := os.Stat(target); err == nil {
		_ = temporary.Chmod(before.Mode().Perm()) // Some file systems have no modes.
	}
	for _, step := range []func() error{func() error { return write(temporary) }, temporary.Sync, temporary.Close} {
		if err := step(); err != nil {
			return Named(name, err)
		}
	}
	return Named(name, os.Rename(part, target))
}

// beside returns the path of a file of this program in the folder of a target. It leaves room
// for the suffix when the name is near the system's length limit.
func beside(target, suffix string) string {
	folder, base := filepath.Split(target)
	return filepath.Join(folder, strings.ToValidUTF8(base[:min(len(base), 200)], "")+suffix)
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
