package hiring_test

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"time"

	hiring "github.com/hiring-assessment/hiring-go"
	"github.com/hiring-assessment/hiring-go/sandbox"
)

func ExampleNew() {
	client, err := hiring.New("https://hiring.example.com", "sk_test_0123456789",
		hiring.WithUserAgent("acme-ats/1.2"),
		hiring.WithTimeout(10*time.Second),
		hiring.WithEnvironment(hiring.EnvironmentTest)) // Fails on a live key.
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(client.Environment())

	_, err = hiring.New("http://hiring.example.com", "sk_test_0123456789")
	fmt.Println(err)
	// Output:
	// test
	// hiring: baseURL: plain http would show the key to the network: use https, or WithInsecureHTTP if that is meant
}

func ExampleClient_OpenAPI() {
	ctx := context.Background()
	client := sandbox.New().Client()

	raw, err := client.OpenAPI(ctx)
	if err != nil {
		log.Fatal(err)
	}
	var document struct {
		OpenAPI string                     `json:"openapi"`
		Paths   map[string]json.RawMessage `json:"paths"`
	}
	if err := json.Unmarshal(raw, &document); err != nil {
		log.Fatal(err)
	}
	_, found := document.Paths["/api/v1/submissions/{id}"]
	fmt.Println(document.OpenAPI, found)
	// Output: 3.1.0 true
}

func ExampleClient_Do() {
	ctx := context.Background()
	client := sandbox.New().Client()

	var account struct {
		Name string `json:"name"`
	}
	_, err := client.Do(ctx, http.MethodGet, "/account", nil, nil, &account)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(account.Name)
	// Output: Sandbox Hiring Ltd
}

// A request with a body.
func ExampleClient_Do_patch() {
	ctx := context.Background()
	client, assessmentID := sandbox.New().Client(), sandbox.AssessmentID

	var changed struct {
		Status string `json:"status"`
	}
	_, err := client.Do(ctx, http.MethodPatch, "/assessments/"+assessmentID, nil, map[string]any{"status": "closed"}, &changed)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(changed.Status)
	// Output: closed
}

// A deployment sets HIRING_BASE_URL and HIRING_API_KEY.
func ExampleFromEnv() {
	for name, value := range map[string]string{
		"HIRING_BASE_URL": "https://hiring.example.com",
		"HIRING_API_KEY":  "sk_test_0123456789",
	} {
		if err := os.Setenv(name, value); err != nil {
			log.Fatal(err)
		}
		defer func() { _ = os.Unsetenv(name) }()
	}

	client, err := hiring.FromEnv()
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(client.Environment())

	_ = os.Unsetenv("HIRING_API_KEY")
	_, err = hiring.FromEnv()
	fmt.Println(err)
	// Output:
	// test
	// hiring: HIRING_API_KEY: is empty: set an API key created in the dashboard
}

// A client with the same key and connections, and with other options.
func ExampleClient_With() {
	ctx := context.Background()
	client := sandbox.New().Client()

	patient, err := client.With(hiring.WithRetry(hiring.RetryPolicy{MaxAttempts: 10, MaxWait: time.Hour}))
	if err != nil {
		log.Fatal(err)
	}
	if _, err := patient.Account.Get(ctx); err != nil {
		log.Fatal(err)
	}
	fmt.Println(client.Quota().Read.Remaining) // Both know the rate limits that either has received.
	// Output: 999
}

func ExampleClient_Environment() {
	server := sandbox.New()

	for _, client := range []*hiring.Client{server.Client(), server.LiveClient()} {
		switch client.Environment() {
		case hiring.EnvironmentTest:
			fmt.Println("no e-mail is sent")
		case hiring.EnvironmentLive:
			fmt.Println("candidates get mails")
		default:
			fmt.Println("a key of a new kind")
		}
	}
	// Output:
	// no e-mail is sent
	// candidates get mails
}

