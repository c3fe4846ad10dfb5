package apitest

import (
	"context"
	"log/slog"
	"reflect"
	"strings"

	"github.com/hiring-assessment/hiring-go"
)

const SampleInvitationID = "1a000000-0000-4000-8001-000000000001"

func DialectFields() []string {
	var names []string
	for field := range reflect.TypeFor[hiring.Dialect]().Fields() {
		names = append(names, field.Name)
	}
	return names
}

// Listener hears what an observer and a logger of a client are told.
type Listener struct {
	Warnings []string
	Lines    strings.Builder
}

func (l *Listener) Options() []hiring.Option {
	return []hiring.Option{
		hiring.WithObserver(func(_ context.Context, e hiring.Exchange) {
			if e.Warning != "" {
				l.Warnings = append(l.Warnings, e.Warning)
			}
		}),
		hiring.WithLogger(slog.New(slog.NewTextHandler(&l.Lines, &slog.HandlerOptions{Level: slog.LevelWarn}))),
	}
}
