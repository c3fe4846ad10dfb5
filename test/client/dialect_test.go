package client_test

import (
	"context"
	"net/url"
	"reflect"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hiring-assessment/hiring-go"
	"github.com/hiring-assessment/hiring-go/internal/testing/apitest"
	"github.com/hiring-assessment/hiring-go/sandbox"
)

// another is a different name that the API may have for a thing, and what makes a
// client that assumes the default notice.
type another struct {
	dialect hiring.Dialect
	use     func(context.Context, *hiring.Client) (int, error) // The number of items or 1, and the error.
	// Either the call fails, with this code,
	fails bool
	code  hiring.ErrorCode
	// or it succeeds and warns.
}

func one[T any](_ T, err error) (int, error) { return 1, err }

func many[T any](items []T, err error) (int, error) { return len(items), err }

// otherDialects has an entry for every field.
var otherDialects = map[string]another{
	"PageParam": {
		dialect: hiring.Dialect{PageParam: "p"}, fails: true,
		use: func(ctx context.Context, c *hiring.Client) (int, error) {
			return many(c.Invitations.List(sandbox.AssessmentID).Collect(ctx))
		},
	},
	"PageSizeParam": {
		dialect: hiring.Dialect{PageSizeParam: "limit"},
		use: func(ctx context.Context, c *hiring.Client) (int, error) {
			return many(c.Invitations.List(sandbox.AssessmentID).Collect(ctx))
		},
	},
	"CursorParam": {
		dialect: hiring.Dialect{CursorParam: "after"}, fails: true,
		use: func(ctx context.Context, c *hiring.Client) (int, error) {
			return many(c.Submissions.List(hiring.SubmissionFilter{}).Collect(ctx))
		},
	},
	"EventPageSizeParam": {
		dialect: hiring.Dialect{EventPageSizeParam: "limit"},
		use: func(ctx context.Context, c *hiring.Client) (int, error) {
			return many(c.Events.List(sandbox.BusySubmissionID, hiring.EventFilter{}).Collect(ctx))
		},
	},
	"SinceLayout": {
		dialect: hiring.Dialect{SinceLayout: "02.01.2006 15:04"}, fails: true, code: hiring.ErrInvalidInput,
		use: func(ctx context.Context, c *hiring.Client) (int, error) {
			since := time.Date(2026, 2, 10, 0, 0, 0, 0, time.FixedZone("", 3600))
			return many(c.Submissions.List(hiring.SubmissionFilter{Since: since}).Collect(ctx))
		},
	},
	"ListChallenges": {
		dialect: hiring.Dialect{ListChallenges: "GET /library/challenges"}, fails: true, code: hiring.ErrNotFound,
		use: func(ctx context.Context, c *hiring.Client) (int, error) {
			return many(c.Challenges.List().Collect(ctx))
		},
	},
	"ListAssessments": {
		dialect: hiring.Dialect{ListAssessments: "GET /postings"}, fails: true, code: hiring.ErrNotFound, // A 405 shows that POST exists.
		use: func(ctx context.Context, c *hiring.Client) (int, error) {
			return many(c.Assessments.List().Collect(ctx))
		},
	},
	"GetAssessment": {
		dialect: hiring.Dialect{GetAssessment: "GET /postings/{id}"}, fails: true, code: hiring.ErrNotFound,
		use: func(ctx context.Context, c *hiring.Client) (int, error) {
			return one(c.Assessments.Get(ctx, sandbox.AssessmentID))
		},
	},
	"UpdateAssessment": {
		dialect: hiring.Dialect{UpdateAssessment: "POST /assessments/{id}/settings"}, fails: true, code: hiring.ErrNotFound,
		use: func(ctx context.Context, c *hiring.Client) (int, error) {
			return one(c.Assessments.Close(ctx, sandbox.AssessmentID))
		},
	},
	"ResendInvitation": {
		dialect: hiring.Dialect{ResendInvitation: "PUT /assessments/{id}/invitations/{invitation_id}/mail"}, fails: true, code: hiring.ErrNotFound,
		use: func(ctx context.Context, c *hiring.Client) (int, error) {
			return one(c.Invitations.Resend(ctx, sandbox.AssessmentID, apitest.SampleInvitationID))
		},
	},
	"RevokeInvitation": {
		dialect: hiring.Dialect{RevokeInvitation: "DELETE /assessments/{id}/invitations/{invitation_id}"}, fails: true, code: hiring.ErrNotFound,
		use: func(ctx context.Context, c *hiring.Client) (int, error) {
			return 1, c.Invitations.Revoke(ctx, sandbox.AssessmentID, apitest.SampleInvitationID)
		},
	},
	"InvitationEmail": {
		dialect: hiring.Dialect{InvitationEmail: "email"}, fails: true, code: hiring.ErrInvalidInput,
		use: sendInvitation,
	},
	"InvitationName": {
		dialect: hiring.Dialect{InvitationName: "full_name"}, fails: true, code: hiring.ErrInvalidInput,
		use: sendInvitation,
	},
}

