package output

import (
	"os"

	"golang.org/x/sys/windows"
)

// enableEscapes reports whether the console interprets escape sequences. Windows needs to be
// asked to do that.
func enableEscapes(console *os.File) bool {
	var mode uint32
	handle := windows.Handle(console.Fd())
	return windows.GetConsoleMode(handle, &mode) == nil &&
		windows.SetConsoleMode(handle, mode|windows.ENABLE_VIRTUAL_TERMINAL_PROCESSING) == nil
}
