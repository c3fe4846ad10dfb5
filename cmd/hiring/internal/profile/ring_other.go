//go:build !((dragonfly && cgo) || (freebsd && cgo) || linux || netbsd || openbsd)

package profile

import (
	"errors"
	"os/exec"
)

// noService reports whether the system's keyring is not installed.
func noService(err error) bool { return errors.Is(err, exec.ErrNotFound) }
