package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/url"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	hiring "github.com/hiring-assessment/hiring-go"
	"github.com/hiring-assessment/hiring-go/cmd/hiring/internal/output"
)

func (a *app) apiCommand() *cobra.Command {
	var method, data, input string
	var query, fields []string
	var include bool
	c := &cobra.Command{
		Use:   "api [<method>] <path>",
		Short: "Send any request to the API and show the response",
		Long: `Send a request that has no command, with the same key, rate limits and retries. The path
is below /api/v1 and may have a query. The method is GET, or POST when there is a body.
The response is shown as it is.`,
		Example: "  hiring api /account --jq .data.plan\n  hiring api '/submissions?status=evaluated'\n" +
			"  hiring api -X PATCH /assessments/<assessment-id> -d '{\"status\": \"closed\"}'\n  hiring api POST /assessments -d @body.json",
		Args: cobra.RangeArgs(1, 2),
	}
	c.Flags().StringVarP(&method, "method", "X", "", "the `method` (default GET, or POST with a body)")
	c.Flags().StringVarP(&data, "data", "d", "", "the `body`, in JSON; @file reads a file, @- standard input")
	c.Flags().StringVar(&input, "input", "", "a `file` with the body, in JSON; - means standard input")
	c.Flags().StringArrayVarP(&query, "query", "q", nil, "a `name=value` of the query; repeatable")
	c.Flags().StringArrayVarP(&fields, "field", "f", nil, "a `name=value` of the body, as text; with GET, of the query; repeatable")
	c.Flags().BoolVarP(&include, "include", "i", false, "show the status and the headers, too")
	_ = c.RegisterFlagCompletionFunc("method", cobra.FixedCompletions(apiMethods(), cobra.ShellCompDirectiveNoFileComp))
	c.RunE = a.withTask(func(ctx context.Context, t task) error {
		if len(t.args) == 2 {
			if method != "" {
				return usagef("--method %s and %s: give the method once", output.Clean(method), output.Clean(t.args[0]))
			}
			method = t.args[0]
		} else if slices.Contains(apiMethods(), t.args[0]) {
			return adviceError{usagef("api needs <path>"), "Usage: hiring api [<method>] <path>"}
		}
		call, err := a.newCall(method, t.args[len(t.args)-1], query, fields, data, input)
		if err != nil {
			return err
		}
		if call.method != http.MethodGet {
			if err := a.guard(ctx, t.client, "send "+call.method+" "+output.Clean(call.path)); err != nil {
				return err
			}
		}
		var response hiring.Response
		_, err = t.client.Do(hiring.WithResponse(ctx, &response), call.method, call.path, call.query, call.body, nil)
		if err == nil {
			err = showResponse(t.Printer, response, include)
		}
		return err
	})
	return c
}

func apiMethods() []string {
	return []string{http.MethodGet, http.MethodPost, http.MethodPatch, http.MethodPut, http.MethodDelete}
}

// call is a request that the user describes.
type call struct {
	method, path string
	query        url.Values
	body         any
}

func (a *app) newCall(method, target string, query, fields []string, data, input string) (call, error) {
	path, own, _ := strings.Cut(target, "?")
	made := call{method: strings.ToUpper(method), path: "/" + strings.TrimPrefix(strings.TrimPrefix(path, "/api/v1"), "/")}
	if made.method == "" {
		made.method = http.MethodGet
		if data != "" || input != "" || fields != nil {
			made.method = http.MethodPost
		}
	}
	if !slices.Contains(apiMethods(), made.method) {
		return call{}, usagef("%s is not a method: use %s", output.Clean(method), strings.Join(apiMethods(), ", "))
	}
	values, err := url.ParseQuery(own)
	if err != nil {
		return call{}, usagef("The query of the path cannot be read")
	}
	if made.method == http.MethodGet {
		query, fields = append(query, fields...), nil
	}
	made.query = values
	if err := eachPair("--query", query, values.Add); err != nil {
		return made, err
	}
	if fields != nil && data == "" && input == "" {
		members := make(map[string]string)
		made.body = members
		return made, eachPair("--field", fields, func(name, value string) { members[name] = value })
	}
	if fields != nil {
		return made, usagef("--field, --data and --input: give the body once")
	}
	made.body, err = a.apiBody(data, input)
	return made, err
}

// eachPair calls take with each name=value of a flag.
func eachPair(flag string, pairs []string, take func(name, value string)) error {
	for _, pair := range pairs {
		name, value, found := strings.Cut(pair, "=")
		if !found {
			return usagef("%s %s: give name=value", flag, output.Clean(pair))
		}
		take(name, value)
	}
	return nil
}

// apiBody returns the body of a request, or nil.
func (a *app) apiBody(data, input string) (any, error) {
	if data != "" && input != "" {
		return nil, usagef("--data and --input: give the body once")
	}
	flag := "--data"
	if input != "" {
		flag, data = "--input", "@"+input
	}
	if data == "" {
		return nil, nil
	}
	text := []byte(data)
	if name, isFile := strings.CutPrefix(data, "@"); isFile {
		var err error
		if text, err = a.readInput(name); err != nil {
			return nil, usagef("%s: %w", flag, err)
		}
	}
	if !json.Valid(text) {
		return nil, usagef("%s: the body is not valid JSON", flag)
	}
	return json.RawMessage(text), nil
}

func (a *app) readInput(name string) ([]byte, error) {
	if name == "-" {
		return io.ReadAll(a.in)
	}
	return os.ReadFile(name)
}

// showResponse writes a JSON response in the user's format.
func showResponse(p *output.Printer, r hiring.Response, include bool) error {
	if include {
		_, _ = fmt.Fprintf(p, "%d %s\n", r.StatusCode, http.StatusText(r.StatusCode))
		for _, name := range slices.Sorted(maps.Keys(r.Header)) {
			_, _ = fmt.Fprintf(p, "%s: %s\n", name, output.Clean(strings.Join(r.Header[name], ", ")))
		}
		_, _ = fmt.Fprintln(p)
	}
	if len(r.Body) == 0 {
		return nil
	}
	return p.WriteJSON(json.RawMessage(r.Body))
}
