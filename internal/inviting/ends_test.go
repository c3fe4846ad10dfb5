package inviting_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hiring-assessment/hiring-go/internal/envelope"
	"github.com/hiring-assessment/hiring-go/internal/inviting"
)

func TestEndsAreReadAsTheyWereSaved(t *testing.T) {
	ada, bob := inviting.To("A1", "Ada@example.com").Key, inviting.To("a1", "bob@example.com").Key
	saved := inviting.Ends{ada: inviting.Seconds(attemptEnd), bob: inviting.Seconds(attemptEnd.Add(time.Millisecond))}
	text, err := saved.Encode("a1")
	require.NoError(t, err)
	assert.NotContains(t, text, "example.com")

	ends, err := inviting.ParseEnds(text, "a1")
	require.NoError(t, err)
	assert.Equal(t, inviting.Ends{ada: attemptEnd.Unix(), bob: attemptEnd.Unix() + 1}, ends, "rounded up")
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
		"another assessment":  {text, "a2", inviting.ErrOtherState},
		"not JSON":            {"xyz", "a1", envelope.ErrKind},
		"cut short":           {text[:len(text)-1], "a1", envelope.ErrDamaged},
		"of another kind":     {strings.Replace(text, "hiring-invitations-1", "hiring-watch-1", 1), "a1", envelope.ErrKind},
		"without a kind":      {`{}`, "a1", envelope.ErrKind},
		"longer than allowed": {text + strings.Repeat(" ", inviting.MaxState), "a1", envelope.ErrDamaged},
	} {
		_, err := inviting.ParseEnds(c.text, c.assessment)
		assert.ErrorIs(t, err, c.want, name)
	}
}

func TestAStateWithAFlippedBitIsRejected(t *testing.T) {
	text, err := inviting.Ends{inviting.To("a1", "ada@example.com").Key: attemptEnd.Unix()}.Encode("a1")
	require.NoError(t, err)
	for bit := range 8 * len(text) {
		damaged := []byte(text)
		damaged[bit/8] ^= 1 << (bit % 8)
		_, err := inviting.ParseEnds(string(damaged), "a1")
		require.Error(t, err, "%q", damaged)
	}
}

func TestAScanDecidesARequestThatEndedAMinuteBefore(t *testing.T) {
	assert.False(t, inviting.Decides(attemptEnd.Add(time.Minute-1), attemptEnd))
	assert.True(t, inviting.Decides(attemptEnd.Add(time.Minute), attemptEnd))
}

func TestAStateHasAtMost256KB(t *testing.T) {
	ends := make(inviting.Ends)
	for n := range 10_000 {
		ends[inviting.To("a1", fmt.Sprint(n)).Key] = attemptEnd.Unix()
	}
	_, err := ends.Encode("a1")
	assert.ErrorIs(t, err, inviting.ErrStateTooLong)
}
