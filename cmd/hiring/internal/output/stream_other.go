//go:build !windows

package output

import "os"

func enableEscapes(*os.File) bool { return true }
