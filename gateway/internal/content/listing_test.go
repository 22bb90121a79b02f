package content_test

import (
	"errors"
	"fmt"
	"io"
	neturl "net/url"
	"slices"
	"testing"
	"time"

	"locus/access"
	"locus/gateway/internal/content"
	"locus/url"
)

// The pages of a listing have each entry once, in the order of the whole listing.
func TestGatherPages(t *testing.T) {
	const n = 97 // a prime
	var entries []access.Entry
	for k := range n {
		i := k * 31 % n
		kind := access.Object
		if i%5 == 0 {
			kind = access.Directory
		}
		e := entry(kind, fmt.Sprintf("%c%02d", "aBcÄ"[i%3], i), fmt.Sprintf("ftp://h/d/%d", i), "")
		e.Size = int64(i % 7)
		entries = append(entries, e)
	}
	for _, query := range []string{"", "sort=name", "sort=-size", "sort=size&folders=first", "folders=first", "filter=b", "sort=-name&filter=1"} {
		q, _ := neturl.ParseQuery(query)
		whole, _ := content.ParseDisplay(q)
		want := content.Gather(&list{slices.Clone(entries), io.EOF}, whole, 2*n, free).Entries
		if query == "" && len(want) != n || len(want) < 5 {
			t.Fatalf("the whole listing with %q has %d entries", query, len(want))
		}
		for _, rows := range []int{1, 2, 10, len(want) - 1, len(want), len(want) + 1} {
			var got []access.Entry
			d := whole
			for {
				g := content.Gather(&list{slices.Clone(entries), io.EOF}, d, rows, free)
				if g.End != nil || len(g.Entries) > rows || g.Next != 0 && len(g.Entries) < rows {
					t.Fatalf("the page from %d with %q has %d of %d rows, %v", d.From, query, len(g.Entries), rows, g.End)
				}
				got = append(got, g.Entries...)
				if g.Next == 0 {
					break
				}
				if g.Next != d.From+rows {
					t.Fatalf("the page from %d with %q and %d rows is followed by %d", d.From, query, rows, g.Next)
				}
				d.From = g.Next
			}
			if !slices.EqualFunc(got, want, func(a, b access.Entry) bool { return a.URL == b.URL }) {
				t.Errorf("the pages of %d rows with %q have %d entries in another order than the whole listing", rows, query, len(got))
			}
		}
	}
}

// If memory is short, Gather keeps no entries, in the order of the server and in another order.
func TestGatherReserve(t *testing.T) {
	full := errors.New("full")
	for _, query := range []string{"", "sort=name"} {
		q, _ := neturl.ParseQuery(query)
		d, _ := content.ParseDisplay(q)
		last := 0
		g := content.Gather(&list{slices.Repeat(folder(), 100), io.EOF}, d, 1000, func(n int) error {
			if n <= last {
				t.Errorf("with %q reserve gets %d after %d", query, n, last)
			}
			if last = n; n > 10_000 {
				return full
			}
			return nil
		})
		if g.End != full || len(g.Entries) > 0 || last <= 10_000 {
			t.Errorf("with %q Gather returns %d entries and %v after %d bytes, want %v", query, len(g.Entries), g.End, last, full)
		}
	}
}

// A listing that breaks off keeps the entries before the error.
func TestGatherBroken(t *testing.T) {
	for _, query := range []string{"", "sort=name"} {
		q, _ := neturl.ParseQuery(query)
		d, _ := content.ParseDisplay(q)
		g := content.Gather(&list{folder(), io.ErrUnexpectedEOF}, d, 10, free)
		if g.End != io.ErrUnexpectedEOF || len(g.Entries) != 4 {
			t.Errorf("with %q Gather returns %d entries and %v, want 4 and %v", query, len(g.Entries), g.End, io.ErrUnexpectedEOF)
		}
	}
}

