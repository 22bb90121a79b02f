package check_test

import (
	"strings"
	"testing"

	"locus/check"
	"locus/check/report"
	"locus/check/site"
	"locus/extract/document"
	"locus/url"
)

// With SkipExamples, hosts that are reserved for examples are excluded, unless the run is about them.
func TestSkipExamples(t *testing.T) {
	c := &check.Checker{Engine: papers(map[string]paper{"/": {}}), Policy: check.Policy{SkipExamples: true, Scope: []string{"http://docs.example/x"}}}
	for link, want := range map[string]string{
		"http://example.com/": "excluded", "http://www.EXAMPLE.org./": "excluded", "ftp://a.b.example/": "excluded", "http://x.invalid/": "excluded",
		"https://x.test:8080/": "excluded", "http://localhost:80/": "excluded", "http://u@example.net/": "excluded", "mailto:me@example.com": "excluded", "mailserver:list@example.com/subscribe": "excluded",
		"mailto:me@example.com,you@h.org": "good", "http://127.0.0.1/": "good", "http://example.com.h/": "good", "http://myexample.com/": "good",
		"http://localhost.h/": "good", "http://com/": "good", "http://docs.example/": "good", "news:x@y": "dead",
	} {
		if got, _, _ := strings.Cut(one(t, c, link), " "); got != want {
			t.Errorf("the link %s is %s, want %s", link, got, want)
		}
	}
	if got, want := one(t, c, "http://example.com/"), "excluded http://example.com/: example.com is a host for examples"; got != want {
		t.Errorf("the reason of the excluded link is %q, want %q", got, want)
	}
	if got := one(t, &check.Checker{Engine: c.Engine}, "http://example.com/"); got != "good http://example.com/" {
		t.Errorf("without SkipExamples, the link is %q", got)
	}
	q := report.NewQueue(nil)
	if err := check.Start(t.Context(), q, url.MustParse("http://example.com/")); err != nil {
		t.Fatal(err)
	}
	if got := tell(run(t, c, q), ""); got != "good http://example.com/\n" {
		t.Errorf("a page that the caller named is %q", got)
	}
}

// Links in code and in data-* attributes are read only on request.
func TestLinkReader(t *testing.T) {
	r := check.LinkReader{Code: true, DataAttributes: true}
	for _, test := range []struct {
		mode     document.Mode
		in, want string
	}{
		{document.Markdown, "`http://h/a`\n\n    http://h/b\n", "http://h/a http://h/b"},
		{document.HTML, "<img data-src=/a data-srcset='/b 1x'>", "http://h/a http://h/b"},
	} {
		var got []string
		for l, err := range r.Links(strings.NewReader(test.in), test.mode, url.MustParse("http://h/")) {
			if err != nil {
				t.Fatal(err)
			}
			got = append(got, l.URL)
		}
		if strings.Join(got, " ") != test.want {
			t.Errorf("the links of %q are %q, want %s", test.in, got, test.want)
		}
	}
}

// A fragment is found if the page shows its text, leads to a page that does, or has a script that may add it.
func TestFragmentsAndContent(t *testing.T) {
	long := strings.Repeat("word ", 70)
	c := &check.Checker{Engine: papers(map[string]paper{
		"/":         {"text/html", "<head><title>No title</title><style>no style</style></head><p>The <b>quick</b>  brown\n fox&nbsp;jumps<p>over the dog<script>no script</script><template>no template</template>" + long, "", nil},
		"/app":      {"text/html", "<div id=root></div><script src=x></script>", "", nil},
		"/short":    {"text/html", "<p id=x>short", "", nil},
		"/script":   {"text/html", "<script>x</script>" + long, "", nil},
		"/github":   {"text/html", "<a id=user-content-usage></a>", "", nil},
		"/refresh":  {"text/html", "<meta http-equiv=refresh content='0; url=/short'>", "", nil},
		"/slow":     {"text/html", "<p id=y><meta http-equiv=refresh content='11; url=/short'>", "", nil},
		"/self":     {"text/html", "<p id=y><meta http-equiv=refresh content='5; url=/self#z'>", "", nil},
		"/noscript": {"text/html", "<p id=y><noscript><meta http-equiv=refresh content='0; url=/short'></noscript>", "", nil},
		"/gone":     {"text/html", "<meta http-equiv=refresh content='0; url=/none'>", "", nil},
		"/text":     {"text/plain", "the text", "", nil},
		"/a.md":     {"text/markdown", "# One two\n", "", nil},
	})}
	for link, want := range map[string]string{
		"http://h/#:~:text=quick%20brown":         "good",
		"http://h/#:~:text=QUICK%20%20Brown":      "good",
		"http://h/#:~:text=fox%20jumps":           "good",
		"http://h/#:~:text=the,fox":               "good",
		"http://h/#:~:text=fox,quick":             "dead",
		"http://h/#:~:text=the-,quick,-brown":     "good",
		"http://h/#:~:text=the-,dog":              "good",
		"http://h/#:~:text=a-,dog":                "dead",
		"http://h/#:~:text=the,fox,-jumps":        "good",
		"http://h/#:~:text=the,fox,-x":            "dead",
		"http://h/#:~:text=the-,quick,fox,-jumps": "good",
		"http://h/#:~:text=slow":                  "dead",
		"http://h/#:~:text=title":                 "dead",
		"http://h/#:~:text=script":                "dead",
		"http://h/#:~:text=template":              "dead",
		"http://h/#:~:text=jumps%20over":          "good",
		"http://h/#:~:text=quick&text=dog":        "good",
		"http://h/#:~:text=quick&text=cat":        "dead",
		"http://h/#:~:text=a,b,c":                 "good", // malformed
		"http://h/#x:~:text=quick":                "dead",
		"http://h/short#x:~:text=short":           "good",
		"http://h/app#:~:text=x":                  "unchecked",
		"http://h/text#:~:text=x":                 "good", // because only HTML is read
		"http://h/none#:~:text=x":                 "dead",
		"http://h/app#x":                          "unchecked",
		"http://h/app#root":                       "good",
		"http://h/script#x":                       "dead",
		"http://h/short#y":                        "dead",
		"http://h/github#usage":                   "good",
		"http://h/github#user-content-usage":      "good",
		"http://h/refresh#x":                      "good",
		"http://h/refresh#y":                      "dead",
		"http://h/slow#y":                         "good",
		"http://h/self#y":                         "good",
		"http://h/noscript#y":                     "good",
		"http://h/gone#x":                         "dead",
		"http://h/a.md#one-two":                   "good",
		"http://h/a.md#none":                      "dead",
		"file:///a.md#one-two":                    "good",
		"file:///a.md#three":                      "dead",
	} {
		if got := one(t, c, link); !strings.HasPrefix(got, want+" ") {
			t.Errorf("the link %s is %s, want %s", link, got, want)
		}
	}
}

