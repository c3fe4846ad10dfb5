package hiring

import (
	"context"
	"crypto/sha256"
	"fmt"
	"strings"
	"sync/atomic"

	"github.com/hiring-assessment/hiring-go/internal/quota"
	"github.com/hiring-assessment/hiring-go/internal/redact"
)

// Environment is the kind of data that a key gives access to.
type Environment string

// The two environments. The key's prefix determines the environment.
const (
	EnvironmentLive Environment = "live" // sk_live_: real data; invitations send e-mail and consume plan quota.
	EnvironmentTest Environment = "test" // sk_test_: fixed sample data; writes persist nothing.
)

func environmentOf(key string) Environment {
	switch {
	case strings.HasPrefix(key, redact.LivePrefix):
		return EnvironmentLive
	case strings.HasPrefix(key, redact.TestPrefix):
		return EnvironmentTest
	}
	return ""
}

// keyID identifies a key where the key itself must not be stored.
type keyID = quota.Key

// credential is a key that was checked, with its header. It is stored in a call or a
// closure and never in a field that can be printed.
type credential struct {
	key    string
	header []string
	secret redact.Finder
	keyInfo
}

// noKey is the credential of a call before its first attempt, and of requests to the storage.
var noKey = new(credential)

type keyInfo struct {
	id          keyID
	environment Environment
}

// keyring returns the key for an attempt and records which key was used last.
type keyring struct {
	next func(context.Context) (*credential, error)
	last *atomic.Pointer[keyInfo]
}

// newKeyring returns a keyring of the source, or of the key if source is nil. name is the
// name of the key's argument, for errors.
func newKeyring(
	name, key string, source func(context.Context) (string, error), want Environment, last *atomic.Pointer[keyInfo],
) (keyring, error) {
	ring := keyring{last: last}
	if want != "" && want != EnvironmentLive && want != EnvironmentTest {
		return ring, &ParamError{Param: "WithEnvironment", Problem: "must be EnvironmentLive or EnvironmentTest"}
	}
	if source != nil {
		ring.next = func(ctx context.Context) (*credential, error) {
			key, err := source(ctx)
			if err != nil {
				return nil, redact.New(key).Clean(fmt.Errorf("the key source failed: %w", usableError(err)))
			}
			use, err := newCredential(key, want)
			if err != nil {
				return nil, fmt.Errorf("the key of the key source %w", err)
			}
			return use, nil
		}
		return ring, nil
	}
	fixed, err := newCredential(key, want)
	if err != nil {
		return ring, &ParamError{Param: name, Problem: err.Error()}
	}
	ring.last.Store(&fixed.keyInfo)
	ring.next = func(context.Context) (*credential, error) { return fixed, nil }
	return ring, nil
}

func (k keyring) lastUsed() keyInfo {
	if info := k.last.Load(); info != nil {
		return *info
	}
	return keyInfo{}
}

func (k keyring) current(ctx context.Context) (*credential, error) {
	c, err := k.next(ctx)
	if err == nil && k.lastUsed() != c.keyInfo {
		info := c.keyInfo
		k.last.Store(&info)
	}
	return c, err
}

// newCredential checks a key. The error's text continues a sentence that begins with the
// key's name.
func newCredential(key string, want Environment) (*credential, error) {
	if err := redact.CheckKey(key); err != nil {
		return nil, err
	}
	environment := environmentOf(key)
	if want != "" && environment != want {
		return nil, fmt.Errorf("must begin with sk_%[1]s_, because WithEnvironment requires the %[1]s environment", want)
	}
	return &credential{
		key:     key,
		header:  []string{"Bearer " + key},
		secret:  redact.New(key),
		keyInfo: keyInfo{sha256.Sum256([]byte(key)), environment},
	}, nil
}

// redacted describes the key without revealing it.
func (c *credential) redacted() string { return redact.Redact(c.key) }
