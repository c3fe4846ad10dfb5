package main

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	hiring "github.com/hiring-assessment/hiring-go"
	"github.com/hiring-assessment/hiring-go/sandbox"
)

// recruiter is somebody with the live key, an assessment and a file of people.
func recruiter(t *testing.T, people int) (*hall, *user) {
	t.Helper()
	h := newHall(t, people)
	u := newUser(t, h.server, sandbox.LiveKey)
	var text strings.Builder
	text.WriteString("Name;E-Mail;Team\n") // as a spreadsheet in Germany writes it
	for _, person := range h.people {
		fmt.Fprintf(&text, "%s;%s;red\n", person.Name, strings.ToUpper(person.Email))
	}
	u.write("people.csv", text.String())
	return h, u
}

func (u *user) write(name, text string) {
	u.t.Helper()
	require.NoError(u.t, os.WriteFile(filepath.Join(u.home, name), []byte(text), 0o600))
}

func (u *user) read(name string) string {
	u.t.Helper()
	text, err := os.ReadFile(filepath.Join(u.home, name))
	require.NoError(u.t, err)
	return string(text)
}

func TestImportAsksBeforeItMails(t *testing.T) {
	t.Parallel()
	h, u := recruiter(t, 7)
	line := []string{"invitations", "import", "people.csv", "--assessment", h.id}
	const plan = "7 people for Backend: 0 already invited, 7 to invite.\n" +
		"These columns are not used: Team.\nThe plan has 2000 invitations left.\n"

	got := u.run(append(line, "--dry-run")...)
	assert.Equal(t, result{stdout: plan}, got)
	got = u.run(append(line, "--dry-run", "--jq", "[.to_invite, .plan_left, .quota_windows] | @csv")...)
	assert.Equal(t, result{stdout: "7,2000,1\n"}, got)
	got = u.run(line...)
	assert.Equal(t, exitUsage, got.code)
	assert.Contains(t, got.stderr, plan+"hiring: the key is live, and this would mail invitations to 7 people; say --yes")
	got, _ = u.inDialog([]answer{{"Go on? [y/N] ", "n\n"}}, line...)
	assert.Equal(t, exitFailed, got.code)
	assert.Empty(t, h.invitations(), "nobody was mailed until now")

	got, _ = u.inDialog([]answer{{"The key is live: this will mail invitations to 7 people. Go on? [y/N] ", "yes\n"}}, line...)
	assert.Equal(t, exitOK, got.code, got.stdout)
	assert.Contains(t, settled(got.stdout), strings.Repeat("█", 24)+" invited 7 of 7, 7 sent\n7 sent; people.csv.results.csv has them all.\n")
	golden(t, "golden/import.txt", "$ hiring "+strings.Join(line[:4], " ")+" ID\n"+visible(settled(got.stdout)))
	assert.Len(t, h.invitations(), 7)

	got = u.run(line...)
	assert.Equal(t, result{
		stdout: "0 sent, 7 existing; people.csv.results.csv has them all.\n",
		stderr: "7 people for Backend: 7 already invited, 0 to invite.\nThese columns are not used: Team.\ninvited 1 of 7, 0 sent, 1 existing\ninvited 7 of 7, 0 sent, 7 existing\n",
	}, got, "nothing is asked when nobody is mailed")
	assert.Len(t, h.invitations(), 7)
	assert.Equal(t, 7, strings.Count(u.read("people.csv.results.csv"), ",sent,"), "that an earlier run sent them is not forgotten")
}

func TestImportOfWhatCannotBe(t *testing.T) {
	t.Parallel()
	h, u := recruiter(t, 1)
	for name, c := range map[string]struct{ text, says string }{
		"no header":        {"", "no header"},
		"other columns":    {"first,last\nAda,Lovelace\n", "name,email"},
		"nobody":           {"name,email\n\n , \n", "nobody"},
		"bad rows":         {"name,email\n,a@example.com\nBob,\nCid,cid\nDan\n", "row 2: the name is missing; row 3: the address is missing; row 4: that is no e-mail address; row 5: it has too few columns"},
		"many bad rows":    {"name,email\n" + strings.Repeat("x,\n", 9), "and 4 more"},
		"a broken quote":   {"name,email\n\"Ada,a@example.com\n", "no CSV"},
		"another encoding": {"name,email\nZo\xeb,zoe@example.com\n", "UTF-8"},
	} {
		u.write("bad.csv", c.text)
		got := u.run("invitations", "import", "bad.csv", "-a", h.id, "--yes")
		assert.Equal(t, exitUsage, got.code, name)
		assert.Contains(t, got.stderr, c.says, name)
		assert.Equal(t, 1, strings.Count(got.stderr, "\n"))
		assert.NotContains(t, got.stderr, "example.com")
	}
	got := u.run("invitations", "import", "none.csv", "-a", h.id, "--yes")
	assert.Equal(t, exitUsage, got.code)
	got = u.run("invitations", "import", "people.csv", "-a", sandbox.UnknownID, "--yes")
	assert.Equal(t, exitNotFound, got.code)
	got = u.run("invitations", "import", "people.csv", "--yes")
	assert.Equal(t, exitUsage, got.code)
	_, err := h.server.LiveClient().Assessments.Close(t.Context(), h.id)
	require.NoError(t, err)
	got = u.run("invitations", "import", "people.csv", "-a", h.id, "--yes")
	assert.Equal(t, exitFailed, got.code)
	assert.Contains(t, got.stderr, "closed")
	assert.Empty(t, h.invitations())
}

