package hiring

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const tag = `"v1"`

func TestAccept(t *testing.T) {
	other := errors.New("another")
	for name, c := range map[string]struct {
		written int64
		status  int
		header  transferHeader
		busy    bool
		whole   bool
		err     error
		end     int64
	}{
		"the first":                         {status: 200, end: 10},
		"another instead of a part":         {written: 4, status: 200, err: errArchiveChanged},
		"a part":                            {written: 4, status: 206, header: transferHeader{"Content-Range": {"bytes 4-9/10"}, "Etag": {tag}}, end: 10},
		"a part of a part":                  {written: 4, status: 206, header: transferHeader{"Content-Range": {"bytes 4-6/10"}}, end: 7},
		"a part of an unknown whole":        {written: 4, status: 206, header: transferHeader{"Content-Range": {"bytes 4-9/*"}}, end: 10},
		"a part that was not asked for":     {status: 206, header: transferHeader{"Content-Range": {"bytes 0-9/10"}}, err: other},
		"a part that leaves a gap":          {written: 4, status: 206, header: transferHeader{"Content-Range": {"bytes 5-9/10"}}, err: other},
		"a part that is there already":      {written: 4, status: 206, header: transferHeader{"Content-Range": {"bytes 3-9/10"}}, err: other},
		"a part without a range":            {written: 4, status: 206, err: other},
		"a part that ends before it begins": {written: 4, status: 206, header: transferHeader{"Content-Range": {"bytes 4-3/10"}}, err: other},
		"a part behind the end":             {written: 4, status: 206, header: transferHeader{"Content-Range": {"bytes 4-10/10"}}, err: other},
		"a part of one byte":                {written: 4, status: 206, header: transferHeader{"Content-Range": {"bytes 4-4/10"}}, end: 5},
		"a part in no unit":                 {written: 4, status: 206, header: transferHeader{"Content-Range": {"4-9/10"}}, err: other},
		"a part of no whole":                {written: 4, status: 206, header: transferHeader{"Content-Range": {"bytes 4-9"}}, err: other},
		"a part without an end":             {written: 4, status: 206, header: transferHeader{"Content-Range": {"bytes 4/10"}}, err: other},
		"a part from somewhere":             {written: 4, status: 206, header: transferHeader{"Content-Range": {"bytes x-9/10"}}, err: other},
		"a part before the beginning":       {written: 4, status: 206, header: transferHeader{"Content-Range": {"bytes -4-9/10"}}, err: other},
		"a part up to somewhere":            {written: 4, status: 206, header: transferHeader{"Content-Range": {"bytes 4-x/10"}}, err: other},
		"a part of something":               {written: 4, status: 206, header: transferHeader{"Content-Range": {"bytes 4-9/x"}}, err: other},
		"a part of something else":          {written: 4, status: 206, header: transferHeader{"Content-Range": {"bytes 4-9/10"}, "Etag": {`"v2"`}}, err: errArchiveChanged},
		"a part of something longer":        {written: 4, status: 206, header: transferHeader{"Content-Range": {"bytes 4-10/11"}}, err: errArchiveChanged},
		"nothing is missing":                {written: 10, status: 416, header: transferHeader{"Content-Range": {"bytes */10"}}, whole: true},
		"shorter than what is written":      {written: 10, status: 416, header: transferHeader{"Content-Range": {"bytes */9"}}, err: errArchiveChanged},
		"nothing in that range, at first":   {status: 416, err: errTransferRefused},
		"busy":                              {written: 4, status: 503, busy: true, err: errTransferBroken},
		"broken for good":                   {written: 4, status: 501, err: other},
		"refused":                           {status: 403, err: errTransferRefused},
		"elsewhere":                         {status: 302, err: other},
	} {
		s := transfer{Written: c.written, Total: 10, Validator: tag}
		if c.written == 0 {
			s = transfer{Total: unknownSize}
		}
		whole, err := s.Accept(c.status, c.header, 10, c.busy)
		assert.Equal(t, c.whole, whole, name)
		switch {
		case errors.Is(c.err, other):
			for _, known := range []error{nil, errTransferBroken, errArchiveChanged, errTransferRefused} {
				assert.NotEqual(t, known, err, name)
			}
		default:
			assert.Equal(t, c.err, err, name)
		}
		if c.err == nil && !c.whole {
			assert.Equal(t, c.end, s.End, name)
			assert.True(t, s.Fits(int(c.end-c.written)), name)
			assert.False(t, s.Fits(int(c.end-c.written)+1), name)
			s.Written = c.end
			assert.Equal(t, s.End < s.Total, s.Missing(), name)
		}
	}
}

func TestAcceptDescribesTheResponseOfTheStorage(t *testing.T) {
	for status, want := range map[int]string{
		201: "neither the archive nor a known error", 299: "neither the archive nor a known error", 300: "redirects elsewhere", 399: "redirects elsewhere",
		400: "rejected the link", 499: "rejected the link", 500: "neither the archive nor a known error",
	} {
		s := transfer{Total: unknownSize}
		_, err := s.Accept(status, nil, unknownSize, false)
		assert.ErrorContains(t, err, want, status)
	}
}

func TestAsk(t *testing.T) {
	for name, c := range map[string]struct {
		header transferHeader
		want   string
	}{
		"a tag":      {transferHeader{"Etag": {tag}, "Last-Modified": {"Sun, 01 Mar 2026 11:00:00 GMT"}}, tag},
		"a weak tag": {transferHeader{"Etag": {"W/" + tag}, "Last-Modified": {"Sun, 01 Mar 2026 11:00:00 GMT"}}, "Sun, 01 Mar 2026 11:00:00 GMT"},
		"nothing":    {transferHeader{}, ""},
	} {
		s := transfer{Total: unknownSize}
		ranges, ifRange := s.RangeHeaders()
		assert.Empty(t, ranges+ifRange, "%s: all of it", name)
		_, err := s.Accept(200, c.header, unknownSize, false)
		require.NoError(t, err, name)
		s.Written = 4
		ranges, ifRange = s.RangeHeaders()
		assert.Equal(t, "bytes=4-", ranges, name)
		assert.Equal(t, c.want, ifRange, name)
		assert.False(t, s.Missing(), "%s: of unknown length", name)
		assert.True(t, s.Fits(1<<20), name)
	}
}
