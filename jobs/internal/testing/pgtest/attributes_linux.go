package pgtest

import "syscall"

// attributes makes a process run as a user, and end when its parent ends.
func attributes(as *owner) *syscall.SysProcAttr {
	a := &syscall.SysProcAttr{Pdeathsig: syscall.SIGINT}
	if as != nil {
		a.Credential = &syscall.Credential{Uid: as.uid, Gid: as.gid}
	}
	return a
}
