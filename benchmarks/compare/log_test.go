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
	page   page
	header http.Header
	events int64 // A whole number of pages.

	lock     sync.Mutex
	free     [][]byte // Pages that were read and closed.
	requests int
}

// page is a page in which every seq, and the cursor, has seven digits.
type page struct {
	text  []byte
	seqs  []int // Where they are.
	meta  int   // Where its end begins, which is more or last.
	more  []byte
	final []byte
}

var (
	anySeq  = regexp.MustCompile(`\{"seq":\d+,"kind"`)
	anyMeta = regexp.MustCompile(`"has_more":true,"next_cursor":"\d+"\}\}$`)
)

// newPage makes a page of the sandbox's.
func newPage(body []byte) (page, error) {
	more, final := []byte(`"has_more":true ,"next_cursor":"0000000"}}`), []byte(`"has_more":false,"next_cursor":null     }}`)
	text := anySeq.ReplaceAll(body, []byte(`{"seq":0000000,"kind"`))
	text = append(anyMeta.ReplaceAll(text, nil), more...)
	p := page{text: text, meta: len(text) - len(more), more: more, final: final}
	for _, at := range anySeq.FindAllIndex(text, -1) {
		p.seqs = append(p.seqs, at[0]+len(`{"seq":`))
	}
	if len(p.seqs) != pageOfEvents {
		return page{}, fmt.Errorf("the page has %d events, want %d", len(p.seqs), pageOfEvents)
	}
	return p, nil
}

// write makes text, a copy of the page's, the page that begins after seq.
func (p page) write(text []byte, seq int64, more bool) {
	for _, at := range p.seqs {
		seq++
		strconv.AppendInt(text[at:at], seq, 10)
	}
	end := text[p.meta:]
	if !more {
		copy(end, p.final)
		return
	}
	copy(end, p.more)
	strconv.AppendInt(end[len(`"has_more":true ,"next_cursor":"`):][:0], seq, 10)
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
	text := l.take()
	l.page.write(text, after, after-beforeFirst+pageOfEvents < l.events)
	return respond(r, l.header, text, func() { l.give(text) }), nil
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
	return bytes.Clone(l.page.text)
}

func (l *longLog) give(text []byte) {
	l.lock.Lock()
	defer l.lock.Unlock()
	l.free = append(l.free, text)
}

// newLongLog is a log of so many events, in pages of reply's kind.
func newLongLog(reply recorded, events int64) (*longLog, error) {
	p, err := newPage(reply.body)
	header := reply.header.Clone()
	header["Content-Length"] = []string{strconv.Itoa(len(p.text))}
	return &longLog{page: p, header: header, events: events}, err
}

// eventsReply is the first page of the sandbox's busy log.
func eventsReply() (recorded, error) {
	replies, err := record()
	return replies[works[len(works)-1].path], err
}

// walk reads a log of so many events and makes sure that all come, in order.
func walk(ctx context.Context, p peer, events int64, each func(i int64, payload []byte)) error {
	var i int64
	err := p.walk(ctx, func(seq int64, payload []byte) {
		if i++; seq != beforeFirst+i || len(payload) < len("{}") {
			panic(fmt.Sprintf("%T: event %d has seq %d and the payload %q", p, i, seq, payload))
		}
		each(i, payload)
	})
	if err == nil && i != events {
		err = fmt.Errorf("%T: walked %d events, want %d", p, i, events)
	}
	return err
}
