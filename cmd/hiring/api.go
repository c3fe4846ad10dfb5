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
	var input string
	var query []string
	var include bool
	c := &cobra.Command{
		Use:   "api METHOD PATH",
		Short: "Make any call to the service and show its reply",
		Long: `Api makes a call that has no command, with the same key, quotas and retries. PATH is
below /api/v1 and may have a query. The reply is shown as it came.`,
		Example: "  hiring api GET /account --jq .data.plan\n  hiring api GET '/submissions?status=evaluated'\n" +
			"  hiring api PATCH /assessments/ID --input body.json",
		Args: cobra.ExactArgs(2),
	}
	c.Flags().StringVar(&input, "input", "", "a `file` with the body, in JSON; - for standard input")
	c.Flags().StringArrayVarP(&query, "query", "q", nil, "a `name=value` of the query; repeatable")
	c.Flags().BoolVarP(&include, "include", "i", false, "show the status and the headers, too")
	c.RunE = a.does(func(ctx context.Context, t task) error {
		call, err := a.newCall(t.args[0], t.args[1], query, input)
		if err != nil {
			return err
		}
		if call.method != http.MethodGet {
			if err := a.guard(ctx, t.client, "change something at the service ("+call.method+" "+output.Clean(call.path)+")"); err != nil {
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

// call is a request that the user made up.
type call struct {
	method, path string
	query        url.Values
	body         any
}

func (a *app) newCall(method, target string, query []string, input string) (call, error) {
	path, own, _ := strings.Cut(target, "?")
	made := call{method: strings.ToUpper(method), path: "/" + strings.TrimPrefix(strings.TrimPrefix(path, "/api/v1"), "/")}
	if !slices.Contains([]string{http.MethodGet, http.MethodPost, http.MethodPatch, http.MethodPut, http.MethodDelete}, made.method) {
		return call{}, usagef("%s is no method: give GET, POST, PATCH, PUT or DELETE", output.Clean(method))
	}
	values, err := url.ParseQuery(own)
	if err != nil {
		return call{}, usagef("PATH: its query cannot be read")
	}
	for _, pair := range query {
		name, value, found := strings.Cut(pair, "=")
		if !found {
			return call{}, usagef("--query %s: give name=value", pair)
		}
		values.Add(name, value)
	}
	made.query = values
	if input == "" {
		return made, nil
	}
	text, err := a.readInput(input)
	if err != nil {
		return call{}, usagef("--input: %w", err)
	}
	if !json.Valid(text) {
		return call{}, usagef("--input: it is not JSON")
	}
	made.body = json.RawMessage(text)
	return made, nil
}

func (a *app) readInput(name string) ([]byte, error) {
	if name == "-" {
		return io.ReadAll(a.in)
	}
	return os.ReadFile(name)
}

// showResponse writes a reply of JSON in the user's format, and any other as it is.
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
