package doctor

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"time"

	hiring "github.com/hiring-assessment/hiring-go"
)

func (e *examination) readAccount(ctx context.Context) reply {
	_, r := get(ctx, e.prober, e.client.Account.Get)
	if r.timedOut() {
		e.stopped = "the API did not answer GET /account within the time limit"
	}
	return r
}

// readDocument reads the server's OpenAPI document. From then on, its names are used.
func (e *examination) readDocument(ctx context.Context) reply {
	raw, r := get(ctx, e.prober, e.client.OpenAPI)
	const more = "none: it is not needed where responses decide; with a live key it decides the names of writes"
	switch e.doc = readDocument(raw); {
	case r.skipped != "" || r.timedOut() || r.forbidden():
		e.set("document", undecided(r.summary(), "run it again"))
	case r.absent():
		e.set("document", ok("none", r.summary()))
		e.set("required input", ok("none", r.summary()))
	case !r.ok():
		e.set("document", wrong("cannot be read", r.summary(), more))
	case e.doc == nil:
		e.set("document", wrong("none", r.label+": it is not an OpenAPI document", more))
	}
	if e.doc == nil {
		return r
	}
	for name, f := range e.fields {
		f.documented = e.doc.values(name, f.assumed)
		if len(f.documented) > 0 {
			e.use(name, f.documented[0])
		}
	}
	return r
}

// readSubmissions reads the list of submissions first, because later requests need them.
func (e *examination) readSubmissions(ctx context.Context) []hiring.Submission {
	items, l := readPages(ctx, e, pages{resource: "submission", page: "CursorParam", size: "PageSizeParam", most: 100, path: "/submissions"},
		func(c *hiring.Client) hiring.Pager[hiring.Submission] {
			return c.Submissions.List(hiring.SubmissionFilter{})
		})
	if !slices.IsSortedFunc(items, func(a, b hiring.Submission) int { return b.CreatedAt.Compare(a.CreatedAt) }) {
		e.set("list shape", wrong("in another order", l.first.label+": created_at does not descend", "expect FindByEmail to find an older submission"))
	}
	bare := func(s hiring.Submission) bool { return s.Status == hiring.SubmissionEvaluated && s.Report == nil }
	switch {
	case slices.ContainsFunc(items, bare):
		e.set("inline report", wrong("without its report", l.first.label+": an evaluated submission has no report",
			"read each with Submissions.Report, as the waiting methods do"))
	case slices.ContainsFunc(items, func(s hiring.Submission) bool { return s.Report != nil }):
		e.set("inline report", ok("with its report", l.first.label))
	}
	return items
}

// readChallenges reads the list of challenges, and a challenge with several tasks if there
// is one.
func (e *examination) readChallenges(ctx context.Context) []hiring.Challenge {
	items, _ := readPages(ctx, e, pages{resource: "challenge", route: "ListChallenges", page: "PageParam", size: "PageSizeParam", most: 100},
		func(c *hiring.Client) hiring.Pager[hiring.Challenge] { return c.Challenges.List() })
	if len(items) > 0 {
		id := items[max(0, slices.IndexFunc(items, func(c hiring.Challenge) bool { return c.IsMultiTask }))].ID
		_, r := get(ctx, e.prober, func(ctx context.Context) (hiring.Challenge, error) { return e.client.Challenges.Get(ctx, id) })
		e.check("challenge", hiring.Challenge{}, r)
	}
	return items
}

// readAssessments reads the list of assessments, and one assessment.
func (e *examination) readAssessments(ctx context.Context, submissions []hiring.Submission) []hiring.Assessment {
	items, _ := readPages(ctx, e, pages{resource: "assessment", route: "ListAssessments", page: "PageParam", size: "PageSizeParam", most: 100},
		func(c *hiring.Client) hiring.Pager[hiring.Assessment] { return c.Assessments.List() })
	id := assessmentOf(submissions, items)
	if id == "" {
		e.fields["GetAssessment"].reason = "no assessment is known"
		return items
	}
	e.settleRoute("GetAssessment", hiring.Assessment{}, func(c *hiring.Client) reply {
		_, r := get(ctx, e.prober, func(ctx context.Context) (hiring.Assessment, error) { return c.Assessments.Get(ctx, id) })
		e.check("assessment", hiring.Assessment{}, r)
		return r
	}, "GET "+e.path("ListAssessments")+"/{id}")
	return items
}

