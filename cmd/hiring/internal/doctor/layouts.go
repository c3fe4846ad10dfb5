package doctor

import (
	"time"

	"github.com/hiring-assessment/hiring-go/internal/urls"
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
	return append(all, time.RFC1123, time.RFC1123Z, urls.Unix, urls.UnixMilli)
}

// hasLayout reports whether formatting the example's time with the layout returns the
// example.
func hasLayout(example, layout string) bool {
	at, err := urls.ParseTime(layout, example)
	switch layout {
	case urls.Unix:
		return err == nil && len(example) == len("1773576855")
	case urls.UnixMilli:
		return err == nil && len(example) == len("1773576855678")
	}
	return err == nil && at.Format(layout) == example
}
