package hiring

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"math"
	"net/http"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/hiring-assessment/hiring-go/internal/quota"
)

var fuzzNow = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

// FuzzRetryAfter checks that a delay is never negative, is only waited when the
// policy allows it, and closes nothing for good; that error texts round it; and that
// a 429 without rate-limit headers is retried for every method and honours the delay.
func FuzzRetryAfter(f *testing.F) {
	for _, value := range []string{
		"", "0", "1", " 120 ", "-5", "+5", "1.5", "9223372036", "9223372037", "18446744073709551616",
		"99999999999999999999999999", "Sun, 01 Mar 2026 12:00:30 GMT", "Sunday, 01-Mar-26 12:00:30 GMT", "Sun Mar  1 12:00:30 2026",
		"Fri, 31 Dec 9999 23:59:59 GMT", "Mon, 01 Jan 0001 00:00:00 GMT", "120, 60", "\x00", "٣",
	} {
		f.Add(value, "")
		f.Add(value, "Sun, 01 Mar 2026 11:00:00 GMT")
		f.Add(value, "Fri, 31 Dec 9999 23:59:59 GMT")
	}
	policy, err := RetryPolicy{}.withDefaults()
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, value, date string) {
		h := http.Header{"Retry-After": {value}, "Date": {date}}
		d := retryAfterOf(h, fuzzNow)
		if d < 0 {
			t.Fatalf("retryAfterOf(%q, %q) = %s", value, date, d)
		}
		wait, _ := decide(policy, &Error{Method: "POST", Status: 429}, 1, d, math.MaxInt64, 0.5)
		if wait > 0 != (d <= policy.MaxWait) || wait < 0 || wait > policy.MaxWait || wait > 0 && d > 0 && wait != d {
			t.Fatalf("Retry-After %q: wait %s after %s", value, wait, d)
		}
		known := new(quota.Tracker)
		known.Close(keyID{}, quota.Read, d, fuzzNow)
		if closed := known.Admit(keyID{}, quota.Read, 0, fuzzNow); closed.Wait < 0 || closed.Wait > quota.Longest {
			t.Fatalf("Retry-After %q holds everything back for %s", value, closed.Wait)
		}
		line := (&Error{Status: 429, Message: "m", RetryAfter: d}).Error()
		if strings.Contains(line, "-") || strings.Contains(line, "retry after") != (d > 0) {
			t.Fatalf("Retry-After %q: %q", value, line)
		}
		for _, method := range []string{"GET", "POST", "PATCH", "DELETE"} {
			overloaded(t, method, h)
		}
	})
}

// overloaded checks a call of one method whose first response is a 429 without rate-limit
// headers. The policy allows no delay but the backoff.
func overloaded(t *testing.T, method string, h http.Header) {
	t.Helper()
	requests := 0
	client := scripted(t, RetryPolicy{MaxAttempts: 2, BaseBackoff: 1, MaxBackoff: 1, MaxWait: 1}, func() (int, http.Header) {
		requests++
		if requests == 1 {
			return 429, h
		}
		return 200, http.Header{"X-Request-Id": {"req_f"}}
	})
	_, err := client.Do(t.Context(), method, "/x", nil, nil, nil)
	delayed := err != nil // Retry-After may be an HTTP date, and the client's clock differs from the test's.
	if delayed {
		failure := checkError(t, err)
		if failure.RetryAfter <= 0 || failure.Status != 429 || failure.Outcome == OutcomeUnknown || requests != 1 {
			t.Fatalf("%s with %v: %d requests, %+v", method, h, requests, failure)
		}
	} else if requests != 2 {
		t.Fatalf("%s with %v: %d requests", method, h, requests)
	}
	if q := client.Quota(); q.Read.Known() || q.Write.Known() {
		t.Fatalf("%s with %v: kept %+v", method, h, q)
	}
	if _, err := client.Do(t.Context(), method, "/x", nil, nil, nil); !delayed && err != nil {
		t.Fatalf("%s after a 429 with %v: %v", method, h, err)
	}
}

type roundTripperFunc func(*http.Request) (*http.Response, error)

func (f roundTripperFunc) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

const fuzzKey = "sk_test_51HxQ9zVbT7uRkWn3"

