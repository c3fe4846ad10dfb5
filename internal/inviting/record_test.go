package inviting_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hiring-assessment/hiring-go/internal/inviting"
)

func TestARecordIsReadAsItWasWritten(t *testing.T) {
	r := inviting.NewRecord("A1")
	ada, bob := inviting.Key(inviting.To("A1", "Ada@example.com")), inviting.Key(inviting.To("a1", "bob@example.com"))
	r.Begin(ada, attemptEnd)
	r.Begin(bob, attemptEnd.Add(time.Millisecond))
	text, err := r.Encode(attemptEnd)
	require.NoError(t, err)
	assert.NotContains(t, text, "example.com")

	read, err := inviting.ParseRecord(text, "a1")
	require.NoError(t, err)
	ends := read.Ends()
	assert.Len(t, ends, 2)
	assert.True(t, ends[ada].Equal(attemptEnd))
	assert.True(t, ends[bob].Equal(attemptEnd.Add(time.Second)), "rounded up")
	assert.Equal(t, ada, inviting.Key(inviting.To("a1", " ADA@example.com")))
	assert.NotEqual(t, ada, inviting.Key(inviting.To("a2", "ada@example.com")))
}

func TestARecordOfSomethingElseIsRejected(t *testing.T) {
	text, err := inviting.NewRecord("a1").Encode(attemptEnd)
	require.NoError(t, err)
	for name, c := range map[string]struct {
		text, assessment string
		want             error
	}{
		"empty":               {"", "a1", nil},
		"its own":             {text, "a1", nil},
		"in other letters":    {text, "A1", nil},
		"another assessment":  {text, "a2", inviting.ErrOtherRecord},
		"not JSON":            {"xyz", "a1", inviting.ErrNoRecord},
		"cut short":           {text[:len(text)-1], "a1", inviting.ErrNoRecord},
		"of another kind":     {strings.Replace(text, "hiring-invitations-1", "hiring-watch-1", 1), "a1", inviting.ErrNoRecord},
		"without a kind":      {`{}`, "a1", inviting.ErrNoRecord},
		"longer than allowed": {text + strings.Repeat(" ", inviting.MaxRecord), "a1", inviting.ErrNoRecord},
	} {
		_, err := inviting.ParseRecord(c.text, c.assessment)
		assert.ErrorIs(t, err, c.want, name)
	}
}

func TestARecordWithAFlippedBitIsRejected(t *testing.T) {
	r := inviting.NewRecord("a1")
	r.Begin(inviting.Key(inviting.To("a1", "ada@example.com")), attemptEnd)
	text, err := r.Encode(attemptEnd)
	require.NoError(t, err)
	for bit := range 8 * len(text) {
		damaged := []byte(text)
		damaged[bit/8] ^= 1 << (bit % 8)
		_, err := inviting.ParseRecord(string(damaged), "a1")
		require.ErrorIs(t, err, inviting.ErrNoRecord, "%q", damaged)
	}
}

func TestRecordDropsDecidedCandidates(t *testing.T) {
	second := time.Second
	for name, c := range map[string]struct {
		change func(inviting.Record)
		at     time.Duration // Of the encoding.
		kept   bool
	}{
		"unresolved":                          {func(inviting.Record) {}, time.Hour, true},
		"resolved":                            {func(r inviting.Record) { r.Resolve("k", attemptEnd) }, 0, false},
		"to be dropped later, before then":    {func(r inviting.Record) { r.Resolve("k", attemptEnd.Add(second)) }, second - 1, true},
		"to be dropped later, then":           {func(r inviting.Record) { r.Resolve("k", attemptEnd.Add(second)) }, second, false},
		"resolved and sent again":             {func(r inviting.Record) { r.Resolve("k", attemptEnd); r.Begin("k", attemptEnd) }, second, true},
		"another one resolved":                {func(r inviting.Record) { r.Resolve("x", attemptEnd) }, second, true},
		"a listing too early":                 {func(r inviting.Record) { r.Expire(attemptEnd.Add(time.Minute - 1)) }, 0, true},
		"a listing a minute after it at most": {func(r inviting.Record) { r.Expire(attemptEnd.Add(time.Minute)) }, 0, false},
	} {
		r := inviting.NewRecord("a1")
		r.Begin("k", attemptEnd)
		c.change(r)
		text, err := r.Encode(attemptEnd.Add(c.at))
		require.NoError(t, err)
		read, err := inviting.ParseRecord(text, "a1")
		require.NoError(t, err)
		_, kept := read.Ends()["k"]
		assert.Equal(t, c.kept, kept, name)
	}
}

func TestARecordHasAtMost256KB(t *testing.T) {
	r := inviting.NewRecord("a1")
	for n := range 10_000 {
		r.Begin(inviting.Key(inviting.To("a1", fmt.Sprint(n))), attemptEnd)
	}
	_, err := r.Encode(attemptEnd)
	assert.ErrorIs(t, err, inviting.ErrRecordTooLong)
}
