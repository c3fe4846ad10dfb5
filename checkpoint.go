package hiring

import (
	"context"
	"time"

	"github.com/hiring-assessment/hiring-go/internal/poll"
	"github.com/hiring-assessment/hiring-go/internal/sealed"
	"github.com/hiring-assessment/hiring-go/internal/statefile"
)

// Checkpoint keeps the state of a Watch, so that another process can resume. Load returns the state
// that was saved last, or "" when none was. A state grows by at most 100 bytes for each result
// of the two days before the newest submission and each unfinished submission. It holds ids
// and times, but no names and no addresses.
//
// Only one Watch may use a checkpoint at a time.
type Checkpoint interface {
	Load(ctx context.Context) (string, error)
	Save(ctx context.Context, state string) error
}

// FileCheckpoint returns a Checkpoint that stores the state in a file. Two processes must not use
// one file: each would receive everything, and they overwrite each other's state. The file need
// not exist yet, but its folder must. Save replaces the file atomically and returns
// when it is on the disk: a crash leaves the old state or the new one. Save replaces
// the target of a symbolic link, not the link. The target may be missing.
//
// The file holds the state as it is. Watch rejects a damaged state and a file of
// another program. Load and Save fail on a path that is not a regular file. Load also fails on
// an empty file and on one above 16 MB. None of these is a fresh start. To start afresh,
// delete the file. Save writes to a temporary file hiring-checkpoint-*.tmp in the same
// folder. A killed save leaves that file. Save removes those older than ten minutes.
func FileCheckpoint(path string) Checkpoint { return fileCheckpoint{statefile.At(path)} }

type fileCheckpoint struct{ file *statefile.File }

func (f fileCheckpoint) Load(context.Context) (string, error) { return f.file.Load() }

func (f fileCheckpoint) Save(_ context.Context, state string) error { return f.file.Save(state) }

// watchState is the state of a Watch.
type watchState struct {
	Account    string        `json:"account,omitzero"` // Empty until the first response.
	Assessment string        `json:"assessment,omitzero"`
	Since      time.Time     `json:"since,omitzero"`  // WatchOptions.Since of the call without a state.
	Called     time.Time     `json:"called,omitzero"` // When that call was made, by the local clock.
	Machine    *poll.Machine `json:"machine,omitzero"`
}

// watchStates is the text form of a watchState: kind, version, checksum and JSON.
var watchStates = sealed.Kind{Name: "watch", Version: 4}
