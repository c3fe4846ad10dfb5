package jobs_test

import (
	"database/sql"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	hiring "github.com/hiring-assessment/hiring-go"
	"github.com/hiring-assessment/hiring-go/jobs"
	"github.com/hiring-assessment/hiring-go/sandbox"
)

var update = flag.Bool("update", false, "write the last folder of testdata anew, before its version is released")

// TestStatesOfReleasesSQLite continues from the row of a watch that each version wrote, which has delivered everything.
func TestStatesOfReleasesSQLite(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("testdata/*/watch.json")
	require.NoError(t, err)
	require.NotEmpty(t, files)
	for i, file := range files {
		s, row := newSQLite(t), map[string]string{}
		organization := jobs.Organization{Name: "acme", Client: sandbox.Start(t).Client(), Watch: hiring.WatchOptions{Since: time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)}}
		writes := *update && i == len(files)-1
		if !writes {
			text, err := os.ReadFile(file)
			require.NoError(t, err)
			require.NoError(t, json.Unmarshal(text, &row))
			s.mustExec(t, "INSERT INTO hiring_jobs (organization, assessment_id, address, status, detail) VALUES ('acme', '', '', $1, $2)", row["status"], row["detail"])
		}
		_, stop := s.watch(t, testConfig(), jobs.Results[*sql.Tx]{Organizations: []jobs.Organization{organization}, Handle: s.insertResult})
		eventually(t, func() bool { return s.count(t, "river_job WHERE kind = 'hiring_poll' AND state = 'completed'") > 0 })
		stop()
		if deliveries := s.count(t, "river_job WHERE kind = 'hiring_delivery'"); !writes {
			require.Zero(t, deliveries, file)
			continue
		}
		for _, column := range []string{"status", "detail"} {
			row[column] = queryValue[string](t, s.db, "SELECT "+column+" FROM hiring_jobs WHERE organization = 'acme' AND address = ''")
		}
		text, err := json.Marshal(row)
		require.NoError(t, err)
		require.NoError(t, os.WriteFile(file, text, 0o600))
	}
}
