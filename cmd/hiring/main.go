// Command hiring works with the Hiring Assessment API from a terminal.
//
//	hiring --sandbox account        shows sample data, without any setup
//	hiring profile add acme         asks for a base URL and a key
//	hiring --help
//
// See the [guide].
//
// [guide]: https://github.com/hiring-assessment/hiring-go/blob/main/docs/cli.md
package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"
	"time"
	_ "time/tzdata" // Containers have no database of time zones, and Go would silently use UTC.

	"golang.org/x/term"

	"github.com/hiring-assessment/hiring-go/cmd/hiring/internal/output"
)

func main() { os.Exit(newApp().main()) }

func newApp() *app {
	a := &app{
		in:     os.Stdin,
		out:    output.StreamOf(os.Stdout, os.Getenv),
		err:    output.StreamOf(os.Stderr, os.Getenv),
		getenv: os.Getenv,
		zone:   time.Local,
	}
	a.interactive = a.err.Terminal && term.IsTerminal(int(os.Stdin.Fd()))
	return a
}

func (a *app) main() int {
	ending := []os.Signal{syscall.SIGTERM}
	if !signal.Ignored(syscall.SIGHUP) { // nohup ignores it.
		ending = append(ending, syscall.SIGHUP)
	}
	stopped, ignore := signal.NotifyContext(context.Background(), ending...)
	defer ignore()
	a.stopped = stopped
	ctx, stop := signal.NotifyContext(stopped, os.Interrupt)
	context.AfterFunc(ctx, stop) // A second Ctrl-C ends the program at once.
	return a.run(ctx, os.Args[1:])
}
