package hiring_test

import (
	"context"
	"fmt"
	"log"

	hiring "github.com/hiring-assessment/hiring-go"
	"github.com/hiring-assessment/hiring-go/sandbox"
)

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
