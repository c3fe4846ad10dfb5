package hiring_test

import (
	"context"
	"errors"
	"fmt"
	"log"
	"net/http"
	"os"
	"path/filepath"
	"slices"
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

func ExampleAccountService_Get() {
	ctx := context.Background()
	client := sandbox.New().Client()

	account, err := client.Account.Get(ctx)
	if err != nil {
		log.Fatal(err)
	}
	left, limited := account.InvitationsLeft()
	fmt.Println(account.Name, left, limited)
	// Output: Sandbox Hiring Ltd 119 true
}

func ExampleMemberService_List() {
	ctx := context.Background()
	client := sandbox.New().Client()

	members, err := client.Members.List().Collect(ctx)
	if err != nil {
		log.Fatal(err)
	}
	admins := 0
	for _, member := range members {
		if member.Role == hiring.MemberRoleAdmin {
			admins++
		}
	}
	fmt.Println(admins > 0)
	// Output: true
}

func ExampleChallengeService_List() {
	ctx := context.Background()
	client := sandbox.New().Client()

	for challenge, err := range client.Challenges.List().All(ctx) {
		if err != nil {
			log.Fatal(err)
		}
		if challenge.IsMultiTask {
			fmt.Printf("%s: %d tasks\n", challenge.Name, len(challenge.Tasks))
		}
	}
	// Output: Payments backend: 3 tasks
}

func ExampleAssessmentService_Create() {
	ctx := context.Background()
	client := sandbox.New().Client()
	challenges, err := client.Challenges.List().Collect(ctx)
	if err != nil {
		log.Fatal(err)
	}

	assessment, err := client.Assessments.Create(ctx, hiring.NewAssessment{
		ChallengeID: challenges[0].ID,
		Name:        "Backend engineer, Berlin",
	})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(assessment.Name, assessment.Status)
	// Output: Backend engineer, Berlin active
}

func ExampleAssessmentService_Close() {
	ctx := context.Background()
	client := sandbox.New().Client()

	assessment, err := client.Assessments.Close(ctx, sandbox.AssessmentID)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(assessment.Status)
	// Output: closed
}

func ExampleInvitationService_Send() {
	ctx := context.Background()
	client := sandbox.New().Client()

	invitation, err := client.Invitations.Send(ctx, sandbox.AssessmentID, hiring.NewInvitation{
		Email: "ada@example.com",
		Name:  "Ada Example",
	})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(invitation.CandidateName, invitation.Status)
	// Output: Ada Example sent
}

// A reply that is lost does not lead to a second mail.
func ExampleInvitationService_Ensure() {
	ctx := context.Background()
	server := sandbox.New()
	client := server.LiveClient()
	assessment := newAssessment(ctx, client)

	// The service does its work, and then the connection breaks.
	server.Inject(sandbox.Fault{Route: "POST /assessments/{id}/invitations", After: true, CutAfter: 20})
	for range 2 {
		invited, err := client.Invitations.Ensure(ctx, assessment.ID, hiring.NewInvitation{
			Email: "ada@example.com",
			Name:  "Ada Example",
		})
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(invited.Outcome, invited.Invitation.CandidateEmail)
	}
	// Output:
	// sent ada@example.com
	// existing ada@example.com
}

// Whose invitation has expired is invited again on purpose.
func ExampleInvitationService_Ensure_again() {
	ctx := context.Background()
	server := sandbox.New()
	client := server.LiveClient()
	assessment := newAssessment(ctx, client)
	ada := hiring.NewInvitation{Email: "ada@example.com", Name: "Ada Example"}
	_, err := client.Invitations.Send(ctx, assessment.ID, ada)
	if err != nil {
		log.Fatal(err)
	}

	invited, err := client.Invitations.Ensure(ctx, assessment.ID, ada)
	if err != nil {
		log.Fatal(err)
	}
	if invited.Outcome == hiring.InviteExisting && invited.Invitation.ExpiresAt.Before(time.Now()) {
		_, err = client.Invitations.Send(ctx, assessment.ID, ada) // A second mail, and meant to be one.
	}
	fmt.Println(invited.Outcome, err)
	// Output: existing <nil>
}

// A run that was stopped is simply run again.
func ExampleInvitationService_SendAll() {
	ctx := context.Background()
	server := sandbox.New()
	client := server.LiveClient()
	assessment := newAssessment(ctx, client)
	server.SetPlan(sandbox.LiveKey, 0, 2) // Two invitations are left in this period.
	candidates := []hiring.NewInvitation{
		{Email: "ada@example.com", Name: "Ada Example"},
		{Email: "bob", Name: "Bob Example"},
		{Email: "ADA@example.com", Name: "Ada Example"},
		{Email: "eve@example.com", Name: "Eve Example"},
		{Email: "kim@example.com", Name: "Kim Example"},
	}

	count := make(map[hiring.InviteOutcome]int)
	err := client.Invitations.SendAll(ctx, assessment.ID, slices.Values(candidates), func(invited hiring.Invited, err error) bool {
		count[invited.Outcome]++
		if errors.Is(err, hiring.ErrInvalidInput) {
			fmt.Println(invited.Candidate.Name, "needs another address")
		}
		return true // false ends it.
	})
	fmt.Println(count)
	fmt.Println(errors.Is(err, hiring.ErrPlanLimitReached))

	server.SetPlan(sandbox.LiveKey, 2, 10)
	err = client.Invitations.SendAll(ctx, assessment.ID, slices.Values(candidates), func(invited hiring.Invited, _ error) bool {
		fmt.Println(invited.Candidate.Name, invited.Outcome)
		return true
	})
	if err != nil {
		log.Fatal(err)
	}
	// Output:
	// Bob Example needs another address
	// map[existing:1 not sent:2 sent:2]
	// true
	// Ada Example existing
	// Bob Example not sent
	// Ada Example existing
	// Eve Example existing
	// Kim Example sent
}

func newAssessment(ctx context.Context, client *hiring.Client) hiring.Assessment {
	challenges, err := client.Challenges.List().Collect(ctx)
	if err != nil {
		log.Fatal(err)
	}
	assessment, err := client.Assessments.Create(ctx, hiring.NewAssessment{ChallengeID: challenges[0].ID, Name: "Backend engineer"})
	if err != nil {
		log.Fatal(err)
	}
	return assessment
}

func ExampleInvitationService_List() {
	ctx := context.Background()
	client := sandbox.New().Client()

	count := make(map[hiring.InvitationStatus]int)
	for invitation, err := range client.Invitations.List(sandbox.AssessmentID).All(ctx) {
		if err != nil {
			log.Fatal(err)
		}
		count[invitation.Status]++
	}
	fmt.Println(count[hiring.InvitationSent] > 0, count[hiring.InvitationEvaluated] > 0)
	// Output: true true
}

// Scores are shown as far as there is evidence for them.
func ExampleSubmissionService_List() {
	ctx := context.Background()
	client := sandbox.New().Client()

	filter := hiring.SubmissionFilter{
		AssessmentID: sandbox.AssessmentID,
		Status:       hiring.SubmissionEvaluated,
	}
	page, err := client.Submissions.List(filter).PageSize(4).Page(ctx)
	if err != nil {
		log.Fatal(err)
	}
	for _, submission := range page.Items {
		report := submission.Report
		if report == nil || !report.Ready() {
			continue // That listings hold reports is assumed; Submissions.Report always reads it.
		}
		fmt.Print(report.Verdict, ":")
		for _, pillar := range report.Pillars {
			if score, ok := pillar.Reported(); ok {
				fmt.Print(" ", score)
			} else {
				fmt.Print(" ?") // Not enough data, which does not mean 0.
			}
		}
		fmt.Println()
	}
	// Output:
	// no: 25 43 38 31
	// strong_yes: 84 79 88 78
	// no: ? ? ? ?
	// yes: 81 70 ? ?
}

// An invitation carries no submission id: the address leads to it.
func ExampleSubmissionService_FindByEmail() {
	ctx := context.Background()
	server := sandbox.New()
	client := server.LiveClient()
	assessment := newAssessment(ctx, client)
	invited, err := client.Invitations.Ensure(ctx, assessment.ID, hiring.NewInvitation{
		Email: "ada@example.com",
		Name:  "Ada Example",
	})
	if err != nil {
		log.Fatal(err)
	}

	_, err = client.Submissions.FindByEmail(ctx, assessment.ID, "ada@example.com")
	fmt.Println(errors.Is(err, hiring.ErrNotFound)) // The candidate has not begun.

	take(server, invited.Invitation.ID)
	submission, err := client.Submissions.FindByEmail(ctx, assessment.ID, "Ada@Example.com")
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(submission.Candidate.Name, submission.Status)
	// Output:
	// true
	// Ada Example evaluated
}

// A score is shown only where there is one. The report of a listed submission is
// assumed, and may be nil; Score takes that too.
func ExampleReport_Score() {
	ctx := context.Background()
	client := sandbox.New().Client()

	for _, id := range []string{sandbox.SubmissionID, sandbox.PendingSubmissionID} {
		submission, err := client.Submissions.Get(ctx, id)
		if err != nil {
			log.Fatal(err)
		}
		if score, ok := submission.Report.Score(); ok {
			fmt.Println(score)
		} else {
			fmt.Println("not enough data") // Which does not mean 0.
		}
	}
	// Output:
	// 91
	// not enough data
}

// memberLister is what a program of yours asks of the service, and a fake of your own
// answers it from memory.
type memberLister interface {
	List() hiring.Pager[hiring.Member]
}

type fakeMembers []hiring.Member

func (f fakeMembers) List() hiring.Pager[hiring.Member] { return hiring.PagerOf(f...) }

func ExamplePagerOf() {
	ctx := context.Background()
	var team memberLister = fakeMembers{{Name: "Ada"}, {Name: "Bob"}, {Name: "Eve"}}

	for member, err := range team.List().All(ctx) {
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(member.Name)
	}

	page, err := team.List().PageSize(2).Page(ctx)
	if err != nil {
		log.Fatal(err)
	}
	rest, err := team.List().From(page.Next).Collect(ctx)
	fmt.Println(len(page.Items), len(rest), err)
	// Output:
	// Ada
	// Bob
	// Eve
	// 2 1 <nil>
}

func ExampleSubmissionService_Report() {
	ctx := context.Background()
	client := sandbox.New().Client()

	report, err := client.Submissions.Report(ctx, sandbox.PendingSubmissionID)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("ready:", report.Ready()) // Not graded yet is an answer, not an error.

	report, err = client.Submissions.Report(ctx, sandbox.SubmissionID)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("ready:", report.Ready())
	if craft, ok := report.Pillar(hiring.PillarCraft); ok {
		if score, ok := craft.Reported(); ok {
			fmt.Println("craft:", score)
		} else {
			fmt.Println("craft: not enough data") // Which does not mean 0.
		}
	}
	// Output:
	// ready: false
	// ready: true
	// craft: 88
}

// From an invitation to the score. Invitations carry no submission id: the
// candidate's address leads from one to the other.
func Example_journey() {
	ctx := context.Background()
	server := sandbox.New()
	client := server.LiveClient() // The service itself: client, err := hiring.FromEnv()
	assessment := post(ctx, client)
	folder, err := os.MkdirTemp("", "hiring")
	if err != nil {
		log.Fatal(err)
	}
	defer func() { _ = os.RemoveAll(folder) }()
	state := filepath.Join(folder, "watch.state")

	invited, err := client.Invitations.Ensure(ctx, assessment.ID, hiring.NewInvitation{
		Email: "ada@example.com",
		Name:  "Ada Example",
	})
	if err != nil {
		log.Fatal(err)
	}

	take(server, invited.Invitation.ID) // The candidate's part, which otherwise takes hours or days.

	options := hiring.WatchOptions{
		AssessmentID: assessment.ID,
		Since:        invited.Invitation.CreatedAt,
		Checkpoint:   hiring.FileCheckpoint(state), // A restart goes on where this has stopped.
	}
	for submission, err := range client.Submissions.Watch(ctx, options) {
		if err != nil {
			log.Fatal(err)
		}
		if submission.Report == nil || !strings.EqualFold(submission.Candidate.Email, invited.Candidate.Email) {
			continue
		}
		fmt.Println(submission.Candidate.Name, submission.Report.VerdictLabel)
		for _, pillar := range submission.Report.Pillars {
			if score, ok := pillar.Reported(); ok {
				fmt.Println(pillar.Label, score)
			} else {
				fmt.Println(pillar.Label, "not enough data")
			}
		}
		break
	}
	// Output:
	// Ada Example Strong yes
	// Correctness 91
	// Craft not enough data
	// AI Fluency not enough data
	// Rigor 84
}

func post(ctx context.Context, client *hiring.Client) hiring.Assessment {
	challenges, err := client.Challenges.List().Page(ctx)
	if err != nil {
		log.Fatal(err)
	}
	assessment, err := client.Assessments.Create(ctx, hiring.NewAssessment{ChallengeID: challenges.Items[0].ID, Name: "Backend engineer"})
	if err != nil {
		log.Fatal(err)
	}
	return assessment
}

func take(server *sandbox.Server, invitationID string) {
	submissionID, err := server.Begin(invitationID)
	if err == nil {
		err = server.Evaluate(submissionID, sandbox.Result{ShipScore: 88, Pillars: map[string]int{"correctness": 91, "rigor": 84}})
	}
	if err != nil {
		log.Fatal(err)
	}
}

// Reports of many submissions, for the price of a listing.
func ExampleSubmissionService_WaitReports() {
	ctx := context.Background()
	client := sandbox.New().Client()

	ids := []string{sandbox.SubmissionID, sandbox.BusySubmissionID, sandbox.UnknownID}
	ready := 0
	for report, err := range client.Submissions.WaitReports(ctx, ids, hiring.WaitOptions{}) {
		if failure, ok := errors.AsType[*hiring.WaitError](err); ok {
			fmt.Println(len(failure.Missing), "missing,", len(failure.Pending), "pending")
			break
		}
		if report.Ready() {
			ready++
		}
	}
	fmt.Println(ready, "ready")
	// Output:
	// 1 missing, 0 pending
	// 2 ready
}

// One round of a watch, as a cron job or a function would make it.
func ExampleSubmissionService_Poll() {
	ctx := context.Background()
	client := sandbox.New().Client()

	state := "" // Of the round before, from a file or a database.
	polled, err := client.Submissions.Poll(ctx, hiring.WatchOptions{}, state)
	if err != nil {
		log.Fatal(err)
	}
	for _, submission := range polled.Submissions {
		fmt.Println(submission.Candidate.Name)
	}
	state = polled.State // Keep it once the submissions are dealt with.
	fmt.Println(len(state) > 0, polled.Wait >= 30*time.Second)
	// Output: true true
}

func ExampleEventService_Tail() {
	ctx := context.Background()
	client := sandbox.New().Client()

	prompts := 0
	for event, err := range client.Events.Tail(ctx, sandbox.BusySubmissionID, hiring.TailOptions{}) {
		if err != nil {
			log.Fatal(err)
		}
		if event.Kind == hiring.EventAIPrompt {
			prompts++
		}
	}
	fmt.Println(prompts > 100)
	// Output: true
}

func ExampleSubmissionService_WaitReport() {
	client := sandbox.New().Client()

	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Hour)
	defer cancel()
	report, err := client.Submissions.WaitReport(ctx, sandbox.SubmissionID, hiring.WaitOptions{
		Progress: func(p hiring.WaitProgress) { fmt.Printf("%d of %d\n", p.Ready, p.Total) },
	})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(report.VerdictLabel)
	// Output:
	// 1 of 1
	// Strong yes
}

