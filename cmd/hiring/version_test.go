package main

import (
	"testing"

	"github.com/stretchr/testify/assert"

	hiring "github.com/hiring-assessment/hiring-go"
	"github.com/hiring-assessment/hiring-go/sandbox"
)

// TestVersionOfAnUnreleasedProgram checks each place in which a user or the API sees a version. .ci/release checks those
// of a release.
func TestVersionOfAnUnreleasedProgram(t *testing.T) {
	t.Parallel()
	server := sandbox.New()
	t.Cleanup(server.Close)
	u := newUser(t, server, sandbox.TestKey)
	assert.Equal(t, "hiring version development\n", u.run("--version").stdout)
	assert.Equal(t, "development\n", u.run("--version", "--jq", ".version").stdout)
	assert.Equal(t, 0, u.run("account").code)
	journal := server.Journal()
	if assert.NotEmpty(t, journal) {
		assert.Regexp(t, "^hiring-cli/development hiring-go/"+hiring.Version+` \(`, journal[0].Header.Get("User-Agent"))
	}
}
