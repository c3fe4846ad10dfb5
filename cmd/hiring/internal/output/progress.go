package output

import (
	"fmt"
	"strings"
	"time"

	"github.com/charmbracelet/x/ansi"
)

// Progress shows how far long work has come: as a bar that is drawn over itself on
// a terminal, elsewhere as a line now and then.
type Progress struct {
	stream Stream
	what   string

	drawn   bool      // A bar is on the screen.
	shown   time.Time // When something was shown last.
	done    int
	total   int
	detail  string
	pending string // A line that was not worth its while yet.
}

// Progress begins to show something, as in "inviting".
func (s Stream) Progress(what string) *Progress { return &Progress{stream: s, what: what} }

const (
	barWidth   = 24
	redrawn    = 100 * time.Millisecond // A bar, at most so often.
	lineEvery  = time.Minute            // A plain line, unless there is news.
	fullBlock  = "█"
	emptyBlock = "░"
)

// Show says that done of total are done, 0 when nobody knows how many there are,
// and something of them, such as how they went.
func (p *Progress) Show(done, total int, detail string) {
	p.done, p.total, p.detail = done, total, detail
	p.show(detail, p.shown.IsZero() || done == total && total > 0)
}

// Note says why nothing happens for a while. News of some weight is shown at once
// wherever; else it is for those who look on.
func (p *Progress) Note(note string, news bool) {
	if p.detail != "" && note != "" {
		note = p.detail + ", " + note
	}
	p.show(note, news || p.stream.Terminal)
}

func (p *Progress) show(detail string, atOnce bool) {
	text := fmt.Sprintf("%s %d", p.what, p.done)
	if p.total > 0 {
		text += fmt.Sprintf(" of %d", p.total)
	}
	if detail != "" {
		text += ", " + detail
	}
	now, every := time.Now(), lineEvery
	if p.stream.Terminal {
		every = redrawn
		if p.total > 0 {
			text = Bar(float64(p.done)/float64(p.total), barWidth) + " " + text
		}
	}
	p.pending = text
	if atOnce || now.Sub(p.shown) >= every {
		p.shown = now
		p.draw()
	}
}

func (p *Progress) draw() {
	if p.pending == "" {
		return
	}
	if p.stream.Terminal {
		_, _ = fmt.Fprint(p.stream, "\r\x1b[K"+ansi.Truncate(Clean(p.pending), max(p.stream.Width-1, 0), "…"))
		p.drawn = true
	} else {
		_, _ = fmt.Fprintln(p.stream, Clean(p.pending))
	}
	p.pending = ""
}

// Say writes a line that stays.
func (p *Progress) Say(text string) {
	p.Clear()
	_, _ = fmt.Fprintln(p.stream, Clean(text))
}

// Clear takes the bar off the screen, for something else to be written.
func (p *Progress) Clear() {
	if p.drawn {
		_, _ = fmt.Fprint(p.stream, "\r\x1b[K")
		p.drawn = false
	}
}

// End shows the last state and leaves it there.
func (p *Progress) End() {
	p.draw()
	if p.drawn {
		_, _ = fmt.Fprintln(p.stream)
		p.drawn = false
	}
}

// Bar draws a part, from 0 to 1, as a bar of some width.
func Bar(part float64, width int) string {
	filled := min(max(int(part*float64(width)+0.5), 0), width)
	return strings.Repeat(fullBlock, filled) + strings.Repeat(emptyBlock, width-filled)
}