// scripted returns a client of a server whose responses have a resource as body.
func scripted(t *testing.T, policy RetryPolicy, next func() (int, http.Header)) *Client {
	t.Helper()
	transport := roundTripperFunc(func(*http.Request) (*http.Response, error) {
		status, h := next()
		return &http.Response{StatusCode: status, Header: h.Clone(), Body: io.NopCloser(strings.NewReader(`{"data":{"id":"x"}}`))}, nil
	})
	c, err := New("https://h.test", fuzzKey, WithHTTPClient(&http.Client{Transport: transport}), WithRetry(policy))
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// answered returns a client of an API that always sends the same response.
func answered(t *testing.T, status int, h http.Header, body []byte) *Client {
	t.Helper()
	transport := roundTripperFunc(func(*http.Request) (*http.Response, error) {
		return &http.Response{StatusCode: status, Header: h.Clone(), Body: io.NopCloser(bytes.NewReader(body))}, nil
	})
	c, err := New("https://h.test", fuzzKey, WithHTTPClient(&http.Client{Transport: transport}), WithRetry(RetryPolicy{MaxAttempts: 1}))
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// checkError checks what every error promises.
func checkError(t *testing.T, err error) *Error {
	t.Helper()
	failure, ok := errors.AsType[*Error](err)
	if !ok {
		t.Fatalf("no *Error: %v", err)
	}
	text := err.Error()
	switch {
	case len(text) > 8<<10:
		t.Fatalf("a text of %d bytes", len(text))
	case !utf8.ValidString(text):
		t.Fatalf("a text that is not UTF-8: %q", text)
	case strings.ContainsAny(text, "\n\r\x00\x1b\u2028"):
		t.Fatalf("more than a line: %q", text)
	case strings.Contains(text, fuzzKey):
		t.Fatalf("the key: %q", text)
	}
	if form, fields := failure.Fields(); len(failure.Details) == 0 && (form != nil || fields != nil) {
		t.Fatal("fields without details")
	}
	return failure
}

func FuzzErrorBody(f *testing.F) {
	for _, body := range []string{
		"", "null", "{}", `{"error":null}`, `{"error":{"code":"NOT_FOUND","message":"m","request_id":"req_1"}}`,
		`{"error":{"code":"INVALID_INPUT","message":"m","details":{"formErrors":["a"],"fieldErrors":{"n":["b"]}}}}`,
		`{"error":{"code":"RATE_LIMITED","details":{"limit":1,"remaining":0,"reset":1}}}`, `{"error":{"code":7}}`, `{"error":[]}`, `{"error":"x"}`,
		`{"error":{"message":"` + strings.Repeat("m", 10_000) + `"}}`,
		"<html>\x1b[2J\u2028\x00</html>", "\xff\xfe", `{"error":{"message":"\ud800 ` + fuzzKey + `"}}`, strings.Repeat("x", 10_000),
		`{"error":{"code":"` + strings.Repeat("C", 10_000) + `","message":"` + strings.Repeat("m\\n", 10_000) + `"}}`, `[[[[`, `{"error":{"co`,
	} {
		for _, status := range []int{400, 404, 429, 500, 503, 302} {
			f.Add(status, []byte(body), "req_7")
		}
	}
	f.Fuzz(func(t *testing.T, status int, body []byte, requestID string) {
		if status < 300 || status > 999 {
			return
		}
		client := answered(t, status, http.Header{"X-Request-Id": {requestID}}, body)
		err := client.Assessments.Delete(t.Context(), "a1")
		failure := checkError(t, err)
		switch want := OutcomeNotDone; {
		case status >= 500 && failure.Outcome != OutcomeUnknown, status < 500 && failure.Outcome != want:
			t.Fatalf("%d: the outcome is %q", status, failure.Outcome)
		case failure.Status != status || failure.Attempts != 1:
			t.Fatalf("%d: %+v", status, failure)
		}
		var envelope struct {
			Error struct {
				Message string `json:"message"`
			} `json:"error"`
		}
		_ = json.Unmarshal(body, &envelope)
		if envelope.Error.Message == "" && failure.Code == "" && len(failure.Message) > 3*maxQuoted+100 {
			t.Fatalf("quoted %d bytes", len(failure.Message))
		}
	})
}

func FuzzEnvelope(f *testing.F) {
	for _, body := range []string{
		"", "null", "{}", "[]", `{"data":null}`, `{"data":{},"meta":{}}`, `{"data":[],"meta":{"has_more":true,"next_cursor":"c"}}`, `{"data":[{"id":"x"}],"meta":{"page":1,"has_more":false}}`,
		`{"data":{"id":"x","new":{"a":[1]}},"meta":{"request_id":"r"}}`, `{"data":{"id":7}}`, `{"data":{"submitted_at":"yesterday"}}`, `{"data":{"id":"\ud800"}}`,
		`{"data":{"email":"jane.roe@example.com","report":7}}`, `{"data":{"id":"x","id":"y"},"data":{}}`, `{"data":[null,{}],"meta":{"total":-1,"page":-1}}`, strings.Repeat(`{"data":`, 2000), `{"data":{`,
	} {
		f.Add(200, []byte(body))
		f.Add(201, []byte(body))
	}
	f.Add(204, []byte(nil))
	f.Fuzz(func(t *testing.T, status int, body []byte) {
		if status < 200 || status > 299 {
			return
		}
		client := answered(t, status, http.Header{"X-Request-Id": {"req_f"}}, body)
		foreign := !(&call{}).hasAPIForm(&response{status: status, requestID: "req_f", body: body})
		ctx := t.Context()
		if submission, err := client.Submissions.Get(ctx, "a1"); err != nil {
			if failure := checkError(t, err); failure.Outcome != "" || failure.Status != status {
				t.Fatalf("Get: %+v", failure)
			}
		} else if again, err := encode(submission); err != nil {
			t.Fatalf("a resource that cannot be written: %v", err)
		} else if err := decode(again, new(Submission)); err != nil {
			t.Fatalf("a resource that cannot be read again: %v", err)
		}
		want := OutcomeDone
		if foreign {
			want = OutcomeUnknown
		}
		if _, err := client.Assessments.Close(ctx, "a1"); err != nil && checkError(t, err).Outcome != want {
			t.Fatalf("Close: a 2xx of the API is done: %v", err)
		}
		if err := client.Assessments.Delete(ctx, "a1"); (err != nil) != foreign {
			t.Fatalf("Delete: any 2xx of the API will do: %v", err)
		}
		if page, err := client.Submissions.List(SubmissionFilter{}).Page(ctx); err != nil {
			_ = checkError(t, err)
		} else if page.Meta.HasMore && page.Next == "" {
			t.Fatal("more without a way to it")
		}
	})
}
