package wait_test

import (
	"os"
	"runtime/debug"
	"testing"
	"testing/synctest"
)

// TestMain lets the heap grow further between collections. Simulations of days
// allocate quickly and keep little, and collecting took a third of their time.
func TestMain(m *testing.M) {
	debug.SetGCPercent(400)
	os.Exit(m.Run())
}

// inBubble runs a subtest in virtual time.
func inBubble(t *testing.T, name string, run func(*testing.T)) {
	t.Helper()
	t.Run(name, func(t *testing.T) { synctest.Test(t, run) })
}
