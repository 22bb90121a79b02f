package access

import (
	"context"
	"io/fs"
	"slices"
	"strings"
	"testing"

	"locus/url"
)

// The base may have every form that its scheme allows.
func TestFSBase(t *testing.T) {
	s := server{
		"ftp://h/pub/":              listing("ftp://h/pub/x", "ftp://h/pub/sub/"),
		"ftp://h/pub/x;type=i":      nil,
		"ftp://h/pub/sub/":          listing("ftp://h/pub/sub/y"),
		"ftp://h/pub/sub/y;type=i":  nil,
		"ftp://h/a?b/":              listing("ftp://h/a%3Fb/x", "ftp://h/a%3Fb/sub/"),
		"ftp://h/a?b/x;type=i":      nil,
		"ftp://h/a?b/sub/":          listing("ftp://h/a%3Fb/sub/y"),
		"ftp://h/a?b/sub/y;type=i":  nil,
		"gopher://h/1/":             listing("gopher://h/0/x", "gopher://h/1/sub"),
		"gopher://h/0/x":            nil,
		"gopher://h/1/sub":          listing("gopher://h/0/sub/y"),
		"gopher://h/0/sub/y":        nil,
		"gopher://h/1/dir/":         listing("gopher://h/0/dir/x", "gopher://h/1/dir/sub"),
		"gopher://h/1/dir%09%09+":   listing("gopher://h/0/dir/x", "gopher://h/1/dir/sub"),
		"gopher://h/7/dir%09word":   listing("gopher://h/0dir%2Fx", "gopher://h/1dir/sub"),
		"gopher://h/0/dir/x":        nil,
		"gopher://h/0dir%2Fx":       nil,
		"gopher://h/1/dir/sub":      listing("gopher://h/0/dir/sub/y"),
		"gopher://h/1dir/sub":       listing("gopher://h/0/dir/sub/y"),
		"gopher://h/0/dir/sub/y":    nil,
		"http://h/pub/":             listing("http://h/pub/x", "http://h/pub/sub/", "http://h/pub/x?y", "http://h/pub/x;type=a"),
		"http://h/pub/?C=M;O=A":     listing("http://h/pub/sub/", "http://h/pub/x", "http://h/pub/?C=N", "http://h/pub/x;type=a"),
		"http://h/pub/x":            nil,
		"http://h/pub/x%3Btype%3Da": nil,
		"http://h/pub/sub":          nil,
		"http://h/pub/sub/":         listing("http://h/pub/sub/y"),
		"http://h/pub/sub/y":        nil,
		"file:///pub/":              listing("file:///pub/x", "file:///pub/sub/"),
		"file:///pub/x":             nil,
		"file:///pub/sub/":          listing("file:/pub/sub/y"),
		"file:///pub/sub/y":         nil,
		"file:/pub/":                listing("file:///pub/x", "file:///pub/sub/"),
		"file:/pub/x":               nil,
		"file:/pub/sub/":            listing("file:///pub/sub/y"),
		"file:/pub/sub/y":           nil,
		"prospero://h/pub/":         listing("prospero://h/pub/x", "prospero://h/pub/sub/"),
		"prospero://h/pub/x":        nil,
		"prospero://h/pub/sub/":     listing("prospero://h/pub/sub/y"),
		"prospero://h/pub/sub/y":    nil,
	}
	delete(s, "http://h/pub/sub") // its server redirects to the directory
	for _, test := range []struct {
		base string
		want []string
	}{
		{"ftp://h/pub", nil},
		{"FTP://h/pub/", nil},
		{"Ftp://H/pub", nil},
		{"ftp://u:pw@h/pub", nil},
		{"ftp://h/p%75b", nil},
		{"ftp://h/pub;type=d", nil},
		{"ftp://h/pub/;type=A", nil},
		{"FTP://h/pub;TYPE=i#f", nil},
		{"ftp://h/a?b", nil},
		{"ftp://h/a?b/", nil},
		{"gopher://h", nil},
		{"GOPHER://h/", nil},
		{"Gopher://H/1/", nil},
		{"GOPHER://h/1/dir", nil},
		{"gopher://h/1/dir%09%09+", nil},
		{"gopher://h/7/dir%09word", nil},
		{"HTTP://h/pub", []string{"sub", "x", "x;type=a"}},
		{"http://h/pub/?C=M;O=A", []string{"sub", "x", "x;type=a"}},
		{"http://h/pub?C=M;O=A", []string{"sub", "x", "x;type=a"}},
		{"file:///pub", nil},
		{"FILE:/pub", nil},
		{"prospero://h/pub", nil},
	} {
		if test.want == nil {
			test.want = []string{"sub", "x"}
		}
		fsys := FS(t.Context(), folded(s), url.MustParse(test.base))
		entries, err := fs.ReadDir(fsys, ".")
		if got := names(entries); !slices.Equal(got, test.want) || err != nil {
			t.Errorf("ReadDir under %q = %q, %v, want %q", test.base, got, err, test.want)
		}
		if got, err := fs.ReadFile(fsys, "x"); len(got) == 0 || err != nil {
			t.Errorf("ReadFile of x under %q = %q, %v", test.base, got, err)
		}
		entries, err = fs.ReadDir(fsys, "sub")
		if got := names(entries); !slices.Equal(got, []string{"y"}) || err != nil {
			t.Errorf("ReadDir of sub under %q = %q, %v, want y", test.base, got, err)
		}
		if got, err := fs.ReadFile(fsys, "sub/y"); len(got) == 0 || err != nil {
			t.Errorf("ReadFile of sub/y under %q = %q, %v", test.base, got, err)
		}
		if got, err := fs.ReadFile(fsys, "none"); err == nil {
			t.Errorf("ReadFile of a missing file under %q = %q, want an error", test.base, got)
		}
	}
}

// folded is a server that ignores the user and the case of scheme and host, and decodes
// "%75" to "u".
func folded(s server) Engine {
	return GetFunc(func(ctx context.Context, req *Request) (*Resource, error) {
		text, _, _ := strings.Cut(req.URL.String(), "#")
		text = strings.NewReplacer("u:pw@", "", "%75", "u").Replace(text)
		var head string
		if at := strings.Index(text, "//"); at >= 0 {
			end := strings.IndexByte(text[at+2:]+"/", '/')
			head = text[:at+2+end]
		} else {
			head, _, _ = strings.Cut(text, "/")
		}
		return s.Do(ctx, &Request{URL: url.MustParse(strings.ToLower(head) + text[len(head):])})
	})
}
