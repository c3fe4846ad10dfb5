package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	hiring "github.com/hiring-assessment/hiring-go"
	"github.com/hiring-assessment/hiring-go/cmd/hiring/internal/output"
)

func (a *app) apiCommand() *cobra.Command {
	var method, data string
	var fields []string
	c := command("api [<method>] <path>", "Send any request to the API and show the response")
	c.Flags().StringVarP(&method, "method", "X", "", "the `method` (default GET, or POST with a body)")
	c.Flags().StringVarP(&data, "data", "d", "", "the `body`, in JSON; @file reads a file, @- standard input")
	c.Flags().StringArrayVarP(&fields, "field", "f", nil, "a `name=value` of the body, as text; with the method GET, of the query; repeatable")
	_ = c.RegisterFlagCompletionFunc("method", cobra.FixedCompletions(apiMethods, cobra.ShellCompDirectiveNoFileComp))
	c.RunE = a.withTask(func(ctx context.Context, t task) error {
		if t.Format == output.CSV || a.flags.output.Columns != nil {
			return usagef("api writes only JSON: -o csv and --columns have no meaning, and --jq selects")
		}
		isByField := method == "" && fields != nil && len(t.args) == 1
		method, path, err := methodAndPath(method, t.args)
		if err != nil {
			return err
		}
		call, err := a.newCall(ctx, method, path, fields, data)
		if err != nil {
			return err
		}
		if call.method != http.MethodGet {
			if err := a.guard(ctx, t.client, "send "+call.method+" "+call.path, ""); err != nil {
				return err
			}
		}
		var response hiring.Response
		_, err = t.client.Do(hiring.WithResponse(ctx, &response), call.method, call.path, call.query, call.body, nil)
		if err != nil {
			said := call.method + " " + call.path
			if isByField {
				said += " (because of -f; give GET before the path to read)"
			}
			err = causedError{fmt.Errorf("%s: %s", said, errorText(err)), err}
		}
		if i := slices.IndexFunc(otherPages, call.query.Has); i >= 0 && err == nil {
			a.warnOnce(otherPages[i] + " may have no effect: the parameters of a list are page_size and page.")
		}
		if err == nil && len(response.Body) > 0 {
			err = t.WriteJSON(json.RawMessage(response.Body))
		}
		if errors.Is(err, hiring.ErrNotFound) {
			err = useInstead(err, strings.TrimPrefix(call.path, "/")) // As in /rate_limit.
		}
		return err
	})
	return c
}

// methodAndPath returns what the arguments and the flag say. An empty method means the default.
func methodAndPath(flag string, args []string) (method, path string, err error) {
	switch {
	case len(args) == 2 && flag != "":
		return "", "", usagef("--method %s and %s: give the method once", output.Clean(flag), output.Clean(args[0]))
	case len(args) == 2:
		return args[0], args[1], nil
	case slices.Contains(apiMethods, args[0]):
		return "", "", adviceError{usagef("api needs <path>"), "Usage: hiring api [<method>] <path>"}
	}
	return flag, args[0], nil
}

var apiMethods = []string{http.MethodGet, http.MethodPost, http.MethodPatch, http.MethodPut, http.MethodDelete} //nolint:gochecknoglobals // a constant table

// otherPages are query parameters for pages that other APIs have.
var otherPages = []string{"limit", "per_page", "pageSize", "offset"} //nolint:gochecknoglobals // a constant table

// call is a request that the user describes.
type call struct {
	method, path string
	query        url.Values
	body         any
}

// notAPath matches an address, and what Git Bash makes of a path such as /account.
var notAPath = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9+.-]*:[/\\]`)

// version1 matches the beginning of a path as other programs want it.
var version1 = regexp.MustCompile(`^/?((api/)?v1/)?`)

// isPath reports whether a word is a path of the API, and no file.
func isPath(word string) bool { return version1.FindString(word) != "" && !strings.Contains(word, ".") }

func (a *app) newCall(ctx context.Context, method, target string, fields []string, data string) (call, error) {
	if notAPath.MatchString(target) {
		return call{}, adviceError{usagef("%s is no path of the API", output.Clean(target)),
			"Give it below /api/v1 and without the first slash, as in account: Git Bash rewrites arguments that begin with one"}
	}
	path, own, _ := strings.Cut(target, "?")
	made := call{method: cmp.Or(strings.ToUpper(method), http.MethodGet), path: "/" + version1.ReplaceAllString(path, "")}
	if method == "" && (data != "" || fields != nil) {
		made.method = http.MethodPost
	}
	if !slices.Contains(apiMethods, made.method) {
		return call{}, adviceError{usagef("%s is not a method: use %s", output.Clean(method), strings.Join(apiMethods, ", ")), "Fields follow -f, as in hiring api GET <path> -f page=2"}
	}
	values, err := url.ParseQuery(own)
	if err != nil {
		return call{}, usagef("The query of the path cannot be read")
	}
	members := make(map[string]string)
	for _, pair := range fields {
		name, value, found := strings.Cut(pair, "=")
		switch {
		case !found:
			return made, usagef("--field %s: give name=value", output.Clean(pair))
		case made.method == http.MethodGet:
			values.Add(name, value)
		case data != "":
			return made, usagef("--field and --data: give the body once")
		default:
			members[name], made.body = value, members
		}
	}
	if made.query = values; data != "" {
		made.body, err = a.apiBody(ctx, data)
	}
	return made, err
}

// apiBody returns the body that --data names.
func (a *app) apiBody(ctx context.Context, data string) (any, error) {
	text := []byte(data)
	if name, isFile := strings.CutPrefix(data, "@"); isFile {
		var err error
		if text, err = a.readInput(ctx, name); err != nil {
			return nil, fmt.Errorf("--data: %w", err)
		}
	}
	if !json.Valid(text) {
		return nil, useInstead(usagef("--data: the body is not valid JSON"), "api --data wrong")
	}
	return json.RawMessage(text), nil
}
