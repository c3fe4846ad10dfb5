package jobs_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/riverqueue/river/riverdriver/riverpgxv5"
	"github.com/stretchr/testify/require"

	"github.com/hiring-assessment/hiring-go/jobs"
)

// previousRelease is the commit of the previous release. Before the first release it is a
// commit that saves the states of the first release, which are not read by earlier ones.
const previousRelease = "c731e1d"

// TestPreviousReleaseBesideThisOnePostgres runs a worker process of each release on one
// database, as during a deployment, until all results are stored and all invitations
// are sent. The worker of the previous release is the test binary of its commit.
func TestPreviousReleaseBesideThisOnePostgres(t *testing.T) {
	if !longTests() {
		t.Log("set HIRING_LONG to run this test: it builds the previous release from the history of the repository")
		return
	}
	dir := t.TempDir()
	run := func(dir, program string, arguments ...string) {
		t.Helper()
		c := exec.CommandContext(t.Context(), program, arguments...)
		c.Dir = dir
		c.Env = append(os.Environ(), "GOWORK=off")
		output, err := c.CombinedOutput()
		require.NoError(t, err, "%s", output)
	}
	archive := filepath.Join(dir, "previous.tar")
	run("..", "git", "archive", "--output="+archive, previousRelease)
	run(dir, "tar", "-xf", archive)
	previous := filepath.Join(dir, "previous.test")
	run(filepath.Join(dir, "jobs"), "go", "test", "-c", "-o", previous, ".")
	current, err := os.Executable()
	require.NoError(t, err)

	s, api := newPostgres(t), newAPI(t)
	start := func(name, program string) {
		t.Helper()
		c := exec.CommandContext(t.Context(), program)
		c.Env = append(os.Environ(), roleVariable+"=worker", databaseVariable+"="+s.url, serviceVariable+"="+api.URL(), nameVariable+"="+name, untilVariable+"=0")
		c.Stderr = os.Stderr
		require.NoError(t, c.Start())
		t.Cleanup(func() {
			_ = c.Process.Kill()
			_ = c.Wait()
		})
	}
	config := testConfig()
	require.NoError(t, jobs.SendInvitations[*riverpgxv5.Driver, pgx.Tx](config, jobs.Invitations{Organizations: api.organizations()}))
	require.NoError(t, jobs.Watch[*riverpgxv5.Driver](config, jobs.Results[pgx.Tx]{Organizations: api.organizations(), Handle: s.insertResult}))
	config.Queues = nil // This client only inserts jobs.
	client := s.newClient(t, config)

	const before, during = 150, 228
	invited := api.AddAssessment("Invited in the test")
	invite := func(n int) { s.invite(t, client, invited, candidates(n)...) }
	ids := api.addEvaluated(t, before)
	invite(10)
	start("previous", previous)
	eventually(t, func() bool { return s.count(t, "results") > 0 }, "the previous release works alone")
	start("current", current)
	for n := range during {
		ids = append(ids, api.addEvaluated(t, 1)...)
		if n%10 == 0 {
			invite(20 + n)
		}
		time.Sleep(100 * time.Millisecond) // Both releases make many polls in this time.
	}
	s.allStored(t, before+during)
	s.requireStoredOnce(t, before+during)
	invitedCount := s.count(t, "hiring_jobs WHERE assessment_id = $1 AND address <> ' checkpoint'", invited)
	eventually(t, s.statusIs(t, jobs.StatusSent, invitedCount), "all invitations are sent")
	api.assessment = invited
	api.requireInvitedOnce(t, invitedCount)
	for _, kind := range []string{"hiring_poll", "hiring_delivery", "hiring_invitations"} {
		eventually(t, func() bool { // There are few polls, and more follow.
			return queryValue[int](t, s.db, "SELECT count(DISTINCT attempted_by[array_length(attempted_by, 1)]) FROM river_job WHERE kind = $1 AND state = 'completed'", kind) == 2
		}, "both releases completed jobs of kind %s", kind)
	}

	for _, id := range ids[:20] { // Deliveries of either release can be repeated by either.
		s.deliver(t, client, "acme", id)
	}
	eventually(t, s.countIs(t, before+during+20, "results"), "the repeated deliveries are stored")
}
