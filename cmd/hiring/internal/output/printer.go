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

// Format is how results are written.
type Format string

// The formats. JSON and YAML are one value, JSONLines is a line for each item.
const (
	People    Format = "table"
	JSON      Format = "json"
	JSONLines Format = "jsonl"
	YAML      Format = "yaml"
	CSV       Format = "csv"
)

// Formats returns the formats that --output accepts.
func Formats() []string {
	return []string{string(People), string(JSON), string(JSONLines), string(YAML), string(CSV)}
}

// Options are what the user wants of the output.
type Options struct {
	Format  string   // One of Formats; empty: for people, or JSON when there is a Query.
	Query   string   // A jq program to run over the JSON.
	Columns []string // Of tables and CSV; nil: those of the command.
}

// Printer writes results in the way that the user chose.
type Printer struct {
	Stream

	Done    context.Context // Ends a jq program; nil: nothing does.
	Notes   Stream          // Where it is said that there is nothing; zero: nowhere.
	Format  Format
	zone    *time.Location
	query   *gojq.Code
	columns []string
}

// NewPrinter judges the options. zone is where people want their times in.
func NewPrinter(stream Stream, o Options, zone *time.Location) (*Printer, error) {
	p := &Printer{Stream: stream, Format: Format(o.Format), zone: zone, columns: o.Columns}
	if p.Format == "" {
		p.Format = People
		if o.Query != "" {
			p.Format = JSON
		}
	}
	if !slices.Contains(Formats(), string(p.Format)) {
		return nil, fmt.Errorf("--output %s: choose one of %s%s", Clean(o.Format), strings.Join(Formats(), ", "), didYouMean(Similar(o.Format, Formats()...)))
	}
	tabular := p.Format == People || p.Format == CSV
	if o.Columns != nil && !tabular {
		return nil, errors.New("--columns is for tables and CSV: select JSON members with --jq")
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

// Table says how one kind of thing is shown. A column is the path of a member in
// JSON, as in candidate.email, or has a function of its own.
type Table[T any] struct {
	Things  string        // What they are, as in "invitations".
	None    func() string // What there is to say when there are none; nil: nothing.
	Shown   []string      // To people, unless they choose.
	More    []string      // Besides, in CSV.
	Own     map[string]func(T) any
	Verbose func(*Printer, T) error // How One shows it to people; nil: a line a column.
}

// List writes items as they come, or, where their number decides on the layout, at
// the end. An error ends it: JSON is not written then, for it would be taken for
// all there is; the others hold what came before.
func List[T any](p *Printer, t Table[T], items iter.Seq2[T, error]) error {
	n := 0
	err := list(p, t, func(yield func(T, error) bool) {
		for item, err := range items {
			if n++; !yield(item, err) {
				return
			}
		}
	})
	if err != nil || n > 0 {
		return err
	}
	if p.Format == People && p.Notes.Terminal && t.Things != "" { // A program sees it.
		_, err = fmt.Fprintln(p.Notes, p.Notes.Paint(Faint, "no "+t.Things))
	}
	if t.None != nil && p.Notes.Writer != nil {
		if note := t.None(); note != "" {
			_, err = fmt.Fprintln(p.Notes, Clean(note))
		}
	}
	return err
}

func list[T any](p *Printer, t Table[T], items iter.Seq2[T, error]) error {
	switch p.Format {
	case JSON, YAML:
		return p.writeList(asAny(items))
	case JSONLines:
		return p.writeLines(asAny(items))
	case CSV:
		return p.writeCSV(t.layout(), t.rows(items))
	default:
		return p.writeTable(t.layout(), t.rows(items))
	}
}

// One writes a single thing.
func One[T any](p *Printer, t Table[T], item T) error {
	switch {
	case p.Format == JSON || p.Format == JSONLines || p.Format == YAML:
		return p.WriteJSON(item)
	case p.Format == CSV:
		return p.writeCSV(t.layout(), t.rows(single(item)))
	case t.Verbose != nil && p.columns == nil:
		return t.Verbose(p, item)
	}
	r, err := t.row(item)
	if err != nil {
		return err
	}
	return p.writeFields(t.layout(), r)
}

// Line writes an item of a stream that does not end soon: each is written at once.
func Line[T any](p *Printer, item T) error { return p.writeLines(single[any](item)) }

func single[T any](item T) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) { yield(item, nil) }
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

// writeList collects the encoded items: a list that broke off must not look whole.
func (p *Printer) writeList(items iter.Seq2[any, error]) error {
	all := []json.RawMessage{}
	for item, err := range items {
		if err != nil {
			return err
		}
		text, err := encode(item)
		if err != nil {
			return err
		}
		all = append(all, text)
	}
	return p.WriteJSON(all)
}

func (p *Printer) writeLines(items iter.Seq2[any, error]) error {
	for item, err := range items {
		if err != nil {
			return err
		}
		text, err := encode(item)
		if err != nil {
			return err
		}
		if err := p.write(text, false); err != nil {
			return err
		}
	}
	return nil
}

// WriteJSON writes one value, indented unless it is a line of JSON Lines.
func (p *Printer) WriteJSON(value any) error {
	text, err := encode(value)
	if err != nil {
		return err
	}
	return p.write(text, p.Format != JSONLines)
}

func (p *Printer) write(text []byte, indented bool) error {
	switch {
	case p.query != nil:
		return p.runQuery(text, indented)
	case p.Format == YAML:
		return writeYAML(p, text)
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

// encode keeps <, > and & readable.
func encode(value any) ([]byte, error) {
	var text bytes.Buffer
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false)
	err := encoder.Encode(value)
	return bytes.TrimSuffix(text.Bytes(), []byte("\n")), err
}
