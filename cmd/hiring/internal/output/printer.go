package output

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/itchyny/gojq"
)

// Format is an output format.
type Format string

// The formats. JSON writes one value, JSONLines one line for each item.
const (
	People    Format = "table"
	JSON      Format = "json"
	JSONLines Format = "jsonl"
	CSV       Format = "csv"
)

// Formats returns the formats that --output accepts.
func Formats() []string {
	return []string{string(People), string(JSON), string(JSONLines), string(CSV)}
}

// Options are the user's choices of output.
type Options struct {
	Format  string   // One of Formats; empty means People, or JSON with a Query.
	Query   string   // A jq program to run over the JSON.
	Columns []string // Columns of tables and CSV, or members of JSON; nil means the defaults.
	BOM     bool     // CSV begins with a byte order mark, which Excel needs to read UTF-8.

	Separator string // Of the cells of CSV; empty means a comma.
}

// Printer writes results in the chosen format.
type Printer struct {
	Stream

	Context context.Context // Ends a jq program.
	Notes   Stream          // For notes such as "No items."; the zero value discards them.
	Warn    func(string)    // Prints a warning about a query, once.
	Format  Format
	Empty   bool // The last list had no items.
	zone    *time.Location
	query   *gojq.Code
	columns []string
	bom     bool
	names   []string // Of the members that the query reads.

	separator rune // Of the cells of CSV.
}

// NewPrinter checks the options. zone is the time zone of tables.
func NewPrinter(stream Stream, o Options, zone *time.Location) (*Printer, error) {
	p := &Printer{Stream: stream, Format: Format(strings.ToLower(o.Format)), zone: zone, columns: o.Columns, bom: o.BOM, separator: ',', Context: context.Background(), Warn: func(string) {}}
	if p.Format == "" {
		p.Format = People
		if o.Query != "" {
			p.Format = JSON
		}
	}
	switch {
	case o.Query != "" && p.Format != JSON && p.Format != JSONLines:
		return nil, errors.New("--jq is for JSON: leave out -o, or use -o json, -o jsonl or a file that ends so, and for CSV with @csv, as in '.[] | [.id, .created_at] | @csv'")
	case !slices.Contains(Formats(), string(p.Format)):
		return nil, fmt.Errorf("--output %s: choose one of %s", Clean(o.Format), strings.Join(Formats(), ", "))
	case (o.BOM || o.Separator != "") && p.Format != CSV:
		return nil, errors.New("--bom and --separator are for CSV that is written: use them with -o csv")
	case len(o.Separator) > 1 || !strings.Contains(",;|\t", o.Separator):
		return nil, errors.New("--separator: choose one of , ; | and a tab, as in $'\\t'")
	case o.Query != "" && o.Columns != nil:
		picked := "pick(." + Clean(strings.Join(o.Columns, ", .")) + ")"
		return nil, fmt.Errorf("--columns and --jq exclude each other: the program selects members, as in --jq 'map(%s)' of a list, or %s of one thing", picked, picked)
	case o.Separator != "":
		p.separator = rune(o.Separator[0])
	}
	if o.Query == "" {
		return p, nil
	}
	var err error
	p.query, err = compile(o.Query)
	p.names = namesInQuery(o.Query)
	return p, err
}

// List writes items as they arrive. An error ends the output where it is: JSON then has no
// closing bracket, so that an incomplete list does not look complete.
func List[T any](p *Printer, t Table[T], items iter.Seq2[T, error]) error {
	none := true
	rows := func(yield func(row, error) bool) {
		for item, err := range items {
			r := t.row(item)
			if none && err == nil {
				err = t.known(p.columns, r)
			}
			none = false
			if !yield(r, err) || err != nil {
				return
			}
		}
		if err := t.known(p.columns, row{}); none && err != nil {
			yield(row{}, err)
		}
	}
	err := writeRows(p, t, rows)
	if p.Empty = none; err != nil || !none || t.Things == "" || !p.Notes.Terminal {
		return err
	}
	_, err = fmt.Fprintln(p.Notes, p.Notes.Paint(Faint, "No "+t.Things+"."))
	return err
}

func writeRows[T any](p *Printer, t Table[T], rows iter.Seq2[row, error]) error {
	switch p.Format {
	case JSON:
		return p.writeArray(rows)
	case JSONLines:
		return each(rows, func(r row) error { return p.write(p.encoded(r), false) })
	case CSV:
		return p.writeCSV(p.selected(slices.Concat(t.Shown, t.More)), rows)
	default:
		return p.writeTable(p.selected(t.Shown), rows)
	}
}

