package sandbox

import (
	"math"
	"net/http"
	"strings"
	"time"
)

func getAccount(c *call) reply { return c.data(http.StatusOK, c.world.account()) }

func listMembers(c *call) reply {
	all := c.world.members()
	return stretch(c, all, 0, all.len(), "")
}

func listChallenges(c *call) reply { return numbered(c, c.world.challenges()) }

func getChallenge(c *call) reply { return one(c, c.world.challenges()) }

func listAssessments(c *call) reply { return numbered(c, c.world.assessments()) }

func getAssessment(c *call) reply { return one(c, c.world.assessments()) }

func listInvitations(c *call) reply {
	a := c.world.posting(c.params[0])
	if a == nil {
		return c.notFound()
	}
	return numbered(c, c.world.invitations(a.id))
}

func one[R resource](c *call, in *collection[R]) reply {
	var none R
	found := in.find(c.params[0])
	if found == none {
		return c.notFound()
	}
	return c.data(http.StatusOK, found.body())
}

func getSubmission(c *call) reply {
	found := c.world.submissions().find(c.params[0])
	if found == nil {
		return c.notFound()
	}
	r := c.data(http.StatusOK, c.world.appendSubmission(nil, found, c))
	c.world.polled(found)
	return r
}

func getReport(c *call) reply {
	found := c.world.submissions().find(c.params[0])
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
	r := c.data(http.StatusOK, c.world.appendReport(nil, found))
	c.world.polled(found)
	return r
}

func listEvents(c *call) reply {
	found := c.world.submissions().find(c.params[0])
	if found == nil {
		return c.notFound()
	}
	var p problems
	since := c.number(&p, "since_seq", 0, 0, math.MaxInt64)
	size := c.number(&p, c.s.dialect.EventPageSizeParam, defaultEventPage, 1, maxEventPage)
	if p.any() {
		return c.invalid(p)
	}
	return sequenced(c, c.world.events(found.id), since, size)
}

func listSubmissions(c *call) reply {
	var p problems
	size := c.number(&p, c.s.dialect.PageSizeParam, defaultPage, 1, maxPage)
	var from *position
	if name := c.s.dialect.CursorParam; c.query.Has(name) {
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
	r := cursored(c, c.world.submissions(), size, from, filter)
	if from == nil && filter.status == "evaluated" {
		c.world.polledAll(filter.assessmentID)
	}
	return r
}

// submissionFilter is what a listing asks for. A status that nothing has is no
// mistake: the list of values is open, and the answer is an empty list.
type submissionFilter struct {
	byAssessment, byStatus, bySince bool
	assessmentID, status            string
	since                           int64 // in milliseconds since 1970
	on                              SinceField
}

func (c *call) submissionFilter(p *problems) submissionFilter {
	f := submissionFilter{
		byAssessment: c.query.Has("assessment_id"), assessmentID: canonical(c.query.Get("assessment_id")),
		byStatus: c.query.Has("status"), status: c.query.Get("status"),
		bySince: c.query.Has("since"), on: c.s.sinceOn,
	}
	if f.byAssessment && !isUUID(f.assessmentID) {
		p.add("assessment_id", "Expected a UUID.")
	}
	if f.bySince {
		since, ok := c.parseSince(c.query.Get("since"))
		if !ok {
			p.add("since", "Expected a timestamp.")
		}
		if f.since = since.UnixMilli(); time.UnixMilli(f.since).Before(since) {
			f.since++ // records have whole milliseconds: the next one is the first not before
		}
	}
	return f
}

// ends tells that nothing older passes either.
func (f *submissionFilter) ends(m *mark) bool {
	return f.bySince && f.on == SinceCreated && m.created < f.since
}

func (f *submissionFilter) passes(m *mark) bool {
	if f.bySince {
		at := m.created
		switch f.on {
		case SinceSubmitted:
			at = m.submitted
		case SinceEvaluated:
			at = m.evaluated
		case SinceCreated:
		}
		if at < f.since || at == notYet {
			return false
		}
	}
	return (!f.byStatus || m.status == f.status) && (!f.byAssessment || m.assessmentID == f.assessmentID)
}

// parseSince takes the dialect's layout, and any RFC 3339 time while that is
// the default: users of other languages will not write the default's.
func (c *call) parseSince(text string) (time.Time, bool) {
	at, err := time.Parse(c.s.dialect.SinceLayout, text)
	if err != nil && c.s.lenientSince {
		at, err = time.Parse(time.RFC3339, text)
	}
	return at, err == nil
}

// canonical gives an id as records have it: UUIDs are the same in capitals.
func canonical(id string) string { return strings.ToLower(id) }

// isUUID tells whether text has the form of a UUID, of any version.
func isUUID(text string) bool {
	if len(text) != 36 {
		return false
	}
	for i, r := range text {
		switch {
		case i == 8 || i == 13 || i == 18 || i == 23:
			if r != '-' {
				return false
			}
		case !strings.ContainsRune("0123456789abcdefABCDEF", r):
			return false
		}
	}
	return true
}
