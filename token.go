package hiring

import (
	"crypto/sha256"
	"encoding/base64"
	"errors"
)

// resumeToken is a position with the list that it belongs to.
type resumeToken struct {
	List []byte   `json:"l"`
	At   position `json:"a"`
}

// fingerprint tells lists and filters apart without naming them.
func (l *list[T]) fingerprint() []byte {
	r := l.request
	sum := sha256.Sum256([]byte(r.operation + "\n" + r.path + "\n" + r.query.Encode()))
	return sum[:12]
}

func (l *list[T]) token(at position) string {
	b, err := encode(resumeToken{l.fingerprint(), at})
	if err != nil {
		panic("hiring: a position cannot be encoded: " + err.Error()) // It holds numbers and valid text only.
	}
	return base64.RawURLEncoding.EncodeToString(b)
}

var errNoToken = errors.New("is not a resume token: pass a Page's Next unchanged")

func (l *list[T]) parseToken(token string) (position, error) {
	var t resumeToken
	b, err := base64.RawURLEncoding.DecodeString(token)
	if err == nil {
		err = decode(b, &t)
	}
	at := t.At
	switch {
	case err != nil || len(t.List) == 0:
		return position{}, errNoToken
	case string(t.List) != string(l.fingerprint()):
		return position{}, errors.New("is a resume token of another list or filter")
	case !at.possible(l.maxSize) || l.style != byReply && at.Style != l.style || at.Style == bySeq && l.seq == nil:
		return position{}, errNoToken
	}
	return at, nil
}

// maxPage is further than anybody reads in a year, and no number of items
// before such a page overflows.
const maxPage = 1 << 24

// possible tells whether a walk could have come there.
func (p position) possible(maxSize int) bool {
	return p.Style >= byReply && p.Style <= bySeq && p.Page >= 1 && p.Page <= maxPage && p.Seq >= noSeq &&
		p.Size >= min(1, maxSize) && p.Size <= maxSize
}
