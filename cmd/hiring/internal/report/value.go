// Package report renders reports as text for a terminal and as an HTML page.
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

// texts returns the elements of a list as texts. The API does not document the elements:
// they may be texts or objects.
func texts(values []hiring.RawValue) []string {
	var all []string
	for _, value := range values {
		var decoded any
		if json.Unmarshal(value, &decoded) != nil {
			continue
		}
		if text := describe(decoded); text != "" {
			all = append(all, text)
		}
	}
	return all
}

// describe returns a value as text. The names of its fields show which of them matter.
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
