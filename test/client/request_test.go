package client_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hiring-assessment/hiring-go"
	"github.com/hiring-assessment/hiring-go/internal/testing/apitest"
)

// problemsIn returns the parts of a joined error.
func problemsIn(t *testing.T, err error) (params []string) {
	t.Helper()
	errs := []error{err}
	if several, ok := err.(interface{ Unwrap() []error }); ok {
		errs = several.Unwrap()
	}
	for _, err := range errs {
		var refused *hiring.ParamError
		require.ErrorAs(t, err, &refused)
		require.ErrorIs(t, err, hiring.ErrInvalidInput)
		params = append(params, refused.Param)
	}
	return params
}

func TestProblemsOfOneInputAreReportedTogether(t *testing.T) {
	const noID = `must be an id: it is empty, "." or ".."`
	const negative = "must not be negative (0 means the default)"
	ctx, fake := t.Context(), apitest.NewScriptedServer(t, apitest.RespondData(`{}`))
	client := fake.Client(hiring.WithDialect(hiring.Dialect{InvitationEmail: "email", PageSizeParam: "limit", EventPageSizeParam: "rows"}))
	for name, c := range map[string]struct {
		err    error
		params []string
		fields map[string][]string
		text   string
	}{
		"one thing": {
			apitest.ErrorOf(client.Invitations.Send(ctx, "a", hiring.NewInvitation{Name: "n"})),
			[]string{"Email"},
			map[string][]string{"email": {"must not be empty"}},
			"hiring: Email: must not be empty",
		},
		"Send": {
			apitest.ErrorOf(client.Invitations.Send(ctx, "", hiring.NewInvitation{Extra: map[string]any{"email": 1, "candidate_name": 2, "note": 3}})),
			[]string{"assessmentID", "Email", "Name", "Extra", "Extra"},
			map[string][]string{
				"id":    {noID},
				"email": {"must not be empty", "holds the member email, which the input itself sets: set it there only"},
				"candidate_name": {
					"must not be empty", "holds the member candidate_name, which the input itself sets: set it there only",
				},
			},
			"hiring: assessmentID: " + noID + "; Email: must not be empty; Name: must not be empty; " +
				"Extra: holds the member candidate_name, which the input itself sets: set it there only; " +
				"Extra: holds the member email, which the input itself sets: set it there only",
		},
		"Create": {
			apitest.ErrorOf(client.Assessments.Create(ctx, hiring.NewAssessment{TimeLimitMinutes: -1, BudgetDollarsCap: new(-1.0), Extra: map[string]any{"x": func() {}}})),
			[]string{"ChallengeID", "Name", "TimeLimitMinutes", "BudgetDollarsCap", "body"},
			map[string][]string{
				"challenge_id": {"must not be empty"}, "name": {"must not be empty"},
				"time_limit_minutes": {"must not be negative (0 leaves it out)"}, "budget_dollars_cap": {"must not be negative"},
				"body": {"cannot be written as JSON: /x has a value of the wrong type at byte 81"},
			}, "",
		},
		"Update": {
			apitest.ErrorOf(client.Assessments.Update(ctx, "..", hiring.AssessmentUpdate{})),
			[]string{"id", "AssessmentUpdate"},
			map[string][]string{"id": {noID}, "AssessmentUpdate": {"must set at least one field"}},
			"hiring: id: " + noID + "; AssessmentUpdate: must set at least one field",
		},
		"both ids": {
			client.Invitations.Revoke(ctx, "", "."),
			[]string{"assessmentID", "invitationID"},
			map[string][]string{"id": {noID}, "invitation_id": {noID}}, "",
		},
		"pager": {
			apitest.ErrorOf(client.Submissions.List(hiring.SubmissionFilter{}).PageSize(0).From("x").Page(ctx)),
			[]string{"PageSize", "From"},
			map[string][]string{
				"limit": {"must be from 1 to 100"},
				"From":  {"is not a resume token: pass a Page's Next unchanged"},
			}, "",
		},
		"log": {
			apitest.ErrorOf(client.Events.List("", hiring.EventFilter{SinceSeq: -1}).PageSize(501).Collect(ctx)),
			[]string{"submissionID", "SinceSeq", "PageSize"},
			map[string][]string{"id": {noID}, "since_seq": {"must not be negative (0 begins at the first entry)"}, "rows": {"must be from 1 to 500"}}, "",
		},
		"tail": {
			apitest.LastError(client.Events.Tail(ctx, "", hiring.TailOptions{SinceSeq: -1, MinInterval: -1})),
			[]string{"MinInterval", "submissionID", "SinceSeq"},
			map[string][]string{"MinInterval": {negative}, "id": {noID}, "since_seq": {"must not be negative (0 begins at the first entry)"}}, "",
		},
		"wait": {
			apitest.ErrorOf(client.Submissions.WaitReport(ctx, "", hiring.WaitOptions{MinInterval: time.Second, MaxInterval: time.Millisecond})),
			[]string{"MinInterval, MaxInterval", "id"},
			map[string][]string{"MinInterval, MaxInterval": {"the maximum must not be shorter than the minimum"}, "id": {noID}}, "",
		},
		"wait for many": {
			apitest.LastError(client.Submissions.WaitReports(ctx, []string{"a", "", "b", ".."}, hiring.WaitOptions{MinInterval: -1})),
			[]string{"MinInterval", "id"},
			map[string][]string{"MinInterval": {negative}, "id": {noID}}, "",
		},
		"watch": {
			apitest.LastError(client.Submissions.Watch(ctx, hiring.WatchOptions{Lookback: -1, MinInterval: -1, Since: time.Unix(math.MaxInt32<<10, 0)})),
			[]string{"MinInterval", "Lookback", "Since"}, nil, "",
		},
		"poll": {
			apitest.ErrorOf(client.Submissions.Poll(ctx, "", hiring.WatchOptions{Lookback: -1, MaxInterval: -1})),
			[]string{"MaxInterval", "Lookback"}, nil, "",
		},
		"Do": {
			apitest.ErrorOf(client.Do(ctx, "get", "/x?y", nil, func() {}, "no pointer")),
			[]string{"method", "path", "out", "body"}, nil, "",
		},
	} {
		require.Error(t, c.err, "%s", name)
		assert.Equal(t, c.params, problemsIn(t, c.err), "%s", name)
		if c.fields != nil {
			assert.Equal(t, c.fields, hiring.FieldErrors(c.err), "%s: FieldErrors", name)
			assert.Equal(t, c.fields, hiring.FieldErrors(fmt.Errorf("row 7: %w", c.err)), "%s: FieldErrors of a wrapped one", name)
		}
		if c.text != "" {
			require.EqualError(t, c.err, c.text, "%s", name)
		}
		assert.NotContains(t, c.err.Error(), "\n", "%s: one line", name)
	}
	assert.Empty(t, fake.Requests(), "nothing is sent")
}

