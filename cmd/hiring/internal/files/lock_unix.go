//go:build unix

package files

import (
	"errors"
	"io"
	"os"

	"golang.org/x/sys/unix"
)

func lock(file *os.File) error {
	err := unix.FcntlFlock(file.Fd(), unix.F_SETLK, &unix.Flock_t{Type: unix.F_WRLCK, Whence: io.SeekStart})
	if errors.Is(err, unix.EAGAIN) || errors.Is(err, unix.EACCES) {
		return ErrLocked
	}
	return err
}
