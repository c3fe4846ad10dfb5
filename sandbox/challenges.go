package sandbox

import (
	"github.com/hiring-assessment/hiring-go/sandbox/internal/world"
)

func listChallenges(c *call) reply { return numbered(c, c.world.Challenges(), challengeOnWire) }

func getChallenge(c *call) reply { return one(c, c.world.Challenges(), challengeOnWire) }

var challengeShape = &shape{
	open: map[string]string{"domain": anyValue, "difficulty": anyValue, "level": anyValue, "stack": anyValue},
	in:   map[string]*shape{"tasks": {open: map[string]string{"kind": anyValue}}},
}

type wireChallenge struct {
	ID               string       `json:"id"`
	Slug             string       `json:"slug"`
	Name             string       `json:"name"`
	Domain           string       `json:"domain"`
	Difficulty       string       `json:"difficulty"`
	Level            string       `json:"level"`
	Stack            string       `json:"stack"`
	TimeLimitMinutes int          `json:"time_limit_minutes"`
	BudgetDollarsCap float64      `json:"budget_dollars_cap"`
	IsPlatform       bool         `json:"is_platform"`
	IsMultiTask      bool         `json:"is_multi_task"`
	PublishedAt      world.Moment `json:"published_at"`
	CreatedAt        world.Moment `json:"created_at"`
	BriefMD          string       `json:"brief_md"`
	Tasks            []wireTask   `json:"tasks,omitempty"`
}

type wireTask struct {
	ID               string  `json:"id"`
	TaskKey          string  `json:"task_key"`
	Kind             string  `json:"kind"`
	Title            string  `json:"title"`
	OrderIndex       int     `json:"order_index"`
	Weight           float64 `json:"weight"`
	TimeLimitMinutes int     `json:"time_limit_minutes"`
}

func challengeOnWire(c world.Challenge) any {
	tasks := make([]wireTask, len(c.Tasks))
	for i, t := range c.Tasks {
		tasks[i] = wireTask(t)
	}
	return wireChallenge{
		ID: c.ID, Slug: c.Slug, Name: c.Name, Domain: c.Domain, Difficulty: c.Difficulty, Level: c.Level, Stack: c.Stack,
		TimeLimitMinutes: c.TimeLimitMinutes, BudgetDollarsCap: c.BudgetDollarsCap, IsPlatform: c.IsPlatform, IsMultiTask: c.IsMultiTask,
		PublishedAt: c.PublishedAt, CreatedAt: c.CreatedAt, BriefMD: c.BriefMD, Tasks: tasks,
	}
}
