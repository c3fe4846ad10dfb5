package fastjson

import (
	"math"
	"reflect"
	"time"
)

// integer reads a whole number. Numbers with a fraction or an exponent are read by
// json/v2.
func (d *state) integer(v reflect.Value, i int) int {
	from := i
	b, limit, negative := d.b, uint64(math.MaxInt64), at(d.b, i) == '-'
	if negative {
		limit++
		i++
	}
	start, n := i, uint64(0)
	for ; i < len(b) && isDigit(b[i]); i++ {
		n = 10*n + uint64(b[i]-'0')
	}
	if c := at(b, i); c == '.' || c == 'e' || c == 'E' {
		return d.viaJSON(v, from, 0)
	}
	signed := int64(n)
	if negative {
		signed = -signed
	}
	if i == start || i > start+19 || i > start+1 && b[start] == '0' || n > limit || v.OverflowInt(signed) {
		return -1
	}
	v.SetInt(signed)
	return i
}

// instant reads a time in UTC. Times in other formats are read by json/v2.
func (d *state) instant(v reflect.Value, i int) int {
	const seconds = `"2006-01-02T15:04:05`
	b, end, nanos := d.b[i:], len(seconds), 0
	if len(b) <= end || b[0] != '"' || b[5] != '-' || b[8] != '-' || b[11] != 'T' || b[14] != ':' || b[17] != ':' {
		return d.viaJSON(v, i, 0)
	}
	year, month, day := 100*two(b[1:])+two(b[3:]), two(b[6:]), two(b[9:])
	hour, minute, second := two(b[12:]), two(b[15:]), two(b[18:])
	if b[end] == '.' {
		end++
		for unit := int(time.Second) / 10; isDigit(at(b, end)); unit /= 10 { // Digits after the ninth are ignored.
			nanos += unit * int(b[end]-'0')
			end++
		}
	}
	t := time.Date(year, time.Month(month), day, hour, minute, second, nanos, time.UTC)
	if year < 0 || month < 1 || month > 12 || day < 1 || day > 28 && t.Day() != day || hour|minute|second < 0 ||
		hour > 23 || minute > 59 || second > 59 || b[end-1] == '.' || literal(b, end, `Z"`) < 0 {
		return d.viaJSON(v, i, 0)
	}
	*v.Addr().Interface().(*time.Time) = t
	return i + end + len(`Z"`)
}

// two reads two digits. For other input it returns a number so low that a year computed
// from it is negative.
func two(b []byte) int {
	if !isDigit(b[0]) || !isDigit(b[1]) {
		return -1 << 20
	}
	return 10*int(b[0]-'0') + int(b[1]-'0')
}
