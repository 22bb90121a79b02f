package gateway_test

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"locus/access"
	"locus/gateway"
	"locus/url"
)

// folder returns a directory of n files in mixed order. File i is called f000i, and has size i and
// the date of day i.
func folder(n int) []access.Entry {
	entries := make([]access.Entry, 0, n)
	for k := range n {
		i := (k * 7919) % n // a prime: every i once
		name := fmt.Sprintf("f%04d", i)
		entries = append(entries, access.Entry{
			Title: name, URL: url.MustParse("ftp://h/d/" + name), Kind: access.Object, Type: "text/plain", Size: int64(i),
			ModTime: time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC).AddDate(0, 0, i),
		})
	}
	return entries
}

func listAt(g *gateway.Gateway, t *testing.T, path string) string {
	t.Helper()
	_, body, err := serve(t, g)("GET", path)
	if err != nil {
		t.Fatalf("GET %s: %v", path, err)
	}
	return body
}

// titlesOf returns the names in the table of a page.
func titlesOf(body string) []string {
	var titles []string
	for row := range strings.SplitSeq(body, `<td class="name">`) {
		_, after, _ := strings.Cut(row, ">")
		title, _, ok := strings.Cut(after, "</a></td>")
		if ok {
			titles = append(titles, title)
		}
	}
	return titles
}

// A page sorts the whole listing, even a long one. The first click on size or date shows the largest
// or newest files.
func TestListingSortsTheWhole(t *testing.T) {
	const n = 12_007 // a prime
	g := &gateway.Gateway{Engine: resources{"ftp://h/d/": menu(io.EOF, folder(n)...)}}
	for _, test := range []struct{ query, first, last string }{
		{"sort=-size", "f12006", "f11007"},
		{"sort=size", "f0000", "f0999"},
		{"sort=-date", "f12006", "f11007"},
		{"sort=name&from=1000", "f10899", "f11798"}, // f0000, f0001, f0002 … f1000, f10000, f10001
		{"sort=size&from=12000", "f12000", "f12006"},
	} {
		body := listAt(g, t, "/-/list?"+test.query+"&url=ftp://h/d/")
		titles := titlesOf(body)
		if len(titles) == 0 || test.query != "sort=name&from=1000" && (titles[0] != test.first || titles[len(titles)-1] != test.last) {
			t.Errorf("%s: %d rows, %q to %q, want %q to %q", test.query, len(titles), titles[:1], titles[max(len(titles)-1, 0):], test.first, test.last)
		}
	}
	body := listAt(g, t, "/ftp://h/d/")
	if !hasInOrder(body, `sort=-size&amp;url=`, `sort=-date&amp;url=`) {
		t.Errorf("the headings do not lead to the largest and the newest:\n%.3000s", body)
	}
}

// Every entry of a long listing is on exactly one of its pages.
func TestListingPages(t *testing.T) {
	for _, path := range []string{"/ftp://h/d/", "/-/list?sort=-size&url=ftp://h/d/", "/-/list?filter=f&url=ftp://h/d/"} {
		const n = 2503
		get := serve(t, &gateway.Gateway{Engine: resources{"ftp://h/d/": menu(io.EOF, folder(n)...)}})
		seen, pages := map[string]bool{}, 0
		for next := path; next != ""; pages++ {
			_, body, err := get("GET", next)
			if err != nil {
				t.Fatalf("GET %s: %v", next, err)
			}
			for _, title := range titlesOf(body) {
				if seen[title] {
					t.Errorf("%s: %s is there twice", path, title)
				}
				seen[title] = true
			}
			before, _, has := strings.Cut(body, `" rel="next">Next page`)
			next = ""
			if has {
				next = strings.ReplaceAll(before[strings.LastIndexByte(before, '"')+1:], "&amp;", "&")
			}
			if has != (pages < 2) || strings.Contains(body, ">Previous page") != (pages > 0) {
				t.Errorf("%s, page %d: a next one: %v", path, pages, has)
			}
		}
		if len(seen) != n || pages != 3 {
			t.Errorf("%s: %d entries on %d pages, want %d on 3", path, len(seen), pages, n)
		}
	}
}

