package json_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"os"
	"runtime"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hiring-assessment/hiring-go"
	"github.com/hiring-assessment/hiring-go/internal/testing/apitest"
)

// bodies responds with one body, without copying it.
type bodies struct {
	status int
	body   []byte
}

func (b *bodies) RoundTrip(r *http.Request) (*http.Response, error) {
	return apitest.NewResponse(r, b.status, io.NopCloser(bytes.NewReader(b.body)), "X-Request-Id: req_1"), nil
}

// blowUps are bodies that are small compared with their decoded size: n bytes of a
// repeated piece between a beginning and an end.
var blowUps = []struct {
	name, before, piece, after string
	status                     int
	call                       func(context.Context, *hiring.Client) error
}{
	{"a list of {}", `{"data":[`, `{}`, `]}`, 200, submissionsPage},
	{"a list without a documented size", `{"data":[`, `{}`, `]}`, 200, membersPage},
	{"a list that breaks off", `{"data":[`, `{}`, ``, 200, membersPage},
	{"a list with one item of the wrong type", `{"data":[`, `{}`, `,7]}`, 200, membersPage},
	{"lists of names that come again", `{`, `"data":[{},{},{}]`, `}`, 200, membersPage},
	{"no data", `{`, `"dat":{}`, `}`, 200, membersPage},
	{"data null", `{`, `"data":null`, `}`, 200, membersPage},
	{"members with a new member", `{"data":[`, `{"a":0}`, `]}`, 200, membersPage},
	{"members with many new members", `{"data":[`, `{"a":0,"b":0,"c":0,"d":0,"e":0,"f":0,"g":0,"h":0,"i":0}`, `]}`, 200, membersPage},
	{"pillars", `{"data":{"submission_id":"s","pillars":[`, `{}`, `]}}`, 200, report},
	{"pillars with all that is new", `{"data":{"submission_id":"s","pillars":[`, `{"score":1,"not_assessed":[""],"n":0}`, `]}}`, 200, report},
	{"strengths", `{"data":{"submission_id":"s","strengths":[`, `{}`, `]}}`, 200, report},
	{"tasks", `{"data":{"submission_id":"s","tasks":[`, `0`, `]}}`, 200, report},
	{"pillars of reports", `{"data":[`, `{"report":{"pillars":[{}]}}`, `]}`, 200, func(ctx context.Context, c *hiring.Client) error {
		_, err := c.Submissions.List(hiring.SubmissionFilter{}).Page(ctx)
		return err
	}},
	{"new members of one name", `{"data":{"submission_id":"s",`, `"a":{}`, `}}`, 200, report},
	{"a time that is written oddly", `{"data":[`, `{"created_at":"2026-03-01T12:00:00+02:00"}`, `]}`, 200, membersPage},
	{"text", `{"data":{"submission_id":"s","summary":"`, `\n`, `"}}`, 200, report},
	{"letters of the key", `{"data":{"submission_id":"s","summary":"`, `Q`, `"}}`, 200, report},
	{"escapes", `{"data":{"submission_id":"s","summary":"`, `\u0051`, `"}}`, 200, report},
	{"deep", `{"data":{"submission_id":"s","n":`, `[`, ``, 200, report},
	{"Do into structs", `{"data":[`, `{}`, `]}`, 200, into[[]struct {
		A [40]string
		B *struct{ C string }
	}]},
	{"Do into pointers", `{"data":[`, `{}`, `]}`, 200, into[[]*struct{ A [40]string }]},
	{"Do into a map", `{"data":{`, `"%06d":{}`, `}}`, 200, into[map[string]struct{ A [40]string }]},
	{"Do into anything, objects", `{"data":[`, `{}`, `]}`, 200, into[any]},
	{"Do into anything, with members", `{"data":[`, `{"a":0}`, `]}`, 200, into[any]},
	{"Do into anything, a map", `{"data":{`, `"%06d":0`, `}}`, 200, into[any]},
	{"Do into anything, lists", `{"data":[`, `[0]`, `]}`, 200, into[any]},
	{"Do into resources", `{"data":[`, `{"n":{}}`, `]}`, 200, into[[]hiring.Submission]},
	{"OpenAPI", `{"openapi":"3.1.0",`, `"%06d":0`, `}`, 200, func(ctx context.Context, c *hiring.Client) error {
		_, err := c.OpenAPI(ctx)
		return err
	}},
	{"bytes that are not UTF-8", `{"data":{"submission_id":"s","summary":"`, "\xff", `"}}`, 200, report},
	{"bytes that are not UTF-8, in a new member", `{"data":{"submission_id":"s","n":"`, "\xff", `"}}`, 200, report},
	{"bytes that are not UTF-8, in a name", `{"data":{"submission_id":"s","`, "\xff", `":1}}`, 200, report},
	{"bytes that are not UTF-8, in a shape that is not documented", `{"data":{"submission_id":"s","strengths":["`, "\xff", `"]}}`, 200, report},
	{"bytes that are not UTF-8, in an id", `{"meta":{"request_id":"`, "\xff", `"},"data":{"submission_id":"s"}}`, 200, report},
	{"bytes that are not UTF-8, before an error", `{"data":{"submission_id":"s","summary":"`, "\xff", `","pillars":7}}`, 200, report},
	{"a long name, and an error in it", `{"data":{"submission_id":"s","`, `n`, `":[tru]}}`, 200, report},
	{"a long name of escapes, and an error in it", `{"data":{"submission_id":"s","`, `\/`, `":[tru]}}`, 200, report},
	{"a long name of signs, and an error in it", `{"data":{"submission_id":"s","`, `~`, `":[tru]}}`, 200, report},
	{"long names, and an error in the last", `{"data":{"submission_id":"s",`, `"%020d":0`, `,"x":tru}}`, 200, report},
	{"a long time that is none", `{"data":[{"created_at":"`, `x`, `"}]}`, 200, membersPage},
	{"a long time of escapes", `{"data":[{"created_at":"`, `\u0031`, `"}]}`, 200, membersPage},
	{"a long number for a float", `{"data":{"submission_id":"s","facts":{"budget_used_dollars":`, `1`, `}}}`, 200, report},
	{"a long number for a whole number", `{"data":{"submission_id":"s","facts":{"ai_exchange_count":`, `1`, `}}}`, 200, report},
	{"a long number for a score", `{"data":{"submission_id":"s","ship_score":`, `1`, `}}`, 200, report},
	{"Do into a time", `{"data":"`, `1`, `"}`, 200, into[time.Time]},
	{"Do into a float", `{"data":`, `1`, `}`, 200, into[float64]},
	{"Do into a number", `{"data":`, `1`, `}`, 200, into[int8]},
	{"Do into a text", `{"data":"`, "\xff", `"}`, 200, into[string]},
	{"Do into anything, text", `{"data":"`, "\xff", `"}`, 200, into[any]},
	{"Do into anything, a number", `{"data":`, `1`, `}`, 200, into[any]},
	{"Do into a map, a name", `{"data":{"`, "\xff", `":1}}`, 200, into[map[string]int]},
	{"Do into a duration", `{"data":"`, `1`, `"}`, 200, into[netip.Addr]},
	{"an error's message", `{"error":{"code":"INVALID_INPUT","message":"`, "\xff", `"}}`, 400, account},
	{"an error's fields", `{"error":{"code":"INVALID_INPUT","details":{"fieldErrors":{`, `"%06d":[""]`, `}}}}`, 400, account},
	{"an error's problems", `{"error":{"code":"INVALID_INPUT","details":{"formErrors":[`, `""`, `],"fieldErrors":{"a":[]}}}}`, 400, account},
	{"a page", `<html>`, `<p>`, ``, 502, account},
}

