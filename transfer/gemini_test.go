package transfer

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"strings"
	"sync"
	"testing"

	"locus/access"
	"locus/access/engine"
	"locus/url"
)

// A capsule is the pages of gemini servers by their URLs. A page begins with a line that has a media type, "->" and the
// target of a redirect, or "?" for a form.
type capsule struct {
	mu    sync.Mutex
	pages map[string]string
	asked []string
}

func (c *capsule) Do(_ context.Context, req *access.Request) (*access.Resource, error) {
	c.mu.Lock()
	c.asked = append(c.asked, req.URL.String())
	page, ok := c.pages[req.URL.String()]
	c.mu.Unlock()
	first, text, _ := strings.Cut(page, "\n")
	to, isMoved := strings.CutPrefix(first, "->")
	switch {
	case req.Op != access.Get:
		return nil, engine.Fail("open", req.URL, errors.ErrUnsupported)
	case !ok:
		return nil, engine.Fail("open", req.URL, fs.ErrNotExist)
	case isMoved:
		return nil, engine.Fail("open", req.URL, &access.Moved{To: url.MustParse(to)})
	case first == "?":
		return nil, engine.Fail("open", req.URL, access.ErrForm)
	}
	return &access.Resource{Entry: access.Entry{URL: req.URL, Type: first, Size: -1}, Body: io.NopCloser(strings.NewReader(text))}, nil
}

// teaCapsule returns a capsule with every kind of link.
func teaCapsule() *capsule {
	return &capsule{pages: map[string]string{
		"gemini://h/tea/":              "text/gemini\n# Tea\n=> leaves Leaves & stems\n=> pots/ Pots\n=> /tea/pots/clay.gmi#lid Clay\n=> gemini://h/tea/song.txt\n=> moved\n=> search\n=> gone\n=> list?a&b A list\n=> /outside.gmi\n=> gopher://g/1/x\n=> gemini://other/tea/x\n=> gemini://h:7/tea/x\n```\n=> code\n```\ngemini://h/tea/text no link\n",
		"gemini://h/tea/leaves":        "text/gemini;lang=en\n=> ./ Up\r\n=> index.gmi Up again\r\n=>\t../tea/pots/clay.gmi\tClay\n",
		"gemini://h/tea/pots/":         "text/gemini\n=> ../leaves\n",
		"gemini://h/tea/list?a&b":      "text/gemini\n=> ?a&b Again\n=> leaves\n",
		"gemini://h/tea/moved":         "->gemini://h/tea/pots/",
		"gemini://h/tea/search":        "?\n",
		"gemini://h/tea/song.txt":      "text/plain\n=> not read\n",
		"gemini://h/robots.txt":        "text/plain\nUser-agent: *\nDisallow: /tea/pots/clay\n",
		"gemini://h/outside.gmi":       "text/gemini\n=> tea/",
		"gemini://h/tea/code":          "text/gemini\nno link leads here",
		"gemini://h/tea/text":          "text/gemini\nno link leads here",
		"gemini://h:7/tea/x":           "text/gemini\nanother server",
		"gemini://other/tea/x":         "text/gemini\nanother host",
		"gemini://h/tea/pots/clay.gmi": "text/gemini\ndisallowed",
	}}
}

// A mirror of a gemini site follows the links of its pages within the directory. With Convert the links lead to the files.
func TestMirrorGemini(t *testing.T) {
	const start = "# Tea\n=> leaves Leaves & stems\n=> pots/ Pots\n=> /tea/pots/clay.gmi#lid Clay\n=> gemini://h/tea/song.txt\n=> moved\n=> search\n=> gone\n=> list?a&b A list\n=> /outside.gmi\n=> gopher://g/1/x\n=> gemini://other/tea/x\n=> gemini://h:7/tea/x\n```\n=> code\n```\ngemini://h/tea/text no link\n"
	const converted = "# Tea\n=> leaves.gmi Leaves & stems\n=> pots/index.gmi Pots\n=> gemini://h/tea/pots/clay.gmi#lid Clay\n=> song.txt\n=> pots/index.gmi\n=> gemini://h/tea/search\n=> gemini://h/tea/gone\n=> list%25%40a%26b.gmi A list\n=> gemini://h/outside.gmi\n=> gopher://g/1/x\n=> gemini://other/tea/x\n=> gemini://h:7/tea/x\n```\n=> code\n```\ngemini://h/tea/text no link\n"
	for _, test := range []struct {
		convert bool
		want    map[string]string
	}{
		{false, map[string]string{
			"index.gmi": start, "leaves.gmi": "=> ./ Up\r\n=> index.gmi Up again\r\n=>\t../tea/pots/clay.gmi\tClay\n", "pots/": "", "pots/index.gmi": "=> ../leaves\n",
			"list?a&b": "=> ?a&b Again\n=> leaves\n", "song.txt": "=> not read\n",
		}},
		{true, map[string]string{
			"index.gmi": converted, "leaves.gmi": "=> index.gmi Up\r\n=> index.gmi Up again\r\n=>\tgemini://h/tea/pots/clay.gmi\tClay\n", "pots/": "", "pots/index.gmi": "=> ../leaves.gmi\n",
			"list%@a&b.gmi": "=> list%25%40a%26b.gmi Again\n=> leaves.gmi\n", "song.txt": "=> not read\n",
		}},
	} {
		root, name := folder(t)
		c, log := teaCapsule(), &eventLog{}
		opts := MirrorOptions{TreeOptions: TreeOptions{Event: log.add, Retry: hasty}, Convert: test.convert}
		report, err := Mirror(t.Context(), access.Follow{Engine: c}, url.MustParse("gemini://h/tea/"), root, opts)
		if err != nil || report.Failed > 0 || report.Disallowed != 1 {
			t.Errorf("convert %t: Mirror = %+v, %v; %v", test.convert, report, err, log.of(Failed))
		}
		got := contents(t, name)
		for file := range got {
			if strings.HasPrefix(file, stateDir) {
				delete(got, file)
			}
		}
		compareTrees(t, got, test.want)
	}
}

// A later run removes the pages that the site does not have any more.
func TestMirrorGeminiDelete(t *testing.T) {
	root, name := folder(t)
	c := teaCapsule()
	delete(c.pages, "gemini://h/robots.txt") // a page that it disallows keeps the mirror from deleting
	opts := MirrorOptions{TreeOptions: TreeOptions{Retry: hasty, Delete: true}}
	for _, want := range []bool{true, false} {
		report, err := Mirror(t.Context(), access.Follow{Engine: c}, url.MustParse("gemini://h/tea/"), root, opts)
		if _, has := contents(t, name)["song.txt"]; has != want || err != nil || report.Failed > 0 {
			t.Errorf("Mirror = %+v, %v, and the copy has the song: %t, want %t", report, err, has, want)
		}
		delete(c.pages, "gemini://h/tea/song.txt")
	}
}

// Only the page of the mirror itself must not ask for input.
func TestMirrorGeminiForm(t *testing.T) {
	root, _ := folder(t)
	log := &eventLog{}
	opts := MirrorOptions{TreeOptions: TreeOptions{Event: log.add, Retry: hasty}}
	report, err := Mirror(t.Context(), teaCapsule(), url.MustParse("gemini://h/tea/search"), root, opts)
	if failed := log.of(Failed); report.Failed != 1 || err != nil || len(failed) != 1 || !errors.Is(failed[0].Err, access.ErrForm) {
		t.Errorf("the mirror of a form = %+v, %v, with the failures %v, want access.ErrForm", report, err, failed)
	}
}
