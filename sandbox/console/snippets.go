package console

import (
	"fmt"
	"go/format"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"github.com/hiring-assessment/hiring-go/sandbox"
)

// shellQuote returns text as one word of a POSIX shell.
func shellQuote(text string) string { return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'" }

// pathAndQuery returns the path and query of a request as sent.
func pathAndQuery(e sandbox.Entry) string {
	if e.Query == "" {
		return e.Path
	}
	return e.Path + "?" + e.Query
}

// curlCommand returns the curl command of an exchange, without the key. The path, query and
// body are sent unchanged.
func curlCommand(e sandbox.Entry, base string) string {
	lines := []string{"curl -g --path-as-is -sS -i -X " + shellQuote(e.Method) + " " + shellQuote(base+pathAndQuery(e))}
	if e.Method == http.MethodHead {
		lines[0] = "curl -g --path-as-is -sS -I " + shellQuote(base+pathAndQuery(e))
	}
	if e.Key != "" {
		lines = append(lines, `-H "Authorization: Bearer $HIRING_API_KEY"`)
	}
	if kind := e.Detail.Header.Get("Content-Type"); kind != "" {
		lines = append(lines, "-H "+shellQuote("Content-Type: "+kind))
	}
	if len(e.Body) > 0 {
		lines = append(lines, "--data-raw "+shellQuote(string(e.Body)))
	}
	return strings.Join(lines, " \\\n  ")
}

// clientCalls are the client's methods whose only inputs are ids, by route.
var clientCalls = map[string]string{
	"GET /account":                      "client.Account.Get(ctx)",
	"GET /members":                      "client.Members.List().Collect(ctx)",
	"GET /challenges":                   "client.Challenges.List().Collect(ctx)",
	"GET /challenges/{id}":              "client.Challenges.Get(ctx, %q)",
	"GET /assessments":                  "client.Assessments.List().Collect(ctx)",
	"GET /assessments/{id}":             "client.Assessments.Get(ctx, %q)",
	"GET /assessments/{id}/invitations": "client.Invitations.List(%q).Collect(ctx)",
	"GET /submissions":                  "client.Submissions.List(hiring.SubmissionFilter{}).Collect(ctx)",
	"GET /submissions/{id}":             "client.Submissions.Get(ctx, %q)",
	"GET /submissions/{id}/report":      "client.Submissions.Report(ctx, %q)",
	"GET /submissions/{id}/events":      "client.Events.List(%q, hiring.EventFilter{}).Collect(ctx)",
}

// goProgram returns the Go program of an exchange. It uses the client's own method if the
// request has no other inputs than that method, and Do otherwise.
func goProgram(e sandbox.Entry, base string) string {
	path, ok := strings.CutPrefix(e.Path, "/api/v1/")
	if !ok || e.Route == "" {
		return ""
	}
	var call string
	imports := []string{"context", "fmt", "log", "os"}
	if read := clientCalls[e.Method+" "+e.Route]; read != "" && e.Query == "" {
		call = "result, err := " + strings.Replace(read, "%q", strconv.Quote(idIn(e)), 1)
	} else {
		query, body := "nil", "nil"
		if e.Query != "" {
			values, err := url.ParseQuery(e.Query)
			if err != nil {
				return ""
			}
			imports, query = append(imports, "net/url"), fmt.Sprintf("%#v", values)
		}
		if len(e.Body) > 0 {
			imports, body = append(imports, "encoding/json"), "json.RawMessage("+strconv.Quote(string(e.Body))+")"
		}
		method := e.Method
		if method == http.MethodHead {
			method = http.MethodGet
		}
		call = fmt.Sprintf("var result any\n_, err = client.Do(ctx, %q, %q, %s, %s, &result)", method, "/"+path, query, body)
		if e.Status == http.StatusNoContent {
			call = fmt.Sprintf("result, err := client.Do(ctx, %q, %q, %s, %s, nil)", method, "/"+path, query, body)
		}
	}
	source := fmt.Sprintf(goProgramTemplate, strings.Join(imports, "\"\n\""), base, call)
	formatted, err := format.Source([]byte(source))
	if err != nil {
		return ""
	}
	return string(formatted)
}

// idIn returns the id in the path of an exchange.
func idIn(e sandbox.Entry) string {
	segments := strings.Split(strings.TrimPrefix(e.Path, "/api/v1"), "/")
	for i, segment := range strings.Split(e.Route, "/") {
		if segment == "{id}" && i < len(segments) {
			if id, err := url.PathUnescape(segments[i]); err == nil {
				return id
			}
		}
	}
	return ""
}

// goProgramTemplate has the imports, the base URL and the call of goProgram.
const goProgramTemplate = `package main

import (
"%s"

hiring "github.com/hiring-assessment/hiring-go"
)

func main() {
ctx := context.Background()
client, err := hiring.New(%q, os.Getenv("HIRING_API_KEY"))
if err != nil {
log.Fatal(err)
}
%s
if err != nil {
log.Fatal(err)
}
fmt.Printf("%%+v\n", result)
}
`
