package hiring_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log"
	"strings"

	hiring "github.com/hiring-assessment/hiring-go"
	"github.com/hiring-assessment/hiring-go/sandbox"
)

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

// A file can contain a Dialect. hiring doctor writes one.
func ExampleDialect_file() {
	file := strings.NewReader(`{"page_size_param": "per_page", "cursor_param": "after"}`)

	var dialect hiring.Dialect
	if err := json.NewDecoder(file).Decode(&dialect); err != nil {
		log.Fatal(err)
	}
	client, err := hiring.New("https://hiring.example.com", "sk_test_0123456789", hiring.WithDialect(dialect))
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(client.Environment(), dialect.CursorParam)
	// Output: test after
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

// If the API ignores the page size because its name is wrong, the result is still right.
// Observers and the log receive a warning.
func ExampleExchange_warning() {
	ctx := context.Background()
	server := sandbox.New(sandbox.WithDialect(hiring.Dialect{PageSizeParam: "per_page"}))
	client := server.Client(hiring.WithObserver(func(_ context.Context, e hiring.Exchange) {
		fmt.Println(strings.Contains(e.Warning, "Dialect.PageSizeParam"))
	}))

	page, err := client.Submissions.List(hiring.SubmissionFilter{}).PageSize(10).Page(ctx)
	fmt.Println(len(page.Items), err)
	// Output:
	// true
	// 20 <nil>
}