func TestImportUntilThePlanIsUsedUp(t *testing.T) {
	t.Parallel()
	h, u := recruiter(t, 5)
	h.server.SetPlan(sandbox.LiveKey, 0, 3)
	got := u.run("invitations", "import", "people.csv", "-a", h.id, "--yes")
	assert.Equal(t, exitPlan, got.code)
	assert.Contains(t, got.stderr, "only 3 invitations left: it will stop there")
	assert.Equal(t, "3 sent, 2 not sent; people.csv.results.csv has them all.\n", got.stdout)
	assert.Len(t, h.invitations(), 3)
	h.server.SetPlan(sandbox.LiveKey, 0, 30)
	got = u.run("invitations", "import", "people.csv", "-a", h.id, "--yes", "-o", "json", "--jq", ".sent, .existing")
	assert.Equal(t, "2\n3\n", got.stdout, got.stderr)
	h.everybodyOnce()
}

// TestAnImportThatIsKilled is killed for good, as often as it takes, and at last
// interrupted; each candidate gets one invitation.
func TestAnImportThatIsKilled(t *testing.T) {
	t.Parallel()
	h, u := recruiter(t, 60)
	h.server.Inject(sandbox.Fault{Route: "POST /assessments/{id}/invitations", Times: 60, Delay: 15 * time.Millisecond})
	line := []string{"invitations", "import", "people.csv", "-a", h.id, "--yes"}
	random := rand.New(rand.NewPCG(1, 2))
	for len(h.invitations()) < 20 {
		c := u.command(t.Context(), line...)
		require.NoError(t, c.Start())
		time.Sleep(time.Duration(50+random.IntN(300)) * time.Millisecond)
		require.NoError(t, c.Process.Signal([]os.Signal{syscall.SIGKILL, syscall.SIGINT}[random.IntN(2)]))
		_ = c.Wait()
		time.Sleep(100 * time.Millisecond) // What was under way arrives.
		h.server.Advance(3 * time.Minute)  // For the next run nobody has invited anybody lately.
	}
	got := u.run(line...)
	assert.Equal(t, exitOK, got.code, got.stderr)
	h.everybodyOnce()
	assert.Equal(t, 60, strings.Count(u.read("people.csv.results.csv"), "\n")-1)
}

// TestAnImportThatIsRefused goes on with the others.
func TestAnImportThatIsRefused(t *testing.T) {
	t.Parallel()
	h, u := recruiter(t, 3)
	h.server.Inject(sandbox.Fault{Route: "POST /assessments/{id}/invitations", Skip: 1, Times: 1, Status: 400, Code: hiring.ErrInvalidInput})
	got := u.run("invitations", "import", "people.csv", "-a", h.id, "--yes")
	assert.Equal(t, exitFailed, got.code)
	assert.Equal(t, "2 sent, 1 refused; people.csv.results.csv has them all.\n", got.stdout)
	refused := ""
	for line := range strings.Lines(u.read("people.csv.results.csv")) {
		if cells := strings.Split(line, ","); cells[2] == "refused" {
			refused = cells[0]
		}
	}
	i := slices.IndexFunc(h.people, func(p hiring.NewInvitation) bool { return strings.EqualFold(p.Email, refused) })
	assert.Contains(t, got.stderr, fmt.Sprintf("\nrow %d was refused: 400 INVALID_INPUT", i+2))
	assert.Contains(t, got.stderr, "hiring: 1 of 3 candidates have no invitation; people.csv.results.csv says why\n")
	assert.NotContains(t, strings.ToLower(got.stderr), "@example.com")
}
