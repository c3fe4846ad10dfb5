package hiring_test

import (
	"context"
	"errors"
	"fmt"
	"log"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"time"

	hiring "github.com/hiring-assessment/hiring-go"
	"github.com/hiring-assessment/hiring-go/sandbox"
)

// copyList saves each page together with the token of the next. token is the one that was saved last, "" at first.
func copyList(ctx context.Context, client *hiring.Client, token string, save func(items []hiring.Submission, next string) error) error {
	submissions := client.Submissions.List(hiring.SubmissionFilter{})
	for page, err := range submissions.From(token).Pages(ctx) {
		if err != nil {
			return err // The next run resumes at the token that was saved last.
		}
		if err := save(page.Items, page.Next); err != nil { // Both in one transaction.
			return err
		}
	}
	return nil
}

// The rate limit ends the first run. The second, in another process, reads the rest.
func ExamplePager_From() {
	ctx := context.Background()
	server := sandbox.New()
	var rows []hiring.Submission // In your program: a database.
	token := ""
	save := func(items []hiring.Submission, next string) error {
		rows, token = append(rows, items...), next
		return nil
	}

	server.SetQuota(sandbox.TestKey, sandbox.ClassRead, 2)
	err := copyList(ctx, server.Client(), token, save)
	fmt.Println(len(rows), token != "", errors.Is(err, hiring.ErrRateLimited))

	server.SetQuota(sandbox.TestKey, sandbox.ClassRead, 1000)
	err = copyList(ctx, server.Client(), token, save)
	fmt.Println(len(rows), token != "", err)
	// Output:
	// 200 true true
	// 293 false <nil>
}

// memberLister is the interface that your program needs. A fake of your own returns the
// list from memory.
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

// A fake whose second page fails.
func ExamplePagerFunc() {
	team := hiring.PagerFunc(func(_ context.Context, token string, _ int) (hiring.Page[hiring.Member], error) { // The int is that of PageSize, or 0.
		if token == "page 2" {
			return hiring.Page[hiring.Member]{}, &hiring.Error{Status: 503}
		}
		return hiring.Page[hiring.Member]{Items: []hiring.Member{{Name: "Ada"}}, Next: "page 2"}, nil // token is "" here.
	})

	members, err := team.Collect(context.Background())
	fmt.Println(len(members), err)
	// Output:
	// 1 hiring: 503
}

// counted returns a list that counts the pages that are read of it.
func counted[T any](list hiring.Pager[T], pages *int) hiring.Pager[T] {
	return hiring.PagerFunc(func(ctx context.Context, token string, size int) (hiring.Page[T], error) {
		*pages++
		page := list.From(token)
		if size > 0 {
			page = page.PageSize(size)
		}
		return page.Page(ctx)
	})
}

// A decorator counts the reads of a list.
func ExamplePagerFunc_decorator() {
	client := sandbox.New().Client()

	pages := 0
	invitations, err := counted(client.Invitations.List(sandbox.AssessmentID), &pages).Collect(context.Background())
	fmt.Println(len(invitations), "invitations,", pages, "reads", err)
	// Output:
	// 360 invitations, 4 reads <nil>
}

// A list by page number begins at any page with one read.
func ExamplePager_FromPage() {
	client := sandbox.New().Client()

	page, err := client.Invitations.List(sandbox.AssessmentID).PageSize(50).FromPage(7).Page(context.Background())
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(page.Meta.Page, len(page.Items), page.Meta.Total)
	// Output:
	// 7 50 360
}

// deleteClosed deletes the closed assessments. It collects the list first, because a deletion moves items to pages that
// were read.
func deleteClosed(ctx context.Context, client *hiring.Client) error {
	assessments, err := client.Assessments.List().Collect(ctx)
	if err != nil {
		return err
	}
	for _, assessment := range assessments {
		if assessment.Status != hiring.AssessmentClosed {
			continue
		}
		if err := client.Assessments.Delete(ctx, assessment.ID); err != nil {
			return err
		}
	}
	return nil
}

// All closed assessments are deleted, although their list has two pages.
func ExamplePager_Collect_delete() {
	ctx := context.Background()
	server := sandbox.New(sandbox.WithQuota(1000, 1000))
	client := server.LiveClient()
	for range 150 {
		if _, err := client.Assessments.Close(ctx, server.AddAssessment("Backend engineer")); err != nil {
			log.Fatal(err)
		}
	}

	if err := deleteClosed(ctx, client); err != nil {
		log.Fatal(err)
	}
	left, err := client.Assessments.List().Collect(ctx)
	for _, assessment := range left {
		if assessment.Status == hiring.AssessmentClosed {
			fmt.Println("left:", assessment.Name)
		}
	}
	fmt.Println(err)
	// Output: <nil>
}

// A list is read while it is ranged over, from the beginning each time.
func ExamplePager() {
	ctx := context.Background()
	client := sandbox.New().Client()

	invitations := client.Invitations.List(sandbox.AssessmentID)
	fmt.Println(client.Quota().Read.Known()) // No request was sent yet.

	for range 2 {
		started := 0
		for invitation, err := range invitations.All(ctx) {
			if err != nil {
				log.Fatal(err)
			}
			if invitation.StartedAt != nil {
				started++
			}
		}
		fmt.Println(started, "have begun;", 1000-client.Quota().Read.Remaining, "requests") // 360 in pages of 100.
	}
	// Output:
	// false
	// 280 have begun; 4 requests
	// 280 have begun; 8 requests
}