func TestParseDisplay(t *testing.T) {
	for _, test := range []struct {
		query string
		want  content.Display
		ok    bool
	}{
		{"", content.Display{}, true},
		{"sort=name", content.Display{Sort: content.Column{Name: "name"}}, true},
		{"sort=-date", content.Display{Sort: content.Column{Name: "date", Descending: true}}, true},
		{"folders=first&view=grid", content.Display{Folders: content.FoldersFirst, Grid: true}, true},
		{"folders=last&view=list", content.Display{}, true},
		{"filter=+a++b+", content.Display{Filter: "a  b"}, true},
		{"from=3&rows=5", content.Display{From: 3, Rows: 5}, true},
		{"from=9000000000", content.Display{From: 1 << 28}, true},
		{"from=99999999999999999999", content.Display{}, false},
		{"sort=nothing", content.Display{}, false},
		{"sort=--name", content.Display{}, false},
		{"sort=-", content.Display{}, false},
		{"from=-1", content.Display{}, false},
		{"from=x", content.Display{}, false},
		{"rows=0", content.Display{}, false},
	} {
		q, err := neturl.ParseQuery(test.query)
		if err != nil {
			t.Fatalf("ParseQuery(%q): %v", test.query, err)
		}
		if got, ok := content.ParseDisplay(q); got != test.want || ok != test.ok {
			t.Errorf("ParseDisplay(%q) = %+v, %v, want %+v, %v", test.query, got, ok, test.want, test.ok)
		}
	}
}

func TestNextShown(t *testing.T) {
	rows := content.Threads([]access.Entry{
		entry(access.Object, "text", "ftp://h/0", "text/plain"),
		entry(access.Directory, "folder", "ftp://h/1/", ""),
		entry(access.Object, "program", "ftp://h/2", "application/x-thing"),
		entry(access.Object, "not a link", "", "text/plain"),
		entry(access.Object, "mail", "ftp://h/4", "message/rfc822"),
		entry(access.Object, "picture", "ftp://h/5", "image/png; a=b"),
	})
	for _, test := range []struct{ from, direction, want int }{
		{0, +1, 4}, {4, +1, 5}, {5, +1, -1}, {5, -1, 4}, {4, -1, 0}, {0, -1, -1}, {2, +1, 4},
	} {
		if got := content.NextShown(rows, test.from, test.direction); got != test.want {
			t.Errorf("NextShown(%d, %+d) = %d, want %d", test.from, test.direction, got, test.want)
		}
	}
}

func TestIsAt(t *testing.T) {
	e := entry(access.Object, "x", "news:1@h", "message/rfc822")
	e.Header = access.Header{{Name: "Message-ID", Value: "1@h"}}
	for _, test := range []struct {
		entry access.Entry
		u, id string
		want  bool
	}{
		{e, "news:1@h", "", true},
		{e, "nntp://h/g/1", "1@h", true},
		{e, "nntp://h/g/1", "2@h", false},
		{e, "nntp://h/g/1", "", false},
		{access.Entry{}, "nntp://h/g/1", "", false},
	} {
		if got := content.IsAt(test.entry, url.MustParse(test.u), test.id); got != test.want {
			t.Errorf("IsAt(%v, %s, %q) = %v, want %v", test.entry.URL, test.u, test.id, got, test.want)
		}
	}
}

// folder returns the entries of a folder at ftp://h/d/: a folder, a picture, and text files.
func folder() []access.Entry {
	day := func(n int) time.Time { return time.Date(1994, 12, n, 10, 30, 0, 0, time.UTC) }
	all := []access.Entry{
		entry(access.Object, "b.txt", "ftp://h/d/b.txt", "text/plain"),
		entry(access.Directory, "sub", "ftp://h/d/sub/", ""),
		entry(access.Object, "A <i>.txt", "ftp://h/d/A%20%3Ci%3E.txt", "text/plain"),
		entry(access.Object, "c.png", "ftp://h/d/c.png", "image/png"),
	}
	all[0].Size, all[0].ModTime = 1500, day(3)
	all[2].Size, all[2].ModTime = 20, day(1)
	all[3].Size, all[3].ModTime = 7, day(2)
	return all
}

// list is a listing of entries that ends with end.
type list struct {
	entries []access.Entry
	end     error
}

func (l *list) Next() (access.Entry, error) {
	if len(l.entries) == 0 {
		return access.Entry{}, l.end
	}
	e := l.entries[0]
	l.entries = l.entries[1:]
	return e, nil
}

// entry returns an entry of unknown size.
func entry(kind access.Kind, title, target, mediaType string) access.Entry {
	e := access.Entry{Title: title, Kind: kind, Type: mediaType, Size: -1}
	if target != "" {
		e.URL = url.MustParse(target)
	}
	return e
}

// free is a budget without a limit.
func free(int) error { return nil }
