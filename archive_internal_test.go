package hiring

import (
	"errors"
	"net/http"
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
		header  http.Header
		whole   bool
		err     error
		end     int64
	}{
		"the first":                         {status: 200, end: 10},
		"another instead of a part":         {written: 4, status: 200, err: errArchiveChanged},
		"a part":                            {written: 4, status: 206, header: http.Header{"Content-Range": {"bytes 4-9/10"}, "Etag": {tag}}, end: 10},
		"a part of a part":                  {written: 4, status: 206, header: http.Header{"Content-Range": {"bytes 4-6/10"}}, end: 7},
		"a part of an unknown whole":        {written: 4, status: 206, header: http.Header{"Content-Range": {"bytes 4-9/*"}}, end: 10},
		"a part that was not asked for":     {status: 206, header: http.Header{"Content-Range": {"bytes 0-9/10"}}, err: other},
		"a part that leaves a gap":          {written: 4, status: 206, header: http.Header{"Content-Range": {"bytes 5-9/10"}}, err: other},
		"a part that is there already":      {written: 4, status: 206, header: http.Header{"Content-Range": {"bytes 3-9/10"}}, err: other},
		"a part without a range":            {written: 4, status: 206, err: other},
		"a part that ends before it begins": {written: 4, status: 206, header: http.Header{"Content-Range": {"bytes 4-3/10"}}, err: other},
		"a part behind the end":             {written: 4, status: 206, header: http.Header{"Content-Range": {"bytes 4-10/10"}}, err: other},
		"a part of one byte":                {written: 4, status: 206, header: http.Header{"Content-Range": {"bytes 4-4/10"}}, end: 5},
		"a part in no unit":                 {written: 4, status: 206, header: http.Header{"Content-Range": {"4-9/10"}}, err: other},
		"a part of no whole":                {written: 4, status: 206, header: http.Header{"Content-Range": {"bytes 4-9"}}, err: other},
		"a part without an end":             {written: 4, status: 206, header: http.Header{"Content-Range": {"bytes 4/10"}}, err: other},
		"a part from somewhere":             {written: 4, status: 206, header: http.Header{"Content-Range": {"bytes x-9/10"}}, err: other},
		"a part before the beginning":       {written: 4, status: 206, header: http.Header{"Content-Range": {"bytes -4-9/10"}}, err: other},
		"a part up to somewhere":            {written: 4, status: 206, header: http.Header{"Content-Range": {"bytes 4-x/10"}}, err: other},
		"a part of something":               {written: 4, status: 206, header: http.Header{"Content-Range": {"bytes 4-9/x"}}, err: other},
		"a part of something else":          {written: 4, status: 206, header: http.Header{"Content-Range": {"bytes 4-9/10"}, "Etag": {`"v2"`}}, err: errArchiveChanged},
		"a part of something longer":        {written: 4, status: 206, header: http.Header{"Content-Range": {"bytes 4-10/11"}}, err: errArchiveChanged},
		"nothing is missing":                {written: 10, status: 416, header: http.Header{"Content-Range": {"bytes */10"}}, whole: true},
		"shorter than what is written":      {written: 10, status: 416, header: http.Header{"Content-Range": {"bytes */9"}}, err: errArchiveChanged},
		"nothing in that range, at first":   {status: 416, err: errTransferRefused},
		"busy":                              {written: 4, status: 503, err: errTransferBroken},
		"broken for good":                   {written: 4, status: 501, err: other},
		"refused":                           {status: 403, err: errTransferRefused},
		"elsewhere":                         {status: 302, err: other},
	} {
		s := transfer{written: c.written, total: 10, validator: tag}
		if c.written == 0 {
			s = transfer{total: unknownSize}
		}
		whole, err := s.accept(c.status, c.header, 10)
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
			assert.Equal(t, c.end, s.end, name)
			assert.True(t, s.fits(int(c.end-c.written)), name)
			assert.False(t, s.fits(int(c.end-c.written)+1), name)
			s.written = c.end
			assert.Equal(t, s.end < s.total, s.missing(), name)
		}
	}
}

func TestAcceptDescribesTheResponseOfTheStorage(t *testing.T) {
	for status, want := range map[int]string{
		201: "neither the archive nor a known error", 299: "neither the archive nor a known error", 300: "redirects elsewhere", 399: "redirects elsewhere",
		400: "rejected the link", 499: "rejected the link", 501: "neither the archive nor a known error",
	} {
		s := transfer{total: unknownSize}
		_, err := s.accept(status, nil, unknownSize)
		assert.ErrorContains(t, err, want, status)
	}
}

func TestAsk(t *testing.T) {
	for name, c := range map[string]struct {
		header http.Header
		want   string
	}{
		"a tag":      {http.Header{"Etag": {tag}, "Last-Modified": {"Sun, 01 Mar 2026 11:00:00 GMT"}}, tag},
		"a weak tag": {http.Header{"Etag": {"W/" + tag}, "Last-Modified": {"Sun, 01 Mar 2026 11:00:00 GMT"}}, "Sun, 01 Mar 2026 11:00:00 GMT"},
		"nothing":    {http.Header{}, ""},
	} {
		s, h := transfer{total: unknownSize}, make(http.Header)
		s.addRange(h)
		assert.Empty(t, h, "%s: all of it", name)
		_, err := s.accept(200, c.header, unknownSize)
		require.NoError(t, err, name)
		s.written = 4
		s.addRange(h)
		assert.Equal(t, http.Header{"Range": {"bytes=4-"}, "If-Range": {c.want}}, h, name)
		assert.False(t, s.missing(), "%s: of unknown length", name)
		assert.True(t, s.fits(1<<20), name)
	}
}
