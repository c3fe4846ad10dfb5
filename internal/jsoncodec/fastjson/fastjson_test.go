package fastjson_test

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hiring-assessment/hiring-go/internal/jsoncodec"
	"github.com/hiring-assessment/hiring-go/internal/jsoncodec/fastjson"
)

type own interface{ own() }

// thing has a field of each kind.
type thing struct {
	ID      string          `json:"id"`
	Name    *string         `json:"name"`
	Int     int             `json:"int"`
	Small   int8            `json:"small"`
	Float   float64         `json:"float"`
	Bool    bool            `json:"bool"`
	At      time.Time       `json:"at"`
	Maybe   *time.Time      `json:"maybe,omitempty"`
	Times   []*time.Time    `json:"times"`
	Names   []string        `json:"names"`
	Parts   []part          `json:"parts"`
	Part    *part           `json:"part,omitzero"`
	Raw     rawValue        `json:"raw"`
	Payload json.RawMessage `json:"payload"`
	Any     any             `json:"any"`
	Map     map[string]int  `json:"map"`
	Self    *thing          `json:"self"`
	Bytes   []byte          `json:"bytes"`
	Text    upper           `json:"text"`
	Left    string          `json:"-"`

	Extra map[string]json.RawMessage `json:",unknown,embed"`
}

func (thing) own() {}

type part struct {
	N     int    `json:"n"`
	Label string `json:"label"`
}

func (part) own() {}

// rawValue keeps a value unchanged, including null.
type rawValue []byte

func (v *rawValue) UnmarshalJSON(b []byte) error {
	*v = append((*v)[:0], b...)
	return nil
}

// upper has its own JSON method.
type upper string

func (u *upper) UnmarshalText(b []byte) error {
	*u = upper(strings.ToUpper(string(b)))
	return nil
}

var codec = jsoncodec.New[own]()

// sameAsJSON decodes a text with both decoders.
func sameAsJSON(t *testing.T, text string) {
	t.Helper()
	var want, got thing
	wantErr := codec.Decode([]byte(text), &want)
	err := fastjson.Decode([]byte(text), &got, codec.Reading)
	if wantErr != nil {
		assert.Equal(t, fastjson.ErrRefused, err, "%.200q: %v", text, wantErr)
		return
	}
	require.NoError(t, err, "%.200q", text)
	assert.Equal(t, want, got, "%.200q", text)
}

// textsOfAllKinds returns valid and invalid texts.
func textsOfAllKinds() (all []string) {
	for _, i := range []int{0, 1, 2, 5, 6, 7, 8, 9, 15, 16} { // At each position of a word of eight bytes, and after it.
		before := strings.Repeat("x", i)
		for _, odd := range []string{
			"", "yyyyyyyyy", `\n`, `\"`, `\\`, `\/`, `\b\f\r\t`, `\u0041`, `\u00e9`, `\ud83d\ude00`, `\ud800`, `\udc00x`, "é", "€", "😀", "\xff", "\xc3", "\x7f", "\x80",
			`\x41`, `\u004`, `\u004g`, `\u004G`, `\u00@1`, "\\u00`1", `\u00:1`, `\u00/1`, `\uAFaf`, "\x1f", "\n", "\x00", `\`, "\"",
		} {
			all = append(all, `"`+before+odd+`"`, `"`+before+odd+`zzzzzzzzzzzzzz"`, `"`+before+odd)
		}
	}
	for _, length := range []int{39, 40, 41, 1023, 1024, 1025, 4095, 4096, 4097, 5000} {
		all = append(all, `"`+strings.Repeat("l", length)+`"`, `"`+strings.Repeat("é", length)+`"`, `["`+strings.Repeat("l", length)+`","b","c"]`)
	}
	return all
}

