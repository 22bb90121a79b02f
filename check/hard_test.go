package check_test

import (
	"bufio"
	"fmt"
	"html"
	"io"
	"net"
	"slices"
	"strings"
	"sync"
	"testing"

	"locus/check"
	"locus/check/report"
	"locus/extract/document"
	"locus/internal/weburl/hard"
	"locus/url"
)

// A rawServer answers requests without reading their targets as URLs, as net/http would.
type rawServer struct {
	address string
	mu      sync.Mutex
	targets []string // of all requests except those for robots.txt
}

// newRawServer starts a server. serve returns the header fields and the body for a target.
func newRawServer(t *testing.T, serve func(target string) (fields, body string)) *rawServer {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s := &rawServer{address: l.Addr().String()}
	var all sync.WaitGroup
	t.Cleanup(func() {
		l.Close()
		all.Wait()
	})
	all.Go(func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			all.Go(func() {
				defer conn.Close()
				s.serve(conn, serve)
			})
		}
	})
	return s
}

func (s *rawServer) serve(conn net.Conn, serve func(target string) (fields, body string)) {
	in := bufio.NewReader(conn)
	first, _ := in.ReadString('\n')
	for line := first; line != "\r\n"; {
		var err error
		if line, err = in.ReadString('\n'); err != nil {
			return
		}
	}
	method, target, _ := strings.Cut(strings.TrimSpace(first), " ")
	target = strings.TrimSuffix(target, " HTTP/1.1")
	if target != "/robots.txt" {
		s.mu.Lock()
		s.targets = append(s.targets, target)
		s.mu.Unlock()
	}
	fields, body := serve(target)
	status := "200 OK"
	if strings.Contains(fields, "Location:") {
		status = "302 Found"
	}
	fmt.Fprintf(conn, "HTTP/1.1 %s\r\nConnection: close\r\nContent-Length: %d\r\n%s\r\n", status, len(body), fields)
	if method != "HEAD" {
		_, _ = io.WriteString(conn, body)
	}
}

// want reports the targets of hard references that the server was not asked for.
func (s *rawServer) want(t *testing.T, edge string) {
	t.Helper()
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, ref := range hard.References() {
		if !slices.Contains(s.targets, ref.Target) {
			t.Errorf("%s: %q is not requested as %q", edge, ref.Text, ref.Target)
		}
	}
	for _, target := range s.targets {
		if strings.HasPrefix(target, "/start") || target == "/" || strings.HasSuffix(target, ".xml") {
			continue
		}
		if !slices.ContainsFunc(hard.References(), func(ref hard.Reference) bool { return ref.Target == target }) {
			t.Errorf("%s: the server is asked for %q", edge, target)
		}
	}
}

// hrefs returns a page with a link to each hard reference.
func hrefs(base string) string {
	var page strings.Builder
	for _, ref := range hard.References() {
		fmt.Fprintf(&page, "<a href=\"%s%s\">x</a>\n", base, html.EscapeString(ref.Text))
	}
	return page.String()
}

// empties answers every request with a page that has the anchor of the reference with two "#".
func empties(string) (fields, body string) { return "Content-Type: text/html\r\n", "<p id='c#d'>" }

// The hard references in documents reach the server as browsers send them. The links of a page are good, and the report
// has one finding for each.
func TestHardLinks(t *testing.T) {
	for _, test := range []struct {
		name string
		mode document.Mode
		page func(base string) string
	}{
		{"absolute hrefs", document.HTML, hrefs},
		{"relative hrefs", document.HTML, func(string) string { return hrefs("") }},
		{"sitemap", document.XML, func(base string) string {
			text := "<?xml version='1.0'?><urlset xmlns='http://www.sitemaps.org/schemas/sitemap/0.9'>"
			for _, ref := range hard.References() {
				text += "<url><loc>" + html.EscapeString(base+ref.Text) + "</loc></url>"
			}
			return text + "</urlset>"
		}},
		{"rss", document.XML, func(base string) string {
			text := "<?xml version='1.0'?><rss version='2.0'><channel>"
			for _, ref := range hard.References() {
				text += "<item><link>" + html.EscapeString(base+ref.Text) + "</link></item>"
			}
			return text + "</channel></rss>"
		}},
	} {
		s := newRawServer(t, empties)
		base := "http://" + s.address + "/"
		links, err := check.ReadLinks(strings.NewReader(test.page(base)), test.mode, url.MustParse(base))
		if err != nil {
			t.Fatalf("ReadLinks of the %s: %v", test.name, err)
		}
		q := report.NewQueue(nil)
		if err := check.Seed(t.Context(), q, check.Source{Document: "page", Links: links}); err != nil {
			t.Fatalf("Seed with the links of the %s: %v", test.name, err)
		}
		r := run(t, &check.Checker{Engine: opener(t)}, q)
		s.want(t, test.name)
		if n := len(hard.References()); len(links) != n || r.Counts[check.Good] < n-1 || r.Counts[check.Dead] > 0 {
			t.Errorf("%s: %d links, %s, want %d", test.name, len(links), r.Summary(), n)
		}
	}
}

