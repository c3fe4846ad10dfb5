package redact_test

import (
	"bytes"
	"context"
	"fmt"
	"strings"
	"testing"
	"unicode/utf16"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hiring-assessment/hiring-go/internal/limits"
	"github.com/hiring-assessment/hiring-go/internal/redact"
)

const key = "sk_live_51HxQ9zVbT7uRkWn3"

// spelled formats each letter of s.
func spelled(s, format string) string {
	var b strings.Builder
	for i := range len(s) {
		fmt.Fprintf(&b, format, s[i])
	}
	return b.String()
}

func between(s, separator string) string { return strings.Join(strings.Split(s, ""), separator) }

func wide(s string, high, low int) string {
	var b strings.Builder
	for _, unit := range utf16.Encode([]rune(s)) {
		b.WriteByte(byte(unit >> high))
		b.WriteByte(byte(unit >> low))
	}
	return b.String()
}

// TestKeyIsFoundHoweverItIsSpelled has the ways in which an echo can show the key to a reader. Each form of
// the search is for the ways that it names.
func TestKeyIsFoundHoweverItIsSpelled(t *testing.T) {
	texts := map[string]string{
		// Plain letters: an error page repeats the header, as it is, cut off or in part.
		"the header":                   "Authorization: Bearer " + key,
		"without its prefix":           key[8:],
		"its first letters":            key[8:20],
		"its last letters":             key[13:],
		"after a folder":               `C:\` + key[8:20],
		"a page in UTF-16, big endian": wide(key, 8, 0),
		"and little endian":            wide(key, 0, 8),
		"a page in UTF-32":             between(key, "\x00\x00\x00"),
		// Escaped: JSON that the client decodes, or an error of net/http that quotes a header with %q.
		"JSON in ASCII only":           spelled(key, `\u%04x`),
		"the same in upper case":       spelled(key, `\u%04X`),
		"one letter as an escape":      strings.Replace(key, "Q", `\u0051`, 1),
		"a quoted header":              spelled(key, `\x%02x`),
		"backslashes in JSON":          between(key, `\\`),
		"a backslash and a key letter": `9\u007aVbT7uRkW\\n3`,
		"a backslash before an escape": `\\` + spelled(key[8:20], `\u%04x`),
		// Nested: JSON in a text of JSON, such as a gateway's log line.
		"JSON within JSON": spelled(key, `\\u%04x`),
	}
	for _, separator := range []string{ // What a decoder, a terminal or the client's own cleaning of texts removes.
		"\x00", "\x1b", "\r", "\n", "\t", " ", "-", "_", "\xff", "\xc3\x28", "\u2028", "\u200b", "\ufeff", "\u0301", `"`, `","`, `\"`,
		`\n`, `\r`, `\t`, `\b`, `\f`, `\/`, `\\`, `\a`, `\v`, `\u0000`, `\u2028`, `\x00`, `\x1b`, `\\u0000`, `\\\\n`, `\\\x1b`, `\ud83d\ude00`, `\U0001f600`, `\u001b\n"`,
		strings.Repeat("\x00", 5000), strings.Repeat(`\n`, 5000),
	} {
		texts[fmt.Sprintf("broken by %.12q", separator)] = between(key, separator)
	}
	finder := redact.New(key)
	for name, text := range texts {
		for _, around := range []string{"", "x", `{"name":"`, "\\", strings.Repeat(`{"at":"2026-01-02T03:04:05.678Z","text":"Queue\nW\u00e9"},`, 100)} {
			page := []byte(around + text + around)
			require.True(t, finder.In(page), "%s: %.200q", name, page)
			clean := finder.Scrub(page)
			assert.False(t, finder.In(clean), "%s: %.200q", name, clean)
			assert.Contains(t, string(clean), redact.Redacted, "%s", name)
			assert.Equal(t, string(clean), finder.ScrubString(string(page)), "%s", name)
		}
	}
}

func TestTextWithoutPiecesOfTheKeyIsKept(t *testing.T) {
	for _, text := range []string{
		"", "\\", `\u`, `\u00`, `\x5`, key[:18], key[8:19], key[14:], "51HxQ9zVbT7aRkWn3", "51hxq9zvbt7urkwn3", "Q", "QQQQQQQQQQQQQQQQQQQQQ", `\u0051`,
		`51HxQ9zV\u0061T7uR`, `51HxQ9zVbT7uéx`[:11] + "x" + "RkWn3", strings.Repeat(key[8:19]+"!x!", 50),
	} {
		finder := redact.New(key)
		assert.False(t, finder.In([]byte(text)), "%q", text)
		assert.Equal(t, text, string(finder.Scrub([]byte(text))))
		assert.Equal(t, text, finder.ScrubString(text))
	}
}