// values returns valid and invalid values of all other kinds.
func values() (all []string) {
	all = append(all, `"plain"`, `"esc\nape"`, "\"\xff\"", `"open`, "0", "-0", "1", "-1", "9", "10", "12", "00", "01", "-01", "1.5", "1.", ".5", "-.5", "1.50", "1e3", "1E3", "1e+3", "1E-3", "1e", "1e+", "1e-x", "-", "+1", "--1",
		"127", "128", "-128", "-129", "9223372036854775807", "9223372036854775808", "-9223372036854775808", "-9223372036854775809", "99999999999999999999", "18446744073709551617",
		"0.1", "123456789.123456789", "1e400", "-1e400", "1e-400", "0x1", "NaN", "1x", "1 2", "/", ":", "1/", "1:", "1.:", "1./",
		"12345678", "-87654321", "1234567890123456789", "1234567:", "1234567/", "1234567\xb0", "1234567\xff", "\xff2345678", ":2345678", "1234:678", "00000000", "12345678.5", "1234567a", "12345678901234567",
		"null", "true", "false", "nul", "tru", "fals", "nulL", "truE", "falsE", "nullx", "truee", "n", "t", "f", "")
	for _, day := range []string{"2026-03-01", "2026-02-28", "2026-02-29", "2024-02-29", "2024-02-30", "2026-04-30", "2026-04-31", "2026-12-31", "2026-01-01", "2026-00-01", "2026-13-01", "2026-01-00", "2026-01-32", "0000-01-01", "0001-01-01", "9999-12-31", "20x6-01-01", "202x-01-01", "x026-01-01", "2x26-01-01", "2026-x1-01", "2026-1x-01", "2026/01-01", "2026-01/01", "-026-01-01"} {
		all = append(all, `"`+day+`T12:30:45.678Z"`, `"`+day+`T12:30:45Z"`)
	}
	all = append(all, `x2026-03-01T12:30:45Z"`, `12026-03-01T12:30:45Z"`)
	for _, clock := range []string{"T00:00:00", "T23:59:59", "T24:00:00", "T23:60:00", "T23:59:60", "t12:00:00", " 12:00:00", "T12.00:00", "T12:00.00", "Tx2:00:00", "T1x:00:00", "T12:x0:00", "T12:0x:00", "T12:00:x0", "T12:00:0x", "T12:00:0"} {
		for _, end := range []string{"Z", ".1Z", ".12Z", ".123Z", ".123456Z", ".123456789Z", ".1234567891Z", ".0Z", ".Z", ",1Z", ".x1Z", ".1xZ", "z", "+02:00", "-00:30", "+2:00", ".5+02:00", "", "Zx", "ZZ", ".1", "."} {
			all = append(all, `"2026-03-01`+clock+end+`"`, `"2026-03-01`+clock+end)
		}
	}
	all = append(all,
		"[]", "[1]", "[1,2]", "[1,2,3,4,5,6,7,8,9,10,11,12]", "[1,]", "[,]", "[,1]", "[1 2]", "[1,2", "[1", "[", "]", "[1}", "[null]", `["a","b"]`, `["a",]`, `["a" "b"]`, `[ "a" , "b" ]`, "[[]]", "[[1],[2,[3]]]",
		"{}", "[{}]", "[{},{}]", "[{},null]", `{"n":1}`, `{"n":1,"label":"l"}`, `{"label":"l","n":1}`, `[{"n":1},{"n":2,"label":"x"}]`, `{"n":1,}`, `{,}`, `{"n"}`, `{"n" 1}`, `{"n":}`, `{n:1}`, `{"n":1 "label":""}`, `{"n":1`, `{"n":`, `{"n"`, `{"n`, `{`, `}`, `{"n":1]`,
		`{"n":1,"n":2}`, `{"N":1}`, `{"\u006e":1}`, `{"\u006E":1,"label":"\u0061"}`, `{"é":1}`, `{"\xff":1}`, "{\"\xff\":1}", `{"n":null,"label":null}`, ` { "n" : 1 , "label" : "x" } `, "\t{\r\n\"n\"\t:\r1\n}", "{\v}", "{\f\"n\":1}", "\u00a0{}",
		`{"other":{"a":[1,{"b":"c\"d"}]},"n":3}`, `{"a":1,"b":2}`, `{"a":tru}`, `{"a":[}`, `{"a":{]}`, `{"a":"b}`, `{"a":1.}`, `{"a":01}`, `{"a":{"b":1,}}`, `{"a":[1,]}`, `{"a":{"b"}}`, `{"a":nul}`,
	)
	for _, depth := range []int{100, 9_997, 9_998, 9_999, 10_000, 10_001} {
		all = append(all, strings.Repeat("[", depth)+strings.Repeat("]", depth), strings.Repeat(`{"a":`, depth)+"1"+strings.Repeat("}", depth))
	}
	return all
}

