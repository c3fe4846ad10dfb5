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
	note    string // What was said then.
	pending string // A line that was not worth its while yet.
}

// Progress begins to show something, as in "inviting".
func (s Stream) Progress(what string) *Progress { return &Progress{stream: s, what: what} }

const (
	barWidth   = 24
	redrawn    = 100 * time.Millisecond // A bar, at most so often.
	lineEvery  = 10 * time.Second       // A plain line, unless there is news.
	fullBlock  = "█"
	emptyBlock = "░"
)

// Show says that done of total are done, 0 when nobody knows how many there are.
// A new note is shown at once.
func (p *Progress) Show(done, total int, note string) {
	p.done, p.total = done, total
	text := fmt.Sprintf("%s %d", p.what, done)
	if total > 0 {
		text += fmt.Sprintf(" of %d", total)
	}
	if note != "" {
		text += ", " + note
	}
	now, every := time.Now(), lineEvery
	if p.stream.Terminal {
		every = redrawn
		if total > 0 {
			text = Bar(float64(done)/float64(total), barWidth) + " " + text
		}
	}
	p.pending = text
	if p.shown.IsZero() || note != p.note || done == total && total > 0 || now.Sub(p.shown) >= every {
		p.shown, p.note = now, note
		p.draw()
	}
}

// Note is Show with a new note, and the numbers of before.
func (p *Progress) Note(note string) {
	if note != p.note {
		p.Show(p.done, p.total, note)
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
