package gateway_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"

	"locus/access"
	"locus/gateway"
	"locus/url"
)

// more returns an error that says that a list may leave entries out, as the engine of WAIS does. If
// isLimit is set, the caller can ask for more entries.
func more(hits int, isLimit bool) error {
	if isLimit {
		return access.WithRemedy(errors.New("it lists some documents, and there may be more"), access.NeedMore{Limit: 2 * hits})
	}
	return errors.New("the server cannot send more in one reply")
}

// A wideSearch is an Engine with a search that finds total documents. It lists usual of them, and more
// if it is asked for more, but never more than most.
type wideSearch struct {
	total, usual, most int
	asked              *[]int // MoreEntries of each request
}

func (s wideSearch) Do(_ context.Context, req *access.Request) (*access.Resource, error) {
	if req.Op != access.Get {
		return nil, errors.ErrUnsupported
	}
	*s.asked = append(*s.asked, req.MoreEntries)
	limit := s.usual + req.MoreEntries
	n := min(s.total, limit, s.most)
	var entries []access.Entry
	for i := range n {
		entries = append(entries, access.Entry{
			Title: fmt.Sprintf("d%03d", i), URL: url.MustParse(fmt.Sprintf("wais://h/db/TEXT/%d", i)), Kind: access.Object, Type: "text/plain", Size: 10,
		})
	}
	switch {
	case n == limit:
		entries = append(entries, access.Entry{Title: "There may be more.", Kind: access.Info, Size: -1, Incomplete: more(n, true)})
	case n < s.total:
		entries = append(entries, access.Entry{Title: "There may be more.", Kind: access.Info, Size: -1, Incomplete: more(n, false)})
	}
	return menu(io.EOF, entries...)(req)
}

// If a search may find more documents than its list has, the next page searches for more. Each
// document is on one page.
func TestSearchPages(t *testing.T) {
	const address = "/wais://h/db?words"
	for _, test := range []struct {
		search    wideSearch
		summaries []string
		asked     []int
	}{
		{wideSearch{total: 50, usual: 20, most: 1000}, []string{"1 to 20 of 20 or more", "21 to 40 of 40 or more", "41 to 50 of 50 files"}, []int{0, 20, 40}},
		{wideSearch{total: 40, usual: 20, most: 1000}, []string{"1 to 20 of 20 or more", "21 to 40 of 40 or more", "0 files"}, []int{0, 20, 40}},
		{wideSearch{total: 50, usual: 20, most: 30}, []string{"1 to 20 of 20 or more", "21 to 30 of 30 or more"}, []int{0, 20}},
		{wideSearch{total: 19, usual: 20, most: 1000}, []string{"19 files"}, []int{0}},
	} {
		var asked []int
		test.search.asked = &asked
		g := &gateway.Gateway{Engine: test.search}
		var titles []string
		path := address
		for i := 0; path != ""; i++ {
			if i == len(test.summaries) {
				t.Fatalf("%+v: a page too many: %s", test.search, path)
			}
			body := listAt(g, t, path)
			if !strings.Contains(body, test.summaries[i]) {
				t.Errorf("%+v, page %d lacks %q:\n%s", test.search, i, test.summaries[i], body)
			}
			if strings.Contains(body, "There may be more.") {
				t.Errorf("%+v, page %d: the end of the list is a row", test.search, i)
			}
			titles = append(titles, titlesOf(body)...)
			if i == 1 && !strings.Contains(body, `<a href="`+address+`" rel="prev"`) {
				t.Errorf("%+v: page 1 does not lead back:\n%s", test.search, body)
			}
			if i == 2 && !strings.Contains(body, `from=20&amp;rows=20&amp;url=wais%3A%2F%2Fh%2Fdb%3Fwords" rel="prev"`) {
				t.Errorf("%+v: page 2 does not lead back to page 1:\n%s", test.search, body)
			}
			path = ""
			if _, after, ok := strings.Cut(body, `rel="prev">Previous page</a><a href="`); ok {
				path, _, _ = strings.Cut(after, `"`)
			} else if before, _, ok := strings.Cut(body, `" rel="next">Next page`); ok {
				path = before[strings.LastIndex(before, `"`)+1:]
			}
			path = strings.ReplaceAll(path, "&amp;", "&")
			if path == "" && test.search.most == 30 && !strings.Contains(body, "cannot send more in one reply") {
				t.Errorf("%+v: the last page does not say that there may be more:\n%s", test.search, body)
			}
		}
		if len(titles) != min(test.search.total, test.search.most) || !slices.IsSorted(titles) || len(slices.Compact(slices.Clone(titles))) != len(titles) {
			t.Errorf("%+v: the pages have %d documents: %q", test.search, len(titles), titles)
		}
		if !slices.Equal(asked, test.asked) {
			t.Errorf("%+v: more entries asked for: %d, want %d", test.search, asked, test.asked)
		}
	}
}

// A sorted or filtered page has the documents that were found, and says that the server may have more.
func TestSearchSorted(t *testing.T) {
	var asked []int
	g := &gateway.Gateway{Engine: wideSearch{total: 50, usual: 20, most: 1000, asked: &asked}}
	for query, want := range map[string]string{"sort=-name": "1 to 20 of 20 or more", "filter=d01": "1 to 10 of 10 or more"} {
		body := listAt(g, t, "/-/list?"+query+"&url=wais://h/db%3Fwords")
		if !strings.Contains(body, want) || strings.Contains(body, `rel="next"`) || !strings.Contains(body, "there may be more") {
			t.Errorf("%s: want %q, a note, and no next page:\n%s", query, want, body)
		}
	}
	for _, bad := range []string{"rows=0", "rows=-1", "rows=x"} {
		resp, _, err := serve(t, g)("GET", "/-/list?from=1&"+bad+"&url=wais://h/db%3Fwords")
		if err != nil || resp.StatusCode != http.StatusNotFound {
			t.Errorf("%s = %d, %v, want 404", bad, resp.StatusCode, err)
		}
	}
}
