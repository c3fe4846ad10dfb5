package doctor_test

import (
	"fmt"
	"maps"
	"net/http"
	"os"
	"reflect"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	hiring "github.com/hiring-assessment/hiring-go"
	"github.com/hiring-assessment/hiring-go/cmd/hiring/internal/doctor"
	"github.com/hiring-assessment/hiring-go/internal/testing/operations"
	"github.com/hiring-assessment/hiring-go/sandbox"
)

// renamedServers are servers that differ from the assumed names.
var renamedServers = map[string]hiring.Dialect{
	"PageParam":          {PageParam: "p"},
	"PageSizeParam":      {PageSizeParam: "limit"},
	"CursorParam":        {CursorParam: "after"},
	"EventPageSizeParam": {EventPageSizeParam: "per_page"},
	"SinceLayout":        {SinceLayout: "2006-01-02 15:04:05.000"},
	"ListChallenges":     {ListChallenges: "GET /library/challenges"},
	"ListAssessments":    {ListAssessments: "GET /postings"},
	"job postings":       {ListAssessments: "GET /job-postings", GetAssessment: "GET /job-postings/{id}", UpdateAssessment: "PATCH /job-postings/{id}"},
	"Unix milliseconds":  {SinceLayout: "unixmilli"},
	"GetAssessment":      {GetAssessment: "GET /postings/{id}"},
	"UpdateAssessment":   {UpdateAssessment: "PUT /assessments/{id}"},
	"ResendInvitation":   {ResendInvitation: "POST /assessments/{id}/invitations/{invitation_id}/remind"},
	"RevokeInvitation":   {RevokeInvitation: "DELETE /assessments/{id}/invitations/{invitation_id}"},
	"InvitationEmail":    {InvitationEmail: "email"},
	"InvitationName":     {InvitationName: "full_name"},
	"all of it": {
		PageParam: "page_number", PageSizeParam: "per_page", CursorParam: "page_token", EventPageSizeParam: "limit", SinceLayout: "2006-01-02T15:04:05.000",
		ListChallenges: "GET /library", ListAssessments: "GET /postings", GetAssessment: "GET /postings/{id}", UpdateAssessment: "PUT /postings/{id}",
		ResendInvitation: "POST /postings/{id}/invitations/{invitation_id}/resend", RevokeInvitation: "DELETE /postings/{id}/invitations/{invitation_id}",
		InvitationEmail: "email", InvitationName: "name",
	},
	"unusual names": {
		PageParam: "leaf", PageSizeParam: "heft", CursorParam: "whence", EventPageSizeParam: "bulk", SinceLayout: "02.01.2006 15:04:05.000",
		ListChallenges: "GET /riddles", ListAssessments: "GET /vacancies", GetAssessment: "GET /vacancies/{id}", UpdateAssessment: "PUT /vacancies/{id}/state",
		ResendInvitation: "POST /vacancies/{id}/{invitation_id}/again", RevokeInvitation: "POST /vacancies/{id}/{invitation_id}/undo",
		InvitationEmail: "whom_mail", InvitationName: "whom",
	},
}

// coarseLayouts are servers whose times have no milliseconds. The test suite of the client
// sends milliseconds, so it would fail there.
var coarseLayouts = map[string]hiring.Dialect{
	"days":           {SinceLayout: "2006-01-02"},
	"Unix seconds":   {SinceLayout: "unix"},
	"German minutes": {SinceLayout: "02.01.2006 15:04"},
	"minutes":        {SinceLayout: "2006-01-02T15:04Z", PageSizeParam: "size"},
}

// documents change the server's OpenAPI document.
var documents = map[string]func(*sandbox.Server){
	"correct": func(*sandbox.Server) {},
	"absent":  func(s *sandbox.Server) { s.Inject(sandbox.Fault{Route: "GET /openapi.json", Status: 404}) },
	"empty": func(s *sandbox.Server) {
		s.Inject(sandbox.Fault{Route: "GET /openapi.json", Body: `{"openapi":"3.1.0","info":{},"paths":{}}`, ContentType: "application/json"})
	},
	"contradicted": func(s *sandbox.Server) {
		text, err := os.ReadFile("../../../../sandbox/openapi.json")
		if err != nil {
			panic(err)
		}
		s.Inject(sandbox.Fault{Route: "GET /openapi.json", Body: string(text), ContentType: "application/json"})
	},
}

func runDoctor(t *testing.T, s *sandbox.Server, c doctor.Config) doctor.Report {
	t.Helper()
	c.BaseURL, c.HTTP = "https://hiring.invalid", &http.Client{Transport: s.Transport()}
	if c.Key == "" {
		c.Key = sandbox.TestKey
	}
	before := len(s.Journal())
	r, err := doctor.Run(t.Context(), c)
	require.NoError(t, err)
	reads, writes := 0, 0
	for _, e := range s.Journal()[before:] {
		if e.Method == http.MethodGet {
			reads++
		} else {
			writes++
		}
	}
	assert.Equal(t, reads, r.Reads, "the report counts the reads that the server received")
	assert.Equal(t, writes, r.Writes)
	assert.LessOrEqual(t, reads, doctor.MaxReads)
	return r
}

