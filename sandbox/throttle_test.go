package sandbox_test

import (
	"encoding/json"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hiring-assessment/hiring-go/sandbox"
)

func TestFailedAuthenticationIsThrottled(t *testing.T) {
	start := time.Date(2026, 3, 10, 12, 0, 0, 250e6, time.UTC)
	now := start
	s := sandbox.Start(t, unlimited(), sandbox.WithClock(func() time.Time { return now }))
	all := transports(t, s)
	wrong := func(d transport) apiResponse { return d.do(t, http.MethodGet, "/api/v1/account", "sk_live_wrong") }
	for n := range 100 {
		assert.Equal(t, 200, all[0].get(t, "/account").status, "successes do not count and are not hindered")
		wrong(all[n%2]).fails(t, 401, "INVALID_TOKEN")
		now = now.Add(time.Second)
	}
	reset := start.Add(time.Hour).Unix()
	for _, d := range all {
		var first string
		for _, key := range []string{"sk_live_wrong", sandbox.TestKey, sandbox.LiveKey, ""} {
			for _, call := range []string{"GET /account", "POST /assessments", "GET /nowhere"} {
				method, path, _ := strings.Cut(call, " ")
				a := d.do(t, method, "/api/v1"+path, key)
				a.fails(t, 429, "RATE_LIMITED")
				limit, remaining, at := limitsOf(t, a)
				assert.Equal(t, []int64{100, 0, reset}, []int64{int64(limit), int64(remaining), at})
				assert.Equal(t, strconv.FormatInt(reset-now.Unix(), 10), a.header.Get("Retry-After"))
				var details map[string]int64
				require.NoError(t, json.Unmarshal(a.Error.Details, &details))
				assert.Equal(t, map[string]int64{"limit": 100, "remaining": 0, "reset": reset}, details)
				if first == "" {
					first = a.Error.Message
				}
				assert.Equal(t, first, a.Error.Message, "nothing tells a right key from a wrong one")
			}
		}
	}
	now = time.Unix(reset, 0).Add(-1)
	wrong(all[0]).fails(t, 429, "RATE_LIMITED")
	now = now.Add(1)
	_, before, _ := limitsOf(t, all[1].get(t, "/account"))
	for range 100 {
		wrong(all[0]).fails(t, 401, "INVALID_TOKEN")
	}
	all[0].get(t, "/account").fails(t, 429, "RATE_LIMITED")
	now = now.Add(30 * time.Minute)
	all[1].get(t, "/account").fails(t, 429, "RATE_LIMITED")
	now = now.Add(30 * time.Minute)
	_, after, _ := limitsOf(t, all[1].get(t, "/account"))
	assert.Equal(t, before, after, "a new window; what was throttled did not count")
}

func TestAddressesAreThrottledApart(t *testing.T) {
	s := sandbox.New(at(noon))
	ask := func(address, key string) int {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "https://sandbox.invalid/api/v1/account", http.NoBody)
		require.NoError(t, err)
		r.Header.Set("Authorization", "Bearer "+key)
		r.RemoteAddr = address
		w := &status{header: http.Header{}}
		s.ServeHTTP(w, r)
		return w.code
	}
	for n := range 100 {
		assert.Equal(t, 401, ask("192.0.2.1:"+strconv.Itoa(1000+n), "wrong"))
		assert.Equal(t, 401, ask("no address", "wrong"))
		assert.Equal(t, 401, ask("[2001:db8::1]:80", "wrong"))
	}
	for address, want := range map[string]int{
		"192.0.2.1:9": 429, "no address": 429, "[2001:db8::1]:81": 429, "192.0.2.2:1000": 200, "[2001:db8::2]:80": 200, "": 200,
	} {
		assert.Equal(t, want, ask(address, sandbox.TestKey), address)
	}
}

type status struct {
	header http.Header
	code   int
}

func (s *status) Header() http.Header         { return s.header }
func (s *status) WriteHeader(code int)        { s.code = code }
func (s *status) Write(p []byte) (int, error) { return len(p), nil }
