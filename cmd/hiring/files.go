package main

import (
	"os"
	"path/filepath"
)

// writeFile replaces a file once its new content is complete. What is about
// candidates is for the user's eyes only.
func writeFile(name string, write func(*os.File) error) (err error) {
	temporary, err := os.CreateTemp(filepath.Dir(name), filepath.Base(name)+".*.part") // 0600
	if err != nil {
		return err
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
	return os.Rename(temporary.Name(), name)
}
