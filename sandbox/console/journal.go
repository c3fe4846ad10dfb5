package console

import (
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/hiring-assessment/hiring-go/sandbox"
	"github.com/hiring-assessment/hiring-go/sandbox/internal/oldpage"
)

// journalPageSize is the number of exchanges on a page of the journal.
const journalPageSize = 50

type journalPage struct {
	Now       time.Time
	BaseURL   string // Base URL for clients.
	Filter    filter
	Entries   []sandbox.Entry
	OlderURL  string // URL of older entries; empty at the end.
	LiveURL   string // URL of live updates; empty on pages of older entries.
	Diagram   diagram
	Gauges    []oldpage.KeyInfo
	OtherKeys int // Keys with requests that are not in Gauges.
	Keys      []oldpage.KeyInfo
}

// maxGauges is the number of keys whose rate limits the journal shows.
const maxGauges = 4

func (c *console) journal(r *http.Request) (page, error) {
	query := r.URL.Query()
	f, before := filterOf(query), parseNumber(query.Get("before"))
	entries, more := c.server.JournalPage(before, journalPageSize, f.matches)
	p := journalPage{Now: c.server.Conditions().Now, BaseURL: baseURL(r), Filter: f, Entries: entries, Diagram: c.diagram(f),
		Keys: c.server.Keys()}
	p.Gauges = slices.DeleteFunc(slices.Clone(p.Keys), func(k oldpage.KeyInfo) bool { return !k.Read.Opened && !k.Write.Opened })
	p.OtherKeys = max(len(p.Gauges)-maxGauges, 0)
	p.Gauges = p.Gauges[:len(p.Gauges)-p.OtherKeys]
	if more {
		p.OlderURL = homePath + "?" + f.query("before", strconv.Itoa(entries[len(entries)-1].Detail.Number))
	}
	if before == 0 {
		p.LiveURL = consolePath + "/live/journal?" + f.query()
	}
	return page{Template: "journal", Data: p}, nil
}

func (c *console) clearJournal(*http.Request) (string, error) {
	c.server.ClearJournal()
	return homePath + "?done=journal", nil
}

// baseURL returns the base URL by which a request reached the server.
func baseURL(r *http.Request) string {
	if r.TLS != nil {
		return "https://" + r.Host
	}
	return "http://" + r.Host
}

// parseNumber parses a number from 0. It returns 0 for any other text.
func parseNumber(text string) int {
	n, err := strconv.Atoi(text)
	if err != nil {
		return 0
	}
	return min(max(n, 0), 1_000_000_000) // So that a page number cannot overflow.
}

// filter selects exchanges. An empty field selects all.
type filter struct {
	Method, Status, Key, Text, Only string
}

func filterOf(query url.Values) filter {
	return filter{query.Get("method"), query.Get("status"), query.Get("key"), query.Get("text"), query.Get("only")}
}

// Any reports whether any field of the filter is set.
func (f filter) Any() bool { return f != filter{} }

// query returns the filter as a query, with further names and values.
func (f filter) query(more ...string) string {
	return encodeQuery(append(more, "method", f.Method, "status", f.Status, "key", f.Key, "text", f.Text, "only", f.Only)...)
}

// matches reports whether the filter selects an exchange.
func (f filter) matches(e sandbox.Entry) bool {
	return (f.Method == "" || e.Method == f.Method) && (f.Key == "" || e.Key == f.Key) && f.matchesStatus(e) && f.matchesOnly(e.Detail) &&
		(f.Text == "" || strings.Contains(e.Path, f.Text) || strings.Contains(e.Query, f.Text) || strings.Contains(string(e.Body), f.Text) ||
			e.Detail.RequestID == f.Text)
}

func (f filter) matchesStatus(e sandbox.Entry) bool {
	switch f.Status {
	case "":
		return true
	case "none":
		return e.Status == 0
	case "2xx", "3xx", "4xx", "5xx":
		return e.Status/100 == int(f.Status[0]-'0')
	}
	return strconv.Itoa(e.Status) == f.Status
}

func (f filter) matchesOnly(d *sandbox.Detail) bool {
	switch f.Only {
	case "repeated":
		return d.Repeats > 0
	case "fault":
		return d.Fault != nil
	case "throttled":
		return d.Throttled
	}
	return true
}
