//go:build !linux

package pgtest

import "syscall"

// Elsewhere nobody runs tests as root, and a server outlives tests that are killed.
func attributes(*owner) *syscall.SysProcAttr { return nil }
