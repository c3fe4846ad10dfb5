package sandbox

import (
	"math"
	"net/http"
	"time"

	"github.com/hiring-assessment/hiring-go/sandbox/internal/world"
)

func getAccount(c *call) reply { return c.data(http.StatusOK, body(c.world.Account(), accountOnWire)) }

func listMembers(c *call) reply {
	all := c.world.Members()
	return stretch(c, all, memberOnWire, 0, all.Len(), "")
}

func listChallenges(c *call) reply { return numbered(c, c.world.Challenges(), challengeOnWire) }

func getChallenge(c *call) reply { return one(c, c.world.Challenges(), challengeOnWire) }

func listAssessments(c *call) reply { return numbered(c, c.world.Assessments(), assessmentOnWire) }

func getAssessment(c *call) reply { return one(c, c.world.Assessments(), assessmentOnWire) }

func listInvitations(c *call) reply {
	a := c.world.Posting(c.params[0])
	if a == nil {
		return c.notFound()
	}
	return numbered(c, c.world.Invitations(a.ID), invitationOnWire)
}

func one[T any](c *call, in *world.Collection[*world.Record[T]], wire func(T) any) reply {
	found := in.Find(c.params[0])
	if found == nil {
		return c.notFound()
	}
	return c.data(http.StatusOK, body(found, wire))
}

func getSubmission(c *call) reply {
	found := c.world.Submissions().Find(c.params[0])
	if found == nil {
		return c.notFound()
	}
	r := c.data(http.StatusOK, c.appendSubmission(nil, found))
	c.world.Polled(found)
	return r
}

func getReport(c *call) reply {
	found := c.world.Submissions().Find(c.params[0])
	if found == nil {
		return c.notFound()
	}
	var p problems
	if c.query.Has("format") {
		switch c.query.Get("format") {
		case "json":
		case "pdf":
			p.add("format", "PDF reports are not implemented.")
		default:
			p.add("format", "Expected json or pdf.")
		}
	}
	if p.any() {
		return c.invalid(p)
	}
	r := c.data(http.StatusOK, appendReport(nil, found))
	c.world.Polled(found)
	return r
}

func listEvents(c *call) reply {
	found := c.world.Submissions().Find(c.params[0])
	if found == nil {
		return c.notFound()
	}
	var p problems
	since := c.number(&p, "since_seq", 0, 0, math.MaxInt64)
	size := c.number(&p, c.settings.dialect.EventPageSizeParam, defaultEventPage, 1, maxEventPage)
	if p.any() {
		return c.invalid(p)
	}
	return sequenced(c, found.Events(), since, size)
}

func listSubmissions(c *call) reply {
	var p problems
	size := c.number(&p, c.settings.dialect.PageSizeParam, defaultPage, 1, maxPage)
	var from *world.Position
	if name := c.settings.dialect.CursorParam; c.query.Has(name) {
		at, ok := parseCursor(c.query.Get(name))
		if !ok {
			p.add(name, "The cursor is not valid.")
		}
		from = &at
	}
	filter := c.submissionFilter(&p)
	if p.any() {
		return c.invalid(p)
	}
	if most := c.settings.pageCap; most > 0 {
		size = min(size, int64(most))
	}
	page, next := c.world.Submissions().Page(from, int(size), filter)
	r := cursored(c, page, next)
	if from == nil && filter.Status == "evaluated" {
		c.world.PolledAll(filter.AssessmentID)
	}
	return r
}

// submissionFilter reads what a listing of submissions asks for.
func (c *call) submissionFilter(p *problems) world.Filter {
	f := world.Filter{
		ByAssessment: c.query.Has("assessment_id"), AssessmentID: canonical(c.query.Get("assessment_id")),
		ByStatus: c.query.Has("status"), Status: c.query.Get("status"),
		BySince: c.query.Has("since"), On: world.Milestone(c.settings.sinceOn),
		Newest: world.Milestone(c.settings.newest),
	}
	if lag := c.settings.listingLag; lag > 0 {
		f.Behind, f.Known = true, world.MomentOf(c.at.Add(-lag))
	}
	if f.ByAssessment && !isUUID(f.AssessmentID) {
		p.add("assessment_id", "Expected a UUID.")
	}
	if f.BySince {
		since, ok := c.parseSince(c.query.Get("since"))
		if !ok {
			p.add("since", "Expected a timestamp.")
		}
		if f.Since = world.MomentOf(since); f.Since.Time().Before(since) {
			f.Since++ // records have whole milliseconds: the next one is the first not before
		}
	}
	return f
}

// parseSince takes the dialect's layout, and any RFC 3339 time while that is
// the default: users of other languages will not write the default's.
func (c *call) parseSince(text string) (time.Time, bool) {
	at, err := time.Parse(c.settings.dialect.SinceLayout, text)
	if err != nil && c.settings.lenientSince {
		at, err = time.Parse(time.RFC3339, text)
	}
	return at, err == nil
}
