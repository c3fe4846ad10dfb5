package hiring

import (
	"context"
	"errors"
	"fmt"
	"hash/crc32"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// Checkpoint keeps the state of a watch, so that another process goes on where
// one has stopped. Load returns what was saved last, "" when nothing was.
// A state is at most 256 KB of text; it holds no candidate's data.
//
// One watch at a time uses a checkpoint.
type Checkpoint interface {
	Load(ctx context.Context) (string, error)
	Save(ctx context.Context, state string) error
}

// FileCheckpoint keeps the state in a file, which need not exist yet; its folder
// must. The file is replaced as a whole and is on the disk when Save returns: a
// crash leaves the state before or the new one. An empty or damaged file is an
// error, never a fresh start: delete it if that is meant.
func FileCheckpoint(path string) Checkpoint { return fileCheckpoint(path) }

type fileCheckpoint string

// Load reads the file.
func (f fileCheckpoint) Load(ctx context.Context) (string, error) {
	if err := ctx.Err(); err != nil {
		return "", err
	}
	text, err := os.ReadFile(string(f))
	if errors.Is(err, fs.ErrNotExist) {
		return "", nil
	}
	if err != nil {
		return "", fmt.Errorf("hiring: checkpoint: %w", err)
	}
	sum, state, _ := strings.Cut(string(text), "\n")
	if sum != checksum(state) {
		return "", fmt.Errorf("hiring: checkpoint: the file %s is damaged: restore it, or delete it to start afresh", string(f))
	}
	return state, nil
}

// checksum is the first line of a file, so that one that was cut, emptied or
// edited is noticed.
func checksum(state string) string {
	return fmt.Sprintf("hiring-checkpoint-1 %08x", crc32.ChecksumIEEE([]byte(state)))
}

// Save replaces the file.
func (f fileCheckpoint) Save(ctx context.Context, state string) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if err := f.replace(state); err != nil {
		return fmt.Errorf("hiring: checkpoint: %w", err)
	}
	return nil
}

func (f fileCheckpoint) replace(state string) (err error) {
	folder, name := filepath.Split(string(f))
	if folder == "" {
		folder = "."
	}
	file, err := os.CreateTemp(folder, name+".*.tmp")
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			_ = os.Remove(file.Name())
		}
	}()
	_, err = file.WriteString(checksum(state) + "\n" + state)
	if err == nil {
		err = file.Sync()
	}
	if closed := file.Close(); err == nil {
		err = closed
	}
	if err == nil {
		err = os.Rename(file.Name(), string(f))
	}
	if err != nil {
		return err
	}
	return syncFolder(folder)
}

// syncFolder makes the new name last. Some systems cannot do that for a folder.
func syncFolder(path string) error {
	folder, err := os.Open(path) //nolint:gosec // the caller's own path
	if err != nil {
		return err
	}
	err = folder.Sync()
	_ = folder.Close() // It was only read.
	if err != nil && !errors.Is(err, errors.ErrUnsupported) && !errors.Is(err, fs.ErrInvalid) && !errors.Is(err, fs.ErrPermission) {
		return err
	}
	return nil
}
