package main

import (
	"os"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/creack/pty"
	"github.com/hinshun/vt10x"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	hiring "github.com/hiring-assessment/hiring-go"
	"github.com/hiring-assessment/hiring-go/sandbox"
)

// display is a terminal on which a program draws.
type display struct {
	t    *testing.T
	file *os.File
	vt10x.Terminal

	drawn chan struct{} // Closed when the program has ended.
}

func (u *user) display(args ...string) (*display, func() int) {
	u.t.Helper()
	const rows, columns = 24, 90
	c := u.command(u.t.Context(), args...)
	file, err := pty.StartWithSize(c, &pty.Winsize{Rows: rows, Cols: columns})
	require.NoError(u.t, err)
	u.t.Cleanup(func() { _ = file.Close() })
	d := &display{t: u.t, file: file, Terminal: vt10x.New(vt10x.WithSize(columns, rows)), drawn: make(chan struct{})}
	go func() {
		defer close(d.drawn)
		chunk := make([]byte, 4096)
		for {
			n, err := file.Read(chunk)
			_, _ = d.Write(chunk[:n])
			if err != nil {
				return
			}
		}
	}()
	return d, func() int {
		<-d.drawn
		return exitCode(u.t, c.Wait())
	}
}

// text returns the text on the display, without trailing spaces.
func (d *display) text() string {
	lines := strings.Split(d.String(), "\n")
	for i, line := range lines {
		lines[i] = strings.TrimRight(line, " ")
	}
	return strings.TrimRight(strings.Join(lines, "\n"), "\n") + "\n"
}

// until waits until a text is shown.
func (d *display) until(want string) {
	d.t.Helper()
	require.Eventually(d.t, func() bool { return strings.Contains(d.text(), want) }, 30*time.Second, 10*time.Millisecond, "%s is not on:\n%s", want, d.text())
}

// still waits until only the clock changes, and returns the text.
func (d *display) still() string {
	before := ""
	for text := ""; text != before || text == ""; text = clocks.ReplaceAllString(d.text(), "…") {
		before = text
		time.Sleep(200 * time.Millisecond)
	}
	return before
}

var clocks = regexp.MustCompile(`\d\d-\d\d \d\d:\d\d CES?T|\d\d:\d\d CES?T|\d+ requests|[█░]{16} \d+ of 1000`)

// TestTop: a candidate passes all stages while the view is open.
func TestTop(t *testing.T) {
	t.Parallel()
	h := newCampaign(t, 1)
	u := newUser(t, h.server, sandbox.LiveKey)
	h.server.AddAssessment("Frontend")
	invite := func(name string) string {
		invitation, err := h.server.LiveClient().Invitations.Send(t.Context(), h.id, hiring.NewInvitation{Name: name, Email: strings.ToLower(name) + "@example.com"})
		require.NoError(t, err)
		return invitation.ID
	}
	begin := func(name string) string {
		submission, err := h.server.Begin(invite(name))
		require.NoError(t, err)
		return submission
	}
	invite("Ada")
	invite("Bob")
	require.NoError(t, h.server.Open(invite("Cleo")))
	begin("Dan")
	grace, edsger := begin("Grace"), begin("Edsger")
	require.NoError(t, h.server.Submit(grace))
	require.NoError(t, h.server.Evaluate(edsger, sandbox.Result{ShipScore: 88}))

	d, wait := u.display("top", "--assessment", h.id, "--interval", "300ms")
	d.until("Edsger")
	d.until("evaluated  █████")
	require.NoError(t, h.server.Evaluate(grace, sandbox.Result{ShipScore: 93, Extra: map[string]any{"verdict_label": "Strong yes"}}))
	d.until("Grace")
	golden(t, "golden/top.txt", d.still())
	_, err := d.file.WriteString("q")
	require.NoError(t, err)
	assert.Equal(t, exitOK, wait())

	u.env = append(u.env, envKey+"=sk_live_revoked")
	d, wait = u.display("top")
	assert.Equal(t, exitAuth, wait(), d.text())
	got := u.run("top")
	assert.Equal(t, exitUsage, got.code)
	assert.Contains(t, got.stderr, "hiring watch")
}
