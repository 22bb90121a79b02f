package transfer

import (
	"context"
	"io"
	"io/fs"
	"strings"
	"testing"

	"locus/access"
	"locus/retry"
	"locus/url"
)

// A changingSite is a web server whose page /s/a redirects to /s/b. Its pages have no validators.
type changingSite struct {
	texts []string // of /s/b, in the order of the requests; the last one stays
	types []string // of these; the last one stays
}

// A text that ends so breaks off there.
const breakMark = "<!-- break -->"

func (s *changingSite) Do(_ context.Context, req *access.Request) (*access.Resource, error) {
	r := &access.Resource{Entry: access.Entry{URL: req.URL, Size: -1, Type: "text/html"}}
	text, err := "", io.EOF
	switch req.URL.Path() {
	case "/robots.txt":
	case "/s/":
		text = `<a href="a">a</a>`
	case "/s/a":
		r.URL = url.MustParse("http://h/s/b")
		text, r.Type = s.texts[0], s.types[0]
		s.texts, s.types = s.texts[min(1, len(s.texts)-1):], s.types[min(1, len(s.types)-1):]
		if strings.HasSuffix(text, breakMark) {
			err = io.ErrUnexpectedEOF
		}
		if req.Offset > 0 {
			if text = text[min(int(req.Offset), len(text)):]; text == "" {
				return nil, access.ErrRange
			}
			r.Offset = req.Offset
		}
	case "/s/c":
		text, r.Type = "c", "text/plain"
	default:
		return nil, &access.Error{Op: "get", URL: req.URL, Err: fs.ErrNotExist}
	}
	r.Body = io.NopCloser(&brokenPage{strings.NewReader(text), err})
	return r, nil
}

// A page that a redirect has led to, and that is fetched from its start again, is in the copy, with
// the pages that only it links to.
func TestMirrorRedirectedAgain(t *testing.T) {
	const page = `<p>new</p><a href="c">c</a>`
	const longText = "a text that is longer than the page was before"
	for _, test := range []struct {
		what         string
		texts, types []string
		retry        retry.Policy
		want         map[string]string
	}{
		{"a page that changes while it is read", []string{"<p>old" + breakMark, page}, []string{"text/html"}, hasty, map[string]string{"b.html": page, "c": "c"}},
		{"a page that becomes a text", []string{"<p>old" + breakMark, longText}, []string{"text/html", "text/plain"}, hasty, map[string]string{"b": longText}},
		{"the part of an earlier run", []string{"<p>old" + breakMark, page}, []string{"text/html"}, never, map[string]string{"b.html": page, "c": "c"}},
	} {
		root, name := folder(t)
		s := &changingSite{texts: test.texts, types: test.types}
		opts := MirrorOptions{TreeOptions: TreeOptions{Retry: test.retry, Jobs: 1}}
		if test.retry.Retries < 0 {
			if report, err := Mirror(t.Context(), s, url.MustParse("http://h/s/"), root, opts); err != nil || report.Failed != 1 {
				t.Errorf("%s: the first run = %+v, %v; want a failure", test.what, report, err)
			}
		}
		fill(t, name, map[string]string{"b": "old", "b.html": "old", "c": "old"})
		var log eventLog
		opts.Delete, opts.Event = true, log.add
		report, err := Mirror(t.Context(), s, url.MustParse("http://h/s/"), root, opts)
		if err != nil || report.Failed > 0 || report.NotDeleted != nil {
			t.Errorf("%s: Mirror = %+v, %v: %v", test.what, report, err, log.of(Failed))
		}
		got := contents(t, name)
		for file, text := range test.want {
			if got[file] != text {
				t.Errorf("%s: %s is %q, want %q", test.what, file, got[file], text)
			}
		}
	}
}

// A file whose type changes while it is read keeps its name. Delete does not remove it.
func TestMirrorTypeChanges(t *testing.T) {
	s := &site{
		lists: entriesOf(t, map[string][]string{"prospero://h/": {"file picture prospero://h//pic", "file other prospero://h//o"}}),
	}
	pictures := &changingSite{
		texts: []string{"<p>old" + breakMark, "a text that is longer than the page was before"},
		types: []string{"image/gif", "text/plain"},
	}
	engine := engineFunc(func(ctx context.Context, req *access.Request) (*access.Resource, error) {
		if req.URL.String() != "prospero://h//pic" || req.Op != access.Get {
			return s.Do(ctx, req)
		}
		asked := *req
		asked.URL = url.MustParse("http://h/s/a")
		r, err := pictures.Do(ctx, &asked)
		if err == nil {
			r.URL = req.URL
		}
		return r, err
	})
	root, name := folder(t)
	opts := MirrorOptions{TreeOptions: TreeOptions{Retry: hasty, Delete: true}}
	if report, err := Mirror(t.Context(), engine, url.MustParse("prospero://h/"), root, opts); err != nil || report.Files != 2 || report.Failed+report.Deleted > 0 || report.NotDeleted != nil {
		t.Errorf("Mirror = %+v, %v; want two files", report, err)
	}
	compareTrees(t, contents(t, name), map[string]string{"picture": pictures.texts[0], "other": "prospero://h//o"})
}
