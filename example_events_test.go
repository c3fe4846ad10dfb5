package hiring_test

import (
	"context"
	"fmt"
	"log"
	"time"

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

// Another process resumes following a log.
func ExampleEventService_Tail_again() {
	ctx := context.Background()
	client := sandbox.New().Client()

	var last int64 // The last processed entry, from a file or a database.
	for event, err := range client.Events.Tail(ctx, sandbox.BusySubmissionID, hiring.TailOptions{}) {
		if err != nil {
			log.Fatal(err)
		}
		last = event.Seq
		if event.Kind == hiring.EventAIPrompt {
			break
		}
	}
	for event, err := range client.Events.Tail(ctx, sandbox.BusySubmissionID, hiring.TailOptions{SinceSeq: last}) {
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(event.Seq > last)
		break
	}
	// Output: true
}