func ExampleClient_String() {
	client, err := hiring.New("https://hiring.example.com", "sk_live_ab3dE5fG7hI9jK1lM3nO5pQ7")
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(client.String())
	// Output: hiring.Client(live, hiring.example.com)
}

// dialectOf reads a file with the names that differ.
func dialectOf(file string) (dialect hiring.Dialect, err error) {
	text, err := os.ReadFile(file)
	if err == nil {
		err = json.Unmarshal(text, &dialect)
	}
	return dialect, err
}

// A Dialect from a file, which hiring doctor and hiring-sandbox take, too.
func ExampleWithDialect_file() {
	ctx := context.Background()
	folder, err := os.MkdirTemp("", "hiring")
	if err != nil {
		log.Fatal(err)
	}
	defer func() { _ = os.RemoveAll(folder) }()
	file := filepath.Join(folder, "dialect.json")
	if err := os.WriteFile(file, []byte(`{"page_size_param": "per_page", "list_assessments": "GET /job-postings"}`), 0o600); err != nil {
		log.Fatal(err)
	}
	server := sandbox.New(sandbox.WithDialect(hiring.Dialect{PageSizeParam: "per_page", ListAssessments: "GET /job-postings"}))

	dialect, err := dialectOf(file)
	if err != nil {
		log.Fatal(err)
	}
	client := server.Client(hiring.WithDialect(dialect))
	assessments, err := client.Assessments.List().Collect(ctx)
	fmt.Println(len(assessments), err)
	// Output: 6 <nil>
}

func ExampleWithRetry() {
	ctx := context.Background()
	server := sandbox.New()
	server.SetQuota(sandbox.TestKey, sandbox.ClassRead, 0)
	client := server.Client(hiring.WithRetry(hiring.RetryPolicy{
		MaxAttempts: 6,                // 4 by default.
		MaxWait:     10 * time.Second, // 1 minute by default.
	}))

	// The next window begins in an hour, which is too long to wait, so the call fails at
	// once.
	_, err := client.Account.Get(ctx)
	if failure, ok := errors.AsType[*hiring.Error](err); ok {
		fmt.Println(failure.Code, failure.RetryAfter > 10*time.Second)
	}
	// Output: RATE_LIMITED true
}

// A test suite that must never send an e-mail to a candidate.
func ExampleWithEnvironment() {
	_, err := hiring.New("https://hiring.example.com", "sk_live_0123456789", hiring.WithEnvironment(hiring.EnvironmentTest))
	fmt.Println(err)
	// Output: hiring: apiKey: must begin with sk_test_, because WithEnvironment requires the test environment
}

// A transport of your own, with a proxy, certificates or more connections. The client is
// copied.
func ExampleWithHTTPClient() {
	ctx := context.Background()
	server := sandbox.New()
	defer server.Close()

	transport := &http.Transport{Proxy: http.ProxyFromEnvironment, MaxIdleConnsPerHost: 20}
	defer transport.CloseIdleConnections()
	client, err := hiring.New(server.URL(), sandbox.TestKey, hiring.WithHTTPClient(&http.Client{Transport: transport}))
	if err != nil {
		log.Fatal(err)
	}
	account, err := client.Account.Get(ctx)
	fmt.Println(account.Name, err)
	// Output: Sandbox Hiring Ltd <nil>
}

// transportOf returns a transport with a proxy, the PEM of your certificate authority, and for a gateway that requires mTLS
// a certificate of tls.LoadX509KeyPair.
func transportOf(proxy *url.URL, authority []byte, certificate tls.Certificate) (*http.Transport, error) {
	roots, err := x509.SystemCertPool()
	if err != nil {
		return nil, err
	}
	if !roots.AppendCertsFromPEM(authority) {
		return nil, errors.New("no certificate in the file")
	}
	transport := http.DefaultTransport.(*http.Transport).Clone()
	transport.Proxy = http.ProxyURL(proxy) // Or http.ProxyFromEnvironment, the default.
	transport.TLSClientConfig = &tls.Config{RootCAs: roots, Certificates: []tls.Certificate{certificate}}
	transport.HTTP2 = &http.HTTP2Config{SendPingTimeout: 15 * time.Second} // Notices a connection that the network has dropped.
	return transport, nil
}

