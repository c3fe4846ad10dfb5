// Package output shows what the commands found: as tables for people, as JSON,
// JSON Lines and CSV for programs. What comes from the service is never trusted to
// be harmless on a terminal.
package output

import (
	"io"
	"os"

	"golang.org/x/term"
)

// Stream is where something is written, and what can be shown there.
type Stream struct {
	io.Writer

	Terminal bool // A person sees it at once, and lines can be overwritten.
	Color    bool
	Width    int // In columns; 0 where lines may be as long as they like.
}

// StreamOf finds out what a file can show. NO_COLOR and TERM=dumb are heeded.
func StreamOf(file *os.File, getenv func(string) string) Stream {
	s := Stream{Writer: file}
	width, _, err := term.GetSize(int(file.Fd()))
	if err != nil {
		return s
	}
	s.Terminal, s.Width = true, width
	s.Color = getenv("NO_COLOR") == "" && getenv("TERM") != "dumb"
	return s
}

// Style is how a text looks where colours can be shown.
type Style string

// The styles.
const (
	Plain  Style = ""
	Bold   Style = "1"
	Faint  Style = "2"
	Red    Style = "31"
	Green  Style = "32"
	Yellow Style = "33"
	Cyan   Style = "36"
)

// Paint returns text in a style, or as it is where colours cannot be shown.
func (s Stream) Paint(style Style, text string) string {
	if !s.Color || style == Plain || text == "" {
		return text
	}
	return "\x1b[" + string(style) + "m" + text + "\x1b[0m"
}
