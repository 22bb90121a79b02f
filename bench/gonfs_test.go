package bench

import (
	"bytes"
	"context"
	"errors"
	"io"
	"io/fs"
	"net"
	"os"
	"slices"
	"testing"
	"time"

	"github.com/go-git/go-billy/v5"
	"github.com/go-git/go-billy/v5/osfs"
	"github.com/go-git/go-billy/v5/util"
	gonfs "github.com/willscott/go-nfs"
	"github.com/willscott/go-nfs/helpers"

	"locus/access"
	"locus/proto/nfs"
	"locus/url"
)

// A settable is a file system that accepts attributes without storing them.
type settable struct{ billy.Filesystem }

func (settable) Chmod(string, os.FileMode) error            { return nil }
func (settable) Lchown(string, int, int) error              { return nil }
func (settable) Chown(string, int, int) error               { return nil }
func (settable) Chtimes(string, time.Time, time.Time) error { return nil }

// serveGoNFS starts go-nfs, and returns a client and the URL of the server.
func serveGoNFS(t *testing.T, handler gonfs.Handler) (c nfs.Client, base string) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	served := make(chan error, 1)
	go func() { served <- gonfs.Serve(l, handler) }()
	c = nfs.Client{Dial: new(net.Dialer).DialContext, Pool: &nfs.Pool{}}
	t.Cleanup(func() {
		c.Pool.Close()
		l.Close()
		<-served
	})
	return c, "nfs://" + l.Addr().String() + "/"
}

// The client and go-nfs, a server in Go, understand each other. The server has neither a
// public directory nor a list of exports.
func TestGoNFS(t *testing.T) {
	files := settable{osfs.New(t.TempDir())}
	c, base := serveGoNFS(t, helpers.NewCachingHandler(helpers.NewNullAuthHandler(files), 1024))
	content := bytes.Repeat([]byte("0123456789"), 300_000)
	do := func(op access.Op, name string, body []byte) (*access.Resource, error) {
		return c.Do(t.Context(), &access.Request{Op: op, URL: url.MustParse(base + name), Body: bytes.NewReader(body), Size: int64(len(body))})
	}
	for _, step := range []struct {
		op   access.Op
		name string
		body []byte
		want error
	}{
		{access.MakeDir, "d", nil, nil},
		{access.Put, "d/f", content, nil},
		{access.Put, "d/g", []byte("small"), nil},
		{access.Append, "d/g", []byte(", and more"), nil},
		{access.Delete, "d/", nil, access.ErrServer}, // it does not tell a reason
		{access.Delete, "d/none", nil, fs.ErrNotExist},
	} {
		if _, err := do(step.op, step.name, step.body); !errors.Is(err, step.want) || (err == nil) != (step.want == nil) {
			t.Errorf("%v %s = %v, want %v", step.op, step.name, err, step.want)
		}
	}
	for name, want := range map[string][]byte{"d/f": content, "d/g": []byte("small, and more")} {
		r, err := do(access.Get, name, nil)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		got, err := io.ReadAll(r.Body)
		r.Body.Close()
		if err != nil || !bytes.Equal(got, want) {
			t.Errorf("%s: %d bytes, %v, want %d", name, len(got), err, len(want))
		}
	}
	if names := listNFS(t, c, base+"d"); !slices.Equal(names, []string{"f", "g"}) {
		t.Errorf("names %q", names)
	}
}

// A publicHandler gives its files to everyone by the public file handle, which has no bytes
// (RFC 2055 §4). It refuses mounts.
type publicHandler struct {
	gonfs.Handler
	files billy.Filesystem
}

func (h publicHandler) FromHandle(handle []byte) (billy.Filesystem, []string, error) {
	if len(handle) == 0 {
		return h.files, nil, nil
	}
	return h.Handler.FromHandle(handle)
}

func (publicHandler) Mount(context.Context, net.Conn, gonfs.MountRequest) (gonfs.MountStatus, billy.Filesystem, []gonfs.AuthFlavor) {
	return gonfs.MountStatusErrAcces, nil, nil
}

// With a public directory, the client finds files by their paths without mounting, and
// reads, lists and writes them. The test does not list the public directory itself, because
// go-nfs 0.0.4 does not understand a call that ends in a handle without bytes.
func TestGoNFSPublic(t *testing.T) {
	files := settable{osfs.New(t.TempDir())}
	content := bytes.Repeat([]byte("0123456789"), 300_000)
	for name, data := range map[string][]byte{"d/e/f": content, "d/50%": []byte("percent"), "top": []byte("top")} {
		if err := util.WriteFile(files, name, data, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	handler := publicHandler{helpers.NewCachingHandler(helpers.NewNullAuthHandler(files), 1024), files}
	c, base := serveGoNFS(t, handler)
	for name, want := range map[string][]byte{"d/e/f": content, "d/50%25": []byte("percent"), "top": []byte("top")} {
		r, err := c.Do(t.Context(), &access.Request{URL: url.MustParse(base + name)})
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		got, err := io.ReadAll(r.Body)
		r.Body.Close()
		if err != nil || !bytes.Equal(got, want) {
			t.Errorf("%s: %d bytes, %v, want %d", name, len(got), err, len(want))
		}
	}
	if _, err := c.Do(t.Context(), &access.Request{URL: url.MustParse(base + "d/none")}); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a missing file: %v", err)
	}
	if names := listNFS(t, c, base+"d/"); !slices.Equal(names, []string{"50%", "e"}) {
		t.Errorf("names %q", names)
	}
	body := []byte("new")
	if _, err := c.Do(t.Context(), &access.Request{Op: access.Put, URL: url.MustParse(base + "d/new"), Body: bytes.NewReader(body), Size: 3}); err != nil {
		t.Fatal(err)
	}
	if got, err := util.ReadFile(files, "d/new"); err != nil || !bytes.Equal(got, body) {
		t.Errorf("the server stores %q, %v", got, err)
	}
}

// listNFS returns the sorted names in a directory.
func listNFS(t *testing.T, c nfs.Client, u string) (names []string) {
	t.Helper()
	r, err := c.Do(t.Context(), &access.Request{URL: url.MustParse(u)})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Body.Close()
	err = access.Entries(r.List, func(e access.Entry) error {
		names = append(names, e.Title)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	slices.Sort(names)
	return names
}
