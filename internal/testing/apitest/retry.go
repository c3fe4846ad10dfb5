package apitest

import (
	"errors"
	"net"
)

var DialError = &net.OpError{Op: "dial", Net: "tcp", Err: errors.New("connection refused")}
