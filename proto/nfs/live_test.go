package nfs_test

import (
	"context"
	"errors"
	"fmt"
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
	"locus/proto/nfs"
	"locus/url"
)

// ganesha returns a Client of an NFS-Ganesha that exports the directories.
func ganesha(t *testing.T, folders ...string) nfs.Client {
	t.Helper()
	s := peers.Ganesha(t, folders...)
	pool := &nfs.Pool{}
	t.Cleanup(func() { pool.Close() })
	return nfs.Client{MountPort: s.MountPort, Pool: pool, Dial: func(ctx context.Context, network, address string) (net.Conn, error) {
		return new(net.Dialer).DialContext(ctx, network, strings.NewReplacer("h:2049", s.Addr, "h:", s.Host+":").Replace(address))
	}}
}

func writeFile(t *testing.T, dir, name, content string) {
	t.Helper()
	file := filepath.Join(dir, name)
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(content), 0o644); err != nil {
		t.Fatal(err)
	}
}

// The error for a server that supports only version 4 says so.
func TestGaneshaVersion4(t *testing.T) {
	s := peers.GaneshaV4(t, t.TempDir())
	c := nfs.Client{Dial: func(ctx context.Context, network, _ string) (net.Conn, error) {
		return new(net.Dialer).DialContext(ctx, network, s.Addr)
	}}
	_, err := get(t, c, "nfs://h/file")
	const want = "open nfs://h/file: the server has version 4 of NFS only, and version 3 is needed"
	if !errors.Is(err, errors.ErrUnsupported) || err.Error() != want {
		t.Errorf("a server with version 4: %v, want %q", err, want)
	}
}

