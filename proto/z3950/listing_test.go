package z3950_test

import (
	"errors"
	"fmt"
	"io"
	"runtime"
	"strings"
	"testing"

	"locus/access"
	"locus/access/accesstest"
	"locus/internal/ber"
	"locus/proto/z3950"
	"locus/url"
)

// A million records are listed in windows, and only the records of one window are in memory.
func TestMillion(t *testing.T) {
	const hits = 1_000_000
	var largest int64
	server := accesstest.ServeAll(t, answering(func(m ber.Element) string {
		switch m.Tag {
		case 20:
			return accepts()
		case 22:
			return found(hits)
		}
		start, count := number(m, 30), number(m, 29)
		largest = max(largest, count)
		records := make([]func(*ber.Builder), count)
		for i := range records {
			records[i] = plain(fmt.Sprint("record ", start+int64(i)))
		}
		return presented(records...)
	}))
	c := z3950.Client{Dial: server.Dial, MaxHits: hits}
	total := int64(hits)
	if testing.Short() {
		total = 10_000
	}
	r, err := c.Do(t.Context(), &access.Request{URL: url.MustParse("z39.50s://h/db;query=x")})
	if err != nil || r.Sys.(*z3950.Results).Hits != hits {
		t.Fatalf("%+v, %v", r, err)
	}
	defer r.Body.Close()
	const checked = 30_000 // enough for many windows
	var peak runtime.MemStats
	for i := range min(total, checked) {
		e, err := r.List.Next()
		if want := fmt.Sprint("record ", i+1); err != nil || e.Title != want {
			t.Fatalf("entry %d is %q, %v", i, e.Title, err)
		}
	}
	runtime.GC()
	runtime.ReadMemStats(&peak)
	if peak.HeapAlloc > 64<<20 || largest > 1000 {
		t.Errorf("%d bytes in memory, and windows of %d records", peak.HeapAlloc, largest)
	}
}

// A list has at most MaxHits records, and then an entry with the URL at which the list
// continues.
func TestPages(t *testing.T) {
	server := accesstest.ServeAll(t, answering(func(m ber.Element) string {
		switch m.Tag {
		case 20:
			return accepts()
		case 22:
			return found(12)
		}
		start, count := number(m, 30), number(m, 29)
		records := make([]func(*ber.Builder), count)
		for i := range records {
			records[i] = plain(fmt.Sprint("record ", start+int64(i)))
		}
		return presented(records...)
	}))
	c := z3950.Client{Dial: server.Dial, MaxHits: 5}
	u := url.MustParse("z39.50s://h/db;query=x;sort=;esn=F")
	var titles []string
	for pages := 1; pages <= 3; pages++ {
		entries, _, err := list(t.Context(), c, u)
		if err != nil {
			t.Fatalf("page %d: %v", pages, err)
		}
		for _, e := range entries {
			titles = append(titles, e.Title)
			if more, ok := e.Sys.(*z3950.More); ok {
				u = more.Next
			}
		}
	}
	want := "record 1|record 2|record 3|record 4|record 5|More: these are records 1 to 5 of 12.|" +
		"record 6|record 7|record 8|record 9|record 10|More: these are records 6 to 10 of 12.|record 11|record 12"
	if got := strings.Join(titles, "|"); got != want || u.String() != "z39.50s://h/db;query=x;from=11;esn=F" {
		t.Errorf("the pages are %q, the last at %s", got, u)
	}
	if entries, _, err := list(t.Context(), c, url.MustParse("z39.50s://h/db;query=x;from=99")); err != nil || len(entries) != 0 {
		t.Errorf("a page after the end: %+v, %v", entries, err)
	}
}

// If the connection ends between two windows, the client connects and searches again. It fails
// if the search then finds another number of records.
func TestResumes(t *testing.T) {
	for _, test := range []struct {
		name  string
		hits  func(dialed int) int64
		wants error
	}{
		{"the same", func(int) int64 { return 50 }, nil},
		{"changed", func(dialed int) int64 { return 50 - int64(dialed) }, access.ErrChanged},
	} {
		dialed := 0
		server := accesstest.ServeAll(t, accesstest.Script{func(conn *accesstest.Conn) error {
			dialed++
			presents := 0
			return answering(func(m ber.Element) string {
				switch m.Tag {
				case 20:
					return accepts()
				case 22:
					return found(test.hits(dialed))
				}
				if presents++; presents > 1 {
					return ""
				}
				return presented(sevenTimes(number(m, 29))...)
			})[0](conn)
		}})
		entries, _, err := list(t.Context(), z3950.Client{Dial: server.Dial}, url.MustParse("z39.50s://h/db;query=x"))
		if !errors.Is(err, test.wants) || test.wants == nil && (len(entries) != 50 || dialed != 2) {
			t.Errorf("%s: %d entries, %v, over %d connections", test.name, len(entries), err, dialed)
		}
	}
}

// A server may send fewer records than the client asked for, but not more.
func TestPartial(t *testing.T) {
	server := accesstest.ServeAll(t, scripted(found(3), presented(plain("a")), presented(plain("b"), instead(14))))
	entries, _, err := list(t.Context(), z3950.Client{Dial: server.Dial}, url.MustParse("z39.50s://h/db;query=x"))
	if err != nil || len(entries) != 3 || entries[2].Kind != access.Failure || entries[2].Title != "system error while presenting records" {
		t.Errorf("%+v, %v", entries, err)
	}
	server = accesstest.ServeAll(t, scripted(found(1), presented(plain("a"), plain("b"))))
	if _, _, err := list(t.Context(), z3950.Client{Dial: server.Dial}, url.MustParse("z39.50s://h/db;query=x")); !errors.Is(err, access.ErrProtocol) {
		t.Errorf("two records instead of one: %v", err)
	}
}

// The URLs in a list contain the user but not the password, as in ftp.
func TestListsHaveNoPassword(t *testing.T) {
	server := accesstest.ServeAll(t, accesstest.Script{func(c *accesstest.Conn) error {
		return answering(func(m ber.Element) string {
			switch m.Tag {
			case 20:
				return accepts()
			case 22:
				return found(100)
			case 24:
				return presented(sevenTimes(number(m, 29))...)
			}
			return ""
		})[0](c)
	}})
	c := z3950.Client{Dial: server.Dial, MaxHits: 3}
	for _, path := range []string{"db", "db;query=x"} {
		r, err := c.Do(t.Context(), &access.Request{URL: url.MustParse("z39.50s://ada:sesame@h/" + path)})
		if err != nil {
			t.Fatalf("%q: %v", path, err)
		}
		list, err := io.ReadAll(r.Body)
		if err != nil || !strings.Contains(string(list), "//ada@h/db") || strings.Contains(string(list), "sesame") {
			t.Errorf("the list of %s is %q, %v", path, list, err)
		}
	}
}
