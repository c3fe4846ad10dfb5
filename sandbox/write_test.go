package sandbox_test

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	hiring "github.com/hiring-assessment/hiring-go"
	"github.com/hiring-assessment/hiring-go/sandbox"
)

const (
	multiTask  = "c0000000-0000-4000-8000-000000000001"
	singleTask = "c0000000-0000-4000-8000-000000000002"
	aTask      = "7a5c0000-0000-4000-8000-000000000002"
	assessment = "/assessments/" + sandbox.AssessmentID
	maxBody    = 524_288
)

func at(now time.Time) sandbox.Option { return sandbox.WithClock(func() time.Time { return now }) }

var noon = time.Date(2026, 3, 10, 13, 0, 0, 123_456_789, time.FixedZone("CET", 3600))

func TestCreateAssessment(t *testing.T) {
	eachTransport(t, func(t *testing.T, d transport) {
		a := d.post(t, "/assessments", `{"name":"é <b>","challenge_id":"`+multiTask+`","unknown":{"x":[]}}`)
		assert.Equal(t, 201, a.status)
		assert.Equal(t, `{"id":"f0000000-0000-4000-8000-000000000001","name":"é <b>","challenge_id":"`+multiTask+ //nolint:testifylint // The order and the spelling are part of the promise.
			`","status":"active","time_limit_minutes":90,"budget_dollars_cap":null,"selected_task_ids":null,`+
			`"created_at":"2026-03-10T12:00:00.123Z","updated_at":"2026-03-10T12:00:00.123Z"}`, string(a.Data))
		a = d.post(t, "/assessments", `{"name":"n","challenge_id":"`+multiTask+
			`","time_limit_minutes":15,"budget_dollars_cap":2.5,"selected_task_ids":["`+aTask+`"]}`)
		made := conforms(t, "assessment", a.Data)
		assert.Equal(t, "f0000000-0000-4000-8000-000000000002", made.text("id"), "ids count up")
		assert.Equal(t, []string{"15", "2.5", `["` + aTask + `"]`},
			[]string{string(made["time_limit_minutes"]), string(made["budget_dollars_cap"]), string(made["selected_task_ids"])})
		made = conforms(t, "assessment", d.post(t, "/assessments", `{"name":"n","challenge_id":"`+singleTask+
			`","budget_dollars_cap":null,"selected_task_ids":null}`).Data)
		assert.Equal(t, "120", made.text("time_limit_minutes"))
		assert.True(t, made.null("budget_dollars_cap"))
		d.get(t, "/assessments/"+made.text("id")).fails(t, 404, "NOT_FOUND")
		assert.Equal(t, 6, d.get(t, "/assessments").Meta.Total)
	}, at(noon))
}

func TestCreateAssessmentInput(t *testing.T) {
	d := inProcess(sandbox.New(unlimited()))
	base := object{"challenge_id": multiTask, "name": "n"}
	for name, values := range map[string][]any{
		"challenge_id":       {nil, "", "x", 7, sandbox.UnknownID, []string{multiTask}},
		"name":               {nil, "", 7, object{}},
		"time_limit_minutes": {nil, 0, -1, 1.5, "90", true},
		"budget_dollars_cap": {-0.01, "8", []int{}},
		"selected_task_ids":  {[]string{}, []string{aTask, "x"}, "x", []int{1}, object{}},
	} {
		for _, value := range values {
			input := object{name: value}
			for member, good := range base {
				if _, given := input[member]; !given {
					input[member] = good
				}
			}
			body, err := json.Marshal(input)
			require.NoError(t, err)
			d.post(t, "/assessments", string(body)).invalid(t, name)
		}
	}
	for body, want := range map[string]string{
		`{"name":"","challenge_id":"` + multiTask + `"}`:                             "Must have at least 1 character.",
		`{"name":"n","challenge_id":""}`:                                             "Must have at least 1 character.",
		`{"name":"n"}`:                                                               "Required.",
		`{"name":"n","challenge_id":"x"}`:                                            "Expected a UUID.",
		`{"name":"n","challenge_id":"` + sandbox.UnknownID + `"}`:                    "There is no such challenge.",
		`{"name":"n","challenge_id":"` + multiTask + `","time_limit_minutes":0}`:     "Must be at least 1.",
		`{"name":"n","challenge_id":"` + multiTask + `","budget_dollars_cap":-1}`:    "Must not be negative.",
		`{"name":"n","challenge_id":"` + multiTask + `","budget_dollars_cap":"8"}`:   "Expected a number or null.",
		`{"name":"n","challenge_id":"` + multiTask + `","selected_task_ids":["x"]}`:  "Expected at least one task, each of the assessment's challenge and given once.",
		`{"name":"n","challenge_id":"` + multiTask + `","selected_task_ids":[null]}`: "Expected at least one task, each of the assessment's challenge and given once.",
	} {
		assert.Contains(t, string(d.post(t, "/assessments", body).Error.Details), `["`+want+`"]`, body)
	}
	free := into[object](t, d.post(t, "/assessments", `{"name":"n","challenge_id":"`+multiTask+`","budget_dollars_cap":0,"time_limit_minutes":1}`))
	assert.Equal(t, []any{0.0, 1.0}, []any{free["budget_dollars_cap"], free["time_limit_minutes"]})
	d.post(t, "/assessments", `{}`).invalid(t, "challenge_id", "name")
	d.post(t, "/assessments", `{"NAME":"n","Challenge_ID":"`+multiTask+`"}`).invalid(t, "challenge_id", "name")
	d.post(t, "/assessments", `{"challenge_id":"`+sandbox.UnknownID+`","name":"n","selected_task_ids":["`+aTask+`"]}`).invalid(t, "challenge_id")
	d.post(t, "/assessments", `{"challenge_id":"`+singleTask+`","name":"n","selected_task_ids":["`+aTask+`"]}`).invalid(t, "selected_task_ids")
}

