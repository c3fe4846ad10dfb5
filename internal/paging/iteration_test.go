package paging_test

import (
	"encoding/base64"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hiring-assessment/hiring-go/internal/paging"
)

type item struct {
	id  string
	seq int64
}

func list(style paging.Style) paging.List { return paging.List{Style: style, MaxSize: 100} }

// pageItems are items whose ids are letters, or digits in a log.
type pageItems []item

func (p pageItems) Len() int          { return len(p) }
func (p pageItems) ID(i int) string   { return p[i].id }
func (p pageItems) Seq(i int) int64   { return p[i].seq }
func (p pageItems) Move(to, from int) { p[to] = p[from] }

func items(text string) pageItems {
	all := make(pageItems, len(text))
	for i := range all {
		all[i] = item{text[i : i+1], int64(text[i] - '0')}
	}
	return all
}

// page parses the items and the meta of a page, such as "abc|page=1 more" or "|cursor=x".
func page(t *testing.T, text string) (pageItems, paging.Meta) {
	t.Helper()
	letters, words, _ := strings.Cut(text, "|")
	var meta paging.Meta
	for word := range strings.FieldsSeq(words) {
		name, value, _ := strings.Cut(word, "=")
		switch name {
		case "more":
			meta.HasMore = new(true)
		case "end":
			meta.HasMore = new(false)
		case "cursor":
			meta.Cursor, meta.Cursors = value, true
		case "page":
			meta.Page = new(int(value[0] - '0'))
		case "total":
			meta.Total = new(int(value[0] - '0'))
		default:
			t.Fatal(word)
		}
	}
	return items(letters), meta
}