// archive is code under test below and in the README.
func archive(ctx context.Context, client *hiring.Client, submissionID, path string) (err error) {
	file, err := os.Create(path)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	_, err = client.Submissions.DownloadArchive(ctx, submissionID, file)
	return err // Unless it is nil, the file is no whole archive.
}

func ExampleSubmissionService_DownloadArchive() {
	ctx := context.Background()
	server := sandbox.New()
	client := server.LiveClient()
	submissionID := submitted(ctx, server, client) // A candidate who handed in.

	path := filepath.Join(os.TempDir(), submissionID+".zip")
	defer func() { _ = os.Remove(path) }()
	err := archive(ctx, client, submissionID, path)
	fmt.Println(err)

	// In test mode there are no archives.
	err = archive(ctx, server.Client(), sandbox.SubmissionID, path)
	fmt.Println(errors.Is(err, hiring.ErrNoArchive))
	// Output:
	// <nil>
	// true
}

// submitted invites a candidate and lets the candidate hand in.
func submitted(ctx context.Context, server *sandbox.Server, client *hiring.Client) (submissionID string) {
	challenges, err := client.Challenges.List().Collect(ctx)
	if err != nil {
		log.Fatal(err)
	}
	assessment, err := client.Assessments.Create(ctx, hiring.NewAssessment{ChallengeID: challenges[0].ID, Name: "Backend engineer"})
	if err != nil {
		log.Fatal(err)
	}
	invitation, err := client.Invitations.Send(ctx, assessment.ID, hiring.NewInvitation{Email: "ada@example.com", Name: "Ada Example"})
	if err != nil {
		log.Fatal(err)
	}
	if submissionID, err = server.Begin(invitation.ID); err == nil {
		err = server.Submit(submissionID)
	}
	if err != nil {
		log.Fatal(err)
	}
	return submissionID
}

