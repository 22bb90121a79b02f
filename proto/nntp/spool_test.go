package nntp_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"locus/access"
	"locus/access/accesstest"
	"locus/proto"
	"locus/proto/nntp"
	"locus/url"
)

func spoolArticle(id, groups, day string) string {
	return fmt.Sprintf("From: a@h\nNewsgroups: %s\nSubject: about %s\nDate: %s Nov 2026 00:00:00 +0000\nMessage-ID: <%s>\n\n.dot\n", groups, id, day, id)
}

func newSpool() fstest.MapFS {
	return fstest.MapFS{
		"misc/test/7":      {Data: []byte(spoolArticle("seven@h", "misc.test", "7"))},
		"misc/test/12":     {Data: []byte(spoolArticle("twelve@h", "misc.test,misc.other", "12"))},
		"misc/other/3":     {Data: []byte(spoolArticle("twelve@h", "misc.test,misc.other", "12"))},
		"misc/test/.over":  {Data: []byte("no article\n")},
		"saved/flat.eml":   {Data: []byte(spoolArticle("flat@h", "misc.test, alt.flat", "9"))},
		"saved/crlf.eml":   {Data: []byte(strings.ReplaceAll(spoolArticle("crlf@h", "alt.flat", "10"), "\n", "\r\n"))},
		"bare/group/1":     {Data: []byte("Message-ID: <bare@h>\n\nno Newsgroups\n")},
		"saved/binary":     {Data: []byte("\x89PNG\r\n\x1a\n\x00\x00")},
		"saved/no-id":      {Data: []byte("Subject: mail\n\nx\n")},
		"saved/empty":      {},
		"saved/long-line":  {Data: []byte(strings.Repeat("x", 1<<20))},
		"saved/not-a-news": {Data: []byte("Message-ID: nothing in brackets\n\n")},
	}
}

// req: 1630-news-2
func TestSpool(t *testing.T) {
	none := accesstest.Serve(t)
	c := nntp.Client{Dial: none.Dial, Spool: nntp.NewSpool(newSpool())}
	for _, test := range []struct{ url, want string }{
		{"news:seven@h", spoolArticle("seven@h", "misc.test", "7")},
		{"news:twelve@h", spoolArticle("twelve@h", "misc.test,misc.other", "12")},
		{"news:flat@h", spoolArticle("flat@h", "misc.test, alt.flat", "9")},
		{"news:crlf@h", strings.ReplaceAll(spoolArticle("crlf@h", "alt.flat", "10"), "\n", "\r\n")},
		{"news:bare@h", "Message-ID: <bare@h>\n\nno Newsgroups\n"},
		{"news:none@h", "error: open news:none@h: file does not exist [file does not exist]"},
		{"news:no.such", "error: open news:no.such: file does not exist [file does not exist]"},
		{"news:*", "directory \"alt.flat\" <news:alt.flat>\ndirectory \"bare.group\" <news:bare.group>\ndirectory \"misc.other\" <news:misc.other>\ndirectory \"misc.test\" <news:misc.test>\n"},
		{"news:misc.test", "object \"about twelve@h\" <news:twelve@h> 129 2026-11-12\nobject \"about flat@h\" <news:flat@h> 123 2026-11-09\nobject \"about seven@h\" <news:seven@h> 115 2026-11-07\n"},
		{"news:misc.test/1-7", "object \"about seven@h\" <news:seven@h> 115 2026-11-07\n"},
		{"news:misc.other", "object \"about twelve@h\" <news:twelve@h> 129 2026-11-12\n"},
		{"news:bare.group", "object \"\" <news:bare@h> 36\n"},
	} {
		if got := describe(t, c, test.url); got != test.want {
			t.Errorf("Open(%q) finds\n%s\nwant\n%s", test.url, got, test.want)
		}
	}
	for _, test := range []struct{ url, want string }{
		{"news:seven@h", `object "about seven@h" <news:seven@h> 115 2026-11-07`},
		{"news:misc.test", `directory "misc.test" <news:misc.test>`},
		{"news:*", `directory "*" <news:*>`},
	} {
		r, err := c.Do(t.Context(), &access.Request{Op: access.Stat, URL: url.MustParse(test.url)})
		if err != nil {
			t.Fatalf("Stat(%q) = %v, want %s", test.url, err, test.want)
		}
		if got := strings.TrimSpace(describeEntries(&oneEntry{r.Entry, false})); got != test.want {
			t.Errorf("Stat(%q) = %s, want %s", test.url, got, test.want)
		}
	}
}

