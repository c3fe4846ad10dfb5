package doctor

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"reflect"
	"strconv"

	hiring "github.com/hiring-assessment/hiring-go"
)

// listing is what the first two pages of a list show, read in one iteration as commands do.
type listing struct {
	first, second reply // The second is zero when the list has one page.
	items         int   // On the first page.
	meta          hiring.Meta
	more          bool // Another page follows.
	size          int  // The requested page size.

	client  *hiring.Client
	dialect hiring.Dialect // Of the examination at that time.
}

// readTwo reads the first two pages of a list, and returns the items of the first.
func readTwo[T any](ctx context.Context, e *examination, pager hiring.Pager[T], size int) ([]T, listing) {
	l := listing{dialect: e.dialect, size: size}
	if size > 0 {
		pager = pager.PageSize(size)
	}
	next, stop := iter.Pull2(pager.Pages(ctx))
	defer stop()
	var page hiring.Page[T]
	read := func() (err error) {
		page, err, _ = next()
		return err
	}
	l.first = e.read(ctx, read)
	items := page.Items
	l.items, l.meta, l.more = len(items), page.Meta, page.Next != ""
	if l.more {
		l.second = e.read(ctx, read)
		l.second.label = l.first.label // Also when the client finds that it cannot request the page.
	}
	return items, l
}

// pages describes a list: the row of its items, and the fields of Dialect that its pages
// need. A field is empty when the list has no such parameter.
type pages struct {
	resource   string
	route      string // Empty for a documented route.
	page, size string
	most       int    // The documented page size, which commands request.
	path       string // For searches, with ids; empty with a route.

	of   any                                      // An item.
	read func(c *hiring.Client, size int) listing // Reads the first two pages.
}

// readPages examines a list, and returns the items of the longest page that was read.
func readPages[T any](ctx context.Context, e *examination, p pages, list func(*hiring.Client) hiring.Pager[T]) ([]T, listing) {
	var longest []T
	p.of = *new(T)
	p.read = func(c *hiring.Client, size int) listing {
		items, l := readTwo(ctx, e, list(c), size)
		if l.client = c; len(items) > len(longest) {
			longest = items
		}
		return l
	}
	l := e.examine(ctx, p)
	return longest, l
}

// examine reads a list, finds its route and the names of its parameters, and checks its
// items. A server that rejects the usual page size is asked for ten items.
func (e *examination) examine(ctx context.Context, p pages) (l listing) {
	fetch := func(c *hiring.Client) reply {
		l = p.read(c, p.most)
		return l.first
	}
	if p.route == "" {
		fetch(e.client)
	} else {
		e.settleRoute(p.route, p.of, fetch)
		p.path = e.path(p.route)
	}
	switch {
	case p.size != "" && l.first.blames(p.size):
		e.settleParameter(ctx, p, p.size, "", listing.sizeResult, l)
		fetch(e.client)
	case p.size != "" && errors.Is(l.first.err, hiring.ErrInvalidInput):
		rejected := fmt.Sprintf("%s, with a page size of %d", l.first.summary(), p.most)
		if l = p.read(e.client, 10); l.first.ok() {
			e.set("page sizes", wrong("less than assumed", rejected, "set a smaller PageSize; commands that list fail"))
		}
	}
	e.check(p.resource, p.of, l.first)
	if number := metaOf(l.first).Page; number != nil && *number == 0 {
		e.set("list shape", wrong("pages from 0", l.first.summary(),
			"commands that list fail: pages are documented to begin with 1; report it to the API's support"))
		return l
	}
	smaller := l
	if p.size != "" { // A size above the maximum is rejected by name, as documented.
		smaller = e.settleParameter(ctx, p, p.size, strconv.Itoa(p.most+1), listing.sizeResult, l)
	}
	switch p.page {
	case "":
	case "CursorParam":
		e.settleParameter(ctx, p, p.page, "hiring-doctor", listing.pageResult, l, smaller)
	default:
		e.settleParameter(ctx, p, p.page, "", listing.pageResult, l, smaller)
	}
	for _, second := range []reply{l.second, smaller.second} {
		if second.err != nil || second.ok() {
			e.check(p.resource, p.of, second)
		}
	}
	e.checkShape(p, l)
	return l
}

