package gopher_test

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"locus/access"
	"locus/internal/peers"
	"locus/proto/gopher"
	"locus/url"
)

const plainText = "plain text\n.dot\n.\nend\n"

// writeFiles writes files into a new directory, for a server to serve.
func writeFiles(t *testing.T, files map[string]string) string {
	root := t.TempDir()
	for name, text := range files {
		file := filepath.Join(root, name)
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatalf("%q: %v", text, err)
		}
		mode := os.FileMode(0o644)
		if strings.HasPrefix(name, "cgi-bin/") {
			mode = 0o755
		}
		if err := os.WriteFile(file, []byte(text), mode); err != nil {
			t.Fatalf("%q: %v", text, err)
		}
	}
	return root
}

// A peer is a real server, and the client that talks to it.
type peer struct {
	t *testing.T
	s *peers.Server
	c gopher.Client
}

func newPeer(t *testing.T, s *peers.Server) peer {
	return peer{t, s, gopher.Client{Dial: new(net.Dialer).DialContext, Habits: new(gopher.Habits)}}
}

func (p peer) url(path string) url.URL { return url.MustParse("gopher://" + p.s.Addr + path) }

// get describes the result of opening path. The server's address is "h" in it.
func (p peer) get(path string) string {
	p.t.Helper()
	text := describe(p.t.Context(), p.c, p.url(path))
	return strings.ReplaceAll(text, p.s.Addr, "h")
}

func (p peer) stat(path string) access.Entry {
	p.t.Helper()
	r, err := p.c.Do(p.t.Context(), &access.Request{Op: access.Stat, URL: p.url(path)})
	if err != nil {
		p.t.Errorf("Stat(%q) = %v, want an entry", path, err)
		return access.Entry{}
	}
	return r.Entry
}

// wants checks that the result of opening path contains each want.
func (p peer) wants(path string, want ...string) {
	p.t.Helper()
	got := p.get(path)
	for _, w := range want {
		if !strings.Contains(got, w) {
			p.t.Errorf("opening %q gives\n%s\nwant in it %s", path, got, w)
		}
	}
}

// req: 1738-3.4-4
func TestGophernicus(t *testing.T) {
	root := writeFiles(t, map[string]string{
		"a.txt":          plainText,
		"b.bin":          "\x00\x01\r\n.\r\n",
		"sub/x.txt":      "x\n",
		"gophermap":      "0A text\ta.txt\n9binary\tb.bin\n1sub\tsub\n7Search\tcgi-bin/search\nhWeb\tURL:http://example.org/\n8tel\tguest\texample.org\t23\n",
		"cgi-bin/search": "#!/bin/sh\nprintf '0hit for %s\\t/a.txt\\t127.0.0.1\\t70\\r\\n.\\r\\n' \"$QUERY_STRING\"\n",
	})
	p := newPeer(t, peers.Gophernicus(t, root))
	p.wants("", `object "A text" <gopher://h/0/a.txt> text/plain`, `object "binary" <gopher://h/9/b.bin>`,
		`directory "sub" <gopher://h/1/sub>`, `search "Search" <gopher://h/7/cgi-bin/search>`,
		`object "Web" <http://example.org/> text/html`, `terminal "tel" <telnet://guest@example.org>`)
	p.wants("/0/a.txt", "type \"text/plain\" size -1\n\"plain text\\r\\n\"\n\".dot\\r\\n\"\n\".\\r\\n\"\n\"end\\r\\n\"\n")
	p.wants("/9/b.bin", `"\x00\x01\r\n"`, `".\r\n"`)
	p.wants("/7/cgi-bin/search%09foo%20bar", `object "hit for foo bar" <gopher://127.0.0.1/0/a.txt>`)
	p.wants("/1/nope", "error [not-exist]")
	// It does not support Gopher+, and replies with the item.
	p.wants("/0/a.txt%09%09+", `"plain text\r\n"`)
	p.wants("/1/sub%09%09$", `<gopher://h/0/sub/x.txt> text/plain`)
	if e := p.stat("/0/a.txt%09%09+"); e.Kind != access.Object || e.Type != "text/plain" || e.Size != -1 {
		t.Errorf("Stat of a text = %+v, want an object, text/plain, size -1", e)
	}
	if e := p.stat("/1/sub"); e.Kind != access.Directory {
		t.Errorf("Stat of a menu = %+v, want a directory", e)
	}
}

