package sandbox

import (
	"encoding/json"
	"net/http"
	"slices"

	"github.com/hiring-assessment/hiring-go/sandbox/internal/world"
)

func listAssessments(c *call) response { return numberedPage(c, c.world.Assessments) }

func createAssessment(c *call) response {
	var p problems
	object := c.members(&p)
	if p.any() {
		return c.invalid(p)
	}
	var challenge *world.Record[world.Challenge]
	if id, ok := requiredString(&p, object, "challenge_id"); ok {
		switch challenge = c.world.Challenges.Find(canonicalID(id)); {
		case !uuid.MatchString(id):
			p.add("challenge_id", "Expected a UUID.")
		case challenge == nil:
			p.add("challenge_id", "There is no such challenge.")
		}
	}
	if _, named := object["name"]; !named {
		p.add("name", "Required.")
	}
	now := c.now()
	created := world.Assessment{Status: "active", CreatedAt: now, UpdatedAt: now}
	if challenge != nil {
		created.ChallengeID, created.TimeLimitMinutes = challenge.Value.ID, challenge.Value.TimeLimitMinutes
	}
	c.applySettings(&p, object, &created)
	if p.any() {
		return c.invalid(p)
	}
	created.ID = c.server.live.NewID()
	return c.data(http.StatusCreated, c.world.SaveAssessment(created).Value)
}

func updateAssessment(c *call, found *world.Record[world.Assessment]) response {
	var p problems
	object := c.members(&p)
	if object != nil && len(object) == 0 {
		p.addForm("There is nothing to change.")
	}
	changed := found.Value
	if status, ok := readMember[string](&p, object, "status", "Expected active or closed."); ok {
		if status != "active" && status != "closed" {
			p.add("status", "Expected active or closed.")
		}
		changed.Status = status
	}
	c.applySettings(&p, object, &changed)
	if p.any() {
		return c.invalid(p)
	}
	changed.UpdatedAt = c.now()
	return c.data(http.StatusOK, c.world.SaveAssessment(changed).Value)
}

func deleteAssessment(c *call, found *world.Record[world.Assessment]) response {
	c.world.DeleteAssessment(found)
	return c.data(http.StatusOK, found.Value)
}

// applySettings reads the members that both POST and PATCH accept.
func (c *call) applySettings(p *problems, object map[string]json.RawMessage, a *world.Assessment) {
	if name, ok := readMember[string](p, object, "name", "Expected a string."); ok {
		a.Name = name
		if name == "" {
			p.add("name", "Must have at least 1 character.")
		}
	}
	if minutes, ok := readMember[int](p, object, "time_limit_minutes", "Expected an integer."); ok {
		a.TimeLimitMinutes = minutes
		if minutes < 1 {
			p.add("time_limit_minutes", "Must be at least 1.")
		}
	}
	if dollars, ok := readNullable[float64](p, object, "budget_dollars_cap", "Expected a number or null."); ok {
		a.BudgetDollarsCap = dollars
		if dollars != nil && *dollars < 0 {
			p.add("budget_dollars_cap", "Must not be negative.")
		}
	}
	if ids, ok := readNullable[[]string](p, object, "selected_task_ids", "Expected an array of task ids or null."); ok {
		a.SelectedTaskIDs = nil
		if ids != nil {
			c.selectTasks(p, a, *ids)
		}
	}
}

// selectTasks selects tasks of the assessment's challenge.
func (c *call) selectTasks(p *problems, a *world.Assessment, ids []string) {
	for i := range ids {
		ids[i] = canonicalID(ids[i])
	}
	a.SelectedTaskIDs = ids
	if !c.tasksExist(a.ChallengeID, ids) {
		p.add("selected_task_ids", "Expected at least one task, each of the assessment's challenge and given once.")
	}
}

// tasksExist reports whether ids are different tasks of a challenge. It returns true for an unknown
// challenge, which is reported separately.
func (c *call) tasksExist(challengeID string, ids []string) bool {
	challenge := c.world.Challenges.Find(challengeID)
	if challenge == nil {
		return true
	}
	for i, id := range ids {
		if slices.Contains(ids[:i], id) || !slices.ContainsFunc(challenge.Value.Tasks, func(t world.Task) bool { return t.ID == id }) {
			return false
		}
	}
	return len(ids) > 0
}
