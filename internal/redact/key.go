package redact

import (
	"errors"
	"strings"
	"unicode"
)

// Prefixes of API keys.
const (
	LivePrefix = "sk_live_"
	TestPrefix = "sk_test_"
)

// CheckKey returns an error if key is not a valid API key. The error's text continues a
// sentence that begins with the name of the key's source.
func CheckKey(key string) error {
	const scheme = "Bearer "
	switch {
	case key == "":
		return errors.New("is empty: set an API key created in the dashboard")
	case len(key) >= len(scheme) && strings.EqualFold(key[:len(scheme)], scheme):
		return errors.New(`begins with "Bearer ", which the client adds: pass only the key`)
	case strings.ContainsFunc(key, func(r rune) bool { return unicode.IsSpace(r) || unicode.IsControl(r) }):
		return errors.New("contains white space or control characters: it was probably copied with a line break")
	}
	return nil
}

// Redact describes a key without revealing it: by its prefix, and by its last four letters
// if the key is long.
func Redact(key string) string {
	const minLength, shown = 24, 4
	own, end := withoutPrefix(key), ""
	if len(own) >= minLength {
		end = own[len(own)-shown:]
	}
	switch {
	case own != key:
		return "the key " + strings.TrimSuffix(key, own) + "…" + end
	case end != "":
		return "the key …" + end + ", which begins with neither " + LivePrefix + " nor " + TestPrefix
	}
	return "the key, which begins with neither " + LivePrefix + " nor " + TestPrefix
}
