package access

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"slices"
	"strings"
	"testing"
	"time"

	"locus/url"
)

// A recorder is an Engine that records requests and counts open bodies.
type recorder struct {
	Engine
	asked *[]string
	open  *int
}

func newRecorder(o Engine) recorder { return recorder{o, new([]string), new(int)} }

func (d recorder) Do(ctx context.Context, req *Request) (*Resource, error) {
	*d.asked = append(*d.asked, req.Verb()+" "+req.URL.String())
	r, err := d.Engine.Do(ctx, req)
	if err == nil && req.Op == Get {
		*d.open++
		r.OnClose(func() { *d.open-- })
	}
	return r, err
}

// heard returns the requests since the last call.
func (d recorder) heard() string {
	asked := strings.Join(*d.asked, ", ")
	*d.asked = nil
	return asked
}

// The file system closes every body, and sends each request once.
func TestFSAsks(t *testing.T) {
	s := server{
		"gopher://h/1/":      listing("gopher://h/0/notes", "gopher://h/1/dir/"),
		"gopher://h/0/notes": nil,
		"gopher://h/1/dir/":  listing(),
		"http://h/":          listing("http://h/x", "http://h/dir/"),
		"http://h/x":         nil,
		"http://h/dir/":      listing(),
		"ftp://h/":           listing("ftp://h/page/"),
		"ftp://h/page/":      nil,
	}
	full := shelf{"http://h/": "", "http://h/x": "one"}
	for _, test := range []struct {
		o          Engine
		base, name string
		do         func(fs.FS, string) error
		want       string
	}{
		{s, "http://h/", "x", readFile, "open http://h/x"},
		{s, "http://h/", "dir", readFile, "open http://h/dir, open http://h/dir/"},
		{s, "http://h/", ".", readDir, "open http://h/"},
		{s, "http://h/", "x", readDir, "open http://h/x"},
		{s, "http://h/", "dir", readDir, "open http://h/dir, open http://h/dir/"},
		{s, "http://h/none/", ".", readDir, "open http://h/none/"},
		{s, "ftp://h/", "page", readDir, "open ftp://h/page;type=i, open ftp://h/page/"},
		{s, "ftp://h/", "none", readFile, "open ftp://h/none;type=i, open ftp://h/none/"},
		{s, "gopher://h/", "notes", readFile, "open gopher://h/1/, open gopher://h/0/notes"},
		{s, "gopher://h/", "none", readFile, "open gopher://h/1/"},
		{s, "http://h/", "x", stat, "stat http://h/x, open http://h/x"},
		{s, "http://h/", "dir", stat, "stat http://h/dir, open http://h/dir, open http://h/dir/"},
		{full, "http://h/", "x", stat, "stat http://h/x"},
		{full, "http://h/", ".", stat, "stat http://h/"},
		{full, "http://h/", "x", statOpened, "open http://h/x"},
		{sized{full, -1, shelved}, "http://h/", "x", statOpened, "open http://h/x, stat http://h/x"},
		{sized{full, 3, time.Time{}}, "http://h/", "x", statOpened, "open http://h/x, stat http://h/x"},
		{s, "http://h/", "../x", stat, ""},
	} {
		d := newRecorder(test.o)
		err := test.do(FS(t.Context(), d, url.MustParse(test.base)), test.name)
		if got := d.heard(); got != test.want || *d.open != 0 {
			t.Errorf("%q under %q asks %q, %v, and leaves %d open; want %q", test.name, test.base, got, err, *d.open, test.want)
		}
	}
}

func readFile(fsys fs.FS, name string) error { _, err := fs.ReadFile(fsys, name); return err }
func readDir(fsys fs.FS, name string) error  { _, err := fs.ReadDir(fsys, name); return err }
func stat(fsys fs.FS, name string) error     { _, err := fs.Stat(fsys, name); return err }

func statOpened(fsys fs.FS, name string) error {
	f, err := fsys.Open(name)
	if err != nil {
		return err
	}
	_, err = f.Stat()
	return errors.Join(err, f.Close())
}