func ExampleEventService_List() {
	ctx := context.Background()
	client := sandbox.New().Client()

	prompts := 0
	for event, err := range client.Events.List(sandbox.BusySubmissionID, hiring.EventFilter{SinceSeq: 100}).All(ctx) {
		if err != nil {
			log.Fatal(err)
		}
		if _, ok := event.Prompt(); ok {
			prompts++
		}
	}
	fmt.Println(prompts > 100)
	// Output: true
}

func ExampleError() {
	ctx := context.Background()
	client := sandbox.New().Client()

	_, err := client.Invitations.Send(ctx, sandbox.AssessmentID, hiring.NewInvitation{
		Email: sandbox.PlanLimitEmail,
		Name:  "Ada Example",
	})
	switch {
	case err == nil:
		fmt.Println("invited")
	case errors.Is(err, hiring.ErrPlanLimitReached):
		fmt.Println("no invitations left in this period")
	case errors.Is(err, hiring.ErrOutcomeUnknown):
		fmt.Println("look with Invitations.List before sending again")
	default:
		fmt.Println(err)
	}

	if failure, ok := errors.AsType[*hiring.Error](err); ok {
		fmt.Println(failure.Status, failure.Code, failure.Outcome, failure.RequestID)
	}
	// Output:
	// no invitations left in this period
	// 402 PLAN_LIMIT_REACHED not done req_0000000000000001
}

