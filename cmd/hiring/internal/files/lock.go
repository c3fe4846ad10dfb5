package files

import (
	"errors"
	"fmt"
	"os"
)

// ErrLocked is returned when another process holds a lock.
var ErrLocked = errors.New("another process holds the lock")

// Lock is a file that one process at a time holds. The system releases the lock of a
// killed process.
type Lock struct{ file *os.File }

// TakeLock creates and locks a file, or fails at once with ErrLocked. A process must not
// take a lock twice: the second call would succeed.
func TakeLock(name string) (*Lock, error) {
	if _, err := Target(name); err != nil {
		return nil, err
	}
	for {
		file, err := os.OpenFile(name, os.O_CREATE|os.O_RDWR, 0o600)
		if err != nil {
			return nil, err
		}
		if err := lock(file); err != nil {
			_ = file.Close()
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		if IsAt(file, name) {
			return &Lock{file}, nil
		}
		_ = file.Close() // The previous holder removed the file after it was opened here.
	}
}

// Release removes the file and ends the lock.
func (l *Lock) Release() {
	_ = os.Remove(l.file.Name())
	_ = l.file.Close()
}

// IsAt reports whether a path still leads to an open file.
func IsAt(file *os.File, name string) bool {
	there, err := os.Stat(name)
	if err != nil {
		return false
	}
	opened, err := file.Stat()
	return err == nil && os.SameFile(opened, there)
}
