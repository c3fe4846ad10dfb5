package main

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/xml"
	"errors"
	"flag"
	"fmt"
	"html"
	"io"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hiring-assessment/hiring-go/sandbox"
)

var update = flag.Bool("update", false, "write testdata anew")

func TestGolden(t *testing.T) {
	t.Parallel()
	server, assessment := world(t)
	text, _ := pageOf(t, server.LiveClient(), assessment)
	const golden = "testdata/report.html"
	if *update {
		require.NoError(t, os.WriteFile(golden, []byte(text), 0o600))
	}
	want, err := os.ReadFile(golden)
	require.NoError(t, err)
	require.Equal(t, string(want), text, "run go test ./examples/reports -update, and look at it, if the change is meant")
}

// TestPageIsWhole checks reports of every size.
func TestPageIsWhole(t *testing.T) {
	t.Parallel()
	server, assessment := world(t)
	none := server.AddAssessment("None")
	one := server.AddAssessment("One")
	evaluate(t, server, one, "Ada", result(70, "high", "craft", 70))
	many := server.AddAssessment("Many")
	for n := range 1_000 {
		evaluate(t, server, many, fmt.Sprintf("Candidate %d", n), result(n%101, []string{"high", "low"}[n%2], "craft", n%101))
	}
	for _, c := range []struct {
		name, assessment string
		evaluated, total int
		reads            int
	}{
		{"none", none, 0, 0, 2},
		{"one", one, 1, 1, 2},
		{"every kind", assessment, 6, 8, 2},
		{"a thousand", many, 1000, 1000, 11},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			text, all := pageOf(t, server.LiveClient(), c.assessment)
			require.Equal(t, c.reads, all.Reads)
			require.Contains(t, text, fmt.Sprintf("<b>%d</b> of %d evaluated", c.evaluated, c.total))
			require.Contains(t, text, fmt.Sprintf("Made for %d of the reads", c.reads))
			require.Equal(t, c.evaluated, strings.Count(text, "<tr>")-strings.Count(text, "<thead><tr>")-figuresTables(c.evaluated), "a row a person")
			wellFormed(t, text)
			distributionAddsUp(t, text, c.evaluated)
		})
	}
}

// figuresTables is the number of rows in the tables of figures.
func figuresTables(evaluated int) int {
	if evaluated == 0 {
		return 0
	}
	return 2 + 4 + 1 // Of scores, areas and confidence.
}

// distributionAddsUp checks that each candidate is in the table of scores or counted as
// omitted.
func distributionAddsUp(t *testing.T, text string, evaluated int) {
	t.Helper()
	if evaluated == 0 {
		require.Contains(t, text, "Nobody is evaluated yet.")
		require.NotContains(t, text, "<svg")
		return
	}
	sum := 0
	for _, row := range regexp.MustCompile(`<tr><th scope="row">(?:In the median|Low confidence)</th>(.*)</tr>`).FindAllStringSubmatch(text, -1) {
		for _, cell := range regexp.MustCompile(`<td>(\d+)</td>`).FindAllStringSubmatch(row[1], -1) {
			n, err := strconv.Atoi(cell[1])
			require.NoError(t, err)
			sum += n
		}
	}
	left := regexp.MustCompile(`shown hatched, and (\d+)\s+without a score`).FindStringSubmatch(text)
	require.Len(t, left, 2)
	none, err := strconv.Atoi(left[1])
	require.NoError(t, err)
	require.Equal(t, evaluated, sum+none)
}

// wellFormed parses the page as XML: every element is closed, every attribute is quoted,
// and no link leads elsewhere.
func wellFormed(t *testing.T, text string) {
	t.Helper()
	decoder := xml.NewDecoder(strings.NewReader(text))
	decoder.Entity = xml.HTMLEntity
	drawings, titles, tables := 0, 0, 0
	for {
		token, err := decoder.Token()
		if errors.Is(err, io.EOF) {
			break
		}
		require.NoError(t, err)
		element, ok := token.(xml.StartElement)
		if !ok {
			continue
		}
		name := element.Name.Local
		require.NotContains(t, []string{"script", "link", "img", "iframe", "object", "embed", "form", "a", "base", "image", "use", "foreignObject", "audio", "video"}, name)
		for _, attr := range element.Attr {
			require.NotRegexp(t, `^(on.*|src|href|srcset|style|action|data)$`, attr.Name.Local)
			require.NotContains(t, attr.Value, "//")
			require.NotRegexp(t, `NaN|Inf`, attr.Value)
			if slices.Contains([]string{"width", "height"}, attr.Name.Local) {
				require.NotContains(t, attr.Value, "-", "a negative length")
			}
		}
		switch name {
		case "svg":
			drawings++
		case "title":
			titles++
		case "table":
			tables++
		}
	}
	require.Equal(t, drawings, titles-1, "each drawing has a title")
	if drawings > 0 {
		require.Equal(t, drawings+1, tables, "each drawing has a table beside it")
	}
	require.NotRegexp(t, `https?:|@import`, text)
	for _, link := range regexp.MustCompile(`url\([^)]*\)`).FindAllString(text, -1) {
		require.Equal(t, "url(#hatch)", link)
	}
}