// path returns the path of a route that is known so far.
func (e *examination) path(name string) string {
	_, path, _ := strings.Cut(e.value(name), " ")
	return path
}

// assessmentOf returns an assessment, one with submissions if possible, or "".
func assessmentOf(submissions []hiring.Submission, assessments []hiring.Assessment) string {
	for _, s := range submissions {
		if s.AssessmentID != "" {
			return s.AssessmentID
		}
	}
	if len(assessments) > 0 {
		return assessments[0].ID
	}
	return ""
}

func (e *examination) readInvitations(ctx context.Context, assessment string) []hiring.Invitation {
	if assessment == "" {
		return nil
	}
	items, _ := readPages(ctx, e, pages{resource: "invitation", page: "PageParam", size: "PageSizeParam", most: 100,
		path: "/assessments/" + url.PathEscape(assessment) + "/invitations"},
		func(c *hiring.Client) hiring.Pager[hiring.Invitation] { return c.Invitations.List(assessment) })
	return items
}

// readLog reads the log that is likely to be the longest.
func (e *examination) readLog(ctx context.Context, submissions []hiring.Submission) {
	if len(submissions) == 0 {
		return
	}
	exchanges := func(s hiring.Submission) int {
		if s.Report == nil {
			return 0
		}
		return s.Report.Facts.AIExchangeCount
	}
	longest := slices.MaxFunc(submissions, func(a, b hiring.Submission) int { return cmp.Compare(exchanges(a), exchanges(b)) })
	events, l := readPages(ctx, e, pages{resource: "event", size: "EventPageSizeParam", most: 500, path: "/submissions/" + url.PathEscape(longest.ID) + "/events"},
		func(c *hiring.Client) hiring.Pager[hiring.Event] {
			return c.Events.List(longest.ID, hiring.EventFilter{})
		})
	e.checkPayloads(l, events, "prompt text", hiring.EventAIPrompt, func(event hiring.Event) bool {
		_, has := event.AIPrompt()
		return has
	})
	e.checkPayloads(l, events, "response members", hiring.EventAIResponse, func(event hiring.Event) bool {
		response, has := event.AIResponse()
		return has && response.Tokens != nil && response.Model != ""
	})
}

// checkPayloads checks that the client reads the payload of an event of a kind. A single
// payload that it does not read proves nothing, because payloads vary.
func (e *examination) checkPayloads(l listing, events []hiring.Event, row string, kind hiring.EventKind, reads func(hiring.Event) bool) {
	events = slices.DeleteFunc(slices.Clone(events), func(event hiring.Event) bool { return event.Kind != kind })
	switch {
	case slices.ContainsFunc(events, reads):
		e.set(row, ok("as assumed", l.first.label))
	case len(events) > 0:
		e.set(row, wrong("other members", l.first.label+": "+string(kind), "read Event.Payload"))
	default:
		e.set(row, undecided(l.first.label+": no "+string(kind)+" is in the part of a log that was read", "run it again when a candidate has used the AI"))
	}
}

// readSubmission reads one submission and its report.
func (e *examination) readSubmission(ctx context.Context, submissions []hiring.Submission) {
	i := slices.IndexFunc(submissions, func(s hiring.Submission) bool { return s.Status == hiring.SubmissionEvaluated })
	if len(submissions) == 0 {
		return
	}
	id := submissions[max(0, i)].ID
	_, one := get(ctx, e.prober, func(ctx context.Context) (hiring.Submission, error) { return e.client.Submissions.Get(ctx, id) })
	e.check("submission", hiring.Submission{}, one)
	_, report := get(ctx, e.prober, func(ctx context.Context) (hiring.Report, error) { return e.client.Submissions.Report(ctx, id) })
	e.check("report", hiring.Report{}, report)
}

func (e *examination) readMembers(ctx context.Context) {
	readPages(ctx, e, pages{resource: "member"},
		func(c *hiring.Client) hiring.Pager[hiring.Member] { return c.Members.List() })
}

