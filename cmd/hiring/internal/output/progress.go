package output

import (
	"fmt"
	"strings"
	"time"
)

// Progress shows the progress of long work: a bar on a terminal, and a line from time to
// time elsewhere.
type Progress struct {
	stream Stream
	what   string

	drawn   bool      // A bar is on the screen.
	shown   time.Time // The time of the last output.
	done    int
	total   int
	detail  string
	pending string // A line that was not printed yet.
}

// Progress starts to show the progress of an activity, as in "inviting".
func (s Stream) Progress(what string) *Progress { return &Progress{stream: s, what: what} }

const (
	barWidth       = 24
	redrawInterval = 100 * time.Millisecond // The shortest time between two bars.
	lineInterval   = time.Minute            // The time between two plain lines, unless a note is urgent.
	fullBlock      = "█"
	emptyBlock     = "░"
)

// Show reports that done of total items are done, with details such as the results. A
// total of 0 means unknown.
func (p *Progress) Show(done, total int, detail string) {
	p.done, p.total, p.detail = done, total, detail
	p.show(detail, p.shown.IsZero() || done == total && total > 0)
}

// Note says why the work pauses. An urgent note is printed on any stream, other notes are
// shown on a terminal only.
func (p *Progress) Note(note string, urgent bool) {
	if p.detail != "" && note != "" {
		note = p.detail + ", " + note
	}
	p.show(note, urgent || p.stream.Terminal)
}

func (p *Progress) show(detail string, atOnce bool) {
	text := fmt.Sprintf("%s %d", p.what, p.done)
	if p.total > 0 {
		text += fmt.Sprintf(" of %d", p.total)
	}
	if detail != "" {
		text += ", " + detail
	}
	now, every := time.Now(), lineInterval
	if p.stream.Terminal {
		every = redrawInterval
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
		text := Clean(p.pending)
		if p.stream.Width > 0 { // Some terminals do not know their width.
			text = truncate(text, p.stream.Width-1)
		}
		_, _ = fmt.Fprint(p.stream, "\r\x1b[K"+text)
		p.drawn = true
	} else {
		_, _ = fmt.Fprintln(p.stream, Clean(p.pending))
	}
	p.pending = ""
}

// Say prints a line that stays.
func (p *Progress) Say(text string) {
	p.Clear()
	_, _ = fmt.Fprintln(p.stream, Clean(text))
}

// Clear removes the bar, so that other text can be written.
func (p *Progress) Clear() {
	if p.drawn {
		_, _ = fmt.Fprint(p.stream, "\r\x1b[K")
		p.drawn = false
	}
}

// End shows the last state and leaves it on the screen.
func (p *Progress) End() {
	p.draw()
	if p.drawn {
		_, _ = fmt.Fprintln(p.stream)
		p.drawn = false
	}
}

// Bar draws a part from 0 to 1 as a bar of a width.
func Bar(part float64, width int) string {
	filled := min(max(int(part*float64(width)+0.5), 0), width)
	return strings.Repeat(fullBlock, filled) + strings.Repeat(emptyBlock, width-filled)
}