// req: 1738-3.4-4 1738-3.4-6 1738-3.4-7
func TestPygopherd(t *testing.T) {
	root := writeFiles(t, map[string]string{
		"plain.txt":          plainText,
		"plain.txt.abstract": "Abstract of plain\n",
		"docs/inner.txt":     "inner\n",
		"survey":             "thank you\n",
		"survey.ask":         "Note: Please fill in this form\nAsk: Your name?\tAnonymous\nChoose: Favourite colour?\tred\tgreen\tblue\n",
	})
	p := newPeer(t, peers.Pygopherd(t, root))
	p.wants("", `object "plain" <gopher://h/0/plain.txt%09%09+> text/plain`, `directory "docs" <gopher://h/1/docs%09%09+>`)
	p.wants("/0/plain.txt", fmt.Sprintf("%q", ".dot\n"), fmt.Sprintf("%q", ".\n"))
	p.wants("/0/plain.txt%09%09+", fmt.Sprintf("size %d", len(plainText)), fmt.Sprintf("%q", ".\n"))
	p.wants("/1/docs%09%09+", `object "inner" <gopher://h/0/docs/inner.txt%09%09+>`)
	p.wants("/1%09%09$", `+ABSTRACT ["Abstract of plain"]`, `form "survey" <gopher://h/0/survey%09%09%3F>`)
	p.wants("/0/nope", "error [not-exist]")
	p.wants("/0/nope%09%09+", "error [not-exist]")
	p.wants("/1/nope", "error [not-exist]")

	e := p.stat("/0/plain.txt%09%09+")
	if e.Kind != access.Object || e.Type != "text/plain" || e.ModTime.IsZero() || e.Size != -1 {
		t.Errorf("Stat of a text = %+v, want an object, text/plain, with a date", e)
	}
	if _, err := p.c.Do(t.Context(), &access.Request{Op: access.Stat, URL: p.url("/0/nope%09%09+")}); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("Stat of nothing = %v, want fs.ErrNotExist", err)
	}
	p.submitForm()
}

// submitForm reads a form and answers it.
func (p peer) submitForm() {
	p.t.Helper()
	req := &access.Request{URL: p.url("/0/survey%09%09%3F")}
	if _, err := p.c.Do(p.t.Context(), req); !errors.Is(err, access.ErrForm) {
		p.t.Errorf("Open of a form = %v, want access.ErrForm", err)
	}
	r, err := p.c.Do(p.t.Context(), req.WithOp(access.Ask))
	if err != nil {
		p.t.Fatalf("Ask(%q) = %v, want three questions", req.URL, err)
	}
	if q := r.Questions; len(q.Items) != 3 || q.Items[1].Name != "your-name" || q.Items[1].Default != "Anonymous" {
		p.t.Fatalf("Ask(%q) = %+v, want three questions", req.URL, q)
	}
	answers := []access.Answer{{}, {Text: "Ada"}, {Text: "green"}}
	r, err = p.c.Do(p.t.Context(), &access.Request{URL: req.URL, Answers: answers})
	if err != nil {
		p.t.Fatalf("Open(%q) with answers = %v", req.URL, err)
	}
	defer r.Body.Close()
	if text, err := io.ReadAll(r.Body); err != nil || !strings.Contains(string(text), "thank you") {
		p.t.Errorf("the answer to the form = %q, %v", text, err)
	}
}