func account(ctx context.Context, c *hiring.Client) error {
	_, err := c.Account.Get(ctx)
	return err
}

func membersPage(ctx context.Context, c *hiring.Client) error {
	_, err := c.Members.List().Page(ctx)
	return err
}

func submissionsPage(ctx context.Context, c *hiring.Client) error {
	_, err := c.Submissions.List(hiring.SubmissionFilter{}).Page(ctx)
	return err
}

func report(ctx context.Context, c *hiring.Client) error {
	_, err := c.Submissions.Report(ctx, "s")
	return err
}

func into[T any](ctx context.Context, c *hiring.Client) error {
	_, err := c.Do(ctx, http.MethodGet, "/things", nil, nil, new(T))
	return err
}

func blownUp(before, piece, after string, size int) []byte {
	var b bytes.Buffer
	b.WriteString(before)
	for i := 0; b.Len()+len(piece)+len(after)+1 <= size; i++ {
		switch {
		case strings.Contains(piece, "%"):
			fmt.Fprintf(&b, piece, i)
		default:
			b.WriteString(piece)
		}
		if strings.IndexByte("[{,", before[len(before)-1]) >= 0 {
			b.WriteByte(',')
		}
	}
	return append(bytes.TrimSuffix(b.Bytes(), []byte(",")), after...)
}

