package main

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	hiring "github.com/hiring-assessment/hiring-go"
	"github.com/hiring-assessment/hiring-go/cmd/hiring/internal/candidates"
	"github.com/hiring-assessment/hiring-go/cmd/hiring/internal/output"
	"github.com/hiring-assessment/hiring-go/sandbox"
)

// newImport returns a campaign with live data, and a user with a file of its people.
func newImport(t *testing.T, people int) (*campaign, *user) {
	t.Helper()
	h := newCampaign(t, people)
	u := newUser(t, h.server, sandbox.LiveKey)
	var text strings.Builder
	text.WriteString("Name;E-Mail;Team\n") // A German spreadsheet writes semicolons.
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

func TestImportAsksBeforeItSends(t *testing.T) {
	t.Parallel()
	h, u := newImport(t, 7)
	line := []string{"invitations", "import", "people.csv", "--assessment", h.id}
	const plan = "7 candidates for Backend: 0 already invited, 7 to invite.\n" +
		"1 column is not used.\nThe plan has 2000 invitations left.\n"

	got := u.run(append(line, "--dry-run")...)
	assert.Equal(t, result{stdout: plan}, got)
	got = u.run(append(line, "--dry-run", "--jq", "[.to_invite, .plan_left] | @csv")...)
	assert.Equal(t, result{stdout: "7,2000\n"}, got)
	u.fails(exitUsage, "hiring: This would send invitation e-mails to 7 candidates of the assessment "+h.id+" with a live key. Confirm with --yes.", line...)
	for _, no := range []string{"n\n", "\x04"} { // The second is Ctrl-D.
		got, _ = u.inDialog([]answer{{"Continue? [y/N] ", no}}, line...)
		assert.Equal(t, exitFailed, got.code)
		assert.Contains(t, got.stdout, "Nothing was changed.")
		assert.Empty(t, h.invitations(), "no e-mail was sent before the confirmation")
	}

	got, _ = u.inDialog([]answer{{"This will send invitation e-mails to 7 candidates of the assessment Backend (" + h.id + ") in Sandbox Live Ltd with a live key. Continue? [y/N] ", "yes\n"}}, line...)
	assert.Equal(t, exitOK, got.code, got.stdout)
	assert.Contains(t, got.stdout, strings.Repeat("█", 24)+" invited 7 of 7, 7 sent")
	golden(t, "golden/import.txt", "$ hiring "+strings.Join(line[:4], " ")+" <assessment-id>\n"+strings.ReplaceAll(visible(finalScreen(got.stdout)), h.id, "<assessment-id>"))
	assert.Len(t, h.invitations(), 7)

	got = u.run(line...)
	assert.Equal(t, result{stdout: "0 sent, 7 sent earlier. Results: people.csv.results.csv\n"}, got, "no confirmation when no e-mail is sent")
	assert.Len(t, h.invitations(), 7)
	assert.Equal(t, 7, strings.Count(u.read("people.csv.results.csv"), ",sent,"), "the file still says that an earlier run sent them")
}

// TestImportOfInvalidFiles: mistakes, two columns with one meaning, and invisible characters are
// errors with the line of the file.
func TestImportOfInvalidFiles(t *testing.T) {
	t.Parallel()
	h, u := newImport(t, 1)
	for text, says := range map[string]string{
		"":                           "bad.csv is empty: its first line must name the columns",
		"first,last\nAda,Lovelace\n": "The first line of bad.csv must name the columns, such as name,email: no column is called name.",
		"name,email\n\n , \n":        "bad.csv has no rows below its header.",
		"name,email\n,a@example.com\nBob,\nCid,cid\nDan\n":                "line 2: the name is missing; line 3: the address is missing; line 4: the address needs one @ with a text on both sides; line 5: too few columns",
		"name,email\nAda,a@example.com,,\nbjorn@x.test,Bergström,Björn\n": "line 3: more columns than the header: put a value with a comma in double quotes",
		"name,email\n" + strings.Repeat("x,\n", 9):                        "and 4 more",
		"name,email,=LINK(\"x\")\nAda,a@example.com,1\n":                  "bad.csv is not CSV with columns such as name,email: parse error on line 1",
		"name,email\n\"Ada,a@example.com\n":                               "is not CSV",
		"name,email\nZo\xeb,zoe@example.com\n":                            "UTF-8",
		"name,email,Email\nAda,a@example.com,b@example.com\n":             "The first line of bad.csv has two columns for the email: leave one of them",
		"name,ada@example.com\nBob,b@example.com\n":                       "The first line of bad.csv must name the columns, such as name,email: no column is called email",
		"name,email\n\"Ada\nLovelace\",a@example.com\n\nBob,bob\n":        "line 5: the address needs one @ with a text on both sides",
		"name,email\rAda,a@example.com\rBob,bob\r":                        "line 3: the address needs one @ with a text on both sides",
		"name,email\nAda,\"a@exam\nple.com\"\n":                           "line 2: the address has invisible characters",
		"name,email\nAda,a\u200b@example.com\n":                           "line 2: the address has invisible characters",
		"name,email\nAda,a\u00a0b@example.com\n":                          "line 2: the address has a space or one of , ; < >",
		"name,email\nAda\u0007,a@example.com\n":                           "line 2: the name has control characters",
		"name,email\n\"Ada\nLovelace\",a@example.com\n":                   "line 2: the name has control characters",
	} {
		u.write("bad.csv", text)
		got := u.fails(exitUsage, says, "invitations", "import", "bad.csv", "-a", h.id, "--yes")
		assert.Equal(t, 1, strings.Count(got.stderr, "\n"), "%q", text)
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
	u.fails(exitUsage, "closed", "invitations", "import", "people.csv", "-a", h.id, "--yes")
	assert.Empty(t, h.invitations())
}

func TestImportUntilThePlanIsUsedUp(t *testing.T) {
	t.Parallel()
	h, u := newImport(t, 5)
	h.server.SetPlan(sandbox.LiveKey, 0, 3)
	assert.Contains(t, u.run("invitations", "import", "people.csv", "-a", h.id, "--dry-run").stdout, "only 3 invitations left. The import will stop there")
	got := u.run("invitations", "import", "people.csv", "-a", h.id, "--yes")
	assert.Equal(t, exitPlan, got.code)
	assert.Equal(t, "3 sent, 2 not sent. Results: people.csv.results.csv\n", got.stdout)
	assert.Len(t, h.invitations(), 3)
	h.server.SetPlan(sandbox.LiveKey, 0, 30)
	got = u.run("invitations", "import", "people.csv", "-a", h.id, "--yes", "-o", "json", "--jq", ".sent, .sent_earlier, .existing")
	assert.Equal(t, "2\n3\n0\n", got.stdout, got.stderr)
	h.assertOneInvitationEach()
}

// TestImportOfOneFileTwiceAtOnce: the second import on the machine is refused and sends
// nothing.
func TestImportOfOneFileTwiceAtOnce(t *testing.T) {
	t.Parallel()
	h, u := newImport(t, 20)
	sending, released := make(chan struct{}), make(chan struct{})
	begun := sync.OnceFunc(func() { close(sending) })
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodPost {
			begun()
			<-released
		}
		h.server.ServeHTTP(w, r)
	}))
	t.Cleanup(server.Close)
	u.env = append(u.env, envBaseURL+"="+server.URL)
	line := []string{"invitations", "import", "people.csv", "-a", h.id, "--yes"}
	first := u.command(t.Context(), line...)
	require.NoError(t, first.Start())
	<-sending
	got := u.run(line...)
	assert.Equal(t, result{code: exitUsage, stderr: "hiring: people.csv.results.csv: another command is writing this file: wait until it has ended. No invitations were sent.\n"}, got)
	close(released)
	assert.Equal(t, exitOK, exitCode(t, first.Wait()))
	h.assertOneInvitationEach()
	assert.Equal(t, map[string]int{"sent": 20}, outcomes(t, filepath.Join(u.home, "people.csv.results.csv")))
	assert.NoFileExists(t, filepath.Join(u.home, "people.csv.results.csv.lock"))
}

