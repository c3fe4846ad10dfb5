package hiring

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	sealed "github.com/hiring-assessment/hiring-go/internal/envelope"
	"github.com/hiring-assessment/hiring-go/internal/statefile"
)

// Checkpoint keeps the state of a Watch, so that another process can resume. Load returns the state
// that was saved last, or "" when none was. A state grows by at most 100 bytes for each result
// of the last two days and each unfinished submission. It holds ids and times, but no names
// and no addresses.
//
// Only one Watch may use a checkpoint at a time.
type Checkpoint interface {
	Load(ctx context.Context) (string, error)
	Save(ctx context.Context, state string) error
}

// FileCheckpoint returns a Checkpoint that stores the state in a file. The file need
// not exist yet, but its folder must. Save replaces the file atomically and returns
// when it is on the disk: a crash leaves the old state or the new one. Save replaces
// the target of a symbolic link, not the link. The target may be missing.
//
// The file holds the state as it is. Watch rejects a damaged state and a file of
// another program. Load and Save fail on a path that is not a regular file. Load also fails on
// an empty file and on one above 16 MB. None of these is a fresh start. To start afresh,
// delete the file. Save writes to a temporary file hiring-checkpoint-*.tmp in the same
// folder. A killed save leaves that file. Save removes those older than ten minutes and
// all but the ten newest.
func FileCheckpoint(path string) Checkpoint { return fileCheckpoint{statefile.At(path)} }

type fileCheckpoint struct{ file *statefile.File }

func (f fileCheckpoint) Load(ctx context.Context) (string, error) {
	if err := checkContext(ctx); err != nil {
		return "", err
	}
	state, err := f.file.Load()
	return state, checkpointError(err)
}

func (f fileCheckpoint) Save(ctx context.Context, state string) error {
	if err := checkContext(ctx); err != nil {
		return err
	}
	return checkpointError(f.file.Save(state))
}

// checkContext returns the error of a context that has ended. It panics on a nil context.
func checkContext(ctx context.Context) error {
	if ctx == nil {
		panic(nilContext)
	}
	return ctx.Err()
}

func checkpointError(err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("hiring: checkpoint: %w", err)
}

// checkpointFailure returns the error of a Checkpoint that ended a call.
func checkpointFailure(operation, step string, err error) error {
	text := strings.TrimPrefix(strings.TrimPrefix(err.Error(), "hiring: "), "checkpoint: ")
	return &describedError{"hiring: " + operation + ": " + step + " checkpoint: " + text, []error{err}}
}

// watchState is the state of a Watch.
type watchState struct {
	Account    string          `json:"account,omitzero"` // Empty until the first response.
	Assessment string          `json:"assessment,omitzero"`
	Since      time.Time       `json:"since,omitzero"`  // WatchOptions.Since of the call without a state.
	Called     time.Time       `json:"called,omitzero"` // When that call was made, by the local clock.
	Machine    json.RawMessage `json:"machine,omitzero"`
}

// watchStates is the text form of a watchState: kind, version, checksum and JSON.
var watchStates = sealed.Kind{Name: "watch", Version: 2}
