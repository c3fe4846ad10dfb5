package hiring_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"os"
	"reflect"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hiring-assessment/hiring-go"
	"github.com/hiring-assessment/hiring-go/internal/testing/apitest"
	"github.com/hiring-assessment/hiring-go/sandbox"
)

// anything has fields of every kind, including kinds that no resource has.
type anything struct {
	Bool    bool                       `json:"bool"`
	Text    string                     `json:"text"`
	Role    hiring.MemberRole          `json:"role,omitempty"`
	Int     int                        `json:"int"`
	Int8    int8                       `json:"int8"`
	Int64   int64                      `json:"int64"`
	Uint    uint16                     `json:"uint"`
	Float   float64                    `json:"float"`
	Float32 float32                    `json:"float32"`
	Time    time.Time                  `json:"time"`
	Later   *time.Time                 `json:"later"`
	PtrPtr  **int                      `json:"pointer"`
	Raw     hiring.RawValue            `json:"raw"`
	RawAt   *hiring.RawValue           `json:"raw_at"`
	Bytes   []byte                     `json:"bytes"`
	Texts   []string                   `json:"texts"`
	Grid    [][]int                    `json:"grid"`
	Pair    [2]int                     `json:"pair"`
	Map     map[string]int             `json:"map"`
	Any     any                        `json:"any"`
	Report  *hiring.Report             `json:"report"`
	Events  []hiring.Event             `json:"events"`
	Self    *anything                  `json:"self"`
	Renamed struct{ Inner string }     `json:"renamed"`
	Own     shouted                    `json:"own"`
	Echo    echoed                     `json:"echo"`
	Odd     odd                        `json:"odd"`
	Ignored string                     `json:"-"`
	Extra   map[string]json.RawMessage `json:",unknown,embed"`
}

// shouted has its own JSON method.
type shouted string

func (s *shouted) UnmarshalText(b []byte) error {
	if len(b) == 0 {
		return errors.New("nothing")
	}
	*s = shouted(bytes.ToUpper(b))
	return nil
}

// odd has tags that only json/v2 supports.
type odd struct {
	N    int    `json:"n,string"`
	Text string `json:"text"`
}

// echoed has its own JSON method, which also receives null.
type echoed string

func (e *echoed) UnmarshalJSON(b []byte) error {
	*e = echoed("it was " + string(b))
	return nil
}

// readers decode an envelope of each type twice.
var readers = []func([]byte) (fast any, ok bool, slow any, err error){
	hiring.ReadTwice[hiring.Account], hiring.ReadListTwice[hiring.Member], hiring.ReadListTwice[hiring.Challenge],
	hiring.ReadListTwice[hiring.Assessment], hiring.ReadListTwice[hiring.Invitation], hiring.ReadListTwice[hiring.Submission],
	hiring.ReadTwice[hiring.Report], hiring.ReadListTwice[hiring.Event], hiring.ReadTwice[hiring.RawValue],
	hiring.ReadTwice[anything],
}

const anyReader = 9

// checkReader checks that both decoders return the same value or both reject the body.
func checkReader(t *testing.T, reader uint8, body []byte) {
	t.Helper()
	given := bytes.Clone(body)
	fast, ok, slow, err := readers[int(reader)%len(readers)](given)
	if ok != (err == nil) {
		t.Fatalf("reader %d takes it: %v; json/v2 says %v\n%s", reader, ok, err, body)
	}
	for i := range given { // The buffer is reused.
		given[i] = 'X'
	}
	if ok && !reflect.DeepEqual(fast, slow) {
		t.Fatalf("reader %d gives\n%+v\njson/v2 gives\n%+v\nfor %s", reader, fast, slow, body)
	}
}

type seedBody struct {
	reader uint8
	body   []byte
}

