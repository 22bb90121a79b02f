package nntp_test

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"slices"
	"strconv"
	"strings"
	"testing"

	"locus/access"
	"locus/access/accesstest"
	"locus/proto/nntp"
	"locus/url"
)

// A groupServer is a group of articles by number, on a server with some commands.
type groupServer struct {
	numbers []uint64
	low     uint64
	high    uint64
	knows   string // the commands of OVER, XOVER, LISTGROUP and HEAD that it knows
}

func (s groupServer) answer(line string) (string, bool) {
	f := strings.Fields(line)
	if !slices.Contains([]string{"GROUP", "QUIT"}, f[0]) && !slices.Contains(strings.Fields(s.knows), f[0]) {
		return "500 unknown\r\n", true
	}
	switch f[0] {
	case "GROUP":
		return fmt.Sprintf("211 %d %d %d g\r\n", len(s.numbers), s.low, s.high), true
	case "LISTGROUP":
		var all []string
		for _, n := range s.numbers {
			all = append(all, fmt.Sprint(n))
		}
		return "211 list\r\n" + block(all...), true
	case "HEAD":
		if n, _ := strconv.ParseUint(f[1], 10, 64); slices.Contains(s.numbers, n) {
			return fmt.Sprintf("221 %d <%d@h>\r\n", n, n) + block(fmt.Sprintf("Subject: s%d", n), fmt.Sprintf("Message-ID: <%d@h>", n)), true
		}
		return "423 none\r\n", true
	case "OVER", "XOVER":
		return s.overview(f[1]), true
	}
	return "205 bye\r\n", false
}

func (s groupServer) overview(span string) string {
	var first, last uint64
	fmt.Sscanf(span, "%d-%d", &first, &last)
	var all []string
	for _, n := range s.numbers {
		if n >= first && n <= last {
			all = append(all, fmt.Sprintf("%d\ts%d\ta@h\t\t<%d@h>\t\t\t", n, n, n))
		}
	}
	if all == nil {
		return "423 none\r\n"
	}
	return "224 overview\r\n" + block(all...)
}

func upTo(n uint64) []uint64 {
	var all []uint64
	for i := uint64(1); i <= n; i++ {
		all = append(all, i)
	}
	return all
}

// A listing is a window: the newest articles, and an entry for the older ones.
//
// req: 1738-3.6-3
func TestWindow(t *testing.T) {
	sparse := []uint64{1, 2, 1000, 50_000, 1_000_000}
	for _, test := range []struct {
		name  string
		store groupServer
		path  string // after news:g
		want  string // the titles, and the remaining range
		asks  int    // the number of OVERs that are sent; 0 is not checked
	}{
		{"all", groupServer{numbers: upTo(3), low: 1, high: 3}, "", "s3 s2 s1", 1},
		{"none", groupServer{low: 4, high: 3}, "", "", 0},
		{"just fits", groupServer{numbers: upTo(4), low: 1, high: 4}, "", "s4 s3 s2 s1", 1},
		{"more", groupServer{numbers: upTo(10), low: 1, high: 10}, "", "s10 s9 s8 s7 news:g/1-6", 1},
		{"the next window", groupServer{numbers: upTo(10), low: 1, high: 10}, "/1-6", "s6 s5 s4 s3 news:g/1-2", 1},
		{"the last window", groupServer{numbers: upTo(10), low: 1, high: 10}, "/1-2", "s2 s1", 1},
		{"a window beyond", groupServer{numbers: upTo(10), low: 1, high: 10}, "/11-20", "", 0},
		{"a window upside down", groupServer{numbers: upTo(10), low: 1, high: 10}, "/6-1", "", 0},
		{"a window of all numbers", groupServer{numbers: upTo(3), low: 1, high: 3}, "/0-18446744073709551615", "s3 s2 s1", 1},
		{"expired", groupServer{numbers: []uint64{7, 9}, low: 7, high: 9}, "", "s9 s7", 1},
		{"gaps", groupServer{numbers: sparse, low: 1, high: 1_000_000}, "", "s1000000 s50000 s1000 s2 news:g/1-1", 0},
		{"one in a million", groupServer{numbers: []uint64{1}, low: 1, high: 1_000_000}, "", "s1", 18},
		{"at the end of numbers", groupServer{numbers: []uint64{1<<64 - 1}, low: 1, high: 1<<64 - 1}, "", "s18446744073709551615", 0},
		{"a dense part below a gap", groupServer{numbers: upTo(100), low: 1, high: 120}, "", "s100 s99 s98 s97 news:g/1-96", 0},
	} {
		for _, knows := range []string{"OVER", "XOVER", "LISTGROUP HEAD", "HEAD"} {
			if knows != "OVER" && test.asks == 0 && test.store.high > 1000 {
				continue // it would scan all numbers
			}
			if knows == "HEAD" && test.store.high > 10 {
				continue // the next test
			}
			if knows == "LISTGROUP HEAD" && test.name == "one in a million" {
				continue
			}
			test.store.knows = knows
			s := accesstest.ServeAll(t, accesstest.Script{accesstest.Send("200 hi\r\n"), accesstest.Converse(test.store.answer)})
			c := newClient(s)
			c.Window = 4
			got := titles(t, c, "news:g"+test.path)
			if got != test.want {
				t.Errorf("%s, by %s: %s, want %s", test.name, knows, got, test.want)
			}
			asks := slices.DeleteFunc(sent(s), func(command string) bool { return !strings.HasPrefix(command, knows+" ") })
			if test.asks > 0 && (knows == "OVER" || knows == "XOVER") && len(asks) != test.asks {
				t.Errorf("%s: it sends %d %s, want %d", test.name, len(asks), knows, test.asks)
			}
		}
	}
}

