package call_test

import (
	"net/http"

	"github.com/hiring-assessment/hiring-go/internal/testing/apitest"
)

// spoilingClient responds to request n with a 400 and the body, unless the body is empty.
func spoilingClient(s *apitest.ListServer, body func(n int) string) *http.Client {
	return &http.Client{Transport: apitest.RoundTripper(func(r *http.Request) (*http.Response, error) {
		resp, err := s.RoundTrip(r)
		if text := body(s.Requests()); text != "" {
			return apitest.NewListResponse(r, http.StatusBadRequest, text), nil
		}
		return resp, err
	})}
}
