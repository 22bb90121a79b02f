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

// folder returns a directory of n files, which are called f0000 and on. File i has a size
// of i and is of day i, but their order is mixed.
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

// A listing is sorted as a whole, however long it is. The first click on size and date
// shows the largest and the newest.
func TestListingSortsTheWhole(t *testing.T) {
	const n = 12_007 // a prime
	g := &gateway.Gateway{Engine: resources{"ftp://h/d/": menu(io.EOF, folder(n)...)}}
	for _, tt := range []struct{ query, first, last string }{
		{"sort=-size", "f12006", "f11007"},
		{"sort=size", "f0000", "f0999"},
		{"sort=-date", "f12006", "f11007"},
		{"sort=name&from=1000", "f10899", "f11798"}, // f0000, f0001, f0002 … f1000, f10000, f10001
		{"sort=size&from=12000", "f12000", "f12006"},
	} {
		body := listAt(g, t, "/-/list?"+tt.query+"&url=ftp://h/d/")
		titles := titlesOf(body)
		if len(titles) == 0 || tt.query != "sort=name&from=1000" && (titles[0] != tt.first || titles[len(titles)-1] != tt.last) {
			t.Errorf("%s: %d rows, %q to %q, want %q to %q", tt.query, len(titles), titles[:1], titles[max(len(titles)-1, 0):], tt.first, tt.last)
		}
	}
	body := listAt(g, t, "/ftp://h/d/")
	if !hasInOrder(body, `sort=-size&amp;url=`, `sort=-date&amp;url=`) {
		t.Errorf("the headings do not lead to the largest and the newest:\n%.3000s", body)
	}
}

