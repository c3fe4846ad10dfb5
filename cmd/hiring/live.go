package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"time"

	"github.com/spf13/cobra"

	hiring "github.com/hiring-assessment/hiring-go"
	"github.com/hiring-assessment/hiring-go/cmd/hiring/internal/output"
)

// watchList redraws a list until ctx ends. A transient error is shown above the last list.
func (a *app) watchList(
	ctx context.Context, c *cobra.Command, every time.Duration, printer output.Printer, show func(*output.Printer) error,
) error {
	if !a.out.Terminal || a.flags.output.Format != "" && a.flags.output.Format != string(output.People) {
		return adviceError{usagef("--watch needs a terminal and -o table"), "hiring watch writes results as JSON Lines"}
	}
	if every <= 0 {
		return usagef("--interval must be above 0")
	}
	const alternate, back = "\x1b[?1049h", "\x1b[?1049l" // What the screen showed before comes back.
	if _, err := io.WriteString(a.out, alternate); err != nil {
		return err
	}
	defer func() { _, _ = io.WriteString(a.out, back) }()
	var last []byte
	for {
		var text bytes.Buffer
		printer.Writer = &text
		printer.Notes = printer.Stream
		err := show(&printer)
		note := ""
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case err != nil && !hiring.IsTransient(err):
			return err
		case err != nil:
			note = a.out.Paint(output.Red, output.Clean(errorText(err))) + "\n"
		default:
			last = firstLines(text.Bytes(), a.out.Height-3)
		}
		head := fmt.Sprintf("hiring %s, every %s, at %s", commandName(c), every, time.Now().In(a.zone).Format("15:04:05 MST"))
		if _, err := fmt.Fprintf(a.out, "\x1b[H\x1b[2J%s\n%s\n%s", a.out.Paint(output.Faint, head), note, last); err != nil {
			return err
		}
		select {
		case <-time.After(every):
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// firstLines returns at most n lines of a text, for a screen that does not scroll.
func firstLines(text []byte, n int) []byte {
	lines := bytes.SplitAfter(text, []byte("\n"))
	if n <= 1 || len(lines) <= n+1 {
		return text
	}
	return fmt.Appendf(bytes.Join(lines[:n-1], nil), "… %d more lines", len(lines)-n)
}
