package client_test

import (
	"github.com/hiring-assessment/hiring-go/internal/defaults"
	"io"
	"log"
)

func quietLog() *log.Logger { return log.New(io.Discard, "", 0) }

// allAttempts are the attempts of a call that is retried until none is left, by default.
const allAttempts = defaults.MaxAttempts