// titles returns the titles of a listing, and the URLs of its directories.
func titles(t *testing.T, c nntp.Client, u string) string {
	t.Helper()
	r, err := c.Do(t.Context(), &access.Request{URL: url.MustParse(u)})
	if err != nil {
		return describeError(err)
	}
	defer r.Body.Close()
	l := r.List
	var all []string
	if err := access.Entries(l, func(e access.Entry) error {
		all = append(all, e.Title)
		if e.Kind == access.Directory {
			all[len(all)-1] = e.URL.String()
		}
		return nil
	}); err != nil {
		return describeError(err)
	}
	return strings.Join(all, " ")
}

// The windows of a group together have every article once.
func TestWindowsAreAll(t *testing.T) {
	for name, numbers := range map[string][]uint64{"dense": upTo(103), "gaps": {1, 2, 3, 30, 31, 64, 97, 98, 103}} {
		for _, knows := range []string{"OVER", "XOVER", "LISTGROUP HEAD", "HEAD"} {
			st := groupServer{numbers: numbers, low: 1, high: 103, knows: knows}
			c := newClient(accesstest.ServeAll(t, accesstest.Script{accesstest.Send("200 hi\r\n"), accesstest.Converse(st.answer)}))
			c.Window = 10
			var want, got []string
			for _, n := range slices.Backward(numbers) {
				want = append(want, fmt.Sprintf("s%d", n))
			}
			for next := "nntp://h/g"; next != ""; {
				u := next
				next = ""
				for title := range strings.FieldsSeq(titles(t, c, u)) {
					if strings.HasPrefix(title, "nntp:") {
						next = title
						continue
					}
					got = append(got, title)
				}
			}
			if !slices.Equal(got, want) {
				t.Errorf("%s, by %s: the windows have %q, want %q", name, knows, got, want)
			}
		}
	}
}

func TestListingEnds(t *testing.T) {
	s := accesstest.ServeAll(t, modern.script())
	r, err := newClient(s).Do(t.Context(), &access.Request{URL: url.MustParse("news:misc.test")})
	if err != nil {
		t.Fatal(err)
	}
	r.Body.Close()
	if _, err := r.Body.Read(make([]byte, 1)); !errors.Is(err, fs.ErrClosed) {
		t.Errorf("Read after Close = %v, want fs.ErrClosed", err)
	}
	l := r.List
	if _, err := l.Next(); errors.Is(err, io.EOF) || err == nil {
		t.Errorf("Next after Close = %v, want an error that is not io.EOF", err)
	}
}

// A row of an overview that cannot be read costs one article, and a row that comes twice counts once.
func TestOddOverviews(t *testing.T) {
	row := func(n int, subject string) string {
		return fmt.Sprintf("%d\t%s\ta@h\t\t<%d@h>\t\t1\t1", n, subject, n)
	}
	for _, test := range []struct {
		name string
		rows []string
		want string // the subjects
	}{
		{"a line end in a subject", []string{row(1, "a"), "2\tb", "b\ta@h\t\t<2@h>\t\t1\t1", row(3, "c")}, "c b a"},
		{"rows of other numbers", []string{row(9, "x"), row(1, "a"), row(2, "b"), row(3, "c"), row(0, "y")}, "c b a"},
		{"a row that comes twice", []string{row(1, "a"), row(1, "a"), row(2, "b"), row(2, "b"), row(3, "c")}, "c b a"},
		{"empty rows", []string{"", row(1, "a"), "", "", row(3, "c")}, "c a"},
	} {
		s := accesstest.ServeAll(t, modern.with(answers{"GROUP misc.test": "211 3 1 3 misc.test\r\n", "OVER 1-3": "224 overview\r\n" + block(test.rows...)}).script())
		r, err := newClient(s).Do(t.Context(), &access.Request{URL: url.MustParse("nntp://h/misc.test")})
		if err != nil {
			t.Errorf("%s: %v", test.name, err)
			continue
		}
		var titles []string
		err = access.Entries(r.List, func(e access.Entry) error {
			titles = append(titles, e.Title)
			return nil
		})
		r.Body.Close()
		if got := strings.Join(titles, " "); got != test.want || err != nil {
			t.Errorf("%s: %q, %v, want %q", test.name, got, err, test.want)
		}
	}
}
