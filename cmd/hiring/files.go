package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
)

// writeFile replaces a file once its new content is complete. What is about
// candidates is for the user's eyes only.
func writeFile(name string, write func(*os.File) error) (err error) {
	temporary, err := os.CreateTemp(filepath.Dir(name), filepath.Base(name)+".*.part") // 0600
	if err != nil {
		return named(name, err)
	}
	defer func() {
		if err != nil {
			_ = temporary.Close()
			_ = os.Remove(temporary.Name())
		}
	}()
	if err := write(temporary); err != nil {
		return err
	}
	if err := temporary.Sync(); err != nil {
		return err
	}
	if err := temporary.Close(); err != nil {
		return err
	}
	return named(name, os.Rename(temporary.Name(), name))
}

// named says which file cannot be written, rather than what is made on the way.
func named(file string, err error) error {
	if path, ok := errors.AsType[*os.PathError](err); ok {
		err = path.Err
	} else if link, ok := errors.AsType[*os.LinkError](err); ok {
		err = link.Err
	}
	if err != nil {
		err = fmt.Errorf("%s cannot be written: %w", file, err)
	}
	return err
}