func TestListingChoices(t *testing.T) {
	dir := access.Entry{Title: "Zoo", URL: url.MustParse("ftp://h/d/Zoo/"), Kind: access.Directory, Size: -1}
	odd := access.Entry{Title: "?? a line", Kind: access.Info, Size: -1}
	picture := access.Entry{Title: `"><script>.png`, URL: url.MustParse("ftp://h/d/%22%3E%3Cscript%3E.png"), Kind: access.Object, Type: "image/png", Size: 10}
	undated := access.Entry{Title: "undated", URL: url.MustParse("ftp://h/d/undated"), Kind: access.Object, Size: 5}
	few := append([]access.Entry{picture, undated, dir, odd}, folder(7)...)
	g := &gateway.Gateway{Engine: resources{"ftp://h/d/": menu(io.EOF, few...), "ftp://h/e/": menu(io.EOF), "gopher://h/1": menu(io.EOF, entry(access.Object, "one", "gopher://h/0one"))}}
	for _, test := range []struct {
		path string
		want []string
		not  string
	}{
		{"/ftp://h/d/", []string{"10 items: 1 folder, 9 files, 36 bytes", `<table class="listing"`, `>undated</a>`, "?? a line"}, "<img"},
		{"/ftp://h/d/", []string{`<a href="/-/archive?format=zip&amp;url=ftp%3A%2F%2Fh%2Fd%2F">zip</a>`, "format=tar"}, "<script>.png"},
		{"/ftp://h/d/", []string{`aria-label="Download &#34;&gt;&lt;script&gt;.png">`}, ""},
		{"/ftp://h/d/", []string{`href="/-/download?url=ftp%3A%2F%2Fh%2Fd%2Fundated"`}, ""},
		{"/ftp://h/d/", []string{`<input id="filter" name="filter" type="search"`, `data-whole`}, ""},
		{"/-/list?folders=first&url=ftp://h/d/", []string{`aria-current="true">Folders first`, ">Zoo<", ">undated<"}, ""},
		{"/-/list?filter=Do%20un&url=ftp://h/d/", nil, ">undated<"},
		{"/-/list?filter=UND%20ted&url=ftp://h/d/", []string{">Show all</a>", "1 file, 5 bytes with “UND ted” in the name", ">undated<"}, "data-whole"},
		{"/-/list?filter=%3Cscript%3E&url=ftp://h/d/", []string{`value="&lt;script&gt;"`, "“&lt;script&gt;”"}, "<script>.png"},
		{"/-/list?filter=zzz&url=ftp://h/d/", []string{"0 items with “zzz” in the name"}, "<table"},
		{"/-/list?view=grid&url=ftp://h/d/", []string{`<ul class="grid"`, `<img src="/ftp://h/d/%22%3E%3Cscript%3E.png" alt="" loading="lazy">`}, "<table"},
		{"/-/list?sort=nothing&url=ftp://h/d/", []string{"does not have this page"}, "<table"},
		{"/-/list?from=-1&url=ftp://h/d/", []string{"does not have this page"}, "<table"},
		{"/ftp://h/e/", []string{"0 items"}, "filter"},
		{"/gopher://h/1", []string{"1 file", ">one</a>"}, "format=zip"},
	} {
		body := listAt(g, t, test.path)
		if !hasInOrder(body, test.want...) || test.not != "" && strings.Contains(body, test.not) {
			t.Errorf("GET %s: want %q and not %q in\n%s", test.path, test.want, test.not, body)
		}
	}
}

// A grid embeds a limited number of pictures, and leaves very large pictures out.
func TestListingPictures(t *testing.T) {
	var entries []access.Entry
	for i := range 100 {
		entries = append(entries, access.Entry{Title: "p", URL: url.MustParse(fmt.Sprint("ftp://h/d/", i)), Kind: access.Object, Type: "image/png", Size: int64(i%2) * 100 << 20})
	}
	body := listAt(&gateway.Gateway{Engine: resources{"ftp://h/d/": menu(io.EOF, entries...)}}, t, "/-/list?view=grid&url=ftp://h/d/")
	if n := strings.Count(body, "<img "); n != 48 {
		t.Errorf("%d pictures, want 48", n)
	}
	if !hasInOrder(body, `src="/ftp://h/d/0"`, `src="/ftp://h/d/2"`) || strings.Contains(body, `src="/ftp://h/d/1"`) {
		t.Error("a picture of 100 MB is embedded, or a small one is not")
	}
}

