package access

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"slices"
	"strings"
	"testing"

	"locus/url"
)

// A server is an Engine like an ftp or a web server: only a URL that ends in "/" opens a
// directory.
type server map[string][]Entry // nil is a file

func (s server) Do(_ context.Context, req *Request) (*Resource, error) {
	if req.Op != Get {
		return nil, unsupported(req)
	}
	text := req.URL.String()
	entries, ok := s[text]
	switch {
	case ok && entries != nil:
		return &Resource{Entry: Entry{URL: req.URL, Size: -1}, Body: io.NopCloser(strings.NewReader("")), List: asLister(entries)}, nil
	case ok:
		return &Resource{Entry: Entry{URL: req.URL, Size: -1}, Body: io.NopCloser(strings.NewReader(text))}, nil
	case s[text+"/"] != nil && strings.HasPrefix(text, "http"):
		return nil, &Moved{To: url.MustParse(text + "/")}
	}
	return nil, &Error{Op: "open", URL: req.URL, Err: fs.ErrNotExist}
}

func asLister(entries []Entry) Lister {
	var l sliceLister
	for _, e := range entries {
		if e.Title == "broken" {
			l = append(l, io.ErrUnexpectedEOF)
			continue
		}
		l = append(l, e)
	}
	return &l
}

func listing(texts ...string) []Entry {
	entries := []Entry{}
	for _, text := range texts {
		e := Entry{URL: url.MustParse(text), Size: -1, Kind: Object}
		if strings.HasSuffix(text, "/") {
			e.Kind = Directory
		}
		entries = append(entries, e)
	}
	return entries
}

var library = server{
	"ftp://h/pub/": listing("ftp://h/pub/z", "ftp://h/pub/a~b/", "ftp://h/pub/c%20d;type=i", "ftp://h/pub/../", "ftp://h/pub/a%2Fb",
		"ftp://h/pub/%FF", "ftp://h/pub/", "ftp://h/other/x", "http://h/pub/x", "ftp://h/pub/x/y", ""),
	"ftp://h/pub/z;type=i":         nil,
	"ftp://h/pub/c%20d;type=i":     nil,
	"ftp://h/pub/a%7Eb/":           listing("ftp://h/pub/a~b/x"),
	"ftp://h/pub/a%7Eb/x;type=i":   nil,
	"http://h/dir/":                listing("http://h/dir/x"),
	"http://h/":                    listing("http://h/dir/"),
	"http://h/half/":               append(listing("http://h/half/x"), Entry{Title: "broken"}),
	"ftp://h/pub/e%3Bf%3Fg;type=i": nil,
}

func names(entries []fs.DirEntry) []string {
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}

func TestFS(t *testing.T) {
	for _, base := range []string{"ftp://h/pub/", "ftp://h/pub", "ftp://h/pub#f"} {
		fsys := FS(t.Context(), library, url.MustParse(base))
		entries, err := fs.ReadDir(fsys, ".")
		if got, want := names(entries), []string{"a~b", "c d", "z"}; !slices.Equal(got, want) || err != nil {
			t.Errorf("ReadDir(%q) = %q, %v, want %q", base, got, err, want)
		}
		for _, test := range []struct{ name, want string }{
			{"z", "ftp://h/pub/z;type=i"},
			{"c d", "ftp://h/pub/c%20d;type=i"},
			{"a~b/x", "ftp://h/pub/a%7Eb/x;type=i"},
			{"e;f?g", "ftp://h/pub/e%3Bf%3Fg;type=i"},
			{"missing", ""},
			{"../pub/z", ""},
			{"/z", ""},
			{"", ""},
			{"a~b", ""},
		} {
			got, err := fs.ReadFile(fsys, test.name)
			if string(got) != test.want || (err == nil) != (test.want != "") {
				t.Errorf("ReadFile(%q) under %q = %q, %v, want %q", test.name, base, got, err, test.want)
			}
		}
	}
}