// URLs without a server are looked up in the spool first, then at the server.
//
// req: 1630-news-2
func TestSpoolAndServer(t *testing.T) {
	s := accesstest.ServeAll(t, modern.script())
	c := newClient(s)
	c.Spool = nntp.NewSpool(newSpool())
	for _, test := range []struct {
		url    string
		dialed int
	}{
		{"news:seven@h", 0},
		{"news:misc.other", 0},
		{"news:one@example.org", 1},
		{"news://h/one@example.org", 1},
		{"nntp://h/misc.test/3", 1},
		{"nntp:misc.test/3", 1},
	} {
		before := len(s.Dialed())
		got := describe(t, c, test.url)
		if n := len(s.Dialed()) - before; n != test.dialed || strings.HasPrefix(got, "error") {
			t.Errorf("Open(%q) finds %.60q and dials %d times, want %d", test.url, got, n, test.dialed)
		}
	}
}

func TestSpoolContract(t *testing.T) {
	accesstest.Test(t, accesstest.Config{
		Ops:      []access.Op{access.Stat, access.Append},
		New:      func(proto.Dial) access.Engine { return nntp.Client{Spool: nntp.NewSpool(newSpool())} },
		Object:   url.MustParse("news:seven@h"),
		Content:  spoolArticle("seven@h", "misc.test", "7"),
		Missing:  url.MustParse("news:none@h"),
		Listing:  url.MustParse("news:misc.test"),
		Titles:   []string{"about twelve@h", "about flat@h", "about seven@h"},
		Hostile:  []url.URL{url.MustParse("news:a%0D%0Ab@h"), url.MustParse("news:..%2F..%2Fetc%0A@h")},
		NoOffset: true,
	})
}

// A spool may change while it is used.
func TestSpoolChanges(t *testing.T) {
	dir := t.TempDir()
	c := nntp.Client{Spool: nntp.NewSpool(os.DirFS(dir))}
	write := func(name, text string) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	wants := func(id, want string) {
		t.Helper()
		if got := describe(t, c, "news:"+id); !strings.Contains(got, want) {
			t.Errorf("Open(%q) finds %q, want %q", id, got, want)
		}
	}
	wants("a@h", "[file does not exist]")
	write("1", "Message-ID: <a@h>\n\nfirst\n")
	wants("a@h", "first")
	write("1", "Message-ID: <b@h>\n\nanother now\n")
	wants("a@h", "[file does not exist]")
	wants("b@h", "another now")
	if err := os.Rename(filepath.Join(dir, "1"), filepath.Join(dir, "2")); err != nil {
		t.Fatal(err)
	}
	wants("b@h", "another now")
	if err := os.Remove(filepath.Join(dir, "2")); err != nil {
		t.Fatal(err)
	}
	wants("b@h", "[file does not exist]")
}

// An article in INN's wire format is returned as it was written.
func TestSpoolWireFormat(t *testing.T) {
	dir := t.TempDir()
	wire := "Message-ID: <a@h>\r\n\r\n..dot\r\n...\r\n.\r\n"
	if err := os.WriteFile(filepath.Join(dir, "1"), []byte(wire), 0o600); err != nil {
		t.Fatal(err)
	}
	c := nntp.Client{Spool: nntp.NewSpool(os.DirFS(dir))}
	if got, want := describe(t, c, "news:a@h"), "Message-ID: <a@h>\r\n\r\n.dot\r\n..\r\n"; got != want {
		t.Errorf("Open finds %q, want %q", got, want)
	}
}

// Files are read once.
func TestSpoolReadsOnce(t *testing.T) {
	files := &countingFS{FS: newSpool(), opened: map[string]int{}}
	c := nntp.Client{Spool: nntp.NewSpool(files)}
	for range 3 {
		describe(t, c, "news:misc.test")
		describe(t, c, "news:none@h")
	}
	for name, n := range files.opened {
		if n > 1 && strings.Contains(name, ".eml") {
			t.Errorf("%s was opened %d times, want once", name, n)
		}
	}
}

