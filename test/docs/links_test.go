package docs_test

import (
	"net/url"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

// TestLinksResolve checks that each relative link has its file and heading, that each
// link to the reference has its name, and that other links are well-formed. It sends no
// request.
func TestLinksResolve(t *testing.T) {
	t.Parallel()
	names, all, links := exported(t), make(map[string]page), 0
	for _, p := range pages(t) {
		all[p.name] = p
	}
	for _, p := range all {
		for _, link := range linksOf(p) {
			links++
			if problem := broken(link, p, all, names); problem != "" {
				t.Errorf("%s: %s: %s", p.name, link, problem)
			}
		}
	}
	assert.Greater(t, links, 50)
}

var (
	markdownLink = regexp.MustCompile(`\]\(([^)\s]+)\)`)
	bareLink     = regexp.MustCompile(`(?:^|[\s<(])(https?://[^\s>)` + "`" + `]+)`)
	codeSpan     = regexp.MustCompile("`[^`\n]+`")
)

// linksOf returns the targets of the links outside code.
func linksOf(p page) []string {
	var links []string
	lines := append([]string(nil), p.lines...)
	for _, b := range p.blocks {
		for i := range strings.Count(b.code, "\n") {
			lines[min(b.line+i, len(lines)-1)] = ""
		}
	}
	prose := codeSpan.ReplaceAllString(strings.Join(lines, "\n"), "code")
	for _, found := range markdownLink.FindAllStringSubmatch(prose, -1) {
		links = append(links, found[1])
	}
	for _, found := range bareLink.FindAllStringSubmatch(markdownLink.ReplaceAllString(prose, "]"), -1) {
		links = append(links, strings.TrimRight(found[1], ".,;:"))
	}
	return links
}

const referencePage = "https://pkg.go.dev/" + module

// broken returns what is wrong with a link.
func broken(link string, from page, all map[string]page, names index) string {
	if rest, ok := strings.CutPrefix(link, referencePage); ok {
		return unknownReference(rest, names)
	}
	target, err := url.Parse(link)
	switch {
	case err != nil:
		return err.Error()
	case target.Scheme == "https" && strings.Contains(target.Host, "."), target.Hostname() == "127.0.0.1":
		return ""
	case target.Scheme != "" || target.Host != "":
		return "give it with https and a host"
	}
	name := from.name
	if target.Path != "" {
		name = path.Join(path.Dir(from.name), target.Path)
	}
	if _, err := os.Stat(filepath.FromSlash(name)); err != nil || strings.HasPrefix(name, "..") {
		return "there is no " + name
	}
	if target.Fragment != "" && !all[name].anchors[target.Fragment] {
		return "no heading of " + name + " is called " + target.Fragment
	}
	return ""
}

// unknownReference checks the part after the module in a link to pkg.go.dev.
func unknownReference(rest string, names index) string {
	folder, name, _ := strings.Cut(strings.TrimPrefix(rest, "/"), "#")
	pkg, known := names[path.Base(path.Join("hiring", folder))]
	if !known {
		return "no package that users import"
	}
	if name != "" && !strings.HasPrefix(name, "hdr-") && !pkg[name] {
		return "the package exports no " + name
	}
	return ""
}

// TestGuidesCanBeFound follows the links from the README.
func TestGuidesCanBeFound(t *testing.T) {
	t.Parallel()
	all, seen := make(map[string]page), make(map[string]bool)
	for _, p := range pages(t) {
		all[p.name] = p
	}
	for todo := []string{"README.md"}; len(todo) > 0; todo = todo[1:] {
		if seen[todo[0]] {
			continue
		}
		seen[todo[0]] = true
		for _, link := range linksOf(all[todo[0]]) {
			file, _, _ := strings.Cut(link, "#")
			name := path.Join(path.Dir(todo[0]), file)
			if _, isFolder := all[path.Join(name, "README.md")]; isFolder {
				name = path.Join(name, "README.md")
			}
			todo = append(todo, name)
		}
	}
	for name := range all {
		if !strings.HasPrefix(name, ".github/") {
			assert.True(t, seen[name], "no way leads from the README to %s", name)
		}
	}
}