// sized is a shelf whose opened files have another size and time.
type sized struct {
	shelf
	size    int64
	modTime time.Time
}

func (s sized) Do(ctx context.Context, req *Request) (*Resource, error) {
	r, err := s.shelf.Do(ctx, req)
	if err == nil {
		r.Size, r.ModTime = s.size, s.modTime
	}
	return r, err
}

// Only a redirect of a file to its own directory opens that directory.
func TestFSMovedElsewhere(t *testing.T) {
	o := GetFunc(func(_ context.Context, req *Request) (*Resource, error) {
		if req.URL.Path() == "/x" {
			return nil, &Moved{To: url.MustParse("http://h/y/")}
		}
		return library.Do(t.Context(), &Request{URL: url.MustParse("http://h/dir/")})
	})
	if got, err := fs.ReadDir(FS(t.Context(), o, url.MustParse("http://h/")), "x"); err == nil {
		t.Errorf("ReadDir of a file that has moved to another directory = %q, want an error", names(got))
	}
}

// Info uses the listing if that is exact. For a link it describes the link.
func TestFSInfo(t *testing.T) {
	exact, minute := shelved.Add(time.Second), shelved
	for _, test := range []struct {
		name  string
		entry Entry
		asks  bool
		mode  fs.FileMode
	}{
		{"a file", Entry{Kind: Object, Size: 3, ModTime: exact}, false, 0o444},
		{"a file, to the nanosecond", Entry{Kind: Object, Size: 3, ModTime: minute.Add(1)}, false, 0o444},
		{"a file, to the minute", Entry{Kind: Object, Size: 3, ModTime: minute}, true, 0o444},
		{"a file of unknown size", Entry{Kind: Object, Size: -1, ModTime: exact}, true, 0o444},
		{"a file of unknown time", Entry{Kind: Object, Size: 3}, true, 0o444},
		{"what is unknown", Entry{Size: 3, ModTime: exact}, false, 0o444},
		{"a directory", Entry{Kind: Directory, Size: 3, ModTime: exact}, true, fs.ModeDir | 0o555},
		{"a link", Entry{Kind: Link, Size: -1}, false, fs.ModeSymlink | 0o444},
	} {
		d := newRecorder(shelf{"http://h/x": "one"})
		test.entry.URL = url.MustParse("http://h/x")
		entries := doFunc(func(ctx context.Context, req *Request) (*Resource, error) {
			if req.Op == Get && req.URL.Path() == "/" {
				return &Resource{Entry: Entry{URL: req.URL}, Body: io.NopCloser(strings.NewReader("")), List: asLister([]Entry{test.entry})}, nil
			}
			return d.Do(ctx, req)
		})
		list, err := fs.ReadDir(FS(t.Context(), entries, url.MustParse("http://h/")), ".")
		if err != nil || len(list) != 1 {
			t.Fatalf("%q: %v %v", test.name, list, err)
		}
		info, err := list[0].Info()
		if asked := d.heard(); err != nil || (asked != "") != test.asks {
			t.Errorf("Info of %s = %v, %v after %q, want to ask: %v", test.name, info, err, asked, test.asks)
		}
		if got := list[0].Type(); got != test.mode.Type() || list[0].IsDir() != test.mode.IsDir() {
			t.Errorf("the type of %s is %v, want %v", test.name, got, test.mode.Type())
		}
		if !test.asks && (info.Mode() != test.mode || info.Size() != test.entry.Size || !info.ModTime().Equal(test.entry.ModTime)) {
			t.Errorf("Info of %s is %v, want the listed attributes", test.name, info)
		}
	}
}

