package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	hiring "github.com/hiring-assessment/hiring-go"
	"github.com/hiring-assessment/hiring-go/cmd/hiring/internal/output"
)

// guard asks for confirmation before a write with any key except a test key. what says what
// the write does, up to the assessment that it changes, if any. The question names that
// assessment and the organization, with a read of each. Without a terminal guard requires
// --yes.
func (a *app) guard(ctx context.Context, client *hiring.Client, what, assessment string) error {
	a.testMode = client.Environment() == hiring.EnvironmentTest
	if a.flags.yes || a.testMode {
		return nil
	}
	key := "a live key"
	if client.Environment() == "" {
		key = "a key that may be live"
	}
	if !a.interactive {
		return adviceError{usagef("This would %s with %s", strings.TrimSpace(what+" "+assessment), key), "Confirm with --yes"}
	}
	account, err := client.Account.Get(ctx)
	if err != nil {
		return err
	}
	if assessment != "" {
		changed, err := client.Assessments.Get(ctx, assessment)
		if err != nil {
			return err
		}
		what = fmt.Sprintf("%s %s (%s)", what, changed.Name, changed.ID)
	}
	answer, err := a.ask(ctx, output.Clean(fmt.Sprintf("This will %s in %s with %s. Continue? [y/N] ", what, account.Name, key)))
	if err != nil {
		return err
	}
	if answer = strings.ToLower(answer); answer != "y" && answer != "yes" {
		return errDeclined
	}
	return nil
}

// guardedAssessment returns the id of the assessment that the user names, after guard.
func (a *app) guardedAssessment(ctx context.Context, client *hiring.Client, what, given string) (string, error) {
	id, err := a.changedAssessmentID(ctx, client, given)
	if err == nil {
		err = a.guard(ctx, client, what, id)
	}
	return id, err
}

// asks reports whether guard will ask a question.
func (a *app) asks(client *hiring.Client) bool {
	return a.interactive && !a.flags.yes && client.Environment() != hiring.EnvironmentTest
}

// ask shows a question on the terminal and reads a line. It returns when ctx ends. Ctrl-D
// means no.
func (a *app) ask(ctx context.Context, question string) (string, error) {
	_, _ = fmt.Fprint(a.err, a.err.Paint(output.Bold, question))
	line, err := untilDone(ctx, func() (string, error) { return readLine(a.in) })
	if errors.Is(err, io.EOF) {
		_, _ = fmt.Fprintln(a.err)
		err = errDeclined
	}
	return line, err
}

// untilDone returns when the read does or when ctx ends. The read itself cannot be
// stopped.
func untilDone[T any](ctx context.Context, read func() (T, error)) (T, error) {
	type answer struct {
		value T
		err   error
	}
	answered := make(chan answer, 1)
	go func() {
		value, err := read()
		answered <- answer{value, err}
	}()
	select {
	case got := <-answered:
		return got.value, got.err
	case <-ctx.Done():
		return *new(T), ctx.Err()
	}
}

// sleep returns after a duration, or with an error when ctx ends.
func sleep(ctx context.Context, duration time.Duration) error {
	waiting, cancel := context.WithTimeout(ctx, duration)
	defer cancel()
	<-waiting.Done()
	return context.Cause(ctx)
}

// readInput returns the content of a file, which may be a pipe, or of standard input, which - names.
func (a *app) readInput(ctx context.Context, name string) ([]byte, error) {
	text, err := untilDone(ctx, func() ([]byte, error) {
		if name == "-" {
			return io.ReadAll(a.in)
		}
		return os.ReadFile(name)
	})
	if err != nil && ctx.Err() == nil {
		err = usageError{err}
	}
	return text, err
}

// readLine reads no byte after the line: the next reader may need it.
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
