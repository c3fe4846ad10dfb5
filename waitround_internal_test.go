package hiring

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
)

func TestPageEnds(t *testing.T) {
	at := func(minutes ...int) (times []time.Time) {
		for _, m := range minutes {
			times = append(times, time.Unix(int64(60*m), 0))
		}
		return times
	}
	for _, c := range []struct{ scan, before, since, want []time.Time }{
		{nil, nil, at(5), nil},
		{at(30, 20), nil, at(5), at(30, 20)},
		{at(31, 22), at(30, 19), at(20), at(31, 22)},
		{at(31, 22), at(30, 19, 8), at(20), at(31, 22, 8)},
		{at(31), at(30, 19, 8), at(15), at(31, 8)},
	} {
		assert.Equal(t, c.want, pageEnds(c.scan, c.before, c.since[0]))
	}
}
