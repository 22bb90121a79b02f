package bench

import (
	"bytes"
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
	gonfs "github.com/willscott/go-nfs"
	"github.com/willscott/go-nfs/helpers"

	"locus/access"
	"locus/proto/nfs"
	"locus/url"
)

// A settable is a file system that takes attributes and forgets them.
type settable struct{ billy.Filesystem }

func (settable) Chmod(string, os.FileMode) error            { return nil }
func (settable) Lchown(string, int, int) error              { return nil }
func (settable) Chown(string, int, int) error               { return nil }
func (settable) Chtimes(string, time.Time, time.Time) error { return nil }

// The client and go-nfs, a server in Go, understand each other. The server has neither a
// public directory nor a list of exports.
func TestGoNFS(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	handler := helpers.NewCachingHandler(helpers.NewNullAuthHandler(settable{osfs.New(t.TempDir())}), 1024)
	served := make(chan error, 1)
	go func() { served <- gonfs.Serve(l, handler) }()
	t.Cleanup(func() {
		l.Close()
		<-served
	})
	c := nfs.Client{Dial: new(net.Dialer).DialContext, Pool: &nfs.Pool{}}
	defer c.Pool.Close()
	base := "nfs://" + l.Addr().String() + "/"
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
		{access.Delete, "d/", nil, access.ErrServer}, // it tells no reason
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
	r, err := do(access.Get, "d", nil)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Body.Close()
	var names []string
	err = access.Entries(r.List, func(e access.Entry) error {
		names = append(names, e.Title)
		return nil
	})
	if slices.Sort(names); err != nil || !slices.Equal(names, []string{"f", "g"}) {
		t.Errorf("names %q, %v", names, err)
	}
}
