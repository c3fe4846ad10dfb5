package output

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"strings"
	"testing"
	"time"
	"unicode"

	"github.com/clipperhouse/displaywidth"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

type person struct {
	ID   string     `json:"id"`
	Name string     `json:"name"`
	Born time.Time  `json:"born"`
	Died *time.Time `json:"died"`
	Home any        `json:"home"`
}

func people(names ...string) iter.Seq2[person, error] {
	return func(yield func(person, error) bool) {
		for i, name := range names {
			p := person{ID: fmt.Sprintf("%036d", i), Name: name, Born: time.Date(2026, 3, 15, 23, 30, 0, 0, time.UTC)}
			if !yield(p, nil) {
				return
			}
		}
	}
}

var errBroken = errors.New("broken off")

func brokenOff(yield func(person, error) bool) {
	for p, err := range people("Ada") {
		if !yield(p, err) {
			return
		}
	}
	yield(person{}, errBroken)
}

func table() Table[person] {
	return Table[person]{Shown: []string{"id", "name", "born"}, More: []string{"died"}}
}

// written returns the output of List.
func written(t *testing.T, stream Stream, o Options, items iter.Seq2[person, error]) (string, error) {
	t.Helper()
	var text bytes.Buffer
	stream.Writer = &text
	p, err := NewPrinter(stream, o, time.FixedZone("", 3600))
	require.NoError(t, err)
	err = List(p, table(), items)
	return text.String(), err
}

// TestNamesInAQuery: a name in a jq program that the data do not have is null without an error, so that there is a warning.
// It ends the check of a program that makes members of its own.
func TestNamesInAQuery(t *testing.T) {
	t.Parallel()
	for query, unknown := range map[string]string{
		".[].title":                               "title",
		".[].home.street, .[].home.city":          "home.city",
		"map(select(.street == 1))":               "street",
		".[] | .home | .street":                   "",
		".[].died.year":                           "",
		".[] | select(.name | endswith(\".de\"))": "",
		`.[] | "\(.id).zip"`:                      "",
		`.[] | .name | test("\\.com")`:            "",
		"map({n: .hom}) | .[].n":                  "hom",
		`map({"n": .home}) | .[].n`:               "",
		"to_entries[] | .value.nam":               "",
		"[.[] | .score] | add":                    "",
		".[0].Name?":                              "Name",
		`.[] | .["home"].nam`:                     "", // The checker does not follow these.
		`.[] | ."home"?.nam`:                      "",
		`.[] | .["home"] | .nam`:                  "",
		`"home" as $x | .[] | .[$x].nam`:          "",
		`[.[-1].nam, "home."]`:                    "nam",
	} {
		for _, empty := range []bool{false, true} {
			var warnings []string
			var text bytes.Buffer
			p, err := NewPrinter(Stream{Writer: &text}, Options{Query: query}, time.UTC)
			require.NoError(t, err, query)
			p.Warn = func(warning string) { warnings = append(warnings, warning) }
			tab := table()
			tab.Own = map[string]func(person) any{"score": func(person) any { return 1 }}
			all := []person{{Name: "Ada", Home: map[string]any{"street": 1}}}
			if empty {
				all = nil
			}
			require.NoError(t, List(p, tab, Of(all...)), query)
			if unknown == "" || empty {
				assert.Empty(t, warnings, query)
				continue
			}
			assert.Equal(t, []string{"--jq: " + unknown + " is null, because nothing here has such a member. -o json shows the members."}, warnings, query)
		}
	}
}

// hostile has sequences that a terminal interprets: an escape sequence and its one-byte
// form, a title, a bidirectional control, a bell and a line break.
const hostile = "Ada\x1b[31m\u009b2J\x1b]0;owned\x07\u202eevil\r\nroot# \x7f"

