package urls_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hiring-assessment/hiring-go/internal/urls"
)

func TestFill(t *testing.T) {
	for id, want := range map[string]urls.Path{
		"a1":      {Plain: "/assessments/a1/invitations"},
		"a/../b":  {Plain: "/assessments/a/../b/invitations", Raw: "/assessments/a%2F..%2Fb/invitations"},
		"a b?c#d": {Plain: "/assessments/a b?c#d/invitations", Raw: "/assessments/a%20b%3Fc%23d/invitations"},
		"%2e":     {Plain: "/assessments/%2e/invitations", Raw: "/assessments/%252e/invitations"},
	} {
		p, unfit := urls.Fill("/assessments/{id}/invitations", []urls.ID{{"assessmentID", id}})
		assert.Equal(t, want, p, id)
		assert.Empty(t, unfit, id)
	}
	p, _ := urls.Fill("/members", nil)
	assert.Equal(t, urls.Path{Plain: "/members"}, p)
	_, unfit := urls.Fill("/a/{id}/b/{b_id}/c", []urls.ID{{"first", ""}, {"second", ".."}})
	assert.Equal(t, []urls.Unfit{{Name: "first", Placeholder: "id"}, {Name: "second", Placeholder: "b_id"}}, unfit)
}

func TestOf(t *testing.T) {
	for escaped, want := range map[string][3]string{
		"/assessments/4f1c/archive": {"/assessments/4f1c/archive", "", "/{id}/{id}/{id}"},
		"a":                         {"/a", "", "/a"},
		"/a/ada%40example.com":      {"/a/ada@example.com", "/a/ada%40example.com", "/a/{id}"},
		"/a/b%2Fc":                  {"/a/b/c", "/a/b%2Fc", "/a/{id}"},
	} {
		p, template, err := urls.ParsePath(escaped, func(segment string) bool { return len(segment) == 1 && segment[0] >= 'a' && segment[0] <= 'z' })
		require.NoError(t, err, escaped)
		assert.Equal(t, want, [3]string{p.Plain, p.Raw, template}, escaped)
	}
	for _, escaped := range []string{"", "/", "/a//b", "/a/..", "/a/%2e%2e", "/a/%zz", "/a?b", "/a#b"} {
		_, _, err := urls.ParsePath(escaped, func(segment string) bool { return len(segment) == 1 && segment[0] >= 'a' && segment[0] <= 'z' })
		assert.Error(t, err, escaped)
	}
}

func TestCheck(t *testing.T) {
	const read, write = "GET /a/{id}", "POST /a/{id}/b/{b_id}"
	for _, c := range []struct{ route, instead, problem string }{
		{"GET /other/{id}", read, ""},
		{"PUT /{id}/{b_id}", write, ""},
		{"POST /a/{id}", read, "must be GET"},
		{"GET /{id}/{b_id}", write, "must be GET"},
		{"POST", write, "must be a method and a path"},
		{"POST a/{id}/{b_id}", write, "must be a method and a path"},
		{"post /{id}/{b_id}", write, "must begin with GET"},
		{"POST /{id}/{b_id}?x=1", write, "must be a plain path"},
		{"POST /{b_id}/{id}", write, "must have the placeholders [{id} {b_id}]"},
		{"GET /a/{id}/{id}", read, "must have the placeholders [{id}]"},
		{"GET /a//{id}", read, "must have no empty"},
		{"GET /a/../{id}", read, "must have no empty"},
		{"GET /a/{id}/x{", read, "only around a placeholder"},
		{"GET /a/{id}/{x", read, "only around a placeholder"},
		{"GET /a/{id}/x}", read, "only around a placeholder"},
	} {
		err := urls.CheckRoute(c.route, c.instead)
		if c.problem == "" {
			require.NoError(t, err, c.route)
		} else {
			require.ErrorContains(t, err, c.problem, c.route)
		}
	}
}
