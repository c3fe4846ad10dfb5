package paging

import (
	"crypto/sha256"
	"encoding/base64"
	"errors"

	"github.com/hiring-assessment/hiring-go/internal/sealed"
)

// token is a position with the list that it belongs to.
type token struct {
	List []byte // The fingerprint.
	At   Position
}

var tokenKind = sealed.Kind{Name: "list", Version: 1}

// fingerprint identifies a list and its filters without naming them.
func fingerprint(list string) []byte {
	sum := sha256.Sum256([]byte(list))
	return sum[:12]
}

// Token returns the resume token of a position in a list. The name identifies the list
// and its filters.
func Token(list string, at Position) string {
	return base64.RawURLEncoding.EncodeToString([]byte(tokenKind.Seal(token{fingerprint(list), at})))
}

var errNoToken = errors.New("is not a resume token: pass a Page's Next unchanged")

// Resume returns the position of a token of the list with this name.
func (l List) Resume(list, text string) (Position, error) {
	var t token
	b, err := base64.RawURLEncoding.Strict().DecodeString(text)
	switch {
	case err != nil || tokenKind.Open(string(b), &t) != nil:
		return Position{}, errNoToken
	case string(t.List) != string(fingerprint(list)):
		return Position{}, errors.New("is a resume token of another list or filter")
	case !l.holds(t.At):
		return Position{}, errNoToken
	}
	return t.At, nil
}

// MaxPage is more than a client reads in a year. The number of items before such a page
// does not overflow.
const MaxPage = 1 << 24

// holds reports whether an iteration could have reached a position.
func (l List) holds(p Position) bool {
	return (l.Style == ByMeta || p.Style == l.Style) && (p.Style != BySeq || l.Style == BySeq) &&
		p.Style >= ByMeta && p.Style <= BySeq && p.Page >= 1 && p.Page <= MaxPage && p.Seq >= NoSeq &&
		p.Size >= min(1, l.MaxSize) && p.Size <= l.MaxSize
}