// TestImportReadsWhatSpreadsheetsRead: a first line that names the separator, empty rows before the
// header, a comma in a heading of a file with semicolons, and the list that this program writes.
func TestImportReadsWhatSpreadsheetsRead(t *testing.T) {
	t.Parallel()
	h, u := newImport(t, 1)
	for text, says := range map[string]string{
		"sep=;\r\nname;email\r\nAda;a@example.com\r\n":                     "",
		"\ufeff\"sep=;\"\nname;email\nAda;a@example.com\n":                 "",
		"SEP=\t\nname\temail\nAda\ta@example.com\n":                        "",
		"sep=,\nname,email\n\"Lovelace; Ada\",a@example.com\n":             "",
		"\n;;\n \nname;email\nAda;a@example.com\n":                         "",
		"\n,,\nname,email,team\nAda,a@example.com,\n":                      "",
		"\"Team, site\";name;email\nred;Ada;a@example.com\n":               "",
		"candidate,email\n'-Ada <'+ada@example.com,'+a@example.com\n":      "",
		"sep=;\nname;email\n\nAda;a\n":                                     "line 4: the address needs one @",
		"sep=x\nname,email\nAda,a@example.com\n":                           "The first line of list.csv must name the columns",
		"name,email\n" + strings.Repeat("x", 600_000) + ",a@example.com\n": "line 2: the invitation is 600055 bytes of JSON, above the API's limit of 524288",
	} {
		u.write("list.csv", text)
		got := u.run("invitations", "import", "list.csv", "-a", h.id, "--dry-run")
		if says == "" {
			assert.True(t, strings.HasPrefix(got.stdout, "1 candidate for Backend: 0 already invited, 1 to invite."), "%q: %+v", text, got)
		} else {
			assert.Equal(t, exitUsage, got.code, "%.50q", text)
			assert.Contains(t, got.stderr, says, "%.50q", text)
		}
	}
	_, err := h.server.LiveClient().Invitations.Send(t.Context(), h.id, hiring.NewInvitation{Email: "+ada@example.com", Name: "-Ada <'=1"})
	require.NoError(t, err)
	u.write("own.csv", u.run("invitations", "list", "-a", h.id, "-o", "csv").stdout)
	assert.Contains(t, u.read("own.csv"), "'-Ada <'=1,'+ada@example.com")
	other := h.server.AddAssessment("Other")
	require.Zero(t, u.run("invitations", "import", "own.csv", "-a", other, "--yes").code)
	for invitation, err := range h.server.LiveClient().Invitations.List(other).All(t.Context()) {
		require.NoError(t, err)
		assert.Equal(t, "-Ada <'=1 +ada@example.com", invitation.CandidateName+" "+invitation.CandidateEmail)
	}
}

