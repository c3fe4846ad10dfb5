package apitest

import (
	"os"
)

// Long reports whether the tests run at full count, as .ci/long does.
func Long() bool { return os.Getenv("HIRING_LONG") != "" }
