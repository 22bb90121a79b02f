package gateway_test

import (
	"context"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"testing"

	"locus/access"
	"locus/gateway"
	"locus/url"
)

// counted is a listing of n entries. It counts the entries that are read, and measures the memory
// in use.
type counted struct {
	n     int
	taken int
	most  uint64
}

func (c *counted) Next() (access.Entry, error) {
	if c.taken == c.n {
		return access.Entry{}, io.EOF
	}
	if c.taken%(c.n/10) == 0 {
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		c.most = max(c.most, m.HeapAlloc)
	}
	c.taken++
	return access.Entry{Title: "an entry of a menu", URL: url.MustParse("gopher://h/0x"), Kind: access.Object, Size: -1}, nil
}

func (*counted) Read([]byte) (int, error) { return 0, io.EOF }
func (*counted) Close() error             { return nil }

// sink is a ResponseWriter that discards the body.
type sink struct {
	header http.Header
	bytes  int
}

func (s *sink) Header() http.Header { return s.header }
func (s *sink) WriteHeader(int)     {}
func (s *sink) Write(p []byte) (int, error) {
	s.bytes += len(p)
	return len(p), nil
}

// A menu of 100000 lines does not need more memory than a menu of a thousand lines. A page of it
// shows a part, and lists for programs have all lines.
func TestAttackLongMenus(t *testing.T) {
	// attack: A menu has a million lines | a page has `MaxEntries`; lists for programs stream; memory stays
	// constant
	const n = 100_000 // together they need far more memory than a page may take
	for _, test := range []struct {
		path, accept string
		most         int // entries that are taken
		least        int
	}{
		{"/gopher://h/1", "text/html", 1001, 1001},
		{"/-/list?sort=name&url=gopher://h/1", "text/html", n, n}, // the page sorts the whole listing
		{"/-/list?filter=none&url=gopher://h/1", "text/html", n, n},
		{"/gopher://h/1", "text/uri-list", n, n},
	} {
		c := &counted{n: n}
		g := &gateway.Gateway{Harmless: isHere, Engine: access.GetFunc(func(_ context.Context, req *access.Request) (*access.Resource, error) {
			return &access.Resource{Entry: access.Entry{URL: req.URL, Size: -1}, Body: c, List: c}, nil
		})}
		runtime.GC()
		var before runtime.MemStats
		runtime.ReadMemStats(&before)
		r := httptest.NewRequest(http.MethodGet, test.path, http.NoBody)
		r.Host, r.RequestURI = "localhost", test.path
		r.Header.Set("Accept", test.accept)
		r.Header.Set("Sec-Fetch-Site", "none")
		w := &sink{header: make(http.Header)}
		g.ServeHTTP(w, r)
		if c.taken < test.least || c.taken > test.most {
			t.Errorf("%s as %s takes %d entries, want %d to %d", test.path, test.accept, c.taken, test.least, test.most)
		}
		if c.most > before.HeapAlloc+8<<20 {
			t.Errorf("%s as %s needs %d KiB more", test.path, test.accept, (c.most-before.HeapAlloc)>>10)
		}
	}
}

func TestAttackManyLevels(t *testing.T) {
	// attack: A URL has tens of thousands of levels, each of which is a link on its page | the page links to the
	// nearest levels only
	const most = 1 << 20
	g := &gateway.Gateway{Harmless: isHere, Engine: access.GetFunc(func(_ context.Context, req *access.Request) (*access.Resource, error) {
		return nil, &access.Error{Op: "open", URL: req.URL, Err: fs.ErrNotExist}
	})}
	deep := strings.Repeat("a/", 4000)
	for _, path := range []string{"/-/about?url=ftp://192.0.2.1/" + deep, "/-/about?url=gopher://192.0.2.1/0" + deep, "/ftp://192.0.2.1/" + deep} {
		r := httptest.NewRequest(http.MethodGet, path, http.NoBody)
		r.Host, r.RequestURI = "localhost", path
		w := httptest.NewRecorder()
		g.ServeHTTP(w, r)
		if n := w.Body.Len(); n > most {
			t.Errorf("%.40s… with %d bytes gets a page of %d bytes, want at most %d", path, len(path), n, most)
		}
	}
}

