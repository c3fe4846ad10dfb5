// Package urls implements base URLs, paths and times in queries: it checks base URLs and route
// templates such as "/assessments/{id}", fills ids into templates, and turns a path into a
// template without ids, for metrics and logs.
package urls

import (
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"
)

// Path is a URL path.
type Path struct {
	Plain string // Unescaped.
	Raw   string // Escaped; empty when the default escaping of Plain applies.
}

// ID is the value of a placeholder, with the name of the parameter in Go.
type ID struct{ Name, Value string }

// Unfit is an id that cannot be a path segment: the name of the parameter and the
// placeholder.
type Unfit struct{ Name, Placeholder string }

// Fill replaces the placeholders of a template with ids, each as one escaped segment.
func Fill(template string, ids []ID) (p Path, unfit []Unfit) {
	if len(ids) == 0 {
		return Path{Plain: template}, nil
	}
	var path, raw strings.Builder
	for segment := range strings.SplitSeq(template[1:], "/") {
		value := segment
		if isPlaceholder(segment) {
			name := ids[0].Name
			value, ids = ids[0].Value, ids[1:]
			if !IsSegment(value) {
				unfit = append(unfit, Unfit{name, strings.Trim(segment, "{}")})
			}
		}
		path.WriteString("/" + value)
		raw.WriteString("/" + url.PathEscape(value))
	}
	p.Plain = path.String()
	if raw.String() != p.Plain {
		p.Raw = raw.String()
	}
	return p, unfit
}

// ParsePath parses an escaped path. It also returns the path's template, in which each segment
// that is not known is replaced by {id}: routes are metric labels, which must be few and contain
// no personal data.
func ParsePath(escaped string, known func(segment string) bool) (p Path, template string, err error) {
	if !strings.HasPrefix(escaped, "/") {
		escaped = "/" + escaped
	}
	if strings.ContainsAny(escaped, "?#") {
		return Path{}, "", errors.New("must not contain ? or #: pass the query separately, and escape ids with url.PathEscape")
	}
	var route strings.Builder
	for segment := range strings.SplitSeq(escaped[1:], "/") {
		value, err := url.PathUnescape(segment)
		if err != nil || !IsSegment(value) {
			return Path{}, "", errors.New(`must be escaped and have no empty, "." or ".." segment`)
		}
		if !known(value) {
			value = "{id}"
		}
		route.WriteString("/" + value)
	}
	p.Plain, _ = url.PathUnescape(escaped)
	if (&url.URL{Path: p.Plain}).EscapedPath() != escaped {
		p.Raw = (&url.URL{Path: p.Plain, RawPath: escaped}).EscapedPath()
	}
	return p, route.String(), nil
}

// CheckRoute checks a route (a method and a template) that replaces the default route.
func CheckRoute(route, instead string) error {
	method, path, ok := strings.Cut(route, " ")
	theirs, template, _ := strings.Cut(instead, " ")
	switch {
	case (method == "GET" && ok) != (theirs == "GET"):
		return errors.New("must be GET if the default is GET, and another method otherwise")
	case !ok || !strings.HasPrefix(path, "/"):
		return errors.New(`must be a method and a path, as in "GET /assessments/{id}"`)
	case !IsMethod(method):
		return errors.New("must begin with GET, POST, PATCH, PUT or DELETE")
	case strings.ContainsAny(path, "?#% "):
		return errors.New("must be a plain path without a query")
	}
	if want := placeholders(template); strings.Join(placeholders(path), " ") != strings.Join(want, " ") {
		return fmt.Errorf("must have the placeholders %v, in this order", want)
	}
	for segment := range strings.SplitSeq(path[1:], "/") {
		if !IsSegment(segment) {
			return errors.New(`must have no empty, "." or ".." segment`)
		}
		if strings.ContainsAny(segment, "{}") && !isPlaceholder(segment) {
			return errors.New("may have { and } only around a placeholder, which must be a whole segment")
		}
	}
	return nil
}

// IsMethod reports whether m is a method that an API may use.
func IsMethod(m string) bool {
	return slices.Contains([]string{"GET", "POST", "PATCH", "PUT", "DELETE"}, m)
}

// IsSegment reports whether s can be a segment of a path after escaping.
func IsSegment(s string) bool { return s != "" && s != "." && s != ".." }

func isPlaceholder(segment string) bool {
	return strings.HasPrefix(segment, "{") && strings.HasSuffix(segment, "}")
}

func placeholders(path string) []string {
	var names []string
	for segment := range strings.SplitSeq(path, "/") {
		if isPlaceholder(segment) {
			names = append(names, segment)
		}
	}
	return names
}
