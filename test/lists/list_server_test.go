package lists_test

import (
	"encoding/json"
	"net/url"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hiring-assessment/hiring-go/internal/testing/apitest"
)

// served responds with pages of its own size.
func served(style string, size int, saysSo bool) func(int, url.Values, *apitest.ListPage) {
	return func(_ int, q url.Values, p *apitest.ListPage) {
		own := apitest.NewListServer(style, 70)
		q.Set("page_size", strconv.Itoa(size))
		*p, _ = own.Page(q)
		if !saysSo {
			delete(p.Meta, "page_size")
		}
	}
}

func firstID(t *testing.T, body []byte) string {
	t.Helper()
	var reply struct {
		Data []struct {
			ID string `json:"id"`
		} `json:"data"`
	}
	require.NoError(t, json.Unmarshal(body, &reply))
	require.NotEmpty(t, reply.Data)
	return reply.Data[0].ID
}