func sendInvitation(ctx context.Context, c *hiring.Client) (int, error) {
	return one(c.Invitations.Send(ctx, sandbox.AssessmentID, hiring.NewInvitation{Email: "ada@example.test", Name: "Ada"}))
}

// onlyField reports whether a dialect sets that field and no other.
func onlyField(d hiring.Dialect, name string) bool {
	v := reflect.ValueOf(d)
	for i := range v.NumField() {
		if (v.Field(i).String() != "") != (v.Type().Field(i).Name == name) {
			return false
		}
	}
	return true
}

func TestWrongDialectIsReported(t *testing.T) {
	require.Len(t, otherDialects, len(apitest.DialectFields()))
	for _, field := range apitest.DialectFields() {
		t.Run(field, func(t *testing.T) {
			c, ok := otherDialects[field]
			require.True(t, ok, "the field is not covered")
			require.True(t, onlyField(c.dialect, field))
			want, err := c.use(t.Context(), sandbox.Start(t).Client())
			require.NoError(t, err)
			require.Positive(t, want)

			server := sandbox.Start(t, sandbox.WithDialect(c.dialect))
			var heard apitest.WarningRecorder
			got, err := c.use(t.Context(), server.Client(heard.Options()...))
			if c.fails {
				require.ErrorContains(t, err, "Dialect."+field)
				var failure *hiring.Error
				require.ErrorAs(t, err, &failure)
				assert.Equal(t, c.code, failure.Code)
				assert.NotZero(t, failure.Status)
				assert.Empty(t, heard.Warnings)
			} else {
				require.NoError(t, err)
				assert.Equal(t, want, got)
				require.Len(t, heard.Warnings, 1)
				assert.Contains(t, heard.Warnings[0], "Dialect."+field+" may be wrong")
				assert.Equal(t, 1, strings.Count(heard.Lines.String(), "\n"), heard.Lines.String())
				assert.Contains(t, heard.Lines.String(), "level=WARN")
				assert.Contains(t, heard.Lines.String(), "Dialect."+field)
			}

			var quiet apitest.WarningRecorder
			got, err = c.use(t.Context(), server.Client(append(quiet.Options(), hiring.WithDialect(c.dialect))...))
			require.NoError(t, err)
			assert.Equal(t, want, got)
			assert.Empty(t, quiet.Warnings)
			assert.Empty(t, quiet.Lines.String())
		})
	}
}

// An unknown id looks like a wrong route: the error names both, and the code remains.
func TestDialectHintKeepsTheCode(t *testing.T) {
	client := sandbox.Start(t).Client()
	_, err := client.Assessments.Get(t.Context(), sandbox.UnknownID)
	require.ErrorIs(t, err, hiring.ErrNotFound)
	assert.Contains(t, err.Error(), "correct Dialect.GetAssessment")
	_, err = client.Challenges.Get(t.Context(), sandbox.UnknownID)
	require.ErrorIs(t, err, hiring.ErrNotFound)
	assert.NotContains(t, err.Error(), "Dialect") // That route is documented.
	_, err = client.Invitations.Send(t.Context(), sandbox.AssessmentID, hiring.NewInvitation{Email: "nobody", Name: "Ada"})
	require.ErrorIs(t, err, hiring.ErrInvalidInput)
	require.ErrorContains(t, err, "(candidate_email: Expected an email address)")
	assert.True(t, strings.HasSuffix(err.Error(), "correct Dialect.InvitationEmail"), "%v", err)
	_, err = client.Submissions.FindByEmail(t.Context(), "nope", "ada@example.com")
	require.ErrorIs(t, err, hiring.ErrInvalidInput)
	assert.NotContains(t, err.Error(), "Dialect", "assessment_id was sent, and is no assumed name")
	_, err = client.Invitations.List("nope").Page(t.Context())
	require.ErrorIs(t, err, hiring.ErrNotFound)
	assert.NotContains(t, err.Error(), "Dialect", "a documented route")
}

