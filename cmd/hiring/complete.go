package main

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	hiring "github.com/hiring-assessment/hiring-go"
	"github.com/hiring-assessment/hiring-go/cmd/hiring/internal/files"
	"github.com/hiring-assessment/hiring-go/cmd/hiring/internal/output"
)

// idList returns the ids of one kind to complete, each followed by a tab and a
// description, and for assessments by another tab and a name to complete. It reads one page. Descriptions have no names of candidates, because they
// are cached.
type idList struct {
	kind string // Name of the cache, including the list's parameters.
	read func(context.Context, *hiring.Client) ([]string, error)
}

func assessmentIDs() idList {
	return idList{"assessments", func(ctx context.Context, client *hiring.Client) ([]string, error) {
		return described(ctx, client.Assessments.List(), func(a hiring.Assessment) string {
			return a.ID + "\t" + string(a.Status) + "\t" + a.Name
		})
	}}
}

func challengeIDs() idList {
	return idList{"challenges", func(ctx context.Context, client *hiring.Client) ([]string, error) {
		return described(ctx, client.Challenges.List(), func(c hiring.Challenge) string { return c.ID + "\t" + c.Difficulty + "\t" + c.Name })
	}}
}

func submissionIDs() idList {
	return idList{"submissions", func(ctx context.Context, client *hiring.Client) ([]string, error) {
		return described(ctx, client.Submissions.List(hiring.SubmissionFilter{}), func(s hiring.Submission) string {
			return s.ID + "\t" + string(s.Status) + ", started " + s.CreatedAt.Format(time.DateOnly)
		})
	}}
}

// invitationIDs returns a list that depends on the flag --assessment.
func invitationIDs(assessment assessmentRef) func() idList {
	return func() idList {
		return idList{"invitations of " + *assessment.given, func(ctx context.Context, client *hiring.Client) ([]string, error) {
			id, err := assessment.id(ctx, client)
			if err != nil {
				return nil, err
			}
			return described(ctx, client.Invitations.List(id), func(i hiring.Invitation) string {
				return i.ID + "\t" + string(i.Status) + ", created " + i.CreatedAt.Format(time.DateOnly)
			})
		}}
	}
}

// described returns a line for each item of the first page of a list.
func described[T any](ctx context.Context, list hiring.Pager[T], line func(T) string) ([]string, error) {
	page, err := list.Page(ctx)
	lines := make([]string, 0, len(page.Items))
	for _, item := range page.Items {
		fields := strings.Split(line(item), "\t")
		for i := range fields {
			fields[i] = output.Clean(fields[i])
		}
		lines = append(lines, strings.Join(fields, "\t"))
	}
	return lines, err
}

// complete returns the completion of ids in arguments or in a flag. Assessments are
// completed by name, unless an id was begun.
func (a *app) complete(list func() idList) cobra.CompletionFunc {
	return func(c *cobra.Command, given []string, begun string) ([]string, cobra.ShellCompDirective) {
		const directive = cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveKeepOrder
		if several := strings.Contains(c.Use, "..."); len(given) > 0 && !several {
			return nil, directive
		}
		var found []string
		for _, line := range a.knownIDs(c.Context(), list()) {
			fields := strings.Split(line, "\t")
			id, description := fields[0], strings.Join(fields[1:], ", ")
			switch {
			case slices.Contains(given, id):
			case len(fields) > 2 && strings.HasPrefix(strings.ToLower(fields[2]), strings.ToLower(begun)):
				found = append(found, fields[2]+"\t"+fields[1]+", "+id)
			case strings.HasPrefix(id, begun):
				found = append(found, id+"\t"+description)
			}
		}
		return found, directive
	}
}

// Lifetimes of cached results, and the time limit of a request.
const (
	completionExpiry  = 10 * time.Minute
	failureExpiry     = time.Minute
	completionTimeout = 3 * time.Second
)

// completionCache is a file in the user's cache folder. It has ids, statuses, days, and
// the names of assessments and challenges, but no names of candidates.
type completionCache struct {
	Expires time.Time `json:"expires"`
	Lines   []string  `json:"lines"`
}

// knownIDs returns the cached ids, or else those of one request. A failed request is
// cached too, so that no later key press waits for it.
func (a *app) knownIDs(ctx context.Context, list idList) []string {
	c, err := a.connection()
	if err != nil {
		return nil
	}
	file := ""
	if dir, err := os.UserCacheDir(); err == nil && c.Transport == nil { // Completion from the sandbox is not cached.
		sum := sha256.Sum256([]byte(list.kind + "\x00" + c.BaseURL + "\x00" + c.Key))
		file = filepath.Join(dir, "hiring", "completion", hex.EncodeToString(sum[:16])+".json")
	}
	var cached completionCache
	if text, err := os.ReadFile(file); err == nil && json.Unmarshal(text, &cached) == nil && time.Now().Before(cached.Expires) {
		return cached.Lines
	}
	client, err := c.client(append(a.options(), hiring.WithTimeout(completionTimeout),
		hiring.WithRetry(hiring.RetryPolicy{MaxAttempts: 1, MaxWait: time.Millisecond}))...)
	if err != nil {
		return nil
	}
	cached.Expires = time.Now().Add(completionExpiry)
	if cached.Lines, err = list.read(ctx, client); err != nil {
		cached.Expires = time.Now().Add(failureExpiry)
	}
	if file != "" {
		keepCompletion(file, cached)
	}
	return cached.Lines
}

// keepCompletion writes a cache file that only the user can read, and removes expired
// ones. Errors are ignored.
func keepCompletion(file string, cached completionCache) {
	dir := filepath.Dir(file)
	if os.MkdirAll(dir, 0o700) != nil {
		return
	}
	others, _ := os.ReadDir(dir)
	for _, other := range others {
		if info, err := other.Info(); err == nil && time.Since(info.ModTime()) > completionExpiry {
			_ = os.Remove(filepath.Join(dir, other.Name()))
		}
	}
	_ = files.WriteJSON(file, cached)
}

// columnsOf is the annotation of commands that show a table.
const columnsOf = "columns"

// completeColumns completes --columns and --sort from the table of the command.
func completeColumns(c *cobra.Command, _ []string, begun string) ([]string, cobra.ShellCompDirective) {
	before := ""
	if i := strings.LastIndex(begun, ","); i >= 0 {
		before = begun[:i+1]
	} else if strings.HasPrefix(begun, "-") {
		before = "-"
	}
	var all []string
	for name := range strings.SplitSeq(c.Annotations[columnsOf], ",") {
		all = append(all, before+name)
	}
	return all, cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveNoSpace
}