// TestPolicyAllowsTheStyleAlone computes the hash as a browser does.
func TestPolicyAllowsTheStyleAlone(t *testing.T) {
	t.Parallel()
	server, assessment := world(t)
	text, _ := pageOf(t, server.LiveClient(), assessment)
	policy := regexp.MustCompile(`<meta http-equiv="Content-Security-Policy" content="([^"]*)"/>`).FindStringSubmatch(text)
	require.Len(t, policy, 2)
	styles := regexp.MustCompile(`(?s)<style>(.*?)</style>`).FindAllStringSubmatch(text, -1)
	require.Len(t, styles, 1)
	sum := sha256.Sum256([]byte(styles[0][1]))
	require.Equal(t, "default-src 'none'; style-src 'sha256-"+base64.StdEncoding.EncodeToString(sum[:])+"'; base-uri 'none'; form-action 'none'", html.UnescapeString(policy[1]))
	require.Less(t, strings.Index(text, "Content-Security-Policy"), strings.Index(text, "<title>"), "it holds for what comes after it")
	for _, way := range []string{"prefers-color-scheme: dark", "@media print", "print-color-adjust: exact"} {
		require.Contains(t, styles[0][1], way)
	}
}

// TestHostileTextsAreTexts checks that they are unchanged after unescaping.
func TestHostileTextsAreTexts(t *testing.T) {
	t.Parallel()
	server, assessment := world(t)
	text, _ := pageOf(t, server.LiveClient(), assessment)
	for _, raw := range []string{"<script", "<b>very", "<i>maybe", "<engineers>"} {
		require.NotContains(t, text, raw)
	}
	for _, shown := range []string{hostile, "<b>very</b>", "<i>maybe</i>", "Backend & more <engineers>"} {
		require.Contains(t, html.UnescapeString(text), shown)
	}
	require.NotContains(t, text, "@candidates.test", "addresses are not in it")
}

// TestCandidatesWithoutEnoughDataAreLabelled checks the rows of candidates without enough data.
func TestCandidatesWithoutEnoughDataAreLabelled(t *testing.T) {
	t.Parallel()
	server, assessment := world(t)
	text, _ := pageOf(t, server.LiveClient(), assessment)
	require.Contains(t, text, `<tr><th scope="row">Edsger</th><td>0</td>`, "a real 0 is one")
	require.Contains(t, text, `<tr><th scope="row">Tony</th><td>not enough data</td>`)
	require.Contains(t, text, `<tr><th scope="row">Barbara</th><td class="unsure">62 (low confidence)</td><td>Yes</td><td>low</td><td>60</td><td>not enough data</td><td>not enough data</td><td>not enough data</td></tr>`)
	require.Contains(t, text, "The median of 4 is 55")
	require.Contains(t, text, "Left out: 1 of low confidence, shown hatched, and 1 without a score")
	require.Contains(t, text, "Not finished, and in nothing below: 2 started.")
	require.Contains(t, text, `<tr><th scope="row">Rigor</th><td>71</td><td>3 and 91</td><td>3</td><td>1</td><td>2</td></tr>`)
	require.NotContains(t, text, ">57<", "a score that rests on thin evidence")
}

func TestSampleData(t *testing.T) {
	t.Parallel()
	text, all := pageOf(t, sandbox.Start(t).Client(), sandbox.AssessmentID)
	require.Len(t, all.Submissions, 280)
	require.Equal(t, 4, all.Reads)
	wellFormed(t, text)
	distributionAddsUp(t, text, 260)
}