// TestResponseTakesBoundedMemory counts all that a call allocates, which is more
// than it ever holds. It is not parallel, because nothing else may allocate. The
// race detector makes sync.Pool drop a quarter of its buffers at random, so that the
// smallest of forty measurements counts.
func TestResponseTakesBoundedMemory(t *testing.T) {
	const limit = 512 << 10
	for _, c := range blowUps {
		for _, size := range []int{limit / 5, limit/2 + 2000, limit} {
			server := &bodies{c.status, blownUp(c.before, c.piece, c.after, size)}
			least, err := allocated(t, server, limit, c.call)
			for n := 0; n < 39 && max(least[0], least[1]) > 4*limit+64<<10; n++ {
				again, _ := allocated(t, server, limit, c.call)
				least[0], least[1] = min(least[0], again[0]), min(least[1], again[1])
			}
			for i, taken := range least {
				assert.LessOrEqual(t, taken, uint64(4*limit+64<<10), "%s, %d bytes, call %d: %v", c.name, size, i, err)
				if os.Getenv("HIRING_LONG") != "" {
					t.Logf("%-40s %7d bytes: %.2f times the limit, %v", c.name, size, float64(taken)/limit, err)
				}
			}
		}
	}
}

// allocated returns the bytes that a client's first and second call allocate. The client
// remembers the length of the first list.
func allocated(t *testing.T, server http.RoundTripper, limit int64, call func(context.Context, *hiring.Client) error) (taken [2]uint64, err error) {
	t.Helper()
	client, err := hiring.New(apitest.BaseURL, apitest.Key, hiring.WithHTTPClient(&http.Client{Transport: server}),
		hiring.WithMaxResponseBytes(limit), hiring.WithRetry(hiring.RetryPolicy{MaxAttempts: 1}))
	require.NoError(t, err)
	for i := range taken {
		var start, end runtime.MemStats
		runtime.ReadMemStats(&start)
		err = call(t.Context(), client)
		runtime.ReadMemStats(&end)
		taken[i] = end.TotalAlloc - start.TotalAlloc
	}
	return taken, err
}

// TestCompressedLargeResponseIsBounded sends a few KB of gzip over a socket, with the
// limits that a client has by default.
func TestCompressedLargeResponseIsBounded(t *testing.T) {
	sizes := []int{7 << 20}
	if os.Getenv("HIRING_LONG") != "" {
		sizes = append(sizes, 15<<20, 64<<20)
	}
	for _, c := range blowUps {
		if c.name != "a list of {}" && c.name != "a list without a documented size" && c.name != "pillars" && c.name != "strengths" {
			continue
		}
		for _, size := range sizes {
			packed := gzipped(blownUp(c.before, c.piece, c.after, size))
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Content-Encoding", "gzip")
				w.Header().Set("X-Request-Id", "req_1")
				_, _ = w.Write(packed)
			}))
			client, err := hiring.New(server.URL, apitest.Key, apitest.NoRetry)
			require.NoError(t, err)
			var start, end runtime.MemStats
			runtime.ReadMemStats(&start)
			err = c.call(t.Context(), client)
			runtime.ReadMemStats(&end)
			assert.LessOrEqual(t, end.TotalAlloc-start.TotalAlloc, uint64(4*64<<20+1<<20), "%s, %d bytes: %v", c.name, size, err)
			server.Close()
		}
	}
}

