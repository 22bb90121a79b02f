package nfs_test

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"maps"
	"slices"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"locus/access"
	"locus/proto/nfs"
	"locus/url"
)

// change executes a request that changes something. Its body can be read once.
func change(t *testing.T, c nfs.Client, op access.Op, u, body string, with ...func(*access.Request)) (*access.Resource, error) {
	t.Helper()
	req := &access.Request{Op: op, URL: url.MustParse(u), Body: strings.NewReader(body), Size: int64(len(body))}
	for _, f := range with {
		f(req)
	}
	return c.Do(t.Context(), req)
}

func TestPut(t *testing.T) {
	for _, size := range []int{0, 1, 1000, 64 << 10, 64<<10 + 1, 300_001, 2 << 20} {
		m := newMemory(t, map[string]string{"old": "what was there", "d/": ""})
		m.most = 20_000
		content := numbered(size)
		for _, u := range []string{"nfs://h/old", "nfs://h/new"} {
			if _, err := change(t, client(m), access.Put, u, content); err != nil {
				t.Fatalf("Put of %d bytes = %v", size, err)
			}
			if got, ok := m.content(strings.TrimPrefix(u, "nfs://h/")); got != content || !ok {
				t.Errorf("Put of %d bytes stores %d", size, len(got))
			}
		}
		if got := m.names(); !slices.Equal(got, []string{"d", "new", "old"}) {
			t.Errorf("Put of %d bytes leaves %q", size, got)
		}
	}
}

// A small file is one WRITE, which the server stores at once. A large file needs COMMIT.
func TestPutCalls(t *testing.T) {
	m := newMemory(t, map[string]string{"f": "old"})
	m.public = true
	c := client(m)
	c.Pool = &nfs.Pool{}
	if _, err := get(t, c, "nfs://h/f"); err != nil {
		t.Fatal(err)
	}
	m.calls()
	for body, want := range map[string]string{
		"small":                           "LOOKUP LOOKUP CREATE FSINFO WRITE GETATTR RENAME",
		strings.Repeat("x", 3*(64<<10)+1): "LOOKUP CREATE WRITE WRITE WRITE WRITE COMMIT GETATTR RENAME",
	} {
		if _, err := change(t, c, access.Put, "nfs://h/f", body); err != nil {
			t.Fatalf("%q: %v", body, err)
		}
		got := strings.Join(m.calls(), " ")
		got = strings.TrimPrefix(strings.TrimPrefix(strings.ReplaceAll(got, "FSINFO ", ""), "LOOKUP "), "LOOKUP ")
		want = strings.TrimPrefix(strings.TrimPrefix(strings.ReplaceAll(want, "FSINFO ", ""), "LOOKUP "), "LOOKUP ")
		if got != want {
			t.Errorf("Put of %d bytes calls %s, want %s", len(body), got, want)
		}
	}
}

// The new file gets the permissions of the Request, of the old file, or 0644, and the time of
// the Request.
func TestPutAttributes(t *testing.T) {
	when := time.Date(2020, 5, 6, 7, 8, 9, 10, time.UTC)
	m := newMemory(t, map[string]string{"script": "old", "plain": "old"})
	m.files[m.add("script", "")].mode = 0o755
	c := client(m)
	for _, test := range []struct {
		name string
		mode fs.FileMode
		want uint32
	}{{"script", 0, 0o755}, {"plain", 0o600, 0o600}, {"new", 0, 0o644}, {"secret", 0o640, 0o640}} {
		r, err := change(t, c, access.Put, "nfs://h/"+test.name, "x", func(r *access.Request) { r.Mode, r.ModTime = test.mode, when })
		if err != nil || !r.ModTime.Equal(when) {
			t.Fatalf("Put of %s = %+v, %v", test.name, r, err)
		}
		f := m.files[m.files[root].names[test.name]]
		if f.mode != test.want || !f.modTime.Equal(when) {
			t.Errorf("%s has mode %o and time %v, want %o", test.name, f.mode, f.modTime, test.want)
		}
	}
	r, err := change(t, c, access.Put, "nfs://h/new", "x", func(r *access.Request) { r.ModTime = time.Date(1960, 1, 1, 0, 0, 0, 0, time.UTC) })
	if err != nil || !r.ModTime.IsZero() {
		t.Errorf("a time before 1970 is stored as %v, %v", r, err)
	}
}

