package checkfiles

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"locus/access"
	"locus/access/engine"
	"locus/check"
	"locus/check/report"
	"locus/scheme"
	"locus/url"
)

// local opens files of the system.
var local = access.GetFunc(func(_ context.Context, req *access.Request) (*access.Resource, error) {
	view, err := scheme.ParseFile(req.URL)
	if err != nil {
		return nil, engine.Unsupported(req)
	}
	name, err := view.LocalPath(runtime.GOOS)
	if err != nil {
		return nil, engine.Fail("open", req.URL, err)
	}
	f, err := os.Open(name)
	if err != nil {
		return nil, engine.Fail("open", req.URL, err)
	}
	return &access.Resource{Entry: access.Entry{URL: req.URL, Type: "text/html", Size: -1}, Body: f}, nil
})

// verdicts checks the links of a page that it writes beside other files. It returns the verdict of
// each link by its text.
func verdicts(t *testing.T, dir, page string, base url.URL, o SiteOptions, links []string) map[string]string {
	t.Helper()
	var text strings.Builder
	for _, link := range links {
		fmt.Fprintf(&text, "<a href=\"%s\">x</a>\n", link)
	}
	name := filepath.Join(dir, filepath.FromSlash(page))
	if err := os.WriteFile(name, []byte(text.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	r, q := newReader(dir), report.NewQueue(nil)
	r.Base = base
	engine, sites, err := r.AddSites(local, o)
	if err == nil {
		err = r.File(t.Context(), q, name)
	}
	if err == nil {
		err = (&check.Checker{Engine: engine, Sites: sites, Pages: &r.Pages}).Run(t.Context(), q)
	}
	if err != nil {
		t.Fatal(err)
	}
	report, err := q.Report(t.Context(), check.ReportOptions{All: true})
	if err != nil {
		t.Fatal(err)
	}
	defer report.Close()
	got := map[string]string{}
	for f := range report.Findings {
		for _, place := range f.Places {
			got[links[place.Line-1]] = f.Status.String()
		}
	}
	return got
}

// Links of a site lead to the files that a host serves for their URLs, and to no other files.
func TestServed(t *testing.T) {
	t.Parallel()
	dir := write(t, map[string]string{
		"site/a.html": `<p id="there">`, "site/b/index.html": "", "site/c.txt": "", "site/d/x.html": "", "site/a b.html": "", "site/ü.html": "",
		"site/p%q.html": "", "site/plus+.html": "", "site/hash#.html": "", "site/e.html": "", "site/e/index.html": "", "site/.dot": "", "outside.html": "",
		"site/_redirects": "/old /a 301\n/splat/* /b/:splat 302\n/gone /none 301\n/r404 /a 404\n/proxied /a 200\n/loop1 /loop2\n/loop2 /loop1\n" +
			"/a /none 301\n/forced /b 301!\n/c.txt /none 301!\n",
	})
	for name, target := range map[string]string{"link.html": "a.html", "linked": "b", "broken.html": "none.html", "loop.html": "loop.html"} {
		if err := os.Symlink(target, filepath.Join(dir, "site", name)); err != nil {
			t.Skip("this system cannot make symbolic links: ", err)
		}
	}
	hasVerdicts(t, dir, "site/index.html", url.URL{}, SiteOptions{Folders: []string{filepath.Join(dir, "site")}}, map[string]string{
		"good": "/a /a.html a ./a /a/ /b /b/ /b/index /b/index.html /d/x /d/x/ /e /e/ / . ./ /?q /a?x=1 /a?x#there " +
			"/%61 /a%2Ehtml /a%20b /a%20b.html /ü /%C3%BC /p%25q /plus+ /plus%2B /hash%23 /.dot " +
			"../a ../../a /../a /b/../a /b/./../a //site.invalid/a " +
			"/b// //site.invalid//b /d//x /link /link.html /linked /linked/ " +
			"/old /splat/ /splat/index /proxied /forced",
		"dead": "/A /%41 /a.HTML /B/ /d /d/ /none /a.htm /c /a/index.html /a.html/x /c.txt/ /a%20 /a+b /u /%2e/%2e%2e/none " +
			"/..%2Foutside /..%2Foutside.html /..%2f..%2fetc%2fpasswd /x/..%2Fa /b%2F..%2Fa /a%00 /%5C..%5Coutside.html " +
			"/broken /broken.html /loop.html /linked/none /gone /r404 /splat/zz /loop1 /c.txt /a#none /a.html#none",
	})
}

// hasVerdicts checks links, which are the fields of the strings in want, against their verdicts.
func hasVerdicts(t *testing.T, dir, page string, base url.URL, o SiteOptions, want map[string]string) {
	t.Helper()
	var links []string
	for _, text := range want {
		links = append(links, strings.Fields(text)...)
	}
	got := verdicts(t, dir, page, base, o, links)
	for verdict, text := range want {
		for link := range strings.FieldsSeq(text) {
			if got[link] != verdict {
				t.Errorf("the verdict of the link %s is %q, want %q", link, got[link], verdict)
			}
		}
	}
}

// URLs below the address of a site are its files. Other URLs of the host are not files of the site.
func TestServedBelow(t *testing.T) {
	t.Parallel()
	files := map[string]string{"a.html": "", "b/index.html": "", "_redirects": "/docs/r /docs/a\n/s /b\n"}
	for base, want := range map[string]map[string]string{
		"https://www.example.com/docs/": {
			"good":      "a /docs/a https://www.example.com/docs/a //www.example.com/docs/b/ https://www.example.com/docs https://www.example.com/docs/?q",
			"dead":      "none /docs/none https://www.example.com/docs/none",
			"unchecked": "/a ../a https://www.example.com/a https://www.example.com/docsx http://www.example.com/docs/a https://www.example.com:8443/docs/a",
		},
		"https://www.example.com/": {
			"good": "a /a /b https://www.example.com/a https://www.example.com https://www.example.com?q", "dead": "/docs/a https://www.example.com/none",
			"unchecked": "https://example.com/a",
		},
	} {
		dir := write(t, files)
		hasVerdicts(t, dir, "index.html", url.MustParse(base), SiteOptions{Root: dir}, want)
	}
}

// Index and Extensions are the names of index pages and the extensions, in the order of preference.
func TestServedNames(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		o    SiteOptions
		want map[string]string
	}{
		{SiteOptions{}, map[string]string{"good": "/a /d/ /d", "dead": "/m /x /home/"}},
		{SiteOptions{Index: []string{"home.md"}}, map[string]string{"good": "/a /home/", "dead": "/d/ /d"}},
		{SiteOptions{Index: []string{"none", "home.md", "index.html"}}, map[string]string{"good": "/home/ /d"}},
		{SiteOptions{Extensions: []string{".md", ".xhtml"}}, map[string]string{"good": "/m /x", "dead": "/a"}},
		{SiteOptions{Extensions: []string{}}, map[string]string{"good": "/d/ /a.html", "dead": "/a /m"}},
		{SiteOptions{Index: []string{}}, map[string]string{"good": "/a", "dead": "/d/ /"}},
	} {
		dir := write(t, map[string]string{"a.html": "", "m.md": "", "x.xhtml": "", "d/index.html": "", "home/home.md": ""})
		test.o.Root = dir
		hasVerdicts(t, dir, "page.html", url.URL{}, test.o, test.want)
	}
}

// A file belongs to the site whose whole folder name its path begins with. Folders may have any
// name.
func TestNamesOfFolders(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"site", "a b", "ü", "50%", "a#b", "a;b", "..dots", "a?b", "a\nb"} {
		if runtime.GOOS == "windows" && strings.ContainsAny(name, "?\n") {
			continue
		}
		dir := write(t, map[string]string{name + "/index.html": "", name + "/a.html": "", name + "x/b.html": ""})
		o := SiteOptions{Folders: []string{filepath.Join(dir, name)}}
		hasVerdicts(t, dir, name+"/page.html", url.URL{}, o, map[string]string{"good": "/a a /", "dead": "/b ../" + "none"})
	}
}

