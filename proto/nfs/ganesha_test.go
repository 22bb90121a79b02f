//go:build !windows

package nfs_test

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"locus/access"
	"locus/proto/nfs"
	"locus/url"
)

// inMemory returns a directory in memory if this machine has one, because many files are made
// quickly there.
func inMemory(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("/dev/shm", "")
	if err != nil {
		return t.TempDir()
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	if err := os.Chmod(dir, 0o755); err != nil { //nolint:gosec // for the users of the server
		t.Fatal(err)
	}
	return dir
}

// A directory with 100 000 names is listed completely, each name once.
func TestGaneshaLongListing(t *testing.T) {
	const files, maxLinks = 100_000, 25_000 // links are made quicker than files
	dir := inMemory(t)
	c := ganesha(t, dir)
	many := filepath.Join(dir, "many")
	if err := os.Mkdir(many, 0o777); err != nil {
		t.Fatal(err)
	}
	first := ""
	for i := range files {
		name := filepath.Join(many, fmt.Sprintf("name%06d", i))
		if i%maxLinks == 0 {
			writeFile(t, many, filepath.Base(name), "x")
			first = name
		} else if err := os.Link(first, name); err != nil {
			t.Fatal(err)
		}
	}
	names, err := titles(t, c, "nfs://h:2049"+many)
	if err != nil {
		t.Fatal(err)
	}
	seen := make(map[string]bool, files)
	for _, name := range names {
		seen[name] = true
	}
	if len(names) != files || len(seen) != files || !seen["name000000"] || !seen["name099999"] {
		t.Errorf("%d names, %d of them different, want %d", len(names), len(seen), files)
	}
}

// A file of more than 4 GiB can be read and continued beyond 4 GiB.
func TestGanesha4GiB(t *testing.T) {
	const limit = 4 << 30
	dir := t.TempDir()
	file := filepath.Join(dir, "large")
	f, err := os.Create(file)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.WriteAt([]byte("12345678"), limit-4); err != nil {
		t.Skipf("no room for a sparse file: %v", err)
	}
	f.Close()
	if err := os.Chmod(file, 0o666); err != nil {
		t.Fatal(err)
	}
	c := ganesha(t, dir)
	u := "nfs://h:2049" + file
	r, err := c.Do(t.Context(), &access.Request{URL: url.MustParse(u), Offset: limit - 6})
	if got, readErr := read(r, err); got != "\x00\x0012345678" || readErr != nil || r.Size != limit+4 {
		t.Errorf("Read around 4 GiB = %q, %v", got, readErr)
	}
	if _, err := change(t, c, access.Put, u, "9abc", func(r *access.Request) { r.Offset = limit + 4 }); err != nil {
		t.Fatal(err)
	}
	r, err = c.Do(t.Context(), &access.Request{URL: url.MustParse(u), Offset: limit})
	if got, readErr := read(r, err); got != "56789abc" || readErr != nil {
		t.Errorf("Read beyond 4 GiB = %q, %v", got, readErr)
	}
}

// The server lets each user read only the files that this user may read. A Client without an
// Identity is not root.
func TestGaneshaUsers(t *testing.T) {
	dir := t.TempDir()
	writeFile(t, dir, "private", "secret")
	c := ganesha(t, dir)
	if err := errors.Join(os.Chown(filepath.Join(dir, "private"), 4711, 4712), os.Chmod(filepath.Join(dir, "private"), 0o640)); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(filepath.Join(dir, "all"), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(filepath.Join(dir, "all"), 0o777); err != nil {
		t.Fatal(err)
	}
	base := "nfs://h:2049" + dir + "/"
	for i, test := range []struct {
		identity *nfs.Identity
		want     error
		owner    uint32 // of a new file
	}{
		{nil, fs.ErrPermission, 65534},
		{&nfs.Identity{UID: 4711, GID: 4711}, nil, 4711},
		{&nfs.Identity{UID: 4713, GID: 4713}, fs.ErrPermission, 4713},
		{&nfs.Identity{UID: 4713, GID: 4712}, nil, 4713},
		{&nfs.Identity{UID: 4713, GID: 4713, Groups: []uint32{1, 4712}}, nil, 4713},
		{&nfs.Identity{}, fs.ErrPermission, 1<<32 - 2},
	} {
		c.Identity = test.identity
		got, err := get(t, c, base+"private")
		if !errors.Is(err, test.want) || test.want == nil && got != "secret" {
			t.Errorf("%+v reads %q, %v, want %v", test.identity, got, err, test.want)
		}
		name := fmt.Sprint("all/new", i)
		if _, err := change(t, c, access.Put, base+name, "x"); err != nil {
			t.Errorf("%+v writes: %v", test.identity, err)
			continue
		}
		info, err := os.Stat(filepath.Join(dir, name))
		if err != nil {
			t.Fatalf("%v: %v", test, err)
		}
		if uid := info.Sys().(*syscall.Stat_t).Uid; uid != test.owner {
			t.Errorf("the file of %+v belongs to %d, want %d", test.identity, uid, test.owner)
		}
	}
}

// A file that is removed while it is read has a stale handle. The Body then fails, because the
// caller does not have the whole file.
func TestGaneshaRemoved(t *testing.T) {
	dir := t.TempDir()
	content := strings.Repeat("0123456789abcdef", 4<<20) // 64 MiB
	writeFile(t, dir, "gone", content)
	c := ganesha(t, dir)
	u := url.MustParse("nfs://h:2049" + filepath.Join(dir, "gone"))
	r, err := c.Do(t.Context(), &access.Request{URL: u})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Body.Close()
	if _, err := io.ReadFull(r.Body, make([]byte, 100)); err != nil {
		t.Fatal(err)
	}
	if _, err := change(t, c, access.Delete, u.String(), ""); err != nil {
		t.Fatal(err)
	}
	rest, err := io.ReadAll(r.Body)
	if !errors.Is(err, access.ErrChanged) {
		t.Errorf("%d bytes after the file was removed, %v, want access.ErrChanged", len(rest), err)
	}
	if _, err := get(t, c, u.String()); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("after that: %v", err)
	}
}
