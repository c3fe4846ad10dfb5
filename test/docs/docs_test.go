package docs_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// The tests of this package compare every Markdown file of the repository with the code:
// code_test.go the code blocks, links_test.go the links, text_test.go names, repetitions
// and length.

// page is a Markdown file, divided into its parts.
type page struct {
	name     string // From the root, with slashes.
	lines    []string
	blocks   []block
	passages []passage
	anchors  map[string]bool
}

// block is a code block.
type block struct {
	line int
	lang string // "sh" for an indented block.
	mark string // From the comment before it: <!-- code: example_test.go, ExampleError -->.
	code string
}

// passage is a paragraph, list item, table or code block, whose repetition elsewhere a
// reader would notice.
type passage struct {
	line int
	text string
	code bool
}

// pages returns the Markdown files of the repository and its modules.
func pages(t *testing.T) []page {
	t.Helper()
	var all []page
	require.NoError(t, filepath.WalkDir(".", func(path string, entry fs.DirEntry, err error) error {
		hidden := strings.HasPrefix(entry.Name(), ".") && path != "." && path != ".github"
		if err == nil && entry.IsDir() && (hidden || entry.Name() == "testdata") {
			return filepath.SkipDir
		}
		if err == nil && strings.HasSuffix(path, ".md") {
			all = append(all, cut(filepath.ToSlash(path), text(t, path)))
		}
		return err
	}))
	require.Greater(t, len(all), 10)
	return all
}

var (
	codeMark = regexp.MustCompile(`^<!-- code: (.+) -->$`)
	fence    = regexp.MustCompile("^```([a-z]*)$")
	heading  = regexp.MustCompile(`^#{1,6} (.+)$`)
	item     = regexp.MustCompile(`^ *([-*]|\d+\.) `)
)

// cut parses the subset of Markdown that the repository uses.
func cut(name, text string) page {
	p := page{name: name, lines: strings.Split(text, "\n"), anchors: make(map[string]bool)}
	mark, blank, listed := "", true, false
	var open passage
	end := func() {
		if open.text != "" {
			p.passages = append(p.passages, open)
		}
		open = passage{}
	}
	for i := 0; i < len(p.lines); i++ {
		line := p.lines[i]
		fenced, title, comment := fence.FindStringSubmatch(line), heading.FindStringSubmatch(line), codeMark.FindStringSubmatch(line)
		indented := strings.HasPrefix(line, "    ") && blank && !listed
		switch {
		case fenced != nil || indented:
			end()
			b := block{line: i + 1, mark: mark}
			b.lang, b.code, i = code(p.lines, i, fenced)
			p.blocks, mark = append(p.blocks, b), ""
			p.passages = append(p.passages, passage{line: b.line, text: b.code, code: true})
		case comment != nil:
			end()
			mark = comment[1]
		case title != nil:
			end()
			p.anchors[anchor(title[1])] = true
		case strings.TrimSpace(line) == "":
			end()
		default:
			if item.MatchString(line) {
				end()
				listed = true
			} else if open.text == "" && !strings.HasPrefix(line, " ") {
				listed = false
			}
			if open.text == "" {
				open.line = i + 1
			}
			open.text += line + "\n"
		}
		blank = strings.TrimSpace(line) == ""
	}
	end()
	return p
}

// code returns the block that begins at a line, and its last line.
func code(lines []string, first int, fenced []string) (lang, code string, last int) {
	if fenced == nil {
		for last = first; last < len(lines) && (strings.HasPrefix(lines[last], "    ") || lines[last] == ""); last++ {
			code += strings.TrimPrefix(lines[last], "    ") + "\n"
		}
		return "sh", strings.TrimRight(code, "\n") + "\n", last - 1
	}
	for last = first + 1; last < len(lines) && lines[last] != "```"; last++ {
		code += lines[last] + "\n"
	}
	return fenced[1], code, last
}

// anchor returns the anchor that repository hosts give to a heading.
func anchor(title string) string {
	title = regexp.MustCompile(`\]\([^)]*\)`).ReplaceAllString(title, "]")
	title = regexp.MustCompile(`[^\p{L}\p{N} _-]`).ReplaceAllString(strings.ToLower(title), "")
	return strings.ReplaceAll(title, " ", "-")
}

func text(t *testing.T, file string) string {
	t.Helper()
	b, err := os.ReadFile(filepath.FromSlash(file))
	require.NoError(t, err)
	return string(b)
}