func TestFSDirectories(t *testing.T) {
	for _, test := range []struct {
		base, name string
		want       []string
		err        error
	}{
		{base: "ftp://h/pub", name: "a~b", want: []string{"x"}},
		{base: "http://h", name: "dir", want: []string{"x"}},
		{base: "http://h", name: ".", want: []string{"dir"}},
		{base: "http://h", name: "half", want: []string{"x"}, err: io.ErrUnexpectedEOF},
		{base: "http://h", name: "none", err: fs.ErrNotExist},
		{base: "http://h", name: "../h", err: fs.ErrInvalid},
	} {
		fsys := FS(t.Context(), library, url.MustParse(test.base))
		entries, err := fs.ReadDir(fsys, test.name)
		if got := names(entries); !slices.Equal(got, test.want) || !errors.Is(err, test.err) {
			t.Errorf("ReadDir(%q) under %q = %q, %v, want %q, %v", test.name, test.base, got, err, test.want, test.err)
		}
		info, err := fs.Stat(fsys, test.name)
		if test.want != nil && (err != nil || !info.IsDir()) {
			t.Errorf("Stat(%q) under %q = %v, want a directory", test.name, test.base, err)
		}
	}
	if _, err := fs.ReadDir(FS(t.Context(), library, url.MustParse("ftp://h/pub")), "z"); err == nil {
		t.Error("ReadDir of a file gives no error")
	}
}

func TestFSReadDirInParts(t *testing.T) {
	f, err := FS(t.Context(), library, url.MustParse("ftp://h/pub")).Open(".")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if _, err := f.Read(make([]byte, 1)); err == nil {
		t.Error("Read of a directory gives no error")
	}
	d := f.(fs.ReadDirFile)
	for _, want := range []string{"z", "a~b", "c d"} {
		entries, err := d.ReadDir(1)
		if got := names(entries); len(got) != 1 || got[0] != want || err != nil {
			t.Errorf("ReadDir(1) = %q, %v, want %q", got, err, want)
		}
	}
	if entries, err := d.ReadDir(1); len(entries) > 0 || !errors.Is(err, io.EOF) {
		t.Errorf("ReadDir(1) after the last = %q, %v, want EOF", names(entries), err)
	}
	if entries, err := d.ReadDir(-1); len(entries) > 0 || err != nil {
		t.Errorf("ReadDir(-1) after the last entry = %q, %v, want no entries", names(entries), err)
	}
}

// The URL of every valid name leads back to the name.
func FuzzFSNames(f *testing.F) {
	for _, seed := range []string{"a", "a b", "a%2Fb", "~#?;type=d", "日本", ".a", "a\x00b"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, name string) {
		if !fs.ValidPath(name) || strings.Contains(name, "/") || name == "." {
			t.Skip()
		}
		u := url.MustParse("ftp://h/pub/" + escape(name))
		dir := locationOf(url.MustParse("ftp://h/pub/"))
		if got, ok := dir.nameOf(Entry{URL: u}); got != name || !ok {
			t.Errorf("the name of %q is %q, %v, want %q", u, got, ok, name)
		}
	})
}

// A directory that redirects to another one has the entries of the target.
func TestFSMoved(t *testing.T) {
	s := server{
		"http://h/":             listing("http://h/old/"),
		"http://other/new/?all": listing("http://other/new/x", "http://other/new/sub/", "http://h/old/y", "http://other/z"),
		"http://other/new/sub/": listing("http://other/new/sub/deep"),
		"http://h/old/x":        nil,
	}
	places := map[string]string{
		"http://h/old": "http://h/old/", "http://h/old/": "http://other/new/?all#f", "http://h/old/sub": "http://other/new/sub/",
	}
	o := GetFunc(func(ctx context.Context, req *Request) (*Resource, error) {
		if to := places[req.URL.String()]; to != "" {
			return nil, &Moved{To: url.MustParse(to)}
		}
		text, _, _ := strings.Cut(req.URL.String(), "#")
		r, err := s.Do(ctx, &Request{URL: url.MustParse(text)})
		if err == nil {
			r.URL = req.URL
		}
		return r, err
	})
	fsys := FS(t.Context(), Follow{Engine: o}, url.MustParse("http://h/"))
	for name, want := range map[string][]string{".": {"old"}, "old": {"sub", "x"}, "old/sub": {"deep"}} {
		entries, err := fs.ReadDir(fsys, name)
		if got := names(entries); !slices.Equal(got, want) || err != nil {
			t.Errorf("ReadDir(%q) = %q, %v, want %q", name, got, err, want)
		}
	}
	if got, err := fs.ReadFile(fsys, "old/x"); string(got) != "http://h/old/x" || err != nil {
		t.Errorf("ReadFile(\"old/x\") = %q, %v, want the text of http://h/old/x", got, err)
	}
}
