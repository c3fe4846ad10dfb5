package doctor_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/url"
	"path"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	hiring "github.com/hiring-assessment/hiring-go"
	"github.com/hiring-assessment/hiring-go/cmd/hiring/internal/doctor"
	"github.com/hiring-assessment/hiring-go/sandbox"
)

// runAgainst runs doctor against a sandbox behind a handler, without sockets, so that time
// can be virtual.
func runAgainst(t *testing.T, c doctor.Config, dialect hiring.Dialect, before func(http.ResponseWriter, *http.Request, http.Handler)) doctor.Report {
	t.Helper()
	service, reads := sandbox.New(sandbox.WithDialect(dialect)), 0
	c.BaseURL, c.Key = "https://hiring.invalid", sandbox.TestKey
	c.HTTP = &http.Client{Transport: roundTrip(func(r *http.Request) *http.Response {
		if r.Method == http.MethodGet {
			reads++
		}
		arrived := r.Clone(r.Context())
		if r.Body == nil {
			arrived.Body = http.NoBody
		}
		w := httptest.NewRecorder()
		before(w, arrived, service)
		return w.Result()
	})}
	r := runDoctorWith(t, c)
	assert.Equal(t, reads, r.Reads)
	assert.LessOrEqual(t, reads, doctor.MaxReads)
	return r
}

type roundTrip func(*http.Request) *http.Response

func (f roundTrip) RoundTrip(r *http.Request) (*http.Response, error) { return f(r), nil }

func refuse(w http.ResponseWriter, status int, code, message string, fields map[string][]string) {
	w.Header().Set("X-Request-Id", "req_1")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(map[string]any{"error": map[string]any{
		"code": code, "message": message, "request_id": "req_1", "details": map[string]any{"formErrors": []string{}, "fieldErrors": fields},
	}})
}

func noDocument(w http.ResponseWriter, r *http.Request) bool {
	if strings.HasSuffix(r.URL.Path, "/openapi.json") {
		refuse(w, 404, "NOT_FOUND", "There is none.", nil)
		return true
	}
	return false
}

// TestStrictServerNamesUnknownFields: a server rejects unknown parameters and fields. Its messages name
// them by field or in a sentence.
func TestStrictServerNamesUnknownFields(t *testing.T) {
	dialect := hiring.Dialect{
		PageParam: "p", PageSizeParam: "limit", CursorParam: "after", EventPageSizeParam: "size", InvitationEmail: "email", InvitationName: "name",
	}
	takes := []string{"p", "limit", "after", "size", "since", "since_seq", "status", "assessment_id", "format"}
	for _, byField := range []bool{true, false} {
		r := runAgainst(t, doctor.Config{}, dialect, func(w http.ResponseWriter, r *http.Request, next http.Handler) {
			if noDocument(w, r) {
				return
			}
			unknown := make(map[string][]string)
			for name := range r.URL.Query() {
				if !slices.Contains(takes, name) {
					unknown[name] = []string{"Unrecognized key."}
				}
			}
			if len(unknown) > 0 && byField {
				refuse(w, 400, "INVALID_INPUT", "The input is not valid.", unknown)
				return
			}
			if len(unknown) > 0 {
				refuse(w, 400, "INVALID_INPUT", `Unrecognized keys: "`+strings.Join(slices.Collect(maps.Keys(unknown)), `", "`)+`"`, nil)
				return
			}
			next.ServeHTTP(w, r)
		})
		truth, err := dialect.WithDefaults()
		require.NoError(t, err)
		assert.Equal(t, truth, r.Dialect, "by field: %v", byField)
	}
}

// TestAliasesAreNotReported: the assumed names work, so nothing is wrong.
func TestAliasesAreNotReported(t *testing.T) {
	aliases := map[string]string{"limit": "page_size", "p": "page", "after": "cursor", "per_page": "page_size"}
	r := runAgainst(t, doctor.Config{}, hiring.Dialect{}, func(w http.ResponseWriter, r *http.Request, next http.Handler) {
		if noDocument(w, r) {
			return
		}
		query := r.URL.Query()
		for alias, name := range aliases {
			if query.Has(alias) && !query.Has(name) {
				query.Set(name, query.Get(alias))
			}
		}
		r.URL.RawQuery = query.Encode()
		next.ServeHTTP(w, r)
	})
	assert.Empty(t, wrongNames(r))
}

