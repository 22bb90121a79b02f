package site

import (
	"errors"
	"io/fs"
	"reflect"
	"strings"
	"testing"
	"testing/fstest"
	"testing/iotest"

	"locus/access"
	"locus/internal/weburl"
	"locus/internal/weburl/hard"
	"locus/url"
)

// A line is a rule if it has a path of the site and a target. Its other fields are a status and conditions.
func TestParseRedirect(t *testing.T) {
	for _, test := range []struct {
		line string
		want redirectRule
		ok   bool
	}{
		{"/a /b", redirectRule{from: []string{"a"}, to: "/b", status: 301}, true},
		{"  /a/c/\t/b  302 ", redirectRule{from: []string{"a", "c"}, to: "/b", status: 302}, true},
		{"/a /b 200!", redirectRule{from: []string{"a"}, to: "/b", status: 200, forced: true}, true},
		{"/a https://h/ 307 # why", redirectRule{from: []string{"a"}, to: "https://h/", status: 307}, true},
		{"/a id=:id /b Country=de,at Language=de", redirectRule{from: []string{"a"}, to: "/b", status: 301, condition: "id=:id Country=de,at Language=de"}, true},
		{"/* /:splat", redirectRule{from: []string{"*"}, to: "/:splat", status: 301}, true},
		{"/ /b", redirectRule{from: []string{""}, to: "/b", status: 301}, true},
		{"", redirectRule{}, false},
		{"# /a /b", redirectRule{}, false},
		{"/a", redirectRule{}, false},
		{"/a # /b", redirectRule{}, false},
		{"a /b", redirectRule{}, false},
		{"https://h/a /b", redirectRule{}, false},
		{"/a 301", redirectRule{}, false},
	} {
		got, ok := parseRedirect(test.line)
		if ok != test.ok || ok && !reflect.DeepEqual(got, test.want) {
			t.Errorf("parseRedirect(%q) = %+v, %v, want %+v, %v", test.line, got, ok, test.want, test.ok)
		}
	}
}

// An editor may write a byte order mark before the first rule. Elsewhere it is a part of the line.
func TestRedirectsWithMark(t *testing.T) {
	for _, test := range []struct {
		text string
		want int // rules
	}{
		{"\ufeff/a /b\n/c /d\n", 2},
		{"\ufeff# comment\r\n/c /d\r\n", 1},
		{"/a /b\n\ufeff/c /d\n", 1},
		{"\ufeff", 0},
	} {
		all, err := parseRedirects(strings.NewReader(test.text))
		if err != nil || len(all.rules) != test.want || len(all.faults) > 0 {
			t.Errorf("parseRedirects(%q) = %v, %v, want %d rules", test.text, all, err, test.want)
		}
	}
}

// A placeholder has the value of one segment, and "*" of the rest of the path. The values are escaped in the target.
func TestMatchRule(t *testing.T) {
	const none = "no rule"
	for _, test := range []struct{ rules, name, want string }{
		{"/a /b", "/a", "/b"},
		{"/a /b", "/a/", "/b"},
		{"/a /b", "/a/c", none},
		{"/a/c /b", "/a", none},
		{"/ /b", "/", "/b"},
		{"/a/* /b/:splat", "/a", "/b/"},
		{"/a/* /b/:splat", "/a/c/d e", "/b/c/d%20e"},
		{"/a/* /b/:splat", "/ab", none},
		{"/*/a /b", "/x/a", none}, // only the last segment may be "*"
		{"/:x/:y /:y/:x/:x", "/1/2", "/2/1/1"},
		{"/:x/:y /:y", "/1", none},
		{"/:m/:month /:month-:m", "/1/2", "/2-1"}, // :m is not replaced in :month
		{"/:x /?q=:x", "/a&b#c", "/?q=a%26b%23c"},
		{"/:x /:x/:y", "/a:y", "/a%3Ay/:y"}, // a value is not read for placeholders
		{"/a /b\n/a /c", "/a", "/b"},
		{"/a/* /b\n/a/c /d", "/a/c", "/b"},
		{"", "/a", none},
	} {
		all, err := parseRedirects(strings.NewReader(test.rules))
		if err != nil || len(all.faults) > 0 {
			t.Fatalf("parseRedirects(%q) = %+v, %v", test.rules, all, err)
		}
		_, got, ok := matchRule(all.rules, test.name, func(redirectRule) bool { return true })
		if !ok {
			got = none
		}
		if got != test.want {
			t.Errorf("with the rules %q, %s leads to %q, want %q", test.rules, test.name, got, test.want)
		}
	}
}