func ExampleError_Fields() {
	ctx := context.Background()
	client := sandbox.New().Client()

	_, err := client.Assessments.Create(ctx, hiring.NewAssessment{ChallengeID: "none", Name: "Backend engineer"})
	if failure, ok := errors.AsType[*hiring.Error](err); ok {
		_, fields := failure.Fields()
		fmt.Println(failure.Code, len(fields["challenge_id"]))
	}
	// Output: INVALID_INPUT 1
}

// What is surely wrong is refused before it costs a request.
func ExampleParamError() {
	ctx := context.Background()
	client := sandbox.New().Client()

	_, err := client.Invitations.Send(ctx, sandbox.AssessmentID, hiring.NewInvitation{Email: "ada@example.com"})
	fmt.Println(err)
	fmt.Println(errors.Is(err, hiring.ErrInvalidInput), client.Quota().Write.Limit)
	// Output:
	// hiring: Name: must not be empty
	// true 0
}

func ExamplePager_From() {
	ctx := context.Background()
	client := sandbox.New().Client()
	submissions := client.Submissions.List(hiring.SubmissionFilter{}).PageSize(50)

	page, err := submissions.Page(ctx)
	if err != nil {
		log.Fatal(err)
	}
	token := page.Next // Keep it, with what was done so far, in a file or a database.

	rest := 0
	for _, err := range submissions.From(token).All(ctx) {
		if err != nil {
			log.Fatal(err)
		}
		rest++
	}
	fmt.Println(len(page.Items), rest)
	// Output: 50 243
}