// If a server restarts during an upload, the client sends the whole file again, provided that
// the body can be read again.
func TestPutRestart(t *testing.T) {
	content := numbered(400_000)
	for _, at := range []string{"WRITE", "COMMIT"} {
		for _, again := range []bool{true, false} {
			m := newMemory(t, map[string]string{"f": "old"})
			m.most = 16 << 10
			count := 0
			m.after = func(call *rpcCall, _ *xdrWriter) {
				if call.name != "WRITE" {
					return
				}
				if count++; at == "WRITE" && count == 10 || at == "COMMIT" && count == 400_000/(16<<10)+1 {
					m.verf++
					for _, f := range m.files { // what was not committed is lost
						if f.kind == 1 && len(f.data) > 1000 {
							clear(f.data)
						}
					}
				}
			}
			_, err := change(t, client(m), access.Put, "nfs://h/f", "", func(r *access.Request) {
				r.Body, r.Size = strings.NewReader(content), int64(len(content))
				if !again {
					r.Body = io.MultiReader(r.Body)
				}
			})
			got, _ := m.content("f")
			if again && (err != nil || got != content) {
				t.Errorf("restart at %s: %d bytes, %v", at, len(got), err)
			}
			if !again && (!errors.Is(err, access.ErrTemporary) || got != "old") {
				t.Errorf("restart at %s without a second body: %q, %v", at, got, err)
			}
			if names := m.names(); len(names) != 1 {
				t.Errorf("restart at %s leaves %q", at, names)
			}
		}
	}
}

// The client gives up if the server restarts again and again.
func TestPutRestartsForever(t *testing.T) {
	m := newMemory(t, map[string]string{"f": "old"})
	m.most = 16 << 10
	m.after = func(*rpcCall, *xdrWriter) { m.verf++ }
	_, err := change(t, client(m), access.Put, "nfs://h/f", numbered(100_000))
	if got, _ := m.content("f"); !errors.Is(err, access.ErrTemporary) || got != "old" {
		t.Errorf("Put = %v, %q", err, got)
	}
}

// After a failure the old file stays, and the new file is removed.
func TestPutFails(t *testing.T) {
	broken := errors.New("the source has failed")
	for _, test := range []struct {
		name string
		set  func(m *memory, r *access.Request)
		want error
	}{
		{"no space", func(m *memory, _ *access.Request) { m.refuse = map[string]uint32{"WRITE": 28} }, access.ErrFull},
		{"quota at the end", func(m *memory, _ *access.Request) { m.refuse = map[string]uint32{"COMMIT": 69} }, access.ErrFull},
		{"no rename", func(m *memory, _ *access.Request) { m.refuse = map[string]uint32{"RENAME": 13} }, fs.ErrPermission},
		{"read-only", func(m *memory, _ *access.Request) { m.refuse = map[string]uint32{"CREATE": 30} }, fs.ErrPermission},
		{"body", func(_ *memory, r *access.Request) {
			r.Body, r.Size = io.MultiReader(strings.NewReader(numbered(100_000)), iotest.ErrReader(broken)), -1
		}, broken},
		{"early end", func(_ *memory, r *access.Request) {
			r.Body, r.Size = io.MultiReader(strings.NewReader("x"), iotest.ErrReader(io.ErrUnexpectedEOF)), -1
		}, io.ErrUnexpectedEOF},
		{"short body", func(_ *memory, r *access.Request) { r.Body, r.Size = strings.NewReader("x"), 2 }, io.ErrUnexpectedEOF},
		{"lost bytes", func(m *memory, _ *access.Request) {
			m.after = func(call *rpcCall, _ *xdrWriter) {
				for _, f := range m.files {
					if call.name == "COMMIT" && f.kind == 1 && len(f.data) > 1000 {
						f.data = f.data[1:]
					}
				}
			}
		}, access.ErrServer},
		{"IfAbsent", func(_ *memory, r *access.Request) { r.IfAbsent = true }, fs.ErrExist},
		{"IfMatch", func(_ *memory, r *access.Request) { r.IfMatch.ETag = `"x"` }, access.ErrChanged},
		{"directory", func(_ *memory, r *access.Request) { r.URL = url.MustParse("nfs://h/d") }, fs.ErrPermission},
		{"directory/", func(_ *memory, r *access.Request) { r.URL = url.MustParse("nfs://h/d/") }, fs.ErrPermission},
		{"no directory", func(_ *memory, r *access.Request) { r.URL = url.MustParse("nfs://h/x/y") }, fs.ErrNotExist},
		{"file as directory", func(_ *memory, r *access.Request) { r.URL = url.MustParse("nfs://h/f/y") }, fs.ErrNotExist},
		{"root", func(_ *memory, r *access.Request) { r.URL = url.MustParse("nfs://h") }, fs.ErrPermission},
		{"no server", func(m *memory, _ *access.Request) {
			m.before = func(call *rpcCall, _ *xdrWriter) bool { return call.name == "WRITE" } // closes the connection
		}, nil},
	} {
		m := newMemory(t, map[string]string{"f": "old", "d/": ""})
		m.most = 16 << 10
		_, err := change(t, client(m), access.Put, "nfs://h/f", numbered(200_000), func(r *access.Request) { test.set(m, r) })
		got, _ := m.content("f")
		if err == nil || test.want != nil && !errors.Is(err, test.want) || got != "old" || !slices.Equal(m.names(), []string{"d", "f"}) {
			t.Errorf("%s: %v with %q and %q, want %v", test.name, err, got, m.names(), test.want)
		}
	}
}

