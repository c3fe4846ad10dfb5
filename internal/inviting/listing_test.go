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

// facts of an invitation that is a letter: the later in the alphabet, the newer.
func facts(letter *string) inviting.Facts {
	at := time.Unix(1e9, 0).Add(time.Duration((*letter)[0]) * time.Minute)
	return inviting.Facts{ID: *letter, Email: *letter + "@Example.com", Created: at}
}

// TestLookPrefersWhatHasAnID: with it, an invitation can be found again.
func TestLookPrefersWhatHasAnID(t *testing.T) {
	var l inviting.Listing[inviting.Facts]
	look := l.Begin(func(f *inviting.Facts) inviting.Facts { return *f }, func(string) string { return "" }, "", false, time.Unix(1e9, 0))
	look.Page([]inviting.Facts{{Email: "a@example.com"}, {ID: "newer", Email: "a@example.com"}, {ID: "older", Email: "a@example.com"}}, 0, true)
	look.End()
	assert.Equal(t, "newer", l.Known["a@example.com"].ID)
}

// TestLook looks at pages that are told as letters, each look after the one before.
// A page's number is how many items there are, as it says.
func TestLook(t *testing.T) {
	type look struct {
		wanted string
		whole  bool
		pages  string // Read until the look is over.
		reads  int    // Of them.
		enough bool
		moved  bool
	}
	for name, c := range map[string]struct {
		own   string // What is known without the listing.
		looks []look
		known string
	}{
		"all, the first time":                    {"", []look{{pages: "fe|dc|ba", reads: 3, enough: true}}, "abcdef"},
		"as far as it is new":                    {"", []look{{pages: "dc|ba", reads: 2, enough: true}, {pages: "fe|dc|ba", reads: 2, enough: true}}, "abcdef"},
		"nothing new":                            {"", []look{{pages: "dc|ba", reads: 2, enough: true}, {pages: "dc|ba", reads: 1, enough: true}}, "abcd"},
		"our own are no news":                    {"e", []look{{pages: "dc|ba", reads: 2, enough: true}, {pages: "ed|cb|a", reads: 1, enough: true}}, "abcde"},
		"others may have sent below our own":     {"ef", []look{{pages: "cb|a", reads: 2, enough: true}, {pages: "fe|dc|ba", reads: 3, enough: true}}, "abcdef"},
		"the wanted address":                     {"", []look{{wanted: "d", pages: "fe|dc|ba", reads: 2}}, "cdef"},
		"the wanted address, which is not there": {"", []look{{wanted: "x", pages: "fe|dc|ba", reads: 3, enough: true}}, "abcdef"},
		"a look that stopped early is no limit":  {"", []look{{wanted: "d", pages: "fe|dc|ba", reads: 2}, {pages: "fe|dc|ba", reads: 3, enough: true}}, "abcdef"},
		"whole, because it is asked for":         {"", []look{{pages: "dc|ba", reads: 2, enough: true}, {whole: true, pages: "dc|ba", reads: 2, enough: true}}, "abcd"},
		"whole, because it is not in order":      {"", []look{{pages: "ab|cd", reads: 2, enough: true}, {pages: "ab|cd|ef", reads: 3, enough: true}}, "abcdef"},
		"whole, because it has shrunk":           {"", []look{{pages: "dc4|ba4", reads: 2, enough: true}, {pages: "dc3|b3", reads: 2, enough: true}}, "abcd"},
		"items left meanwhile":                   {"", []look{{pages: "fe6|ba5", reads: 2, moved: true}}, "abef"},
		"items left unnoticed until the end":     {"", []look{{pages: "fe6|ba6", reads: 2, moved: true}}, "abef"},
		"items came meanwhile":                   {"", []look{{pages: "dc4|cb5|a5", reads: 3, enough: true}}, "abcd"},
		"as many as before":                      {"", []look{{pages: "dc4|ba4", reads: 2, enough: true}, {pages: "dc4|ba4", reads: 1, enough: true}}, "abcd"},
		"how many is not said any more":          {"", []look{{pages: "dc4|ba4", reads: 2, enough: true}, {pages: "dc|ba", reads: 1, enough: true}}, "abcd"},
		"how many is said once":                  {"", []look{{pages: "dc4|ba", reads: 2, enough: true}}, "abcd"},
		"one left, though as many were seen":     {"", []look{{pages: "fe6|dc5|ba5", reads: 3, moved: true}}, "abcdef"},
		"items came and left meanwhile":          {"", []look{{pages: "dc5|cb5|a5", reads: 3, moved: true}}, "abcd"},
		"what is new below what is old is news":  {"", []look{{pages: "dc|ba", reads: 2, enough: true}, {pages: "dcX|ba", reads: 2, enough: true}}, "abcdx"},
		"an empty listing":                       {"", []look{{pages: "", reads: 1, enough: true}}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			var l inviting.Listing[string]
			own := func(address string) string {
				if letter := address[:1]; strings.Contains(c.own, letter) {
					return letter
				}
				return ""
			}
			for n, try := range c.looks {
				wanted := ""
				if try.wanted != "" {
					wanted = try.wanted + "@example.com"
				}
				began := time.Unix(1e9, 0).Add(time.Duration(n+1) * time.Hour)
				look, reads := l.Begin(facts, own, wanted, try.whole, began), 0
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
					if look.Page(items, total, i == len(pages)-1) {
						break
					}
				}
				look.End()
				assert.Equal(t, try.reads, reads, "look %d", n)
				assert.Equal(t, try.enough, look.Enough, "look %d", n)
				assert.Equal(t, try.moved, look.Moved, "look %d", n)
				assert.Equal(t, try.enough, l.Looked.Equal(began), "look %d", n)
			}
			known := ""
			for _, address := range slices.Sorted(maps.Keys(l.Known)) {
				known += address[:1]
			}
			assert.Equal(t, c.known, known)
		})
	}
}
