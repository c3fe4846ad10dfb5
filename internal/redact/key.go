package redact

import (
	"errors"
	"strings"
	"unicode"
)

// What the service begins a key with.
const (
	LivePrefix = "sk_live_"
	TestPrefix = "sk_test_"
)

// Judge says what is wrong with a key, after the name of what is judged.
func Judge(key string) error {
	const scheme = "Bearer "
	switch {
	case key == "":
		return errors.New("is empty: give an API key made in the dashboard")
	case len(key) >= len(scheme) && strings.EqualFold(key[:len(scheme)], scheme):
		return errors.New(`begins with "Bearer ", which the client adds: give the key alone`)
	case strings.ContainsFunc(key, func(r rune) bool { return unicode.IsSpace(r) || unicode.IsControl(r) }):
		return errors.New("contains white space or control characters: it was probably copied with a line break")
	}
	return nil
}

// Redact names a key without showing it: its prefix, and the last four letters of
// one so long that enough remains unknown.
func Redact(key string) string {
	const telling, shown = 24, 4
	own, end := withoutPrefix(key), ""
	if len(own) >= telling {
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