func TestDialectZeroFieldsAreDefaults(t *testing.T) {
	d, err := hiring.Dialect{}.WithDefaults()
	require.NoError(t, err)
	assert.Equal(t, hiring.DefaultDialect(), d)
	d, err = hiring.Dialect{PageParam: "p"}.WithDefaults()
	require.NoError(t, err)
	want := hiring.DefaultDialect()
	want.PageParam = "p"
	assert.Equal(t, want, d)
	v := reflect.ValueOf(hiring.DefaultDialect())
	for i := range v.NumField() {
		assert.NotEmpty(t, v.Field(i).String(), v.Type().Field(i).Name)
	}
}

func withField(field, value string) hiring.Dialect {
	var d hiring.Dialect
	reflect.ValueOf(&d).Elem().FieldByName(field).SetString(value)
	return d
}

func TestInvalidDialectIsRejected(t *testing.T) {
	refuse := func(field, value string) {
		t.Helper()
		_, err := hiring.New("https://hiring.test", "sk_test_x", hiring.WithDialect(withField(field, value)))
		require.ErrorContains(t, err, "Dialect."+field+":", "%s %q", field, value)
	}
	for _, field := range apitest.DialectFields() {
		for _, value := range []string{"a\nb", "a\x00b", "a\x7fb", "a\u0085b", "a\xffb", " ", " a", "a "} {
			refuse(field, value)
		}
		if def := reflect.ValueOf(hiring.DefaultDialect()).FieldByName(field).String(); strings.Contains(def, " /") {
			method, path, _ := strings.Cut(def, " ")
			for _, value := range []string{
				path, method, method + " ", method + "  " + path, method + path, "get " + path, "TRACE " + path, "CONNECT " + path, method + " https://elsewhere.test" + path,
				method + " " + path[1:], method + " " + path + "?a=b", method + " " + path + "#x", method + " /%2e" + path, method + " " + path + "/", method + " /" + path,
				method + " /.." + path, method + " /." + path, method + " " + path + "/{more}", method + " " + path + "/{}", method + " /{x" + path, method + " /x}" + path, method + " /a{b}c" + path,
				method + " /nowhere/{other}", method + " /a b" + path,
			} {
				refuse(field, value)
			}
		}
	}
	refuse("ListAssessments", "DELETE /assessments")
	refuse("RevokeInvitation", "GET /assessments/{id}/invitations/{invitation_id}/revoke")
	refuse("GetAssessment", "GET /assessments")
	refuse("GetAssessment", "GET /assessments/{identity}")
	for _, layout := range []string{"yyyy-MM-dd", "x", "15:04:05", "2006", "2006-01", "01-02", "002", "%Y-%m-%dT%H:%M:%SZ"} {
		refuse("SinceLayout", layout)
	}
}

func TestProblemsOfARouteAreNamed(t *testing.T) {
	for route, problem := range map[string]string{
		"POST":                                "must be a method and a path",
		"post /{id}/{invitation_id}":          "must begin with GET",
		"GET /{id}/{invitation_id}":           "must be GET",
		"POST /{id}/{invitation_id}?x=1":      "must be a plain path without a query",
		"POST /{invitation_id}/{id}":          "must have the placeholders [{id} {invitation_id}]",
		"POST /a//{id}/{invitation_id}":       "must have no empty",
		"POST /a/{id}/{invitation_id}/x{":     "only around a placeholder",
		"POST /a/{id}/{invitation_id}/{x":     "only around a placeholder",
		"POST /invitations/{invitation_id}/x": "must have the placeholders",
	} {
		_, err := hiring.New("https://hiring.test", "sk_test_x", hiring.WithDialect(hiring.Dialect{ResendInvitation: route}))
		require.ErrorContains(t, err, problem, route)
	}
}

func TestDialectLayoutsThatWork(t *testing.T) {
	for _, layout := range []string{time.RFC3339, time.RFC3339Nano, time.DateOnly, time.DateTime, time.RFC1123, "02.01.2006", "20060102150405"} {
		_, err := hiring.New("https://hiring.test", "sk_test_x", hiring.WithDialect(hiring.Dialect{SinceLayout: layout}))
		require.NoError(t, err, layout)
	}
}