// If the file that a failed upload left cannot be removed, the error says so.
func TestLeftover(t *testing.T) {
	m := newMemory(t, map[string]string{"f": "old"})
	m.refuse = map[string]uint32{"WRITE": 28, "REMOVE": 13}
	_, err := change(t, client(m), access.Put, "nfs://h/f", "new")
	if !errors.Is(err, access.ErrFull) || !strings.Contains(access.Hint(err), "f.part-") {
		t.Errorf("Put = %v, hint %q", err, access.Hint(err))
	}
}

// A cancelled upload leaves no file.
func TestPutCancel(t *testing.T) {
	m := newMemory(t, map[string]string{"f": "old"})
	ctx, cancel := context.WithCancel(t.Context())
	body := io.MultiReader(strings.NewReader(numbered(300_000)), readerFunc(func([]byte) (int, error) {
		cancel()
		return 0, ctx.Err()
	}))
	_, err := client(m).Do(ctx, &access.Request{Op: access.Put, URL: url.MustParse("nfs://h/f"), Body: body, Size: -1})
	if got, _ := m.content("f"); !errors.Is(err, context.Canceled) || got != "old" || len(m.names()) != 1 {
		t.Errorf("Put after cancel = %v with %q and %q", err, got, m.names())
	}
}

type readerFunc func([]byte) (int, error)

func (f readerFunc) Read(p []byte) (int, error) { return f(p) }

// IfAbsent never replaces a file that appears during the upload, with links and without.
func TestIfAbsent(t *testing.T) {
	for _, noLink := range []bool{false, true} {
		for _, appears := range []bool{false, true} {
			m := newMemory(t, map[string]string{"x": ""})
			m.noLink = noLink
			m.after = func(call *rpcCall, _ *xdrWriter) {
				if call.name == "WRITE" && appears {
					m.add("new", "theirs")
				}
			}
			_, err := change(t, client(m), access.Put, "nfs://h/new", "ours", func(r *access.Request) { r.IfAbsent = true })
			got, _ := m.content("new")
			want := map[bool]string{false: "ours", true: "theirs"}[appears]
			if got != want || errors.Is(err, fs.ErrExist) != appears || !slices.Equal(m.names(), []string{"new", "x"}) {
				t.Errorf("no links %v, appears %v: %q, %v, %q", noLink, appears, got, err, m.names())
			}
		}
	}
}

// Put to a symbolic link replaces the target, and keeps the link.
func TestPutThroughLink(t *testing.T) {
	m := newMemory(t, map[string]string{"d/real": "old", "link@": "d/real", "dangling@": "d/new", "out@": "../../x"})
	for _, name := range []string{"link", "dangling"} {
		if _, err := change(t, client(m), access.Put, "nfs://h/"+name, "new"); err != nil {
			t.Fatalf("%q: %v", name, err)
		}
	}
	for _, name := range []string{"real", "new"} {
		if got, err := get(t, client(m), "nfs://h/d/"+name); got != "new" || err != nil {
			t.Errorf("%s has %q, %v", name, got, err)
		}
	}
	if _, err := change(t, client(m), access.Put, "nfs://h/out", "new"); !errors.Is(err, fs.ErrPermission) {
		t.Errorf("Put through a link to outside = %v", err)
	}
}

func TestResume(t *testing.T) {
	m := newMemory(t, map[string]string{"f": "half "})
	c := client(m)
	for _, test := range []struct {
		offset int64
		want   error
		has    string
	}{{4, access.ErrChanged, "half "}, {6, access.ErrRange, "half "}, {5, nil, "half done"}} {
		_, err := change(t, c, access.Put, "nfs://h/f", "done", func(r *access.Request) { r.Offset = test.offset })
		if got, _ := m.content("f"); !errors.Is(err, test.want) || got != test.has {
			t.Errorf("Put at %d = %v, %q, want %v, %q", test.offset, err, got, test.want, test.has)
		}
	}
	if _, err := change(t, c, access.Put, "nfs://h/missing", "x", func(r *access.Request) { r.Offset = 1 }); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("Put at 1 of a missing file = %v", err)
	}
}

