package hiring

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net"
	"net/url"
	"os"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hiring-assessment/hiring-go/internal/paging"
)

// TestOneRuleOfWhatMayPass combines all statuses, codes, kinds and methods: what a call retries is transient, a poll
// repeats what is transient, and a POST is retried only if it certainly was not done.
func TestOneRuleOfWhatMayPass(t *testing.T) {
	codes := slices.Concat(documentedCodes, []ErrorCode{"", "NEW"})
	policy, err := RetryPolicy{}.withDefaults()
	require.NoError(t, err)
	core := &core{shared: new(shared)}
	retried := make(map[string][]int)
	for status := range 700 {
		for _, code := range codes {
			for _, kind := range []failureKind{kindByStatus, kindUnsent, kindBroken, kindTimedOut, kindFinal, kindNotFromAPI, kindInvalidBody} {
				if kind != kindByStatus && status >= 300 { // TestClassify: a rejection has no kind.
					continue
				}
				for _, method := range []string{"GET", "POST", "PATCH", "PUT", "DELETE"} {
					c := &call{callState: callState{core: core, request: request{method: method}, key: noKey}}
					e := &Error{Status: status, Code: code, kind: kind, Method: method, Attempts: 1, Outcome: c.finalOutcome(OutcomeUnknown)}
					if rejects(status) || kind == kindUnsent || status == 0 && code == ErrRateLimited {
						e.Outcome = c.finalOutcome(OutcomeNotDone)
					}
					_, again := decide(policy, e, e.Attempts, 0, time.Hour, 0.5)
					what := fmt.Sprintf("%s %d %s, kind %d", method, status, code, kind)
					if again && kind == kindByStatus && code == "" && status > 0 {
						retried[method] = append(retried[method], status)
					}
					require.False(t, again && !IsTransient(e), "%s: retried, but not transient", what)
					require.False(t, again && method == "POST" && e.Outcome != OutcomeNotDone, "%s: may have been done", what)
					require.False(t, IsTransient(e) && !mayRepeatPoll(e, true), "%s: transient, but ends a wait", what)
					if status >= 300 && status < 500 && status != 408 {
						require.Equal(t, status == 429, IsTransient(e), what)
					}
				}
			}
		}
	}
	guide, err := os.ReadFile("docs/errors.md")
	require.NoError(t, err)
	comment, err := os.ReadFile("doc.go")
	require.NoError(t, err)
	statuses := strings.ReplaceAll(strings.Trim(fmt.Sprint(retried["PATCH"]), "[]"), " ", ", ")
	last := strings.LastIndex(statuses, ", ")
	assert.Contains(t, string(comment), "DELETE and PATCH are retried after a "+statuses[:last]+" or "+statuses[last+2:]+" and after", "doc.go")
	for methods, of := range map[string]string{"GET": "GET", "DELETE, PATCH": "PATCH", "POST": "POST"} {
		row := "| " + methods + " | " + strings.ReplaceAll(strings.Trim(fmt.Sprint(retried[of]), "[]"), " ", ", ")
		assert.Contains(t, string(guide), row+",", "docs/errors.md; the comment of IsTransient says it too")
	}
	assert.Equal(t, map[string][]int{
		"GET": {429, 500, 502, 503, 504}, "POST": {429}, "PATCH": {429, 500, 502, 503, 504}, "PUT": {429}, "DELETE": {429, 500, 502, 503, 504},
	}, retried)
}

// TestWhatFollowsFromAFailure has a row for each kind of failure.
func TestWhatFollowsFromAFailure(t *testing.T) {
	policy, err := RetryPolicy{}.withDefaults()
	require.NoError(t, err)
	follows := func(what string, e Error) string {
		var methods []string
		for _, method := range []string{"GET", "PATCH", "DELETE", "POST"} {
			e.Method, e.Attempts = method, 1
			if _, again := decide(policy, &e, 1, 0, time.Hour, 0.5); again {
				methods = append(methods, method)
			}
		}
		call, known := map[int]string{0: "fails", 1: "retries a GET", 3: "retries no POST", 4: "retries all"}[len(methods)]
		require.True(t, known, "%s: %v", what, methods)
		poll := "ends"
		switch {
		case mayRepeatPoll(&e, false):
			poll = "repeats"
		case mayRepeatPoll(&e, true):
			poll = "repeats after the first success"
		}
		return fmt.Sprintf("%-34s%-17s%-14t%s\n", what, call, IsTransient(&e), poll)
	}
	rows := []struct {
		what string
		e    Error
	}{
		{"no connection", Error{kind: kindUnsent}},
		{"a connection that was lost", Error{kind: kindBroken}},
		{"a timeout", Error{kind: kindTimedOut}},
		{"a certificate, proxy or scheme", Error{kind: kindFinal}},
		{"a TLS handshake that was refused", Error{kind: kindNotFromAPI}},
		{"2xx that is not the API's", Error{Status: 200, kind: kindNotFromAPI}},
		{"2xx that was cut short", Error{Status: 200, kind: kindBroken}},
		{"2xx of a write, cut short", Error{Status: 201, kind: kindBroken, Outcome: OutcomeDone}},
		{"2xx that cannot be decoded", Error{Status: 200, kind: kindInvalidBody}},
		{"a list that does not advance", Error{Status: 200, kind: kindFinal, cause: func() error { return new(paging.Stuck) }}},
		{"3xx", Error{Status: 302}},
		{"401, 403", Error{Status: 401}},
		{"408", Error{Status: 408}},
		{"500 that a test built by its code", Error{Code: ErrInternal}},
		{"429", Error{Status: 429, Code: ErrRateLimited}},
		{"another 4xx of the API", Error{Status: 404, Code: ErrNotFound}},
		{"another 4xx of a proxy", Error{Status: 404}},
		{"500, 502, 503, 504", Error{Status: 503}},
		{"another 5xx", Error{Status: 501}},
	}
	table := fmt.Sprintf("%-34s%-17s%-14s%s\n", "", "a call", "IsTransient", "a poll")
	shown := make(map[string]bool)
	for _, row := range rows {
		table += follows(row.what, row.e)
		shown[fmt.Sprint(row.e.Status, row.e.Code)] = true
	}
	for _, code := range documentedCodes {
		for status := 300; status < 600; status++ {
			as := follows("", Error{Status: status, Code: code})
			require.True(t, shown[fmt.Sprint(status, code)] || as == follows("", Error{Status: status, Code: "OTHER"}), "%s decides about a %d: give it a row", code, status)
		}
	}
	assert.Equal(t, `                                  a call           IsTransient   a poll
no connection                     retries all      true          repeats
a connection that was lost        retries no POST  true          repeats
a timeout                         retries a GET    true          repeats
a certificate, proxy or scheme    fails            false         ends
a TLS handshake that was refused  fails            false         repeats after the first success
2xx that is not the API's         fails            false         repeats after the first success
2xx that was cut short            retries a GET    true          repeats
2xx of a write, cut short         fails            false         ends
2xx that cannot be decoded        fails            false         repeats
a list that does not advance      fails            false         ends
3xx                               fails            false         repeats after the first success
401, 403                          fails            false         ends
408                               fails            true          repeats
500 that a test built by its code fails            true          repeats
429                               retries all      true          repeats
another 4xx of the API            fails            false         ends
another 4xx of a proxy            fails            false         repeats after the first success
500, 502, 503, 504                retries no POST  true          repeats
another 5xx                       fails            true          repeats
`, table)
}

