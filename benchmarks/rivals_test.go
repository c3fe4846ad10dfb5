package benchmarks

import (
	"context"
	"encoding/json"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"time"

	"github.com/hiring-assessment/hiring-go/sandbox"
)

// The rivals are what a program does that was written without a client library.

const address = "https://sandbox.invalid"

// pace uses up just what the quota allows.
const pace = time.Hour / 1000

// everyHalfMinute asks for each report every 30 s.
func everyHalfMinute(ctx context.Context, w *world, ids []string) {
	for ids = slices.Clone(ids); len(ids) > 0; time.Sleep(30 * time.Second) {
		ids = slices.DeleteFunc(ids, func(id string) bool { return read(ctx, w, id) })
	}
}

// pacedReads asks for one report after the other, as fast as the quota allows.
func pacedReads(ctx context.Context, w *world, ids []string) {
	for ids = slices.Clone(ids); len(ids) > 0; {
		begun := time.Now()
		ids = slices.DeleteFunc(ids, func(id string) bool {
			time.Sleep(pace)
			return read(ctx, w, id)
		})
		time.Sleep(30*time.Second - time.Since(begun))
	}
}

func read(ctx context.Context, w *world, id string) bool {
	var reply struct {
		Data struct {
			Evaluated bool `json:"evaluated"`
		} `json:"data"`
	}
	if w.get(ctx, "/api/v1/submissions/"+id+"/report", &reply) != nil || !reply.Data.Evaluated {
		return false
	}
	w.deliver(id)
	return true
}

// fixedWindow lists all of the last 30 days again and again, as fast as the
// quota allows.
func fixedWindow(ctx context.Context, w *world) {
	begun, known := time.Now(), make(map[string]bool)
	for ctx.Err() == nil {
		round := time.Now()
		query := url.Values{
			"status": {"evaluated"}, "page_size": {"100"},
			"since": {round.Add(-30 * 24 * time.Hour).UTC().Format("2006-01-02T15:04:05.000Z07:00")},
		}
		for more := true; more; {
			var page struct {
				Data []struct {
					ID          string    `json:"id"`
					EvaluatedAt time.Time `json:"evaluated_at"`
				} `json:"data"`
				Meta struct {
					NextCursor string `json:"next_cursor"`
				} `json:"meta"`
			}
			time.Sleep(pace)
			if w.get(ctx, "/api/v1/submissions?"+query.Encode(), &page) != nil {
				break
			}
			for _, s := range page.Data {
				if !known[s.ID] && s.EvaluatedAt.After(begun) {
					known[s.ID] = true
					w.deliver(s.ID)
				}
			}
			more = page.Meta.NextCursor != ""
			query.Set("cursor", page.Meta.NextCursor)
		}
		time.Sleep(30*time.Second - time.Since(round))
	}
}

// get sends a request, and sends it again after a 429.
func (w *world) get(ctx context.Context, path string, into any) error {
	for {
		r, err := http.NewRequestWithContext(ctx, http.MethodGet, address+path, nil)
		if err != nil {
			return err
		}
		r.Header.Set("Authorization", "Bearer "+sandbox.LiveKey)
		reply, err := w.RoundTrip(r)
		if err != nil {
			return err
		}
		err = json.NewDecoder(reply.Body).Decode(into)
		_ = reply.Body.Close()
		if reply.StatusCode != http.StatusTooManyRequests {
			return err
		}
		seconds, err := strconv.Atoi(reply.Header.Get("Retry-After"))
		if err != nil {
			return err
		}
		time.Sleep(time.Duration(seconds) * time.Second)
	}
}
