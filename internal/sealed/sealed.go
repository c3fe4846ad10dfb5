// Package sealed implements the text form of the module's saved states and resume tokens: a
// kind with the version of its format, a checksum and the state in JSON.
//
//	hiring-watch-5 5bb53739 {"account":"...","since":"2026-06-03T12:00:00Z"}
//
// A text of another kind, of another version or with any flipped bit is an error.
package sealed

import (
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"strings"
)

// Kind is a kind of state with the version of its format.
type Kind struct {
	Name    string
	Version int
}

// Reasons why a text is not a state of a kind.
var (
	// ErrKind is returned when the text is of another kind or another version.
	ErrKind = errors.New("is not the state of such a call, or is of another version")
	// ErrDamaged is returned when the text was changed or cut short.
	ErrDamaged = errors.New("is damaged")
)

func (k Kind) header(body []byte) []byte {
	return fmt.Appendf(nil, "hiring-%s-%d %08x ", k.Name, k.Version, crc32.ChecksumIEEE(body))
}

// Seal returns a state as text. It panics if the state cannot be encoded.
func (k Kind) Seal(state any) string {
	body, err := json.Marshal(state)
	if err != nil {
		panic("hiring: a state cannot be encoded: " + err.Error())
	}
	return string(append(k.header(body), body...))
}

// Open decodes a text that Seal returned into state.
func (k Kind) Open(text string, state any) error {
	kind, rest, _ := strings.Cut(text, " ")
	_, body, _ := strings.Cut(rest, " ")
	want := string(k.header([]byte(body)))
	switch {
	case kind != want[:strings.Index(want, " ")]:
		return ErrKind
	case text != want+body || json.Unmarshal([]byte(body), state) != nil:
		return ErrDamaged
	}
	return nil
}