// Requests use a proxy, the server's certificate is from your own certificate authority, and
// the server requires a certificate of the client.
func ExampleWithHTTPClient_proxy() {
	server := sandbox.New()
	api := httptest.NewUnstartedServer(server) // The API, with a certificate that no system trusts.
	api.TLS = &tls.Config{ClientAuth: tls.RequireAnyClientCert}
	api.StartTLS()
	defer api.Close()
	certificate := api.TLS.Certificates[0]
	baseURL := api.URL
	authority := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: api.Certificate().Raw})
	tunnel := httptest.NewServer(http.HandlerFunc(connect))
	defer tunnel.Close()
	proxy, err := url.Parse(tunnel.URL)
	if err != nil {
		log.Fatal(err)
	}

	transport, err := transportOf(proxy, authority, certificate)
	if err != nil {
		log.Fatal(err)
	}
	client, err := hiring.New(baseURL, sandbox.TestKey, hiring.WithHTTPClient(&http.Client{Transport: transport}))
	if err != nil {
		log.Fatal(err)
	}
	defer transport.CloseIdleConnections()

	account, err := client.Account.Get(context.Background())
	fmt.Println(account.Name, err)
	// Output:
	// the proxy connects
	// Sandbox Hiring Ltd <nil>
}

// connect is a proxy: it opens a connection to the host that the client names.
func connect(w http.ResponseWriter, r *http.Request) {
	fmt.Println("the proxy connects")
	there, err := new(net.Dialer).DialContext(r.Context(), "tcp", r.Host)
	if err != nil {
		w.WriteHeader(http.StatusBadGateway)
		return
	}
	here, _, err := http.NewResponseController(w).Hijack()
	if err != nil {
		_ = there.Close()
		return
	}
	_, _ = fmt.Fprint(here, "HTTP/1.1 200 OK\r\n\r\n")
	go func() {
		_, _ = io.Copy(there, here)
		_ = there.Close()
	}()
	_, _ = io.Copy(here, there)
	_ = here.Close()
}

// Plain http is allowed only for this machine, because it shows the key.
func ExampleWithInsecureHTTP() {
	const address = "http://hiring.internal"
	_, err := hiring.New(address, "sk_test_0123456789")
	fmt.Println(err)
	_, err = hiring.New(address, "sk_test_0123456789", hiring.WithInsecureHTTP())
	fmt.Println(err)
	// Output:
	// hiring: baseURL: plain http would show the key to the network: use https, or WithInsecureHTTP if that is meant
	// <nil>
}

// A key that rotates is read before each attempt.
func ExampleWithKeySource() {
	ctx := context.Background()
	server := sandbox.New(
		sandbox.WithKey(sandbox.Key{Token: "sk_test_of_monday_0001"}),
		sandbox.WithKey(sandbox.Key{Token: "sk_test_of_tuesday_0002"}))
	secret := "sk_test_of_monday_0001" // From a vault or a mounted file.
	client, err := hiring.New("https://hiring.example.com", "",
		hiring.WithKeySource(func(context.Context) (string, error) { return secret, nil }),
		hiring.WithHTTPClient(&http.Client{Transport: server.Transport()}))
	if err != nil {
		log.Fatal(err)
	}

	_, err = client.Account.Get(ctx)
	fmt.Println(err)
	secret = "sk_test_of_tuesday_0002"
	server.RevokeKey("sk_test_of_monday_0001")
	_, err = client.Account.Get(ctx)
	fmt.Println(err)
	for _, entry := range server.Journal() {
		fmt.Println(entry.Key, entry.Status)
	}
	// Output:
	// <nil>
	// <nil>
	// sk_test_…0001 200
	// sk_test_…0002 200
}