type countingFS struct {
	fs.FS
	opened map[string]int
}

func (c *countingFS) Open(name string) (fs.File, error) {
	c.opened[name]++
	return c.FS.Open(name)
}

func (c *countingFS) Stat(name string) (fs.FileInfo, error) { return fs.Stat(c.FS, name) }

func (c *countingFS) ReadDir(name string) ([]fs.DirEntry, error) { return fs.ReadDir(c.FS, name) }

func TestSpoolFails(t *testing.T) {
	c := nntp.Client{Spool: nntp.NewSpool(os.DirFS(filepath.Join(t.TempDir(), "none")))}
	if got := describe(t, c, "news:a@h"); !strings.Contains(got, "read the spool") {
		t.Errorf("Open in a folder that is not there finds %s", got)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	c = nntp.Client{Spool: nntp.NewSpool(newSpool())}
	if _, err := c.Do(ctx, &access.Request{URL: url.MustParse("news:*")}); !errors.Is(err, context.Canceled) {
		t.Errorf("Open with a context that is done = %v, want context.Canceled", err)
	}
}

// BenchmarkSpool measures the second lookup of an article.
func BenchmarkSpool(b *testing.B) {
	files := fstest.MapFS{}
	for i := range 2000 {
		id := fmt.Sprintf("%d@h", i)
		files[fmt.Sprintf("misc/test/%d", i)] = &fstest.MapFile{Data: []byte(spoolArticle(id, "misc.test", "7")), ModTime: time.Unix(1, 0)}
	}
	c := nntp.Client{Spool: nntp.NewSpool(files)}
	req := &access.Request{URL: url.MustParse("news:1999@h")}
	b.ReportAllocs()
	for b.Loop() {
		r, err := c.Do(b.Context(), req)
		if err != nil {
			b.Fatal(err)
		}
		io.Copy(io.Discard, r.Body)
		r.Body.Close()
	}
}

// A walkCounter counts the listings of its root.
type walkCounter struct {
	fs.FS
	walks int
}

func (c *walkCounter) ReadDir(name string) ([]fs.DirEntry, error) {
	if name == "." {
		c.walks++
	}
	return fs.ReadDir(c.FS, name)
}

// The spool is read once to find out that it does not have an article.
func TestSpoolReadOnceForNothing(t *testing.T) {
	files := &walkCounter{FS: fstest.MapFS{"misc/test/1": {Data: []byte("Message-ID: <a@h>\n\n")}}}
	c := nntp.Client{Spool: nntp.NewSpool(files)}
	_, err := c.Do(t.Context(), &access.Request{URL: url.MustParse("news:b@h")})
	if !errors.Is(err, fs.ErrNotExist) || files.walks != 1 {
		t.Errorf("Open = %v after reading the spool %d times, want fs.ErrNotExist after 1", err, files.walks)
	}
}

// The numbers of articles need not have the order of their dates.
func TestSpoolNumbers(t *testing.T) {
	for _, test := range []struct {
		days map[string]string // by number
		want nntp.Group
	}{
		{map[string]string{"5": "5", "9": "9"}, nntp.Group{Name: "misc.test", Low: 5, High: 9}},
		{map[string]string{"1": "9", "5": "8", "9": "7"}, nntp.Group{Name: "misc.test", Low: 1, High: 9}},
		{map[string]string{"saved": "9"}, nntp.Group{Name: "misc.test", Low: 1}},
	} {
		files := fstest.MapFS{}
		for number, day := range test.days {
			files["misc/test/"+number] = &fstest.MapFile{Data: []byte(spoolArticle(number+"@h", "misc.test", day))}
		}
		c := nntp.Client{Spool: nntp.NewSpool(files)}
		r, err := c.Do(t.Context(), &access.Request{Op: access.Stat, URL: url.MustParse("news:misc.test")})
		if err != nil {
			t.Errorf("Stat of a group with the articles %v: %v", test.days, err)
			continue
		}
		if r.Sys != test.want {
			t.Errorf("Stat of a group with the articles %v finds %+v, want %+v", test.days, r.Sys, test.want)
		}
	}
}
