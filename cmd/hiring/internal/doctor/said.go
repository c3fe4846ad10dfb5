package doctor

import (
	"cmp"
	"reflect"
	"regexp"
	"slices"
	"strings"

	hiring "github.com/hiring-assessment/hiring-go"
)

// The documented routes that assumed names go to.
const (
	listInvitations = "GET /assessments/{id}/invitations"
	sendInvitation  = "POST /assessments/{id}/invitations"
	listSubmissions = "GET /submissions"
	listEvents      = "GET /submissions/{id}/events"
	makeAssessment  = "POST /assessments"
)

// said is what the document says of a field of Dialect; empty when it says
// nothing, or nothing clear. Where it has what is assumed, it says that.
func (d *document) said(field, assumed string) string {
	switch {
	case d == nil:
		return ""
	case d.has(field, assumed):
		return assumed
	case routesWanted[field].methods != nil:
		return d.saidRoute(field)
	}
	return sayings[field](d)
}

// has tells whether the document has what is assumed, in its place.
func (d *document) has(field, assumed string) bool {
	_, isRoute := routesWanted[field]
	place := map[string]string{"CursorParam": listSubmissions, "EventPageSizeParam": listEvents, "SinceLayout": listSubmissions}[field]
	list, _ := d.find(cmp.Or(place, listInvitations))
	send, _ := d.find(sendInvitation)
	switch since := list.parameter("since"); {
	case isRoute:
		_, ok := d.find(assumed)
		return ok
	case field == "SinceLayout":
		return since.example != "" && writes(assumed, since.example)
	case strings.HasPrefix(field, "Invitation"):
		_, ok := send.body.properties()[assumed]
		return ok
	}
	return slices.Contains(list.query(), assumed)
}

var sayings = map[string]func(*document) string{
	"PageParam": func(d *document) string {
		return d.likeliest(listInvitations, looksLikePage, d.likeliest(listInvitations, looksLikeSize))
	},
	"PageSizeParam":      func(d *document) string { return d.likeliest(listInvitations, looksLikeSize) },
	"EventPageSizeParam": func(d *document) string { return d.likeliest(listEvents, looksLikeSize, "since_seq") },
	"CursorParam": func(d *document) string {
		return d.likeliest(listSubmissions, looksLikeCursor, "assessment_id", "status", "since", d.likeliest(listSubmissions, looksLikeSize))
	},
	"SinceLayout": func(d *document) string {
		list, _ := d.find(listSubmissions)
		since := list.parameter("since")
		return layoutOf(since.example)
	},
	"InvitationEmail": func(d *document) string { email, _ := d.invitation(); return email },
	"InvitationName":  func(d *document) string { _, name := d.invitation(); return name },
}

// A look gives points for what a parameter looks like; none for something else.
type look func(parameter) int

func looksLike(name, words string, more look) look {
	nameLike, wordsLike := regexp.MustCompile(name), regexp.MustCompile(words)
	return func(p parameter) int {
		points := more(p)
		if nameLike.MatchString(strings.ToLower(p.name)) {
			points += 2
		}
		if wordsLike.MatchString(p.words) {
			points++
		}
		return points
	}
}

var (
	looksLikeSize = looksLike(`size|limit|per_?page|count|take|max`, `how many|page size|per page|items a page|number of (items|entries|results)`, func(p parameter) int {
		if p.schema.node["maximum"] != nil {
			return 2
		}
		return 0
	})
	looksLikePage   = looksLike(`^p$|^page|page$|number|index`, `number of the page|page number|which page`, noMore)
	looksLikeCursor = looksLike(`cursor|after|token|next|marker|continu`, `cursor|page before|next page|token`, noMore)
)

func noMore(parameter) int { return 0 }

// likeliest is the query parameter that looks most like what is sought.
func (d *document) likeliest(route string, looks look, but ...string) string {
	list, _ := d.find(route)
	best, most := "", 0
	for _, p := range list.parameters {
		if points := looks(p); p.in == "query" && points > most && !slices.Contains(but, p.name) {
			best, most = p.name, points
		}
	}
	return best
}

