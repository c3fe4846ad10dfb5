// Package urls implements base URLs and paths: it checks base URLs and route
// templates such as "/assessments/{id}", fills ids into templates, and turns a path
// into a template without ids, for metrics and logs.
package urls

import (
	"errors"
	"fmt"
	"net/url"
	"strings"
)

// Path is a path and how it is written.
type Path struct {
	Plain string
	Raw   string // Escaped; empty when it is written as it is.
}

// ID fills a placeholder: what the caller calls it, and its value.
type ID [2]string

// Unfit is an id that cannot be a segment, and the placeholder that it was for.
type Unfit struct{ Name, Placeholder string }

// Fill puts ids into a template, each as one escaped segment.
func Fill(template string, ids []ID) (p Path, unfit []Unfit) {
	if len(ids) == 0 {
		return Path{Plain: template}, nil
	}
	var path, raw strings.Builder
	for segment := range strings.SplitSeq(template[1:], "/") {
		value := segment
		if isPlaceholder(segment) {
			name := ids[0][0]
			if value, ids = ids[0][1], ids[1:]; !IsSegment(value) {
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

// ParsePath parses an escaped path and returns it with its template, in which
// segments that look like ids are replaced.
func ParsePath(escaped string) (p Path, template string, err error) {
	if !strings.HasPrefix(escaped, "/") {
		escaped = "/" + escaped
	}
	if strings.ContainsAny(escaped, "?#") {
		return Path{}, "", errors.New("must not contain ? or #: pass a query by itself, and escape ids with url.PathEscape")
	}
	var route strings.Builder
	for segment := range strings.SplitSeq(escaped[1:], "/") {
		value, err := url.PathUnescape(segment)
		if err != nil || !IsSegment(value) {
			return Path{}, "", errors.New(`must be escaped and have no empty, "." or ".." segment`)
		}
		if looksLikeID(value) {
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

// CheckRoute returns what is wrong with a route (a method and a template) that
// replaces another.
func CheckRoute(route, instead string) error {
	method, path, ok := strings.Cut(route, " ")
	theirs, template, _ := strings.Cut(instead, " ")
	switch {
	case (method == "GET" && ok) != (theirs == "GET"):
		return errors.New("must be a read where the default is one, and a write where that is")
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
			return errors.New("must have no { or } but around a placeholder, which is a segment by itself")
		}
	}
	return nil
}

// IsMethod tells the methods that the service may have.
func IsMethod(m string) bool {
	switch m {
	case "GET", "POST", "PATCH", "PUT", "DELETE":
		return true
	}
	return false
}

// IsSegment tells what can be one segment of a path, once it is escaped.
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

// looksLikeID is generous: a route is for metrics, which must stay few and name
// nobody. The service's own words are lower case and short.
func looksLikeID(segment string) bool {
	if len(segment) > 32 {
		return true
	}
	return strings.ContainsFunc(segment, func(r rune) bool {
		return (r < 'a' || r > 'z') && r != '_' && r != '-' && r != '.'
	})
}
