package access

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"locus/url"
)

// A shelf is a server whose files have contents and times, and which answers
// Stat. Its keys are URLs; those that end in "/" are directories.
type shelf map[string]string

var shelved = time.Date(1994, time.December, 20, 12, 0, 0, 0, time.UTC)

func (s shelf) Open(_ context.Context, req *Request) (*Resource, error) {
	text := req.URL.String()
	content, ok := s[text]
	switch {
	case !ok:
		return nil, &Error{Op: "open", URL: req.URL, Err: fs.ErrNotExist}
	case strings.HasSuffix(text, "/"):
		return &Resource{URL: req.URL, Size: -1, ModTime: shelved, Body: listBody{Lister: asLister(s.entries(text)), Reader: strings.NewReader("")}}, nil
	}
	return &Resource{URL: req.URL, Size: int64(len(content)), ModTime: shelved, Body: io.NopCloser(strings.NewReader(content))}, nil
}

func (s shelf) Stat(_ context.Context, req *Request) (Entry, error) {
	text := req.URL.String()
	content, ok := s[text]
	switch {
	case !ok:
		return Entry{}, &Error{Op: "stat", URL: req.URL, Err: fs.ErrNotExist}
	case strings.HasSuffix(text, "/"):
		return Entry{URL: req.URL, Kind: Directory, Size: -1, ModTime: shelved}, nil
	}
	return Entry{URL: req.URL, Kind: Object, Size: int64(len(content)), ModTime: shelved}, nil
}

// entries lists a directory, with what hostile servers put there besides.
func (s shelf) entries(dir string) []Entry {
	list := listing(dir, dir+"../", "file:///etc/passwd", dir+"%2E%2E", dir+"a%2Fb", "http://other/x")
	for text, content := range s {
		rest, below := strings.CutPrefix(text, dir)
		if !below || rest == "" || strings.Contains(strings.TrimSuffix(rest, "/"), "/") {
			continue
		}
		e := listing(text)[0]
		e.ModTime = shelved
		if e.Kind == Object {
			e.Size = int64(len(content))
		}
		list = append(list, e)
	}
	return list
}

// What package io/fs wants of a file system is so.
func TestFSContract(t *testing.T) {
	for _, test := range []struct {
		base  string
		shelf shelf
		names []string
	}{
		{"http://h/", shelf{"http://h/": "", "http://h/a%20b": "one", "http://h/d/": "", "http://h/d/empty": "", "http://h/d/e/": "", "http://h/d/e/%25": "two"}, []string{"a b", "d/empty", "d/e/%"}},
		{"ftp://h/%2F", shelf{"ftp://h/%2F/": "", "ftp://h/%2F/x;type=i": "x", "ftp://h/%2F/d/": "", "ftp://h/%2F/d/y%3Bz;type=i": "yz"}, []string{"x", "d/y;z"}},
	} {
		if err := fstest.TestFS(FS(t.Context(), test.shelf, url.MustParse(test.base)), test.names...); err != nil {
			t.Errorf("the file system under %q: %v", test.base, err)
		}
	}
}

func TestFSOfNothing(t *testing.T) {
	if _, err := fs.ReadDir(FS(t.Context(), nil, url.MustParse("ftp://h/")), "."); !errors.Is(err, ErrNoScheme) {
		t.Errorf("ReadDir without an Opener = %v, want ErrNoScheme", err)
	}
}

// Over gopher a name has the item type that its menu gives it.
func TestFSOfMenus(t *testing.T) {
	s := server{
		"gopher://h/1/":      listing("gopher://h/0/notes", "gopher://h/1/dir/"),
		"gopher://h/0/notes": nil,
		"gopher://h/1/dir/":  append(listing("gopher://h/9/dir/x"), Entry{Title: "broken"}),
		"gopher://h/9/dir/x": nil,
	}
	fsys := FS(t.Context(), s, url.MustParse("gopher://h/"))
	for _, test := range []struct {
		name, want string
		err        error
	}{
		{"notes", "gopher://h/0/notes", nil},
		{"dir/x", "gopher://h/9/dir/x", nil},
		{"none", "", fs.ErrNotExist},
		{"notes/none", "", fs.ErrNotExist},
		{"dir/none", "", io.ErrUnexpectedEOF},
		{"none/x", "", fs.ErrNotExist},
	} {
		got, err := fs.ReadFile(fsys, test.name)
		if string(got) != test.want || !errors.Is(err, test.err) {
			t.Errorf("ReadFile(%q) = %q, %v, want %q, %v", test.name, got, err, test.want, test.err)
		}
	}
}

// What an Opener can besides passes through those around it.
func TestPassingOn(t *testing.T) {
	u := url.MustParse("x://h/")
	plain := OpenerFunc(nil)
	for _, o := range []Opener{able{}, Follow{Opener: able{}}, Table{"x": able{}}, Follow{Opener: Table{"x": able{}}}} {
		if got, ok := Cite(o, u, "name"); !ok || got.String() != "x://h/name" {
			t.Errorf("Cite of %T = %q, %v", o, got, ok)
		}
	}
	for _, o := range []Opener{plain, Follow{Opener: plain}, Table{"x": plain}, Table{}, Follow{}} {
		if got, ok := Cite(o, u, "name"); ok {
			t.Errorf("Cite of %T = %q, want none", o, got)
		}
		if Remembers(o, &Request{URL: u}) {
			t.Errorf("%T remembers", o)
		}
	}
	for _, o := range []Opener{able{}, Follow{Opener: able{}}} {
		if !Remembers(o, &Request{URL: u}) {
			t.Errorf("%T does not remember", o)
		}
	}
	if Facts(u) != nil || len(Facts(able{})) != 1 {
		t.Errorf("Facts = %v, %v", Facts(u), Facts(able{}))
	}
}

func TestPassed(t *testing.T) {
	ctx := WithPassed(t.Context(), "")
	if Passed(ctx) != "" {
		t.Errorf("Passed = %q, want nothing", Passed(ctx))
	}
	if got := Passed(WithPassed(WithPassed(ctx, "1.1 a"), "")); got != "1.1 a" {
		t.Errorf("Passed = %q, want what was there before nothing was added", got)
	}
	if got := Passed(WithPassed(WithPassed(ctx, "1.1 a"), "1.1 a, 1.1 b")); got != "1.1 a, 1.1 b" {
		t.Errorf("Passed = %q, want the last", got)
	}
}

// able is an Opener that cites, remembers, and describes.
type able struct{ OpenerFunc }

func (able) Cite(base url.URL, name string) (url.URL, bool) {
	return url.MustParse(base.String() + name), true
}
func (able) Remembers(*Request) bool { return true }
func (able) Facts() []Fact           { return []Fact{{Name: "Score", Value: "1000"}} }
