package client_test

import (
	"io"
	"log"

	"github.com/hiring-assessment/hiring-go/internal/defaults"
)

func quietLog() *log.Logger { return log.New(io.Discard, "", 0) }

// allAttempts are the attempts of a call that is retried until none is left, by default.
const allAttempts = defaults.MaxAttempts