func TestBodies(t *testing.T) {
	eachTransport(t, func(t *testing.T, d transport) {
		for _, body := range []string{
			"", " ", "{", `{"a":1}x`, `{"a":1}{}`, `{"a":1}]`, "nope", `{"a":'b'}`, `{"a":1,}`, "[]", "null", `"text"`, "7",
			strings.Repeat("[", 200_000), `{"a":` + strings.Repeat("[", 20_000) + strings.Repeat("]", 20_000) + `}`,
		} {
			for _, call := range []string{"POST /assessments", "PATCH " + assessment, "POST " + invitations} {
				method, path, _ := strings.Cut(call, " ")
				d.do(t, method, "/api/v1"+path, sandbox.TestKey, body).invalid(t, "")
			}
		}
		assert.Equal(t, 201, d.post(t, "/assessments", " \r\n\t"+newAssessment+" \n").status)
	}, unlimited())
}

func TestUpdateAssessmentInput(t *testing.T) {
	d := inProcess(sandbox.New(unlimited()))
	patch := func(id, body string) apiResponse {
		return d.do(t, http.MethodPatch, "/api/v1/assessments/"+id, sandbox.TestKey, body)
	}
	for body, members := range map[string][]string{
		`{}`:                            {""},
		`{"status":"paused","name":""}`: {"status", "name"},
		`{"status":null}`:               {"status"},
		`{"selected_task_ids":["` + sandbox.UnknownID + `"]}`: {"selected_task_ids"},
	} {
		patch(sandbox.AssessmentID, body).invalid(t, members...)
	}
	patch(sandbox.UnknownID, `{`).fails(t, 404, "NOT_FOUND")
}

func TestBodySizes(t *testing.T) {
	padded := func(size int) string { return newAssessment + strings.Repeat(" ", size-len(newAssessment)) }
	eachTransport(t, func(t *testing.T, d transport) {
		for size, fits := range map[int]bool{maxBody: true, maxBody + 1: false, 3_000_000: false} {
			for _, body := range []any{padded(size), any(strings.NewReader(padded(size)))} {
				for _, call := range []string{"POST /assessments", "DELETE " + assessment, "GET /account"} {
					method, path, _ := strings.Cut(call, " ")
					if r, ok := body.(*strings.Reader); ok {
						r.Reset(padded(size))
					}
					a := d.do(t, method, "/api/v1"+path, sandbox.TestKey, body)
					if fits {
						assert.Less(t, a.status, 300, "%s with %d bytes", call, size)
						continue
					}
					a.invalid(t, "")
					assert.Contains(t, string(a.Error.Details), "512 KB")
				}
			}
		}
	})
}

