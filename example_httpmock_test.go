package hiring_test

import (
	"context"
	"errors"
	"fmt"
	"log"
	"net/http"
	"time"

	"github.com/jarcoal/httpmock"

	hiring "github.com/hiring-assessment/hiring-go"
)

// Mock single responses with httpmock when a test needs a response that the
// sandbox does not send, such as a page of a proxy. The transport belongs to one
// client, so tests can run in parallel.
func ExampleWithHTTPClient_httpmock() {
	const account = "https://hiring.example.com/api/v1/account"
	transport := httpmock.NewMockTransport()
	transport.RegisterResponder(http.MethodGet, account,
		httpmock.NewStringResponder(http.StatusBadGateway, "<html>Bad gateway</html>").
			Then(httpmock.NewStringResponder(http.StatusOK, `{"data":{"id":"org_1","name":"Acme"},"meta":{"request_id":"req_1"}}`)))

	client, err := hiring.New("https://hiring.example.com", "sk_test_0123456789",
		hiring.WithHTTPClient(&http.Client{Transport: transport}),
		hiring.WithRetry(hiring.RetryPolicy{BaseBackoff: time.Millisecond}))
	if err != nil {
		log.Fatal(err)
	}
	found, err := client.Account.Get(context.Background())
	fmt.Println(found.Name, err)
	fmt.Println(transport.GetCallCountInfo()["GET "+account], "requests")
	// Output:
	// Acme <nil>
	// 2 requests
}

// A matcher checks the request of your code. A request without a responder fails.
func ExampleInvitationService_Send_httpmock() {
	transport := httpmock.NewMockTransport()
	transport.RegisterMatcherResponder(http.MethodPost, `=~/assessments/[^/]+/invitations$`,
		httpmock.BodyContainsString(`"candidate_email":"ada@candidates.test"`),
		httpmock.ConnectionFailure) // The response is lost after the request was sent.

	client, err := hiring.New("https://hiring.example.com", "sk_test_0123456789",
		hiring.WithHTTPClient(&http.Client{Transport: transport}))
	if err != nil {
		log.Fatal(err)
	}
	_, err = client.Invitations.Send(context.Background(), "as_1", hiring.NewInvitation{Email: "ada@candidates.test", Name: "Ada"})
	fmt.Println(errors.Is(err, hiring.ErrOutcomeUnknown), transport.GetTotalCallCount(), "request")
	// Output: true 1 request
}
