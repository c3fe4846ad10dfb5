package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hiring-assessment/hiring-go/sandbox"
)

// completed returns the completions of a command line, without descriptions.
func (u *user) completed(args ...string) (words []string) {
	for line := range strings.Lines(u.run(append([]string{"__complete"}, args...)...).stdout) {
		word, _, _ := strings.Cut(strings.TrimSpace(line), "\t")
		if !strings.HasPrefix(word, ":") {
			words = append(words, word)
		}
	}
	return words
}

// cacheFiles returns the files of the completion cache.
func (u *user) cacheFiles() []string {
	files, err := filepath.Glob(filepath.Join(u.home, ".cache", "hiring", "completion", "*"))
	require.NoError(u.t, err)
	return files
}

// TestCompletionOfIDs: ids come from the API once and then from a cache without candidate
// data, which only the user can read.
func TestCompletionOfIDs(t *testing.T) {
	t.Parallel()
	server := sandbox.New(sandbox.WithClock(noon))
	u := newUser(t, server, sandbox.TestKey)
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"assessments", "get", ""}, "Senior payments engineer"},
		{[]string{"assessments", "get", "sen"}, "Senior payments engineer"},
		{[]string{"assessments", "get", "a0"}, sandbox.AssessmentID},
		{[]string{"invitations", "list", "--assessment", "a0"}, sandbox.AssessmentID},
		{[]string{"challenges", "get", ""}, "Payments backend"},
		{[]string{"challenges", "get", "c0"}, "c0000000-0000-4000-8000-000000000001"},
		{[]string{"invitations", "revoke", "--assessment", sandbox.AssessmentID, ""}, "1a000000-0000-4000-8001-000000000360"},
		{[]string{"submissions", "report", "5b"}, "5b000000-0000-4000-8001-000000000356"},
		{[]string{"report", ""}, "5b000000-0000-4000-8001-000000000356"},
	} {
		assert.Contains(t, u.completed(c.args...), c.want, c.args)
		assert.Contains(t, u.completed(c.args...), c.want, c.args)
	}
	assert.Len(t, server.Journal(), 4, "one read for each list, whatever the number of key presses")
	assert.Empty(t, u.completed("assessments", "get", "b"))
	assert.Empty(t, u.completed("assessments", "get", sandbox.AssessmentID, ""), "the command takes one argument")
	first := "5b000000-0000-4000-8001-000000000356"
	assert.NotContains(t, u.completed("submissions", "wait", first, ""), first, "each id is completed once")

	require.Len(t, u.cacheFiles(), 4)
	for _, file := range u.cacheFiles() {
		info, err := os.Stat(file)
		require.NoError(t, err)
		assert.Equal(t, os.FileMode(0o600), info.Mode())
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		for _, candidate := range []string{"@", "Petrov", "Tanaka", sandbox.TestKey} {
			assert.NotContains(t, string(text), candidate)
		}
	}
}

// TestCompletionCacheExpires: a cache belongs to one key, expires, and may be damaged.
func TestCompletionCacheExpires(t *testing.T) {
	t.Parallel()
	server := sandbox.New(sandbox.WithClock(noon))
	u := newUser(t, server, sandbox.TestKey)
	u.completed("assessments", "get", "")
	file := u.cacheFiles()[0]
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	expires := time.Now().UTC().Format("2006")
	require.Contains(t, string(text), `"expires": "`+expires)
	require.NoError(t, os.WriteFile(file, []byte(strings.Replace(string(text), `"expires": "`+expires, `"expires": "1999`, 1)), 0o600))
	assert.NotEmpty(t, u.completed("assessments", "get", ""))
	assert.Len(t, server.Journal(), 2, "read again")
	require.NoError(t, os.WriteFile(file, []byte("{"), 0o600))
	assert.NotEmpty(t, u.completed("assessments", "get", ""))
	assert.Len(t, server.Journal(), 3)
	other := newUser(t, nil, "")
	other.home, other.env = u.home, append(u.env, envKey+"="+sandbox.ReadOnlyKey)
	other.completed("assessments", "get", "")
	assert.Len(t, server.Journal(), 4, "another key sees its own list")
	assert.Len(t, u.cacheFiles(), 2)

	old := filepath.Join(filepath.Dir(file), "old.json")
	require.NoError(t, os.WriteFile(old, []byte("{}"), 0o600))
	require.NoError(t, os.Chtimes(old, time.Time{}, time.Now().Add(-time.Hour)))
	u.completed("challenges", "get", "")
	assert.NoFileExists(t, old, "an expired cache is removed")
}

// TestCompletionWithoutAServer returns nothing and sends no request at the next key press.
func TestCompletionWithoutAServer(t *testing.T) {
	t.Parallel()
	server := sandbox.New(sandbox.WithClock(noon))
	server.Inject(sandbox.Fault{Route: "GET /assessments", Times: 9, Status: 500})
	u := newUser(t, server, sandbox.TestKey)
	for range 3 {
		assert.Empty(t, u.completed("assessments", "get", ""))
	}
	assert.Len(t, server.Journal(), 1, "no retries, and the failure is cached for a minute")
	nothing := newUser(t, nil, "")
	assert.Empty(t, nothing.completed("assessments", "get", ""))
	assert.NotEmpty(t, nothing.completed("--sandbox", "assessments", "get", ""))
	assert.Empty(t, nothing.cacheFiles(), "completion from the sandbox is not cached")
}

// TestCompletionOfValues completes statuses, columns, profiles, settings and methods.
func TestCompletionOfValues(t *testing.T) {
	t.Parallel()
	server, u := newKeyedServer(t)
	require.Zero(t, u.runWith(secretTest, "profile", "add", "acme", "--base-url", server.URL()).code)
	assert.Equal(t, []string{"evaluated", "started", "submitted"}, u.completed("submissions", "list", "--status", ""))
	assert.Contains(t, u.completed("submissions", "list", "--sort", ""), "score")
	assert.Contains(t, u.completed("submissions", "list", "--sort=-"), "-score")
	assert.Contains(t, u.completed("submissions", "list", "--columns", "id,"), "id,score")
	assert.Equal(t, []string{"acme"}, u.completed("--profile", ""))
	assert.Contains(t, u.completed("api", "-X", ""), "PATCH")
	assert.Empty(t, u.completed("submissions", "find", ""), "addresses of candidates are never stored")
}
