package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"

	hiring "github.com/hiring-assessment/hiring-go"
)

// copyList writes a list to a file, one line of JSON for each item, and resumes where an
// earlier run stopped.
func copyList[T any](ctx context.Context, to target, list hiring.Pager[T], clean func(T) T) error {
	done, err := to.exists()
	if done || err != nil {
		return err
	}
	from, err := to.load()
	if err != nil {
		return err
	}
	part, err := to.open(from)
	if err != nil {
		return err
	}
	err = copyPages(ctx, to, part, list.From(from.token), clean)
	if closeErr := part.Close(); err == nil {
		err = closeErr
	}
	if err != nil {
		return fmt.Errorf("%s: %w", to.name, err)
	}
	return to.complete()
}

// copyPages appends one page after the other, and saves after each where the next
// one begins.
func copyPages[T any](ctx context.Context, to target, part *os.File, list hiring.Pager[T], clean func(T) T) error {
	for page, err := range list.Pages(ctx) {
		if err != nil {
			return err
		}
		if err := appendLines(part, page.Items, clean); err != nil {
			return err
		}
		if page.Next == "" {
			continue // It was the last one.
		}
		info, err := part.Stat()
		if err != nil {
			return err
		}
		if err := to.save(state{size: info.Size(), token: page.Next}); err != nil {
			return err
		}
	}
	return nil
}

// appendLines returns when the lines are on the disk: the state that is saved
// next says that they are.
func appendLines[T any](part *os.File, items []T, clean func(T) T) error {
	var lines bytes.Buffer
	encoder := json.NewEncoder(&lines)
	for _, item := range items {
		if err := encoder.Encode(clean(item)); err != nil {
			return err
		}
	}
	if _, err := part.Write(lines.Bytes()); err != nil {
		return err
	}
	return part.Sync()
}
