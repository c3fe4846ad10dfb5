package world

import "time"

// Moment is a time as things have it: in milliseconds since 1970. Anything finer
// than they can show would come between a thing and a filter by its own time.
type Moment int64

const momentLayout = "2006-01-02T15:04:05.000Z"

// MomentOf is the moment that a time falls into.
func MomentOf(t time.Time) Moment { return Moment(t.UnixMilli()) }

// moment reads one of the sample data's.
func moment(text string) Moment {
	t, err := time.Parse(momentLayout, text)
	if err != nil {
		panic(err) // the sample data are part of the program
	}
	return MomentOf(t)
}

// Time is the moment's beginning, in UTC.
func (m Moment) Time() time.Time { return time.UnixMilli(int64(m)).UTC() }

func (m Moment) plus(d time.Duration) Moment { return m + Moment(d.Milliseconds()) }

func (m Moment) minus(n Moment) time.Duration { return time.Duration(m-n) * time.Millisecond }

// MarshalText writes the moment in UTC with milliseconds, always as many.
func (m Moment) MarshalText() ([]byte, error) {
	return m.Time().AppendFormat(make([]byte, 0, len(momentLayout)), momentLayout), nil
}
