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

func TestEndsAreReadAsTheyWereSaved(t *testing.T) {
	ada, bob := inviting.To("A1", "Ada@example.com").Key, inviting.To("a1", "bob@example.com").Key
	text, err := inviting.Ends{ada: attemptEnd, bob: attemptEnd.Add(time.Millisecond)}.Encode("A1")
	require.NoError(t, err)
	assert.NotContains(t, text, "example.com")

	ends, err := inviting.ParseEnds(text, "a1")
	require.NoError(t, err)
	assert.Len(t, ends, 2)
	assert.True(t, ends[ada].Equal(attemptEnd))
	assert.True(t, ends[bob].Equal(attemptEnd.Add(time.Second)), "rounded up")
	assert.Equal(t, ada, inviting.To("a1", " ADA@example.com").Key)
	assert.NotEqual(t, ada, inviting.To("a2", "ada@example.com").Key)
}

func TestTheStateOfSomethingElseIsRejected(t *testing.T) {
	text, err := inviting.Ends{}.Encode("a1")
	require.NoError(t, err)
	for name, c := range map[string]struct {
		text, assessment string
		want             error
	}{
		"empty":               {"", "a1", nil},
		"its own":             {text, "a1", nil},
		"in other letters":    {text, "A1", nil},
		"another assessment":  {text, "a2", inviting.ErrOtherState},
		"not JSON":            {"xyz", "a1", inviting.ErrNoState},
		"cut short":           {text[:len(text)-1], "a1", inviting.ErrNoState},
		"of another kind":     {strings.Replace(text, "hiring-invitations-1", "hiring-watch-1", 1), "a1", inviting.ErrNoState},
		"without a kind":      {`{}`, "a1", inviting.ErrNoState},
		"longer than allowed": {text + strings.Repeat(" ", inviting.MaxState), "a1", inviting.ErrNoState},
	} {
		_, err := inviting.ParseEnds(c.text, c.assessment)
		assert.ErrorIs(t, err, c.want, name)
	}
}

func TestAStateWithAFlippedBitIsRejected(t *testing.T) {
	text, err := inviting.Ends{inviting.To("a1", "ada@example.com").Key: attemptEnd}.Encode("a1")
	require.NoError(t, err)
	for bit := range 8 * len(text) {
		damaged := []byte(text)
		damaged[bit/8] ^= 1 << (bit % 8)
		_, err := inviting.ParseEnds(string(damaged), "a1")
		require.ErrorIs(t, err, inviting.ErrNoState, "%q", damaged)
	}
}

func TestAScanDecidesARequestThatEndedAMinuteBefore(t *testing.T) {
	assert.False(t, inviting.Decides(attemptEnd.Add(time.Minute-1), attemptEnd))
	assert.True(t, inviting.Decides(attemptEnd.Add(time.Minute), attemptEnd))
}

func TestAStateHasAtMost256KB(t *testing.T) {
	ends := make(inviting.Ends)
	for n := range 10_000 {
		ends[inviting.To("a1", fmt.Sprint(n)).Key] = attemptEnd
	}
	_, err := ends.Encode("a1")
	assert.ErrorIs(t, err, inviting.ErrStateTooLong)
}
