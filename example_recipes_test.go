package hiring_test

import (
	"context"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"log"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"reflect"
	"strconv"
	"strings"
	"sync"
	"time"
	"unicode"

	hiring "github.com/hiring-assessment/hiring-go"
	"github.com/hiring-assessment/hiring-go/sandbox"
)

// inviteHandler returns the handler of a form with a name and an address. The invitation continues when the browser leaves.
func inviteHandler(client *hiring.Client, assessmentID string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		candidate := hiring.NewInvitation{Email: r.PostFormValue("email"), Name: r.PostFormValue("name")}
		ctx, cancel := context.WithTimeout(context.WithoutCancel(r.Context()), 3*time.Minute)
		done := make(chan error, 1)
		go func() {
			defer cancel()
			invited, err := client.Invitations.Ensure(ctx, assessmentID, candidate)
			if err != nil { // Logged also after the response to the browser.
				failure, _ := errors.AsType[*hiring.Error](err)
				slog.Warn("invitation failed", "outcome", invited.Outcome, "error", failure) // Not err: its text may name the candidate.
			}
			done <- err
		}()
		select {
		case err := <-done:
			if err == nil {
				fmt.Fprintln(w, "invited")
				return
			}
			switch status := statusOf(err, "candidate_email", "candidate_name"); status {
			case http.StatusAccepted:
				http.Error(w, "not certain yet: submit the form again", status)
			case http.StatusBadRequest:
				http.Error(w, fmt.Sprint(hiring.FieldErrors(err)), status)
			default:
				http.Error(w, http.StatusText(status), status)
			}
		case <-time.After(5 * time.Second): // Such as after a lost response.
			http.Error(w, "in progress: submit the form again in a minute", http.StatusAccepted)
		}
	}
}

// The handler of a web form.
func ExampleInvitationService_Ensure_handler() {
	server := sandbox.New()
	invite := inviteHandler(server.LiveClient(), server.AddAssessment("Backend engineer"))

	for _, email := range []string{"ada@example.com", "ada@example.com", "ada", "bob@example.com", "eve@example.com"} { // Submitted twice, wrong, and refused.
		if status := map[string]int{"bob@example.com": http.StatusConflict, "eve@example.com": http.StatusPaymentRequired}[email]; status != 0 {
			server.Inject(sandbox.Fault{Route: "POST /assessments/{id}/invitations", Status: status})
		}
		form := url.Values{"name": {"Ada"}, "email": {email}}
		request := httptest.NewRequest(http.MethodPost, "/", strings.NewReader(form.Encode()))
		request.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		response := httptest.NewRecorder()
		invite(response, request)
		fmt.Println(response.Code, strings.TrimSpace(response.Body.String()))
	}
	fmt.Println(len(server.Mails()), "e-mail")
	// Output:
	// 200 invited
	// 200 invited
	// 400 map[candidate_email:[Expected an email address.]]
	// 409 Conflict
	// 402 Payment Required
	// 1 e-mail
}

// candidatesOf reads the rows name,email one by one. It stores an error in err, because a sequence cannot fail.
func candidatesOf(file io.Reader, err *error) iter.Seq[hiring.NewInvitation] {
	return func(yield func(hiring.NewInvitation) bool) {
		rows := csv.NewReader(file)
		rows.FieldsPerRecord = 2
		for {
			row, readErr := rows.Read()
			if readErr != nil {
				if !errors.Is(readErr, io.EOF) {
					*err = readErr
				}
				return
			}
			if row[1] != "email" && !yield(hiring.NewInvitation{Name: row[0], Email: row[1]}) { // Not the first line.
				return
			}
		}
	}
}

// Candidates from a file that does not fit into memory, and that may break off.
func ExampleInvitationService_EnsureAll_csv() {
	ctx := context.Background()
	server := sandbox.New()
	client, assessmentID := server.LiveClient(), server.AddAssessment("Backend engineer")

	file := io.Reader(strings.NewReader("name,email\nAda,ada@example.com\nBob\n")) // Of os.Open.
	var readErr error
	err := client.Invitations.EnsureAll(ctx, assessmentID, candidatesOf(file, &readErr), hiring.EnsureAllOptions{})
	err = errors.Join(err, readErr) // EnsureAll regards the end of the sequence as the end of the candidates.
	fmt.Println(len(server.Mails()), "e-mail;", err)
	// Output: 1 e-mail; record on line 3: wrong number of fields
}

// remind sends the e-mail again, once, to candidates who have not opened it within a week. reminded has the ids of
// invitations, from your database.
func remind(ctx context.Context, client *hiring.Client, assessmentID string, now time.Time, reminded map[string]bool) error {
	for invitation, err := range client.Invitations.List(assessmentID).All(ctx) {
		if err != nil {
			return err
		}
		due := invitation.Status == hiring.InvitationSent && invitation.SentAt != nil &&
			now.Sub(*invitation.SentAt) > 7*24*time.Hour && now.Before(invitation.ExpiresAt)
		if !due || reminded[invitation.ID] {
			continue
		}
		reminded[invitation.ID] = true // Save it before the request: after a lost response no second reminder is sent.
		if _, err := client.Invitations.Resend(ctx, assessmentID, invitation.ID); err != nil {
			if failure, ok := errors.AsType[*hiring.Error](err); ok && failure.Outcome == hiring.OutcomeNotDone {
				delete(reminded, invitation.ID) // Nothing was sent.
			}
			return err
		}
	}
	return nil
}