// TestImportFromStandardInput needs a name for the results, unless it is a dry run, and a confirmation as a flag.
func TestImportFromStandardInput(t *testing.T) {
	t.Parallel()
	h, u := newImport(t, 1)
	const text = "name,email\nAda,ada@example.com\n"
	for i, file := range []string{"-", "/dev/stdin"} {
		got := u.runWith(text, "invitations", "import", file, "-a", h.id, "--yes")
		assert.Equal(t, exitUsage, got.code)
		assert.Contains(t, got.stderr, "--results is missing: "+file+" has no name beside which the results could be written. No invitations were sent.")
		assert.Equal(t, result{stdout: []string{"1\n", "0\n"}[i]}, u.runWith(text, "invitations", "import", file, "-a", h.id, "--dry-run", "--jq", ".to_invite"))
		got = u.runWith(text, "invitations", "import", file, "-a", h.id, "--yes", "--results", "r.csv")
		assert.Equal(t, []string{"1 sent. Results: r.csv\n", "0 sent, 1 sent earlier. Results: r.csv\n"}[i], got.stdout, got.stderr)
	}
	got := u.runWith("Ada\n", "invitations", "import", "-", "-a", h.id, "--dry-run", "--results", "r.csv")
	assert.Contains(t, got.stderr, "The first line of standard input must name the columns")
}

