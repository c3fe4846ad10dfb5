package contract_test

import (
	"encoding/json"
	"maps"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// anatomy is what cannot be wrong with a response.
type anatomy struct {
	optional []string // Members that may be left out.
	free     []string // Members with undocumented content.
}

// anatomyOf: the tasks of a challenge are described, those of a report are free.
func anatomyOf(operation string) anatomy {
	a := anatomy{
		optional: []string{"percentile"},
		free:     []string{"strengths", "flags", "interview_questions", "scope_exclusions", "payload"},
	}
	if strings.HasSuffix(operation, "Challenge") || strings.HasSuffix(operation, "Challenges") {
		a.optional = append(a.optional, "tasks")
	} else {
		a.free = append(a.free, "tasks")
	}
	return a
}

// dissect returns what a response would be with one thing wrong in it, for each
// thing that can be wrong. Of a list only the first item is taken apart.
func (a anatomy) dissect(t *testing.T, reply []byte) map[string][]byte {
	t.Helper()
	var whole any
	require.NoError(t, json.Unmarshal(reply, &whole))
	changed := map[string][]byte{}
	keep := func(name string) {
		raw, err := json.Marshal(whole)
		require.NoError(t, err)
		changed[name] = raw
	}
	var take func(at string, value any)
	take = func(at string, value any) {
		switch value := value.(type) {
		case map[string]any:
			value["undocumented"] = 1
			keep(at + ": with another member")
			delete(value, "undocumented")
			for _, name := range slices.Sorted(maps.Keys(value)) {
				member := at + "/" + name
				was := value[name]
				if delete(value, name); !slices.Contains(a.optional, name) {
					keep(member + ": left out")
				}
				value[name] = other(was)
				keep(member + ": of another type")
				value[name] = was
				if !slices.Contains(a.free, name) {
					take(member, was)
				}
			}
		case []any:
			if len(value) > 0 {
				take(at+"/"+strconv.Itoa(0), value[0])
			}
		}
	}
	take("", whole)
	return changed
}

// other is a value that no member can have which has this one.
func other(value any) any {
	if _, list := value.([]any); list {
		return map[string]any{}
	}
	return []any{[]any{}}
}
