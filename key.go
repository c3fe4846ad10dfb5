package hiring

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"sync/atomic"
	"unicode"
)

// Environment is what a key gives access to.
type Environment string

// The two environments, told by the key's prefix.
const (
	EnvironmentLive Environment = "live" // sk_live_: real data; invitations send e-mail and consume plan quota.
	EnvironmentTest Environment = "test" // sk_test_: fixed sample data; writes persist nothing.
)

func environmentOf(key string) Environment {
	switch {
	case strings.HasPrefix(key, "sk_live_"):
		return EnvironmentLive
	case strings.HasPrefix(key, "sk_test_"):
		return EnvironmentTest
	}
	return ""
}

// keyID stands for a key wherever the key itself must not be kept.
type keyID [sha256.Size]byte

// credential is a key that was judged and made ready for the wire. It lives in a
// call or behind a closure, never in a field that can be printed.
type credential struct {
	key    string
	rarest int // See in.
	header []string
	keyInfo
}

// noKey is the credential of a call that has not asked for one yet.
var noKey = new(credential)

type keyInfo struct {
	id          keyID
	environment Environment
}

// keyring hands out the key for an attempt and remembers which was used last.
type keyring struct {
	next func(context.Context) (*credential, error)
	last *atomic.Pointer[keyInfo]
}