// TestImportAcceptsNamesOfEveryScript: letters written from right to left and their marks,
// joiners in Persian and Indic names, letters of newer Unicode versions, soft hyphens and
// spaces of spreadsheets. The API and the results get them as they are.
func TestImportAcceptsNamesOfEveryScript(t *testing.T) {
	t.Parallel()
	h, u := newImport(t, 1)
	u.write("crs.csv", "Full name,E-mail\rAda,r1@example.com\rBob,r2@example.com\r")
	require.Zero(t, u.run("invitations", "import", "crs.csv", "-a", h.id, "--yes").code)
	require.Len(t, h.invitations(), 2, "lines may end as on old Macs")
	names := []string{"עדה לאבלייס", "علی\u200cرضا", "ক্\u200dষ", "Ada\u00a0Lovelace", "李 小龙", "Zoe\u0308", "Ma\u00adrie", "علي\u200f", "\U000323b0 \U0003134b"}
	var text strings.Builder
	text.WriteString("name,email\n")
	for i, name := range names {
		fmt.Fprintf(&text, "%s,n%d@example.com\n", name, i)
	}
	u.write("names.csv", text.String())
	got := u.run("invitations", "import", "names.csv", "-a", h.id, "--yes")
	require.Zero(t, got.code, got.stderr)
	for _, invitation := range h.listed()[:len(names)] {
		assert.Contains(t, names, invitation.CandidateName)
		assert.Contains(t, u.read("names.csv.results.csv"), ","+invitation.CandidateName+",sent,")
	}
}

// TestInvitationsHaveNoInvisibleCharacters: send and ensure check a candidate as an import
// does.
func TestInvitationsHaveNoInvisibleCharacters(t *testing.T) {
	t.Parallel()
	h, u := newImport(t, 1)
	for _, command := range []string{"send --again", "invite"} {
		for candidate, says := range map[string]string{
			"Ev\u0007il <a@example.com>": "the name has control characters or line breaks: type it again. Give 'Ada <a@example.com>'",
			"Ada <a\u200b@example.com>":  "the address has invisible characters or line breaks: type it again. Give 'Ada <ada@example.com>'",
			"<a@example.com>":            "the name is missing. Give 'Ada <a@example.com>'",
			"Ada <>":                     "the address is missing. Give 'Ada <ada@example.com>'",
		} {
			got := u.run(append(append([]string{"invitations"}, strings.Fields(command)...), "-a", h.id, "--yes", candidate)...)
			assert.Equal(t, result{stderr: "hiring: Argument 1: " + says + ", or one address and --name.\n", code: exitUsage}, got)
		}
	}
	assert.Empty(t, h.invitations())
}

// TestOneAddressInSeveralSpellings: spellings of an address are one person, in the file
// and at the API.
func TestOneAddressInSeveralSpellings(t *testing.T) {
	t.Parallel()
	h, u := newImport(t, 1)
	_, err := h.server.LiveClient().Invitations.Send(t.Context(), h.id, hiring.NewInvitation{Email: "ren\u00e9\u200b@example.com", Name: "Ren\u00e9"})
	require.NoError(t, err)
	u.write("names.csv", "email,name\nREN\u00c9@example.com,Ren\u00e9\nRen\u00e9@example.com,Ren\u00e9\nzo\u00eb@example.com,Zo\u00eb\nZO\u00cb@EXAMPLE.com,Zo\u00eb\n")
	assert.Contains(t, u.run("invitations", "import", "names.csv", "-a", h.id, "--dry-run").stdout, "2 candidates for Backend: 1 already invited, 1 to invite.\n2 rows repeat an address")
	got := u.run("invitations", "import", "names.csv", "-a", h.id, "--yes")
	require.Zero(t, got.code, got.stderr)
	assert.Equal(t, "1 sent, 1 existing. Results: names.csv.results.csv\n", got.stdout)
	assert.Len(t, h.invitations(), 2)
}

