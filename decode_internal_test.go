package hiring

import (
	"context"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

var envelopeMembers = []string{"data", "meta"}

func TestForeign(t *testing.T) {
	for name, c := range map[string]struct {
		signed bool
		body   string
		why    string
		page   bool
	}{
		"its own":                               {signed: true, body: `{"data":{}}`},
		"its own, empty":                        {signed: true},
		"its own, not the envelopeMembers":      {signed: true, body: `[1]`},
		"its own, in a byte order":              {signed: true, body: "\ufeff {}"},
		"a page":                                {signed: true, body: "<html>", why: "the response is not from the API: <html>", page: true},
		"a page without headers":                {body: "<html>", why: "the response is not from the API: <html>", page: true},
		"empty, without headers":                {why: "the response is empty and not from the API"},
		"blank, without headers":                {body: " \n", why: "the response is empty and not from the API"},
		"JSON, without headers":                 {body: `{"login":1}`, why: "the response is JSON but not the API's envelope"},
		"a list, without headers":               {body: `["data"]`, why: "the response is JSON but not the API's envelope"},
		"deep, without headers":                 {body: `{"a":{"data":1}}`, why: "the response is JSON but not the API's envelope"},
		"envelopeMembers, without headers":      {body: `{"data":{}}`},
		"envelopeMembers after other names":     {body: `{"a":[{"b":1}],"meta":{}}`},
		"envelopeMembers after a long list":     {body: `{"a":[` + strings.Repeat("1,", 10_000) + `1],"data":1}`},
		"an envelopeMembers's name behind JSON": {body: `{"a":1} 7 "data"`, why: "the response is JSON but not the API's envelope"},
		"envelopeMembers that breaks off":       {body: `{"data":{"a`},
	} {
		h := http.Header{"Content-Type": {"application/json"}}
		if c.signed {
			h.Set("X-Request-Id", "req_1")
		}
		var judge provenanceDetector
		why, page := judge.Intermediary(h, []byte(c.body), envelopeMembers, t.Context())
		assert.Equal(t, c.why, why, name)
		assert.Equal(t, c.page, page, name)
	}
}

func TestAnEnvelopeShowsThatHeadersAreStripped(t *testing.T) {
	var judge provenanceDetector
	why, _ := judge.Intermediary(nil, nil, envelopeMembers, t.Context())
	assert.NotEmpty(t, why)
	why, _ = judge.Intermediary(nil, []byte(`{"meta":{}}`), envelopeMembers, t.Context())
	assert.Empty(t, why)
	why, _ = judge.Intermediary(nil, nil, envelopeMembers, t.Context())
	assert.Empty(t, why, "an empty response may be the API's by now")
	why, _ = judge.Intermediary(nil, []byte(`{"login":1}`), envelopeMembers, t.Context())
	assert.NotEmpty(t, why)
}

func TestLookingForTheEnvelopeEndsWithTheTime(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	var judge provenanceDetector
	why, _ := judge.Intermediary(nil, []byte(`{"a":[`+strings.Repeat("1,", 10_000)+`1],"data":1}`), envelopeMembers, ctx)
	assert.NotEmpty(t, why)
}
