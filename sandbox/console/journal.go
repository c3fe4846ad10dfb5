package console

import (
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/hiring-assessment/hiring-go/sandbox"
	"github.com/hiring-assessment/hiring-go/sandbox/internal/server"
)

// rows is the number of exchanges on a page of the journal.
const rows = 50

type journalPage struct {
	Now     time.Time
	Base    string // Base URL for clients.
	Filter  filter
	Entries []sandbox.Entry
	Older   string // URL of older entries; empty at the end.
	Live    string // The URL of new entries; empty on older pages.
	Diagram diagram
	Gauges  []server.KeyInfo
	More    int // Keys with requests that are not in Gauges.
	Keys    []server.KeyInfo
}

// gauges is the number of keys whose rate limits the journal shows.
const gauges = 4

func (c *console) journal(r *http.Request) (page, error) {
	query := r.URL.Query()
	f, before := filterOf(query), number(query.Get("before"))
	entries, more := c.server.Page(before, rows, f.passes)
	p := journalPage{Now: c.server.Conditions().Now, Base: baseURL(r), Filter: f, Entries: entries, Diagram: c.diagram(f),
		Keys: c.server.Keys()}
	p.Gauges = slices.DeleteFunc(slices.Clone(p.Keys), func(k server.KeyInfo) bool { return !k.Read.Opened && !k.Write.Opened })
	p.More = max(len(p.Gauges)-gauges, 0)
	if p.More > 0 {
		p.Gauges = p.Gauges[:gauges]
	}
	if more {
		p.Older = home + "?" + f.query("before", strconv.Itoa(entries[len(entries)-1].Detail.Number))
	}
	if before == 0 {
		p.Live = root + "/live/journal?" + f.query()
	}
	return page{Template: "journal", Data: p}, nil
}

func baseURL(r *http.Request) string {
	if r.TLS != nil {
		return "https://" + r.Host
	}
	return "http://" + r.Host
}

func number(text string) int {
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

// Any reports whether the filter excludes any exchange.
func (f filter) Any() bool { return f != filter{} }

func (f filter) query(more ...string) string {
	values := make(url.Values)
	for name, value := range map[string]string{"method": f.Method, "status": f.Status, "key": f.Key, "text": f.Text, "only": f.Only} {
		if value != "" {
			values.Set(name, value)
		}
	}
	for i := 0; i+1 < len(more); i += 2 {
		values.Set(more[i], more[i+1])
	}
	return values.Encode()
}

func (f filter) passes(e sandbox.Entry) bool {
	return (f.Method == "" || e.Method == f.Method) && (f.Key == "" || e.Key == f.Key) && f.passesStatus(e) && f.passesOnly(e.Detail) &&
		(f.Text == "" || strings.Contains(e.Path, f.Text) || strings.Contains(e.Query, f.Text) || strings.Contains(string(e.Body), f.Text) ||
			e.Detail.RequestID == f.Text)
}

func (f filter) passesStatus(e sandbox.Entry) bool {
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

func (f filter) passesOnly(d *sandbox.Detail) bool {
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