// TestAdvance reads pages until the iteration is done or stuck. want has the items of
// each page and the end.
func TestAdvance(t *testing.T) {
	for name, c := range map[string]struct {
		style paging.Style
		pages []string
		want  string // Items of each page.
		end   string // Done, the reason why the list is stuck, or the next position.
		field string
	}{
		"by number":                            {paging.ByPage, []string{"ab|page=1 more", "cd|page=2 more", "e|page=3 end"}, "ab cd e", "done", ""},
		"by number, shifted":                   {paging.ByPage, []string{"ab|page=1 more", "bc|page=2 more", "d|page=3 end"}, "ab c d", "done", ""},
		"by number, has_more is missing":       {paging.ByPage, []string{"ab|page=1 total=3", "c|page=2 total=3"}, "ab c", "done", ""},
		"by number, nothing says that more is": {paging.ByPage, []string{"ab|page=1"}, "ab", "done", ""},
		"by number, the first again":           {paging.ByPage, []string{"ab|page=1 more", "ab|page=1 more"}, "ab ", "requested page 2 but received page 1", "PageParam"},
		"by number, which is not meta":         {paging.ByPage, []string{"ab|more", "ab|more"}, "ab ", "page 2 repeats an earlier page", "PageParam"},
		"by number, empty for a while":         {paging.ByPage, []string{"|page=1 more", "|page=2 more", "a|page=3 more", "|page=4 more", "|page=5 more", "b|page=6 end"}, "  a   b", "done", ""},
		"by number, empty for too long":        {paging.ByPage, []string{"|page=1 more", "|page=2 more", "|page=3 more"}, "  ", "three empty pages in a row, each announcing more items", ""},
		"by number, empty up to the end":       {paging.ByPage, []string{"|page=1 more", "|page=2 more", "|page=3 end"}, "  ", "done", ""},
		"by number, not meta, one is empty":    {paging.ByPage, []string{"ab|more", "|more", "cd|end"}, "ab  cd", "done", ""},
		"by cursor":                            {paging.ByCursor, []string{"ab|more cursor=x", "cd|more cursor=y", "e|end cursor="}, "ab cd e", "done", ""},
		"by cursor, has_more is missing":       {paging.ByCursor, []string{"ab|cursor=x", "c|cursor="}, "ab c", "done", ""},
		"by cursor, has_more decides":          {paging.ByCursor, []string{"ab|end cursor=x"}, "ab", "done", ""},
		"by cursor, the same again":            {paging.ByCursor, []string{"ab|more cursor=x", "cd|more cursor=x"}, "ab ", "the API sent the same cursor again", "CursorParam"},
		"by cursor, an earlier one again":      {paging.ByCursor, []string{"ab|cursor=x", "cd|cursor=y", "ef|cursor=x"}, "ab cd ", "the API sent the same cursor again", "CursorParam"},
		"by cursor, the same items":            {paging.ByCursor, []string{"ab|cursor=x", "ab|cursor=y"}, "ab ", "a page begins with the same item as an earlier page", "CursorParam"},
		"by cursor, none to go on with":        {paging.ByCursor, []string{"ab|more"}, "ab", "the API announces more items but sent no cursor for them", ""},
		"by cursor, one is empty":              {paging.ByCursor, []string{"|more cursor=x", "a|end"}, " a", "done", ""},
		"by seq":                               {paging.BySeq, []string{"12|more cursor=2", "37|end"}, "12 37", "done", ""},
		"by seq, from zero":                    {paging.BySeq, []string{"01|end"}, "01", "done", ""},
		"by seq, overlapping":                  {paging.BySeq, []string{"12|more", "2345|end"}, "12 345", "done", ""},
		"by seq, twice":                        {paging.BySeq, []string{"1122|end"}, "12", "done", ""},
		"by seq, the cursor stands still":      {paging.BySeq, []string{"12|cursor=2", "|cursor=2"}, "12 ", "done", ""},
		"by seq, the cursor alone goes on":     {paging.BySeq, []string{"12|more cursor=2", "|more cursor=7", "89|end"}, "12  89", "done", ""},
		"by seq, from where the cursor led":    {paging.BySeq, []string{"12|more cursor=2", "|more cursor=7", "678|end"}, "12  8", "done", ""},
		"by seq, the cursor skips nothing":     {paging.BySeq, []string{"12|more cursor=7", "34|end"}, "12 34", "done", ""},
		"by seq, an old one after a new one":   {paging.BySeq, []string{"12|more", "32|end"}, "12 3", "done", ""},
		"by seq, repeats without a promise":    {paging.BySeq, []string{"12|cursor=2", "12|"}, "12 ", "requested entries after 2 but received only earlier ones", ""},
		"by seq, repeats and the end":          {paging.BySeq, []string{"12|more", "12|end"}, "12 ", "requested entries after 2 but received only earlier ones", ""},
		"by seq, repeats":                      {paging.BySeq, []string{"12|more", "12|more"}, "12 ", "requested entries after 2 but received only earlier ones", ""},
		"shown by page":                        {paging.ByMeta, []string{"ab|page=1 more", "bc|page=2 end"}, "ab c", "done", ""},
		"shown by page, has_more is missing":   {paging.ByMeta, []string{"ab|page=1 total=3", "c|page=2 total=3"}, "ab c", "done", ""},
		"shown by has_more":                    {paging.ByMeta, []string{"ab|more", "bc|end"}, "ab c", "done", ""},
		"shown by cursor":                      {paging.ByMeta, []string{"ab|cursor=x page=1", "ab|cursor="}, "ab ", "a page begins with the same item as an earlier page", "CursorParam"},
		"shown by neither":                     {paging.ByMeta, []string{"ab|"}, "ab", "done", ""},
	} {
		t.Run(name, func(t *testing.T) {
			w := paging.Begin(list(c.style), 2, nil)
			var got []string
			end, field := "", ""
			for _, text := range c.pages {
				require.False(t, w.Done, "before %q", text)
				all, meta := page(t, text)
				fresh, stuck := w.Advance(all, meta)
				letters := ""
				for _, i := range all[:fresh] {
					letters += i.id
				}
				got = append(got, letters)
				if stuck != nil {
					end, field = stuck.What, stuck.Field
					assert.True(t, w.Done)
					assert.Equal(t, c.style == paging.BySeq && strings.HasPrefix(end, "requested entries"), stuck.Old)
					assert.Equal(t, stuck.Old && strings.HasSuffix(text, "more"), stuck.More)
				} else if w.Lost != nil {
					end = w.Lost.What
				}
			}
			if end == "" && w.Done {
				end = "done"
			}
			assert.Equal(t, c.want, strings.Join(got, " "))
			assert.Equal(t, c.end, end)
			assert.Equal(t, c.field, field)
		})
	}
}

