// Program hiring prints the name of the key's organization.
package main

import (
	"context"
	"log"
	"os"

	"github.com/hiring-assessment/hiring-go"
)

func main() {
	client, err := hiring.FromEnv()
	if err != nil {
		log.Fatal(err)
	}
	account, err := client.Account.Get(context.Background())
	if err != nil {
		log.Fatal(err)
	}
	_, _ = os.Stdout.WriteString(account.Name + "\n")
}
