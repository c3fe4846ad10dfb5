package client_test

import (
	"context"
	"io"
	"log/slog"
	"net/http"
	"net/url"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hiring-assessment/hiring-go"
	"github.com/hiring-assessment/hiring-go/internal/testing/apitest"
)

// mine is a fake whose transport, bodies and other values of the caller panic once, at
// one place, when armed.
type mine struct {
	*apitest.ScriptedServer

	place  string
	armed  atomic.Bool
	bodies []*minedBody
	sent   []context.Context
}

// at panics if this is the place.
func (m *mine) at(place string) {
	if m.place == place && m.armed.Swap(false) {
		panic("boom in the " + place)
	}
}

func (m *mine) RoundTrip(r *http.Request) (*http.Response, error) {
	m.sent = append(m.sent, r.Context())
	m.at("transport")
	resp, err := m.ScriptedServer.RoundTrip(r)
	if err == nil {
		body := &minedBody{ReadCloser: resp.Body, mine: m}
		m.bodies = append(m.bodies, body)
		resp.Body = body
	}
	return resp, err
}

type minedBody struct {
	io.ReadCloser

	mine   *mine
	closed int
}

func (b *minedBody) Read(p []byte) (int, error) {
	b.mine.at("body's Read")
	return b.ReadCloser.Read(p)
}

func (b *minedBody) Close() error {
	b.closed++
	b.mine.at("body's Close")
	return b.ReadCloser.Close()
}

func (m *mine) SetCookies(*url.URL, []*http.Cookie) { m.at("jar") }
func (m *mine) Cookies(*url.URL) []*http.Cookie     { return nil }

func (m *mine) Enabled(context.Context, slog.Level) bool  { return true }
func (m *mine) WithAttrs([]slog.Attr) slog.Handler        { return m }
func (m *mine) WithGroup(string) slog.Handler             { return m }
func (m *mine) Handle(context.Context, slog.Record) error { m.at("log"); return nil }

func (m *mine) client() *hiring.Client {
	return m.ScriptedServer.Client(
		hiring.WithHTTPClient(&http.Client{Transport: m, Jar: m}),
		hiring.WithLogger(slog.New(m)),
		hiring.WithObserver(func(context.Context, hiring.Exchange) { m.at("observer") }),
		hiring.WithKeySource(func(context.Context) (string, error) {
			m.at("key source")
			return apitest.Key, nil
		}))
}

// panicOf runs f and returns the value of its panic.
func panicOf(f func()) (cause any) {
	defer func() { cause = recover() }()
	f()
	return nil
}

// The caller may recover from a panic, so nothing may remain that slows, blocks or leaks.
// One request remains in the window, so that a request which still counts as in flight
// would block the next one.
func TestPanicReachesTheCallerAndLeavesNothingBehind(t *testing.T) {
	page := apitest.RateLimit{Limit: 1000, Remaining: 1, Left: time.Hour, Skew: 0, RetryAfter: ""}.With(func(headers ...string) apitest.Responder {
		return apitest.Respond(200, `{"data":[{"id":"1"}],"meta":{"next_cursor":"c","has_more":true}}`, append(headers, "Set-Cookie: a=b")...)
	})
	ranges := map[string]func(*testing.T, hiring.Pager[hiring.Assessment]){
		"one page": func(t *testing.T, p hiring.Pager[hiring.Assessment]) { _, _ = p.Page(t.Context()) },
		"all":      func(t *testing.T, p hiring.Pager[hiring.Assessment]) { _, _ = p.Collect(t.Context()) },
	}
	for _, place := range []string{"transport", "body's Read", "body's Close", "log", "observer", "key source"} {
		for name, readAll := range ranges {
			t.Run(place+", "+name, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					m := &mine{ScriptedServer: apitest.NewScriptedServer(t, page), place: place}
					client := m.client()
					_, err := client.Assessments.List().Page(t.Context())
					require.NoError(t, err)
					m.armed.Store(true)
					cause := panicOf(func() { readAll(t, client.Assessments.List()) })
					require.Equal(t, "boom in the "+place, cause)
					synctest.Wait()
					for _, ctx := range m.sent {
						require.Error(t, ctx.Err(), "every attempt's context has ended")
					}
					for _, body := range m.bodies {
						require.Equal(t, 1, body.closed, "times that a body was closed")
					}
					begun := time.Now()
					_, err = client.Assessments.List().Page(t.Context())
					require.NoError(t, err)
					assert.Zero(t, time.Since(begun), "the next call waits for nobody")
				})
			})
		}
	}
}
