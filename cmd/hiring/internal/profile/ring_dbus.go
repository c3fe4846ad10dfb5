//go:build (dragonfly && cgo) || (freebsd && cgo) || linux || netbsd || openbsd

package profile

import (
	"errors"
	"io/fs"
	"slices"
	"syscall"

	"github.com/godbus/dbus/v5"
)

// noService reports whether there is no D-Bus session or no Secret Service.
func noService(err error) bool {
	if reply, ok := errors.AsType[dbus.Error](err); ok {
		return slices.Contains([]string{
			"org.freedesktop.DBus.Error.ServiceUnknown",
			"org.freedesktop.DBus.Error.NameHasNoOwner",
			"org.freedesktop.DBus.Error.Spawn.ServiceNotFound",
		}, reply.Name)
	}
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ECONNREFUSED) {
		return true // Nothing listens at the address.
	}
	bus, noBus := dbus.SessionBusPrivateNoAutoStartup()
	if noBus == nil {
		_ = bus.Close()
	}
	return noBus != nil && !errors.Is(noBus, fs.ErrPermission)
}
