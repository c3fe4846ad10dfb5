//go:build !linux

package pgtest

import "syscall"

// attributes returns nil: on other systems tests do not run as root, and the server of
// a killed test keeps running.
func attributes(*owner) *syscall.SysProcAttr { return nil }