// TestStale uses a list that grows while it is read and repeats items, at most as often
// as pages were read and ten times more. A list that always repeats items is an error.
func TestStale(t *testing.T) {
	w := paging.Begin(list(paging.ByPage), 2, nil)
	at := 0
	read := func(letters string) *paging.Stuck {
		at++
		_, stuck := w.Advance(items(letters), paging.Meta{Page: &at, HasMore: new(true)})
		return stuck
	}
	require.Nil(t, read("ab"))
	require.Nil(t, read("cd"))
	for range 12 {
		require.Nil(t, read("cd"))
	}
	assert.Equal(t, &paging.Stuck{What: "page 15 repeats an earlier page", Field: "PageParam"}, read("cd"))
}

// TestTotalOfAResumedIteration checks that items before the first page count.
func TestTotalOfAResumedIteration(t *testing.T) {
	for name, c := range map[string]struct {
		size, total int // Stated by the page.
		done        bool
	}{
		"the last":                     {0, 5, true},
		"more":                         {0, 6, false},
		"a size of its own":            {1, 3, true},
		"a size of its own, and more":  {1, 4, false},
		"the largest size":             {127, 255, true},
		"the largest size, and more":   {127, 256, false},
		"a size that cannot be":        {128, 6, false},
		"a size that cannot be either": {-1, 5, true},
	} {
		w := paging.Begin(list(paging.ByPage), 2, &paging.Position{Style: paging.ByPage, Size: 2, Page: 3})
		_, stuck := w.Advance(items("e"), paging.Meta{Page: new(3), Size: c.size, Total: &c.total})
		require.Nil(t, stuck, name)
		assert.Equal(t, c.done, w.Done, name)
	}
}

// TestFreshIgnoresItemsOlderThanItsWindow checks that items older than the window are not
// classified as new.
func TestFreshIgnoresItemsOlderThanItsWindow(t *testing.T) {
	const size, pages = 100, 3 * paging.Window / 100
	page := func(n int) (all pageItems) {
		for i := range size {
			all = append(all, item{id: strconv.Itoa(n*size + i)})
		}
		return all
	}
	var seen paging.Seen
	for n := range pages {
		fresh, known := seen.Fresh(page(n))
		require.True(t, known, n)
		require.Equal(t, size, fresh, n)
	}
	fresh, known := seen.Fresh(page(pages - paging.Window/size))
	assert.True(t, known)
	assert.Zero(t, fresh, "the window's first")
	_, known = seen.Fresh(page(0))
	assert.False(t, known, "the very first")
}

func TestUnexpectedSize(t *testing.T) {
	for name, c := range map[string]struct {
		asked, got, says int
		more             bool
		size             int
		odd              bool
	}{
		"as asked":                   {asked: 10, got: 10, more: true, size: 10},
		"the last":                   {asked: 10, got: 3, size: 3},
		"fewer, and more to come":    {asked: 10, got: 3, more: true, size: 3, odd: true},
		"none, and more to come":     {asked: 10, more: true},
		"more":                       {asked: 10, got: 20, size: 20, odd: true},
		"says another size":          {asked: 10, got: 3, says: 50, size: 50, odd: true},
		"says what was asked":        {asked: 10, got: 10, says: 10, size: 10},
		"a list that takes no sizes": {got: 3, says: 50, more: true},
	} {
		w := paging.Begin(list(paging.ByPage), c.asked, nil)
		size, odd := w.UnexpectedSize(c.got, paging.Meta{Size: c.says, HasMore: &c.more})
		assert.Equal(t, c.odd, odd, name)
		if c.odd {
			assert.Equal(t, c.size, size, name)
		}
	}
}