// TestImportOnAFullDisk sends nothing that it cannot record. A limit of the file size
// simulates a full disk.
func TestImportOnAFullDisk(t *testing.T) {
	t.Parallel()
	h, u := newImport(t, 60)
	c := exec.CommandContext(t.Context(), "bash", "-c", `ulimit -f 8 && exec "$0" "$@"`, os.Args[0], "invitations", "import", "people.csv", "-a", h.id, "--yes", "--results", "r.csv")
	c.Env, c.Dir = u.env, u.home
	var stdout, stderr bytes.Buffer
	c.Stdout, c.Stderr = &stdout, &stderr
	assert.Equal(t, exitFailed, exitCode(t, c.Run()))
	var sent, missing int
	_, err := fmt.Sscanf(stdout.String(), "%d sent, %d not sent. Results: r.csv\n", &sent, &missing)
	require.NoError(t, err, stdout.String())
	assert.Len(t, h.invitations(), sent, "the summary is true")
	assert.Equal(t, 60, sent+missing)
	assert.Greater(t, sent, 10)
	assert.Contains(t, stderr.String(), "hiring: The results cannot be written to r.csv: ")
	assert.Contains(t, stderr.String(), "file too large. Run the same command again")
	rows := u.read("r.csv")
	for email := range h.invitations() {
		assert.Contains(t, rows, email, "every sent invitation has a row")
	}

	got := u.run("invitations", "import", "people.csv", "-a", h.id, "--yes", "--results", "r.csv")
	require.Zero(t, got.code, got.stderr)
	assert.Equal(t, fmt.Sprintf("%d sent, %d sent earlier. Results: r.csv\n", 60-sent, sent), got.stdout)
	h.assertOneInvitationEach()
}

// TestImportContinuesAfterARejectedCandidate: one rejected candidate does not stop the others.
func TestImportContinuesAfterARejectedCandidate(t *testing.T) {
	t.Parallel()
	h, u := newImport(t, 3)
	h.server.Inject(sandbox.Fault{Route: "POST /assessments/{id}/invitations", Skip: 1, Times: 1, Status: 400, Code: hiring.ErrInvalidInput})
	got := u.run("invitations", "import", "people.csv", "-a", h.id, "--yes")
	assert.Equal(t, exitFailed, got.code)
	assert.Equal(t, "2 sent, 1 rejected. Results: people.csv.results.csv\n", got.stdout)
	rejected := ""
	for line := range strings.Lines(u.read("people.csv.results.csv")) {
		if cells := strings.Split(line, ","); cells[2] == "rejected" {
			rejected = cells[0]
		}
	}
	i := slices.IndexFunc(h.people, func(p hiring.NewInvitation) bool { return strings.EqualFold(p.Email, rejected) })
	assert.Contains(t, got.stderr, fmt.Sprintf("Line %d was rejected: 400 INVALID_INPUT: This error was injected", i+2))
	assert.Contains(t, got.stderr, "hiring: 1 of 3 candidates have no invitation: 1 rejected, to be corrected, and 0 to be tried again. people.csv.results.csv has the reasons.\n")
	assert.NotContains(t, strings.ToLower(got.stderr), "@example.com")

	h.server.Inject(sandbox.Fault{Route: "POST /assessments/{id}/invitations", Times: 1, Status: 409})
	got = u.run("invitations", "import", "people.csv", "-a", h.id, "--yes", "-o", "json", "--jq", "[.sent_earlier, .rejected] | @csv")
	assert.Equal(t, exitFailed, got.code)
	assert.Equal(t, "2,1\n", got.stdout)
}