func newKeyring(c config) (keyring, error) {
	ring := keyring{last: c.last}
	if e := c.environment; e != "" && e != EnvironmentLive && e != EnvironmentTest {
		return ring, &ParamError{Param: "WithEnvironment", Problem: "must be EnvironmentLive or EnvironmentTest"}
	}
	if c.source != nil {
		ring.next = func(ctx context.Context) (*credential, error) {
			key, err := c.source(ctx)
			if err != nil {
				return nil, fmt.Errorf("the key source failed: %w", err)
			}
			use, err := newCredential(key, c.environment)
			if err != nil {
				return nil, fmt.Errorf("the key of the key source %w", err)
			}
			return use, nil
		}
		return ring, nil
	}
	fixed, err := newCredential(c.key(), c.environment)
	if err != nil {
		return ring, &ParamError{Param: c.names.key, Problem: err.Error()}
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

func (k keyring) use(ctx context.Context) (*credential, error) {
	c, err := k.next(ctx)
	if err == nil && k.lastUsed() != c.keyInfo {
		info := c.keyInfo
		k.last.Store(&info)
	}
	return c, err
}

// newCredential judges a key. The error says what is wrong, after the name of what
// is judged.
func newCredential(key string, want Environment) (*credential, error) {
	const scheme = "Bearer "
	switch {
	case key == "":
		return nil, errors.New("is empty: give an API key made in the dashboard")
	case len(key) >= len(scheme) && strings.EqualFold(key[:len(scheme)], scheme):
		return nil, errors.New(`begins with "Bearer ", which the client adds: give the key alone`)
	case strings.ContainsFunc(key, func(r rune) bool { return unicode.IsSpace(r) || unicode.IsControl(r) }):
		return nil, errors.New("contains white space or control characters: it was probably copied with a line break")
	}
	environment := environmentOf(key)
	if want != "" && environment != want {
		return nil, fmt.Errorf("is not of the %s environment that WithEnvironment asks for", want)
	}
	return &credential{
		key:     key,
		rarest:  rarestIn(key),
		header:  []string{"Bearer " + key},
		keyInfo: keyInfo{sha256.Sum256([]byte(key)), environment},
	}, nil
}

// redacted names the key without showing it: its prefix, and the last four letters
// of one so long that enough remains unknown.
func (c *credential) redacted() string {
	const telling, shown = 24, 4
	end := ""
	if secret := strings.TrimPrefix(c.key, c.prefix()); len(secret) >= telling {
		end = secret[len(secret)-shown:]
	}
	switch {
	case c.prefix() != "":
		return "the key " + c.prefix() + "…" + end
	case end != "":
		return "the key …" + end + ", which begins with neither sk_live_ nor sk_test_"
	}
	return "the key, which begins with neither sk_live_ nor sk_test_"
}

func (c *credential) prefix() string {
	if c.environment == "" {
		return ""
	}
	return "sk_" + string(c.environment) + "_"
}

// shortestSecret keeps a key of a few letters, which no service hands out, from
// wiping these letters from every reply.
const shortestSecret = 6

const redacted = "[redacted]"

// scrub removes the key from what a reply or a transport may have echoed.
func (c credential) scrub(s string) string {
	if len(c.key) < shortestSecret {
		return s
	}
	return strings.ReplaceAll(s, c.key, redacted)
}

// scrubBytes is scrub for a body, which may also spell the key with JSON's
// escapes.
func (c credential) scrubBytes(b []byte) []byte {
	if len(c.key) < shortestSecret {
		return b
	}
	if c.in(b) {
		b = bytes.ReplaceAll(b, []byte(c.key), []byte(redacted))
	}
	if !c.escapedIn(b) {
		return b
	}
	var clean []byte
	kept := 0 // Up to here, b is in clean.
	for i := 0; i < len(b); i++ {
		if n := c.spelledBy(b[i:]); n > 0 {
			clean = append(append(clean, b[kept:i]...), redacted...)
			kept = i + n
			i = kept - 1
		} else if b[i] == '\\' {
			i++ // What is escaped begins no escape.
		}
	}
	if kept == 0 {
		return b
	}
	return append(clean, b[kept:]...)
}

// in tells whether b has the key, by looking for the rarest of its letters: the
// first ones are frequent, which makes looking for the whole slow.
func (c credential) in(b []byte) bool {
	for at := 0; ; at++ {
		i := bytes.IndexByte(b[at:], c.key[c.rarest])
		if i < 0 {
			return false
		}
		at += i
		if start := at - c.rarest; start >= 0 && bytes.HasPrefix(b[start:], []byte(c.key)) {
			return true
		}
	}
}

// rarestIn returns the place of the letter that is rarest in JSON of those in key.
func rarestIn(key string) (place int) {
	const frequent = "vwbfkgpmuh_dlcsrni-oate.9876543210"
	for i := range len(key) {
		if strings.IndexByte(frequent, key[i]) < strings.IndexByte(frequent, key[place]) {
			place = i
		}
	}
	return place
}

// escapedIn tells whether an escape in b stands for any letter of the key.
// Nearly no body has one, and this goes from escape to escape.
func (c credential) escapedIn(b []byte) bool {
	for {
		i := bytes.IndexByte(b, '\\')
		if i < 0 || len(b) < i+2 {
			return false
		}
		stands := b[i+1]
		if stands == 'u' && len(b) >= i+6 {
			code, err := strconv.ParseUint(string(b[i+2:i+6]), 16, 16)
			if err == nil && code <= 0xff && strings.IndexByte(c.key, byte(code)) >= 0 {
				return true
			}
		} else if (stands == '"' || stands == '\\' || stands == '/') && strings.IndexByte(c.key, stands) >= 0 {
			return true
		}
		b = b[i+2:]
	}
}

// spelledBy returns how many bytes of JSON text at the beginning of b spell the
// key, 0 when they do not.
func (c credential) spelledBy(b []byte) int {
	n := 0
	for i := range len(c.key) {
		switch rest := b[n:]; {
		case len(rest) > 0 && rest[0] == c.key[i] && rest[0] != '\\':
			n++
		case len(rest) > 1 && rest[0] == '\\' && rest[1] == c.key[i] && strings.IndexByte(`"\/`, rest[1]) >= 0:
			n += 2
		case len(rest) > 5 && string(rest[:4]) == `\u00` && strings.EqualFold(string(rest[4:6]), hex.EncodeToString([]byte{c.key[i]})):
			n += 6
		default:
			return 0
		}
	}
	return n
}