// When a range ends early, no further page is read.
func ExamplePager_All() {
	ctx := context.Background()
	client := sandbox.New().Client()

	for invitation, err := range client.Invitations.List(sandbox.AssessmentID).All(ctx) {
		if err != nil {
			log.Fatal(err)
		}
		if invitation.Status == hiring.InvitationStarted {
			fmt.Println("a candidate is at work")
			break
		}
	}
	fmt.Println(1000-client.Quota().Read.Remaining, "request")
	// Output:
	// a candidate is at work
	// 1 request
}

func ExamplePager_Pages() {
	ctx := context.Background()
	client := sandbox.New().Client()

	for page, err := range client.Invitations.List(sandbox.AssessmentID).Pages(ctx) {
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(page.Meta.Page, len(page.Items), page.Meta.HasMore)
	}
	// Output:
	// 1 100 true
	// 2 100 true
	// 3 100 true
	// 4 60 false
}

// One page, for a user interface that shows one.
func ExamplePager_Page() {
	ctx := context.Background()
	client := sandbox.New().Client()

	page, err := client.Invitations.List(sandbox.AssessmentID).PageSize(20).Page(ctx)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(len(page.Items), "of", page.Meta.Total, page.Next != "")
	// Output: 20 of 360 true
}

// submissionsHandler shows a page, and links the next one by its resume token.
func submissionsHandler(client *hiring.Client) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		page, err := client.Submissions.List(hiring.SubmissionFilter{}).PageSize(10).From(r.FormValue("from")).Page(r.Context())
		switch {
		case errors.Is(err, hiring.ErrInvalidInput): // The visitor changed the token.
			http.Error(w, "this page does not exist", http.StatusNotFound)
			return
		case err != nil:
			http.Error(w, "try again later", http.StatusServiceUnavailable)
			return
		}
		for _, submission := range page.Items {
			fmt.Fprintln(w, submission.Candidate.Name)
		}
		if page.Next != "" {
			fmt.Fprint(w, "/submissions?from="+url.QueryEscape(page.Next))
		}
	}
}

// A handler that shows a page, and links the next one by its resume token.
func ExamplePager_From_handler() {
	list := submissionsHandler(sandbox.New().Client())

	next := "/submissions"
	for range 2 {
		response := httptest.NewRecorder()
		list(response, httptest.NewRequest(http.MethodGet, next, nil))
		lines := strings.Split(response.Body.String(), "\n")
		fmt.Println(lines[0])
		next = lines[len(lines)-1]
	}
	response := httptest.NewRecorder()
	list(response, httptest.NewRequest(http.MethodGet, "/submissions?from=x", nil))
	fmt.Println(response.Code)
	// Output:
	// Uma Petrov
	// Nadia Ivanova
	// 404
}

func ExamplePager_PageSize() {
	ctx := context.Background()
	client := sandbox.New().Client()

	_, err := client.Assessments.List().PageSize(101).Page(ctx)
	fmt.Println(err)
	fmt.Println(client.Quota().Read.Known()) // No request was sent.
	// Output:
	// hiring: PageSize: must be from 1 to 100
	// false
}

// The items from before an error are returned with it.
func ExamplePager_Collect() {
	ctx := context.Background()
	server := sandbox.New()
	client := server.Client()
	server.SetQuota(sandbox.TestKey, sandbox.ClassRead, 2)

	invitations, err := client.Invitations.List(sandbox.AssessmentID).Collect(ctx)
	fmt.Println(len(invitations), errors.Is(err, hiring.ErrQuotaExhausted))
	// Output: 200 true
}

func ExampleEventService_List() {
	ctx := context.Background()
	client := sandbox.New().Client()

	prompts := 0
	for event, err := range client.Events.List(sandbox.BusySubmissionID, hiring.EventFilter{SinceSeq: 100}).All(ctx) {
		if err != nil {
			log.Fatal(err)
		}
		if _, ok := event.AIPrompt(); ok {
			prompts++
		}
	}
	fmt.Println(prompts > 100)
	// Output: true
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

// Payloads are not documented completely: check each value.
func ExampleEvent_AIPrompt() {
	ctx := context.Background()
	client := sandbox.New().Client()

	for event, err := range client.Events.List(sandbox.BusySubmissionID, hiring.EventFilter{}).All(ctx) {
		if err != nil {
			log.Fatal(err)
		}
		if prompt, ok := event.AIPrompt(); ok {
			fmt.Println(prompt.Text)
			break
		}
	}
	// Output: Where is the charge retried?
}

func ExampleEvent_AIResponse() {
	ctx := context.Background()
	client := sandbox.New().Client()

	for event, err := range client.Events.List(sandbox.BusySubmissionID, hiring.EventFilter{}).All(ctx) {
		if err != nil {
			log.Fatal(err)
		}
		response, ok := event.AIResponse()
		if !ok {
			continue
		}
		if response.Tokens != nil { // Nil means unknown, which is not 0.
			fmt.Println(response.Model, *response.Tokens)
		}
		break
	}
	// Output: assistant-large 412
}

func ExampleEvent_Time() {
	ctx := context.Background()
	client := sandbox.New().Client()

	page, err := client.Events.List(sandbox.BusySubmissionID, hiring.EventFilter{}).PageSize(2).Page(ctx)
	if err != nil {
		log.Fatal(err)
	}
	first, second := page.Items[0], page.Items[1]
	fmt.Println(first.Time().Format(time.RFC3339), second.Time().Sub(first.Time()))
	// Output: 2026-02-02T14:10:15Z 899ms
}