// The reason of a link to a page that leads to a missing page by itself names both pages.
func TestRefreshToMissingPage(t *testing.T) {
	c := &check.Checker{Policy: check.Policy{Retries: -1}, Engine: papers(map[string]paper{
		"/gone":  {"text/html", "<meta http-equiv=refresh content='0; url=/none'>", "", nil},
		"/chain": {"text/html", "<meta http-equiv=refresh content='0; url=/gone'>", "", nil},
		"/fine":  {"text/html", "<meta http-equiv=refresh content='0; url=/end'>", "", nil},
		"/end":   {"text/html", "<p id=x>", "", nil},
	})}
	for link, want := range map[string]string{
		"http://h/gone#x":  "dead http://h/gone: the page leads to http://h/none by itself: 550 Not Found",
		"http://h/chain#x": "dead http://h/chain: the page http://h/gone leads to http://h/none by itself: 550 Not Found",
		"http://h/none#x":  "dead http://h/none: 550 Not Found",
		"http://h/fine#x":  "good http://h/fine#x",
	} {
		if got := one(t, c, link); got != want {
			t.Errorf("the link %s is %q, want %q", link, got, want)
		}
	}
}

// A crawl reads a page that leads to another page, and the other page. It also looks for the texts of text directives.
func TestCrawlRefresh(t *testing.T) {
	c := &check.Checker{Engine: papers(map[string]paper{
		"/":    {"text/html", "<a href=old>o</a><a href='new#:~:text=hello'>n</a>", "", nil},
		"/old": {"text/html", "<meta http-equiv=refresh content='0; url=new'><a href=more>m</a>", "", nil},
		"/new": {"text/html", "hello <a href=gone>g</a>", "", nil},
	}), Policy: check.Policy{Recursive: true, Scope: []string{"ftp://h/"}}}
	q := report.NewQueue(nil)
	if err := check.Start(t.Context(), q, url.MustParse("ftp://h/")); err != nil {
		t.Fatal(err)
	}
	got := tell(run(t, c, q), "ftp://h")
	for _, want := range []string{"good /old\n", "good /new\n", "dead /gone: ", "dead /more: "} {
		if !strings.Contains(got, want) {
			t.Errorf("the report does not contain %q:\n%s", want, got)
		}
	}
}

// A refresh in a page of a site leads to another page of the site.
func TestRefreshInSite(t *testing.T) {
	local, _ := folderSite("old/index.html", "new.html")
	local.Engine = papers(map[string]paper{
		"/s/old/index.html": {"text/html", "<meta http-equiv=refresh content='0; url=/new'>", "", nil}, "/s/new.html": {"text/html", "<p id=x>", "", nil},
	})
	c := &check.Checker{Engine: local, Sites: []*site.Site{local}}
	if got, want := one(t, c, "file:///s/old/#x"), "good file:///s/old/#x"; got != want {
		t.Errorf("the link with an anchor of the other page is %q, want %q", got, want)
	}
	if got := one(t, c, "file:///s/old/#y"); !strings.HasPrefix(got, "dead ") {
		t.Errorf("the link with an anchor that no page has is %q, want dead", got)
	}
}

// The search for a text directive has a limit, even if the page repeats the text many times.
func TestTextTooOften(t *testing.T) {
	page := "<p>" + strings.Repeat("a", 1<<20)
	s := newSite(t, pages(map[string]string{"/": page}))
	long := strings.Repeat("a", 20_000)
	for _, fragment := range []string{"text=b-," + long, "text=" + long + ",-b", "text=a," + long + ",-b"} {
		got := one(t, &check.Checker{Engine: opener(t)}, s.URL+"/#:~:"+fragment)
		if status, _, _ := strings.Cut(got, " "); status != "unchecked" {
			t.Errorf("the fragment %.20s… is %s, want unchecked", fragment, status)
		}
	}
}