// Candidates who have not opened their invitation within a week receive its e-mail again, once.
func ExampleInvitationService_Resend_reminder() {
	server := sandbox.New()
	client, assessmentID := server.LiveClient(), server.AddAssessment("Backend engineer")
	if _, err := server.Invite(assessmentID, "ada@example.com", "Ada"); err != nil {
		log.Fatal(err)
	}
	server.Advance(8 * 24 * time.Hour)
	now := time.Now().Add(8 * 24 * time.Hour)

	reminded := make(map[string]bool)
	for range 2 {
		if err := remind(context.Background(), client, assessmentID, now, reminded); err != nil {
			log.Fatal(err)
		}
	}
	fmt.Println(len(server.Mails()), "e-mails")
	// Output: 2 e-mails
}

// clientsOf returns a client for each key. They share their connections, and goroutines may share them.
func clientsOf(baseURL string, keys map[string]string) (map[string]*hiring.Client, error) {
	clients := make(map[string]*hiring.Client)
	for organization, key := range keys {
		client, err := hiring.New(baseURL, key)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", organization, err)
		}
		clients[organization] = client
	}
	return clients, nil
}

// A service of 500 organizations has one client for each key.
func ExampleNew_organizations() {
	ctx := context.Background()
	server := sandbox.New()
	keys := make(map[string]string) // From your secret store.
	for n := range 500 {
		organization := fmt.Sprintf("Organization %03d", n)
		keys[organization] = fmt.Sprintf("sk_live_of_organization_%03d", n)
		server.AddKey(sandbox.Key{Token: keys[organization], Organization: organization})
	}

	clients, err := clientsOf(server.URL(), keys)
	if err != nil {
		log.Fatal(err)
	}
	for organization, client := range clients {
		account, err := client.Account.Get(ctx)
		if err != nil || account.Name != organization {
			log.Fatal(account.Name, err)
		}
	}
	fmt.Println(len(clients), "organizations;", clients["Organization 499"].Quota().Read.Remaining, "reads left of 1000")
	server.Close()
	// Output: 500 organizations; 999 reads left of 1000
}

// A header on every request to the API, such as a tenant for a gateway.
func ExampleWithTrace_header() {
	server := sandbox.New()
	var tenant string
	gateway := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		tenant = r.Header.Get("X-Tenant")
		server.ServeHTTP(w, r)
	}))
	defer gateway.Close()
	baseURL := gateway.URL

	host := strings.TrimPrefix(baseURL, "http://") // Host and port, such as "hiring.example.com:443".
	client, err := hiring.New(baseURL, sandbox.TestKey, hiring.WithTrace(hiring.Trace{
		Attempt: func(_ context.Context, a hiring.TraceAttempt) (context.Context, func(hiring.Exchange)) {
			if a.Server == host { // Not the storage of archives.
				a.Header.Set("X-Tenant", "acme")
			}
			return nil, nil
		},
	}))
	if err != nil {
		log.Fatal(err)
	}
	_, err = client.Account.Get(context.Background())
	fmt.Println(tenant, err)
	// Output: acme <nil>
}

// watch is the loop of a service. It returns nil when the context is cancelled, as after SIGTERM.
func watch(ctx context.Context, client *hiring.Client, options hiring.WatchOptions, handle func(hiring.Submission) error) error {
	for submission, err := range client.Submissions.Watch(ctx, options) {
		if ctx.Err() != nil {
			return nil // SIGTERM: the checkpoint is saved, and the next start resumes.
		}
		if err != nil {
			return err // Such as a refused key. Transient errors were retried.
		}
		if err := handle(submission); err != nil {
			return err // Not saved as delivered: the next start receives it again.
		}
	}
	return nil
}

// The loop of a service that SIGTERM ends, and a line in its log when the first poll worked and every hour.
func ExampleSubmissionService_Watch_service() {
	ctx, stop := context.WithCancel(context.Background()) // In a service: signal.NotifyContext(ctx, os.Interrupt, syscall.SIGTERM)
	defer stop()
	client := sandbox.New().LiveClient()

	var logged time.Time
	logHourly := func(p hiring.WaitProgress) {
		if time.Since(logged) >= time.Hour {
			logged = time.Now()
			fmt.Printf("watching: %d results, %d without a report\n", p.Ready, p.Pending)
		}
	}
	options := hiring.WatchOptions{Progress: func(p hiring.WaitProgress) {
		logHourly(p)
		stop() // Ends the example.
	}}
	err := watch(ctx, client, options, func(hiring.Submission) error { return nil })
	fmt.Println("ended:", err)
	// Output:
	// watching: 0 results, 0 without a report
	// ended: <nil>
}