// TestInviteContinuesAfterARejectedCandidate: any other error ends the command.
func TestInviteContinuesAfterARejectedCandidate(t *testing.T) {
	t.Parallel()
	h, u := newImport(t, 3)
	h.server.Inject(sandbox.Fault{Route: "POST /assessments/{id}/invitations", Skip: 1, Times: 1, Status: 409})
	invite := []string{"invite", "-a", h.id, "--yes", "-o", "json", "--jq", ".[] | [.candidate_email, .outcome, (.id | type), (.problem | type)] | @csv"}
	got := u.run(append(invite, "Ada<ada@example.com>", "Bob<bob@example.com>", "Eve<eve@example.com>")...)
	assert.Equal(t, exitFailed, got.code)
	assert.Equal(t, `"ada@example.com","sent","string","null"`+"\n"+`"bob@example.com","rejected","null","string"`+"\n"+`"eve@example.com","sent","string","null"`+"\n", got.stdout)
	assert.Contains(t, got.stderr, "Argument 2 was rejected: 409 CONFLICT: This error was injected")
	assert.Contains(t, got.stderr, "hiring: 1 of 3 candidates have no invitation, because they were rejected. Correct them, and run the command again.\n")
	assert.NotContains(t, got.stderr, "To be tried again")

	h.server.Inject(sandbox.Fault{Route: "POST /assessments/{id}/invitations", Times: 1, Status: 400, Code: hiring.ErrInvalidInput})
	h.server.Inject(sandbox.Fault{Route: "POST /assessments/{id}/invitations", Skip: 1, Times: 1, Status: 402})
	got = u.run("invite", "-a", h.id, "--yes", "Ada<ada@example.com>", "Bob<bob@example.com>", "Kim<kim@example.com>", "Lea<lea@example.com>")
	assert.Equal(t, exitPlan, got.code)
	assert.Regexp(t, `(?s)Ada +ada@example.com +existing .*\nBob +bob@example.com +rejected\n$`, got.stdout)
	assert.Contains(t, got.stderr, "Argument 2 was rejected: 400 INVALID_INPUT")
	assert.Contains(t, got.stderr, "To be tried again: the candidates from argument 3 on.\n")
	assert.Contains(t, got.stderr, "hiring: 402 PLAN_LIMIT_REACHED")

	h.server.Inject(sandbox.Fault{Route: "POST /assessments/{id}/invitations", Times: 1, Status: 400, Code: hiring.ErrInvalidInput})
	assert.Equal(t, exitUsage, u.run("invite", "-a", h.id, "--yes", "Bob<bob@example.com>").code)
}

// TestARejectionWithoutARequestSaysNothingAboutARow: the request of an earlier run may have arrived.
func TestARejectionWithoutARequestSaysNothingAboutARow(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "r.csv")
	results, err := candidates.OpenResults(file)
	require.NoError(t, err)
	defer results.Close()
	im := importer{plan: importPlan{ID: "f0"}, results: results, progress: output.Stream{Writer: io.Discard}.Progress("invited"), begun: map[string]bool{}, done: map[string]bool{}}
	for _, row := range []struct {
		before hiring.InviteOutcome
		begun  bool
		want   hiring.InviteOutcome
	}{
		{hiring.InviteUnknown, false, hiring.InviteUnknown},
		{hiring.InviteSent, false, hiring.InviteSent},
		{hiring.InviteRejected, false, hiring.InviteRejected},
		{hiring.InviteNotSent, false, hiring.InviteRejected},
		{hiring.InviteExisting, false, hiring.InviteRejected},
		{"", false, hiring.InviteRejected},
		{hiring.InviteSent, true, hiring.InviteRejected},
		{"", true, hiring.InviteRejected},
	} {
		person := hiring.NewInvitation{Email: fmt.Sprintf("%s-%t@example.com", row.before, row.begun), Name: "A"}
		im.people, im.lines = append(im.people, person), append(im.lines, 2)
		if row.before != "" {
			require.NoError(t, results.Add(candidates.Result{Email: person.Email, AssessmentID: "f0", Outcome: row.before, At: time.Now()}))
		}
		if row.begun {
			require.NoError(t, im.begin(person))
		}
		im.record(hiring.InviteResult{Candidate: person, Outcome: hiring.InviteRejected}, &hiring.ParamError{Param: "Name", Problem: "is wrong"})
		assert.Equal(t, row.want, results.Row("f0", person.Email).Outcome, row)
	}
	assert.Equal(t, "0 sent, 1 sent earlier, 6 rejected, 1 unknown", im.summary.text())
}

// TestUnusableResults ends with exit status 2, sends nothing, and names what the user typed.
func TestUnusableResults(t *testing.T) {
	t.Parallel()
	h, u := newImport(t, 1)
	u.write("notes.csv", "name,email\nAda,ada@example.com\n")
	for name, says := range map[string]string{
		"notes.csv":     "hiring: notes.csv is not a file of results: name another with --results.\n",
		"none/r.csv":    "hiring: none/r.csv: the folder does not exist.\n",
		"people.csv/r.": "hiring: people.csv/r. ",
	} {
		for _, how := range []string{"--yes", "--dry-run"} {
			got := u.run("invitations", "import", "people.csv", "-a", h.id, how, "--results", name)
			assert.Equal(t, exitUsage, got.code, name)
			assert.True(t, strings.HasPrefix(got.stderr, says), got.stderr)
			assert.NotRegexp(t, `\.lock`, got.stderr)
		}
	}
	assert.Empty(t, h.invitations())
}

