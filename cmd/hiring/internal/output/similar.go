package output

import "strings"

// Similar returns the known words that a misspelt word may mean: words that begin with it,
// or else the nearest words at most two edits away. A known word in another case is
// returned alone.
func Similar(word string, known ...string) []string {
	var begin, nearest []string
	lower := strings.ToLower(word)
	least := 3
	for _, candidate := range known {
		other := strings.ToLower(candidate)
		if len(word) > 1 && strings.HasPrefix(other, lower) {
			begin = append(begin, candidate)
		}
		switch edits := distance(lower, other); {
		case edits > 2 || edits >= len(lower):
		case edits < least:
			least, nearest = edits, []string{candidate}
		case edits == least:
			nearest = append(nearest, candidate)
		}
	}
	if begin != nil {
		return begin
	}
	return nearest
}

// distance returns the number of letters to insert, delete, replace or swap to turn one
// word into the other.
func distance(a, b string) int {
	from, to := []rune(a), []rune(b)
	rows := make([][]int, len(from)+1)
	for i := range rows {
		rows[i] = make([]int, len(to)+1)
		rows[i][0] = i
	}
	for j := range rows[0] {
		rows[0][j] = j
	}
	for i := 1; i <= len(from); i++ {
		for j := 1; j <= len(to); j++ {
			cost := 1
			if from[i-1] == to[j-1] {
				cost = 0
			}
			rows[i][j] = min(rows[i-1][j]+1, rows[i][j-1]+1, rows[i-1][j-1]+cost)
			if i > 1 && j > 1 && from[i-1] == to[j-2] && from[i-2] == to[j-1] {
				rows[i][j] = min(rows[i][j], rows[i-2][j-2]+1)
			}
		}
	}
	return rows[len(from)][len(to)]
}

// DidYouMean returns a question to add to a sentence, or "" without any words.
func DidYouMean(words []string) string {
	if len(words) == 0 {
		return ""
	}
	return " Did you mean " + strings.Join(words, " or ") + "?"
}
