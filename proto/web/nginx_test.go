package web_test

import (
	"errors"
	"io"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"locus/access"
	"locus/internal/peers"
	"locus/proto/web"
	"locus/url"
)

const nginxText = "What the net was like in 1994.\n"

var nginxTime = time.Date(1994, 12, 1, 12, 0, 0, 0, time.UTC)

// An nginx is a real server with a few files, and a client that talks to it.
type nginx struct {
	t      *testing.T
	server *peers.Server
	client *web.Client
}

func newNginx(t *testing.T) nginx {
	t.Helper()
	root := t.TempDir()
	if err := os.Mkdir(filepath.Join(root, "dir"), 0o755); err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{
		"a.txt": nginxText, "empty.txt": "", "dir/one.txt": "1", "dir/a b;c.txt": "2", "q?r.txt": "3", "x/y": "",
	} {
		file := filepath.Join(root, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		if err := os.Chtimes(file, nginxTime, nginxTime); err != nil {
			t.Fatal(err)
		}
	}
	c := &web.Client{Dial: new(net.Dialer).DialContext}
	t.Cleanup(c.CloseIdleConnections)
	return nginx{t, peers.Nginx(t, root), c}
}

func (n nginx) request(path string) *access.Request {
	return &access.Request{URL: url.MustParse("http://" + n.server.Addr + path)}
}

// open returns the resource and all of its octets.
func (n nginx) open(req *access.Request) (*access.Resource, string) {
	n.t.Helper()
	r, err := n.client.Open(n.t.Context(), req)
	if err != nil {
		n.t.Fatalf("Open(%q): %v", req.URL, err)
	}
	defer r.Body.Close()
	text, err := io.ReadAll(r.Body)
	if err != nil {
		n.t.Fatalf("reading %q: %v after %q", req.URL, err, text)
	}
	return r, string(text)
}

// req: 1738-3.3-3
func TestNginxGet(t *testing.T) {
	n := newNginx(t)
	for _, tt := range []struct {
		path    string
		want    string
		media   string
		request string // as nginx had it
	}{
		{"/a.txt", nginxText, "text/plain; charset=utf-8", ""},
		{"/a.txt#part", nginxText, "text/plain; charset=utf-8", "GET /a.txt HTTP/1.1"},
		{"/a.txt?x=1&y=%20", nginxText, "text/plain; charset=utf-8", ""},
		{"/%61.txt", nginxText, "text/plain; charset=utf-8", ""},
		{"/empty.txt", "", "text/plain; charset=utf-8", ""},
		{"/dir/a%20b;c.txt", "2", "text/plain; charset=utf-8", ""},
		{"/q%3Fr.txt", "3", "text/plain; charset=utf-8", ""},
	} {
		r, text := n.open(n.request(tt.path))
		if text != tt.want || r.Type != tt.media || r.Size != int64(len(tt.want)) || !r.ModTime.Equal(nginxTime) || r.ETag == "" {
			t.Errorf("Open(%q) = %q, type %q, size %d, time %v, etag %q; want %q, %q, %d, %v and an etag",
				tt.path, text, r.Type, r.Size, r.ModTime, r.ETag, tt.want, tt.media, len(tt.want), nginxTime)
		}
		want := tt.request
		if want == "" {
			want = "GET " + tt.path + " HTTP/1.1"
		}
		if got := n.server.Commands(t, want); !slices.Equal(got, []string{want}) {
			t.Errorf("Open(%q) sent %q, want %q", tt.path, got, want)
		}
	}
}

func TestNginxStat(t *testing.T) {
	n := newNginx(t)
	e, err := n.client.Stat(t.Context(), n.request("/a.txt"))
	if err != nil {
		t.Fatal(err)
	}
	if e.Size != int64(len(nginxText)) || !e.ModTime.Equal(nginxTime) || e.Type != "text/plain; charset=utf-8" {
		t.Errorf("Stat(/a.txt) = %+v, want size %d, time %v, text/plain", e, len(nginxText), nginxTime)
	}
	if got := n.server.Commands(t, "HEAD /a.txt HTTP/1.1"); len(got) != 1 {
		t.Errorf("Stat(/a.txt) sent %q, want one HEAD", got)
	}
}

func TestNginxRange(t *testing.T) {
	n := newNginx(t)
	for _, tt := range []struct {
		offset, length int64
		want           string
	}{
		{5, 0, nginxText[5:]},
		{5, 3, nginxText[5:8]},
		{0, 4, nginxText[:4]},
		{int64(len(nginxText)) - 1, 0, "\n"},
	} {
		req := n.request("/a.txt")
		req.Offset, req.Length = tt.offset, tt.length
		r, text := n.open(req)
		if text != tt.want || r.Offset != tt.offset || r.Size != int64(len(nginxText)) {
			t.Errorf("Open(offset %d, length %d) = %q at %d of %d, want %q at %d of %d",
				tt.offset, tt.length, text, r.Offset, r.Size, tt.want, tt.offset, len(nginxText))
		}
	}

	req := n.request("/a.txt")
	req.Offset = 1000
	r, err := n.client.Open(t.Context(), req)
	if err == nil {
		text, _ := io.ReadAll(r.Body)
		r.Body.Close()
		if len(text) > 0 {
			t.Errorf("Open(offset 1000) = %q, want none of it", text)
		}
	} else if !errors.Is(err, access.ErrRange) {
		t.Errorf("Open(offset 1000) = %v, want ErrRange", err)
	}
}

func TestNginxConditional(t *testing.T) {
	n := newNginx(t)
	r, _ := n.open(n.request("/a.txt"))

	same := n.request("/a.txt")
	same.IfChanged = r.Validator()
	if _, err := n.client.Open(t.Context(), same); !errors.Is(err, access.ErrNotModified) {
		t.Errorf("Open(if changed since its own validator) = %v, want ErrNotModified", err)
	}

	rest := n.request("/a.txt")
	rest.Offset, rest.IfMatch = 5, r.Validator()
	if _, text := n.open(rest); text != nginxText[5:] {
		t.Errorf("Open(the rest of the same version) = %q, want %q", text, nginxText[5:])
	}

	file := filepath.Join(n.server.Root, "a.txt")
	if err := os.WriteFile(file, []byte("another text, and another time\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := n.client.Open(t.Context(), rest); !errors.Is(err, access.ErrChanged) {
		t.Errorf("Open(the rest of a version that is gone) = %v, want ErrChanged", err)
	}
	if _, text := n.open(same); !strings.HasPrefix(text, "another") {
		t.Errorf("Open(if changed) = %q after it was, want the new text", text)
	}
}

func TestNginxDirectory(t *testing.T) {
	n := newNginx(t)
	r, text := n.open(n.request("/dir/"))
	if !strings.HasPrefix(r.Type, "text/html") || !strings.Contains(text, `href="a%20b%3Bc.txt"`) && !strings.Contains(text, `href="a%20b;c.txt"`) {
		t.Errorf("Open(/dir/) = %q of type %q, want a page that leads to its files", text, r.Type)
	}

	// Without its slash a directory is somewhere else.
	_, err := n.client.Open(t.Context(), n.request("/dir"))
	moved, ok := errors.AsType[*access.Moved](err)
	if !ok {
		t.Fatalf("Open(/dir) = %v, want *access.Moved", err)
	}
	if got, want := moved.To.String(), "http://"+n.server.Addr+"/dir/"; got != want {
		t.Errorf("Open(/dir) moved to %q, want %q", got, want)
	}
}

func TestNginxErrors(t *testing.T) {
	n := newNginx(t)
	file := filepath.Join(n.server.Root, "locked.txt")
	if err := os.WriteFile(file, []byte("secret"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(file, 0); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		path string
		want error
	}{
		{"/nope", fs.ErrNotExist},
		{"/a.txt/nope", fs.ErrNotExist},
		{"/locked.txt", fs.ErrPermission},
	} {
		if _, err := n.client.Open(t.Context(), n.request(tt.path)); !errors.Is(err, tt.want) {
			t.Errorf("Open(%q) = %v, want %v", tt.path, err, tt.want)
		}
		if _, err := n.client.Stat(t.Context(), n.request(tt.path)); !errors.Is(err, tt.want) {
			t.Errorf("Stat(%q) = %v, want %v", tt.path, err, tt.want)
		}
	}
}
