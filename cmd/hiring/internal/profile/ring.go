package profile

import (
	"errors"
	"fmt"

	"github.com/zalando/go-keyring"
)

// ring stores secrets by name.
type ring interface {
	get(name string) (string, error)
	set(name, secret string) error
	remove(name string) error
}

// errNoRing is returned when the system has no keyring. A locked keyring is another error.
var errNoRing = errors.New("there is no keyring here")

// systemRing is the desktop's keyring: Keychain, Credential Manager or the Secret Service.
// On servers without one, every method returns errNoRing.
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
