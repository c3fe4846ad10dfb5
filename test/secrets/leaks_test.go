package secrets_test

import (
	"bufio"
	"bytes"
	"context"
	"crypto/tls"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strconv"
	"strings"
	"testing"
	"time"
	"unicode/utf16"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hiring-assessment/hiring-go"
	"github.com/hiring-assessment/hiring-go/internal/testing/apitest"
)

// lettersIn returns the letters of a text that can reveal a key, with nested escapes
// decoded.
func lettersIn(text string) []string {
	var all []string
	for range 3 {
		if len(all) > 0 && !strings.Contains(text, `\`) {
			break
		}
		all = append(all, strings.Map(func(r rune) rune {
			if r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' {
				return r
			}
			return -1
		}, text))
		var plain strings.Builder
		for rest := strings.ReplaceAll(text, `\/`, `/`); rest != ""; {
			if r, _, tail, err := strconv.UnquoteChar(rest, 0); err == nil {
				plain.WriteRune(r)
				rest = tail
			} else {
				plain.WriteByte(rest[0])
				rest = rest[1:]
			}
		}
		text = plain.String()
	}
	return all
}

// assertNoPiece looks for 12 consecutive letters of fakeKey's secret in every rendering
// of the values and of all errors in their trees.
func assertNoPiece(t *testing.T, what string, values ...any) {
	t.Helper()
	secret := strings.TrimPrefix(apitest.Key, "sk_test_")
	for _, v := range values {
		err, _ := v.(error)
		for _, node := range append(errorTree(err), v) {
			for _, text := range append(apitest.Formatted(node), fmt.Sprintf("%s", node)) {
				for _, letters := range lettersIn(text) {
					for i := range len(secret) - 11 {
						if strings.Contains(letters, secret[i:i+12]) {
							t.Errorf("%s: a %T shows a piece of the key: %.300q", what, node, text)
							return
						}
					}
				}
			}
		}
	}
}

func errorTree(err error) []any {
	if err == nil {
		return nil
	}
	all := []any{err}
	switch err := err.(type) { //nolint:errorlint // Visits the tree.
	case interface{ Unwrap() error }:
		all = append(all, errorTree(err.Unwrap())...)
	case interface{ Unwrap() []error }:
		for _, cause := range err.Unwrap() {
			all = append(all, errorTree(cause)...)
		}
	}
	return all
}

// splitKeys are echoes of the key, interrupted by characters that the client or a
// terminal later removes.
func splitKeys() map[string]string {
	half := apitest.Key[:15]
	split := map[string]string{"whole": apitest.Key, "a piece": apitest.Key[9:21]}
	for name, separator := range map[string]string{
		"NUL": "\x00", "ESC": "\x1b", "CR": "\r", "DEL": "\x7f", "a tab": "\t", "C1": "\u0085", "U+2028": "\u2028", "U+200B": "\u200b",
		"invalid UTF-8": "\xff", "cut UTF-8": "\xe2\x80", `\u0000`: `\u0000`, `\u2028`: `\u2028`, `\n`: `\n`, `\/`: `\/`, `\\`: `\\`, `\\u0000`: `\\u0000`,
	} {
		split[name] = half + separator + apitest.Key[15:]
		split[name+" everywhere"] = strings.Join(strings.Split(apitest.Key, ""), separator)
	}
	split["escaped"] = escaped(apitest.Key, `\u%04x`)
	split["escaped twice"] = escaped(apitest.Key, `\\u%04x`)
	return split
}

func wideText(s string, order binary.AppendByteOrder) string {
	var b []byte
	for _, unit := range utf16.Encode([]rune("\ufeff" + s)) {
		b = order.AppendUint16(b, unit)
	}
	return string(b)
}

// hostileReplies are the bytes that a peer writes to a connection.
func hostileReplies() map[string]string {
	all := make(map[string]string)
	page := func(name string, status int, kind, body string, headers ...string) {
		all[name] = fmt.Sprintf("HTTP/1.1 %d Odd\r\nContent-Type: %s\r\nContent-Length: %d\r\nConnection: close\r\n%s\r\n%s",
			status, kind, len(body), strings.Join(headers, ""), body)
	}
	for name, k := range splitKeys() {
		page("page, "+name, 502, "text/html", "<h1>Bad gateway</h1> Authorization: Bearer "+k)
		page("refusal, "+name, 400, "application/json", `{"error":{"code":"C`+k+`","message":"bad `+k+`","request_id":"`+k+`","details":{"formErrors":["`+k+`"],"fieldErrors":{"`+k+`":["`+k+`"]}}}}`)
		page("success, "+name, 200, "application/json", `{"data":{"id":"`+k+`","name":"`+k+`","new":["`+k+`"]},"meta":{"request_id":"`+k+`"}}`)
		page("sign-in, "+name, 200, "text/html", "<html>"+k)
		if !strings.ContainsAny(k, "\r\x00\x1b\x7f") {
			page("headers, "+name, 500, "text/html", "x", "X-Request-Id: "+k+"\r\n", "X-Echo: "+k+"\r\n")
		}
		if !strings.Contains(k, "\r") {
			all["malformed header, "+name] = "HTTP/1.1 200 OK\r\nAuthorization Bearer " + k + "\r\n\r\n"
			all["malformed status, "+name] = "HTTP/1.1 x" + k + " OK\r\n\r\n"
			all["malformed response, "+name] = k + "\r\n\r\n"
			all["malformed length, "+name] = "HTTP/1.1 200 OK\r\nContent-Length: " + k + "\r\n\r\n"
			all["odd encoding, "+name] = "HTTP/1.1 200 OK\r\nTransfer-Encoding: " + k + "\r\n\r\n"
		}
	}
	page("code and message", 400, "application/json", `{"error":{"code":"`+apitest.Key[8:15]+`","message":"`+apitest.Key[15:]+`"}}`)
	page("message and details", 400, "application/json", `{"error":{"code":"C","message":"`+apitest.Key[8:15]+`","details":{"formErrors":["`+apitest.Key[15:]+`"]}}}`)
	page("header name", 200, "text/html", "x", "X-"+strings.ReplaceAll(apitest.Key, "_", "-")+": 1\r\n")
	for name, order := range map[string]binary.AppendByteOrder{"big": binary.BigEndian, "little": binary.LittleEndian} {
		page("UTF-16, "+name+" endian", 502, "text/html", wideText("<h1>no</h1> Bearer "+apitest.Key, order))
		page("UTF-16 JSON, "+name+" endian", 400, "application/json", wideText(`{"error":{"message":"`+apitest.Key+`"}}`, order))
	}
	return all
}

// witness is a client that records everything that it returns, logs or reports.
type witness struct {
	client    *hiring.Client
	log       bytes.Buffer
	exchanges []hiring.Exchange
}

func newWitness(t *testing.T, baseURL string, transport http.RoundTripper) *witness {
	t.Helper()
	w := new(witness)
	options := &slog.HandlerOptions{Level: slog.LevelDebug}
	client, err := hiring.New(baseURL, apitest.Key,
		hiring.WithHTTPClient(&http.Client{Transport: transport}),
		hiring.WithRetry(hiring.RetryPolicy{MaxAttempts: 1}),
		hiring.WithTimeout(20*time.Second),
		hiring.WithObserver(func(_ context.Context, e hiring.Exchange) { w.exchanges = append(w.exchanges, e) }),
		hiring.WithLogger(slog.New(slog.NewMultiHandler(slog.NewTextHandler(&w.log, options), slog.NewJSONHandler(&w.log, options)))))
	require.NoError(t, err)
	w.client = client
	return w
}

// assertSilent makes calls and searches all their results, errors and logs for the key.
func (w *witness) assertSilent(t *testing.T, name string) (err error) {
	t.Helper()
	var raw hiring.Response
	ctx := hiring.WithResponse(t.Context(), &raw)
	account, err := w.client.Account.Get(ctx)
	assertNoPiece(t, name, account, err, raw, raw.RequestID, string(raw.Body), raw.Body)
	for _, text := range []string{account.ID, account.Name} {
		assertNoPiece(t, name+": a field", text)
	}
	if failure, ok := errors.AsType[*hiring.Error](err); ok {
		form, fields := failure.Fields()
		assertNoPiece(t, name+": the error", *failure, failure.Message, string(failure.Code), failure.RequestID, string(failure.Details), form, fields)
	}
	_, sendErr := w.client.Invitations.Send(ctx, "a", hiring.NewInvitation{Email: "e", Name: "n"})
	assertNoPiece(t, name+": Send", sendErr)
	for _, e := range w.exchanges {
		assertNoPiece(t, name+": Exchange", e, e.Err)
	}
	assertNoPiece(t, name+": the log", w.log.String())
	return err
}

func TestErrorsOfConnectionsContainNoPieceOfTheKey(t *testing.T) {
	t.Parallel()
	for name, reply := range hostileReplies() {
		baseURL, _ := apitest.Listen(t, func(conn *net.TCPConn) {
			if r, err := http.ReadRequest(bufio.NewReader(conn)); err == nil {
				_, _ = io.Copy(io.Discard, r.Body)
			}
			_, _ = io.WriteString(conn, reply)
			_ = conn.Close()
		})
		transport := &http.Transport{DisableKeepAlives: true}
		_ = newWitness(t, baseURL, transport).assertSilent(t, name)
	}
}

func TestErrorsOfProxiesContainNoPieceOfTheKey(t *testing.T) {
	t.Parallel()
	for name, k := range splitKeys() {
		if strings.ContainsAny(k, "\r") {
			continue
		}
		proxy, _ := apitest.Listen(t, func(conn *net.TCPConn) {
			_, _ = http.ReadRequest(bufio.NewReader(conn))
			_, _ = io.WriteString(conn, "HTTP/1.1 407 no "+k+"\r\n\r\n")
			_ = conn.Close()
		})
		u, err := url.Parse(proxy)
		require.NoError(t, err)
		err = newWitness(t, "https://hiring.test", &http.Transport{Proxy: http.ProxyURL(u)}).assertSilent(t, name)
		require.ErrorContains(t, err, "no [redacted]", "%s", name)
	}
}

// frame returns an HTTP/2 frame.
func frame(w io.Writer, kind byte, payload []byte) {
	head := binary.BigEndian.AppendUint32(nil, uint32(len(payload))<<8|uint32(kind))
	_, _ = w.Write(append(append(head, make([]byte, 5)...), payload...))
}

// goesAway speaks HTTP/2 until the first request, and then sends GOAWAY with debug data.
func goesAway(conn net.Conn, words string) {
	defer func() { _ = conn.Close() }()
	const headers, settings, goAway = 1, 4, 7
	in := bufio.NewReader(conn)
	if _, err := in.Discard(len("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n")); err != nil {
		return
	}
	frame(conn, settings, nil)
	for {
		head := make([]byte, 9)
		if _, err := io.ReadFull(in, head); err != nil {
			return
		}
		_, _ = in.Discard(int(binary.BigEndian.Uint32(head) >> 8))
		if head[3] == headers {
			break
		}
	}
	frame(conn, goAway, append([]byte{0, 0, 0, 1, 0, 0, 0, 2}, words...))
}

func TestErrorsOfHTTP2ContainNoPieceOfTheKey(t *testing.T) {
	t.Parallel()
	certified := httptest.NewUnstartedServer(http.NotFoundHandler())
	certified.StartTLS()
	t.Cleanup(certified.Close)
	for name, k := range splitKeys() {
		l, err := tls.Listen("tcp", "127.0.0.1:0", &tls.Config{Certificates: certified.TLS.Certificates, NextProtos: []string{"h2"}})
		require.NoError(t, err)
		t.Cleanup(func() { _ = l.Close() })
		go func() {
			for {
				conn, err := l.Accept()
				if err != nil {
					return
				}
				go goesAway(conn, "bad key "+k)
			}
		}()
		transport := certified.Client().Transport.(*http.Transport).Clone()
		transport.ForceAttemptHTTP2 = true
		transport.TLSClientConfig.NextProtos = nil
		err = newWitness(t, "https://"+l.Addr().String(), transport).assertSilent(t, name)
		transport.CloseIdleConnections()
		require.ErrorContains(t, err, "GOAWAY", "%s", name)
		require.ErrorContains(t, err, "[redacted]", "%s", name)
	}
}

// vaultError is a failure of a key source or a transport.
type vaultError struct {
	Detail  string
	Request *http.Request
}

func (v *vaultError) Error() string { return "vault: " + v.Detail }

var errVault = errors.New("vault closed")

func TestCausesAreStillFoundWithoutTheKey(t *testing.T) {
	cause := fmt.Errorf("%w: %w", errVault, &vaultError{"refused " + apitest.Key[:12] + "\x00" + apitest.Key[12:], &http.Request{Header: http.Header{"Authorization": {apitest.Key}}}})
	transport := newWitness(t, apitest.BaseURL, apitest.NewScriptedServer(t, apitest.Fail(cause)))
	fromSource, err := hiring.New(apitest.BaseURL, "", hiring.WithKeySource(func(context.Context) (string, error) { return apitest.Key, cause }))
	require.NoError(t, err)
	_, sourceErr := fromSource.Account.Get(t.Context())
	for name, err := range map[string]error{"transport": transport.assertSilent(t, "transport"), "key source": sourceErr} {
		assertNoPiece(t, name, err)
		require.ErrorIs(t, err, errVault, "%s", name)
		require.ErrorIs(t, err, cause, "%s", name)
		var vault *vaultError
		require.NotErrorAs(t, err, &vault, "%s: it holds the key", name)
		require.ErrorContains(t, err, "vault closed: vault: refused [redacted]", "%s", name)
	}
}

func TestNoPieceOfTheKeyInHeaders(t *testing.T) {
	fake := apitest.NewScriptedServer(t, func(r *http.Request) (*http.Response, error) {
		resp, err := apitest.RespondData(`{"id":"a"}`)(r)
		resp.Header["x-"+apitest.Key] = []string{"1"} // Left by a transport that does not use the canonical form.
		resp.Header["X-Echo"] = []string{"a", apitest.Key[:14] + "\x00" + apitest.Key[14:]}
		return resp, err
	})
	var raw hiring.Response
	_, err := fake.Client().Account.Get(hiring.WithResponse(t.Context(), &raw))
	require.NoError(t, err)
	assert.Equal(t, http.Header{"x-[redacted]": {"1"}, "X-Echo": {"a", "[redacted]"}}, raw.Header)
}
