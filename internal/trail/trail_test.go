package trail_test

import (
	"strings"
	"testing"

	"locus/internal/trail"
	"locus/url"
)

func TestOf(t *testing.T) {
	for _, test := range []struct {
		url, want string // the steps, each "title url"
	}{
		{"ftp://h:2121/pub/a%2Fb/x.txt;type=i", "ftp://h:2121 ftp://h:2121/|pub ftp://h:2121/pub/|a/b ftp://h:2121/pub/a%2Fb/|x.txt;type=i ftp://h:2121/pub/a%2Fb/x.txt;type=i"},
		{"ftp://h/pub/", "ftp://h ftp://h/|pub ftp://h/pub/"},
		{"ftp://u@h", "ftp://h ftp://u@h/"},
		{"http://h/a//b?q#f", "http://h http://h/|a http://h/a/|b http://h/a//b?q#f"},
		{"file:///texts/x", "file:// file:///|texts file:///texts/|x file:///texts/x"},
		{"gopher://h:7070/0/docs/a/x.txt", "gopher://h:7070 gopher://h:7070/|docs gopher://h:7070/1/docs|a gopher://h:7070/1/docs/a|x.txt gopher://h:7070/0/docs/a/x.txt"},
		{"gopher://h/1docs/a/", "gopher://h gopher://h/|docs gopher://h/1docs|a gopher://h/1docs/a/"},
		{"gopher://h/7/find%09old%20maps", "gopher://h gopher://h/|find gopher://h/7/find|old maps gopher://h/7/find%09old%20maps"},
		{"gopher://h/hURL:http://x/y", "gopher://h gopher://h/|URL:http://x/y gopher://h/hURL:http://x/y"},
		{"gopher://h/1", "gopher://h gopher://h/"},
		{"gopher://h", "gopher://h gopher://h/"},
		{"news:misc.test", "All newsgroups news:*|misc.test news:misc.test"},
		{"news:1@h", "All newsgroups news:*|1@h news:1@h"},
		{"news://h/misc.test", "news://h news://h/|misc.test news://h/misc.test"},
		{"nntp://h/misc.test/7", "nntp://h news://h/|misc.test nntp://h/misc.test|7 nntp://h/misc.test/7"},
		{"nntps://h/misc.test", "nntps://h snews://h/|misc.test nntps://h/misc.test"},
		{"wais://h/db", "wais://h wais://h/|db wais://h/db"},
		{"titan://h/a/b;mime=text/x;token=t", "titan://h titan://h/|a titan://h/a/|b titan://h/a/b"},
		{"titan://h/;token=t", "titan://h titan://h/"},
		{"titan://h/a;x;token=t", "titan://h titan://h/"},
		{"wais://h/db?old+maps", "wais://h wais://h/|db wais://h/db|old maps wais://h/db?old+maps"},
		{"wais://h/db/TEXT/3=0%200%20%2Ftexts%2Fwais.txt;", "wais://h wais://h/|db wais://h/db|wais.txt wais://h/db/TEXT/3=0%200%20%2Ftexts%2Fwais.txt;"},
		{"z39.50s://u@h:9210/", "z39.50s://h:9210 z39.50s://u@h:9210/"},
		{"z39.50s://h/a+b", "z39.50s://h z39.50s://h/|a+b z39.50s://h/a+b"},
		{"z39.50s://h/db;query=sea%20lens;sort=date;from=7", "z39.50s://h z39.50s://h/|db z39.50s://h/db|sea lens z39.50s://h/db;query=sea%20lens;sort=date;from=7"},
		{"z39.50r://h/db;query=sea;record=7;rs=xml", "z39.50s://h z39.50s://h/|db z39.50s://h/db|sea z39.50s://h/db;query=sea;rs=xml|record 7 z39.50r://h/db;query=sea;record=7;rs=xml"},
		{"z39.50r://h/db?12;esn=F", "z39.50s://h z39.50s://h/|db z39.50s://h/db|12 z39.50r://h/db?12;esn=F"},
		{"z39.50s://h/db;scan=ch", "z39.50s://h z39.50s://h/|db z39.50s://h/db|ch z39.50s://h/db;scan=ch"},
		{"z39.50s:x", ""},
		{"afs://cell/a/b", "afs://cell afs://cell/|a afs://cell/a/|b afs://cell/a/b"},
		{"prospero://h/pub/x;v=1", "prospero://h prospero://h/|pub/x prospero://h/pub/x;v=1"},
		{"mid:1@h/p@h", "1@h mid:1@h|p@h mid:1@h/p@h"},
		{"telnet://h/", ""},
		{"mailto:a@h", ""},
		{"x-none:y", ""},
		{"gopher://h/0a%0Ab", ""},
	} {
		var steps []string
		for _, s := range trail.Of(url.MustParse(test.url)) {
			steps = append(steps, s.Title+" "+s.URL.String())
		}
		if got := strings.Join(steps, "|"); got != test.want {
			t.Errorf("Trail(%s) =\n%s, want\n%s", test.url, got, test.want)
		}
	}
}