// longNames is a folder whose names differ, and have 16 KiB each.
type longNames struct{ taken int }

func (l *longNames) Next() (access.Entry, error) {
	if l.taken == 3000 {
		return access.Entry{}, io.EOF
	}
	l.taken++
	return access.Entry{URL: url.MustParse(fmt.Sprintf("ftp://h/d/%05d%s", l.taken, strings.Repeat("a", 16<<10))), Kind: access.Object, Size: -1}, nil
}

func TestAttackMountedNames(t *testing.T) {
	// attack: A mounted folder has many long names | the response breaks off after 32 MiB of names, which count to the
	// memory of pages
	const most = 2050 // entries
	l := new(longNames)
	g := &gateway.Gateway{Engine: access.GetFunc(func(_ context.Context, req *access.Request) (*access.Resource, error) {
		found := access.Entry{URL: req.URL, Kind: access.Directory, Size: -1}
		return &access.Resource{Entry: found, Body: http.NoBody, List: l}, nil
	})}
	r := httptest.NewRequest("PROPFIND", "/-/dav/ftp://h/d/", http.NoBody)
	r.Host, r.RequestURI = "localhost", "/-/dav/ftp://h/d/"
	r.Header.Set("Depth", "1")
	func() {
		defer func() {
			if v := recover(); v != nil && v != http.ErrAbortHandler {
				panic(v)
			}
		}()
		g.ServeHTTP(&sink{header: make(http.Header)}, r)
	}()
	if l.taken < most/2 || l.taken > most {
		t.Errorf("a mounted folder with long names takes %d entries, want %d to %d", l.taken, most/2, most)
	}
}

// wordy is an endless listing of entries that are as long as a server can make them.
type wordy struct {
	entry access.Entry
	taken int
}

func (w *wordy) Next() (access.Entry, error) {
	w.taken++
	return w.entry, nil
}

func (*wordy) Read([]byte) (int, error) { return 0, io.EOF }
func (*wordy) Close() error             { return nil }

// A page reads a few megabytes of entries before it begins. To sort or filter an endless listing, it
// reads a part of the listing.
func TestAttackLongLines(t *testing.T) {
	// attack: Lines are very long, or a listing that is sorted or filtered has no end | the gateway
	// shows up to 8 MiB, sorts 32 MiB and reads 256 MiB; the page says that it is not complete
	const long = 128 << 10 // a page of them has more than 16 MiB
	text := strings.Repeat("x", long)
	for name, e := range map[string]access.Entry{
		"titles": {Title: text, URL: url.MustParse("gopher://h/0x"), Kind: access.Object, Size: 1},
		"URLs":   {Title: "x", URL: url.MustParse("gopher://h/0" + text), Kind: access.Object, Size: 1},
		"facts":  {Title: "x", URL: url.MustParse("gopher://h/0x"), Kind: access.Object, Size: 1, Header: access.Header{{Name: "Subject", Value: text}}},
	} {
		for path, most := range map[string]int{"/-/list?sort=name&url=gopher://h/1": 512 << 20, "/-/list?filter=z&url=gopher://h/1": 512 << 20, "/gopher://h/1": 16 << 20} {
			list := &wordy{entry: e}
			g := &gateway.Gateway{MaxEntries: 150, Engine: access.GetFunc(func(_ context.Context, req *access.Request) (*access.Resource, error) {
				return &access.Resource{Entry: access.Entry{URL: req.URL, Size: -1}, Body: list, List: list}, nil
			})}
			r := httptest.NewRequest(http.MethodGet, path, http.NoBody)
			r.Host, r.RequestURI = "localhost", path
			w := &firstWrite{sink: sink{header: make(http.Header)}, list: list}
			func() {
				defer func() { // the response breaks off
					if v := recover(); v != nil && v != http.ErrAbortHandler {
						panic(v)
					}
				}()
				g.ServeHTTP(w, r)
			}()
			if together := w.taken * long; together == 0 || together > most {
				t.Errorf("long %s: %s reads %d KiB before its page begins", name, path, together>>10)
			}
		}
	}
}

