package urls

import (
	"strconv"
	"time"
)

// Layouts that package time does not have, named after its methods.
const (
	Unix      = "unix"
	UnixMilli = "unixmilli"
)

// FormatTime returns t in UTC in the given layout.
func FormatTime(layout string, t time.Time) string {
	switch layout {
	case Unix:
		return strconv.FormatInt(t.Unix(), 10)
	case UnixMilli:
		return strconv.FormatInt(t.UnixMilli(), 10)
	}
	return t.UTC().Format(layout)
}

// ParseTime parses text in the given layout.
func ParseTime(layout, text string) (time.Time, error) {
	if layout != Unix && layout != UnixMilli {
		return time.Parse(layout, text)
	}
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		return time.Time{}, err
	}
	if layout == Unix {
		return time.Unix(n, 0).UTC(), nil
	}
	return time.UnixMilli(n).UTC(), nil
}