// invitation is what the document calls a candidate's address and name.
func (d *document) invitation() (email, name string) {
	send, _ := d.find(sendInvitation)
	members := send.body.properties()
	for _, member := range send.body.names() {
		s := members[member]
		isMail := strings.Contains(strings.ToLower(member), "mail") || strings.Contains(s.text("format"), "email")
		switch isName := strings.Contains(strings.ToLower(member), "name"); {
		case isMail && email == "":
			email = member
		case !isMail && (name == "" || isName && !strings.Contains(strings.ToLower(name), "name")) && (isName || slices.Contains(send.body.required(), member)):
			name = member
		}
	}
	return email, name
}

// wanted is what the operation of an assumed route looks like.
type wanted struct {
	methods []string
	ids     int
	words   *regexp.Regexp // In its path, its name or what it is said to do.
	data    reflect.Type   // Of the reply; nil: nothing to go by.
	list    bool
	member  string // Of the body.
}

var (
	reading = []string{"GET"}
	writing = []string{"POST", "PATCH", "PUT", "DELETE"}
)

var routesWanted = map[string]wanted{
	"ListChallenges":   {methods: reading, words: regexp.MustCompile(`challenges|library`), data: reflect.TypeFor[hiring.Challenge](), list: true},
	"ListAssessments":  {methods: reading, words: regexp.MustCompile(`assessments|postings|jobs`), data: reflect.TypeFor[hiring.Assessment](), list: true},
	"GetAssessment":    {methods: reading, ids: 1, words: regexp.MustCompile(`assessment|posting|job`), data: reflect.TypeFor[hiring.Assessment]()},
	"UpdateAssessment": {methods: []string{"PATCH", "PUT", "POST"}, ids: 1, words: regexp.MustCompile(`update|change|edit|close|patch`), data: reflect.TypeFor[hiring.Assessment](), member: "status"},
	"ResendInvitation": {methods: []string{"POST", "PUT", "PATCH"}, ids: 2, words: regexp.MustCompile(`resend|re-send|remind|again`), data: reflect.TypeFor[hiring.Invitation]()},
	"RevokeInvitation": {methods: writing, ids: 2, words: regexp.MustCompile(`revoke|cancel|withdraw|retract|take.* back|delete`)},
}

// saidRoute is the route of the operation that looks most like what is sought.
func (d *document) saidRoute(field string) string {
	w, best, most := routesWanted[field], operation{}, 1
	for _, o := range d.operations {
		if points := w.points(o); points > most {
			best, most = o, points
		}
	}
	if most == 1 {
		return ""
	}
	route := asDialect(best.route(), reflect.ValueOf(hiring.DefaultDialect()).FieldByName(field).String())
	if route == "" || strings.HasPrefix(route, "GET") != slices.Equal(w.methods, reading) {
		return ""
	}
	return route
}

// points tells how much an operation looks like what is wanted: one is no sign yet.
func (w wanted) points(o operation) int {
	if !slices.Contains(w.methods, o.method) || o.ids() != w.ids {
		return 0
	}
	points := 1
	if w.words.MatchString(strings.ToLower(o.path)) {
		points++
	}
	if w.words.MatchString(o.words) {
		points += 2
	}
	switch reply, isList := o.reply, slices.Contains(o.reply.types(), "array"); {
	case w.data == nil || !reply.known():
	case isList != w.list:
		return 0
	case w.list && likeness(reply.items(), w.data) > 0.6, !w.list && likeness(reply, w.data) > 0.6:
		points += 3
	default:
		return 0
	}
	if w.member != "" && o.body.known() {
		if !o.body.property(w.member).known() {
			return 0
		}
		points++
	}
	return points
}

// likeness is how many of the members that either has both have, from 0 to 1.
func likeness(s schema, t reflect.Type) float64 {
	members, both, all := s.properties(), 0, 0
	for _, m := range membersOf(t) {
		all++
		if _, ok := members[m.name]; ok {
			both++
		}
	}
	return float64(both) / float64(max(1, all+len(members)-both))
}

// asDialect gives the placeholders of a route the names that those of the default
// have; empty when it has others in number.
func asDialect(route, def string) string {
	names := placeholder.FindAllString(def, -1)
	if len(placeholder.FindAllString(route, -1)) != len(names) {
		return ""
	}
	return placeholder.ReplaceAllStringFunc(route, func(string) string {
		name := names[0]
		names = names[1:]
		return name
	})
}