func TestControlCharactersAreNotWritten(t *testing.T) {
	t.Parallel()
	for _, format := range Formats() {
		text, err := written(t, Stream{Terminal: true, Width: 200}, Options{Format: format}, people(hostile))
		require.NoError(t, err)
		assert.Empty(t, strings.Map(func(r rune) rune {
			if !isControl(r) && !unicode.Is(unicode.Bidi_Control, r) || r == '\n' {
				return -1
			}
			return r
		}, text), "%s: %q", format, text)
	}
	text, err := written(t, Stream{Terminal: true}, Options{Query: ".[].name"}, people(hostile))
	require.NoError(t, err)
	assert.NotContains(t, text, "\x1b")
	text, err = written(t, Stream{}, Options{Format: "json", Query: ".[].name == " + fmt.Sprintf("%q", "Ada")}, people("Ada"))
	require.NoError(t, err)
	assert.Equal(t, "true\n", text)
}

// TestNamesAsTheyCame: JSON and CSV in a file or a pipe have each character of a name.
func TestNamesAsTheyCame(t *testing.T) {
	t.Parallel()
	name := hostile + "日本語 👩\u200d💻 \U000e0041 \U000323b0 co\u00adop \u200fعلي\u2028"
	for separator, head := range map[string]string{"": "id,name", ";": "id;name"} {
		text, err := written(t, Stream{}, Options{Format: "csv", Separator: separator}, people(name))
		require.NoError(t, err)
		assert.True(t, strings.HasPrefix(text, head), text)
		assert.Contains(t, text, name)
	}
	text, err := written(t, Stream{}, Options{Query: ".[].name"}, people(name))
	require.NoError(t, err)
	assert.Equal(t, name+"\n", text)
	text, err = written(t, Stream{}, Options{Format: "jsonl"}, people(name))
	require.NoError(t, err)
	var decoded person
	require.NoError(t, json.Unmarshal([]byte(text), &decoded))
	assert.Equal(t, name, decoded.Name)
	assert.Equal(t, "\U000323b0 co\u00adop  علي [2J", Clean("\U000323b0 co\u00adop \u2028\u200fعلي \x1b[2J"), "on a terminal")
	for _, o := range []Options{{Format: "csv", Separator: "::"}, {Format: "csv", Separator: "x"}, {Format: "json", Separator: ";"}} {
		_, err := NewPrinter(Stream{}, o, time.UTC)
		require.ErrorContains(t, err, "--separator")
	}
}

// TestATableFitsItsTerminal: no line is too wide, and ids are whole or short.
func TestATableFitsItsTerminal(t *testing.T) {
	t.Parallel()
	const narrowest = 36 + 2*gap + 2*narrow
	for width := 40; width <= 120; width++ {
		text, err := written(t, Stream{Terminal: true, Width: width}, Options{}, people("Grace Brewster Murray Hopper of the United States Navy", "日本語日本語日本語日本語日本語日本語"))
		require.NoError(t, err)
		for line := range strings.Lines(text) {
			assert.LessOrEqual(t, displaywidth.Options{ControlSequences: true}.String(strings.TrimSuffix(line, "\n")), width, "%q", line)
		}
		whole := strings.Contains(text, strings.Repeat("0", 35)+"1 ")
		assert.NotEqual(t, whole, strings.Contains(text, strings.Repeat("0", 8)+"… "), "%d\n%s", width, text)
		assert.Equal(t, width >= narrowest, whole, width)
		assert.Contains(t, text, "NAME")
	}
	text, err := written(t, Stream{}, Options{}, people(strings.Repeat("long ", 100)))
	require.NoError(t, err)
	assert.Contains(t, text, strings.Repeat("long ", 99), "a pipe has no width")
	assert.Contains(t, text, "2026-03-16 00:30", "in the user's zone")
}

