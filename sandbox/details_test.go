package sandbox_test

import (
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hiring-assessment/hiring-go/sandbox"
)

func TestDetailsThroughEveryTransport(t *testing.T) {
	s := sandbox.Start(t, sandbox.WithDetails())
	for i, d := range transports(t, s) {
		reply := d.do(t, http.MethodGet, "/api/v1/account", sandbox.TestKey, http.Header{"User-Agent": {"mine"}, "X-Key": {"is " + sandbox.ReadOnlyKey}})
		var first sandbox.Entry
		require.Eventually(t, func() bool { first = s.Journal()[i]; return first.Detail.Ended }, time.Minute, time.Millisecond)
		detail := first.Detail
		assert.Equal(t, i+1, detail.Number)
		assert.Equal(t, reply.Meta.RequestID, detail.RequestID)
		assert.Equal(t, "mine", detail.Header.Get("User-Agent"))
		assert.Equal(t, "Bearer sk_test_…dbox", detail.Header.Get("Authorization"))
		assert.Equal(t, "is sk_test_…read", detail.Header.Get("X-Key"), "hidden also where it does not belong")
		assert.Equal(t, reply.raw, detail.Response)
		assert.Equal(t, len(reply.raw), detail.ResponseSize)
		assert.Equal(t, strconv.Itoa(999-i), detail.ResponseHeader.Get("X-Ratelimit-Remaining"))
		assert.Equal(t, [2]int{1000, 999 - i}, [2]int{detail.Limit, detail.Remaining})
		assert.Nil(t, detail.Fault)
		assert.False(t, detail.Throttled)
		assert.Positive(t, detail.Took)
	}
}

func TestNoDetailsUnlessAsked(t *testing.T) {
	s := sandbox.Start(t)
	inProcess(s).get(t, "/account")
	assert.Nil(t, s.Journal()[0].Detail)
}

func TestDetailsOfFailedCalls(t *testing.T) {
	s := sandbox.Start(t, sandbox.WithDetails())
	d := inProcess(s)
	last := func() *sandbox.Detail { j := s.Journal(); return j[len(j)-1].Detail }
	for _, c := range []struct {
		fault sandbox.Fault
		size  int
		reply bool
	}{
		{sandbox.Fault{Status: 503}, 0, true},
		{sandbox.Fault{Reset: true}, 0, false},
		{sandbox.Fault{After: true}, 0, false},
		{sandbox.Fault{Late: time.Minute}, 0, false},
		{sandbox.Fault{CutAfter: 7}, 7, true},
		{sandbox.Fault{Status: 502, Body: "<html>", ContentType: "text/html"}, 6, true},
	} {
		s.Inject(c.fault)
		d.send(t.Context(), t, http.MethodGet, "/account", "")
		detail := last()
		require.NotNil(t, detail.Fault, c.fault)
		assert.Equal(t, c.fault, *detail.Fault)
		assert.True(t, detail.Ended, "%s", c.fault)
		assert.Equal(t, c.reply, detail.ResponseHeader != nil, "%s", c.fault)
		if c.size > 0 {
			assert.Equal(t, c.size, detail.ResponseSize, "%s", c.fault)
			assert.Len(t, detail.Response, c.size)
		}
	}
	d.post(t, "/assessments", newAssessment)
	first := last()
	d.post(t, "/assessments", newAssessment)
	d.post(t, "/assessments", newAssessment+" ")
	assert.Zero(t, first.Repeats)
	repeats := s.Journal()[len(s.Journal())-2].Detail
	assert.Equal(t, first.Number, repeats.Repeats)
	assert.Zero(t, last().Repeats, "another body is another write")
	s.Throttle()
	d.get(t, "/account")
	assert.True(t, last().Throttled)
	s.EndThrottle()
	s.SetQuota(sandbox.TestKey, sandbox.ClassRead, 0)
	d.get(t, "/account")
	assert.False(t, last().Throttled, "a quota that is used up is another 429")
}

// TestDetailsAreBounded checks that old details are dropped before their entries, that
// responses are cut, and that the counted size is right.
func TestDetailsAreBounded(t *testing.T) {
	s := sandbox.Start(t, sandbox.WithDetails(), sandbox.WithQuota(1<<30, 1<<30))
	d := inProcess(s)
	s.Inject(sandbox.Fault{Status: 200, Body: strings.Repeat("x", 3*sandbox.DetailResponse), Times: -1})
	const asked = 3000
	for i := range asked {
		d.send(t.Context(), t, http.MethodGet, fmt.Sprintf("/account?n=%d", i), "")
	}
	journal := s.Journal()
	require.Len(t, journal, asked, "entries stay")
	assert.Nil(t, journal[0].Detail)
	kept, size := 0, 0
	for _, e := range journal {
		if e.Detail != nil {
			kept++
			size += len(e.Detail.Response)
			require.Len(t, e.Detail.Response, sandbox.DetailResponse)
			require.Equal(t, 3*sandbox.DetailResponse, e.Detail.ResponseSize)
		}
	}
	assert.LessOrEqual(t, size, sandbox.DetailBytes)
	assert.Greater(t, kept, sandbox.DetailBytes/sandbox.DetailResponse*8/10, "no more than needed is forgotten")
	assert.NotNil(t, journal[asked-1].Detail)
}