// seedBodies returns responses of the sandbox, and variants of them.
func seedBodies(tb testing.TB) []seedBody {
	tb.Helper()
	server := sandbox.New()
	tb.Cleanup(server.Close)
	var all []seedBody
	for i, path := range []string{
		"/account", "/members", "/challenges", "/assessments", "/assessments/" + sandbox.AssessmentID + "/invitations?page_size=4",
		"/submissions?page_size=4", "/submissions/" + sandbox.SubmissionID + "/report", "/submissions/" + sandbox.BusySubmissionID + "/events?page_size=9",
	} {
		r, err := http.NewRequestWithContext(tb.Context(), http.MethodGet, "https://hiring.test/api/v1"+path, nil)
		require.NoError(tb, err)
		r.Header.Set("Authorization", "Bearer "+sandbox.TestKey)
		resp, err := server.Transport().RoundTrip(r)
		require.NoError(tb, err)
		body, err := io.ReadAll(resp.Body)
		require.NoError(tb, err)
		require.Equal(tb, 200, resp.StatusCode, path)
		all = append(all, seedBody{uint8(i), body}, seedBody{8, body})
	}
	for _, data := range strangeData {
		all = append(all, seedBody{anyReader, []byte(`{"data":` + data + `,"meta":{"page":1}}`)})
	}
	for _, body := range strangeBodies {
		all = append(all, seedBody{anyReader, []byte(body)}, seedBody{0, []byte(body)}, seedBody{8, []byte(body)})
	}
	return all
}