// TestPageSizeNameIsFoundByRejection: the log is too short for its page size to show.
func TestPageSizeNameIsFoundByRejection(t *testing.T) {
	r := runAgainst(t, doctor.Config{NoWrites: true}, hiring.Dialect{EventPageSizeParam: "limit"}, func(w http.ResponseWriter, r *http.Request, next http.Handler) {
		if noDocument(w, r) {
			return
		}
		if strings.HasSuffix(r.URL.Path, "/events") {
			query := r.URL.Query()
			query.Set("since_seq", "1000000")
			r.URL.RawQuery = query.Encode()
		}
		next.ServeHTTP(w, r)
	})
	f := finding(t, r, "EventPageSizeParam")
	assert.Equal(t, "limit", f.Found, "%+v", f)
	assert.Contains(t, f.Evidence, "of 19 usual names about this one")
}

// TestIgnoredSinceIsReported: a server ignores times that it cannot parse.
func TestIgnoredSinceIsReported(t *testing.T) {
	r := runAgainst(t, doctor.Config{NoWrites: true}, hiring.Dialect{}, func(w http.ResponseWriter, r *http.Request, next http.Handler) {
		if noDocument(w, r) {
			return
		}
		query := url.Values{}
		for name, values := range r.URL.Query() {
			if name != "since" {
				query[name] = values
			}
		}
		r.URL.RawQuery = query.Encode()
		next.ServeHTTP(w, r)
	})
	f := finding(t, r, "SinceLayout")
	assert.Equal(t, doctor.Wrong, f.Verdict)
	assert.Contains(t, f.Evidence, "ignored")
}

// TestRejectedFutureSinceIsNotReported: a server that rejects times in the future is not reported
// as wrong.
func TestRejectedFutureSinceIsNotReported(t *testing.T) {
	r := runAgainst(t, doctor.Config{NoWrites: true}, hiring.Dialect{}, func(w http.ResponseWriter, r *http.Request, next http.Handler) {
		if since := r.URL.Query().Get("since"); strings.Contains(since, "2099") {
			refuse(w, 400, "INVALID_INPUT", "The input is not valid.", map[string][]string{"since": {"Out of range."}})
			return
		}
		next.ServeHTTP(w, r)
	})
	assert.Empty(t, wrongNames(r))
	assert.Equal(t, doctor.Holds, finding(t, r, "SinceLayout").Verdict)
}

// TestLastPageRepeatedDecidesNothing: a server returns the last page for any page after it, which
// decides nothing.
func TestLastPageRepeatedDecidesNothing(t *testing.T) {
	for _, document := range []bool{true, false} {
		r := runAgainst(t, doctor.Config{NoWrites: true}, hiring.Dialect{}, func(w http.ResponseWriter, r *http.Request, next http.Handler) {
			if !document && noDocument(w, r) {
				return
			}
			if slices.Contains([]string{"challenges", "assessments", "invitations"}, path.Base(r.URL.Path)) {
				w.Header().Set("X-Request-Id", "req_1")
				_, _ = fmt.Fprint(w, `{"data":[],"meta":{"request_id":"req_1","page":1,"page_size":100,"total":0,"has_more":false}}`)
				return
			}
			next.ServeHTTP(w, r)
		})
		assert.Empty(t, wrongNames(r))
		f := finding(t, r, "PageParam")
		assert.Equal(t, document, f.Verdict == doctor.Holds, "%+v", f)
		assert.Equal(t, !document, f.Verdict == doctor.Undecided, "%+v", f)
	}
}

// TestListOfAnotherShapeIsReported: the route exists and its response is not as assumed.
func TestListOfAnotherShapeIsReported(t *testing.T) {
	r := runAgainst(t, doctor.Config{NoWrites: true}, hiring.Dialect{}, func(w http.ResponseWriter, r *http.Request, next http.Handler) {
		if noDocument(w, r) {
			return
		}
		if strings.HasSuffix(r.URL.Path, "/challenges") {
			w.Header().Set("X-Request-Id", "req_1")
			_, _ = fmt.Fprint(w, `{"data":{"items":[],"count":0},"meta":{"request_id":"req_1"}}`)
			return
		}
		next.ServeHTTP(w, r)
	})
	assert.Equal(t, []string{"challenge"}, wrongNames(r))
	assert.Contains(t, finding(t, r, "challenge").Evidence, "/data has an object instead of a list")
}

