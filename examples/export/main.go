// Command export copies submissions, without the links to their archives, and event logs to JSON Lines files, below the
// folder that its argument names or else "export". Killed at any moment and run again, it ends with the same files.
package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"os"
	"os/signal"
	"strings"

	hiring "github.com/hiring-assessment/hiring-go"
	"github.com/hiring-assessment/hiring-go/sandbox"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	client, err := hiring.FromEnv()
	if os.Getenv("HIRING_BASE_URL")+os.Getenv("HIRING_API_KEY") == "" {
		client, err = sandbox.New().Client(), nil
	}
	account := must(must(client, err).Account.Get(ctx)).ID
	folder := append(os.Args, "export")[1] + "/" + string(client.Environment()) + "-" + account
	must(0, os.MkdirAll(folder+"/events", 0o700))
	dir := must(os.OpenRoot(folder))
	copyList(ctx, dir, "submissions.jsonl", client.Submissions.List(hiring.SubmissionFilter{}), func(s *hiring.Submission) { s.WorkspaceArchiveURL = nil })
	for submissions := json.NewDecoder(must(dir.Open("submissions.jsonl"))); submissions.More(); {
		var s hiring.Submission
		must(0, submissions.Decode(&s))
		copyList(ctx, dir, "events/"+s.ID+".jsonl", client.Events.List(s.ID, hiring.EventFilter{}), func(*hiring.Event) {})
	}
	fmt.Println("exported to", folder)
}

// copyList writes a list to name.part, and after each page to name.state where the next one begins and belongs.
func copyList[T any](ctx context.Context, dir *os.Root, name string, list hiring.Pager[T], clean func(*T)) {
	if _, err := dir.Stat(name); err == nil {
		return // Complete.
	}
	token, size, sum := "", int64(0), uint32(0)
	file := must(dir.OpenFile(name+".part", os.O_CREATE|os.O_RDWR, 0o600))
	if text, err := dir.ReadFile(name + ".state"); !errors.Is(err, os.ErrNotExist) {
		_, _ = fmt.Sscanf(string(must(text, err)), "%d %s %d", &size, &token, &sum) // The sum tells whether it could be read.
		if sum != crc32.ChecksumIEEE(fmt.Append(nil, size, token)) || size > must(file.Stat()).Size() {
			must(0, fmt.Errorf("%s/%s.state is damaged: delete it to begin this file anew", dir.Name(), name))
		}
	}
	must(0, file.Truncate(size))
	for page, err := range list.From(token).Pages(ctx) {
		var lines bytes.Buffer
		for _, item := range must(page, err).Items {
			clean(&item)
			must(0, json.NewEncoder(&lines).Encode(item))
		}
		size += int64(must(file.WriteAt(lines.Bytes(), size)))
		must(0, file.Sync())
		if page.Next != "" {
			sum = crc32.ChecksumIEEE(fmt.Append(nil, size, page.Next))
			must(0, dir.WriteFile(name+".new", fmt.Appendf(nil, "%d %s %d\n", size, page.Next, sum), 0o600))
			must(0, dir.Rename(name+".new", name+".state"))
		}
	}
	must(0, file.Close())
	_ = dir.Remove(name + ".state") // A single page has none.
	must(0, dir.Rename(name+".part", name))
}

// must ends the program with one line when something failed.
func must[T any](result T, err error) T {
	if err != nil {
		fmt.Fprintln(os.Stderr, "export:", strings.ReplaceAll(err.Error(), "\n", "; "))
		os.Exit(1)
	}
	return result
}
