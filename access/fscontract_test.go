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

// A shelf is a server with Stat, whose files have contents and times. Its keys are URLs,
// and a URL that ends in "/" is a directory.
type shelf map[string]string

var shelved = time.Date(1994, time.December, 20, 12, 0, 0, 0, time.UTC)

func (s shelf) Do(_ context.Context, req *Request) (*Resource, error) {
	text := req.URL.String()
	content, ok := s[text]
	isDir := strings.HasSuffix(text, "/")
	if !ok {
		return nil, &Error{Op: req.Op.String(), URL: req.URL, Err: fs.ErrNotExist}
	}
	e := Entry{URL: req.URL, Kind: Object, Size: int64(len(content)), ModTime: shelved}
	if isDir {
		e.Kind, e.Size = Directory, -1
	}
	if req.Op == Stat {
		return &Resource{Entry: e, Body: NoBody}, nil
	}
	r := &Resource{Entry: e, Body: io.NopCloser(strings.NewReader(content))}
	if isDir {
		r.List = asLister(s.entries(text))
	}
	return r, nil
}

// entries lists a directory. It adds entries that hostile servers send.
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

// The file system satisfies fstest.TestFS.
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
		t.Errorf("ReadDir without an Engine = %v, want ErrNoScheme", err)
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
