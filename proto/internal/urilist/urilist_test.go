package urilist_test

import (
	"errors"
	"io"
	"testing"

	"locus/access"
	"locus/proto/internal/urilist"
	"locus/url"
)

func TestText(t *testing.T) {
	broken := errors.New("broken")
	entries := []access.Entry{
		{Title: "one\r\nftp://evil.example/", URL: url.MustParse("ftp://h/one")},
		{Title: "a heading"},
		{Title: "two", URL: url.MustParse("ftp://h/two")},
	}
	for _, test := range []struct {
		titles bool
		end    error
		want   string
	}{
		{false, io.EOF, "ftp://h/one\r\nftp://h/two\r\n"},
		{false, broken, "ftp://h/one\r\nftp://h/two\r\n"},
		{true, io.EOF, "# one  ftp://evil.example/\r\nftp://h/one\r\n# a heading\r\n# two\r\nftp://h/two\r\n"},
	} {
		text, rest := urilist.Text{Titles: test.titles}, entries
		next := func() (access.Entry, error) {
			if len(rest) == 0 {
				return access.Entry{}, test.end
			}
			e := rest[0]
			rest = rest[1:]
			return e, nil
		}
		var got []byte
		var err error
		for err == nil {
			p := make([]byte, 3)
			var n int
			n, err = text.Read(p, next)
			got = append(got, p[:n]...)
		}
		if string(got) != test.want || !errors.Is(err, test.end) {
			t.Errorf("titles %v: %q, %v, want %q, %v", test.titles, got, err, test.want, test.end)
		}
	}
}
