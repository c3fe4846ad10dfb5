package docs_test

import (
	"cmp"
	"go/ast"
	"go/parser"
	"go/token"
	"path"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

var (
	docLink    = regexp.MustCompile(`(?:^|[\s(])\[\*?(?:([a-z]+)\.)?([A-Z]\w*(?:\.[A-Z]\w*)?)\]`)
	guideNamed = regexp.MustCompile(`\bdocs/[\w/-]+\.md\b`)
)

// TestReferencesInCommentsExist checks the links in the comments of public packages, and
// the guides that comments mention.
func TestReferencesInCommentsExist(t *testing.T) {
	t.Parallel()
	names, links, mentions := exported(t), 0, 0
	for of, dir := range packages {
		files, err := filepath.Glob(filepath.Join(dir, "*.go"))
		require.NoError(t, err)
		for _, file := range files {
			if strings.HasSuffix(file, "_test.go") {
				continue
			}
			parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.ParseComments|parser.SkipObjectResolution)
			require.NoError(t, err)
			for _, comment := range parsed.Comments {
				links += checkDocLinks(t, names, of, file, comment)
				for _, guide := range guideNamed.FindAllString(comment.Text(), -1) {
					mentions++
					assert.True(t, fileExists(path.Join(dir, "x"), guide), "%s: there is no %s", file, guide)
				}
			}
		}
	}
	assert.Greater(t, links, 100)
	assert.Greater(t, mentions, 3)
}

func checkDocLinks(t *testing.T, names index, of, file string, comment *ast.CommentGroup) (links int) {
	t.Helper()
	for _, link := range docLink.FindAllStringSubmatch(comment.Text(), -1) {
		pkg := cmp.Or(link[1], of)
		if names[pkg] == nil { // Of the standard library, or of River.
			continue
		}
		links++
		defined := strings.Contains(comment.Text(), "["+link[2]+"]: http")
		assert.True(t, defined || names[pkg][link[2]], "%s: %s exports no %s", file, pkg, link[2])
	}
	return links
}
