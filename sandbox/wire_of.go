package sandbox

import (
	"bytes"
	"cmp"
	"encoding/json"
	"maps"
	"slices"
	"strconv"
	"sync"

	"github.com/hiring-assessment/hiring-go/sandbox/internal/world"
)

// sample returns the records of test mode. They are made at the first request
// of the first server and shared from then on. Each has its JSON from the start:
// servers know no common lock, so nothing may change them later.
var sample = sync.OnceValue(func() *world.Sample {
	w := world.NewSample()
	body(w.Account(), accountOnWire)
	prepare(w.Members(), memberOnWire)
	prepare(w.Challenges(), challengeOnWire)
	prepare(w.Assessments(), assessmentOnWire)
	for a := range w.Assessments().All() {
		prepare(w.Invitations(a.ID), invitationOnWire)
	}
	for a := range w.Submissions().All() {
		submissionParts(a)
		for i := range a.Events() {
			eventBody(&a.Events()[i])
		}
	}
	return w
})

func prepare[T any](all *world.Collection[*world.Record[T]], wire func(T) any) {
	for i := range all.Len() {
		body(all.Newest(i), wire)
	}
}

// body is a record's JSON, made once for each state of it.
func body[T any](r *world.Record[T], wire func(T) any) []byte {
	if made, ok := r.Shown.([]byte); ok {
		return made
	}
	made := render(wire(r.Value))
	r.Shown = made
	return made
}

func memberOnWire(m world.Member) any         { return wireMember(m) }
func assessmentOnWire(a world.Assessment) any { return wireAssessment(a) }
func invitationOnWire(i world.Invitation) any { return wireInvitation(i) }

func accountOnWire(a world.Account) any {
	return wireAccount{
		ID: a.ID, Name: a.Name, Slug: a.Slug, Plan: wirePlan(a.Plan), Usage: wireUsage(a.Usage), Branding: wireBranding(a.Branding),
		CustomDomain: a.CustomDomain, CustomDomainVerified: a.CustomDomainVerified, CreatedAt: a.CreatedAt,
	}
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

// submissionOnWire leaves the report out.
func submissionOnWire(s world.Submission) wireSubmission {
	return wireSubmission{
		ID: s.ID, AssessmentID: s.AssessmentID, Challenge: wireChallengeRef(s.Challenge), Candidate: wireCandidate(s.Candidate),
		Status: s.Status, StartedAt: s.StartedAt, SubmittedAt: s.SubmittedAt, EvaluatedAt: s.EvaluatedAt,
		PausedTotalSeconds: s.PausedTotalSeconds, Budget: wireBudget(s.Budget), CreatedAt: s.CreatedAt,
	}
}

// reportOnWire leaves the rank out.
func reportOnWire(r world.Report) wireReport {
	pillars := make([]wirePillar, len(r.Pillars))
	for i, p := range r.Pillars {
		pillars[i] = wirePillar(p)
	}
	return wireReport{
		SubmissionID: r.SubmissionID, Status: r.Status, Evaluated: r.Evaluated, ShipScore: r.ShipScore,
		Verdict: r.Verdict, VerdictLabel: r.VerdictLabel, Confidence: r.Confidence, Summary: r.Summary, ScoredAsRole: r.ScoredAsRole,
		Pillars: pillars, Strengths: texts(r.Strengths), Flags: texts(r.Flags), InterviewQuestions: texts(r.InterviewQuestions),
		Facts: wireFacts(r.Facts), ScopeExclusions: texts(r.ScopeExclusions), IntegrityStatus: r.IntegrityStatus,
		Percentile: r.Percentile, Tasks: texts(r.Tasks), GeneratedAt: r.GeneratedAt,
	}
}

func texts(all []world.Text) []json.RawMessage {
	raw := make([]json.RawMessage, len(all))
	for i, text := range all {
		raw[i] = json.RawMessage(text)
	}
	return raw
}

// parts are a submission's JSON but for two places: the link to its archive,
// which is a new one each time, and its rank, which others can change.
type parts struct {
	head          []byte // up to the link
	report, after []byte // before the rank and after it; after is nil when the test gave the rank
}

func submissionParts(a *world.Attempt) *parts {
	if made, ok := a.Shown.(*parts); ok {
		return made
	}
	head := bytes.TrimSuffix(render(submissionOnWire(a.Value)), []byte(`null,"report":null}`))
	report := render(reportOnWire(a.Report()))
	before, after, _ := bytes.Cut(report, []byte(`"pipeline_rank":null`))
	if extra := a.Extra(); len(extra) > 0 {
		before, after = overlaid(report, extra)
	}
	made := &parts{head, before, after}
	a.Shown = made
	return made
}

// overlaid gives a report other and further members, and splits it where its
// rank belongs unless that is one of them.
func overlaid(report []byte, extra map[string]any) (before, after []byte) {
	names, values := takeApart(report)
	for _, name := range slices.Sorted(maps.Keys(extra)) {
		if i := slices.Index(names, name); i >= 0 {
			values[i] = render(extra[name])
			continue
		}
		names, values = append(names, name), append(values, render(extra[name]))
	}
	_, ranked := extra["pipeline_rank"]
	b := []byte{'{'}
	for i, name := range names {
		if i > 0 {
			b = append(b, ',')
		}
		if name == "pipeline_rank" && !ranked {
			before, b = b, []byte{}
			continue
		}
		b = append(append(append(b, render(name)...), ':'), values[i]...)
	}
	if b = append(b, '}'); ranked {
		return b, nil
	}
	return before, b
}

func appendReport(b []byte, a *world.Attempt) []byte {
	made := submissionParts(a)
	b = append(b, made.report...)
	if made.after == nil {
		return b
	}
	b = append(b, `"pipeline_rank":`...)
	if rank, ok := a.Rank(); ok {
		b = append(b, `{"rank":`...)
		b = strconv.AppendInt(b, int64(rank.Rank), 10)
		b = append(b, `,"total":`...)
		b = strconv.AppendInt(b, int64(rank.Total), 10)
		b = append(b, '}')
	} else {
		b = append(b, "null"...)
	}
	return append(b, made.after...)
}

// eventBody is body for an event.
func eventBody(e *world.Event) []byte {
	if e.Shown != nil {
		return e.Shown
	}
	b := make([]byte, 0, len(e.Payload)+96)
	b = append(b, `{"seq":`...)
	b = strconv.AppendInt(b, e.Seq, 10)
	b = append(b, `,"kind":`...)
	b = append(b, render(e.Kind)...)
	b = append(b, `,"ts_ms":`...)
	b = strconv.AppendInt(b, int64(e.At), 10)
	b = append(b, `,"payload":`...)
	b = append(b, cmp.Or(e.Payload, "{}")...)
	e.Shown = append(b, '}')
	return e.Shown
}
