package profile

import (
	"errors"

	"github.com/zalando/go-keyring"
)

// ring keeps secrets by name.
type ring interface {
	get(name string) (string, error)
	set(name, secret string) error
	remove(name string) error
}

// systemRing is that of the desktop: Keychain, Credential Manager or the Secret
// Service. Servers often have none, and then every method fails.
type systemRing struct{}

const service = "hiring"

func (systemRing) get(name string) (string, error) { return keyring.Get(service, name) }

func (systemRing) set(name, secret string) error { return keyring.Set(service, name, secret) }

func (systemRing) remove(name string) error {
	if err := keyring.Delete(service, name); !errors.Is(err, keyring.ErrNotFound) {
		return err
	}
	return nil
}