func ExampleWithTimeout() {
	ctx := context.Background()
	server := sandbox.New()
	server.Inject(sandbox.Fault{Delay: time.Hour}) // A server that does not respond.
	client := server.Client(
		hiring.WithTimeout(100*time.Millisecond), // 30 s by default, for each attempt.
		hiring.WithRetry(hiring.RetryPolicy{BaseBackoff: time.Millisecond}))

	account, err := client.Account.Get(ctx) // The second attempt succeeds.
	fmt.Println(account.Name, err)
	// Output: Sandbox Hiring Ltd <nil>
}

func ExampleWithUserAgent() {
	ctx := context.Background()
	server := sandbox.New()
	client := server.Client(hiring.WithUserAgent("acme-ats/1.2"))

	if _, err := client.Account.Get(ctx); err != nil {
		log.Fatal(err)
	}
	agent := server.Journal()[0].Header.Get("User-Agent")
	fmt.Println(strings.HasPrefix(agent, "acme-ats/1.2 hiring-go/"))
	// Output: true
}

// A response that is too long is an error. It does not fill the memory.
func ExampleWithMaxResponseBytes() {
	ctx := context.Background()
	client := sandbox.New().Client(hiring.WithMaxResponseBytes(10_000)) // 64 MiB by default.

	_, err := client.Account.Get(ctx)
	fmt.Println(err)
	_, err = client.Submissions.List(hiring.SubmissionFilter{}).Page(ctx)
	fmt.Println(err)
	// Output:
	// <nil>
	// hiring: Submissions.List: 200 the response is longer than 10000 bytes (request req_0000000000000002): see WithMaxResponseBytes
}

func ExampleWithDialect() {
	ctx := context.Background()
	dialect := hiring.Dialect{
		PageSizeParam:   "per_page",
		ListAssessments: "GET /job-postings",
	}
	server := sandbox.New(sandbox.WithDialect(dialect)) // An API that differs from the assumptions.

	_, err := server.Client().Assessments.List().Collect(ctx)
	fmt.Println(errors.Is(err, hiring.ErrNotFound))

	client := server.Client(hiring.WithDialect(dialect))
	assessments, err := client.Assessments.List().Collect(ctx)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(len(assessments))
	// Output:
	// true
	// 6
}

// The error of a wrong assumption names the Dialect field that corrects it.
func ExampleDialect() {
	ctx := context.Background()
	other := hiring.Dialect{ListAssessments: "GET /job-postings"}
	client := sandbox.New(sandbox.WithDialect(other)).Client()

	_, err := client.Assessments.List().Collect(ctx)
	if failure, ok := errors.AsType[*hiring.Error](err); ok {
		fmt.Println(failure.Code, strings.Contains(err.Error(), "Dialect.ListAssessments"))
	}
	// Output: NOT_FOUND true
}

func ExampleDefaultDialect() {
	dialect := hiring.DefaultDialect()
	fmt.Println(dialect.PageSizeParam, dialect.ListAssessments, dialect.InvitationEmail)
	// Output: page_size GET /assessments candidate_email
}

func ExampleDialect_WithDefaults() {
	dialect, err := hiring.Dialect{PageSizeParam: "per_page"}.WithDefaults()
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(dialect.PageSizeParam, dialect.PageParam)

	_, err = hiring.Dialect{GetAssessment: "GET /assessments"}.WithDefaults()
	fmt.Println(err)
	// Output:
	// per_page page
	// hiring: Dialect.GetAssessment: must have the placeholders [{id}], in this order
}

func take(server *sandbox.Server, invitationID string) {
	submissionID, err := server.Begin(invitationID)
	if err == nil {
		err = server.Evaluate(submissionID, sandbox.Result{ShipScore: new(88), Pillars: map[hiring.PillarID]*int{"correctness": new(91), "rigor": new(84)}})
	}
	if err != nil {
		log.Fatal(err)
	}
}
