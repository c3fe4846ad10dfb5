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

// The tests of docs_*_test.go hold every Markdown file of the repository against
// the code: docs_code_test.go what stands in code blocks, docs_links_test.go
// where links lead, docs_text_test.go names, repetitions and length.

// page is a Markdown file, cut up.
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
	lang string // "sh" for what is indented instead of fenced.
	mark string // Of the comment before it: <!-- code: example_test.go, ExampleError -->.
	code string
}

// passage is a paragraph, an item of a list, a table or a code block: what a reader
// would notice if it stood somewhere else too.
type passage struct {
	line int
	text string
	code bool
}

// pages are the Markdown files of the repository, its other modules included.
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

func pageNamed(t *testing.T, name string) page {
	t.Helper()
	return cut(name, text(t, name))
}

var (
	codeMark = regexp.MustCompile(`^<!-- code: (.+) -->$`)
	fence    = regexp.MustCompile("^```([a-z]*)$")
	heading  = regexp.MustCompile(`^#{1,6} (.+)$`)
	item     = regexp.MustCompile(`^ *([-*]|\d+\.) `)
)

// cut reads the Markdown that the repository is written in, which is little of it.
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

// code is the block that begins in a line, and its last line.
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

// anchor is the name by which the usual hosts of repositories link to a heading.
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
