package output

import (
	"fmt"
	"strings"
	"time"
)

// Progress shows the progress of long work as a bar on a terminal, and nothing elsewhere:
// cron would send the lines by e-mail.
type Progress struct {
	stream Stream
	what   string

	drawn  bool      // A bar is on the screen.
	shown  time.Time // The time of the last output.
	done   int
	total  int
	detail string
}

// Progress starts to show the progress of an activity, as in "inviting".
func (s Stream) Progress(what string) *Progress { return &Progress{stream: s, what: what} }

const (
	barWidth       = 24
	redrawInterval = 100 * time.Millisecond // The shortest time between two bars.
	fullBlock      = "█"
	emptyBlock     = "░"
)

// Show reports that done of total items are done, with details such as the results. A
// total of 0 means unknown.
func (p *Progress) Show(done, total int, detail string) {
	p.done, p.total, p.detail = done, total, detail
	p.show(detail, done == total && total > 0)
}

// Note says why the work pauses.
func (p *Progress) Note(note string) {
	if p.detail != "" && note != "" {
		note = p.detail + ", " + note
	}
	p.show(note, true)
}

func (p *Progress) show(detail string, atOnce bool) {
	if !p.stream.Terminal || !atOnce && (!p.stream.Escapes || time.Since(p.shown) < redrawInterval) {
		return
	}
	text := fmt.Sprintf("%s %d", p.what, p.done)
	if p.total > 0 {
		text = fmt.Sprintf("%s %s of %d", Bar(float64(p.done)/float64(p.total), barWidth), text, p.total)
	}
	if detail != "" {
		text += ", " + detail
	}
	if text = Clean(text); p.stream.Width > 0 { // Some terminals do not know their width.
		text = truncate(text, p.stream.Width-1)
	}
	if !p.stream.Escapes {
		_, _ = fmt.Fprintln(p.stream, text)
		return
	}
	_, _ = fmt.Fprint(p.stream, "\r\x1b[K"+text)
	p.drawn, p.shown = true, time.Now()
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

// Bar draws a part from 0 to 1 as a bar of a width.
func Bar(part float64, width int) string {
	filled := min(max(int(part*float64(width)+0.5), 0), width)
	return strings.Repeat(fullBlock, filled) + strings.Repeat(emptyBlock, width-filled)
}