// Store a report as JSON and decode it later.
func ExampleReport_json() {
	report, err := sandbox.New().Client().Submissions.Report(context.Background(), sandbox.SubmissionID)
	if err != nil {
		log.Fatal(err)
	}

	stored, err := json.Marshal(report)
	var later hiring.Report
	err = errors.Join(err, json.Unmarshal(stored, &later))

	fmt.Println(reflect.DeepEqual(report, later), err)
	// Output: true <nil>
}

// cell returns a text that a spreadsheet does not run as a formula: with an apostrophe before it.
func cell(text string) string {
	start := strings.TrimLeftFunc(text, func(r rune) bool { return unicode.IsSpace(r) || unicode.Is(unicode.Cf, r) })
	if strings.IndexAny(start, "=+-@＝＋－＠−") == 0 { // The last five are full-width forms and the minus sign.
		return "'" + text
	}
	return text
}

// spreadsheet writes results as CSV.
func spreadsheet(ctx context.Context, client *hiring.Client, out io.Writer) error {
	table := csv.NewWriter(out)
	_ = table.Write([]string{"name", "e-mail", "score", "verdict"}) // Error returns the first error of a writer.
	for submission, err := range client.Submissions.List(hiring.SubmissionFilter{Status: hiring.SubmissionEvaluated}).All(ctx) {
		if err != nil {
			return err
		}
		score, label := "", "" // An empty cell means not enough data. 0 would be wrong in an average.
		if n, ok := submission.Report.Score(); ok {
			score, label = strconv.Itoa(n), submission.Report.VerdictLabel
		}
		_ = table.Write([]string{cell(submission.Candidate.Name), cell(submission.Candidate.Email), score, cell(label)})
	}
	table.Flush()
	return table.Error()
}

// loggedBodies writes the bodies of requests and responses, which hold candidates' data.
type loggedBodies struct {
	next http.RoundTripper
	to   io.Writer
}

func (l loggedBodies) RoundTrip(r *http.Request) (*http.Response, error) {
	if r.Body != nil {
		body := r.Body
		r = r.Clone(r.Context()) // A transport does not change its request.
		r.Body = l.tee(body)
	}
	response, err := l.next.RoundTrip(r)
	if err == nil {
		response.Body = l.tee(response.Body)
	}
	return response, err
}

func (l loggedBodies) tee(body io.ReadCloser) io.ReadCloser {
	return struct {
		io.Reader
		io.Closer
	}{io.TeeReader(body, l.to), body}
}

// Bodies in the log, for as long as a fault is looked for.
func ExampleWithHTTPClient_bodies() {
	var bodies strings.Builder // Or os.Stderr.
	transport := loggedBodies{http.DefaultTransport, &bodies}
	client, err := hiring.New(sandbox.New().URL(), sandbox.TestKey, hiring.WithHTTPClient(&http.Client{Transport: transport}))
	if err != nil {
		log.Fatal(err)
	}
	if _, err := client.Assessments.Close(context.Background(), sandbox.AssessmentID); err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%.54s\n", bodies.String())
	// Output:
	// {"status":"closed"}{"data":{"id":"a0000000-0000-4000-8
}

// A file for a spreadsheet. One candidate's name begins like a formula.
func Example_spreadsheet() {
	server := sandbox.New()
	assessmentID := server.AddAssessment("Backend engineer")
	invitationID, err := server.Invite(assessmentID, "eve@candidates.test", "=1+1")
	if err != nil {
		log.Fatal(err)
	}
	submissionID, err := server.Begin(invitationID)
	err = errors.Join(err, server.Submit(submissionID), server.Evaluate(submissionID, sandbox.Result{NoScore: true}))
	if err != nil {
		log.Fatal(err)
	}
	if err := spreadsheet(context.Background(), server.LiveClient(), os.Stdout); err != nil {
		log.Fatal(err)
	}
	// Output:
	// name,e-mail,score,verdict
	// '=1+1,eve@candidates.test,,
}

// statusPage shows the status of a submission to many visitors. It reads each submission at most once a minute.
type statusPage struct {
	client *hiring.Client
	mu     sync.Mutex
	read   map[string]time.Time
	status map[string]hiring.SubmissionStatus
}

func (p *statusPage) show(ctx context.Context, id string) (hiring.SubmissionStatus, error) {
	p.mu.Lock() // One request at a time: other visitors wait for its result.
	defer p.mu.Unlock()
	if time.Since(p.read[id]) < time.Minute {
		return p.status[id], nil
	}
	submission, err := p.client.Submissions.Get(ctx, id)
	if err == nil {
		p.read[id], p.status[id] = time.Now(), submission.Status
	}
	return submission.Status, err
}

func ExampleSubmissionService_Get_statusPage() {
	server := sandbox.New()
	page := statusPage{client: server.Client(), read: make(map[string]time.Time), status: make(map[string]hiring.SubmissionStatus)}
	for range 3 {
		fmt.Println(page.show(context.Background(), sandbox.SubmissionID))
	}
	fmt.Println(len(server.Journal()), "read")
	// Output:
	// evaluated <nil>
	// evaluated <nil>
	// evaluated <nil>
	// 1 read
}