// A name belongs to an entry directly in a directory, and opens it.
func TestFSNameOf(t *testing.T) {
	for _, test := range []struct {
		dir, entry string
		kind       Kind
		want       string // "" if it is not one
	}{
		{"ftp://h/pub/", "ftp://h/pub/x", Object, "x"},
		{"ftp://h/pub/", "ftp://h/pub/x;type=i", Object, "x"},
		{"ftp://u:pw@h/pub/", "ftp://h/pub/x/", Directory, "x"},
		{"ftp://h/pub/", "ftp://u@h/pub/x", Link, "x"},
		{"ftp://h/pub/", "ftp://h/p%75b/%78", Unknown, "x"},
		{"ftp://h/pub/", "ftp://h:21/pub/x", Object, ""},
		{"ftp://h/pub/", "ftps://h/pub/x", Object, ""},
		{"ftp://h/pub/", "ftp://other/pub/x", Object, ""},
		{"ftp://h/pub/", "ftp://h/pub/x/y", Object, ""},
		{"ftp://h/pub/", "ftp://h/pub/", Directory, ""},
		{"ftp://h/pub/", "ftp://h/pub/%2E", Directory, ""},
		{"ftp://h/pub/", "ftp://h/pub/%2E%2E", Directory, ""},
		{"ftp://h/pub/", "ftp://h/pub/a%2Fb", Object, ""},
		{"ftp://h/pub/", "ftp://h/pub/%FF", Object, ""},
		{"ftp://h/pub/", "mailto:x", Object, ""},
		{"gopher://h/1/pub/", "gopher://h/0/pub/x", Object, "x"},
		{"gopher://h/1/pub/", "gopher://h/9/pub/x%09%09+", Object, "x"},
		{"gopher://h/1/pub/", "gopher://h/7/pub/x", Search, ""},
		{"gopher://h/1/pub/", "gopher://h/0/pub/x%09%09+", Form, ""},
		{"gopher://h/1/pub/", "gopher://h/8/pub/x", Terminal, ""},
		{"gopher://h/1/pub/", "gopher://h/i/pub/x", Info, ""},
		{"gopher://h/1/pub/", "gopher://h/3/pub/x", Failure, ""},
	} {
		got, ok := locationOf(url.MustParse(test.dir)).nameOf(Entry{URL: url.MustParse(test.entry), Kind: test.kind})
		if ok != (test.want != "") || ok && got != test.want {
			t.Errorf("the name of %q, a %v, in %q is %q, %v, want %q", test.entry, test.kind, test.dir, got, ok, test.want)
		}
	}
}

// Over gopher the base may be a menu, and items may be of Gopher+.
func TestFSOfMenusBelow(t *testing.T) {
	plus := listing("gopher://h/0/dir/plus/x%09%09+")
	menu := listing("gopher://h/0/dir/x")
	menu = append(menu, Entry{URL: url.MustParse("gopher://h/1/dir/plus%09%09+"), Kind: Directory, Size: -1})
	s := server{
		"gopher://h/1/dir/":               menu,
		"gopher://h/0/dir/x":              nil,
		"gopher://h/1/dir/plus%09%09+":    plus,
		"gopher://h/0/dir/plus/x%09%09+":  nil,
		"gopher://h/1/dir/1/":             listing(),
		"gopher://h/1/dir/plus%09%09+/1/": listing(),
	}
	for _, base := range []string{"gopher://h/1/dir", "gopher://h/1/dir/"} {
		fsys := FS(t.Context(), s, url.MustParse(base))
		for name, want := range map[string]string{"x": "gopher://h/0/dir/x", "plus/x": "gopher://h/0/dir/plus/x%09%09+"} {
			if got, err := fs.ReadFile(fsys, name); string(got) != want || err != nil {
				t.Errorf("ReadFile(%q) under %q = %q, %v, want %q", name, base, got, err, want)
			}
		}
		entries, err := fs.ReadDir(fsys, "plus")
		if got := names(entries); !slices.Equal(got, []string{"x"}) || err != nil {
			t.Errorf("ReadDir under %q = %q, %v", base, got, err)
		}
	}
}

// A doFunc is an Engine that calls a function for every Op.
type doFunc func(context.Context, *Request) (*Resource, error)

func (f doFunc) Do(ctx context.Context, req *Request) (*Resource, error) { return f(ctx, req) }
