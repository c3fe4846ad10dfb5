package doctor

import (
	"maps"
	"slices"
	"strconv"
)

// usual are the names that services give to such things, the likeliest first.
var usual = map[string][]string{
	"PageParam": {"page", "p", "page_number", "pageNumber", "page_no", "pageNo", "pg", "page_index", "pageIndex", "page_num", "page[number]", "current_page"},
	"PageSizeParam": {
		"page_size", "per_page", "limit", "pageSize", "perPage", "size", "page_limit", "max_results", "maxResults", "count",
		"page[size]", "items_per_page", "results_per_page", "max_items", "take", "first", "num", "n", "batch_size",
	},
	"CursorParam": {
		"cursor", "after", "page_token", "next_cursor", "pageToken", "starting_after", "next", "nextCursor", "start_after",
		"continuation_token", "continuation", "next_page_token", "page[cursor]", "page[after]", "token", "marker",
	},
	"InvitationEmail": {"candidate_email", "email", "candidateEmail", "email_address", "emailAddress", "mail", "recipient_email", "invitee_email", "address", "to"},
	"InvitationName":  {"candidate_name", "name", "candidateName", "full_name", "fullName", "display_name", "recipient_name", "invitee_name"},
}

func init() { usual["EventPageSizeParam"] = usual["PageSizeParam"] }

// numbers gives each name a value of its own, so that the reply tells which one
// was heeded: never one that services take by themselves.
func numbers(names []string, from int) map[string]int {
	usualSizes := []int{10, 20, 25, 30, 50, 100}
	values := make(map[string]int, len(names))
	for _, name := range names {
		for slices.Contains(usualSizes, from) {
			from++
		}
		values[name] = from
		from++
	}
	return values
}

// named returns the name that has a value.
func named(values map[string]int, value int) string {
	for name, v := range values {
		if v == value {
			return name
		}
	}
	return ""
}

// heeded tells which of the names a reply obeyed, and how it shows. The reply says
// it itself, or, of a size, holds as many items as asked for while there are more,
// or has something against the value.
func heeded(a answer, values map[string]int, says *int, size bool) (name, evidence string) {
	if says != nil && a.ok() {
		if name = named(values, *says); name != "" {
			return name, name + "=" + strconv.Itoa(*says) + " shows in meta"
		}
	}
	if n := len(a.items()); size && a.ok() && a.more() {
		if name = named(values, n); name != "" {
			return name, name + "=" + strconv.Itoa(n) + " brought as many items"
		}
	}
	if name = refusedByName(a, slices.Collect(maps.Keys(values))); name != "" {
		return name, "its value is refused by name"
	}
	return "", ""
}

// refusedByName is the name whose value a reply has something against.
func refusedByName(a answer, names []string) string {
	for _, name := range names {
		if a.objectsTo(name, true) == toValue {
			return name
		}
	}
	return ""
}

// unknownNames are those of which a strict service says that it does not know them.
func unknownNames[V any](a answer, sent map[string]V) []string {
	var names []string
	for name := range sent {
		if a.objectsTo(name, true) == toName {
			names = append(names, name)
		}
	}
	return names
}

// rounds are the names to try: at first what is said and what is assumed, then
// all that are usual.
func rounds(field, said, assumed string) [][]string {
	first := unique(said, assumed)
	rest := slices.DeleteFunc(slices.Clone(usual[field]), func(name string) bool { return slices.Contains(first, name) })
	return [][]string{first, rest}
}

// unique drops what is empty or was there before.
func unique(names ...string) []string {
	var kept []string
	for _, name := range names {
		if name != "" && !slices.Contains(kept, name) {
			kept = append(kept, name)
		}
	}
	return kept
}
