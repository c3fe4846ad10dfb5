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

// instant reads a time in the layout of the API. That is faster than with package time,
// because few dates occur on a page and recent ones are kept. Other layouts are read by
// json/v2.
func (d *state) instant(v reflect.Value, i int) int {
	const layout = `"2006-01-02T15:04:05.000Z"`
	end := i + len(layout)
	if end > len(d.b) {
		return d.viaJSON(v, i, 0)
	}
	b := d.b[i:end]
	midnight, ok := d.midnight(b[1:11])
	hour, minute, second, milli := decimal(b[12:14]), decimal(b[15:17]), decimal(b[18:20]), decimal(b[21:24])
	if !ok || hour > 23 || minute > 59 || second > 59 || milli > 999 ||
		[...]byte{b[0], b[11], b[14], b[17], b[20], b[24], b[25]} != [...]byte{'"', 'T', ':', ':', '.', 'Z', '"'} {
		return d.viaJSON(v, i, 0)
	}
	t := v.Addr().Interface().(*time.Time)
	*t = time.Unix(midnight+3600*hour+60*minute+second, milli*int64(time.Millisecond)).UTC()
	return end
}

// date is a date and the Unix time at which it begins.
type date struct {
	text string
	unix int64
}

// midnight returns the Unix time at which a date begins.
func (d *state) midnight(b []byte) (unix int64, ok bool) {
	recent := &d.dates[b[len(b)-1]%byte(len(d.dates))]
	if recent.text != string(b) {
		t, err := time.Parse(time.DateOnly, string(b))
		if err != nil {
			return 0, false
		}
		*recent = date{d.share(b), t.Unix()}
	}
	return recent.unix, true
}

// decimal returns the value of at most three digits, or more than 999 for other bytes.
func decimal(b []byte) (n int64) {
	for _, c := range b {
		if !isDigit(c) {
			return 1000
		}
		n = 10*n + int64(c-'0')
	}
	return n
}
