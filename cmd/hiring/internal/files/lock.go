package files

import (
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/gofrs/flock"
)

// ErrLocked is returned when another command holds a lock.
var ErrLocked = errors.New("another command is writing this file: wait until it has ended")

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
		lock := flock.New(beside(target, ".lock"))
		locked, err := lock.TryLock()
		switch {
		case err != nil:
			return nil, Named(name, err)
		case locked && IsAt(lock, lock.Path()):
			return func() {
				_ = os.Remove(lock.Path())
				_ = lock.Unlock()
			}, nil
		case !locked && !time.Now().Before(end):
			return nil, fmt.Errorf("%s: %w", name, ErrLocked)
		}
		_ = lock.Unlock() // The previous holder may have removed the file after it was opened here.
	}
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