func TestParent(t *testing.T) {
	for _, test := range []struct{ url, want string }{
		{"ftp://h/pub/x", "ftp://h/pub/"},
		{"ftp://h/pub/", "ftp://h/"},
		{"ftp://h/", ""},
		{"gopher://h/0/a/x", "gopher://h/1/a"},
		{"nntp://h/g/7", "nntp://h/g"},
		{"mid:1@h", ""},
		{"telnet://h/", ""},
	} {
		parent, ok := trail.Parent(url.MustParse(test.url))
		if parent.String() != test.want || ok != (test.want != "") {
			t.Errorf("Parent(%s) = %q, %v, want %q", test.url, parent, ok, test.want)
		}
	}
}

// The step above a URL is never the URL itself, so that a walk up ends.
func FuzzTrail(f *testing.F) {
	for _, seed := range []string{"ftp://h/a//b/", "gopher://h/7/a/b%09c", "wais://h/d/T/1=2;", "mid:1@h/2@h", "nntp://h/g/1", "z39.50r://h/a;query=b;record=2", "afs:/afs/c/d"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		u, err := url.Parse(text)
		if err != nil {
			return
		}
		for n := 0; ; n++ {
			parent, ok := trail.Parent(u)
			if !ok {
				return
			}
			if parent == u || n > len(text) {
				t.Fatalf("Parent(%s) = %s after %d steps", u, parent, n)
			}
			u = parent
		}
	})
}

// The steps of a URL with very many levels have URLs of a bounded length together. The server, the nearest folders and
// the URL itself are among them.
func TestManyLevels(t *testing.T) {
	const most = 256 << 10
	for _, test := range []struct {
		root, parent string // the starts of the URL and of its Parent
		levels       int
	}{
		{"ftp://h/", "ftp://h/", 2000},
		{"ftp://h/", "ftp://h/", 20_000},
		{"http://h/", "http://h/", 20_000},
		{"titan://h/", "titan://h/", 20_000},
		{"gopher://h/0", "gopher://h/1", 20_000},
	} {
		folder := strings.TrimSuffix(strings.Repeat("a/", test.levels), "/")
		u := url.MustParse(test.root + folder + "/b")
		steps := trail.Of(u)
		total := 0
		for _, s := range steps[:len(steps)-1] {
			total += len(s.URL.String())
		}
		if total > most {
			t.Errorf("%sa/a/…/b with %d levels: the URLs of the steps have %d bytes, want at most %d", test.root, test.levels, total, most)
		}
		if last := steps[len(steps)-1]; last.Title != "b" || last.URL != u {
			t.Errorf("%sa/a/…/b with %d levels: the last step is %q with %d bytes, want b with the URL", test.root, test.levels, last.Title, len(last.URL.String()))
		}
		parent, ok := trail.Parent(u)
		if got := strings.TrimSuffix(parent.String(), "/"); !ok || got != test.parent+folder {
			t.Errorf("%sa/a/…/b with %d levels: Parent has %d bytes, %v, want %d", test.root, test.levels, len(got), ok, len(test.parent+folder))
		}
	}
}
