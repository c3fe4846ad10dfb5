// Program nethttp prints the name of the key's organization.
package main

import (
	"context"
	"encoding/json"
	"log"
	"net/http"
	"os"
)

func main() {
	req, err := http.NewRequestWithContext(context.Background(), http.MethodGet, os.Getenv("HIRING_BASE_URL")+"/api/v1/account", nil)
	if err != nil {
		log.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+os.Getenv("HIRING_API_KEY"))
	resp, err := new(http.Client).Do(req)
	if err != nil {
		log.Fatal(err)
	}
	defer resp.Body.Close()
	var reply struct {
		Data struct {
			Name string `json:"name"`
		} `json:"data"`
	}
	if err := json.NewDecoder(resp.Body).Decode(&reply); err != nil {
		log.Fatal(err)
	}
	_, _ = os.Stdout.WriteString(reply.Data.Name + "\n")
}
