package console

import (
	"html/template"
	"regexp"
	"strings"
)

// jsonToken matches a member's name, a string, a number or a literal of JSON.
var jsonToken = regexp.MustCompile(`"(?:[^"\\]|\\.)*"(?:\s*:)?|-?\d[\d.eE+-]*|\b(?:true|false|null)\b`)

// highlight returns a text as HTML. In JSON, names, strings, numbers and literals each
// have a class.
func highlight(text string) template.HTML {
	if !strings.HasPrefix(text, "{") && !strings.HasPrefix(text, "[") {
		return template.HTML(template.HTMLEscapeString(text)) //nolint:gosec // escaped
	}
	var html strings.Builder
	end := 0
	for _, place := range jsonToken.FindAllStringIndex(text, -1) {
		html.WriteString(template.HTMLEscapeString(text[end:place[0]]))
		token, rest := text[place[0]:place[1]], ""
		class := "json-word"
		switch {
		case strings.HasSuffix(token, ":"):
			class, token, rest = "json-key", strings.TrimRight(token, ": \n"), ":"
		case token[0] == '"':
			class = "json-text"
		case token[0] == '-' || '0' <= token[0] && token[0] <= '9':
			class = "json-number"
		}
		html.WriteString(`<span class="` + class + `">` + template.HTMLEscapeString(token) + `</span>` + rest)
		end = place[1]
	}
	html.WriteString(template.HTMLEscapeString(text[end:]))
	return template.HTML(html.String()) //nolint:gosec // escaped above
}
