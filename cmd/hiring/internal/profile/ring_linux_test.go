package profile

import (
	"errors"
	"fmt"
	"net"
	"path/filepath"
	"testing"

	"github.com/godbus/dbus/v5"
	"github.com/stretchr/testify/require"
)

// TestNoKeyringAtAll checks the errors of sessions without a keyring.
func TestNoKeyringAtAll(t *testing.T) {
	folder := t.TempDir()
	t.Setenv("DBUS_SESSION_BUS_ADDRESS", "unix:path="+filepath.Join(folder, "none"))
	require.ErrorIs(t, systemRing{}.set("acme", secret), errNoRing, "no bus")
	require.ErrorIs(t, ringError(dbus.Error{Name: "org.freedesktop.DBus.Error.ServiceUnknown"}), errNoRing)
	require.ErrorIs(t, ringError(fmt.Errorf("in vain: %w", dbus.Error{Name: "org.freedesktop.DBus.Error.NameHasNoOwner"})), errNoRing)
	require.NotErrorIs(t, ringError(dbus.Error{Name: "org.freedesktop.Secret.Error.IsLocked"}), errNoRing)
	require.NoError(t, ringError(nil))

	// A bus that responds, and a locked keyring.
	path := filepath.Join(folder, "bus")
	bus, err := net.Listen("unix", path)
	require.NoError(t, err)
	defer func() { _ = bus.Close() }()
	t.Setenv("DBUS_SESSION_BUS_ADDRESS", "unix:path="+path)
	require.NotErrorIs(t, ringError(errors.New("failed to unlock correct collection")), errNoRing)
}