func TestWord(t *testing.T) {
	dial := func(err error) error { return &net.OpError{Op: "dial", Net: "tcp", Err: err} }
	for _, c := range []struct {
		err       error
		word      string
		permanent bool
	}{
		{dial(os.NewSyscallError("connect", syscall.ECONNREFUSED)), "connection refused", false},
		{&net.OpError{Op: "read", Net: "tcp", Err: os.NewSyscallError("read", syscall.ECONNRESET)}, "connection reset", false},
		{syscall.EPIPE, "connection reset", false},
		{dial(&net.DNSError{Err: "no such host", IsNotFound: true}), "dns", false},
		{dial(&net.DNSError{Err: "i/o timeout", IsTimeout: true}), "dns", false},
		{dial(os.ErrDeadlineExceeded), "timeout", false},
		{fmt.Errorf("wrapped: %w", context.DeadlineExceeded), "timeout", false},
		{&url.Error{Op: "Get", Err: context.Canceled}, "canceled", false},
		{io.ErrUnexpectedEOF, "cut short", false},
		{&url.Error{Op: "Get", Err: io.EOF}, "cut short", false},
		{&tls.CertificateVerificationError{Err: errors.New("expired")}, "tls", true},
		{x509.UnknownAuthorityError{}, "tls", true},
		{tls.RecordHeaderError{Msg: "first record does not look like a TLS handshake"}, "tls", true},
		{errors.New("ada@example.com"), "other", false},
	} {
		assert.Equal(t, c.word, errorWord(c.err), "%v", c.err)
		assert.Equal(t, c.permanent, isTLSError(c.err), "%v", c.err)
	}
}

// TestWhatFollowsAPoll has the API respond with 502 three times, then with 429, then with 502 again: a 429 shows that the
// outage has ended.
func TestWhatFollowsAPoll(t *testing.T) {
	l := newPollLoop(&core{shared: newShared()}, "Submissions.Watch", interval{time.Minute, time.Hour})
	for i, c := range []struct {
		status  int
		minutes int
		reason  PauseReason
	}{{502, 1, PausePoll}, {502, 2, PausePoll}, {502, 4, PausePoll}, {429, 1, PauseQuota}, {502, 1, PausePoll}, {502, 2, PausePoll}} {
		wait, reason, final := l.followUp(t.Context(), time.Second, &Error{Status: c.status})
		require.NoError(t, final)
		assert.Equal(t, []any{time.Duration(c.minutes) * time.Minute, c.reason}, []any{wait, reason}, "%d", i)
	}
	wait, _, _ := l.followUp(t.Context(), time.Second, &Error{Status: 503, RetryAfter: 5 * time.Hour})
	assert.Equal(t, time.Hour, wait, "a window at most")
	wait, _, _ = l.followUp(t.Context(), time.Second, nil)
	assert.Equal(t, time.Second, wait)
}

func TestClip(t *testing.T) {
	assert.Equal(t, "abc", clip("abc", 3))
	assert.Equal(t, "abc…", clip("abcd", 3))
	assert.Equal(t, "ab…", clip("ab€", 3), "no half letters")
}

func TestAmounts(t *testing.T) {
	assert.Empty(t, amounts(nil, "report", "pending"))
	assert.Equal(t, "1 submission missing (c )", amounts([]string{"c\n"}, "submission", "missing"))
	assert.Equal(t, "2 reports pending (a, b)", amounts([]string{"a", "b"}, "report", "pending"))
	many := append([]string{strings.Repeat("a", 60)}, strings.Split("bcdefghijk", "")...)
	assert.Equal(t, "11 reports pending ("+strings.Repeat("a", 40)+"…, b, c, d, e, f, g, h, i, j, …)", amounts(many, "report", "pending"))
}
