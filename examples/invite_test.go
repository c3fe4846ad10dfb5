package examples_test

import (
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hiring-assessment/hiring-go/sandbox"
)

func TestInvite(t *testing.T) {
	t.Parallel()
	for name, lines := range map[string][]string{
		"no header": {"Ada Example,ada@example.com", "Bob Example,bob@@example.com", "Ada again,ADA@example.com", `"Example, Eve", eve@example.com `},
		"header":    {"\ufeffName,Email", "Ada Example,ada@example.com", "Bob Example,bob@@example.com", "Ada again,ADA@example.com", `"Example, Eve",eve@example.com`},
	} {
		stdout, stderr, status := output(t, program(t, service{}, "invite", csvFile(t, lines...)))
		require.Equal(t, "2 sent, 1 existing, 1 failed\n", stdout, name)
		oneLine(t, "invite", stderr, status, "candidate 2: Invitations.Send: 400 INVALID_INPUT")
	}
}

func TestInviteRejectsBadArguments(t *testing.T) {
	t.Parallel()
	server := sandbox.Start(t)
	ada := csvFile(t, "Ada Example,ada@example.com")
	for _, c := range []struct {
		service
		args []string
		want string
	}{
		{service{server.URL(), sandbox.LiveKey}, []string{ada, sandbox.AssessmentID}, "this sends e-mails to real candidates (1 in the file)"},
		{service{server.URL(), "another-kind-of-key"}, []string{ada, sandbox.AssessmentID}, "this sends e-mails to real candidates (1 in the file)"},
		{service{server.URL(), sandbox.TestKey}, []string{ada}, "usage"},
		{service{server.URL(), sandbox.TestKey}, nil, "usage"},
		{service{}, nil, "usage: invite"},
		{service{}, []string{csvFile(t, "Bob Example,bob")}, "the columns must be name,email"},
		{service{}, []string{filepath.Join(t.TempDir(), "none.csv")}, "no such file"},
		{service{}, []string{csvFile(t, "Ada Example", "ada@example.com")}, "wrong number of fields"},
		{service{}, []string{csvFile(t, "who,email", "Ada Example,ada@example.com")}, "the columns must be name,email"},
		{service{}, []string{csvFile(t, "Ada,ada@example.com", "Bob")}, "wrong number of fields"},
	} {
		stdout, stderr, status := output(t, program(t, c.service, "invite", c.args...))
		oneLine(t, "invite", stderr, status, c.want)
		require.Empty(t, stdout)
	}
	require.Empty(t, server.Journal(), "nothing is sent")
}