// Every entry of a long listing is on one of its pages, once.
func TestListingPages(t *testing.T) {
	for _, path := range []string{"/ftp://h/d/", "/-/list?sort=-size&url=ftp://h/d/", "/-/list?filter=f&url=ftp://h/d/"} {
		const n = 2503
		get := serve(t, &gateway.Gateway{Engine: resources{"ftp://h/d/": menu(io.EOF, folder(n)...)}})
		seen, pages := map[string]bool{}, 0
		for next := path; next != ""; pages++ {
			_, body, err := get("GET", next)
			if err != nil {
				t.Fatal(err)
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
	for _, tt := range []struct {
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
		{"/-/list?sort=nothing&url=ftp://h/d/", []string{"no such page"}, "<table"},
		{"/-/list?from=-1&url=ftp://h/d/", []string{"no such page"}, "<table"},
		{"/ftp://h/e/", []string{"0 items"}, "filter"},
		{"/gopher://h/1", []string{"1 file", ">one</a>"}, "format=zip"},
	} {
		body := listAt(g, t, tt.path)
		if !hasInOrder(body, tt.want...) || tt.not != "" && strings.Contains(body, tt.not) {
			t.Errorf("GET %s: want %q and not %q in\n%s", tt.path, tt.want, tt.not, body)
		}
	}
}

// A grid embeds a bounded number of pictures, none of which is very large.
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

// The page of a folder shows the text for its readers, without markup. If that cannot be
// read, the page says so and is whole.
func TestListingReadme(t *testing.T) {
	// attack: A name, README, text or picture contains scripts, also as SVG
	file := func(name string) access.Entry {
		return access.Entry{Title: name, URL: url.MustParse("ftp://h/d/" + name), Kind: access.Object, Size: 1}
	}
	long := strings.Repeat("0123456789\n", 10_000)
	for _, tt := range []struct {
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
		{"one that is gone", []access.Entry{file("ReadMe")}, resources{}, []string{"It could not be read", "</html>"}, ""},
		{"one that breaks off", []access.Entry{file("README")}, resources{"ftp://h/d/README": cut("half")}, []string{"It could not be read", "</html>"}, ""},
		{"one elsewhere", []access.Entry{at("README", "ftp://127.0.0.1:2003/README")}, resources{"ftp://127.0.0.1:2003/README": content("", "inner")}, nil, `id="readme"`},
		{"a long one", []access.Entry{file("README")}, resources{"ftp://h/d/README": content("text/plain", long)}, []string{"Read the rest</a>"}, ""},
		{"in Latin-1", []access.Entry{file("README")}, resources{"ftp://h/d/README": content("", "caf\xe9")}, []string{"café"}, ""},
	} {
		tt.engine["ftp://h/d/"] = menu(io.EOF, tt.files...)
		body := listAt(&gateway.Gateway{Engine: tt.engine}, t, "/ftp://h/d/")
		if !hasInOrder(body, tt.want...) || tt.not != "" && strings.Contains(body, tt.not) || len(body) > 50_000 {
			t.Errorf("%s: want %q and not %q in\n%.3000s", tt.name, tt.want, tt.not, body)
		}
	}
}

// An ordinary listing is a page of less than 30 KB.
func TestListingIsSmall(t *testing.T) {
	body := listAt(&gateway.Gateway{Engine: resources{"ftp://h/d/": menu(io.EOF, folder(67)...)}}, t, "/ftp://h/d/")
	if len(body) > 30_000 {
		t.Errorf("67 files are a page of %d bytes", len(body))
	}
}

// Pages are compressed as the client accepts, and break off like others.
func TestListingCompressed(t *testing.T) {
	get := serve(t, &gateway.Gateway{Engine: resources{
		"ftp://h/d/":  menu(io.EOF, folder(1000)...),
		"ftp://h/cut": menu(io.ErrUnexpectedEOF, folder(3)...),
		"x:text":      content("text/plain", strings.Repeat("x", 5000)),
	}})
	for _, tt := range []struct{ accept, want string }{
		{"gzip", "gzip"}, {"zstd, gzip", "zstd"}, {"zstd;q=0.5, gzip;q=1.0", "gzip"}, {"gzip;q=0", ""}, {"identity", ""}, {"br", ""}, {"gzip;q=x", ""},
	} {
		for _, path := range []string{"/ftp://h/d/", "/-/list?sort=size&url=ftp://h/d/"} {
			resp, body, err := get("GET", path, "Accept-Encoding: "+tt.accept)
			if got := resp.Header.Get("Content-Encoding"); err != nil || got != tt.want || tt.want != "" && len(body) > 40_000 || !strings.Contains(strings.Join(resp.Header.Values("Vary"), ","), "Accept-Encoding") {
				t.Errorf("%s, %s: %q, %d bytes, %v, want %q", tt.accept, path, got, len(body), err, tt.want)
			}
		}
		if resp, body, err := get("GET", "/ftp://h/cut", "Accept-Encoding: "+tt.accept); err == nil {
			t.Errorf("%s: a listing that breaks off = %d, %d bytes without an error", tt.accept, resp.StatusCode, len(body))
		}
		if resp, _, _ := get("GET", "/x:text", "Accept-Encoding: "+tt.accept); resp.Header.Get("Content-Encoding") != "" {
			t.Errorf("%s: the bytes of a resource are compressed", tt.accept)
		}
	}
}

// An error after compression was chosen is a page that the browser can read.
func TestListingCompressedError(t *testing.T) {
	get := serve(t, &gateway.Gateway{Engine: resources{"x:y": menu(errors.New("none"))}})
	resp, body, err := get("GET", "/x:y", "Accept: application/json", "Accept-Encoding: identity")
	if err != nil || resp.StatusCode != http.StatusBadGateway || resp.Header.Get("Content-Encoding") != "" || !strings.Contains(body, "</html>") {
		t.Errorf("= %d, %v, %q", resp.StatusCode, err, body)
	}
}

// A page that is sorted has the same entries in the same order as the whole listing sorted,
// however its entries are mixed, with or without letters beyond ASCII.
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
				t.Fatal(err)
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