// The page of a folder shows the readme of the folder as text. If the readme cannot be read, the page
// says so and is complete.
func TestListingReadme(t *testing.T) {
	// attack: A name, README, text or picture contains scripts, also as SVG
	file := func(name string) access.Entry {
		return access.Entry{Title: name, URL: url.MustParse("ftp://h/d/" + name), Kind: access.Object, Size: 1}
	}
	long := strings.Repeat("0123456789\n", 10_000)
	for _, test := range []struct {
		name   string
		files  []access.Entry
		engine resources
		want   []string
		not    string
	}{
		{"a text", []access.Entry{file("README.txt")}, resources{"ftp://h/d/README.txt": content("text/plain", "<script>x</script> see ftp://h/y")}, []string{`id="readme"`, "&lt;script&gt;x", `<a href="/ftp://h/y">`}, "<script>x"},
		{"HTML", []access.Entry{file("README")}, resources{"ftp://h/d/README": content("text/html", "<img src=x onerror=y>")}, []string{"&lt;img src=x"}, "<img"},
		{".message", []access.Entry{file("README"), file(".message")}, resources{"ftp://h/d/.message": content("", "welcome")}, []string{".message</a>", "welcome"}, ""},
		{"none", []access.Entry{file("other")}, resources{}, nil, `id="readme"`},
		{"one that is gone", []access.Entry{file("ReadMe")}, resources{}, []string{"This file could not be read", "</html>"}, ""},
		{"one that breaks off", []access.Entry{file("README")}, resources{"ftp://h/d/README": cut("half")}, []string{"This file could not be read", "</html>"}, ""},
		{"one elsewhere", []access.Entry{at("README", "ftp://127.0.0.1:2003/README")}, resources{"ftp://127.0.0.1:2003/README": content("", "inner")}, nil, `id="readme"`},
		{"a long one", []access.Entry{file("README")}, resources{"ftp://h/d/README": content("text/plain", long)}, []string{"Read the rest</a>"}, ""},
		{"in Latin-1", []access.Entry{file("README")}, resources{"ftp://h/d/README": content("", "caf\xe9")}, []string{"café"}, ""},
	} {
		test.engine["ftp://h/d/"] = menu(io.EOF, test.files...)
		body := listAt(&gateway.Gateway{Engine: test.engine}, t, "/ftp://h/d/")
		if !hasInOrder(body, test.want...) || test.not != "" && strings.Contains(body, test.not) || len(body) > 50_000 {
			t.Errorf("%s: want %q and not %q in\n%.3000s", test.name, test.want, test.not, body)
		}
	}
}

// The page of an ordinary listing has less than 30 KB.
func TestListingIsSmall(t *testing.T) {
	body := listAt(&gateway.Gateway{Engine: resources{"ftp://h/d/": menu(io.EOF, folder(67)...)}}, t, "/ftp://h/d/")
	if len(body) > 30_000 {
		t.Errorf("67 files are a page of %d bytes", len(body))
	}
}

// Pages use a compression that the client accepts, and break off as uncompressed pages do.
func TestListingCompressed(t *testing.T) {
	get := serve(t, &gateway.Gateway{Engine: resources{
		"ftp://h/d/":  menu(io.EOF, folder(1000)...),
		"ftp://h/cut": menu(io.ErrUnexpectedEOF, folder(3)...),
		"x:text":      content("text/plain", strings.Repeat("x", 5000)),
	}})
	for _, test := range []struct{ accept, want string }{
		{"gzip", "gzip"}, {"zstd, gzip", "zstd"}, {"zstd;q=0.5, gzip;q=1.0", "gzip"}, {"gzip;q=0", ""}, {"identity", ""}, {"br", ""}, {"gzip;q=x", ""},
	} {
		for _, path := range []string{"/ftp://h/d/", "/-/list?sort=size&url=ftp://h/d/"} {
			resp, body, err := get("GET", path, "Accept-Encoding: "+test.accept)
			if got := resp.Header.Get("Content-Encoding"); err != nil || got != test.want || test.want != "" && len(body) > 40_000 || !strings.Contains(strings.Join(resp.Header.Values("Vary"), ","), "Accept-Encoding") {
				t.Errorf("%s, %s: %q, %d bytes, %v, want %q", test.accept, path, got, len(body), err, test.want)
			}
		}
		if resp, body, err := get("GET", "/ftp://h/cut", "Accept-Encoding: "+test.accept); err == nil {
			t.Errorf("%s: a listing that breaks off = %d, %d bytes without an error", test.accept, resp.StatusCode, len(body))
		}
		if resp, _, _ := get("GET", "/x:text", "Accept-Encoding: "+test.accept); resp.Header.Get("Content-Encoding") != "" {
			t.Errorf("%s: the bytes of a resource are compressed", test.accept)
		}
	}
}