// The Client reads files of any size from any offset, names of any bytes, links within the
// export and long directories from NFS-Ganesha.
func TestGaneshaReading(t *testing.T) {
	dir, other := t.TempDir(), t.TempDir()
	content := numbered(5_000_001)
	writeFile(t, dir, "big", content)
	writeFile(t, dir, "sub/\xff\n%41", "odd")
	writeFile(t, dir, "empty", "")
	for i := range 2500 {
		writeFile(t, dir, fmt.Sprintf("many/name%04d", i), strings.Repeat("x", i%7))
	}
	for name, target := range map[string]string{"rel": "sub/../big", "abs": filepath.Join(dir, "big"), "out": "/etc/passwd", "other": other} {
		if err := os.Symlink(target, filepath.Join(dir, name)); err != nil {
			t.Fatalf("%q: %v", name, err)
		}
	}
	sparse, err := os.Create(filepath.Join(dir, "sparse"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := sparse.WriteAt([]byte("end"), 6<<30); err != nil {
		t.Skipf("no room for a sparse file: %v", err)
	}
	sparse.Close()
	c := ganesha(t, dir, other)
	base := "nfs://h:2049" + dir + "/"
	for name, want := range map[string]string{"big": content, "rel": content, "abs": content, "empty": "", "sub/%FF%0A%2541": "odd"} {
		if got, err := get(t, c, base+name); got != want || err != nil {
			t.Errorf("%s: %d bytes, %v, want %d", name, len(got), err, len(want))
		}
	}
	for name, want := range map[string]error{"out": fs.ErrPermission, "other": fs.ErrPermission, "nothing": fs.ErrNotExist, "big/x": fs.ErrNotExist} {
		if _, err := get(t, c, base+name); !errors.Is(err, want) {
			t.Errorf("%s gives %v, want %v", name, err, want)
		}
	}
	r, err := c.Do(t.Context(), &access.Request{URL: url.MustParse(base + "sparse"), Offset: 6 << 30})
	if got, readErr := read(r, err); got != "end" || readErr != nil || r.Size != 6<<30+3 {
		t.Errorf("Read beyond 6 GiB = %q, %v", got, readErr)
	}
	names, err := titles(t, c, base+"many")
	slices.Sort(names)
	if err != nil || len(names) != 2500 || names[0] != "name0000" || len(slices.Compact(names)) != 2500 {
		t.Errorf("%d names, %v", len(names), err)
	}
	top, err := titles(t, c, "nfs://h:2049/")
	if err != nil || len(top) != 1 {
		t.Errorf("the exports are %q, %v", top, err)
	}
	e, err := c.Do(t.Context(), &access.Request{Op: access.Stat, URL: url.MustParse(base + "big")})
	info, statErr := os.Stat(filepath.Join(dir, "big"))
	if err != nil || statErr != nil || e.Size != info.Size() || !e.ModTime.Equal(info.ModTime()) {
		t.Errorf("Stat = %+v, %v, want %v", e, err, info.ModTime())
	}
}

// The Client writes files to NFS-Ganesha, which stores them in its directory.
func TestGaneshaWriting(t *testing.T) {
	dir := t.TempDir()
	writeFile(t, dir, "old", "what was there")
	if err := os.Chmod(filepath.Join(dir, "old"), 0o755); err != nil {
		t.Fatal(err)
	}
	c := ganesha(t, dir)
	base := "nfs://h:2049" + dir + "/"
	content := numbered(3_000_001)
	when := time.Date(2020, 5, 6, 7, 8, 9, 0, time.UTC)
	holds := func(name, want string) {
		t.Helper()
		if got, err := os.ReadFile(filepath.Join(dir, name)); string(got) != want || err != nil {
			t.Errorf("%s has %d bytes, %v, want %d", name, len(got), err, len(want))
		}
	}
	for _, name := range []string{"old", "new"} {
		if _, err := change(t, c, access.Put, base+name, content, func(r *access.Request) { r.ModTime = when }); err != nil {
			t.Fatalf("%q: %v", name, err)
		}
		holds(name, content)
	}
	if info, err := os.Stat(filepath.Join(dir, "old")); err != nil || info.Mode() != 0o755 || !info.ModTime().Equal(when) {
		t.Errorf("old is %v of %v, %v", info.Mode(), info.ModTime(), err)
	}
	if _, err := change(t, c, access.Put, base+"new", "x", func(r *access.Request) { r.IfAbsent = true }); !errors.Is(err, fs.ErrExist) {
		t.Errorf("Put IfAbsent = %v", err)
	}
	if _, err := change(t, c, access.Put, base+"once", "x", func(r *access.Request) { r.IfAbsent = true }); err != nil {
		t.Errorf("Put IfAbsent of a new name = %v", err)
	}
	if _, err := change(t, c, access.Append, base+"once", "yz"); err != nil {
		t.Error(err)
	}
	holds("once", "xyz")
	if _, err := change(t, c, access.Put, base+"once", "...", func(r *access.Request) { r.Offset = 3 }); err != nil {
		t.Error(err)
	}
	holds("once", "xyz...")
	for _, test := range []struct {
		op   access.Op
		name string
		want error
	}{
		{access.MakeDir, "d", nil},
		{access.MakeDir, "d", fs.ErrExist},
		{access.Put, "d/f", nil},
		{access.Delete, "d/", fs.ErrPermission},
		{access.Delete, "d/f", nil},
		{access.Delete, "d", fs.ErrPermission},
		{access.Delete, "d/", nil},
		{access.Delete, "d/", fs.ErrNotExist},
		{access.Put, "no/f", fs.ErrNotExist},
		{access.Put, strings.Repeat("n", 255), nil},
	} {
		_, err := change(t, c, test.op, base+test.name, "content")
		if !errors.Is(err, test.want) || (err == nil) != (test.want == nil) {
			t.Errorf("%v %s = %v, want %v", test.op, test.name, err, test.want)
		}
	}
	found, err := os.ReadDir(dir)
	if err != nil || len(found) != 4 {
		t.Errorf("the folder has %v, %v", found, err)
	}
	other := c
	other.Identity = &nfs.Identity{UID: 4711, GID: 4711}
	if _, err := change(t, other, access.Put, base+"theirs", "x"); !errors.Is(err, fs.ErrPermission) {
		t.Errorf("Put by another user = %v", err)
	}
}
