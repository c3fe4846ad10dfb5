package client_test

import (
	"io"
	"log"
)

func quietLog() *log.Logger { return log.New(io.Discard, "", 0) }