func TestScrubLeavesTheRestAsItWas(t *testing.T) {
	finder := redact.New(key)
	for text, want := range map[string]string{
		"a " + key + " b":                      "a [redacted] b",
		"1" + key + key + "2":                  "1[redacted][redacted]2",
		"skate " + key[8:]:                     "skate [redacted]",
		"test_" + key[8:]:                      "test_[redacted]",
		key[8:20] + "!":                        "[redacted]!",
		`\\` + key:                             `\\[redacted]`,
		`"\"` + spelled(key, `\u%04x`) + `\""`: `"\"[redacted]\""`,
		`{"a":"` + key[8:14] + `\"\\` + key[14:] + `"}`: `{"a":"[redacted]"}`,
	} {
		assert.Equal(t, want, finder.ScrubString(text), "%s", text)
	}
}

func TestKeysOfAllKinds(t *testing.T) {
	long := strings.Repeat("Ab3", 60)
	ofThree := strings.Repeat(strings.Repeat("a", 11)+"Q", 2) + strings.Repeat("e", 18) + "X" // The search begins at Q, Q and e.
	for key, c := range map[string]struct{ found, kept []string }{
		"":                     {nil, []string{"", "a"}},
		"abcde":                {nil, []string{"abcde"}},
		"abcdef":               {[]string{"abcdef", "a b c d e f", "xabcdefx"}, []string{"abcdex", "ABCDEF"}},
		"sk_test_sandbox":      {[]string{"sk_test_sandbox", "sk-test-sandbox"}, []string{"sandbox", "test_sandbox", "sk_test_sandbo"}},
		"sk_live_------":       {[]string{"sk_live_------"}, []string{"sk_live_", "------"}},
		"!!!!!!!!!!a":          {[]string{"x!!!!!!!!!!ay"}, []string{"a", "!!!!!!!!!!"}},
		"sk_live_" + long:      {[]string{long[:12], long[1:13], long[100:112], long[len(long)-12:], strings.Repeat(long, 3)}, []string{long[:11]}},
		"aaaaaaaaaaaaaaaaaa":   {[]string{strings.Repeat("a", 12), strings.Repeat("a", 100), strings.Repeat("a-", 100)}, []string{strings.Repeat("a", 11)}},
		"abcdeghijkmQ":         {[]string{between("abcdeghijkmQ", `\n`), between("abcdeghijkmQ", `\\u0000`)}, []string{"abcdeghijkm"}},
		"abcnefghikmQ":         {[]string{`abc\nefghikmQ`, `abc\\nefghikmQ`, spelled("abcnefghikmQ", `\u%04x`), spelled("abcnefghikmQ", `\\u%04x`)}, []string{`abc\nefghikm`}},
		"abcdeQfghikmnoprs":    {[]string{"Qfghikmnoprs", "xQfghikmnoprs"}, []string{"fghikmnoprs"}}, // A piece whose first letter is the rarest,
		"abcdeQfghikmnopr":     {[]string{"eQfghikmnopr"}, []string{"Qfghikmnopr"}},                  // or whose second letter is.
		"sk_live_" + ofThree:   {[]string{strings.Repeat("e", 12), ofThree[1:13]}, []string{strings.Repeat("e", 11)}},
		"sk_live_Z0aAz9Z0aAz9": {[]string{"Z0aAz9Z0aAz9", between("Z0aAz9Z0aAz9", "-")}, []string{"Z0aAz9Z0aAz"}}, // The first and last of each kind.
		"abcdu0061efQ":         {[]string{`\u0061bcd\\u0061efQ`}, []string{`\u0061bcd\u0061efQ`}},                 // An escaped backslash begins no escape.
		`sk_test_"q\q"z`:       {[]string{`sk_test_"q\q"z`, `sk_test_\"q\\q\"z`}, []string{`"q\q"z`}},
	} {
		finder := redact.New(key)
		for _, text := range c.found {
			require.True(t, finder.In([]byte(text)), "%s in %s", key, text)
			assert.False(t, finder.In(finder.Scrub([]byte(text))), "%s in %s", key, text)
		}
		for _, text := range c.kept {
			assert.Equal(t, text, finder.ScrubString(text), "%s", key)
		}
	}
}

// TestScrubWithinTheTime checks that nothing is returned after the time has ended.
func TestScrubWithinTheTime(t *testing.T) {
	finder := redact.New(key)
	clean, err := finder.ScrubWithin([]byte("a "+key), &limits.Bound{})
	require.NoError(t, err)
	assert.Equal(t, "a [redacted]", string(clean))
	clean, err = finder.ScrubWithin([]byte("a "+key), &limits.Bound{Stopped: context.Canceled})
	require.ErrorIs(t, err, context.Canceled)
	assert.Nil(t, clean)
}