func ExampleClient_Quota() {
	ctx := context.Background()
	client := sandbox.New().Client()

	if _, err := client.Account.Get(ctx); err != nil {
		log.Fatal(err)
	}
	quota := client.Quota()
	fmt.Println(quota.Read.Remaining, "of", quota.Read.Limit)
	fmt.Println(quota.Write.Known()) // Nothing was written yet.
	// Output:
	// 999 of 1000
	// false
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

func ExampleWithResponse() {
	client := sandbox.New().Client()

	var response hiring.Response
	ctx := hiring.WithResponse(context.Background(), &response)
	if _, err := client.Account.Get(ctx); err != nil {
		log.Fatal(err)
	}
	fmt.Println(response.StatusCode, response.Attempts, response.Header.Get("X-Request-Id"))
	// Output: 200 1 req_0000000000000001
}

func ExampleWithObserver() {
	ctx := context.Background()
	client := sandbox.New().Client(hiring.WithObserver(func(_ context.Context, e hiring.Exchange) {
		fmt.Println(e.Operation, e.Method, e.Route, e.Status)
	}))

	_, err := client.Submissions.Report(ctx, sandbox.UnknownID)
	fmt.Println(errors.Is(err, hiring.ErrNotFound))
	// Output:
	// Submissions.Report GET /submissions/{id}/report 404
	// true
}

// What a tracer does: a span for each call, one below it for each attempt, and
// its name in a header.
func ExampleWithProbe() {
	type span struct{}
	ctx := context.Background()
	client := sandbox.New().Client(hiring.WithProbe(hiring.Probe{
		Call: func(ctx context.Context, c hiring.ProbeCall) (context.Context, func(error)) {
			fmt.Println("begin", c.Operation)
			return context.WithValue(ctx, span{}, c.Operation), func(err error) { fmt.Println("end", c.Operation, err) }
		},
		Attempt: func(ctx context.Context, a hiring.ProbeAttempt) (context.Context, func(hiring.Exchange)) {
			fmt.Println("  attempt", a.Number, "of", ctx.Value(span{}), a.Method, a.Route)
			a.Header.Set("Traceparent", "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01")
			return ctx, func(e hiring.Exchange) { fmt.Println("  status", e.Status) }
		},
		Pause: func(_ context.Context, p hiring.ProbePause) {
			fmt.Println("  waits:", p.Reason)
		},
	}))

	if _, err := client.Members.List().Collect(ctx); err != nil {
		fmt.Println(err)
	}
	// Output:
	// begin Members.List
	//   attempt 1 of Members.List GET /members
	//   status 200
	// end Members.List <nil>
}

func ExampleWithRetry() {
	ctx := context.Background()
	server := sandbox.New()
	server.SetQuota(sandbox.TestKey, sandbox.ClassRead, 0)
	client := server.Client(hiring.WithRetry(hiring.RetryPolicy{
		MaxAttempts: 6,                // 4 by default.
		MaxWait:     10 * time.Second, // 1 minute by default.
	}))

	// The next window opens in an hour: too long to wait, so the error comes at once.
	_, err := client.Account.Get(ctx)
	if failure, ok := errors.AsType[*hiring.Error](err); ok {
		fmt.Println(failure.Code, failure.RetryAfter > 10*time.Second)
	}
	// Output: RATE_LIMITED true
}

// A nightly job and the people at their screens use the same key.
func ExampleWithQuotaReserve() {
	ctx := context.Background()
	server := sandbox.New()
	server.SetQuota(sandbox.TestKey, sandbox.ClassRead, 202)
	client := server.Client()

	background, err := client.With(hiring.WithQuotaReserve(0.2)) // Leaves the last 200 of 1000.
	if err != nil {
		log.Fatal(err)
	}
	done := 0
	for err == nil {
		if _, err = background.Account.Get(ctx); err == nil {
			done++
		}
	}
	fmt.Println(done, errors.Is(err, hiring.ErrQuotaExhausted))

	_, err = client.Account.Get(ctx)
	fmt.Println(err, client.Quota().Read.Remaining)
	// Output:
	// 2 true
	// <nil> 199
}

func Example_quotaExhausted() {
	ctx := context.Background()
	server := sandbox.New()
	server.SetQuota(sandbox.TestKey, sandbox.ClassRead, 1)
	client := server.Client()

	_, err := client.Account.Get(ctx)
	fmt.Println(err)

	// The service said that nothing is left, so this call is not sent.
	_, err = client.Account.Get(ctx)
	if errors.Is(err, hiring.ErrQuotaExhausted) {
		if failure, ok := errors.AsType[*hiring.Error](err); ok {
			fmt.Println("try again in an hour:", failure.RetryAfter > 59*time.Minute)
		}
	}

	// A batch job may wait for the next window instead. Windows are an hour.
	patient, err := client.With(hiring.WithRetry(hiring.RetryPolicy{MaxWait: 65 * time.Minute}))
	fmt.Println(patient != nil, err)
	// Output:
	// <nil>
	// try again in an hour: true
	// true <nil>
}

func ExampleWithDialect() {
	ctx := context.Background()
	dialect := hiring.Dialect{
		PageSizeParam:   "per_page",
		ListAssessments: "GET /job-postings",
	}
	server := sandbox.New(sandbox.WithDialect(dialect)) // A service that differs from the assumptions.

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