// If ctx ends, Folder returns the cause. Empty files and files with arbitrary bytes are no error.
func TestFolderInterrupted(t *testing.T) {
	t.Parallel()
	all := map[string]string{"empty.html": "", "bytes.md": "\xff\xfe\xfd[x](http://h/)\r", "long.txt": strings.Repeat("x", 3*startSize) + " http://h/"}
	most := runtime.GOMAXPROCS(0) // each reader finishes the file that it reads
	for i := range 20 * maxBatch {
		all[fmt.Sprintf("%d.html", i)] = "<a href=http://h/>"
	}
	dir := write(t, all)
	ctx, cancel := context.WithCancelCause(t.Context())
	errStop := errors.New("stop")
	q := &seeded{then: func() error { cancel(errStop); return ctx.Err() }}
	r := newReader(dir)
	r.Report = func(err error) { t.Errorf("reported: %v", err) }
	if _, err := r.Folder(ctx, q, dir); !errors.Is(err, context.Canceled) && !errors.Is(err, errStop) {
		t.Errorf("Folder with a cancelled context = %v, want the cause", err)
	}
	if len(q.names) > most {
		t.Errorf("Folder read %d files after the end of its context, want at most %d", len(q.names), most)
	}
	if _, err := r.Folder(ctx, &seeded{then: func() error { return nil }}, dir); !errors.Is(err, errStop) {
		t.Errorf("Folder after the end = %v", err)
	}
	q = &seeded{then: func() error { return nil }}
	if isWhole, err := r.Folder(t.Context(), q, dir); !isWhole || err != nil || len(q.names) != len(all) {
		t.Errorf("Folder = %v, %v, with %d files, want %d", isWhole, err, len(q.names), len(all))
	}
}

// A folder that cannot be walked is reported once, and so is an entry that cannot be read.
func TestFolderThatIsNotThere(t *testing.T) {
	t.Parallel()
	dir := write(t, map[string]string{"a.html": "<a href=http://h/>"})
	if err := os.Symlink("nowhere", filepath.Join(dir, "b.html")); err != nil {
		t.Skip("this system cannot make symbolic links: ", err)
	}
	for folder, want := range map[string]string{filepath.Join(dir, "none"): "none", dir: "b.html"} {
		r := newReader(dir)
		var reported []error
		r.Report = func(err error) { reported = append(reported, err) }
		isWhole, err := r.Folder(t.Context(), &seeded{then: func() error { return nil }}, folder)
		if isWhole || err != nil || len(reported) != 1 || !errors.Is(reported[0], fs.ErrNotExist) || !strings.Contains(reported[0].Error(), want) {
			t.Errorf("Folder(%s) = %v, %v, reported %v", folder, isWhole, err, reported)
		}
	}
}