// TestCandidatesWhoCannotStart: the row of an expired invitation says so, and that of one with an
// unknown status says nothing.
func TestCandidatesWhoCannotStart(t *testing.T) {
	t.Parallel()
	h := &campaign{t: t, server: sandbox.New(sandbox.WithClock(func() time.Time { return time.Now().Add(-60 * 24 * time.Hour) }))}
	h.id = h.server.AddAssessment("Backend")
	client := h.server.LiveClient()
	send := func(email string) hiring.Invitation {
		invitation, err := client.Invitations.Send(t.Context(), h.id, hiring.NewInvitation{Email: email, Name: "A"})
		require.NoError(t, err)
		return invitation
	}
	send("c1@example.com")
	_, err := h.server.Begin(send("c3@example.com").ID)
	require.NoError(t, err)
	h.server.Advance(60 * 24 * time.Hour)
	revoked := send("c0@example.com")
	require.NoError(t, client.Invitations.Revoke(t.Context(), h.id, revoked.ID))
	send("c2@example.com")
	u := newUser(t, h.server, sandbox.LiveKey)
	u.write("people.csv", "name,email\nA,c0@example.com\nA,c1@example.com\nA,c2@example.com\nA,c3@example.com\nA,c4@example.com\n")
	got := u.run("invitations", "import", "people.csv", "-a", h.id, "--yes")
	assert.Equal(t, "1 sent, 2 existing, 1 revoked, 1 expired. Results: people.csv.results.csv\n", got.stdout, got.stderr)
	assert.Zero(t, got.code, "a repeated import succeeds")
	const warnings = "hiring: warning: 1 invitation is revoked, and got no e-mail. hiring invitations send --again <candidate> -a <assessment> sends another.\n" +
		"hiring: warning: 1 invitation is expired, and got no e-mail. hiring invitations send --again <candidate> -a <assessment> sends another.\n"
	assert.Equal(t, warnings, got.stderr)
	rows := u.read("people.csv.results.csv")
	assert.Regexp(t, "c0@example.com,A,existing,"+revoked.ID+","+h.id+",the candidate cannot start: the invitation is revoked,[^,]+,revoked\n", rows)
	assert.Regexp(t, "c1@example.com,A,existing,[^,]+,[^,]+,the candidate cannot start: the invitation is expired,[^,]+,expired\n", rows)
	assert.Regexp(t, "c3@example.com,A,existing,[^,]+,[^,]+,,[^,]+,started\n", rows)
	assert.Regexp(t, "c4@example.com,A,sent,[^,]+,[^,]+,,[^,]+,sent\n", rows)
	assert.Equal(t, 2, strings.Count(rows, "cannot start"))
	got = u.run("invitations", "import", "people.csv", "-a", h.id, "--yes", "-o", "json", "--jq", "[.sent_earlier, .existing, .revoked, .expired]|@csv")
	assert.Equal(t, result{stdout: "1,2,1,1\n", stderr: warnings}, got)
	invite := []string{"invite", "A<c0@example.com>", "A<c1@example.com>", "A<c3@example.com>", "-a", h.id, "--yes"}
	got = u.run(append(invite, "-o", "json", "--jq", ".[] | [.candidate_email, .outcome, .status, .problem] | @csv")...)
	assert.Equal(t, `"c0@example.com","existing","revoked","the candidate cannot start: the invitation is revoked"`+"\n"+
		`"c1@example.com","existing","expired","the candidate cannot start: the invitation is expired"`+"\n"+`"c3@example.com","existing","started",`+"\n", got.stdout)
	assert.Equal(t, warnings, got.stderr)
	got = u.run(append(invite, "-o", "csv", "--columns", "email,outcome,status,problem")...)
	assert.Contains(t, got.stdout, "c0@example.com,existing,revoked,the candidate cannot start: the invitation is revoked\n")
}
