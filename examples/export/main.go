// Command export copies submissions, without the links to their archives, and event logs
// to JSON Lines files, below the folder that its argument names or else "export". Killed
// at any moment and run again, it ends with the same files.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"unicode"

	hiring "github.com/hiring-assessment/hiring-go"
	"github.com/hiring-assessment/hiring-go/sandbox"
)

func main() {
	if err := run(context.Background(), os.Args[1:], os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "export:", printable(err.Error()))
		os.Exit(1)
	}
}

// run is the program. An interrupt ends the request or the pause that it is in.
func run(ctx context.Context, args []string, out io.Writer) error {
	ctx, stop := signal.NotifyContext(ctx, os.Interrupt)
	defer stop()
	folder := "export"
	if len(args) > 0 {
		folder = args[0]
	}
	if len(args) > 1 || strings.HasPrefix(folder, "-") {
		return errors.New("usage: export [folder]")
	}
	client, err := connect()
	if err != nil {
		return fmt.Errorf("connect: %w", err)
	}
	return export(ctx, client, folder, out)
}

// connect returns a client of the API that the environment names, or of an
// embedded sandbox when it names none. A program of yours needs the last line only.
func connect() (*hiring.Client, error) {
	if os.Getenv("HIRING_BASE_URL") == "" && os.Getenv("HIRING_API_KEY") == "" {
		return sandbox.New().Client(), nil
	}
	return hiring.FromEnv()
}

// printable replaces what a terminal would obey: names come from outside.
func printable(text string) string {
	return strings.Map(func(r rune) rune {
		joinsLetters := r == '\u200c' || r == '\u200d'
		if unicode.IsGraphic(r) || joinsLetters {
			return r
		}
		return unicode.ReplacementChar
	}, text)
}
