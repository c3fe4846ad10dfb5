package main

import (
	"context"
	"fmt"
	"io"
	"strings"

	hiring "github.com/hiring-assessment/hiring-go"
	"github.com/hiring-assessment/hiring-go/cmd/hiring/internal/output"
)

// guard asks before a write that matters: with any key but one of test mode.
// Where nobody can answer, --yes has to be said.
func (a *app) guard(ctx context.Context, client *hiring.Client, what string) error {
	a.testMode = client.Environment() == hiring.EnvironmentTest
	if a.flags.yes || a.testMode {
		return nil
	}
	if !a.interactive {
		return advised{usagef("the key is live, and this would %s", what), "say --yes if that is meant"}
	}
	answer, err := a.ask(ctx, fmt.Sprintf("The key is live: this will %s. Go on? [y/N] ", what))
	if err != nil {
		return err
	}
	if answer = strings.ToLower(answer); answer != "y" && answer != "yes" {
		return errDeclined
	}
	return nil
}

// ask shows a question to the person at the terminal and reads a line. The end of
// the context ends it, too.
func (a *app) ask(ctx context.Context, question string) (string, error) {
	_, _ = fmt.Fprint(a.err, a.err.Paint(output.Bold, question))
	return untilDone(ctx, func() (string, error) { return readLine(a.in) })
}

// untilDone leaves a read that cannot be ended alone when the context ends.
func untilDone(ctx context.Context, read func() (string, error)) (string, error) {
	type answer struct {
		text string
		err  error
	}
	answered := make(chan answer, 1)
	go func() {
		text, err := read()
		answered <- answer{text, err}
	}()
	select {
	case got := <-answered:
		return got.text, got.err
	case <-ctx.Done():
		return "", ctx.Err()
	}
}

// readLine takes no byte more than the line: the next one may be for somebody else.
func readLine(r io.Reader) (string, error) {
	var line []byte
	one := make([]byte, 1)
	for {
		n, err := r.Read(one)
		if n == 1 && one[0] == '\n' || err == io.EOF && len(line) > 0 {
			return strings.TrimSuffix(string(line), "\r"), nil
		}
		if err != nil {
			return "", err
		}
		line = append(line, one[:n]...)
	}
}