// readUnknown reads a submission with a random id, which does not exist, to see the error
// envelope.
func (e *examination) readUnknown(ctx context.Context) {
	var b [16]byte
	_, _ = rand.Read(b[:]) // It never fails.
	b[6], b[8] = b[6]&0x0f|0x40, b[8]&0x3f|0x80
	id := fmt.Sprintf("%x-%x-%x-%x-%x", b[:4], b[4:6], b[6:8], b[8:10], b[10:])
	_, r := get(ctx, e.prober, func(ctx context.Context) (hiring.Submission, error) { return e.client.Submissions.Get(ctx, id) })
	const change = "commands and programs cannot tell that something is not found: report it to the API's support"
	switch {
	case errors.Is(r.err, hiring.ErrNotFound):
		e.set("error envelope", ok("NOT_FOUND", r.summary()))
	case r.label == "" || r.timedOut() || r.forbidden() || e.stopped != "":
		e.set("error envelope", undecided(r.summary(), "run it again when that is solved"))
	case r.ok():
		e.set("error envelope", wrong("a submission", r.summary()+", for an id that does not exist", change))
	default:
		e.set("error envelope", wrong("not NOT_FOUND", r.summary(), change))
	}
}

// futureTime is later than any time of a submission.
var futureTime = time.Date(2099, 11, 22, 13, 14, 15, 678e6, time.UTC)

// readSince finds the layout of since. With a time in the future, an API that understands
// the layout returns an empty list. It may also reject such a time, so the assumed or
// documented layout is tried with a time just after all listed ones, too.
func (e *examination) readSince(ctx context.Context, submissions []hiring.Submission) {
	probe := func(sinces ...time.Time) func(*hiring.Client) result {
		return func(c *hiring.Client) (last result) {
			for _, since := range sinces {
				items, r := e.filtered(ctx, c, hiring.SubmissionFilter{Since: since})
				switch {
				case r.blames("SinceLayout"):
					last = result{Wrong, r.summary()}
					continue
				case !r.ok():
					return result{Undecided, r.summary()}
				case slices.ContainsFunc(items, func(s hiring.Submission) bool { return s.CreatedAt.Before(since) }):
					return result{Wrong, r.label + ": since is ignored"}
				case len(submissions) == 0:
					return result{Undecided, r.label + ": there are no submissions to filter"}
				}
				return result{Holds, r.label + ": a later time returned an empty list"}
			}
			return last
		}
	}
	latest := time.Time{}
	for _, s := range submissions {
		for _, at := range []*time.Time{&s.CreatedAt, s.SubmittedAt, s.EvaluatedAt} {
			if at != nil && at.After(latest) {
				latest = *at
			}
		}
	}
	e.settle("SinceLayout", e.known("SinceLayout"), probe(futureTime, latest.Add(time.Second)))
	if e.disprovedAll("SinceLayout") {
		e.settle("SinceLayout", usualNames["SinceLayout"], probe(futureTime))
	}
}

// filtered reads the first page of the submissions that match a filter.
func (e *examination) filtered(ctx context.Context, c *hiring.Client, filter hiring.SubmissionFilter) ([]hiring.Submission, reply) {
	page, r := get(ctx, e.prober, c.Submissions.List(filter).Page)
	return page.Items, r
}

// readFiltered checks the filter by status. When every listed submission is evaluated, it
// filters by a status that none has.
func (e *examination) readFiltered(ctx context.Context, submissions []hiring.Submission) {
	const row = "status filter"
	status := hiring.SubmissionEvaluated
	if !slices.ContainsFunc(submissions, func(s hiring.Submission) bool { return s.Status != status }) {
		status = "hiring-doctor"
	}
	items, r := e.filtered(ctx, e.client, hiring.SubmissionFilter{Status: status})
	rejected := errors.Is(r.err, hiring.ErrInvalidInput)
	switch {
	case slices.ContainsFunc(items, func(s hiring.Submission) bool { return s.Status != status }):
		e.set(row, wrong("ignored", r.label+": other submissions are listed too", "check Submission.Status of each listed submission"))
	case rejected && status == hiring.SubmissionEvaluated:
		e.set(row, wrong("rejected", r.summary(), "check the document for the values of the filter"))
	case len(submissions) > 0 && (r.ok() || rejected):
		e.set(row, ok("as assumed", r.label+": no other submissions are listed"))
	case r.err != nil:
		e.set(row, undecided(r.summary(), "run it again when that is solved"))
	}
}
