//go:build unix

package profile

import (
	"io/fs"
	"os"
	"syscall"
)

// ownedByUser reports whether a file belongs to the current user or to root, who can
// change every file anyway.
func ownedByUser(info fs.FileInfo) bool {
	stat, ok := info.Sys().(*syscall.Stat_t)
	return !ok || stat.Uid == 0 || int(stat.Uid) == os.Geteuid()
}
