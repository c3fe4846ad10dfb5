package doctor

import (
	"slices"
	"strings"
	"time"

	"github.com/hiring-assessment/hiring-go/internal/timelayout"
)

// layouts are known layouts of times in queries, most frequent first.
var layouts = makeLayouts()

func makeLayouts() []string {
	var all []string
	dates := []string{"2006-01-02", "20060102", "2006/01/02", "02.01.2006", "02/01/2006", "01/02/2006", "02-01-2006", "2006.01.02"}
	times := []string{"15:04:05.000", "15:04:05", "15:04", "150405.000", "150405", "1504", "15:04:05.000000", "15:04:05.000000000"}
	for _, date := range dates {
		for _, between := range []string{"T", " "} {
			for _, clock := range times {
				for _, zone := range []string{"Z", "Z07:00", "", "-07:00", "-0700", " MST", " -0700"} {
					all = append(all, date+between+clock+zone)
				}
			}
		}
		all = append(all, date)
	}
	return append(all, time.RFC1123, time.RFC1123Z, time.RFC850, time.ANSIC, time.UnixDate, time.RFC822, time.RFC822Z,
		"2 Jan 2006", "Jan 2, 2006", timelayout.Unix, timelayout.UnixMilli)
}

// fallbackLayouts are tried when nothing shows the layout. They are few, because each
// costs a read.
var fallbackLayouts = []string{
	"2006-01-02T15:04:05Z", "2006-01-02", timelayout.Unix, timelayout.UnixMilli, "2006-01-02T15:04:05.000",
	"2006-01-02 15:04:05", "2006-01-02 15:04:05.000", "20060102T150405Z",
	"2006-01-02T15:04:05-07:00",
}

// layoutOf returns the layout of an example, or "".
func layoutOf(example string) string {
	for _, layout := range layouts {
		if matchesLayout(layout, example) {
			return layout
		}
	}
	return ""
}

// matchesLayout reports whether formatting the example's time with the layout returns the
// example.
func matchesLayout(layout, example string) bool {
	at, err := timelayout.Parse(layout, example)
	switch layout {
	case timelayout.Unix:
		return err == nil && len(example) == len("1773576855")
	case timelayout.UnixMilli:
		return err == nil && len(example) == len("1773576855678")
	}
	return err == nil && at.Format(layout) == example
}

// patternLetters translates patterns such as YYYY-MM-DD.
var patternLetters = strings.NewReplacer(
	"YYYY", "2006", "yyyy", "2006", "MM", "01", "DD", "02", "dd", "02", "HH", "15", "hh", "15",
	"mm", "04", "mi", "04", "SSS", "000", "sss", "000", "ss", "05", "SS", "05",
)

// layoutInText returns the layout that an error message shows, or "". The message may have
// an example or a pattern such as YYYY-MM-DD. The longest matching sequence of words
// counts.
func layoutInText(text string) string {
	if lower := strings.ToLower(text); strings.Contains(lower, "unix") || strings.Contains(lower, "epoch") {
		if strings.Contains(lower, "milli") {
			return timelayout.UnixMilli
		}
		return timelayout.Unix
	}
	words := strings.Fields(text)
	for length := min(6, len(words)); length > 0; length-- {
		for from := range len(words) - length + 1 {
			part := strings.Trim(strings.Join(words[from:from+length], " "), ".,;:()'\"`")
			if layout := layoutOf(part); layout != "" {
				return layout
			}
			layout := strings.ReplaceAll(patternLetters.Replace(part), "'", "") // As in yyyy-MM-dd'T'HH:mm.
			if layout != part && slices.Contains(layouts, layout) {
				return layout
			}
		}
	}
	return ""
}