func TestAListThatBreaksOff(t *testing.T) {
	t.Parallel()
	for format, want := range map[string]string{"json": `"Ada"`, "jsonl": `"Ada"`, "csv": "Ada", "table": "Ada"} {
		text, err := written(t, Stream{}, Options{Format: format}, brokenOff)
		require.ErrorIs(t, err, errBroken)
		assert.Contains(t, text, want)
		assert.False(t, format == "json" && json.Valid([]byte(text)), "half a list would be taken for all of it")
	}
}

func TestColumns(t *testing.T) {
	t.Parallel()
	_, err := written(t, Stream{}, Options{Columns: []string{"nme"}}, people("Ada"))
	require.ErrorContains(t, err, "There is no column nme. Columns: born, died, home, id, name")
	text, err := written(t, Stream{}, Options{Columns: []string{"died", "home.town", "name"}}, people("Ada"))
	require.NoError(t, err, "what is null may have members")
	assert.Contains(t, text, "Ada")
	_, err = NewPrinter(Stream{}, Options{Format: "csv", Query: "."}, time.UTC)
	require.ErrorContains(t, err, "-o json")
}

// TestColumnsInsideNull: a column that the type does not have is an error, also inside
// null.
func TestColumnsInsideNull(t *testing.T) {
	t.Parallel()
	type outer struct {
		Inner *person `json:"inner"`
	}
	for column, known := range map[string]bool{"inner.name": true, "inner.home.town": true, "inner.nme": false, "inner.born.day": false, "inner": true} {
		err := Table[outer]{}.known([]string{column}, row{members: map[string]any{"inner": nil}})
		assert.Equal(t, known, err == nil, "%s: %v", column, err)
	}
}

// TestAQueryCannotReadTheEnvironment: the environment may have the key.
func TestAQueryCannotReadTheEnvironment(t *testing.T) {
	t.Setenv("HIRING_API_KEY", "sk_live_secret")
	for _, query := range []string{"env", "$ENV"} {
		text, err := written(t, Stream{}, Options{Query: query}, people("Ada"))
		require.NoError(t, err)
		assert.Equal(t, "{}\n", text)
	}
}

func TestProgress(t *testing.T) {
	t.Parallel()
	var text bytes.Buffer
	plain := Stream{Writer: &text}.Progress("invited")
	plain.Show(1, 100, "")
	plain.Note("waiting for the quota until 14:00")
	plain.Say("Line 2 was rejected")
	plain.Clear()
	assert.Equal(t, "Line 2 was rejected\n", text.String(), "only a failure is written without a terminal")

	full := "\r\x1b[K" + strings.Repeat("█", 24) + " invited 100 of 100\r\x1b[K"
	for escapes, want := range map[bool]string{
		true:  "\r\x1b[K" + strings.Repeat("█", 12) + strings.Repeat("░", 12) + " invited 50 of 100\r\x1b[KAda: refused\n" + full,
		false: "Ada: refused\n" + strings.Repeat("█", 24) + " invited 100 of 100\n",
	} {
		text.Reset()
		bar := Stream{Writer: &text, Terminal: true, Escapes: escapes, Width: 50}.Progress("invited")
		bar.Show(50, 100, "")
		bar.Say("Ada: refused")
		bar.Show(100, 100, "")
		bar.Clear()
		assert.Equal(t, want, text.String())
	}
}

