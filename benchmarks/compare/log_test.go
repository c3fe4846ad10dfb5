package compare

import (
	"bytes"
	"context"
	"fmt"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"sync"
)

const (
	pageOfEvents = 500
	beforeFirst  = 1_000_000 // The seq before a long log's first, so that all have seven digits.
)

// longLog is a transport that answers with the pages of a log of any length. A
// page is what the sandbox gave for one, with the numbers of its place.
type longLog struct {
	page    page
	events  int64    // A whole number of pages.
	written [][]byte // The pages, if they are written in advance so that writing is not measured.

	lock     sync.Mutex
	free     [][]byte // Pages that were read and closed.
	requests int
}

// page is a page in which every seq, and the cursor, has seven digits.
type page struct {
	Header http.Header
	Text   []byte
	Seqs   []int // Where they are.
	Meta   int   // Where its end begins, which reports whether there is more.
}

const (
	moreFollows = `"has_more":true ,"next_cursor":"0000000"}}`
	noMore      = `"has_more":false,"next_cursor":null     }}`
	cursorAt    = len(`"has_more":true ,"next_cursor":"`)
)

var (
	anySeq  = regexp.MustCompile(`\{"seq":\d+,"kind"`)
	anyMeta = regexp.MustCompile(`"has_more":true,"next_cursor":"\d+"\}\}$`)
)

// newPage makes a page of the first of the sandbox's busy log.
func newPage() (page, error) {
	replies, err := record()
	if err != nil {
		return page{}, err
	}
	reply := replies[works[len(works)-1].path]
	text := anySeq.ReplaceAll(reply.body, []byte(`{"seq":0000000,"kind"`))
	text = append(anyMeta.ReplaceAll(text, nil), moreFollows...)
	p := page{Header: reply.header.Clone(), Text: text, Meta: len(text) - len(moreFollows)}
	p.Header["Content-Length"] = []string{strconv.Itoa(len(text))}
	for _, at := range anySeq.FindAllIndex(text, -1) {
		p.Seqs = append(p.Seqs, at[0]+len(`{"seq":`))
	}
	if len(p.Seqs) != pageOfEvents {
		return page{}, fmt.Errorf("the page has %d events, want %d", len(p.Seqs), pageOfEvents)
	}
	return p, nil
}

// write makes text, a copy of the page's, the page that begins after seq.
func (p page) write(text []byte, seq int64, more bool) {
	for _, at := range p.Seqs {
		seq++
		strconv.AppendInt(text[at:at], seq, 10)
	}
	end := text[p.Meta:]
	if !more {
		copy(end, noMore)
		return
	}
	copy(end, moreFollows)
	strconv.AppendInt(end[cursorAt:cursorAt], seq, 10)
}

func (l *longLog) RoundTrip(r *http.Request) (*http.Response, error) {
	after := int64(beforeFirst)
	if _, since, asked := strings.Cut(r.URL.RawQuery, "since_seq="); asked {
		since, _, _ = strings.Cut(since, "&")
		seq, err := strconv.ParseInt(since, 10, 64)
		if err != nil {
			return nil, err
		}
		after = max(after, seq)
	}
	if l.written != nil {
		return respond(r, l.page.Header, l.written[(after-beforeFirst)/pageOfEvents], func() {}), nil
	}
	text := l.take()
	l.page.write(text, after, after-beforeFirst+pageOfEvents < l.events)
	return respond(r, l.page.Header, text, func() { l.give(text) }), nil
}

// writeAll writes all pages in advance.
func (l *longLog) writeAll() {
	for after := int64(0); after < l.events; after += pageOfEvents {
		text := bytes.Clone(l.page.Text)
		l.page.write(text, beforeFirst+after, after+pageOfEvents < l.events)
		l.written = append(l.written, text)
	}
}

func (l *longLog) take() []byte {
	l.lock.Lock()
	defer l.lock.Unlock()
	l.requests++
	if n := len(l.free); n > 0 {
		text := l.free[n-1]
		l.free = l.free[:n-1]
		return text
	}
	return bytes.Clone(l.page.Text)
}

func (l *longLog) give(text []byte) {
	l.lock.Lock()
	defer l.lock.Unlock()
	l.free = append(l.free, text)
}

// iterate reads a log and checks that all its events are returned in order.
func iterate(ctx context.Context, p peer, events int64, each func(i int64, payload []byte)) error {
	var i int64
	err := p.walk(ctx, func(seq int64, payload []byte) {
		i++
		if seq != beforeFirst+i || len(payload) < len("{}") {
			panic(fmt.Sprintf("%T: event %d has seq %d and the payload %q", p, i, seq, payload))
		}
		each(i, payload)
	})
	if err == nil && i != events {
		err = fmt.Errorf("%T: walked %d events, want %d", p, i, events)
	}
	return err
}