func TestNewReportsAllProblems(t *testing.T) {
	_, err := hiring.New("http://user@h.test/api/v1?x", "Bearer "+apitest.Key,
		hiring.WithTimeout(-1), hiring.WithQuotaReserve(math.NaN()), hiring.WithRetry(hiring.RetryPolicy{MaxAttempts: -1, MaxWait: -1}),
		hiring.WithDialect(hiring.Dialect{PageParam: " ", ListChallenges: "x"}), hiring.WithMaxResponseBytes(-1), hiring.WithUserAgent("\n"))
	assert.Equal(t, []string{
		"baseURL", "baseURL", "baseURL", "baseURL", "apiKey", "Dialect.PageParam", "Dialect.ListChallenges",
		"RetryPolicy.MaxAttempts", "WithTimeout", "WithQuotaReserve", "WithMaxResponseBytes", "WithUserAgent",
	}, problemsIn(t, err))
	assert.NotContains(t, err.Error(), "51HxQ9")
	assert.NotContains(t, err.Error(), "user@")
	assert.Equal(t, []string{`begins with "Bearer ", which the client adds: pass only the key`}, hiring.FieldErrors(err)["apiKey"])
}

func TestFromEnvErrorsNameItsVariables(t *testing.T) {
	t.Setenv("HIRING_BASE_URL", "")
	t.Setenv("HIRING_API_KEY", "")
	_, err := hiring.FromEnv()
	require.EqualError(t, err, "hiring: HIRING_BASE_URL: is empty: set it to the API's address, which must be absolute, as in https://hiring.example.com; "+
		"HIRING_API_KEY: is empty: set an API key created in the dashboard")
	t.Setenv("HIRING_BASE_URL", "ftp://h.test")
	t.Setenv("HIRING_API_KEY", "Bearer "+apitest.Key)
	_, err = hiring.FromEnv(hiring.WithTimeout(-1))
	assert.Equal(t, []string{"HIRING_BASE_URL", "HIRING_API_KEY", "WithTimeout"}, problemsIn(t, err))
	t.Setenv("HIRING_BASE_URL", apitest.BaseURL)
	t.Setenv("HIRING_API_KEY", apitest.Key)
	client, err := hiring.FromEnv()
	require.NoError(t, err)
	_, err = client.With(hiring.WithEnvironment(hiring.EnvironmentLive))
	require.EqualError(t, err, "hiring: HIRING_API_KEY: must begin with sk_live_, because WithEnvironment requires the live environment")
}

func TestKeyOfASourceIsNamedAsSuch(t *testing.T) {
	client, err := hiring.New(apitest.BaseURL, "", hiring.WithKeySource(func(context.Context) (string, error) { return "Bearer " + apitest.Key, nil }))
	require.NoError(t, err)
	_, err = client.Account.Get(t.Context())
	require.ErrorContains(t, err, `the key of the key source begins with "Bearer "`)
	assert.Nil(t, hiring.FieldErrors(err), "it is no input of this call")
}

func TestBlankNameIsSentAndBlankAddressIsRejected(t *testing.T) {
	fake := apitest.NewScriptedServer(t, apitest.RespondData(`{"id":"x"}`))
	_, err := fake.Client().Invitations.Send(t.Context(), "a", hiring.NewInvitation{Email: "e", Name: " "})
	require.NoError(t, err)
	_, err = fake.Client().Assessments.Create(t.Context(), hiring.NewAssessment{ChallengeID: "c", Name: " "})
	require.NoError(t, err)
	assert.Len(t, fake.Requests(), 2)
	_, err = fake.Client().Invitations.Send(t.Context(), "a", hiring.NewInvitation{Email: " ", Name: "n"})
	require.ErrorContains(t, err, "Email")
}

func TestOtherErrorsHaveNoFieldErrors(t *testing.T) {
	other := apitest.NewScriptedServer(t, apitest.Respond(409, `{"error":{"code":"CONFLICT","message":"m","details":{"fieldErrors":{"name":["x"]}}}}`))
	_, err := other.Client().Account.Get(t.Context())
	for _, none := range []error{nil, err, errors.New("x"), context.Canceled, hiring.ErrInvalidInput} {
		assert.Nil(t, hiring.FieldErrors(none), "%v", none)
	}
}
