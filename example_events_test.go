package hiring_test

import (
	"context"
	"fmt"
	"log"

	hiring "github.com/hiring-assessment/hiring-go"
	"github.com/hiring-assessment/hiring-go/sandbox"
)

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
