package main

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	hiring "github.com/hiring-assessment/hiring-go"
	"github.com/hiring-assessment/hiring-go/sandbox"
)

func TestRun(t *testing.T) {
	server := sandbox.Start(t)

	var out bytes.Buffer
	if err := run(t.Context(), server.Client(), &out); err != nil {
		t.Fatal(err)
	}
	if !strings.HasPrefix(out.String(), "invited Ada Example\n95 ") {
		t.Errorf("got %q, want the invitation and then the best", out.String())
	}
}

func TestRunFails(t *testing.T) {
	for name, c := range map[string]struct {
		fault sandbox.Fault
		want  error
		begin string
	}{
		"no invitations left": {
			sandbox.Fault{Route: "POST *", Status: 402, Code: hiring.ErrPlanLimitReached}, hiring.ErrPlanLimitReached, "invite: ",
		},
		"a key that may not read": {
			sandbox.Fault{Route: "GET /submissions", Status: 403, Code: hiring.ErrInsufficientScope}, hiring.ErrInsufficientScope, "read the results: ",
		},
	} {
		t.Run(name, func(t *testing.T) {
			server := sandbox.Start(t)
			server.Inject(c.fault)

			err := run(t.Context(), server.Client(), new(bytes.Buffer))
			if !errors.Is(err, c.want) || !strings.HasPrefix(err.Error(), c.begin) {
				t.Errorf("got %v, want one that begins with %q", err, c.begin)
			}
		})
	}
}

// full is a disk with space for a few lines.
type full struct{ lines int }

var errFull = errors.New("no space left on device")

func (f *full) Write(line []byte) (int, error) {
	if f.lines == 0 {
		return 0, errFull
	}
	f.lines--
	return len(line), nil
}

func TestRunReturnsErrorsOfPrinting(t *testing.T) {
	for lines := range 2 {
		if err := run(t.Context(), sandbox.Start(t).Client(), &full{lines}); !errors.Is(err, errFull) {
			t.Errorf("after %d lines: got %v, want that they could not be printed", lines, err)
		}
	}
}

// TestShowGivesTheTerminalNoOrders uses a name with escape sequences.
func TestShowGivesTheTerminalNoOrders(t *testing.T) {
	score := 99
	best := []hiring.Submission{{
		Candidate: hiring.Candidate{Name: "Zo\u200cë\x1b[2J\u009b1m\u202e"},
		Report:    &hiring.Report{Evaluated: true, ShipScore: &score, VerdictLabel: "Yes\r"},
	}}

	var out bytes.Buffer
	if err := show(&out, best); err != nil {
		t.Fatal(err)
	}
	if want := "99 Yes\ufffd Zo\u200cë\ufffd[2J\ufffd1m\ufffd\n"; out.String() != want {
		t.Errorf("got %q, want %q", out.String(), want)
	}
}
