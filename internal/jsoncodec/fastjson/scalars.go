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

// instant reads a time in UTC. Times in other zones or formats are read by json/v2.
func (d *state) instant(v reflect.Value, i int) int {
	end, plain := quoted(d.b, i)
	if plain && d.b[end-2] == 'Z' && v.Addr().Interface().(*time.Time).UnmarshalText(d.b[i+1:end-1]) == nil {
		return end
	}
	return d.viaJSON(v, i, 0)
}
