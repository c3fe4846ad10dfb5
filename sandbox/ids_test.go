package sandbox_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hiring-assessment/hiring-go/sandbox"
)

// TestIdsInCapitals checks that UUIDs are case-insensitive in paths, filters, bodies and
// methods, and that responses have them in lower case.
func TestIdsInCapitals(t *testing.T) {
	l := liveWorld()
	challenge := ids(t, l.get(t, "/challenges"))[0]
	task := into[object](t, l.get(t, "/challenges/c0000000-0000-4000-8000-000000000001"))["tasks"].([]any)[0].(object)["id"].(string)
	made := l.post(t, "/assessments", `{"name":"n","challenge_id":"C0000000-0000-4000-8000-000000000001","selected_task_ids":["`+strings.ToUpper(task)+`"]}`)
	require.Equal(t, 201, made.status, "%s", made.raw)
	a := conforms(t, "assessment", made.Data)
	assert.Equal(t, "c0000000-0000-4000-8000-000000000001", a.text("challenge_id"))
	assert.JSONEq(t, `["`+task+`"]`, string(a["selected_task_ids"]))
	posting := a.text("id")
	up := strings.ToUpper(posting)
	require.NotEqual(t, up, posting)
	assert.Equal(t, challenge, into[object](t, l.get(t, "/challenges/"+strings.ToUpper(challenge)))["id"])
	assert.Equal(t, posting, into[object](t, l.get(t, "/assessments/"+up))["id"])
	assert.Equal(t, 200, l.patch(t, "/assessments/"+up, `{"name":"m"}`).status)

	i := l.invite(t, "/assessments/"+up, "a@example.test")
	assert.Equal(t, []string{i}, ids(t, l.get(t, "/assessments/"+up+"/invitations")))
	assert.Equal(t, 200, l.post(t, "/assessments/"+up+"/invitations/"+strings.ToUpper(i)+"/resend", "").status)
	require.NoError(t, l.s.Open(strings.ToUpper(i)))
	s := l.begin(t, strings.ToUpper(i))
	require.NoError(t, l.s.Evaluate(strings.ToUpper(s), sandbox.Result{ShipScore: new(50)}))
	for _, path := range []string{"", "/report", "/events"} {
		assert.Equal(t, l.get(t, "/submissions/"+s+path).status, l.get(t, "/submissions/"+strings.ToUpper(s)+path).status)
	}
	assert.Equal(t, []string{s}, ids(t, l.get(t, "/submissions?assessment_id="+up)))
	assert.Equal(t, 200, l.delete(t, "/assessments/"+up).status)

	d := inProcess(sandbox.New(sandbox.WithDrift(2)))
	first := string(d.get(t, busyEvents).Data)
	assert.JSONEq(t, first, string(d.get(t, strings.Replace(busyEvents, "5b", "5B", 1)).Data), "also what drifts")
}