// TestSort: numbers before texts, and nothing last. É stands beside E, letter case does
// not count, and numbers in texts do.
func TestSort(t *testing.T) {
	t.Parallel()
	scores := map[string]any{"Ada": 7, "bob": nil, "Cleo": json.Number("12.5"), "Dan": "text", "Eve": 7}
	tab := table()
	tab.Own = map[string]func(person) any{"score": func(p person) any { return scores[p.Name] }}
	for _, c := range []struct{ column, given, want string }{
		{"score", "Ada,bob,Cleo,Dan,Eve", "Ada,Eve,Cleo,Dan,bob"},
		{"-score", "Ada,bob,Cleo,Dan,Eve", "Cleo,Ada,Eve,Dan,bob"},
		{"name", "2026-01-22T23:04:00Z,2026-01-22T00:58:00Z,2026-01-22T01:30:00+01:00", "2026-01-22T01:30:00+01:00,2026-01-22T00:58:00Z,2026-01-22T23:04:00Z"},
		{"name", "Zoe,Éva,eve,Emil,Team 10,Team 9,Łukasz,Lukas", "Emil,Éva,eve,Lukas,Łukasz,Team 9,Team 10,Zoe"},
	} {
		var all []person
		for p := range people(strings.Split(c.given, ",")...) { //nolint:errcheck // a sequence has no error
			all = append(all, p)
		}
		require.NoError(t, Sort(tab, all, c.column))
		var names []string
		for _, p := range all {
			names = append(names, p.Name)
		}
		assert.Equal(t, c.want, strings.Join(names, ","), c.column)
	}
	for _, all := range [][]person{nil, {{Name: "Ada"}}} {
		require.ErrorContains(t, Sort(tab, all, "-nme"), "There is no column nme.")
	}
}

// TestEmptyLists: one line on standard error in every format, and an empty value on standard
// output. An unknown column is an error also then.
func TestEmptyLists(t *testing.T) {
	t.Parallel()
	for format, want := range map[string]string{"json": "[]\n", "jsonl": "", "csv": "id,name,born,died\n", "table": ""} {
		var notes, text bytes.Buffer
		p, err := NewPrinter(Stream{Writer: &text}, Options{Format: format}, time.UTC)
		require.NoError(t, err)
		p.Notes = Stream{Writer: &notes, Terminal: true}
		tab := table()
		tab.Things = "people"
		require.NoError(t, List(p, tab, people()))
		assert.Equal(t, want, text.String(), format)
		assert.Equal(t, "No people.\n", notes.String(), format)
		notes.Reset()
		require.ErrorIs(t, List(p, tab, func(yield func(person, error) bool) { yield(person{}, errBroken) }), errBroken)
		assert.Empty(t, notes.String(), "it is not known whether there are any")
		p.columns = []string{"nme"}
		require.ErrorContains(t, List(p, tab, people()), "There is no column nme.", format)
	}
}

// TestLargeIntegersKeepTheirDigits in every format, also through jq.
func TestLargeIntegersKeepTheirDigits(t *testing.T) {
	t.Parallel()
	const large = "9007199254740993"
	type item struct {
		N json.RawMessage `json:"n"`
	}
	for _, o := range []Options{
		{}, {Format: "json"}, {Format: "jsonl"}, {Format: "csv"}, {Format: "json", Columns: []string{"n"}}, {Query: ".[].n"}, {Format: "jsonl", Query: ".n"},
	} {
		var text bytes.Buffer
		p, err := NewPrinter(Stream{Writer: &text}, o, time.UTC)
		require.NoError(t, err)
		require.NoError(t, List(p, Table[item]{Shown: []string{"n"}}, Of(item{json.RawMessage(large)})))
		assert.Contains(t, text.String(), large, "%+v", o)
	}
}

// TestTablesAreWrittenInParts, so that a list whose output is closed is read no further.
func TestTablesAreWrittenInParts(t *testing.T) {
	t.Parallel()
	for _, format := range Formats() {
		read := 0
		endless := func(yield func(person, error) bool) {
			for yield(person{Name: "Ada"}, nil) {
				read++
			}
		}
		p, err := NewPrinter(Stream{Writer: &closing{writes: 1}}, Options{Format: format}, time.UTC)
		require.NoError(t, err)
		require.ErrorIs(t, List(p, table(), endless), errBroken, format)
		assert.Less(t, read, 2*partRows, format)
	}
}

// closing is a stream that is closed after some writes.
type closing struct{ writes int }

func (c *closing) Write(b []byte) (int, error) {
	if c.writes--; c.writes < 0 {
		return 0, errBroken
	}
	return len(b), nil
}
