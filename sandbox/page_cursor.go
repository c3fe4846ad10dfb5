package sandbox

import (
	"encoding/base64"
	"hash/fnv"
	"strconv"
	"strings"

	"github.com/hiring-assessment/hiring-go/sandbox/internal/world"
)

// A cursor is where a page ended: the place in the order, not the number, so
// that what comes or goes meanwhile moves nothing. With it goes a checksum, so
// that a made-up one can be refused.
func cursorOf(p world.Position) string {
	b := strconv.AppendInt(nil, int64(p.Created), 10)
	b = append(append(b, ' '), p.ID...)
	return base64.RawURLEncoding.EncodeToString(append(b, checksum(b)...))
}

func checksum(b []byte) []byte {
	h := fnv.New64a()
	_, _ = h.Write([]byte("submissions\n"))
	_, _ = h.Write(b)
	return h.Sum(nil)
}

const checksumSize = 8

func parseCursor(text string) (world.Position, bool) {
	b, err := base64.RawURLEncoding.Strict().DecodeString(text)
	if err != nil || len(b) < checksumSize {
		return world.Position{}, false
	}
	b, sum := b[:len(b)-checksumSize], b[len(b)-checksumSize:]
	if string(checksum(b)) != string(sum) {
		return world.Position{}, false
	}
	created, id, _ := strings.Cut(string(b), " ")
	at, err := strconv.ParseInt(created, 10, 64)
	return world.Position{Created: world.Moment(at), ID: id}, err == nil
}
