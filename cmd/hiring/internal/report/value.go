// Package report shows hiring reports as a person wants to read them: as text for a
// terminal and as a page of HTML.
package report

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	hiring "github.com/hiring-assessment/hiring-go"
)

// texts reads a list whose elements the service does not document: texts, or
// objects in which something stands out.
func texts(values []hiring.RawValue) []string {
	var all []string
	for _, value := range values {
		if text := valueText(value); text != "" {
			all = append(all, text)
		}
	}
	return all
}

func valueText(value hiring.RawValue) string {
	var decoded any
	if json.Unmarshal(value, &decoded) != nil {
		return ""
	}
	return describe(decoded)
}

// describe puts a value into words, as far as its members' names allow.
func describe(value any) string {
	switch v := value.(type) {
	case nil:
		return ""
	case string:
		return v
	case float64:
		return number(v)
	case []any:
		var parts []string
		for _, element := range v {
			parts = append(parts, describe(element))
		}
		return strings.Join(parts, ", ")
	case map[string]any:
		return describeObject(v)
	}
	return fmt.Sprint(value)
}

func describeObject(object map[string]any) string {
	head, rest := "", maps.Clone(object)
	for _, name := range []string{"title", "question", "text", "label", "name", "summary", "description", "message", "task_key"} {
		if text, ok := object[name].(string); ok && text != "" {
			head = text
			delete(rest, name)
			break
		}
	}
	var parts []string
	for _, name := range slices.Sorted(maps.Keys(rest)) {
		if text := describe(rest[name]); text != "" {
			parts = append(parts, strings.ReplaceAll(name, "_", " ")+" "+text)
		}
	}
	switch {
	case head == "":
		return strings.Join(parts, ", ")
	case len(parts) == 0:
		return head
	}
	return head + " (" + strings.Join(parts, ", ") + ")"
}

func number(n float64) string { return strconv.FormatFloat(n, 'f', -1, 64) }
