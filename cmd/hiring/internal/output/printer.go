package output

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
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
}

// Printer writes results in the chosen format.
type Printer struct {
	Stream

	Done    context.Context // Ends a jq program; may be nil.
	Notes   Stream          // For notes such as "no items"; the zero value discards them.
	Now     func() time.Time
	Pager   string // The command that shows a table longer than the screen; "" means none.
	Format  Format
	zone    *time.Location
	query   *gojq.Code
	columns []string
}

// NewPrinter checks the options. zone is the time zone of tables.
func NewPrinter(stream Stream, o Options, zone *time.Location) (*Printer, error) {
	p := &Printer{Stream: stream, Format: Format(o.Format), zone: zone, columns: o.Columns}
	if p.Format == "" {
		p.Format = People
		if o.Query != "" {
			p.Format = JSON
		}
	}
	if !slices.Contains(Formats(), string(p.Format)) {
		return nil, fmt.Errorf("--output %s: choose one of %s.%s", Clean(o.Format), strings.Join(Formats(), ", "),
			DidYouMean(Similar(o.Format, Formats()...)))
	}
	if o.Query == "" {
		return p, nil
	}
	if p.Format != JSON && p.Format != JSONLines {
		return nil, errors.New("--jq is for JSON: use it with -o json, -o jsonl or without -o")
	}
	var err error
	p.query, err = compile(o.Query)
	return p, err
}

// Table describes how one kind of item is shown. A column is the path of a JSON field, as
// in candidate.email, or has a function of its own.
type Table[T any] struct {
	Things  string   // What the items are, as in "invitations".
	Shown   []string // Columns for people by default.
	More    []string // Additional columns in CSV.
	Own     map[string]func(T) any
	Verbose func(*Printer, T) error // Replaces the lines that One prints for people; may be nil.
}

// Selection is which items of a list are written, and in which order.
type Selection struct {
	Sort  string // Column; in descending order if the name begins with "-". Empty: no order.
	Limit uint   // Number of items; 0 means all.
}

// List writes items as they arrive, or at the end when the layout or the order needs all
// of them. An error ends the list. JSON is not written then, because an incomplete list
// must not look complete. The other formats have the items before the error.
func List[T any](p *Printer, t Table[T], items iter.Seq2[T, error], s Selection) error {
	return p.list(t.untyped(), asAny(items), s)
}

func (p *Printer) list(t untypedTable, items iter.Seq2[any, error], s Selection) error {
	if s.Sort != "" {
		items = t.sorted(items, s.Sort)
	}
	n := uint(0)
	err := p.writeItems(t, func(yield func(any, error) bool) {
		for item, err := range items {
			n++
			if !yield(item, err) || n == s.Limit {
				return
			}
		}
	})
	if err != nil || n > 0 {
		return err
	}
	if p.Format == People && p.Notes.Terminal && t.things != "" { // Programs see an empty list.
		_, err = fmt.Fprintln(p.Notes, p.Notes.Paint(Faint, "no "+t.things))
	}
	return err
}

func (p *Printer) writeItems(t untypedTable, items iter.Seq2[any, error]) error {
	switch p.Format {
	case JSON:
		return p.writeList(p.members(t, items))
	case JSONLines:
		return p.writeLines(p.members(t, items))
	case CSV:
		return p.writeCSV(t.layout, t.rows(items))
	default:
		return p.writeTable(t.layout, t.rows(items))
	}
}

// One writes a single item.
func One[T any](p *Printer, t Table[T], item T) error { return p.one(t.untyped(), item) }

func (p *Printer) one(t untypedTable, item any) error {
	switch {
	case p.Format == JSON || p.Format == JSONLines:
		for chosen, err := range p.members(t, Of(item)) {
			if err != nil {
				return err
			}
			item = chosen
		}
		return p.WriteJSON(item)
	case p.Format == CSV:
		return p.writeCSV(t.layout, t.rows(Of(item)))
	case t.verbose != nil && p.columns == nil:
		return t.verbose(p, item)
	}
	r, err := t.row(item)
	if err != nil {
		return err
	}
	return p.writeFields(t.layout, r)
}

// Lines writes each item at once, as a line of JSON. It requests the next item after it
// has written the one before: a watch then marks that item as delivered in its checkpoint.
//
// The first line begins with a newline when the output is a file that does not end in one.
// A full disk or a crash may have torn the last line of an earlier run.
func Lines[T any](p *Printer, items iter.Seq2[T, error]) error {
	if p.endsTorn() {
		if _, err := p.Write([]byte("\n")); err != nil {
			return err
		}
	}
	return p.writeLines(p.members(Table[T]{}.untyped(), asAny(items)))
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

func asAny[T any](items iter.Seq2[T, error]) iter.Seq2[any, error] {
	return func(yield func(any, error) bool) {
		for item, err := range items {
			if !yield(item, err) {
				return
			}
		}
	}
}

// writeList collects all encoded items before it writes, so that an incomplete list does
// not look complete.
func (p *Printer) writeList(items iter.Seq2[any, error]) error {
	all := []json.RawMessage{}
	err := each(items, func(text []byte) error {
		all = append(all, text)
		return nil
	})
	if err != nil {
		return err
	}
	return p.WriteJSON(all)
}

func (p *Printer) writeLines(items iter.Seq2[any, error]) error {
	return each(items, func(text []byte) error { return p.write(text, false) })
}

// each calls write with each item as JSON.
func each(items iter.Seq2[any, error], write func([]byte) error) error {
	for item, err := range items {
		var text []byte
		if err == nil {
			text, err = encode(item)
		}
		if err == nil {
			err = write(text)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// members returns the items with only the members that the user chose, if any.
func (p *Printer) members(t untypedTable, items iter.Seq2[any, error]) iter.Seq2[any, error] {
	if p.columns == nil {
		return items
	}
	return func(yield func(any, error) bool) {
		first := true
		for r, err := range t.rows(items) {
			if err == nil && first {
				err = t.layout.known(p.columns, &r)
			}
			first = false
			var text []byte
			if err == nil {
				text, err = r.encode(p.columns)
			}
			if !yield(json.RawMessage(text), err) || err != nil {
				return
			}
		}
	}
}

// encode returns columns as a JSON object, in their order.
func (r row) encode(columns []string) ([]byte, error) {
	text := []byte("{")
	for i, column := range columns {
		name, err := encode(column)
		if err != nil {
			return nil, err
		}
		value, err := encode(r.value(column))
		if err != nil {
			return nil, err
		}
		if i > 0 {
			text = append(text, ',')
		}
		text = append(append(append(text, name...), ':'), value...)
	}
	return append(text, '}'), nil
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
