package doctor

import (
	"maps"
	"slices"
	"strconv"
)

// usualNames are names that other APIs use, most frequent first.
var usualNames = map[string][]string{
	"PageParam": {"page", "p", "page_number", "pageNumber", "page_no", "pageNo", "pg", "page_index", "pageIndex", "page_num",
		"page[number]", "current_page"},
	"PageSizeParam": {
		"page_size", "per_page", "limit", "pageSize", "perPage", "size", "page_limit", "max_results", "maxResults", "count",
		"page[size]", "items_per_page", "results_per_page", "max_items", "take", "first", "num", "n", "batch_size",
	},
	"CursorParam": {
		"cursor", "after", "page_token", "next_cursor", "pageToken", "starting_after", "next", "nextCursor", "start_after",
		"continuation_token", "continuation", "next_page_token", "page[cursor]", "page[after]", "token", "marker",
	},
	"InvitationEmail": {"candidate_email", "email", "candidateEmail", "email_address", "emailAddress", "mail", "recipient_email",
		"invitee_email", "address", "to"},
	"InvitationName": {"candidate_name", "name", "candidateName", "full_name", "fullName", "display_name", "recipient_name", "invitee_name"},
}

func init() { usualNames["EventPageSizeParam"] = usualNames["PageSizeParam"] }

// distinctValues gives each name its own value, so that a response shows which name had an
// effect. Usual default page sizes are not used.
func distinctValues(names []string, from int) map[string]int {
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

// nameWithValue returns the name with a value, or "".
func nameWithValue(values map[string]int, value int) string {
	for name, v := range values {
		if v == value {
			return name
		}
	}
	return ""
}

// effectiveName returns the name that had an effect on a response, and the evidence. The
// response states the value in meta, or has as many items as a page size while another
// page follows, or rejects the value by name.
func effectiveName(resp response, values map[string]int, fromMeta *int, size bool) (name, evidence string) {
	if fromMeta != nil && resp.ok() {
		if name = nameWithValue(values, *fromMeta); name != "" {
			return name, name + "=" + strconv.Itoa(*fromMeta) + " is in meta"
		}
	}
	if n := len(resp.items()); size && resp.ok() && resp.hasMore() {
		if name = nameWithValue(values, n); name != "" {
			return name, name + "=" + strconv.Itoa(n) + " returned as many items"
		}
	}
	if name = refusedByName(resp, slices.Collect(maps.Keys(values))); name != "" {
		return name, "the response rejects its value by name"
	}
	return "", ""
}

// refusedByName returns the name whose value a response rejects, or "".
func refusedByName(resp response, names []string) string {
	for _, name := range names {
		if resp.complaintAbout(name, true) == aboutValue {
			return name
		}
	}
	return ""
}

// candidates returns the values to try for a field: the documented and the assumed one, then
// others.
func (e *examination) candidates(field string, others ...string) []string {
	return unique(slices.Concat([]string{e.documented(field), e.assumed[field]}, others)...)
}

// namesByRound returns the names to try for a field: first the documented and the assumed
// one, then the other usual ones.
func (e *examination) namesByRound(field string) [][]string {
	first := e.candidates(field)
	return [][]string{first, without(usualNames[field], first)}
}

// without returns the names that are not excluded.
func without(names, excluded []string) []string {
	return slices.DeleteFunc(slices.Clone(names), func(name string) bool { return slices.Contains(excluded, name) })
}

// unique returns the names without empty ones and duplicates.
func unique(names ...string) []string {
	var kept []string
	for _, name := range names {
		if name != "" && !slices.Contains(kept, name) {
			kept = append(kept, name)
		}
	}
	return kept
}
