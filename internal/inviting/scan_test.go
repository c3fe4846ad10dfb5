package inviting_test

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/hiring-assessment/hiring-go/internal/inviting"
)

// item returns the item that a letter names. Later letters are newer.
func item(letter string) inviting.Item {
	at := time.Unix(1e9, 0).Add(time.Duration(letter[0]) * time.Minute)
	return inviting.Item{ID: letter, Address: letter + "@example.com", Created: at}
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
	}{
		"all, the first time":                           {"", []scan{{pages: "fe|dc|ba", reads: 3, caughtUp: true}}},
		"to the first page with nothing new":            {"", []scan{{pages: "dc|ba", reads: 2, caughtUp: true}, {pages: "fe|dc|ba", reads: 2, caughtUp: true}}},
		"nothing new":                                   {"", []scan{{pages: "dc|ba", reads: 2, caughtUp: true}, {pages: "dc|ba", reads: 1, caughtUp: true}}},
		"sent by this client, so not new":               {"e", []scan{{pages: "dc|ba", reads: 2, caughtUp: true}, {pages: "ed|cb|a", reads: 1, caughtUp: true}}},
		"sent by others before this client's":           {"ef", []scan{{pages: "cb|a", reads: 2, caughtUp: true}, {pages: "fe|dc|ba", reads: 3, caughtUp: true}}},
		"the wanted address":                            {"", []scan{{wanted: "d", pages: "fe|dc|ba", reads: 2}}},
		"the wanted address is not listed":              {"", []scan{{wanted: "x", pages: "fe|dc|ba", reads: 3, caughtUp: true}}},
		"after a scan that ended at the wanted address": {"", []scan{{wanted: "d", pages: "fe|dc|ba", reads: 2}, {pages: "fe|dc|ba", reads: 3, caughtUp: true}}},
		"whole, as requested":                           {"", []scan{{pages: "dc|ba", reads: 2, caughtUp: true}, {whole: true, pages: "dc|ba", reads: 2, caughtUp: true}}},
		"whole, because the listing is not in order":    {"", []scan{{pages: "ab|cd", reads: 2, caughtUp: true}, {pages: "ab|cd|ef", reads: 3, caughtUp: true}}},
		"whole, because the listing has shrunk":         {"", []scan{{pages: "dc4|ba4", reads: 2, caughtUp: true}, {pages: "dc3|b3", reads: 2, caughtUp: true}}},
		"items left, which a total shows":               {"", []scan{{pages: "fe6|ba5", reads: 2, inconclusive: true}}},
		"items left, which their number shows":          {"", []scan{{pages: "fe6|ba6", reads: 2, inconclusive: true}}},
		"items were added":                              {"", []scan{{pages: "dc4|cb5|a5", reads: 3, caughtUp: true}}},
		"the total is the same":                         {"", []scan{{pages: "dc4|ba4", reads: 2, caughtUp: true}, {pages: "dc4|ba4", reads: 1, caughtUp: true}}},
		"no total in the second scan":                   {"", []scan{{pages: "dc4|ba4", reads: 2, caughtUp: true}, {pages: "dc|ba", reads: 1, caughtUp: true}}},
		"a total on one page":                           {"", []scan{{pages: "dc4|ba", reads: 2, caughtUp: true}}},
		"an item left after it was read":                {"", []scan{{pages: "fe6|dc5|ba5", reads: 3, inconclusive: true}}},
		"items were added and left":                     {"", []scan{{pages: "dc5|cb5|a5", reads: 3, inconclusive: true}}},
		"a new item after a listed one":                 {"", []scan{{pages: "dc|ba", reads: 2, caughtUp: true}, {pages: "dcX|ba", reads: 2, caughtUp: true}}},
		"an empty listing":                              {"", []scan{{pages: "", reads: 1, caughtUp: true}}},
	} {
		t.Run(name, func(t *testing.T) {
			var scans inviting.Scans
			known := c.sent
			knownID := func(address string) string {
				if letter := address[:1]; strings.Contains(known, letter) {
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
				scan, reads, shown := scans.Begin(knownID, wanted, try.whole, began), 0, ""
				pages := strings.Split(try.pages, "|")
				for i, page := range pages {
					letters := strings.TrimRight(page, "0123456789")
					total := 0
					if letters != page {
						total = int(page[len(page)-1] - '0')
					}
					reads++
					shown += letters
					var items []inviting.Item
					for _, letter := range letters {
						items = append(items, item(string(letter)))
					}
					if scan.Page(items, total, i == len(pages)-1) {
						break
					}
				}
				assert.Equal(t, !try.inconclusive, scan.End(), "scan %d", n)
				known += shown
				assert.Equal(t, try.reads, reads, "scan %d", n)
				assert.Equal(t, try.caughtUp, scans.LatestAt.Equal(began), "scan %d", n)
				assert.Equal(t, try.caughtUp && reads == len(pages), scans.WholeAt.Equal(began), "scan %d", n)
			}
		})
	}
}
