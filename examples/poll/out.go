package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"

	hiring "github.com/hiring-assessment/hiring-go"
)

// output takes the lines.
type output struct {
	to   io.Writer
	file *os.File     // Nil: what to writes to is not this program's.
	sync func() error // Makes what was written last. Nil: not for a pipe or a device.
}

// openOutput opens a file to append to, or uses standard output.
func openOutput(name string, stdout io.Writer) (*output, error) {
	if name == "" {
		return &output{to: stdout}, nil
	}
	file, err := os.OpenFile(name, os.O_RDWR|os.O_CREATE|os.O_APPEND, 0o600)
	if err != nil {
		return nil, err
	}
	o := &output{to: file, file: file}
	if err := o.prepare(); err != nil {
		_ = file.Close() // Nothing was written.
		return nil, err
	}
	syncFolder(filepath.Dir(name))
	return o, nil
}

// prepare makes a file that lasts ready for the next line. A pipe or a device is
// ready as it is.
func (o *output) prepare() error {
	info, err := o.file.Stat()
	if err != nil {
		return err
	}
	if !info.Mode().IsRegular() {
		return nil
	}
	o.sync = o.file.Sync
	return o.mend(info.Size())
}

// syncFolder makes the name of a new file last. Not every system can: then the
// file may be lost with a power failure right after it was made, and is made again.
func syncFolder(name string) {
	folder, err := os.Open(name)
	if err != nil {
		return
	}
	_ = folder.Sync()
	_ = folder.Close()
}

// discards reports whether a writer is the null device, which the runtime puts in
// the place of a standard output that is closed.
func discards(w io.Writer) bool {
	file, ok := w.(*os.File)
	if !ok {
		return false
	}
	null, err := os.Stat(os.DevNull)
	if err != nil {
		return false
	}
	info, err := file.Stat()
	return err != nil || os.SameFile(info, null)
}

// longestLine is far beyond what a line can be.
const longestLine = 1 << 20

// mend cuts off the beginning of a line that a crash or a full disk has left at
// the end of the file. Its submission was not saved as delivered, so it comes again.
func (o *output) mend(size int64) error {
	tail := make([]byte, min(size, longestLine))
	if _, err := o.file.ReadAt(tail, size-int64(len(tail))); err != nil {
		return err
	}
	torn := tail[bytes.LastIndexByte(tail, '\n')+1:]
	if len(torn) == 0 {
		return nil
	}
	if torn[0] != '{' || len(torn) == longestLine {
		return fmt.Errorf("%s does not end with a line of this program: choose another file", o.file.Name())
	}
	return o.file.Truncate(size - int64(len(torn)))
}

// write returns when all lines are written and, in a file, on the disk.
func (o *output) write(submissions []hiring.Submission) error {
	var lines bytes.Buffer
	encoder := json.NewEncoder(&lines)
	encoder.SetEscapeHTML(false)
	for i := range submissions {
		if err := encoder.Encode(resultOf(&submissions[i])); err != nil {
			return err
		}
	}
	if lines.Len() == 0 {
		return nil
	}
	if _, err := o.to.Write(escaped(lines.String())); err != nil {
		return fmt.Errorf("results cannot be written: %w", err)
	}
	if o.sync == nil {
		return nil
	}
	if err := o.sync(); err != nil {
		return fmt.Errorf("results cannot be written: %w", err)
	}
	return nil
}

// escaped replaces what a terminal would obey and JSON leaves as it is, within
// strings, with what means the same in JSON: names come from outside.
func escaped(lines string) []byte {
	var b []byte
	for _, r := range lines {
		if unicode.IsGraphic(r) || r == '\n' {
			b = utf8.AppendRune(b, r)
			continue
		}
		for _, unit := range utf16.AppendRune(nil, r) {
			b = fmt.Appendf(b, `\u%04x`, unit)
		}
	}
	return b
}

func (o *output) close() error {
	if o.file == nil {
		return nil
	}
	return o.file.Close()
}