// firstWrite is a ResponseWriter whose first Write fails. It keeps how many entries were read before
// that.
type firstWrite struct {
	sink
	list  *wordy
	taken int
}

func (w *firstWrite) Write(p []byte) (int, error) {
	if w.taken == 0 {
		w.taken = w.list.taken
	}
	return 0, io.ErrClosedPipe
}

// A page may begin after any number of entries.
func TestAttackFrom(t *testing.T) {
	// attack: `from=` is the largest number, or lines have no text | the page ends, and keeps no more entries
	g := &gateway.Gateway{Engine: resources{"ftp://h/d/": menu(io.EOF, folder(3000)...)}}
	for _, from := range []string{"9223372036854775807", "9223372036854775000", "4611686018427387904", "100000"} {
		for _, order := range []string{"", "sort=name&"} {
			resp, body, err := serve(t, g)("GET", "/-/list?"+order+"from="+from+"&url=ftp://h/d/")
			if err != nil || resp.StatusCode != http.StatusOK || len(titlesOf(body)) > 0 || !strings.Contains(body, "3,000 files") {
				t.Errorf("%sfrom=%s = %v, %v\n%.2000s", order, from, resp, err, body)
			}
		}
	}
}

// An entry with a short text counts as memory too, even if the page begins late.
func TestAttackShortLines(t *testing.T) {
	// attack: `from=` is the largest number, or lines have no text
	c := &counted{n: 400_000} // a page sorts 32 MiB, which is a third of them
	g := &gateway.Gateway{Harmless: isHere, Engine: access.GetFunc(func(_ context.Context, req *access.Request) (*access.Resource, error) {
		return &access.Resource{Entry: access.Entry{URL: req.URL, Size: -1}, Body: c, List: c}, nil
	})}
	before := heap()
	request(g, "/-/list?sort=name&from=360000&url=gopher://h/1", &sink{header: make(http.Header)})
	if c.most > before+40<<20 {
		t.Errorf("a page that begins after 360000 entries needs %d MiB", (c.most-before)>>20)
	}
}

// heap returns how many bytes are in use.
func heap() uint64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

// request lets g answer a GET of a browser at localhost.
func request(g *gateway.Gateway, path string, w http.ResponseWriter, fields ...string) {
	r := httptest.NewRequest(http.MethodGet, path, http.NoBody)
	r.Host, r.RequestURI = "localhost", path
	for _, f := range fields {
		name, value, _ := strings.Cut(f, ": ")
		r.Header.Set(name, value)
	}
	g.ServeHTTP(w, r)
}

// The gateway stops reading an endless listing even if its entries do not have a text.
func TestAttackEmptyLines(t *testing.T) {
	// attack: `from=` is the largest number, or lines have no text
	short := strings.Repeat("-", 1000) // the limit counts text, too, and is reached sooner
	for query, text := range map[string]string{"filter=x&": "", "sort=name&filter=x&": short, "from=99999999&": short} {
		list := &ending{&wordy{entry: access.Entry{Title: text, Kind: access.Info, Size: -1}}}
		g := &gateway.Gateway{Harmless: isHere, Engine: access.GetFunc(func(_ context.Context, req *access.Request) (*access.Resource, error) {
			return &access.Resource{Entry: access.Entry{URL: req.URL, Size: -1}, Body: list, List: list}, nil
		})}
		request(g, "/-/list?"+query+"url=gopher://h/1", &sink{header: make(http.Header)})
		if list.taken >= 5_000_000 {
			t.Errorf("%s: a page reads %d lines", query, list.taken)
		}
	}
}
