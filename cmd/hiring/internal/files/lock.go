package files

import (
	"errors"
	"fmt"
	"os"
	"syscall"
	"time"

	"github.com/gofrs/flock"
)

// ErrLocked is returned when another command holds a lock.
var ErrLocked = errors.New("another command is writing this file: wait until it has ended")

// ErrNoLocks is returned on a file system without locks, such as NFS without its lock service.
var ErrNoLocks = errors.New("this file system has no locks, so that a second run at the same time could not be refused")

// TryLock locks a file. Tests replace it.
var TryLock = (*flock.Flock).TryLock //nolint:gochecknoglobals // a constant, except in tests

// Lock creates and locks a file beside the target of name, so that one command at a time
// writes the target. It waits for another holder, and then fails with ErrLocked. The system
// releases the lock of a killed process.
func Lock(name string, wait time.Duration) (release func(), err error) {
	target, err := Target(name)
	if err != nil {
		return nil, err
	}
	const interval = 20 * time.Millisecond
	for end := time.Now().Add(wait); ; <-time.After(interval) {
		path := beside(target, ".lock")
		if info, err := os.Lstat(path); err == nil && !info.Mode().IsRegular() { // Never create the target of a link.
			return nil, TargetError{path + " is not a regular file: remove it"}
		}
		lock := flock.New(path)
		locked, err := TryLock(lock)
		switch {
		case errors.Is(err, syscall.ENOLCK) || errors.Is(err, errors.ErrUnsupported):
			_ = lock.Close()
			_ = os.Remove(path)
			return nil, fmt.Errorf("%s: %w", name, ErrNoLocks)
		case err != nil:
			return nil, Named(name, err)
		case locked && IsAt(lock, path):
			return func() {
				_ = os.Remove(path)
				_ = lock.Unlock()
			}, nil
		case !locked && !time.Now().Before(end):
			return nil, fmt.Errorf("%s: %w", name, ErrLocked)
		}
		_ = lock.Unlock() // The previous holder may have removed the file after it was opened here.
	}
}

// LockIfPossible is Lock for a file that may be written without a lock, because it is replaced as a
// whole: on a file system without locks it does nothing.
func LockIfPossible(name string, wait time.Duration) (release func(), err error) {
	if release, err = Lock(name, wait); errors.Is(err, ErrNoLocks) {
		return func() {}, nil
	}
	return release, err
}

// IsAt reports whether a path still leads to an open file.
func IsAt(opened interface{ Stat() (os.FileInfo, error) }, path string) bool {
	there, err := os.Stat(path)
	if err != nil {
		return false
	}
	info, err := opened.Stat()
	return err == nil && os.SameFile(info, there)
}
