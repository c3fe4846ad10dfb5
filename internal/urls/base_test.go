package urls_test

import (
	"net/url"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hiring-assessment/hiring-go/internal/urls"
)

func TestLoopback(t *testing.T) {
	for host, want := range map[string]bool{
		"localhost": true, "LOCALHOST": true, "hiring.localhost": true, "127.0.0.1": true, "127.9.9.9": true, "::1": true,
		"": false, "notlocalhost": false, "localhost.example.com": false, "10.0.0.1": false, "127.0.0.1.example.com": false,
	} {
		assert.Equal(t, want, urls.Loopback(host), "%q", host)
	}
}

func TestPrivate(t *testing.T) {
	for host, want := range map[string]bool{
		"sandbox": true, "10.0.0.1": true, "172.16.0.1": true, "192.168.1.9": true, "fd00::1": true,
		"hiring.example.com": false, "172.32.0.1": false, "8.8.8.8": false, "2001:db8::1": false, "sandbox.": false, "2001:db8::1%eth0": false, "134744072": false,
	} {
		assert.Equal(t, want, urls.Private(host), "%q", host)
	}
}

func TestServer(t *testing.T) {
	for text, want := range map[string]string{
		"https://a.example": "a.example:443", "http://a.example": "a.example:80", "http://[::1]:8080/x": "[::1]:8080",
	} {
		u, err := url.Parse(text)
		require.NoError(t, err)
		assert.Equal(t, want, urls.Server(u))
	}
}

func TestBase(t *testing.T) {
	base, problems := urls.ParseBase("https://a.example/up%2Fper/", "/api/v1", urls.Loopback)
	assert.Empty(t, problems)
	assert.Equal(t, "https://a.example/up%2Fper/api/v1", base.String())
	_, problems = urls.ParseBase("http://me:sk_live_secret@a.example/api/v1?q", "/api/v1", urls.Loopback)
	assert.Len(t, problems, 4, "all of it at once")
	for _, problem := range problems {
		assert.NotContains(t, problem, "secret")
	}
	_, problems = urls.ParseBase("http://a.example", "/api/v1", func(string) bool { return true })
	assert.Empty(t, problems)
}

func TestErrorsOfBaseURLs(t *testing.T) {
	for text, want := range map[string][]string{
		"":                          {"is empty"},
		"ftp://a.example":           {"has a scheme other than https"},
		"https://a.example\n":       {"contains white space or a line break"},
		"https://a.example /x":      {"contains white space or a line break"},
		" https://a.example":        {"contains white space or a line break"},
		"a.example":                 {"must be absolute"},
		"a.example:8080":            {"must be absolute"},
		"//a.example":               {"must be absolute"},
		"https://":                  {"must be absolute"},
		"https:a.example":           {"must be absolute"},
		"://a.example":              {"must be absolute"},
		"https://[::1":              {"must be absolute"},
		"https://me@a.example":      {"user info"},
		"https://a.example?":        {"no query"},
		"https://a.example#x":       {"no query"},
		"http://a.example":          {"plain http"},
		"http://localhost:8080":     nil,
		"https://a.example/api/v1/": {"must not end in /api/v1"},
		"https://a.example/api/v":   nil,
	} {
		_, problems := urls.ParseBase(text, "/api/v1", urls.Loopback)
		require.Len(t, problems, len(want), "%q: %q", text, problems)
		for i, problem := range problems {
			assert.Contains(t, problem, want[i], "%q", text)
		}
	}
}