// The target of a rule leads where a Location leads a browser. A file has its whole path as its name.
func TestHardTargets(t *testing.T) {
	for _, test := range hard.References() {
		ref := strings.ReplaceAll(test.Text, " ", "%20") // a space ends the target
		rules := "/a /" + ref + "\n/b http://h.example/" + ref + "\n"
		s := &Site{Folder: url.MustParse("file:///s/"), Files: fstest.MapFS{"_redirects": {Data: []byte(rules)}}}
		for _, from := range []string{"a", "b"} {
			_, err := s.Serve(url.MustParse("file:///s/" + from))
			moved, ok := errors.AsType[*access.Moved](err)
			if !ok {
				t.Errorf("/%s, which leads to %q, gives %v, want a redirect", from, ref, err)
				continue
			}
			to := moved.To.PathAndQuery()
			want := test.Target
			if from == "a" {
				to, want = strings.TrimPrefix(to, "/s"), weburl.Strict(want)
			}
			if to != want {
				t.Errorf("/%s, which leads to %q, is a redirect to %q, want the target %q", from, ref, moved.To, want)
			}
		}
	}
}

// The status of a rule says whether the host serves the target, sends the browser there, or lacks the page.
func TestRedirectStatus(t *testing.T) {
	const gone, functions = "file does not exist", "the host runs a program for URLs below /.netlify/"
	for _, test := range []struct{ rule, want string }{
		{"/a /there.html 200", "file:///s/there.html"},
		{"/a /there 200", "file:///s/there.html"},
		{"/a /folder/ 200!", "file:///s/folder/index.html"},
		{"/a /there.html?x=1 200", "file:///s/there.html"},
		{"/a /there.html#x 200", "file:///s/there.html"},
		{"/a /th%65re.html 200", "file:///s/there.html"},
		{"/* /there.html 200", "file:///s/there.html"},
		{"/a /missing 200", gone},
		{"/a /%zz 200", gone},
		{"/a https://h.example/x 200", "moved to https://h.example/x"}, // the host is a proxy for the other site
		{"/a /.netlify/functions/f?x=1 200", functions},
		{"/* /.netlify/functions/:splat 200", functions},
		{"/a /.netlify/functions/f 302", "moved to file:///s/.netlify/functions/f"},
		{"/a /netlify/f 200", gone},
		{"/a /there.html 404", gone},
		{"/* /there.html 404", gone},
		{"/a /there.html 410", gone},
		{"/a /x 301", "moved for ever to file:///s/x"},
		{"/a /x 308", "moved for ever to file:///s/x"},
		{"/a /x", "moved for ever to file:///s/x"},
		{"/a /x?y#z 302", "moved to file:///s/x?y#z"},
		{"/a /x 307", "moved to file:///s/x"},
		{"/a https://h.example/ 303", "moved to https://h.example/"},
		{"/a https://site.invalid/x 302", "moved to file:///s/x"},
		{"/a http://[x 302", `parse "http://[x": offset 8: found 'x', want an IPv6 address (RFC 3986 §3.2.2)`},
	} {
		s := &Site{Folder: url.MustParse("file:///s/"), Files: fstest.MapFS{"_redirects": {Data: []byte(test.rule)}, "there.html": {}, "folder/index.html": {}}}
		u, err := s.Serve(url.MustParse("file:///s/a"))
		got := u.String()
		if moved, ok := errors.AsType[*access.Moved](err); ok {
			got = map[bool]string{true: "moved for ever to ", false: "moved to "}[moved.Permanent] + moved.To.String()
		} else if err != nil {
			got = err.Error()
		}
		if got != test.want {
			t.Errorf("with %q, /a is %q, want %q", test.rule, got, test.want)
		}
	}
}

// An error of the file is not the end of the rules, and a Site returns it for each page.
func TestUnreadableRedirects(t *testing.T) {
	broken := errors.New("broken")
	if all, err := parseRedirects(iotest.TimeoutReader(iotest.OneByteReader(strings.NewReader("/a /b\n")))); !errors.Is(err, iotest.ErrTimeout) {
		t.Errorf("parseRedirects of a reader that fails = %+v, %v, want %v", all, err, iotest.ErrTimeout)
	}
	if all, err := readRedirects(fstest.MapFS{}); len(all.rules) > 0 || err != nil {
		t.Errorf("readRedirects without a file = %+v, %v, want no rules", all, err)
	}
	s := &Site{Files: brokenFS{fstest.MapFS{"index.html": {}}, broken}}
	for range 2 {
		if _, err := s.rules(); !errors.Is(err, broken) {
			t.Errorf("rules() of a site whose _redirects cannot be opened = %v, want %v", err, broken)
		}
	}
	if faults := s.Faults(); len(faults) > 0 {
		t.Errorf("Faults() = %v, want none", faults)
	}
	if faults := new(Site).Faults(); faults != nil {
		t.Errorf("Faults() of the zero Site = %v, want nil", faults)
	}
}

// A brokenFS cannot open the file _redirects.
type brokenFS struct {
	fs.FS
	err error
}

func (f brokenFS) Open(name string) (fs.File, error) {
	if name == "_redirects" {
		return nil, f.err
	}
	return f.FS.Open(name)
}
