package doctor

import (
	"cmp"
	"reflect"
	"regexp"
	"slices"
	"strings"

	hiring "github.com/hiring-assessment/hiring-go"
)

// Documented routes that need names of the Dialect.
const (
	listInvitations = "GET /assessments/{id}/invitations"
	sendInvitation  = "POST /assessments/{id}/invitations"
	listSubmissions = "GET /submissions"
	listEvents      = "GET /submissions/{id}/events"
	makeAssessment  = "POST /assessments"
)

// documented returns what the document says about a field of Dialect, or "" when it says
// nothing clear. When the document has the assumed name, that name is returned.
func (d *document) documented(field, assumed string) string {
	switch {
	case d == nil:
		return ""
	case d.has(field, assumed):
		return assumed
	case routePatterns[field].methods != nil:
		return d.documentedRoute(field)
	}
	return documentedNames[field](d)
}

// has reports whether the document has the assumed name where it belongs.
func (d *document) has(field, assumed string) bool {
	_, isRoute := routePatterns[field]
	place := map[string]string{"CursorParam": listSubmissions, "EventPageSizeParam": listEvents, "SinceLayout": listSubmissions}[field]
	list := d.find(cmp.Or(place, listInvitations))
	switch since := list.parameter("since"); {
	case isRoute:
		return d.find(assumed).known()
	case field == "SinceLayout":
		return since.example != "" && matchesLayout(assumed, since.example)
	case strings.HasPrefix(field, "Invitation"):
		return slices.Contains(d.find(sendInvitation).body.names(), assumed)
	}
	return slices.Contains(list.query(), assumed)
}

var documentedNames = map[string]func(*document) string{
	"PageParam": func(d *document) string {
		return d.bestMatch(listInvitations, scorePage, d.bestMatch(listInvitations, scorePageSize))
	},
	"PageSizeParam":      func(d *document) string { return d.bestMatch(listInvitations, scorePageSize) },
	"EventPageSizeParam": func(d *document) string { return d.bestMatch(listEvents, scorePageSize, "since_seq") },
	"CursorParam": func(d *document) string {
		return d.bestMatch(listSubmissions, scoreCursor, "assessment_id", "status", "since", d.bestMatch(listSubmissions, scorePageSize))
	},
	"SinceLayout":     func(d *document) string { return layoutOf(d.find(listSubmissions).parameter("since").example) },
	"InvitationEmail": func(d *document) string { email, _ := d.invitation(); return email },
	"InvitationName":  func(d *document) string { _, name := d.invitation(); return name },
}

// scoreFunc returns how well a parameter matches; 0 means not at all.
type scoreFunc func(parameter) int

func scorer(name, words string, other scoreFunc) scoreFunc {
	nameLike, wordsLike := regexp.MustCompile(name), regexp.MustCompile(words)
	return func(p parameter) int {
		points := other(p)
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
	scorePageSize = scorer(`size|limit|per_?page|count|take|max`,
		`how many|page size|per page|items a page|number of (items|entries|results)`, func(p parameter) int {
			if p.schema.node["maximum"] != nil {
				return 2
			}
			return 0
		})
	scorePage   = scorer(`^p$|^page|page$|number|index`, `number of the page|page number|which page`, noMore)
	scoreCursor = scorer(`cursor|after|token|next|marker|continu`, `cursor|page before|next page|token`, noMore)
)

func noMore(parameter) int { return 0 }

// bestMatch returns the query parameter with the highest score, or "".
func (d *document) bestMatch(route string, score scoreFunc, exclude ...string) string {
	best, most := "", 0
	for _, p := range d.find(route).parameters {
		if points := score(p); p.in == "query" && points > most && !slices.Contains(exclude, p.name) {
			best, most = p.name, points
		}
	}
	return best
}

// invitation returns the document's names for the address and the name of a candidate.
func (d *document) invitation() (email, name string) {
	body := d.find(sendInvitation).body
	members := body.properties()
	for _, property := range body.names() {
		s := members[property]
		isEmail := strings.Contains(strings.ToLower(property), "mail") || strings.Contains(s.text("format"), "email")
		switch isName := strings.Contains(strings.ToLower(property), "name"); {
		case isEmail && email == "":
			email = property
		case !isEmail && (name == "" || isName && !strings.Contains(strings.ToLower(name), "name")) &&
			(isName || slices.Contains(body.required(), property)):
			name = property
		}
	}
	return email, name
}

// routePattern describes the operation of an assumed route.
type routePattern struct {
	methods   []string
	ids       int
	words     *regexp.Regexp // Found in its path, operationId or summary.
	data      reflect.Type   // Of the response; nil when any is accepted.
	list      bool
	bodyField string // A field of the request body.
}

var (
	reading = []string{"GET"}
	writing = []string{"POST", "PATCH", "PUT", "DELETE"}
)

var routePatterns = map[string]routePattern{
	"ListChallenges": {methods: reading, words: regexp.MustCompile(`challenges|library`),
		data: reflect.TypeFor[hiring.Challenge](), list: true},
	"ListAssessments": {methods: reading, words: regexp.MustCompile(`assessments|postings|jobs`),
		data: reflect.TypeFor[hiring.Assessment](), list: true},
	"GetAssessment": {methods: reading, ids: 1, words: regexp.MustCompile(`assessment|posting|job`),
		data: reflect.TypeFor[hiring.Assessment]()},
	"UpdateAssessment": {methods: []string{"PATCH", "PUT", "POST"}, ids: 1,
		words: regexp.MustCompile(`update|change|edit|close|patch`), data: reflect.TypeFor[hiring.Assessment](), bodyField: "status"},
	"ResendInvitation": {methods: []string{"POST", "PUT", "PATCH"}, ids: 2,
		words: regexp.MustCompile(`resend|re-send|remind|again`), data: reflect.TypeFor[hiring.Invitation]()},
	"RevokeInvitation": {methods: writing, ids: 2, words: regexp.MustCompile(`revoke|cancel|withdraw|retract|take.* back|delete`)},
}

// documentedRoute returns the route of the operation with the highest score, or "" when no
// operation matches or the client cannot use its route.
func (d *document) documentedRoute(field string) string {
	w, best, most := routePatterns[field], &operation{}, 1
	for _, o := range d.operations {
		if points := w.score(o); points > most {
			best, most = o, points
		}
	}
	if most == 1 {
		return ""
	}
	dialect := hiring.DefaultDialect()
	value := reflect.ValueOf(&dialect).Elem().FieldByName(field)
	route := withPlaceholders(best.route(), value.String())
	value.SetString(route)
	if _, err := dialect.WithDefaults(); err != nil {
		return "" // The client would reject it.
	}
	return route
}

// score returns how well an operation matches. A score of 1 is not enough.
func (w routePattern) score(o *operation) int {
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
	if w.data != nil && o.reply.known() {
		if o.reply.isArray() != w.list || similarity(o.reply.resource(), w.data) <= similar {
			return 0
		}
		points += 3
	}
	if w.bodyField != "" && o.body.known() {
		if !o.body.property(w.bodyField).known() {
			return 0
		}
		points++
	}
	return points
}

// similar is the similarity above which a schema describes a resource of the client.
const similar = 0.6

// similarity returns the share of the fields of either that both have, from 0 to 1.
func similarity(s schema, t reflect.Type) float64 {
	members := s.properties()
	both, all := fieldsIn(members, t)
	return float64(both) / float64(max(1, all+len(members)-both))
}

// withPlaceholders replaces the names of a route's placeholders by those of the default
// route. It returns "" when the numbers of placeholders differ.
func withPlaceholders(route, def string) string {
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