// One writes a single item.
func One[T any](p *Printer, t Table[T], item T) error {
	r, columns := t.row(item), p.selected(slices.Concat(t.Shown, t.More))
	if err := t.known(p.columns, r); err != nil {
		return err
	}
	switch {
	case p.Format == JSON || p.Format == JSONLines:
		return p.write(p.encoded(r), p.Format == JSON)
	case p.Format == CSV:
		return p.writeCSV(columns, Of(r))
	case t.Verbose != nil && p.columns == nil:
		return t.Verbose(p, item)
	}
	return p.writeFields(columns, r)
}

// Lines writes each item at once, as a line of JSON, or for people as a line with the columns of
// a table. It requests the next item after it has written the one before: a watch then marks
// that item as delivered in its checkpoint.
func Lines[T any](p *Printer, t Table[T], items iter.Seq2[T, error]) error {
	if p.Format != People {
		p.Format, t.Things, p.Writer = JSONLines, "", &wholeLines{Writer: p.Writer}
		return List(p, t, items)
	}
	return each(items, func(item T) error {
		r := t.row(item)
		if err := t.known(p.columns, r); err != nil {
			return err
		}
		return p.writeLine(p.selected(t.Shown), r)
	})
}

// Of returns a list of items that are known already.
func Of[T any](items ...T) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		for _, item := range items {
			if !yield(item, nil) {
				return
			}
		}
	}
}

// selected returns the columns that the user chose, or else the given ones.
func (p *Printer) selected(otherwise []string) []string {
	if p.columns != nil {
		return p.columns
	}
	return otherwise
}

// encoded returns an item as JSON, with only the members that the user chose, if any.
func (p *Printer) encoded(r row) []byte {
	if p.columns != nil {
		return r.encode(p.columns)
	}
	return r.text
}