// With rejects the same dialects as New, and a variant's dialect does not change the
// client's.
func TestDialectOfAVariant(t *testing.T) {
	server := sandbox.Start(t, sandbox.WithDialect(hiring.Dialect{ListChallenges: "GET /library"}))
	client := server.Client()
	_, err := client.With(hiring.WithDialect(hiring.Dialect{ListChallenges: "library"}))
	require.ErrorContains(t, err, "Dialect.ListChallenges")
	variant, err := client.With(hiring.WithDialect(hiring.Dialect{ListChallenges: "GET /library"}))
	require.NoError(t, err)
	_, err = variant.Challenges.List().Collect(t.Context())
	require.NoError(t, err)
	_, err = client.Challenges.List().Collect(t.Context())
	require.ErrorIs(t, err, hiring.ErrNotFound)
}

// The times of a query are in UTC, with milliseconds.
func TestDialectSinceIsSentInUTC(t *testing.T) {
	s := newListServer("cursor", 1)
	since := time.Date(2026, 2, 10, 0, 30, 0, 7_900_000, time.FixedZone("", 3600))
	_, err := s.Client(t).Submissions.List(hiring.SubmissionFilter{Since: since}).Collect(t.Context())
	require.NoError(t, err)
	assert.Equal(t, "2026-02-09T23:30:00.007Z", s.Queries[0].Get("since"))
	_, err = s.Client(t, hiring.WithDialect(hiring.Dialect{SinceLayout: time.DateOnly})).
		Submissions.List(hiring.SubmissionFilter{Since: since}).Collect(t.Context())
	require.NoError(t, err)
	assert.Equal(t, "2026-02-09", s.Queries[1].Get("since"))
}

// A file has a dialect with the names of its fields in snake_case.
func TestDialectIsReadFromJSON(t *testing.T) {
	for codec, c := range apitest.Codecs {
		names := make(map[string]string)
		b, err := c.Marshal(hiring.DefaultDialect())
		require.NoError(t, err, "%s", codec)
		require.NoError(t, c.Unmarshal(b, &names), "%s", codec)
		assert.Len(t, names, reflect.TypeFor[hiring.Dialect]().NumField(), "%s", codec)
		assert.Equal(t, "page_size", names["event_page_size_param"], "%s", codec)
		assert.Equal(t, "PATCH /assessments/{id}", names["update_assessment"], "%s", codec)
		for name := range names {
			assert.Regexp(t, "^[a-z]+(_[a-z]+)+$", name, "%s", codec)
		}
		var d hiring.Dialect
		require.NoError(t, c.Unmarshal([]byte(`{"since_layout":"2006-01-02","invitation_email":"address"}`), &d), "%s", codec)
		assert.Equal(t, hiring.Dialect{SinceLayout: "2006-01-02", InvitationEmail: "address"}, d, "%s", codec)
	}
}

// TestSinceAsUnixTime uses a server that expects since in seconds or milliseconds.
func TestSinceAsUnixTime(t *testing.T) {
	t.Parallel()
	all, err := sandbox.Start(t).Client().Submissions.List(hiring.SubmissionFilter{}).Collect(t.Context())
	require.NoError(t, err)
	for layout, digits := range map[string]int{"unix": 10, "unixmilli": 13} {
		server := sandbox.Start(t, sandbox.WithDialect(hiring.Dialect{SinceLayout: layout}))
		since := all[20].CreatedAt
		listed, err := server.Client(hiring.WithDialect(hiring.Dialect{SinceLayout: layout})).Submissions.List(hiring.SubmissionFilter{Since: since}).Collect(t.Context())
		require.NoError(t, err, layout)
		assert.NotEmpty(t, listed)
		assert.Less(t, len(listed), len(all))
		sent, err := url.ParseQuery(server.Journal()[0].Query)
		require.NoError(t, err)
		assert.Len(t, sent.Get("since"), digits)
		assert.True(t, strings.HasPrefix(sent.Get("since"), strconv.FormatInt(since.Unix(), 10)))
		_, err = server.Client().Do(t.Context(), "GET", "/submissions", url.Values{"since": {"soon"}}, nil, nil)
		require.ErrorIs(t, err, hiring.ErrInvalidInput)
	}
}