func gzipped(b []byte) []byte {
	var packed bytes.Buffer
	w := gzip.NewWriter(&packed)
	_, _ = w.Write(b)
	_ = w.Close()
	return packed.Bytes()
}

// TestResponseWithinTheLimitIsDecoded checks that data which is not larger than its text
// is decoded up to the limit of the text.
func TestResponseWithinTheLimitIsDecoded(t *testing.T) {
	const limit = 1 << 20
	member := `{"id":"5b000000-0000-4000-8000-000000000001","email":"somebody@example.com","name":"Somebody","role":"member","created_at":"2026-03-01T12:00:00.000Z"}`
	for _, c := range []struct {
		before, piece, after string
		size                 int
		call                 func(context.Context, *hiring.Client) error
	}{
		{`{"data":[`, member, `]}`, limit, membersPage},
		{`{"data":[`, member, `]}`, limit / 5, into[[]hiring.Member]}, // For types of users the largest factor is assumed.
		{`{"data":{"submission_id":"s","summary":"`, `text, `, `"}}`, limit, report},
		{`{"data":{"submission_id":"s","strengths":[`, `"Reads the code before changing it"`, `]}}`, limit, report},
	} {
		server := &bodies{200, blownUp(c.before, c.piece, c.after, c.size)}
		client, err := hiring.New(apitest.BaseURL, apitest.Key, hiring.WithHTTPClient(&http.Client{Transport: server}), hiring.WithMaxResponseBytes(limit))
		require.NoError(t, err)
		for range 2 {
			assert.NoError(t, c.call(t.Context(), client), c.before+c.piece)
		}
	}
}

// TestDecodingEndsInTime lets the timeout expire when the body was read.
func TestDecodingEndsInTime(t *testing.T) {
	t.Parallel()
	ended := 0
	for _, c := range blowUps {
		body := blownUp(c.before, c.piece, c.after, 300<<10)
		run := func(over func(context.CancelFunc)) (err error) {
			synctest.Test(t, func(t *testing.T) {
				ctx, cancel := context.WithCancel(t.Context())
				defer cancel()
				fake := apitest.NewScriptedServer(t, func(r *http.Request) (*http.Response, error) {
					last := &lastMinute{bytes.NewReader(body), func() { over(cancel) }}
					return apitest.NewResponse(r, c.status, last, "X-Request-Id: req_1"), nil
				})
				err = c.call(ctx, fake.Client(apitest.NoRetry))
			})
			return err
		}
		if run(func(context.CancelFunc) {}) != nil || len(c.piece) > 50 || c.before[len(c.before)-1] == '"' && c.name != "escapes" {
			continue // Decoding fails for another reason, the body is too small, or it is one text.
		}
		ended++
		require.ErrorIs(t, run(func(cancel context.CancelFunc) { cancel() }), context.Canceled, c.name)
		err := run(func(context.CancelFunc) { time.Sleep(time.Minute) })
		require.ErrorIs(t, err, context.DeadlineExceeded, c.name)
		require.ErrorContains(t, err, "within 30s; see WithTimeout", c.name)
	}
	assert.Greater(t, ended, 12)
}

// lastMinute is a body that calls over at its end.
type lastMinute struct {
	*bytes.Reader
	over func()
}

func (l *lastMinute) Read(p []byte) (int, error) {
	n, err := l.Reader.Read(p)
	if err != nil {
		l.over()
	}
	return n, err
}

func (l *lastMinute) Close() error { return nil }