// each calls write with each item until an error.
func each[T any](items iter.Seq2[T, error], write func(T) error) error {
	for item, err := range items {
		if err == nil {
			err = write(item)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// writeArray writes the items of a JSON array as they arrive. A jq program needs all of
// them first.
func (p *Printer) writeArray(rows iter.Seq2[row, error]) error {
	if p.query != nil {
		all := []json.RawMessage{}
		for r, err := range rows {
			if err != nil {
				return err
			}
			all = append(all, p.encoded(r))
		}
		return p.WriteJSON(all)
	}
	before, end := "[\n  ", "[]\n"
	err := each(rows, func(r row) error {
		var item bytes.Buffer
		item.WriteString(before)
		before, end = ",\n  ", "\n]\n"
		if err := json.Indent(&item, p.encoded(r), "  ", "  "); err != nil {
			return err
		}
		_, err := p.Write(cleanJSON(item.Bytes()))
		return err
	})
	if err != nil {
		return err
	}
	_, err = io.WriteString(p, end)
	return err
}

// WriteJSON writes one value, indented except in JSON Lines.
func (p *Printer) WriteJSON(value any) error {
	text, err := encode(value)
	if err != nil {
		return err
	}
	return p.write(text, p.Format != JSONLines)
}

func (p *Printer) write(text []byte, indented bool) error {
	if p.query != nil {
		return p.runQuery(text, indented)
	}
	return writeValue(p, text, indented)
}

func writeValue(w io.Writer, text []byte, indented bool) error {
	var line bytes.Buffer
	arrange := json.Compact
	if indented {
		arrange = func(dst *bytes.Buffer, src []byte) error { return json.Indent(dst, src, "", "  ") }
	}
	if err := arrange(&line, text); err != nil {
		return err
	}
	_, err := w.Write(append(cleanJSON(line.Bytes()), '\n'))
	return err
}

// encode encodes a value as JSON without escaping <, > and &.
func encode(value any) ([]byte, error) {
	var text bytes.Buffer
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false)
	err := encoder.Encode(value)
	return bytes.TrimSuffix(text.Bytes(), []byte("\n")), err
}

// decode decodes JSON and keeps all digits of its numbers.
func decode(text []byte, into any) error {
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber()
	return decoder.Decode(into)
}

func compile(query string) (*gojq.Code, error) {
	parsed, err := gojq.Parse(query)
	if err == nil {
		// Without an environment loader, a program cannot read the key with $ENV.
		var code *gojq.Code
		if code, err = gojq.Compile(parsed); err == nil {
			return code, nil
		}
	}
	return nil, fmt.Errorf("--jq: %s", Clean(strings.TrimSpace(err.Error())))
}

// runQuery writes each result on its own lines. Strings are not quoted, as with jq -r.
func (p *Printer) runQuery(text []byte, indented bool) error {
	var value any
	if err := decode(text, &value); err != nil {
		return err
	}
	p.warnOfUnknown(value)
	results := p.query.RunWithContext(p.Context, value)
	for result, ok := results.Next(); ok; result, ok = results.Next() {
		if p.Context.Err() != nil {
			return p.Context.Err()
		}
		if err, failed := result.(error); failed {
			return fmt.Errorf("--jq: %s: a list is an array, as in '.[].id', one thing and with -o jsonl each item is an object, as in .id, and api has both in data, as in '.data[].id'", Clean(strings.TrimSpace(err.Error())))
		}
		if err := p.writeResult(result, indented); err != nil {
			return err
		}
	}
	return nil
}

var (
	plainString = regexp.MustCompile(`"[^"\\]*"`) // Without an interpolation.
	memberPath  = regexp.MustCompile(`(?:^|[^\w)"])((?:\.[A-Za-z_]\w*(?:\[\d*\])?\??)+)`)
	makes       = regexp.MustCompile(`\\\\|\.\.|entries|values|match|capture|fromjson|env`)
	otherStep   = regexp.MustCompile(`\.""|[.\w)\]"?]\[[^\]\d:-]`) // Of a path, as in ."a b" and .[$name].
)

// namesInQuery returns the names of the members that a jq program reads, each behind the name of the member that has it, as
// in plan.id and .id, without those that it makes. There are none where a step of a path is in quotes or computed.
func namesInQuery(query string) (names []string) {
	bare := plainString.ReplaceAllString(query, `""`)
	for _, path := range memberPath.FindAllStringSubmatch(bare, -1) {
		owner := ""
		for name := range strings.SplitSeq(path[1][1:], ".") {
			name, _, _ = strings.Cut(strings.TrimSuffix(name, "?"), "[")
			if !makes.MatchString(query) && !otherStep.MatchString(bare) && !strings.Contains(strings.ReplaceAll(query, `"`, ""), name+":") {
				names = append(names, owner+"."+name)
			}
			owner = name
		}
	}
	return names
}

// warnOfUnknown warns of names in the query that the first value does not have: jq takes them for null. The first name of a
// path may be that of a member of any other that the query names.
func (p *Printer) warnOfUnknown(value any) {
	known := make(map[string]bool)
	addNames(value, "", known)
	for _, path := range p.names {
		owner, name, _ := strings.Cut(path, ".")
		found := slices.ContainsFunc(append(p.names, "."), func(other string) bool {
			_, last, _ := strings.Cut(other, ".")
			return other != path && (owner == "" || owner == last) && (known[last+"."+name] || known[last+".null"])
		})
		if !found && len(known) > 0 {
			advice := "-o json shows the members."
			for member := range known { // As in candidate_email of CSV in other programs.
				if strings.ReplaceAll(member, ".", "_") == name {
					advice = "The member is ." + member + "."
				}
			}
			p.Warn("--jq: " + strings.TrimPrefix(path, ".") + " is null, because nothing here has such a member. " + advice)
		}
	}
	p.names = nil
}

// addNames adds the names of the members of a value and of all values in it, behind the name of the member that has them.
// A null may have any.
func addNames(value any, owner string, names map[string]bool) {
	switch v := value.(type) {
	case nil:
		names[owner+".null"] = true
	case map[string]any:
		for name, inner := range v {
			names[owner+"."+name] = true
			addNames(inner, name, names)
		}
	case []any:
		for _, inner := range v {
			addNames(inner, owner, names)
		}
	}
}

func (p *Printer) writeResult(result any, indented bool) error {
	if bare, ok := result.(string); ok {
		if p.Terminal {
			bare = CleanLines(bare)
		}
		_, err := fmt.Fprintln(p, bare)
		return err
	}
	text, err := gojq.Marshal(result)
	if err != nil {
		return err
	}
	return writeValue(p, text, indented)
}