var strangeData = []string{
	`{"bool":true,"text":"t","role":"admin","int":-7,"int8":-128,"int64":9223372036854775807,"uint":7,"float":1.5e3,"float32":0.1,` +
		`"time":"2026-03-01T12:00:00.123Z","later":"2026-03-01T12:00:00+02:00","pointer":3,"raw":{"a":[1, 2]},"raw_at":"x","bytes":"AAEC",` +
		`"texts":["a","b"],"grid":[[1],[],[2,3]],"pair":[1,2],"map":{"a":1},"any":{"b":[null]},"report":{"pillars":[{"id":"craft","score":3,"new":0}]},` +
		`"events":[{"seq":1,"payload":{"text":"\u00e9\n"}},{"payload":null}],"self":{"text":"inner","self":{"int":1}},"renamed":{"Inner":"i"},` +
		`"own":"loud","-":"dash","Ignored":"i","hidden":"h","Extra":{"Extra":1},"new":{"x": [true]}}`,
	// Nulls.
	`{"bool":null,"text":null,"role":null,"int":null,"int8":null,"int64":null,"uint":null,"float":null,"float32":null,"time":null,"later":null,` +
		`"pointer":null,"raw":null,"raw_at":null,"bytes":null,"texts":null,"grid":null,"map":null,"any":null,"report":null,"events":null,"self":null,` +
		`"renamed":null,"new":null}`,
	`{"odd":{"n":"7","text":"a"}}`, `{"odd":{"n":7}}`, `{"echo":null}`, `{"echo":[1, 2]}`, `{"texts":[null],"grid":[null,[null]],"events":[null,{}],"own":null}`, `{"pair":null}`, `null`, `[]`, `[null]`, `{}`,
	// Repeated members.
	`{"text":"a","text":"b","int":1,"int":null,"texts":["a","b","c"],"texts":["d"],"texts":[],"pointer":1,"pointer":2,"new":1,"new":2,"raw":[1,2,3],"raw":4}`,
	`{"report":{"summary":"a","pillars":[{"label":"x"}],"n":1},"report":{"verdict":"b","pillars":[{"score":1},{}],"n":2},"report":null}`,
	`{"self":{"text":"a"},"self":{"int":1},"renamed":{"Inner":"i"},"renamed":{},"events":[{"seq":5}],"events":[{"kind":"k"}],"grid":[[1,2]],"grid":[[3],[4]]}`,
	`{"map":{"a":1},"map":{"b":2},"any":{"a":1},"any":{"b":2},"bytes":"AAEC","bytes":"AA==","time":"2026-03-01T12:00:00Z","time":null}`,
	`{"report":{"generated_at":"2026-03-01T12:00:00Z"},"report":{"generated_at":null},"report":{"n":null,"facts":{"n":{}},"facts":{"m":1}}}`,
	// Names.
	`{"Text":"a","TEXT":"b","te\u0078t":"c","\u0074ext":"d","":1,"new\ud800":2,"n\"w":3,"` + "\xff" + `":4,"` + "é" + `":5,"text ":6}`,
	// Text.
	`{"text":"\"\\\/\b\f\n\r\t\u0041\u00e9\u20ac\ud83d\ude00"}`, `{"text":"\ud800"}`, `{"text":"\udc00\ud800x"}`, `{"text":"\ud800\u0041"}`, `{"text":"` + "\xff\xc3é\xe2\x82" + `"}`,
	`{"text":"` + "\xed\xa0\x80\xf4\x90\x80\x80\xc0\x80" + `"}`, `{"text":"` + "a\x00b" + `"}`, `{"text":"` + "0123456\x1f" + `"}`, `{"text":"` + "\x7f€\u2028" + `"}`, `{"text":"\x"}`, `{"text":"\u12g4"}`, `{"text":"\u12"}`, `{"text":"\u123g"}`,
	`{"text":"\u+123"}`, `{"raw":"\ud800` + "\xff" + `"}`, `{"new":"\ud800` + "\xff" + `"}`, `{"raw":"\x"}`, `{"raw":"` + "\n" + `"}`,
	// Numbers.
	`{"int":0}`, `{"int":-0}`, `{"int":1.0}`, `{"int":1e2}`, `{"int":01}`, `{"int":+1}`, `{"int":-}`, `{"int":1.}`, `{"int":.1}`, `{"int":9223372036854775807}`, `{"int":9223372036854775808}`,
	`{"int":-9223372036854775808}`, `{"int":-9223372036854775809}`, `{"int":18446744073709551615}`, `{"int":18446744073709551616}`, `{"int":99999999999999999999999}`, `{"int":"1"}`,
	`{"int8":127}`, `{"int8":128}`, `{"int8":-128}`, `{"int8":-129}`, `{"uint":-1}`, `{"float":-0}`, `{"float":-0.0}`, `{"float":1e308}`, `{"float":1e309}`, `{"float":-1e309}`, `{"float":1e-400}`,
	`{"float":0.1e}`, `{"float":1e+}`, `{"float":1E+2}`, `{"float":123456789012345678901234567890}`, `{"float":0.30000000000000004}`, `{"float":5e-324}`, `{"float":NaN}`, `{"float32":1e39}`, `{"raw":1e999}`, `{"raw":-}`, `{"raw":1.2.3}`,
	`{"int":1e19}`, `{"int":-9.223372036854775808e18,"int64":9223372036854775807.0}`, `{"int":0e99999999999999999999}`, `{"int":1e-1}`, `{"int":100e-2,"int8":1.0}`, `{"int8":1e2}`, `{"uint":1.0}`, `{"grid":[[1.0,2e0]],"pointer":1e1,"pair":[1.0,2.0],"map":{"a":1e1}}`, `{"odd":{"n":1.0}}`, `{"odd":{"n":"1.0"}}`,
	// Times.
	`{"time":"2016-12-31T23:59:60Z","later":"2017-01-01T01:59:60.5+02:00"}`, `{"time":"2016-12-31T23:59:61Z"}`, `{"time":"9999-12-31T23:59:60Z"}`, `{"time":"2016-12-31T23:59:60Z"}`, `{"later":":60"}`,
	`{"time":"2026-03-01T12:00:00.123456789Z"}`, `{"time":"2026-03-01T12:00:00.1234567891Z"}`, `{"time":"2026-03-01T12:00:00.Z"}`, `{"time":"2026-03-01T12:00:00,5Z"}`, `{"time":"2026-02-29T12:00:00Z"}`,
	`{"time":"2024-02-29T12:00:00Z"}`, `{"time":"2026-13-01T12:00:00Z"}`, `{"time":"2026-00-01T12:00:00Z"}`, `{"time":"2026-01-00T12:00:00Z"}`, `{"time":"2026-04-31T12:00:00Z"}`, `{"time":"2026-03-01T24:00:00Z"}`,
	`{"time":"2026-03-01T12:60:00Z"}`, `{"time":"2026-03-01T12:00:60Z"}`, `{"time":"2026-03-01T1:00:00Z"}`, `{"time":"2026-03-01T12:00-00Z"}`, `{"time":"2026-03-01T12-00:00Z"}`, `{"time":"2026-03/01T12:00:00Z"}`, `{"time":"2026/03-01T12:00:00Z"}`, `{"time":"2026-03-01 12:00:00Z"}`, `{"time":"2026-03-01t12:00:00z"}`, `{"time":"2026-03-01T12:00:00+24:00"}`,
	`{"time":"2026-03-01T12:00:00-00:00"}`, `{"time":"2026-03-01T12:00:00+01:60"}`, `{"time":"0000-01-01T00:00:00Z"}`, `{"time":"0001-01-01T00:00:00Z"}`, `{"time":"9999-12-31T23:59:59.999Z"}`, `{"time":"+026-03-01T12:00:00Z"}`,
	`{"time":"2026-03-01T12:00:00\u005a"}`, `{"time":""}`, `{"time":7}`, `{"time":"2026-03-01T12:00:00"}`, `{"time":"2026-03-01T12:00:0Z"}`, `{"time":"2026-03-01T12:00:00.1a3Z"}`,
	// Wrong types.
	`{"bool":1}`, `{"bool":"true"}`, `{"bool":tru}`, `{"bool":truex}`, `{"bool":nul}`, `{"text":1}`, `{"text":{}}`, `{"int":true}`, `{"texts":{}}`, `{"texts":"a"}`, `{"texts":[1]}`, `{"report":[]}`, `{"report":7}`, `{"own":""}`,
	`{"own":7}`, `{"pair":[1]}`, `{"pair":[1,2,3]}`, `{"bytes":"?"}`, `{"map":[]}`, `7`, `"x"`, `true`,
	// White space and punctuation.
	" \t\r\n{ \"text\" : \"a\" , \"raw\" : [ 1 , { \"b\" : 2 } ] , \"texts\" : [ \"x\" , \"y\" ] } ", `{"text":"a",}`, `{,}`, `{"text"}`, `{"text":}`, `{"text" "a"}`, `{"texts":["a",]}`, `{"texts":[,]}`, `{"texts":["a" "b"]}`,
	`{"raw":[1,]}`, `{"raw":{"a":1,}}`, `{"raw":{a:1}}`, `{"raw":{"a"}}`, `{"raw":[}`, `{"raw":[1}`, `{"raw":{]}`, `{"raw":nulls}`, "{\"text\":\v\"a\"}", "{\"raw\":[\u00a01]}", `{'text':1}`,
}

