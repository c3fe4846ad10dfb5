package hiring

import (
	"context"
	"encoding/json"
	"time"

	"github.com/hiring-assessment/hiring-go/internal/paging"
)

// ChallengeService reads the library of challenges that assessments are created from.
//
//	GET /challenges        read (Dialect.ListChallenges)
//	GET /challenges/{id}   read
type ChallengeService struct{ core *core }

var challengeRoute = registerRoute("GET /challenges/{id}")

func (s *ChallengeService) mustCore() *core { return (*service)(s).mustCore() }

// List returns the challenges, newest first (assumed: list shape). Scope read; costs one
// read a page.
func (s *ChallengeService) List() Pager[Challenge] {
	return newPager(list[Challenge]{
		List:    paging.List{MaxSize: maxPageSize},
		core:    s.mustCore(),
		request: newRequest("Challenges.List", s.mustCore().dialect.ListChallenges).assume("ListChallenges", ""),
		id:      func(c *Challenge) string { return c.ID },
	})
}

// Get returns a challenge with its brief and, if it is a multi-task challenge, its tasks.
// Scope read; costs one read.
func (s *ChallengeService) Get(ctx context.Context, id string) (Challenge, error) {
	return do[Challenge](ctx, s.mustCore(), newRequest("Challenges.Get", challengeRoute, pathID("id", id)))
}

// Challenge is a coding challenge. The API does not document the values of Domain,
// Difficulty, Level and Stack: treat them as text to display. Those in the sandbox are
// invented.
type Challenge struct {
	ID               string                     `json:"id"`
	Slug             string                     `json:"slug"`
	Name             string                     `json:"name"`
	Domain           string                     `json:"domain"`     // Field of work; in the sandbox such as "backend".
	Difficulty       string                     `json:"difficulty"` // In the sandbox such as "medium".
	Level            string                     `json:"level"`      // Experience; in the sandbox such as "senior".
	Stack            string                     `json:"stack"`      // Technology; in the sandbox such as "go".
	TimeLimitMinutes int                        `json:"time_limit_minutes"`
	BudgetDollarsCap float64                    `json:"budget_dollars_cap"` // Spending cap for AI usage, in dollars.
	IsPlatform       bool                       `json:"is_platform"`
	IsMultiTask      bool                       `json:"is_multi_task"`
	PublishedAt      time.Time                  `json:"published_at,omitzero"`
	CreatedAt        time.Time                  `json:"created_at,omitzero"`
	BriefMD          string                     `json:"brief_md"`       // Markdown for the candidate.
	Tasks            []Task                     `json:"tasks,omitzero"` // Nil unless IsMultiTask.
	Extra            map[string]json.RawMessage `json:",unknown,embed"`
}

func (Challenge) resource() {}

// MarshalJSON writes the names of the API, with the unknown members in Extra.
func (c Challenge) MarshalJSON() ([]byte, error) { return encode(c) }

// UnmarshalJSON reads the names of the API, and keeps unknown members in Extra.
func (c *Challenge) UnmarshalJSON(data []byte) error { return decode(data, c) }

func (c Challenge) check(wanted string) error { return checkID(c.ID, wanted) }

// Task is a part of a multi-task challenge.
type Task struct {
	ID               string                     `json:"id"`
	TaskKey          string                     `json:"task_key"` // Short name within the challenge.
	Kind             TaskKind                   `json:"kind"`
	Title            string                     `json:"title"`
	OrderIndex       int                        `json:"order_index"` // From 0.
	Weight           float64                    `json:"weight"`      // Share of the challenge's score.
	TimeLimitMinutes int                        `json:"time_limit_minutes"`
	Extra            map[string]json.RawMessage `json:",unknown,embed"`
}

func (Task) resource() {}

// MarshalJSON writes the names of the API, with the unknown members in Extra.
func (t Task) MarshalJSON() ([]byte, error) { return encode(t) }

// UnmarshalJSON reads the names of the API, and keeps unknown members in Extra.
func (t *Task) UnmarshalJSON(data []byte) error { return decode(data, t) }

// TaskKind is the kind of a task. The set is open.
type TaskKind string

// The documented kinds. The sandbox returns no others.
const (
	TaskKindBug        TaskKind = "bug"
	TaskKindFeature    TaskKind = "feature"
	TaskKindEfficiency TaskKind = "efficiency"
)
