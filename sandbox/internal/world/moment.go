package world

import "time"

// Moment is a time in milliseconds since 1970, which is the precision of resources. With
// a finer time, a filter could exclude a record by the record's own time.
type Moment int64

const momentLayout = "2006-01-02T15:04:05.000Z"

// MomentOf truncates a time to milliseconds.
func MomentOf(t time.Time) Moment { return Moment(t.UnixMilli()) }

// Time returns the time in UTC.
func (m Moment) Time() time.Time { return time.UnixMilli(int64(m)).UTC() }

func (m Moment) plus(d time.Duration) Moment { return m + Moment(d.Milliseconds()) }

func (m Moment) minus(n Moment) time.Duration { return time.Duration(m-n) * time.Millisecond }

// UnmarshalText parses a time of the sample data.
func (m *Moment) UnmarshalText(text []byte) error {
	t, err := time.Parse(momentLayout, string(text))
	*m = MomentOf(t)
	return err
}

const digits = "0123456789"

// MarshalText returns the time in UTC, always with three digits of milliseconds.
func (m Moment) MarshalText() ([]byte, error) {
	at := m.Time()
	text := at.AppendFormat(make([]byte, 0, len(momentLayout)), time.RFC3339) // Faster than momentLayout.
	millis := at.Nanosecond() / int(time.Millisecond)
	return append(text[:len(text)-1], '.', digits[millis/100], digits[millis/10%10], digits[millis%10], 'Z'), nil
}
