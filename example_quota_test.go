package hiring_test

import (
	"context"
	"errors"
	"fmt"
	"log"
	"time"

	hiring "github.com/hiring-assessment/hiring-go"
	"github.com/hiring-assessment/hiring-go/sandbox"
)

func ExampleClient_Quota() {
	ctx := context.Background()
	client := sandbox.New().Client()

	if _, err := client.Account.Get(ctx); err != nil {
		log.Fatal(err)
	}
	quota := client.Quota()
	fmt.Println(quota.Read.Remaining, "of", quota.Read.Limit)
	fmt.Println(quota.Write.Known()) // No write was sent yet.
	// Output:
	// 999 of 1000
	// false
}

func Example_quotaExhausted() {
	ctx := context.Background()
	server := sandbox.New()
	server.SetQuota(sandbox.TestKey, sandbox.ClassRead, 1)
	client := server.Client()

	_, err := client.Account.Get(ctx)
	fmt.Println(err)

	// No requests remain, so this call is not sent.
	_, err = client.Account.Get(ctx)
	if errors.Is(err, hiring.ErrQuotaExhausted) {
		if failure, ok := errors.AsType[*hiring.Error](err); ok {
			fmt.Println("try again in an hour:", failure.RetryAfter > 59*time.Minute)
		}
	}

	// A batch job may wait for the next window. A window is an hour long.
	patient, err := client.With(hiring.WithRetry(hiring.RetryPolicy{MaxWait: 65 * time.Minute}))
	fmt.Println(patient != nil, err)
	// Output:
	// <nil>
	// try again in an hour: true
	// true <nil>
}

// A nightly job and interactive users share a key.
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

// A rate limit is zero before the first response. Known distinguishes it from one that is used up.
func ExampleRateLimit_Known() {
	ctx := context.Background()
	client := sandbox.New().Client()

	for range 2 {
		read := client.Quota().Read
		if read.Known() {
			fmt.Println(read.Remaining, "reads are left")
		} else {
			fmt.Println("no call was made yet")
		}
		if _, err := client.Account.Get(ctx); err != nil {
			log.Fatal(err)
		}
	}
	// Output:
	// no call was made yet
	// 999 reads are left
}