// If a listing fails after the compression was chosen, the error page is readable for the browser.
func TestListingCompressedError(t *testing.T) {
	get := serve(t, &gateway.Gateway{Engine: resources{"x:y": menu(errors.New("none"))}})
	resp, body, err := get("GET", "/x:y", "Accept: application/json", "Accept-Encoding: identity")
	if err != nil || resp.StatusCode != http.StatusBadGateway || resp.Header.Get("Content-Encoding") != "" || !strings.Contains(body, "</html>") {
		t.Errorf("= %d, %v, %q", resp.StatusCode, err, body)
	}
}

// A sorted page has the same entries in the same order as the sorted listing, for all orders of the
// entries, with and without letters beyond ASCII.
func TestSortedPages(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	names := []string{"a", "A", "b", "ä", "Ä", "K", "\u212a", "zz", "Zz", "z", "", "é", "É"}
	var entries []access.Entry
	for i := range 400 {
		title := names[random.IntN(len(names))] + names[random.IntN(len(names))]
		entries = append(entries, access.Entry{Title: title, URL: url.MustParse(fmt.Sprintf("ftp://h/d/%d", i)), Kind: access.Object, Size: int64(random.IntN(5))})
	}
	lower := func(a, b access.Entry) int {
		return cmp.Or(cmp.Compare(strings.ToLower(a.Title), strings.ToLower(b.Title)), cmp.Compare(a.Title, b.Title))
	}
	for order, compare := range map[string]func(a, b access.Entry) int{
		"name":  lower,
		"-name": func(a, b access.Entry) int { return lower(b, a) },
		"-size": func(a, b access.Entry) int { return cmp.Compare(b.Size, a.Size) },
	} {
		want := slices.Clone(entries)
		slices.SortStableFunc(want, compare)
		for _, from := range []int{0, 7, 93, 390} {
			g := &gateway.Gateway{MaxEntries: 10, Engine: resources{"ftp://h/d/": menu(io.EOF, entries...)}}
			_, body, err := serve(t, g)("GET", fmt.Sprintf("/-/list?sort=%s&from=%d&url=ftp://h/d/", order, from))
			if err != nil {
				t.Fatalf("GET of the entries from %d, sorted by %s: %v", from, order, err)
			}
			at := 0
			for _, e := range want[from : from+10] {
				link := fmt.Sprintf(`href="/%s"`, e.URL)
				i := strings.Index(body[at:], link)
				if i < 0 {
					t.Fatalf("sort=%s&from=%d: %s (%q) is not there, or not in order", order, from, e.URL, e.Title)
				}
				at += i
			}
			if n := strings.Count(body, `<tr class="object"`); n != 10 && strings.Count(body, `<td class="name">`) != 10 {
				t.Errorf("sort=%s&from=%d: the page has %d rows", order, from, n)
			}
		}
	}
}

// The rows of a folder are sent before its README has come.
func TestListingBeforeReadme(t *testing.T) {
	for _, encoding := range []string{"identity", "gzip", "zstd"} {
		t.Run(encoding, func(t *testing.T) {
			hasRows := make(chan struct{})
			ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
			defer cancel()
			entry := access.Entry{Title: "README", URL: url.MustParse("ftp://h/d/README"), Kind: access.Object, Size: 7}
			server := httptest.NewServer(&gateway.Gateway{Engine: resources{
				"ftp://h/d/": menu(io.EOF, entry),
				"ftp://h/d/README": func(req *access.Request) (*access.Resource, error) {
					select {
					case <-hasRows:
					case <-ctx.Done():
					}
					return content("text/plain", "welcome")(req)
				},
			}})
			defer server.Close()
			req, err := http.NewRequestWithContext(ctx, http.MethodGet, server.URL, http.NoBody)
			if err != nil {
				t.Fatal(err)
			}
			req.URL.Opaque = "/ftp://h/d/"
			req.Header.Set("Accept-Encoding", encoding)
			resp, err := http.DefaultTransport.RoundTrip(req)
			if err != nil {
				t.Fatalf("GET: %v", err)
			}
			defer resp.Body.Close()
			if _, err := io.ReadFull(resp.Body, make([]byte, 500)); err != nil {
				t.Fatalf("the beginning: %v", err)
			}
			close(hasRows)
			if _, err := io.Copy(io.Discard, resp.Body); err != nil {
				t.Errorf("the rest: %v", err)
			}
		})
	}
}