var strangeBodies = []string{
	// Text at the end, where no eight bytes remain.
	`{"data":{"text":"` + "\xff" + `"}}`, `{"data":{"text":"é\n"}}`, `{"data":{"text":"\x"}}`, `{"data":{"text":"` + "\x1f" + `"}}`, `{"data":{"text":"`,
	"", " ", "null", "{}", "[]", "{", `{"data`, "\ufeff{}", `{}x`, `{} {}`, "{}\n", `{"data":{}} x`, `{"data":null,"data":{}}`, `{"data":{"id":"a"},"data":null}`, `{"Data":{}}`, `secret`, `<html>`,
	`{"data":{},"meta":{"request_id":"r","page":null,"page_size":2,"total":0,"has_more":false,"next_cursor":null,"other":[{}]},"third":{"x":[]}}`, `{"data":{},"meta":{"next_cursor":17}}`, `{"data":{},"meta":7}`,
	`{"data":{},"meta":{"page":"1"}}`, `{"data":[{}],"meta":null}`, `{"meta":{"has_more":1}}`,
	// Depth: up to 10,000 and one more, of each kind.
	deep(9_998, "["), deep(9_999, "["), deep(10_000, "["), deep(9_999, `{"a":`), deep(10_000, `{"a":`), `{"data":{"self":` + deep(9_998, "["), strings.Repeat("[", 10_001), strings.Repeat(`{"data":`, 10_001),
	inEvent(9_996), inEvent(9_997), `{"data":{"self":` + deep(9_997, "[") + "}}", strings.Repeat(`{"data":{"self":`, 3000),
}

