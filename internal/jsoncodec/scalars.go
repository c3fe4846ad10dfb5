package jsoncodec

import (
	"bytes"
	"errors"
	"reflect"
	"strconv"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// scalars read numbers and times that json/v2 rejects although their meaning is clear:
// whole numbers written as 1.0 or 1e2, and leap seconds. They reject what is too long:
// the errors of json/v2 and package time contain copies of what they could not read.
var scalars = json.JoinUnmarshalers(
	scalar('0', maxNumber, errNotWhole, readWhole[int]),
	scalar('0', maxNumber, errNotWhole, readWhole[int64]),
	scalar('0', maxNumber, nil, func(raw []byte) (float64, error) { return strconv.ParseFloat(string(raw), 64) }),
	scalar('"', maxTime, nil, readTime),
)

// maxNumber is the longest number that is read, in bytes, and maxTime the longest time.
const (
	maxNumber = 1000
	maxTime   = 1000
)

// scalar returns an unmarshaler that reads the values of a kind, up to maxLength bytes, with
// read. The error of read, which may quote the value, is replaced by reason.
func scalar[T any](kind jsontext.Kind, maxLength int, reason error, read func(raw []byte) (T, error)) *json.Unmarshalers {
	return json.UnmarshalFromFunc(func(d *jsontext.Decoder, v *T) error {
		if d.PeekKind() != kind {
			return skip
		}
		raw, err := d.ReadValue()
		if err != nil {
			return err
		}
		var value T
		if len(raw) <= maxLength {
			value, err = read(raw)
		}
		if err != nil || len(raw) > maxLength {
			return &json.SemanticError{JSONKind: kind, GoType: reflect.TypeFor[T](), Err: reason}
		}
		*v = value
		return nil
	})
}

func readWhole[T int | int64](raw []byte) (T, error) {
	n, err := whole(string(raw))
	if err == nil && int64(T(n)) != n {
		err = errNotWhole
	}
	return T(n), err
}

var (
	errNotWhole = errors.New("not a whole number in range")
	errNoYear   = errors.New("not a year that JSON can represent")
)

// whole returns the value of a JSON number that is a whole number.
func whole(text string) (int64, error) {
	if !strings.ContainsAny(text, ".eE") {
		return strconv.ParseInt(text, 10, 64)
	}
	mantissa, power, _ := strings.Cut(strings.ToLower(text), "e")
	whole, fraction, _ := strings.Cut(mantissa, ".")
	digits := strings.TrimRight(whole+fraction, "0")
	if strings.Trim(digits, "-0") == "" {
		return 0, nil
	}
	exponent := 0
	if power != "" {
		var err error
		if exponent, err = strconv.Atoi(power); err != nil {
			return 0, err
		}
	}
	zeros := len(whole) - len(digits) // Zeros to append; negative if the number has a fraction.
	zeros += min(max(exponent, -2*maxNumber), 2*maxNumber)
	if zeros < 0 || zeros > maxNumber {
		return 0, errNotWhole
	}
	return strconv.ParseInt(digits+strings.Repeat("0", zeros), 10, 64)
}

const (
	leapSecond = ":60"
	day        = 24 * 60 * 60 // In seconds.
)

// readTime reads a leap second as the second after it, because time.Time has no leap
// seconds.
func readTime(raw []byte) (time.Time, error) {
	const at = len(`"2006-01-02T15:04`)
	var leap time.Duration
	if len(raw) > at && bytes.HasPrefix(raw[at:], []byte(leapSecond)) {
		raw = bytes.Clone(raw)
		copy(raw[at:], ":59")
		leap = time.Second
	}
	read, err := parseTime(raw)
	read = read.Add(leap)
	if _, offset := read.Zone(); offset <= -day || offset >= day {
		read = read.UTC() // RFC 3339 has no such offset, so the time could not be encoded.
	}
	if err == nil && (read.Year() < 0 || read.Year() > 9999) {
		err = errNoYear
	}
	return read, err
}

// parseTime reads a JSON string as a time. A string without escapes needs no decoder,
// which saves an allocation per time.
func parseTime(raw []byte) (read time.Time, err error) {
	if bytes.IndexByte(raw, '\\') >= 0 {
		err = json.Unmarshal(raw, &read)
		return read, err
	}
	err = read.UnmarshalText(raw[1 : len(raw)-1])
	return read, err
}
