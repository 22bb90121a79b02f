package render

import (
	"fmt"
	"io"
	"strings"
	"testing"

	"locus/access"
	"locus/internal/cells"
	"locus/url"
)

// terminalWriter returns Terminal for a terminal of so many columns.
func terminalWriter(columns int) func(io.Writer) Func {
	return func(w io.Writer) Func { return Terminal(w, columns) }
}

// A terminal gets names, sizes and times, and a kind where there is no size. Columns that do not fit are left out.
func TestTerminal(t *testing.T) {
	for _, test := range []struct {
		columns int
		want    string
	}{
		{80, `Welcome <to> the & library
About                                                   file
notes.txt                                                812  2026-11-20 09:15
pictures                                              folder  -
long long long long long long long long long               0  -
busy                                                 failure
café ␛[2JÂ�                                           search  -
`},
		{40, `Welcome <to> the & library
About                              file
notes.txt                           812
pictures                         folder
long long long long long l…           0
busy                            failure
café ␛[2JÂ�                      search
`},
		{16, `Welcome <to> the & library
About
notes.txt
pictures
long long long…
busy
café ␛[2JÂ�
`},
	} {
		if got := write(t, entries, terminalWriter(test.columns)); got != test.want {
			t.Errorf("Terminal(%d) wrote\n%s\nwant\n%s", test.columns, got, test.want)
		}
	}
}

// Lines are aligned and fit every terminal, whatever characters names have. A line of text that is
// no entry is kept whole.
func TestTerminalFits(t *testing.T) {
	names := []string{"a", "漢字.txt", "👨‍👩‍👧", "\u1112\u1161\u11ab\u1100\u1173\u11af", "e\u0301e\u0301", "ﾊﾛｰ", strings.Repeat("漢", 90), strings.Repeat("👨‍👩‍👧", 50)}
	for columns := 1; columns < 130; columns++ {
		var list []access.Entry
		for i, name := range names {
			e := entries[2]
			e.Title, e.Size = name, int64(i)
			list = append(list, e)
		}
		lines := strings.Split(strings.TrimSuffix(write(t, list, terminalWriter(columns)), "\n"), "\n")
		for i, line := range lines {
			if n := cells.Of(line); n > columns || n != cells.Of(lines[0]) && columns > 40 {
				t.Errorf("Terminal(%d) writes a line of %d cells for %q, and one of %d for %q", columns, n, names[i], cells.Of(lines[0]), names[0])
			}
		}
	}
}

// Wide characters do not move the columns of Text and Long.
func TestWideText(t *testing.T) {
	for name, to := range map[string]func(io.Writer) Func{"Text": Text, "Long": Long} {
		starts := map[int]bool{}
		for _, title := range []string{"plain", "漢字", "👨‍👩‍👧", "\u1112\u1161\u11ab"} {
			e := access.Entry{Title: title, URL: url.MustParse("ftp://h/x"), Kind: access.Object, Size: 1}
			before, _, _ := strings.Cut(write(t, []access.Entry{e}, to), "ftp://h/x")
			starts[cells.Of(before)] = true
		}
		if len(starts) != 1 {
			t.Errorf("the URLs of %s start in the columns %v, want one column", name, starts)
		}
	}
}

func TestLong(t *testing.T) {
	const want = `info                -  -                 Welcome <to> the & library
file                -  -                 About                                     gopher://h.example/0about
file              812  2026-11-20 09:15  notes.txt                                 ftp://u@h.example/pub/notes.txt
folder              -  -                 pictures                                  ftp://h.example/pub/pictures/
file                0  -                 long long long long long long long long long   http://h.example/empty
failure             -  -                 busy
search              -  -                 café ␛[2JÂ�                               gopher://h.example/7x
`
	if got := write(t, entries, Long); got != want {
		t.Errorf("Long wrote\n%s\nwant\n%s", got, want)
	}
}

// In a library catalogue a terminal shows authors, dates and numbers of records.
func TestTerminalCatalogue(t *testing.T) {
	at := func(title string, header access.Header) access.Entry {
		return access.Entry{Title: title, URL: url.MustParse("z39.50r://h/b?1"), Kind: access.Object, Size: 283, Header: header}
	}
	want := fmt.Sprintf("%-41s  %-24s  %s\n", "Optics", "Müller, Eva", "c1903") +
		fmt.Sprintf("%-63s  %14s\n", "charts", "90 records")
	got := write(t, []access.Entry{at("Optics", fields("Author", "Müller, Eva", "Date", "c1903"))}, terminalWriter(80)) +
		write(t, []access.Entry{at("charts", fields("Records", "90"))}, terminalWriter(80))
	if got != want {
		t.Errorf("Terminal wrote\n%s\nwant\n%s", got, want)
	}
}