func TestSendInvitation(t *testing.T) {
	eachTransport(t, func(t *testing.T, d transport) {
		body := `{"candidate_email":"ada@example.test","candidate_name":"Ada & Co","unknown":1}`
		post := func() apiResponse {
			return d.do(t, http.MethodPost, "/api/v1"+invitations, sandbox.TestKey, body, http.Header{"Idempotency-Key": {"1"}})
		}
		a := post()
		assert.Equal(t, 201, a.status)
		assert.Equal(t, `{"id":"f0000000-0000-4000-8000-000000000001","assessment_id":"`+sandbox.AssessmentID+ //nolint:testifylint // The order and the spelling are part of the promise.
			`","candidate_email":"ada@example.test","candidate_name":"Ada & Co","status":"sent","recruiter_decision":"none",`+
			`"sent_at":"2026-03-10T12:00:00.123Z","opened_at":null,"started_at":null,"submitted_at":null,`+
			`"expires_at":"2026-04-09T12:00:00.123Z","created_at":"2026-03-10T12:00:00.123Z"}`, string(a.Data))
		assert.NotEqual(t, ids1(t, a), ids1(t, post()), "a repeated POST makes a duplicate, whatever its Idempotency-Key")
		assert.Equal(t, 360, d.get(t, invitations).Meta.Total)
	}, at(noon))
}

func ids1(t *testing.T, a apiResponse) string { return into[object](t, a)["id"].(string) }

func TestSendInvitationInput(t *testing.T) {
	d := inProcess(sandbox.New())
	d.post(t, invitations, `{}`).invalid(t, "candidate_email", "candidate_name")
	for _, email := range []string{`""`, `"x"`, `"a@"`, `"@b"`, `"Ada <a@b.test>"`, `" a@b.test"`, `7`, `null`} {
		d.post(t, invitations, `{"candidate_name":"A","candidate_email":`+email+`}`).invalid(t, "candidate_email")
	}
	for _, name := range []string{`""`, `7`, `null`} {
		d.post(t, invitations, `{"candidate_email":"a@b.test","candidate_name":`+name+`}`).invalid(t, "candidate_name")
	}
	d.post(t, "/assessments/"+sandbox.UnknownID+"/invitations", `{`).fails(t, 404, "NOT_FOUND")

	d = inProcess(sandbox.New(sandbox.WithDialect(hiring.Dialect{InvitationEmail: "mail", InvitationName: "who"})))
	d.post(t, invitations, `{"candidate_email":"a@b.test","candidate_name":"A"}`).invalid(t, "mail", "who")
	sent := into[object](t, d.post(t, invitations, `{"mail":"a@b.test","who":"A"}`))
	assert.Equal(t, "a@b.test", sent["candidate_email"], "the resource is documented whatever the input is called")
}

func TestInvitationsThatCannotBeSent(t *testing.T) {
	eachTransport(t, func(t *testing.T, d transport) {
		for _, email := range []string{sandbox.PlanLimitEmail, strings.ToUpper(sandbox.PlanLimitEmail)} {
			body := `{"candidate_email":"` + email + `","candidate_name":"A"}`
			d.post(t, invitations, body).fails(t, 402, "PLAN_LIMIT_REACHED")
			d.post(t, "/assessments/"+sandbox.ClosedAssessmentID+"/invitations", body).fails(t, 409, "CONFLICT")
			d.post(t, invitations, `{"candidate_email":"`+email+`"}`).invalid(t, "candidate_name")
		}
	})
}

func TestResendAndRevoke(t *testing.T) {
	eachTransport(t, func(t *testing.T, d transport) {
		list := d.get(t, invitations+"?page_size=1&page=360")
		before := conforms(t, "invitation", into[[]json.RawMessage](t, list)[0])
		require.Equal(t, invitationID, before.text("id"))
		after := conforms(t, "invitation", d.post(t, invitations+"/"+invitationID+"/resend", "").Data)
		for name := range before {
			switch name {
			case "sent_at":
				assert.Equal(t, before[name], after[name], "an invitation that was opened was sent before")
			case "expires_at":
				assert.Equal(t, "2026-04-09T12:00:00.123Z", after.text(name))
			default:
				assert.Equal(t, before[name], after[name], name)
			}
		}
		for range 2 {
			assert.Equal(t, 200, d.post(t, invitations+"/"+invitationID+"/revoke", "{not read}").status)
		}
		assert.Equal(t, list.Data, d.get(t, invitations+"?page_size=1&page=360").Data, "nothing persists")
		d.post(t, invitations+"/"+sandbox.UnknownID+"/resend", "").fails(t, 404, "NOT_FOUND")
		d.post(t, invitations+"/"+sandbox.UnknownID+"/revoke", "").fails(t, 404, "NOT_FOUND")
	}, at(noon))
}
