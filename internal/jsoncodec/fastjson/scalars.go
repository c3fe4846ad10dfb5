package fastjson

import (
	"math"
	"reflect"
	"strconv"
	"time"
)

// readBool reads true or false.
func readBool(d *Decoder, to *bool, i, _ int) int {
	switch at(d.b, i) {
	case 't':
		*to = true
		return literal(d.b, i, "true")
	case 'f':
		*to = false
		return literal(d.b, i, "false")
	}
	return null(d, to, i)
}

// readString reads a string.
func readString(d *Decoder, to *string, i, _ int) int {
	if at(d.b, i) != '"' {
		return null(d, to, i)
	}
	end, plain := quoted(d.b, i)
	if end >= 0 {
		*to = d.share(d.unquote(d.b[i:end], plain))
	}
	return end
}

// readInt reads a whole number.
func readInt[N int | int64](d *Decoder, to *N, i, _ int) int {
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
	if i == from {
		return null(d, to, i)
	}
	signed := int64(n)
	if negative {
		signed = -signed
	}
	if i == start || i > start+19 || i > start+1 && b[start] == '0' || n > limit || int64(N(signed)) != signed {
		return -1
	}
	*to = N(signed)
	return i
}

// readFloat reads a number.
func readFloat(d *Decoder, to *float64, i, _ int) int {
	if at(d.b, i) == 'n' {
		return null(d, to, i)
	}
	end := max(i, number(d.b, i))
	f, err := strconv.ParseFloat(string(d.b[i:end]), 64)
	if err != nil {
		return -1
	}
	*to = f
	return end
}

// readRaw reads a value as received, also null.
func readRaw(d *Decoder, to *[]byte, i, depth int) int {
	end := d.skip(i, depth)
	if end >= 0 {
		*to = d.keep(d.b[i:end])
	}
	return end
}

// readRawMessage reads a value as received. Null becomes nil.
func readRawMessage(d *Decoder, to *[]byte, i, depth int) int {
	if at(d.b, i) == 'n' {
		return null(d, to, i)
	}
	return readRaw(d, to, i, depth)
}

// readTimePointer reads a time into a pointer, which null makes nil. The times of a body share
// chunks, because a resource has several.
func readTimePointer(d *Decoder, to **time.Time, i, depth int) int {
	if at(d.b, i) == 'n' {
		return null(d, to, i)
	}
	if *to == nil {
		*to = d.newTime()
	}
	return readTime(d, *to, i, depth)
}

// readTime reads a time in the layout of the API. That is faster than with package time,
// because few dates occur on a page and recent ones are kept. Other layouts are read by
// json/v2.
func readTime(d *Decoder, to *time.Time, i, depth int) int {
	const layout = `"2006-01-02T15:04:05.000Z"`
	end := i + len(layout)
	if end > len(d.b) {
		return d.readJSON(reflect.ValueOf(to), i, depth)
	}
	b := d.b[i:end]
	midnight, ok := d.midnight(b[1:11])
	hour, minute, second, milli := decimal(b[12:14]), decimal(b[15:17]), decimal(b[18:20]), decimal(b[21:24])
	if !ok || hour > 23 || minute > 59 || second > 59 || milli > 999 ||
		[...]byte{b[0], b[11], b[14], b[17], b[20], b[24], b[25]} != [...]byte{'"', 'T', ':', ':', '.', 'Z', '"'} {
		return d.readJSON(reflect.ValueOf(to), i, depth)
	}
	*to = time.Unix(midnight+3600*hour+60*minute+second, milli*int64(time.Millisecond)).UTC()
	return end
}

// date is a date and the Unix time at which it begins.
type date struct {
	text string
	unix int64
}

// midnight returns the Unix time at which a date begins.
func (d *Decoder) midnight(b []byte) (unix int64, ok bool) {
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
