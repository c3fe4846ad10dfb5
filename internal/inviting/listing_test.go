package inviting_test

import (
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/hiring-assessment/hiring-go/internal/inviting"
)

// facts returns the facts of an invitation that is a letter. Later letters are newer.
func facts(letter *string) inviting.Facts {
	at := time.Unix(1e9, 0).Add(time.Duration((*letter)[0]) * time.Minute)
	return inviting.Facts{ID: *letter, Email: *letter + "@Example.com", Created: at}
}

func TestScanPrefersAnInvitationWithAnID(t *testing.T) {
	var l inviting.Listing[inviting.Facts]
	scan := l.Scan(func(f *inviting.Facts) inviting.Facts { return *f }, func(string) string { return "" }, "", false, time.Unix(1e9, 0))
	scan.Page([]inviting.Facts{{Email: "a@example.com"}, {ID: "newer", Email: "a@example.com"}, {ID: "older", Email: "a@example.com"}}, 0, true)
	scan.End()
	assert.Equal(t, "newer", l.Known["a@example.com"].ID)
}

// TestScan scans a listing several times. A letter is an item, "|" separates pages, and the
// digit after a page is the total that it states.
func TestScan(t *testing.T) {
	type scan struct {
		wanted       string
		whole        bool
		pages        string
		reads        int // Pages that were read.
		caughtUp     bool
		inconclusive bool
	}
	for name, c := range map[string]struct {
		sent  string // By this client.
		scans []scan
		known string
	}{
		"all, the first time":                           {"", []scan{{pages: "fe|dc|ba", reads: 3, caughtUp: true}}, "abcdef"},
		"to the first page with nothing new":            {"", []scan{{pages: "dc|ba", reads: 2, caughtUp: true}, {pages: "fe|dc|ba", reads: 2, caughtUp: true}}, "abcdef"},
		"nothing new":                                   {"", []scan{{pages: "dc|ba", reads: 2, caughtUp: true}, {pages: "dc|ba", reads: 1, caughtUp: true}}, "abcd"},
		"sent by this client, so not new":               {"e", []scan{{pages: "dc|ba", reads: 2, caughtUp: true}, {pages: "ed|cb|a", reads: 1, caughtUp: true}}, "abcde"},
		"sent by others before this client's":           {"ef", []scan{{pages: "cb|a", reads: 2, caughtUp: true}, {pages: "fe|dc|ba", reads: 3, caughtUp: true}}, "abcdef"},
		"the wanted address":                            {"", []scan{{wanted: "d", pages: "fe|dc|ba", reads: 2}}, "cdef"},
		"the wanted address is not listed":              {"", []scan{{wanted: "x", pages: "fe|dc|ba", reads: 3, caughtUp: true}}, "abcdef"},
		"after a scan that ended at the wanted address": {"", []scan{{wanted: "d", pages: "fe|dc|ba", reads: 2}, {pages: "fe|dc|ba", reads: 3, caughtUp: true}}, "abcdef"},
		"whole, as requested":                           {"", []scan{{pages: "dc|ba", reads: 2, caughtUp: true}, {whole: true, pages: "dc|ba", reads: 2, caughtUp: true}}, "abcd"},
		"whole, because the listing is not in order":    {"", []scan{{pages: "ab|cd", reads: 2, caughtUp: true}, {pages: "ab|cd|ef", reads: 3, caughtUp: true}}, "abcdef"},
		"whole, because the listing has shrunk":         {"", []scan{{pages: "dc4|ba4", reads: 2, caughtUp: true}, {pages: "dc3|b3", reads: 2, caughtUp: true}}, "abcd"},
		"items left, which a total shows":               {"", []scan{{pages: "fe6|ba5", reads: 2, inconclusive: true}}, "abef"},
		"items left, which their number shows":          {"", []scan{{pages: "fe6|ba6", reads: 2, inconclusive: true}}, "abef"},
		"items were added":                              {"", []scan{{pages: "dc4|cb5|a5", reads: 3, caughtUp: true}}, "abcd"},
		"the total is the same":                         {"", []scan{{pages: "dc4|ba4", reads: 2, caughtUp: true}, {pages: "dc4|ba4", reads: 1, caughtUp: true}}, "abcd"},
		"no total in the second scan":                   {"", []scan{{pages: "dc4|ba4", reads: 2, caughtUp: true}, {pages: "dc|ba", reads: 1, caughtUp: true}}, "abcd"},
		"a total on one page":                           {"", []scan{{pages: "dc4|ba", reads: 2, caughtUp: true}}, "abcd"},
		"an item left after it was read":                {"", []scan{{pages: "fe6|dc5|ba5", reads: 3, inconclusive: true}}, "abcdef"},
		"items were added and left":                     {"", []scan{{pages: "dc5|cb5|a5", reads: 3, inconclusive: true}}, "abcd"},
		"a new item after a listed one":                 {"", []scan{{pages: "dc|ba", reads: 2, caughtUp: true}, {pages: "dcX|ba", reads: 2, caughtUp: true}}, "abcdx"},
		"an empty listing":                              {"", []scan{{pages: "", reads: 1, caughtUp: true}}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			var l inviting.Listing[string]
			sentID := func(address string) string {
				if letter := address[:1]; strings.Contains(c.sent, letter) {
					return letter
				}
				return ""
			}
			for n, try := range c.scans {
				wanted := ""
				if try.wanted != "" {
					wanted = try.wanted + "@example.com"
				}
				began := time.Unix(1e9, 0).Add(time.Duration(n+1) * time.Hour)
				scan, reads := l.Scan(facts, sentID, wanted, try.whole, began), 0
				pages := strings.Split(try.pages, "|")
				for i, page := range pages {
					letters := strings.TrimRight(page, "0123456789")
					total := 0
					if letters != page {
						total = int(page[len(page)-1] - '0')
					}
					reads++
					var items []string
					if letters != "" {
						items = strings.Split(letters, "")
					}
					if scan.Page(items, total, i == len(pages)-1) {
						break
					}
				}
				scan.End()
				assert.Equal(t, try.reads, reads, "scan %d", n)
				assert.Equal(t, try.caughtUp, scan.CaughtUp, "scan %d", n)
				assert.Equal(t, try.inconclusive, scan.Inconclusive, "scan %d", n)
				assert.Equal(t, try.caughtUp, l.ScannedAt.Equal(began), "scan %d", n)
			}
			known := ""
			for _, address := range slices.Sorted(maps.Keys(l.Known)) {
				known += address[:1]
			}
			assert.Equal(t, c.known, known)
		})
	}
}