// A crawl reads the hard references in a page, in sitemaps that robots.txt names, and in redirects.
func TestHardCrawl(t *testing.T) {
	refs := hard.References()
	for _, test := range []struct {
		name  string
		serve func(base, target string) (fields, body string)
	}{
		{"page", func(_, target string) (string, string) {
			if target == "/" {
				return "Content-Type: text/html\r\n", hrefs("")
			}
			return empties(target)
		}},
		{"sitemaps in robots.txt", func(base, target string) (string, string) {
			if target == "/robots.txt" {
				text := ""
				for _, ref := range refs {
					ref, _, _ := strings.Cut(ref.Text, "#") // a comment follows it
					text += "Sitemap: " + base + ref + "\n"
				}
				return "Content-Type: text/plain\r\n", text
			}
			return empties(target)
		}},
		{"redirects", func(_, target string) (string, string) {
			if target == "/" {
				text := ""
				for i := range refs {
					text += fmt.Sprintf("<a href=start%d>", i)
				}
				return "Content-Type: text/html\r\n", text
			}
			var i int
			if _, err := fmt.Sscanf(target, "/start%d", &i); err == nil {
				return "Location: /" + refs[i].Text + "\r\n", ""
			}
			return empties(target)
		}},
		{"Refresh header", func(_, target string) (string, string) {
			if target == "/" {
				text := ""
				for i := range refs {
					text += fmt.Sprintf("<a href=start%d>", i)
				}
				return "Content-Type: text/html\r\n", text
			}
			var i int
			if _, err := fmt.Sscanf(target, "/start%d", &i); err == nil {
				return "Content-Type: text/html\r\nRefresh: 0; url=/" + refs[i].Text + "\r\n", ""
			}
			return empties(target)
		}},
	} {
		base := ""
		s := newRawServer(t, func(target string) (string, string) { return test.serve(base, target) })
		base = "http://" + s.address + "/"
		q := report.NewQueue(nil)
		if err := check.Start(t.Context(), q, url.MustParse(base)); err != nil {
			t.Fatalf("Start at a %s: %v", test.name, err)
		}
		r := run(t, &check.Checker{Engine: opener(t), Policy: check.Policy{Recursive: true, Scope: []string{base}}}, q)
		s.want(t, test.name)
		if r.Counts[check.Dead] > 0 || r.Counts[check.Unchecked] > 0 {
			t.Errorf("%s: %s", test.name, tell(r, base))
		}
	}
}

// The parts and the shards of a host are found for hard URLs, too.
func TestHardSharding(t *testing.T) {
	p := check.Policy{Split: []string{"h.test"}}
	seen := map[int]bool{}
	for _, ref := range hard.References() {
		seen[p.Sharding(64).Of("http://h.test/"+ref.Text)] = true
	}
	if len(seen) < 4 {
		t.Errorf("the hard URLs of a host with 8 parts are in %d shards", len(seen))
	}
}

// A page with a Refresh header leads to another page, as a page with a meta element does. Only the other page has the
// anchor.
func TestRefreshHeader(t *testing.T) {
	s := newRawServer(t, func(target string) (string, string) {
		switch target {
		case "/old":
			return "Content-Type: text/html\r\nRefresh: 3;URL='new'\r\n", "<p id=o>old"
		case "/late":
			return "Content-Type: text/html\r\nRefresh: 60; url=new\r\n", "<p id=o>late"
		case "/self":
			return "Content-Type: text/html\r\nRefresh: 5\r\n", "<p id=o>self"
		}
		return "Content-Type: text/html\r\n", "<p id=n>new"
	})
	base := "http://" + s.address
	for link, want := range map[string]string{"/old#n": "good", "/old#o": "dead", "/late#o": "good", "/self#o": "good"} {
		if got := one(t, &check.Checker{Engine: opener(t)}, base+link); !strings.HasPrefix(got, want+" ") {
			t.Errorf("the link %s is %q, want %s", link, got, want)
		}
	}
}
