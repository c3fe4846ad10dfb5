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
	for i < len(b) && isDigit(b[i]) {
		n = 10*n + uint64(b[i]-'0')
		i++
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
	if end := d.utc(i); end >= 0 {
		v.Set(d.timeValue)
		return end
	}
	return d.viaJSON(v, i, 0)
}

// utc reads a time such as "2006-01-02T15:04:05.999Z" into d.time. It returns -1 for other
// formats.
func (d *state) utc(i int) int {
	const seconds = len(`"2006-01-02T15:04:05`)
	b := d.b[i:]
	if len(b) < seconds+len(`Z"`) {
		return -1
	}
	t := (*[seconds]byte)(b)
	year, month, day := 100*two(t[1], t[2])+two(t[3], t[4]), two(t[6], t[7]), two(t[9], t[10])
	hour, minute, second := two(t[12], t[13]), two(t[15], t[16]), two(t[18], t[19])
	if t[0] != '"' || t[5] != '-' || t[8] != '-' || t[11] != 'T' || t[14] != ':' || t[17] != ':' ||
		year < 0 || month < 1 || month > 12 || day < 1 || hour|minute|second < 0 || hour > 23 || minute > 59 || second > 59 {
		return -1
	}
	end, nanos := seconds, 0
	if b[end] == '.' {
		end++
		for unit := int(time.Second) / 10; isDigit(at(b, end)); unit /= 10 { // Digits after the ninth are ignored.
			nanos += unit * int(b[end]-'0')
			end++
		}
	}
	d.time = time.Date(year, time.Month(month), day, hour, minute, second, nanos, time.UTC)
	if day > 28 && d.time.Day() != day || b[end-1] == '.' || literal(b, end, `Z"`) < 0 {
		return -1
	}
	return i + end + len(`Z"`)
}

// two returns the value of two digits. For other input it returns a number so low that a
// year computed from it is negative.
func two(tens, ones byte) int {
	if !isDigit(tens) || !isDigit(ones) {
		return -1 << 20
	}
	return 10*int(tens-'0') + int(ones-'0')
}
