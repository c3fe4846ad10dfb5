// Package output prints results: tables for people, and JSON, JSON Lines and CSV for
// programs. It removes control characters from texts of the API before they reach a
// terminal.
package output

import (
	"fmt"
	"io"
	"os"
	"strconv"

	"golang.org/x/term"
)

// Stream is an output stream with the abilities of its terminal.
type Stream struct {
	io.Writer

	Terminal bool // Output goes to a terminal.
	Escapes  bool // The terminal interprets escape sequences, so lines can be overwritten.
	Color    bool
	Width    int // In columns; 0 means unlimited.
}

// StreamOf returns a stream for a file. It follows NO_COLOR, CLICOLOR, CLICOLOR_FORCE,
// TERM=dumb and, on a terminal, COLUMNS.
func StreamOf(file *os.File, getenv func(string) string) Stream {
	s := Stream{Writer: file}
	width, _, err := term.GetSize(int(file.Fd()))
	if err == nil {
		s.Terminal, s.Width = true, width
		if own, err := strconv.Atoi(getenv("COLUMNS")); err == nil && own > 0 {
			s.Width = own
		}
		s.Escapes = getenv("TERM") != "dumb" && enableEscapes(file)
		s.Color = s.Escapes && getenv("CLICOLOR") != "0"
	}
	if force := getenv("CLICOLOR_FORCE"); force != "" && force != "0" {
		s.Color = true
	}
	s.Color = s.Color && getenv("NO_COLOR") == ""
	return s
}

// Style is a color or weight of text.
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

// Paint returns text in a style, or unchanged where colors are off.
func (s Stream) Paint(style Style, text string) string {
	if !s.Color || style == Plain || text == "" {
		return text
	}
	return "\x1b[" + string(style) + "m" + text + "\x1b[0m"
}

// regularFile returns the description of a stream that is a regular file, or else nil.
func regularFile(w io.Writer) os.FileInfo {
	file, _ := w.(*os.File)
	info, err := file.Stat() // An error for nil.
	if err != nil || !info.Mode().IsRegular() {
		return nil
	}
	return info
}

// IsNewFile reports whether a stream is an empty file, and not a log that another stream is written to as well.
func IsNewFile(w, other io.Writer) bool {
	info := regularFile(w)
	return info != nil && info.Size() == 0 && !os.SameFile(info, regularFile(other))
}

// wholeLines is a stream of lines. If it is a file that ends within a line, which a full disk or
// a crash has cut, the first line is written below it.
type wholeLines struct {
	io.Writer

	begun bool
}

func (w *wholeLines) Write(b []byte) (int, error) {
	if !w.begun && endsWithinLine(w.Writer) {
		if _, err := io.WriteString(w.Writer, "\n"); err != nil {
			return 0, err
		}
	}
	w.begun = true
	return w.Writer.Write(b)
}

// endsWithinLine reports whether a regular file does not end with a line break, or may not: an
// empty line loses nothing. The file is opened again, because the shell has opened it for writing.
func endsWithinLine(w io.Writer) bool {
	info := regularFile(w)
	if info == nil || info.Size() == 0 {
		return false
	}
	last := make([]byte, 1)
	same, err := os.Open(fmt.Sprintf("/dev/fd/%d", w.(*os.File).Fd()))
	if err == nil {
		_, err = same.ReadAt(last, info.Size()-1)
		_ = same.Close()
	}
	return err != nil || last[0] != '\n'
}