// deep returns an envelope with a value of that depth in an unknown member.
func deep(levels int, opening string) string {
	closing := map[string]string{"[": "]", `{"a":`: "}"}[opening]
	return `{"data":` + strings.Repeat(opening, levels) + "1" + strings.Repeat(closing, levels) + "}"
}

// inEvent is like deep, within the payload of an event.
func inEvent(levels int) string {
	return `{"data":{"events":[{"payload":` + strings.Repeat("[", levels) + strings.Repeat("]", levels) + `}]}}`
}

func FuzzResponses(f *testing.F) {
	for _, s := range append(seedBodies(f), keptBodies(f)...) {
		f.Add(s.reader, s.body)
	}
	f.Fuzz(checkReader)
}

// TestReadersAgree is a short, deterministic run of the fuzz target, with mutations that
// keep the JSON mostly valid.
func TestReadersAgree(t *testing.T) {
	t.Parallel()
	all := seedBodies(t)
	spans := make([][][2]int, len(all))
	for i, s := range all {
		spans[i] = tokenPlaces(s.body)
	}
	rng := rand.New(rand.NewPCG(1, 2))
	taken := 0
	for range 6000 {
		i := rng.IntN(len(all))
		if rng.IntN(2) == 0 {
			i = rng.IntN(17) // More of the sandbox's responses.
		}
		s := all[i]
		if len(s.body) > 20_000 {
			continue
		}
		body := bytes.Clone(s.body)
		for range 1 + rng.IntN(2) {
			body = mutate(rng, body, spans[i])
		}
		checkReader(t, s.reader, body)
		if _, ok, _, _ := readers[s.reader](body); ok {
			taken++
		}
	}
	assert.Greater(t, taken, 1000, "or too little of what was tried is JSON at all")
}

// tokenPlaces returns the positions of a body's strings, numbers and literals.
func tokenPlaces(body []byte) (spans [][2]int) {
	d := jsontext.NewDecoder(bytes.NewReader(body), jsontext.AllowInvalidUTF8(true), jsontext.AllowDuplicateNames(true))
	for {
		token, err := d.ReadToken()
		if err != nil {
			return spans
		}
		if k := token.Kind(); k != '{' && k != '}' && k != '[' && k != ']' {
			end := int(d.InputOffset())
			length := len(token.String())
			if k == '"' {
				length += 2
			}
			spans = append(spans, [2]int{max(0, end-length), end})
		}
	}
}

var replacements = []string{
	"null", "true", "0", "-1", "1.5", "1e400", "12345678901234567890", `""`, `"a"`, `"\ud800"`, "\"\xff\"", `"2026-03-01T12:00:00.5Z"`, "{}", "[]", `{"a":[1]}`, `["x",null]`, `[{}]`, `"id"`, `"data"`, `"kind"`, `"status"`,
}

func mutate(rng *rand.Rand, body []byte, spans [][2]int) []byte {
	if len(body) == 0 {
		return body
	}
	at := rng.IntN(len(body))
	switch rng.IntN(8) {
	case 0:
		body[at] ^= 1 << rng.IntN(8)
		return body
	case 1:
		return slices.Delete(body, at, min(len(body), at+1+rng.IntN(4)))
	case 2:
		return slices.Insert(body, at, []byte(`{}[],:"\ ` + "\n\x01\xff0e.-")[rng.IntN(16)])
	case 3:
		return body[:at]
	}
	if len(spans) == 0 {
		return body
	}
	span := spans[rng.IntN(len(spans))]
	if span[1] > len(body) {
		return body
	}
	return slices.Replace(body, span[0], span[1], []byte(replacements[rng.IntN(len(replacements))])...)
}

