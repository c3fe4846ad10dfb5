package hiring

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/url"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/hiring-assessment/hiring-go/internal/quota"
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
	case strings.HasPrefix(key, livePrefix):
		return EnvironmentLive
	case strings.HasPrefix(key, testPrefix):
		return EnvironmentTest
	}
	return ""
}

// keyID identifies a key where the key itself must not be stored.
type keyID = quota.Key

// Prefixes of API keys.
const (
	livePrefix = "sk_live_"
	testPrefix = "sk_test_"
)

// secret is the text of an API key. It prints as [redacted].
type secret string

const redacted = "[redacted]"

// Format writes the same text for every verb of package fmt.
func (secret) Format(w fmt.State, _ rune) { _, _ = io.WriteString(w, redacted) }

// MarshalText returns the same text for JSON and slog.
func (secret) MarshalText() ([]byte, error) { return []byte(redacted), nil }

// minSecret is the smallest length of a key that is replaced in texts. A shorter one may be a word.
const minSecret = 6

// redact replaces the key in a text of a response or a peer: verbatim, URL-escaped and
// JSON-escaped.
func (k secret) redact(text string) string {
	if len(k) < minSecret {
		return text
	}
	key := string(k)
	text = strings.ReplaceAll(text, key, redacted)
	if inQuery := url.QueryEscape(key); inQuery != key { // A key of other characters than letters, digits, "_" and "-".
		inJSON, _ := json.Marshal(key)
		text = strings.NewReplacer(inQuery, redacted, url.PathEscape(key), redacted, string(inJSON[1:len(inJSON)-1]), redacted).Replace(text)
	}
	return text
}

// minSought is the smallest length of a key that is sought in requests. A shorter one may be a part of an id.
const minSought = 16

// misplacedIn returns the part of a request that holds the key, verbatim or escaped, or "".
func (k secret) misplacedIn(r *request) string {
	holds := func(text string) bool { return k.redact(text) != text }
	switch {
	case len(k) < minSought:
	case holds(r.path) || holds(r.rawPath):
		return "path"
	case holds(r.query.Encode()):
		return "query"
	}
	return ""
}

// clean returns err. If the key is in the text of err or of one of its causes, it returns an error
// without causes that has the text without the key.
func (k secret) clean(err error) error {
	if err == nil || !k.isIn(err) {
		return err
	}
	return errors.New(k.redact(err.Error()))
}

func (k secret) isIn(err error) bool {
	if text := err.Error(); k.redact(text) != text {
		return true
	}
	var causes []error
	switch err := err.(type) { //nolint:errorlint // The loop of errors.As would stop at the first match.
	case interface{ Unwrap() error }:
		causes = []error{err.Unwrap()}
	case interface{ Unwrap() []error }:
		causes = err.Unwrap()
	}
	return slices.ContainsFunc(causes, func(cause error) bool { return cause != nil && k.isIn(cause) })
}

// credential is a key that was checked, with its header. It is stored in a call or a closure and
// never in a field of a value that users get.
type credential struct {
	secret
	keyInfo

	header []string
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
				return nil, fmt.Errorf("the key source failed: %w", secret(key).clean(err))
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
	const scheme = "Bearer "
	switch {
	case key == "":
		return nil, errors.New("is empty: set an API key created in the dashboard")
	case len(key) >= len(scheme) && strings.EqualFold(key[:len(scheme)], scheme):
		return nil, errors.New(`begins with "Bearer ", which the client adds: pass only the key`)
	}
	for _, r := range key {
		if r < '!' || r > '~' || strings.ContainsRune("\"'`", r) {
			return nil, fmt.Errorf("contains %#U, which is part of no key: copy the key again, without quotes, spaces and line breaks", r)
		}
	}
	environment := environmentOf(key)
	if want != "" && environment != want {
		return nil, fmt.Errorf("must begin with sk_%[1]s_, because WithEnvironment requires the %[1]s environment", want)
	}
	return &credential{
		secret:  secret(key),
		keyInfo: keyInfo{sha256.Sum256([]byte(key)), environment},
		header:  []string{scheme + key},
	}, nil
}

// described names the key by its prefix, and by its last four characters if it is long.
func (c *credential) described() string {
	const minLength, shown = 24, 4
	key, prefix, end := string(c.secret), "", ""
	for _, known := range []string{livePrefix, testPrefix} {
		if rest, ok := strings.CutPrefix(key, known); ok {
			key, prefix = rest, known
		}
	}
	if len(key) >= minLength {
		end = key[len(key)-shown:]
	}
	if prefix == "" {
		return strings.TrimSuffix("the key …"+end, " …") + ", which begins with neither " + livePrefix + " nor " + testPrefix
	}
	return "the key " + prefix + "…" + end
}