func TestResume(t *testing.T) {
	l := list(paging.ByCursor)
	w := paging.Begin(l, 2, nil)
	_, stuck := w.Advance(page(t, "ab|cursor=<x&y>"))
	require.Nil(t, stuck)
	text := paging.Token("L", w.At)
	at, err := l.Resume("L", text)
	require.NoError(t, err)
	assert.Equal(t, w.At, at)

	_, err = l.Resume("L2", text)
	require.ErrorContains(t, err, "another list or filter")
	for bit := range 8 * len(text) {
		damaged := []byte(text)
		damaged[bit/8] ^= 1 << (bit % 8)
		_, err := l.Resume("L", string(damaged))
		require.ErrorContains(t, err, "is not a resume token", "%q", damaged)
	}
	small := l
	small.MaxSize = 1
	for name, try := range map[string]func() (paging.Position, error){
		"cut":             func() (paging.Position, error) { return l.Resume("L", text[:len(text)-3]) },
		"no token":        func() (paging.Position, error) { return l.Resume("L", "2") },
		"another style":   func() (paging.Position, error) { return list(paging.ByPage).Resume("L", text) },
		"a size too much": func() (paging.Position, error) { return small.Resume("L", text) },
		"page 0": func() (paging.Position, error) {
			return l.Resume("L", paging.Token("L", paging.Position{Style: 2, Size: 2}))
		},
		"a page too far": func() (paging.Position, error) {
			return l.Resume("L", paging.Token("L", paging.Position{Style: 2, Size: 2, Page: 1<<24 + 1}))
		},
		"before all": func() (paging.Position, error) {
			return l.Resume("L", paging.Token("L", paging.Position{Style: 2, Size: 2, Page: 1, Seq: -2}))
		},
		"nothing": func() (paging.Position, error) {
			return l.Resume("L", base64.RawURLEncoding.EncodeToString([]byte("{}")))
		},
	} {
		_, err := try()
		assert.ErrorContains(t, err, "is not a resume token", name)
	}
}

func TestResumeAtTheEdges(t *testing.T) {
	for name, c := range map[string]struct {
		style paging.Style
		at    paging.Position
	}{
		"before the first response": {paging.ByMeta, paging.Position{Size: 2, Page: 1}},
		"a log":                     {paging.BySeq, paging.Position{Style: paging.BySeq, Size: 2, Page: 1, Seq: paging.NoSeq}},
		"the furthest page":         {paging.ByPage, paging.Position{Style: paging.ByPage, Size: 2, Page: 1 << 24}},
		"the smallest size":         {paging.ByPage, paging.Position{Style: paging.ByPage, Size: 1, Page: 1}},
		"the largest size":          {paging.ByPage, paging.Position{Style: paging.ByPage, Size: 100, Page: 1}},
	} {
		at, err := list(c.style).Resume("L", paging.Token("L", c.at))
		require.NoError(t, err, name)
		assert.Equal(t, c.at, at, name)
	}
	sizeless := paging.List{Style: paging.ByPage}
	_, err := sizeless.Resume("L", paging.Token("L", paging.Position{Style: paging.ByPage, Page: 2}))
	require.NoError(t, err, "a list that takes no size")
}

func TestLostIsWrittenDown(t *testing.T) {
	l := list(paging.ByCursor)
	w := paging.Begin(l, 2, nil)
	_, stuck := w.Advance(page(t, "ab|more"))
	require.Nil(t, stuck)
	require.False(t, w.Done, "the error comes after the page")
	at, err := l.Resume("L", paging.Token("L", w.At))
	require.NoError(t, err)
	again := paging.Begin(l, 2, &at)
	assert.NotNil(t, again.Lost)
}