// TestDecodesLikeJSONv2 decodes each value into each kind of field. Both decoders return
// the same value, or both reject it.
func TestDecodesLikeJSONv2(t *testing.T) {
	for i := range reflect.TypeFor[thing]().NumField() {
		name, _, _ := strings.Cut(reflect.TypeFor[thing]().Field(i).Tag.Get("json"), ",")
		if name == "-" || name == "" {
			name = "unknown"
		}
		for _, value := range values() {
			if len(value) < 3000 && !testing.Short() || i%4 == 0 { // Deep values are slow, and so is the race detector.
				sameAsJSON(t, fmt.Sprintf(`{"%s":%s}`, name, value))
			}
		}
	}
	for _, value := range append(values(), textsOfAllKinds()...) {
		sameAsJSON(t, value)
		sameAsJSON(t, ` {"id" : `+value+` , "new" : `+value+` , "self" : {"raw":`+value+`,"deep":[`+value+`]} } `)
		sameAsJSON(t, `{"names":[`+value+`],"int":1}`)
		sameAsJSON(t, `{"any":`+value+`,"int":1}`)
		sameAsJSON(t, `{"parts":[{"deep":`+value+`}]}`)
	}
	for _, text := range textsOfAllKinds() {
		sameAsJSON(t, `{`+text+`:1,"int":1}`)
	}
}

func TestReadsAllMembersInAnyOrder(t *testing.T) {
	members := []string{
		`"id":"i"`, `"name":"n"`, `"int":-7`, `"small":7`, `"float":7.5`, `"bool":true`, `"at":"2026-03-01T12:00:00.5Z"`, `"maybe":"2026-03-01T12:00:00+02:00"`, `"names":["a","","a"]`,
		`"parts":[{"n":1,"label":"l"},{"new":1}]`, `"part":{"n":2}`, `"raw":{"a":[1]}`, `"payload":[1, 2]`, `"any":{"a":1}`, `"map":{"a":1}`, `"self":{"id":"s"}`, `"bytes":"YWJj"`, `"text":"low"`,
		`"left":"x"`, `"-":"x"`, `"new":null`, `"newer":"\u0041"`, `"id":"again"`,
	}
	sameAsJSON(t, "{"+strings.Join(members, ",")+"}")
	for from := range members {
		turned := append(append([]string(nil), members[from:]...), members[:from]...)
		sameAsJSON(t, "{"+strings.Join(turned, ",")+"}")
		sameAsJSON(t, "{ "+strings.Join(turned, " ,\n")+" }")
		sameAsJSON(t, "{"+strings.Join(append(turned[1:], turned...), ",")+"}")
	}
	for _, name := range []string{"names", "parts", "map", "part", "self", "raw", "payload", "any", "name", "maybe"} {
		for _, twice := range [][2]string{{`["a","b"]`, `["c"]`}, {`[{"n":1,"label":"l"},{"n":2}]`, `[{"n":3}]`}, {`{"a":1,"n":1}`, `{"b":2,"label":"x"}`}, {`"a"`, `null`}, {`[{"n":1}]`, `null`}} {
			sameAsJSON(t, fmt.Sprintf(`{"%s":%s,"%s":%s}`, name, twice[0], name, twice[1]))
		}
	}
}

// TestListsOfAllLengths decodes them in sequence, because the length of a list affects
// the next one's memory.
func TestListsOfAllLengths(t *testing.T) {
	for _, n := range []int{0, 1, 2, 3, 100, 1, 0, 49, 50, 51, 7, 1000, 3, 10_000, 2} {
		sameAsJSON(t, `{"names":[`+strings.TrimSuffix(strings.Repeat(`"ab",`, n), ",")+`],"parts":[`+strings.TrimSuffix(strings.Repeat(`{"n":1},`, n), ",")+`]}`)
	}
}

// TestKeepsNothingOfTheBody checks this because the body's memory is reused.
func TestKeepsNothingOfTheBody(t *testing.T) {
	text := []byte(`{"id":"short","name":"` + strings.Repeat("n", 100) + `","names":["a\n"],"raw":{"a":1},"payload":"` + strings.Repeat("p", 2000) + `","new":[1],"any":"x","map":{"k":1}}`)
	var got, want thing
	require.NoError(t, fastjson.Decode(text, &got, codec.Reading))
	require.NoError(t, codec.Decode([]byte(string(text)), &want))
	clear(text)
	assert.Equal(t, want, got)
	got.Raw = append(got.Raw, "behind"...)
	assert.Equal(t, want.Payload, got.Payload, "values that lie together do not overlap")
	assert.Equal(t, want.Extra, got.Extra)
}