func TestAppend(t *testing.T) {
	m := newMemory(t, map[string]string{"f": "one "})
	c := client(m)
	for _, name := range []string{"f", "new"} {
		r, err := change(t, c, access.Append, "nfs://h/"+name, "two")
		if err != nil || !r.URL.IsZero() {
			t.Fatalf("Append to %q = %+v, %v, want no URL", name, r, err)
		}
	}
	if f, _ := m.content("f"); f != "one two" {
		t.Errorf("f has %q", f)
	}
	if f, _ := m.content("new"); f != "two" {
		t.Errorf("new has %q", f)
	}
	if _, err := change(t, c, access.Append, "nfs://h/f", "x", func(r *access.Request) { r.IfMatch.ETag = `"x"` }); !errors.Is(err, access.ErrChanged) {
		t.Errorf("Append to another version = %v", err)
	}
}

func TestDelete(t *testing.T) {
	m := newMemory(t, map[string]string{"f": "", "d/": "", "full/x": "", "link@": "d", "g": ""})
	c := client(m)
	for _, test := range []struct {
		url  string
		want error
	}{
		{"nfs://h/f", nil},
		{"nfs://h/f", fs.ErrNotExist},
		{"nfs://h/x/y", fs.ErrNotExist},
		{"nfs://h/d", fs.ErrPermission},
		{"nfs://h/g/", fs.ErrNotExist},
		{"nfs://h/link", nil},
		{"nfs://h/d/", nil},
		{"nfs://h/full/", fs.ErrPermission},
		{"nfs://h/", fs.ErrPermission},
	} {
		_, err := change(t, c, access.Delete, test.url, "")
		if !errors.Is(err, test.want) || (err == nil) != (test.want == nil) {
			t.Errorf("Delete(%q) = %v, want %v", test.url, err, test.want)
		}
	}
	if _, err := change(t, c, access.Delete, "nfs://h/g", "", func(r *access.Request) { r.IfMatch.ETag = `"x"` }); !errors.Is(err, access.ErrChanged) {
		t.Errorf("Delete of another version = %v", err)
	}
	if got := m.names(); !slices.Equal(got, []string{"full", "g"}) {
		t.Errorf("left: %q", got)
	}
}

func TestMakeDir(t *testing.T) {
	m := newMemory(t, map[string]string{"f": ""})
	c := client(m)
	for _, test := range []struct {
		url  string
		want error
	}{
		{"nfs://h/d", nil},
		{"nfs://h/d/", fs.ErrExist},
		{"nfs://h/d/e/", nil},
		{"nfs://h/f", fs.ErrExist},
		{"nfs://h/x/y", fs.ErrNotExist},
		{"nfs://h/", fs.ErrExist},
	} {
		_, err := change(t, c, access.MakeDir, test.url, "")
		if !errors.Is(err, test.want) || (err == nil) != (test.want == nil) {
			t.Errorf("MakeDir(%q) = %v, want %v", test.url, err, test.want)
		}
	}
	if f := m.files[m.files[root].names["d"]]; f.kind != 2 || f.mode != 0o755 {
		t.Errorf("the directory is %+v", f)
	}
}

// A Put with a Part uses a fixed temporary name, and replaces the file that a killed upload
// left there. It does not continue that file: because writes are stored in any order, the size
// of a part does not tell which bytes it has.
func TestPutPart(t *testing.T) {
	const left = "f.part-0123456789abcdef"
	m := newMemory(t, map[string]string{"f": "old", left: "some bytes"})
	part := func(r *access.Request) { r.Part = ".part-0123456789abcdef" }
	created := ""
	m.after = func(call *rpcCall, _ *xdrWriter) {
		if call.name == "CREATE" {
			names := slices.Sorted(maps.Keys(m.files[root].names)) // m is locked
			created = strings.Join(names, " ")
		}
	}
	_, err := change(t, client(m), access.Put, "nfs://h/f", "rest", part, func(r *access.Request) { r.Offset = 10 })
	if !errors.Is(err, errors.ErrUnsupported) || !slices.Equal(m.names(), []string{"f", left}) {
		t.Errorf("Put that continues a part = %v and leaves %q", err, m.names())
	}
	_, err = change(t, client(m), access.Put, "nfs://h/f", "new", part)
	if got, _ := m.content("f"); err != nil || got != "new" || created != "f "+left || !slices.Equal(m.names(), []string{"f"}) {
		t.Errorf("Put = %v; it stores %q as %q and leaves %q", err, got, created, m.names())
	}
	failing := func(r *access.Request) { r.Body = iotest.ErrReader(io.ErrUnexpectedEOF) }
	if _, err = change(t, client(m), access.Put, "nfs://h/f", "", part, failing); err == nil || !slices.Equal(m.names(), []string{"f"}) {
		t.Errorf("a Put that fails = %v, and leaves %q", err, m.names())
	}
}