// TestReadOnlyKeyNeedsNoNamesOfWrites: the API rejects writes for their scope, so nothing
// is known of them, and nothing is wrong or undecided.
func TestReadOnlyKeyNeedsNoNamesOfWrites(t *testing.T) {
	r := runAgainst(t, doctor.Config{Key: sandbox.ReadOnlyKey}, hiring.Dialect{}, func(w http.ResponseWriter, r *http.Request, next http.Handler) {
		switch {
		case noDocument(w, r):
		case r.Method != http.MethodGet:
			refuse(w, 403, "INSUFFICIENT_SCOPE", "The scope write is needed.", nil)
		default:
			next.ServeHTTP(w, r)
		}
	})
	assert.Empty(t, r.With(doctor.Wrong, doctor.Undecided, doctor.NotChecked))
	assert.Equal(t, doctor.NotNeeded, finding(t, r, "UpdateAssessment").Verdict)
	assert.Equal(t, "read only", finding(t, r, "scope").Found)
}

// TestAllowHeaderShowsRoutesOfWrites: a GET on the path of a write shows that it exists only
// when the 405 names its method.
func TestAllowHeaderShowsRoutesOfWrites(t *testing.T) {
	for allow, verdict := range map[string]doctor.Verdict{
		"POST": doctor.Holds, "OPTIONS, POST": doctor.Holds, "DELETE": doctor.Undecided, "": doctor.Undecided,
	} {
		r := runAgainst(t, doctor.Config{NoWrites: true}, hiring.Dialect{}, func(w http.ResponseWriter, r *http.Request, next http.Handler) {
			switch {
			case noDocument(w, r):
			case strings.HasSuffix(r.URL.Path, "/resend"):
				w.Header().Set("Allow", allow)
				refuse(w, 405, "NOT_FOUND", "There is no such method.", nil)
			default:
				next.ServeHTTP(w, r)
			}
		})
		assert.Zero(t, r.Writes)
		assert.Equal(t, verdict, finding(t, r, "ResendInvitation").Verdict, "Allow: %s", allow)
	}
}

// TestFailedRequestsAreRetriedWithinTheLimit: failed requests are retried within the limit of reads.
func TestFailedRequestsAreRetriedWithinTheLimit(t *testing.T) { synctest.Test(t, unstableService) }

func unstableService(t *testing.T) {
	n := 0
	r := runAgainst(t, doctor.Config{NoWrites: true}, hiring.Dialect{}, func(w http.ResponseWriter, r *http.Request, next http.Handler) {
		n++
		if n%2 == 0 {
			refuse(w, 503, "INTERNAL_ERROR", "Later.", nil)
			return
		}
		next.ServeHTTP(w, r)
	})
	assert.Empty(t, wrongNames(r))
	assert.Greater(t, len(r.With(doctor.Holds)), 20)
}

// TestAnyResponseLeadsToAReport: any response leads to a report.
func TestAnyResponseLeadsToAReport(t *testing.T) { synctest.Test(t, brokenService) }

func brokenService(t *testing.T) {
	for _, body := range []string{
		``, `null`, `[]`, `{}`, `{"data":null,"meta":null}`, `{"data":[null,1,"x",[]],"meta":{"has_more":true,"next_cursor":"c"}}`,
		`{"data":{"id":7},"meta":{"page":"one","page_size":[],"has_more":"no","next_cursor":5}}`,
		`{"data":[{"id":"1"},{"id":"1"}],"meta":{"has_more":true,"next_cursor":"c","page":1,"page_size":2}}`,
		`{"openapi":"3.1.0","paths":{"/x":null,"/y":{"get":7,"post":{"parameters":[null,7,{"$ref":"#/paths"}],"responses":[]}}},"data":[]}`,
	} {
		for _, status := range []int{200, 204, 400, 404, 405, 409, 500} {
			r := runAgainst(t, doctor.Config{}, hiring.Dialect{}, func(w http.ResponseWriter, _ *http.Request, _ http.Handler) {
				w.Header().Set("X-Request-Id", "req_1")
				w.WriteHeader(status)
				if status != 204 {
					_, _ = fmt.Fprint(w, body)
				}
			})
			assert.NotEmpty(t, r.Findings)
			_, err := r.Dialect.WithDefaults()
			require.NoError(t, err)
			for _, f := range r.Findings {
				assert.NotEmpty(t, f.Verdict, f.Name)
				assert.NotEmpty(t, f.Evidence, f.Name)
			}
		}
	}
}