// A 400, 404 or 405 ends with the Dialect fields that the request used.
func TestErrorsNameTheAssumedNames(t *testing.T) {
	send := func(c *hiring.Client) error {
		return apitest.ErrorOf(c.Invitations.Send(t.Context(), "a", hiring.NewInvitation{Email: "e", Name: "n"}))
	}
	since := func(c *hiring.Client) error {
		return apitest.ErrorOf(c.Submissions.List(hiring.SubmissionFilter{Since: time.Now()}).Page(t.Context()))
	}
	for _, c := range []struct {
		call   func(*hiring.Client) error
		status int
		hint   string
	}{
		{send, 400, "if an assumed name is wrong, correct Dialect.InvitationEmail or Dialect.InvitationName"},
		{send, 409, ""},
		{since, 400, "if an assumed name is wrong, correct Dialect.SinceLayout or Dialect.PageSizeParam"},
		{func(c *hiring.Client) error {
			return apitest.ErrorOf(c.Events.List("x", hiring.EventFilter{}).Page(t.Context()))
		}, 400,
			"if an assumed name is wrong, correct Dialect.EventPageSizeParam"},
		{func(c *hiring.Client) error { _, err := c.Invitations.Resend(t.Context(), "a", "i"); return err }, 405,
			"if an assumed name is wrong, correct Dialect.ResendInvitation"},
		{func(c *hiring.Client) error { return c.Invitations.Revoke(t.Context(), "a", "i") }, 404,
			"if an assumed name is wrong, correct Dialect.RevokeInvitation"},
		{func(c *hiring.Client) error { _, err := c.Challenges.List().Page(t.Context()); return err }, 404,
			"the path has no id: check the base URL, or correct Dialect.ListChallenges"},
		{func(c *hiring.Client) error { return c.Assessments.Delete(t.Context(), "a") }, 404, ""},
		{func(c *hiring.Client) error { _, err := c.Submissions.Report(t.Context(), "a"); return err }, 403, ""},
	} {
		err := c.call(apitest.NewScriptedServer(t, apitest.RespondError(c.status, "OTHER")).Client(apitest.NoRetry))
		failure := apitest.RequireError(t, c.hint, err)
		assert.Equal(t, c.hint, failure.Hint)
		assert.True(t, strings.HasSuffix(err.Error(), c.hint), "%v", err)
	}
}

// Two equal names for two values of one request would lose one of them.
func TestDialectWithDuplicateNamesIsRejected(t *testing.T) {
	for _, c := range []struct {
		field   string
		dialect hiring.Dialect
	}{
		{"PageParam", hiring.Dialect{PageParam: "page_size"}},
		{"PageParam", hiring.Dialect{PageParam: "n", PageSizeParam: "n"}},
		{"PageSizeParam", hiring.Dialect{PageSizeParam: "since"}},
		{"PageSizeParam", hiring.Dialect{PageSizeParam: "assessment_id"}},
		{"CursorParam", hiring.Dialect{CursorParam: "page_size"}},
		{"CursorParam", hiring.Dialect{CursorParam: "since"}},
		{"EventPageSizeParam", hiring.Dialect{EventPageSizeParam: "since_seq"}},
		{"InvitationName", hiring.Dialect{InvitationName: "candidate_email"}},
		{"InvitationName", hiring.Dialect{InvitationName: "who", InvitationEmail: "who"}},
	} {
		_, err := hiring.New("https://hiring.test", "sk_test_x", hiring.WithDialect(c.dialect))
		require.ErrorContains(t, err, "Dialect."+c.field+":")
	}
	// These are never sent together.
	_, err := hiring.New("https://hiring.test", "sk_test_x", hiring.WithDialect(hiring.Dialect{
		PageParam: "from", CursorParam: "from", PageSizeParam: "n", EventPageSizeParam: "n",
	}))
	require.NoError(t, err)
}

// TestADeleteOfADialectThatWasDone has no resource to return.
func TestADeleteOfADialectThatWasDone(t *testing.T) {
	fake := apitest.NewScriptedServer(t, apitest.RespondError(500, hiring.ErrInternal), apitest.RespondError(404, hiring.ErrNotFound))
	dialect := hiring.Dialect{ResendInvitation: "DELETE /assessments/{id}/invitations/{invitation_id}"}
	_, err := fake.Client(hiring.WithDialect(dialect)).Invitations.Resend(t.Context(), "a", "i")
	require.NoError(t, err)
}