// settleRoute finds an assumed route. A response at a route that is neither assumed nor
// documented must have all members of the resource.
func (e *examination) settleRoute(name string, of any, call func(*hiring.Client) reply, more ...string) {
	probe := func(strict bool) func(*hiring.Client) result {
		return func(c *hiring.Client) result {
			switch r := call(c); {
			case r.blames(name) || strict && r.ok() && lacks(r, of):
				return result{Wrong, r.summary()}
			case r.ok():
				return result{Holds, r.summary()}
			default:
				return result{Undecided, r.summary()}
			}
		}
	}
	e.settle(name, e.known(name), probe(false))
	if e.disprovedAll(name) {
		e.settle(name, unique(append(more, usualNames[name]...)), probe(of != nil))
	}
}

// settleParameter finds the name of a parameter of a list, with what was read before where
// that shows it. Otherwise it reads the list again in smaller pages, and returns what was
// read last. A short list does not show the name: a search for the invalid value does.
func (e *examination) settleParameter(
	ctx context.Context, p pages, name, invalid string, judge func(listing, string) result, before ...listing,
) (last listing) {
	l := before[0]
	last = before[len(before)-1]
	if e.settled(name) {
		return last
	}
	probe := func(c *hiring.Client) result {
		for _, known := range before {
			if r := judge(known, name); known.client == c && (r.Verdict == Holds || known.first.blames(name)) {
				return r
			}
		}
		if !l.first.blames(name) && (!l.first.ok() || l.items < 2) {
			return l.undecided()
		}
		last = p.read(c, max(1, min(3, l.items-1)))
		return judge(last, name)
	}
	e.settle(name, e.known(name), probe)
	switch {
	case e.disprovedAll(name) && name != "CursorParam":
		e.settleBySearch(ctx, name, p.path, "", probe)
	case e.disprovedAll(name), e.searchable(name) && l.first.ok():
		e.settleBySearch(ctx, name, p.path, invalid, probe)
	}
	return last
}

// searchable reports whether a search can decide a field that no document does.
func (e *examination) searchable(name string) bool {
	return !e.settled(name) && len(e.fields[name].documented) == 0 && len(e.fields[name].disproved) == 0
}

// undecided is the result of a list that shows nothing.
func (l listing) undecided() result {
	if !l.first.ok() {
		return result{Undecided, l.first.summary()}
	}
	return result{Undecided, l.first.label + ": the list is too short to show it"}
}

// sizeResult is what a listing shows about the name of the page size.
func (l listing) sizeResult(field string) result {
	warning := l.first.warning("Dialect." + field)
	switch {
	case l.first.blames(field):
		return result{Wrong, l.first.summary()}
	case !l.first.ok():
		return l.undecided()
	case warning != "":
		return result{Wrong, l.first.label + ": " + warning}
	case l.meta.PageSize == l.size || l.items == l.size && l.more:
		return result{Holds, fmt.Sprintf("%s: pages of %d items", l.first.label, l.size)}
	}
	return l.undecided()
}

// pageResult is what a listing shows about the name of the page number or the cursor.
func (l listing) pageResult(field string) result {
	switch {
	case l.first.blames(field):
		return result{Wrong, l.first.summary()}
	case l.second.blames(field):
		return result{Wrong, l.second.summary()}
	case l.second.ok():
		return result{Holds, l.second.label + ": the second page has other items"}
	case l.more:
		return result{Undecided, l.second.summary()}
	}
	return l.undecided()
}

// meta is what a response says about itself, beside what the client returns.
type meta struct {
	RequestID string `json:"request_id"`
	Page      *int   `json:"page"`
}

func metaOf(r reply) meta {
	var envelope struct {
		Meta meta `json:"meta"`
	}
	_ = json.Unmarshal(r.Body, &envelope) // Members that decode are kept when others do not.
	return envelope.Meta
}

// checkShape records what a list shows about the shape of lists and about page sizes.
func (e *examination) checkShape(p pages, l listing) {
	if !l.first.ok() {
		return
	}
	if p.size == "" {
		return
	}
	if e.found["list shape"].Verdict == "" {
		e.set("list shape", ok("as assumed", "the lists that were read"))
	}
	sent := reflect.ValueOf(l.dialect).FieldByName(p.size).String() // The name may have been wrong.
	if warning := l.first.warning("Dialect." + p.size); warning != "" && e.settled(p.size) && sent == e.value(p.size) {
		e.set("page sizes", wrong("another size", l.first.label+": "+warning, "none: lists are complete and cost more requests"))
	}
	if e.found["page sizes"].Verdict == "" && e.settled(p.size) {
		e.set("page sizes", ok("as requested", "the lists that were read"))
	}
}

// set sets the finding of a row. A row that is wrong stays wrong.
func (e *examination) set(name string, f Finding) {
	if e.found[name].Verdict != Wrong {
		e.found[name] = f
	}
}
