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

// MigrationLine is the name of this module's line of migrations. River's own line is
// called main.
const MigrationLine = "hiring"

//go:embed migrations
var migrations embed.FS

// migratedDriver is a driver with this module's line of migrations.
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
	files, err := fs.Sub(migrations, "migrations/"+d.DatabaseName())
	if err != nil { // Cannot happen: the name of a database is a valid path.
		panic(err)
	}
	return files
}

// Migrator returns River's migrator for the table of this module, hiring_jobs. It can
// list, validate and undo versions, and print their SQL for another tool. A nil config
// means the default. Its Line is not used.
func Migrator[TTx any](driver riverdriver.Driver[TTx], config *rivermigrate.Config) (*rivermigrate.Migrator[TTx], error) {
	if name := driver.DatabaseName(); name != postgres && name != sqlite {
		return nil, fmt.Errorf("jobs: no migrations for %s: use riverpgxv5 or riversqlite", name)
	}
	own := rivermigrate.Config{}
	if config != nil {
		own = *config
	}
	own.Line = MigrationLine
	return rivermigrate.New[TTx](migratedDriver[TTx]{driver}, &own)
}

// Names of the databases, as River's drivers return them.
const (
	postgres = "postgres"
	sqlite   = "sqlite"
)

// Migrate creates or updates River's tables and the table of this module. It changes
// nothing when they are up to date. A nil config means the default.
//
// On PostgreSQL any number of processes may call Migrate at the same time, because an
// advisory lock makes them take turns. Migrate needs two connections: one holds the
// lock, the other migrates. With a pool of one connection it waits until ctx ends.
func Migrate[TTx any](ctx context.Context, driver riverdriver.Driver[TTx], config *rivermigrate.Config) error {
	hiringMigrator, err := Migrator(driver, config)
	if err != nil {
		return err
	}
	riverMigrator, err := rivermigrate.New(driver, config)
	if err != nil {
		return err
	}
	if driver.DatabaseName() == postgres {
		lock, err := driver.GetExecutor().Begin(ctx)
		if err != nil {
			return err
		}
		defer func() { _ = lock.Rollback(context.WithoutCancel(ctx)) }() // Releases the lock.
		if _, err := lock.PGAdvisoryXactLock(ctx, migrationLock); err != nil {
			return err
		}
	}
	for _, migrator := range []*rivermigrate.Migrator[TTx]{riverMigrator, hiringMigrator} {
		if _, err := migrator.Migrate(ctx, rivermigrate.DirectionUp, nil); err != nil {
			return err
		}
	}
	return nil
}

// migrationLock is the key of the advisory lock, a random number.
const migrationLock = 7_241_905_386_113