// liveServer returns a server with candidates in its live data who were invited, started,
// submitted and were evaluated, a few minutes apart.
func liveServer(t *testing.T, dialect hiring.Dialect, options ...sandbox.Option) *sandbox.Server {
	t.Helper()
	const candidates, evaluated = 43, 39
	s := sandbox.Start(t, append(options, sandbox.WithDialect(dialect), sandbox.WithClock(func() time.Time {
		return time.Now().Add(-3 * evaluated * time.Minute) // The loop below advances the clock by that much.
	}))...)
	assessment, client := s.AddAssessment("Payments engineer"), s.LiveClient(hiring.WithDialect(dialect))
	for n := range candidates {
		invited, err := client.Invitations.Send(t.Context(), assessment, hiring.NewInvitation{Email: fmt.Sprintf("c%d@candidates.test", n), Name: "C"})
		require.NoError(t, err)
		if n > evaluated {
			continue // Not opened.
		}
		id, err := s.Begin(invited.ID)
		require.NoError(t, err)
		for range 4 {
			require.NoError(t, s.AppendEvents(id, "ai_prompt", `{"text":"?"}`))
			require.NoError(t, s.AppendEvents(id, "ai_response", `{"tokens":1,"model":"m"}`))
		}
		if n == evaluated {
			continue // Not submitted.
		}
		s.Advance(time.Minute)
		require.NoError(t, s.Submit(id))
		s.Advance(time.Minute)
		require.NoError(t, s.Evaluate(id, sandbox.Result{ShipScore: new(50), Verdict: "yes"}))
		s.Advance(time.Minute)
	}
	return s
}

func finding(t *testing.T, r doctor.Report, name string) doctor.Finding {
	t.Helper()
	for _, f := range r.Findings {
		if f.Name == name {
			return f
		}
	}
	require.Fail(t, "no finding named "+name)
	return doctor.Finding{}
}

// TestRenamedServersAreFoundOrUndecided: doctor finds the correct value of each field, or says that it is
// undecided. It never confirms a wrong value.
func TestRenamedServersAreFoundOrUndecided(t *testing.T) {
	services := maps.Clone(renamedServers)
	maps.Copy(services, coarseLayouts)
	for service, dialect := range services {
		for document, disturb := range documents {
			for _, key := range []string{sandbox.TestKey, sandbox.LiveKey} {
				t.Run(service+"/"+document+"/"+key, func(t *testing.T) {
					t.Parallel()
					s := sandbox.Start(t, sandbox.WithDialect(dialect))
					if key == sandbox.LiveKey {
						s = liveServer(t, dialect)
					}
					disturb(s)
					r := runDoctor(t, s, doctor.Config{Key: key})
					truth, err := dialect.WithDefaults()
					require.NoError(t, err)
					found := countDecided(t, r, truth)
					t.Logf("%d of 13 found, %d reads, %d writes", found, r.Reads, r.Writes)
					if key == sandbox.LiveKey {
						assert.Zero(t, r.Writes)
					}
					if document == "correct" {
						assert.Equal(t, 13, found)
						assert.Equal(t, truth, r.Dialect)
					}
				})
			}
		}
	}
}

// countDecided returns the number of fields whose correct value was found.
func countDecided(t *testing.T, r doctor.Report, truth hiring.Dialect) (found int) {
	t.Helper()
	for field, value := range reflect.ValueOf(truth).Fields() {
		f, assumed := finding(t, r, field.Name), reflect.ValueOf(hiring.DefaultDialect()).FieldByName(field.Name).String()
		switch f.Verdict {
		case doctor.Holds:
			if found++; f.Evidence != "the document says so" { // The document may be wrong where no request shows the name.
				assert.Equal(t, value.String(), f.Found, "%+v", f)
			}
		case doctor.Wrong:
			assert.NotEqual(t, value.String(), assumed, "a false alarm: %+v", f)
			assert.NotEmpty(t, f.Change)
			if f.Found != "" {
				found++
				assert.Equal(t, value.String(), f.Found, "%+v", f)
				break
			}
			t.Logf("%s: wrong, but not found: %s", f.Name, f.Evidence)
		case doctor.Undecided, doctor.NotChecked:
			assert.NotEmpty(t, f.Evidence)
			t.Logf("%s: %s: %s", f.Name, f.Verdict, f.Evidence)
		default:
			assert.Fail(t, "no verdict", "%+v", f)
		}
	}
	return found
}

// TestFoundDialectMakesTheClientWork runs the test suite of the client with the dialect
// that doctor found.
func TestFoundDialectMakesTheClientWork(t *testing.T) {
	for service, dialect := range renamedServers {
		t.Run(service, func(t *testing.T) {
			found := runDoctor(t, sandbox.Start(t, sandbox.WithDialect(dialect)), doctor.Config{}).Dialect
			operations.Run(t, func(t *testing.T) (*hiring.Client, *sandbox.Server) {
				s := sandbox.Start(t, sandbox.WithDialect(dialect))
				return s.Client(hiring.WithDialect(found)), s
			})
		})
	}
}
