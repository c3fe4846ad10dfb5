package main

import (
	"encoding/json"
	"net/http"
	"os"
	"regexp"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	hiring "github.com/hiring-assessment/hiring-go"
)

// TestComposeFile starts the server with the flags of sandbox/compose.yaml, where the control API is used by the name of the
// service, and creates a client from the variables of the other service.
func TestComposeFile(t *testing.T) {
	text, err := os.ReadFile("../../sandbox/compose.yaml")
	require.NoError(t, err)
	service := regexp.MustCompile(`(?s)\n  (\w+):\n    build:.*\n    command: (\[.*?\])\n`).FindSubmatch(text)
	require.NotNil(t, service)
	var flags []string
	require.NoError(t, json.Unmarshal(service[2], &flags))
	require.Equal(t, []string{"-addr", ":8780"}, flags[:2])
	assert.Contains(t, string(text), `"127.0.0.1:8780:8780"`, "the published port")
	p := start(t, flags[2:]...)
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, p.baseURL+"/_sandbox/journal", nil)
	require.NoError(t, err)
	r.Host = string(service[1]) + ":8780"
	response, err := new(http.Client).Do(r)
	require.NoError(t, err)
	require.NoError(t, response.Body.Close())
	assert.Equal(t, http.StatusOK, response.StatusCode)

	for _, variable := range regexp.MustCompile(`(?m)^      (HIRING_\w+): "?([^"\n]+)`).FindAllStringSubmatch(string(text), -1) {
		t.Setenv(variable[1], variable[2])
	}
	assert.Equal(t, "http://"+r.Host, os.Getenv("HIRING_BASE_URL"))
	client, err := hiring.FromEnv()
	require.NoError(t, err)
	assert.Equal(t, hiring.EnvironmentLive, client.Environment())
}
