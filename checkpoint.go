package hiring

import (
	"context"
	"fmt"
	"strings"

	"github.com/hiring-assessment/hiring-go/internal/statefile"
)

// Checkpoint keeps the state of a Watch or of SendAll, so that another process
// resumes where one has stopped. Load returns the state that was saved last, ""
// when none was. A state is at most 256 KB of text. It holds no candidate's data.
//
// One watch or one run of SendAll at a time uses a checkpoint.
type Checkpoint interface {
	Load(ctx context.Context) (string, error)
	Save(ctx context.Context, state string) error
}

// FileCheckpoint keeps the state in a file, which need not exist yet; its folder
// must. The file is replaced as a whole and is on the disk when Save returns: a
// crash leaves the state before or the new one. A symbolic link stays: what is
// replaced is its target, which need not exist either, unlike its folder.
//
// Load and Save fail on what is no regular file, Load on an empty, a damaged and
// a foreign file and on one above 1 MB: that is never a fresh start. Delete the
// file if one is meant. Save writes to a temporary file in the same folder,
// hiring-checkpoint-*.tmp, and removes those that killed saves have left there
// more than ten minutes ago, or more than ten of them.
func FileCheckpoint(path string) Checkpoint { return fileCheckpoint{statefile.At(path)} }

type fileCheckpoint struct{ file *statefile.File }

func (f fileCheckpoint) Load(ctx context.Context) (string, error) {
	if ctx == nil {
		panic(nilContext)
	}
	if err := ctx.Err(); err != nil {
		return "", err
	}
	state, err := f.file.Load()
	return state, checkpointError(err)
}

func (f fileCheckpoint) Save(ctx context.Context, state string) error {
	if ctx == nil {
		panic(nilContext)
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	return checkpointError(f.file.Save(state))
}

func checkpointError(err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("hiring: checkpoint: %w", err)
}

// checkpointFailure is an error of a Checkpoint that ended a call.
type checkpointFailure struct {
	operation, step string
	err             error
}

func (e *checkpointFailure) Error() string {
	text := strings.TrimPrefix(strings.TrimPrefix(e.err.Error(), "hiring: "), "checkpoint: ")
	return "hiring: " + e.operation + ": " + e.step + " checkpoint: " + text
}

func (e *checkpointFailure) Unwrap() error { return e.err }
