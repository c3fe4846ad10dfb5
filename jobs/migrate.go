package jobs

import (
	"context"
	"embed"
	"fmt"
	"io/fs"
	"slices"

	"github.com/riverqueue/river/riverdriver"
	"github.com/riverqueue/river/rivermigrate"
)

// MigrationLine is the name of this module's migrations beside River's own.
const MigrationLine = "hiring"

//go:embed migrations
var migrations embed.FS

// migratedDriver is a driver that brings our line of migrations as well.
type migratedDriver[TTx any] struct {
	riverdriver.Driver[TTx]
}

func (d migratedDriver[TTx]) GetMigrationLines() []string {
	return append(slices.Clone(d.Driver.GetMigrationLines()), MigrationLine)
}

func (d migratedDriver[TTx]) GetMigrationFS(line string) fs.FS {
	if line != MigrationLine {
		return d.Driver.GetMigrationFS(line)
	}
	ours, err := fs.Sub(migrations, "migrations/"+d.DatabaseName())
	if err != nil { // Only an invalid path, and a database's name is none.
		panic(err)
	}
	return ours
}

// Migrator returns River's migrator for this module's one table, hiring_jobs: to
// list, validate or undo its versions, or to print their SQL for another tool.
// A nil config is the default; its Line is not used.
func Migrator[TTx any](driver riverdriver.Driver[TTx], config *rivermigrate.Config) (*rivermigrate.Migrator[TTx], error) {
	if name := driver.DatabaseName(); name != postgres && name != sqlite {
		return nil, fmt.Errorf("jobs: no migrations for %s: use riverpgxv5 or riversqlite", name)
	}
	ours := rivermigrate.Config{}
	if config != nil {
		ours = *config
	}
	ours.Line = MigrationLine
	return rivermigrate.New[TTx](migratedDriver[TTx]{driver}, &ours)
}

// The names by which drivers tell their databases.
const (
	postgres = "postgres"
	sqlite   = "sqlite"
)

// Migrate brings a database up to date: River's tables, and this module's. What
// is up to date is left alone. On PostgreSQL any number of processes may call it
// at the same time: they take turns, by an advisory lock. One connection holds it,
// and River's migrations, some of which cannot share a transaction, need another:
// with a pool of one Migrate waits until ctx ends. A nil config is the default.
func Migrate[TTx any](ctx context.Context, driver riverdriver.Driver[TTx], config *rivermigrate.Config) error {
	ours, err := Migrator(driver, config)
	if err != nil {
		return err
	}
	rivers, err := rivermigrate.New(driver, config)
	if err != nil {
		return err
	}
	if driver.DatabaseName() == postgres {
		lock, err := driver.GetExecutor().Begin(ctx)
		if err != nil {
			return err
		}
		defer func() { _ = lock.Rollback(context.WithoutCancel(ctx)) }() // Which lets the next go.
		if _, err := lock.PGAdvisoryXactLock(ctx, migrationLock); err != nil {
			return err
		}
	}
	for _, migrator := range []*rivermigrate.Migrator[TTx]{rivers, ours} {
		if _, err := migrator.Migrate(ctx, rivermigrate.DirectionUp, nil); err != nil {
			return err
		}
	}
	return nil
}

// migrationLock is a number that no other program should use.
const migrationLock = 7_241_905_386_113