// letters returns the letters that a reader of b sees, in the simplest way.
func letters(b []byte, escapes bool) string {
	if escapes {
		for _, plain := range []string{`\\`, `\"`, `\/`, `\n`, `\t`} {
			b = bytes.ReplaceAll(b, []byte(plain), []byte(" "))
		}
		for c := range byte(128) {
			b = bytes.ReplaceAll(b, fmt.Appendf(nil, `\u%04x`, c), []byte{c})
		}
	}
	return string(bytes.Map(func(r rune) rune {
		if r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' {
			return r
		}
		return -1
	}, b))
}

// FuzzPiece inserts pieces of keys into pages and checks that they are found.
func FuzzPiece(f *testing.F) {
	f.Add("51HxQ9zVbT7uRkWn3", []byte("before"), []byte("after"), []byte{0, 1, 2, 3, 4, 5, 6}, uint8(0))
	f.Add("aaaaaaaaaaaaaaaaaaaaaaaa", []byte(`a\`), []byte(`\u0061`), []byte{6, 6, 6}, uint8(3))
	f.Add("nnnntttt0000uuuuxxxx", []byte(`\n`), []byte(`\\`), []byte{9, 1, 5, 4}, uint8(8))
	f.Add("daaaaaaaaaaa", []byte("\x01\x00"), []byte("aaaaaaaaaaa"), []byte("\x01\x00-----"), uint8(0xe3))
	f.Fuzz(func(t *testing.T, key string, before, after, spelling []byte, from uint8) {
		own := letters([]byte(key), false)
		if len(own) < 12 || own != key || len(spelling) == 0 || strings.Contains(key, "redacted") {
			return
		}
		finder := redact.New(key)
		part := key[int(from)%(len(key)-11):][:12]
		separators := []string{"", "", "\x00", "\x1b", `\n`, `\\`, `\u0000`, `\"`, "\u2028", "\xff", `\/`}
		page := append([]byte(nil), before...)
		page = append(page, '.')
		asJSON := len(letters(before, true)) == len(letters(before, false)) && !bytes.ContainsRune(before, '\\')
		for i := range len(part) {
			how := spelling[i%len(spelling)]
			if how >= 128 && asJSON {
				page = fmt.Appendf(page, `\u%04x`, part[i])
			} else {
				page = append(page, part[i])
			}
			if separator := separators[int(how)%len(separators)]; i < len(part)-1 && (asJSON || !strings.Contains(separator, `\`)) {
				page = append(page, separator...)
			}
		}
		page = append(append(page, '.'), after...)
		if !finder.In(page) {
			t.Fatalf("%q is not found in %q", part, page)
		}
		clean := finder.Scrub(page)
		for left := range bytes.SplitSeq(clean, []byte("[redacted]")) { // Letters of the mark may complete a piece.
			if finder.In(left) || strings.Contains(letters(left, false), part) {
				t.Fatalf("%q is left of %q in %q", key, page, clean)
			}
		}
	})
}

// FuzzText also searches any text with the simplest algorithm.
func FuzzText(f *testing.F) {
	f.Add("abcabcabcabcabc", []byte(`ab\u0063abcabcab cabc`))
	f.Add("Q1Q1Q1Q1Q1Q1Q1", []byte(`Q1Q1Q1Q1"Q1Q1Q1Q1`))
	f.Fuzz(func(t *testing.T, key string, text []byte) {
		if own := letters([]byte(key), false); len(own) < 12 || own != key || strings.ContainsAny(key, "redacted") {
			return
		}
		finder := redact.New(key)
		want := false
		for i := 0; i+12 <= len(key); i++ {
			want = want || strings.Contains(letters(text, false), key[i:i+12])
		}
		got := finder.In(text)
		if want && !got {
			t.Fatalf("%q is not found in %q", key, text)
		}
		clean := finder.Scrub(text)
		if !got && !bytes.Equal(clean, text) {
			t.Fatal("changed what holds nothing")
		}
		if finder.In(clean) {
			t.Fatalf("something is left of %q in %q", text, clean)
		}
	})
}

func BenchmarkIn(b *testing.B) {
	page := bytes.Repeat([]byte(`{"id":"0b0e7b3a-6c1f-4a53-9d0e-111111111111","at":"2026-01-02T03:04:05.678Z","text":"Quite usual\nwords"},`), 1700)
	for name, key := range map[string]string{
		"17 letters": key, "32 letters": "sk_live_" + "4eC39HqLyjWDarjtT1zdp7dcXw2Kb8Qm", "hexadecimal": "sk_live_" + "9f3c5d7e2b4a6f8091b3d5c7e9f2a4b6",
	} {
		finder := redact.New(key)
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(page)))
			b.ReportAllocs()
			for b.Loop() {
				if finder.In(page) {
					b.Fatal("found")
				}
			}
		})
	}
}
