package hiring

import (
	"errors"
	"reflect"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/hiring-assessment/hiring-go/internal/paging"
	"github.com/hiring-assessment/hiring-go/internal/urls"
)

// Dialect contains the parameter names, routes and formats of the API that its
// documentation does not show. The defaults are assumptions. A wrong one causes an error
// or a warning that names the field to correct, wherever the client can detect it. Correct
// it with [WithDialect]. [Assumptions] lists all of them with the effect of each when it is
// wrong.
//
// A zero field means the default, which each field's comment gives. A route is a method
// and a path below /api/v1, with {placeholders} for ids. In JSON, for configuration files,
// the fields are in snake_case, as in "page_size_param".
//
// [Assumptions]: https://github.com/hiring-assessment/hiring-go/blob/main/docs/assumptions.md
type Dialect struct {
	PageParam          string `json:"page_param"`            // Query parameter of the page number: "page".
	PageSizeParam      string `json:"page_size_param"`       // Query parameter of the page size: "page_size".
	CursorParam        string `json:"cursor_param"`          // Query parameter of the cursor: "cursor".
	EventPageSizeParam string `json:"event_page_size_param"` // Query parameter of the event log's page size: "page_size".

	SinceLayout string `json:"since_layout"` // Layout of times in UTC: "2006-01-02T15:04:05.000Z". Or "unix", "unixmilli".

	ListChallenges   string `json:"list_challenges"`   // "GET /challenges"
	ListAssessments  string `json:"list_assessments"`  // "GET /assessments"
	GetAssessment    string `json:"get_assessment"`    // "GET /assessments/{id}"
	UpdateAssessment string `json:"update_assessment"` // "PATCH /assessments/{id}"
	ResendInvitation string `json:"resend_invitation"` // "POST /assessments/{id}/invitations/{invitation_id}/resend"
	RevokeInvitation string `json:"revoke_invitation"` // "POST /assessments/{id}/invitations/{invitation_id}/revoke"

	InvitationEmail string `json:"invitation_email"` // Body member of the candidate's address: "candidate_email".
	InvitationName  string `json:"invitation_name"`  // Body member of the candidate's name: "candidate_name".
}

const sinceLayout = "2006-01-02T15:04:05.000Z"

// DefaultDialect returns the dialect that the client assumes.
func DefaultDialect() Dialect {
	return Dialect{
		PageParam:          "page",
		PageSizeParam:      "page_size",
		CursorParam:        "cursor",
		EventPageSizeParam: "page_size",
		SinceLayout:        sinceLayout,
		ListChallenges:     "GET /challenges",
		ListAssessments:    "GET /assessments",
		GetAssessment:      "GET /assessments/{id}",
		UpdateAssessment:   "PATCH /assessments/{id}",
		ResendInvitation:   "POST /assessments/{id}/invitations/{invitation_id}/resend",
		RevokeInvitation:   "POST /assessments/{id}/invitations/{invitation_id}/revoke",
		InvitationEmail:    "candidate_email",
		InvitationName:     "candidate_name",
	}
}

// WithDefaults returns the dialect with its zero fields replaced by those of
// [DefaultDialect], or a [*ParamError] for each invalid field.
func (d Dialect) WithDefaults() (Dialect, error) {
	defaults := DefaultDialect()
	var problems error
	given, def := reflect.ValueOf(&d).Elem(), reflect.ValueOf(&defaults).Elem()
	for i := range given.NumField() {
		if given.Field(i).String() == "" {
			given.Field(i).Set(def.Field(i))
			continue
		}
		name, value := given.Type().Field(i).Name, given.Field(i).String()
		if err := checkDialectField(value, def.Field(i).String()); err != nil {
			problems = joinParams(problems, &ParamError{Param: "Dialect." + name, Problem: err.Error()})
		}
	}
	if d == defaults { // Saves time: each sandbox checks its dialect.
		return d, nil
	}
	if problems = joinParams(problems, d.clash()); problems != nil {
		return Dialect{}, problems
	}
	return d, nil
}

// documentedSegments has the segments of the routes that the documentation shows.
var documentedSegments = make(map[string]bool)

// registerRoute returns a route that the documentation shows, and records its segments, so that
// Do knows it.
func registerRoute(route string) string {
	for segment := range strings.SplitSeq(route, "/") {
		documentedSegments[segment] = true
	}
	return route
}

// knowsSegment reports whether a segment of a path is part of a known route.
func (d Dialect) knowsSegment(segment string) bool {
	for _, field := range reflect.ValueOf(d).Fields() {
		if _, path, isRoute := strings.Cut(field.String(), " /"); isRoute && slices.Contains(strings.Split(path, "/"), segment) {
			return true
		}
	}
	return documentedSegments[segment]
}

// checkDialectField checks a value by the form of its default: if the default is a route,
// the value must be a route with the same placeholders.
func checkDialectField(value, def string) error {
	switch {
	case !utf8.ValidString(value) || strings.ContainsFunc(value, unicode.IsControl):
		return errors.New("must be text without control characters")
	case strings.TrimSpace(value) != value:
		return errors.New("must not begin or end with white space")
	case def == sinceLayout:
		return checkLayout(value)
	}
	if strings.Contains(def, " /") {
		return urls.CheckRoute(value, def)
	}
	return nil
}

// clash returns the error of requests in which a name would occur twice, so that one of the two
// values would be lost.
func (d Dialect) clash() error {
	k := &core{dialect: d}
	submissions := (&SubmissionService{k}).List(filled[SubmissionFilter]()).list
	events := (&EventService{k}).List("-", filled[EventFilter]()).list
	invitations := (&InvitationService{k}).List("-").list
	return joinParams(
		submissions.pageRequest(paging.Position{Style: paging.ByCursor, Size: 1, Cursor: "-"}).err,
		events.pageRequest(paging.Position{Style: paging.BySeq, Size: 1, Seq: 1}).err,
		invitations.pageRequest(paging.Position{Style: paging.ByPage, Size: 1, Page: 2}).err,
		newInviteRequest(d, "-", filled[NewInvitation]()).err,
	)
}

// filled returns an input whose fields are all sent, because an optional one is not sent with a zero value.
func filled[T any]() (input T) {
	for _, field := range reflect.ValueOf(&input).Elem().Fields() {
		switch {
		case field.Kind() == reflect.String:
			field.SetString("-")
		case field.CanInt():
			field.SetInt(1)
		case field.Type() == reflect.TypeFor[time.Time]():
			field.Set(reflect.ValueOf(time.Unix(1, 0)))
		case field.Kind() != reflect.Map: // Extra, whose members are checked when they are sent.
			panic("hiring: filled does not know the type of a field: " + field.Type().String())
		}
	}
	return input
}

// checkLayout returns an error for a layout that does not contain the date, such as a
// layout of another language.
func checkLayout(layout string) error {
	if layout == urls.Unix || layout == urls.UnixMilli {
		return nil
	}
	day := time.Date(2031, 11, 22, 13, 14, 15, 0, time.UTC)
	read, err := time.Parse(layout, day.Format(layout))
	if err != nil || read.Year() != day.Year() || read.YearDay() != day.YearDay() {
		return errors.New("must be a layout of package time that holds the date, as in \"2006-01-02\", or unix or unixmilli")
	}
	return nil
}