// The error of an invalid body is the one of json/v2.
func TestCutResponsesEndTooEarly(t *testing.T) {
	t.Parallel()
	for _, s := range seedBodies(t)[:16] {
		for n := range min(len(s.body), 3000) {
			_, ok, _, err := readers[s.reader](s.body[:n])
			require.False(t, ok, "reader %d, cut at %d", s.reader, n)
			require.ErrorIs(t, err, io.ErrUnexpectedEOF)
			_, err = hiring.ReadReply[hiring.Submission](s.body[:n])
			require.Error(t, err)
		}
	}
	report := seedBodies(t)[12].body
	for n := range report {
		_, err := hiring.ReadReply[hiring.Report](report[:n])
		require.ErrorIs(t, err, io.ErrUnexpectedEOF, "cut at %d", n)
	}
}

// Nothing of a rejected response is part of what json/v2 then decodes.
func TestRefusedResponseLeavesNothing(t *testing.T) {
	t.Parallel()
	_, err := hiring.ReadReply[hiring.Report]([]byte(`{"data":{"summary":"x","pillars":[7]}}`))
	require.ErrorContains(t, err, "/data/pillars/0")
}

// eventsPage is a page of 500 events with as much text as a real one.
func eventsPage() []byte {
	body := bytes.NewBufferString(`{"data":[`)
	for i := range 500 {
		if i > 0 {
			body.WriteByte(',')
		}
		fmt.Fprintf(body, `{"seq":%d,"kind":"ai_prompt","payload":["%d","%s"],"new":[%d]}`, i, i, strings.Repeat("x", i%200), i)
	}
	body.WriteString(`],"meta":{"has_more":false}}`)
	return body.Bytes()
}

func TestKeptPayloadsLieApart(t *testing.T) {
	t.Parallel()
	events, err := hiring.ReadListReply[hiring.Event](eventsPage())
	require.NoError(t, err)
	for i, e := range events {
		require.Equal(t, len(e.Payload), cap(e.Payload), "appending to one must not write into the next")
		require.Equal(t, fmt.Sprintf("[%q,%q]", fmt.Sprint(i), strings.Repeat("x", i%200)), string(e.Payload))
		require.Equal(t, fmt.Sprintf("[%d]", i), string(e.Extra["new"]))
	}
}

// Not parallel, because it measures the heap.
func TestKeptPayloadsKeepLittleAlive(t *testing.T) {
	page := eventsPage()
	before := apitest.HeapInUse()
	kept := make([]json.RawMessage, 0, 400)
	for i := range cap(kept) {
		events, err := hiring.ReadListReply[hiring.Event](page)
		require.NoError(t, err)
		kept = append(kept, events[i].Payload)
	}
	perPayload := (int64(apitest.HeapInUse()) - int64(before)) / int64(len(kept))
	assert.Less(t, perPayload, int64(8<<10), "bytes that one payload keeps alive; the page has %d", len(page))
	runtime.KeepAlive(kept)
}

// Not parallel, because it counts allocations.
func TestFewAllocations(t *testing.T) {
	body := bytes.ReplaceAll(eventsPage(), []byte(`,"new"`), []byte(`,"seq"`))
	body = regexp.MustCompile(`"seq":\[(\d+)\]`).ReplaceAll(body, []byte(`"seq":$1`))
	objects := testing.AllocsPerRun(100, func() {
		if _, err := hiring.ReadListReply[hiring.Event](body); err != nil {
			t.Fatal(err)
		}
	})
	assert.Less(t, objects, 60.)
}

// keptBodies are inputs that hours of FuzzResponses found interesting, one a line: the
// reader and the quoted body.
func keptBodies(tb testing.TB) (all []seedBody) {
	tb.Helper()
	text, err := os.ReadFile("testdata/replies.txt")
	require.NoError(tb, err)
	for line := range strings.Lines(string(text)) {
		var reader uint8
		var body string
		_, err := fmt.Sscanf(line, "%d %q", &reader, &body)
		require.NoError(tb, err, line)
		all = append(all, seedBody{reader, []byte(body)})
	}
	return all
}
