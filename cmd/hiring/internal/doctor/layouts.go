package doctor

import (
	"strconv"
	"time"
)

// Layouts of SinceLayout that are numbers, as package hiring reads them.
const (
	unix      = "unix"
	unixMilli = "unixmilli"
)

// usualLayouts returns layouts of times in queries, most frequent first.
func usualLayouts() []string {
	var all []string
	for _, date := range []string{"2006-01-02", "20060102", "2006/01/02", "02.01.2006", "02/01/2006", "01/02/2006", "02-01-2006", "2006.01.02"} {
		for _, between := range []string{"T", " "} {
			for _, clock := range []string{"15:04:05.000", "15:04:05", "15:04", "150405.000", "150405", "1504", "15:04:05.000000"} {
				for _, zone := range []string{"Z", "Z07:00", "", "-07:00", "-0700"} {
					all = append(all, date+between+clock+zone)
				}
			}
		}
		all = append(all, date)
	}
	return append(all, time.RFC1123, time.RFC1123Z, unix, unixMilli)
}

// hasLayout reports whether an example of a time has a layout.
func hasLayout(example, layout string) bool {
	if digits := map[string]int{unix: len("1773576855"), unixMilli: len("1773576855678")}[layout]; digits > 0 {
		_, err := strconv.ParseInt(example, 10, 64)
		return err == nil && len(example) == digits
	}
	at, err := time.Parse(layout, example)
	return err == nil && at.Format(layout) == example
}
