package profile

import (
	"errors"
	"fmt"

	"github.com/zalando/go-keyring"
)

// ring keeps secrets by name.
type ring interface {
	get(name string) (string, error)
	set(name, secret string) error
	remove(name string) error
}

// errNoRing means that this system has no keyring at all, rather than one that is
// locked or refuses.
var errNoRing = errors.New("there is no keyring here")

// systemRing is that of the desktop: Keychain, Credential Manager or the Secret
// Service. Servers often have none, and then every method fails with errNoRing.
type systemRing struct{}

const service = "hiring"

func (systemRing) get(name string) (string, error) {
	key, err := keyring.Get(service, name)
	return key, ringError(err)
}

func (systemRing) set(name, secret string) error {
	return ringError(keyring.Set(service, name, secret))
}

func (systemRing) remove(name string) error {
	if err := keyring.Delete(service, name); !errors.Is(err, keyring.ErrNotFound) {
		return ringError(err)
	}
	return nil
}

func ringError(err error) error {
	if err != nil && (errors.Is(err, keyring.ErrUnsupportedPlatform) || noService(err)) {
		return fmt.Errorf("%w: %w", errNoRing, err)
	}
	return err
}
