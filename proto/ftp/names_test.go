package ftp_test

import (
	"slices"
	"strings"
	"testing"

	"locus/access"
	"locus/url"
)

// The names of NLST are in the requested directory, whether or not they start
// with its name.
//
// req: 1738-3.2-4
func TestNamesInADirectory(t *testing.T) {
	for _, test := range []struct{ url, command, lines, want string }{
		{"ftp://h/a/dir;type=d", "NLST dir", "x\r\n", "ftp://h/a/dir/x"},
		{"ftp://h/a/dir;type=d", "NLST dir", "dir/x\r\n", "ftp://h/a/dir/x"},
		{"ftp://h/a/%2Fdir;type=d", "NLST /dir", "/dir/x\r\n", "ftp://h/a/%2Fdir/x"},
		{"ftp://h/a/dir;type=d", "NLST dir", "other/x\r\n", "ftp://h/a/dir/other%2Fx"},
		{"ftp://h/a/;type=d", "NLST", "x\r\n", "ftp://h/a/x"},
	} {
		s := serve(t)
		s.listings[test.command] = test.lines
		r, err := s.client().Do(t.Context(), &access.Request{URL: url.MustParse(test.url)})
		if err != nil {
			t.Errorf("Open(%q) = %v", test.url, err)
			continue
		}
		l := r.List
		var got []string
		for e, err := l.Next(); err == nil; e, err = l.Next() {
			got = append(got, e.URL.String())
		}
		r.Body.Close()
		if !slices.Equal(got, []string{test.want}) {
			t.Errorf("%q with %q lists %q, want %q", test.url, test.lines, got, test.want)
		}
	}
}

// The media type follows from the name. With Binary, the transfer type does
// not.
func TestTypeByName(t *testing.T) {
	for _, test := range []struct {
		path   string
		binary bool
		want   string // the media type
		offset int64  // Resource.Offset if the request has Offset 1
	}{
		{"a.txt", false, "text/plain", 0},
		{"a.txt", true, "text/plain", 1},
		{"a.txt;type=a", true, "text/plain", 0},
		{"a.PNG", false, "image/png", 1},
		{"a", true, "", 1},
	} {
		s := serve(t)
		name, _, _ := strings.Cut(test.path, ";")
		s.files[name] = "text"
		c := s.client()
		c.Binary = test.binary
		r, err := c.Do(t.Context(), &access.Request{URL: url.MustParse("ftp://h/" + test.path), Offset: 1})
		if err != nil {
			t.Errorf("Open(%q): %v", test.path, err)
			continue
		}
		if r.Type != test.want || r.Offset != test.offset {
			t.Errorf("Open(%q), binary %v = type %q from %d, want %q from %d", test.path, test.binary, r.Type, r.Offset, test.want, test.offset)
		}
		r.Body.Close()
	}
}
