//go:build !unix

package compare

import "time"

// processorTime is not measured.
func processorTime() time.Duration { return 0 }
