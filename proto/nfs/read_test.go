package nfs_test

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"strings"
	"testing"
	"time"

	"locus/access"
	"locus/proto/nfs"
	"locus/url"
)

// numbered returns n bytes, no two parts of which are the same.
func numbered(n int) string {
	var b bytes.Buffer
	for i := 0; b.Len() < n; i++ {
		b.Write([]byte{byte(i >> 16), byte(i >> 8), byte(i)})
	}
	return b.String()[:n]
}

// Every range of a file can be read, in replies of any size.
func TestRanges(t *testing.T) {
	content := numbered(300_001)
	for _, most := range []int{1, 4 << 10, 70_000, 1 << 20} {
		text := content
		if most == 1 {
			text = content[:500]
		}
		m := newMemory(t, map[string]string{"f": text})
		m.most = most
		c := client(m)
		size := int64(len(text))
		for _, test := range []struct{ offset, length int64 }{
			{0, 0}, {0, 1}, {0, size}, {0, size + 5}, {1, 0}, {size / 2, 100}, {size / 2, 0}, {size - 1, 0}, {size, 0}, {3, size - 4},
		} {
			res, err := c.Do(t.Context(), &access.Request{URL: url.MustParse("nfs://h/f"), Offset: test.offset, Length: test.length})
			if err != nil {
				t.Fatalf("%+v: %v", test, err)
			}
			if res.Size != size || res.Offset != test.offset {
				t.Errorf("%+v: size %d, offset %d", test, res.Size, res.Offset)
			}
			want := text[test.offset:]
			if test.length > 0 {
				want = want[:min(test.length, int64(len(want)))]
			}
			if got, err := read(res, nil); got != want || err != nil {
				t.Errorf("%+v in parts of %d: %d bytes, %v, want %d", test, most, len(got), err, len(want))
			}
		}
		if _, err := c.Do(t.Context(), &access.Request{URL: url.MustParse("nfs://h/f"), Offset: size + 1}); !errors.Is(err, access.ErrRange) {
			t.Errorf("in parts of %d, an offset behind the end gives %v, want %v", most, err, access.ErrRange)
		}
	}
}

// The Resource has the attributes of the file.
func TestAttributes(t *testing.T) {
	m := newMemory(t, map[string]string{"f.txt": "content"})
	m.files[m.add("f.txt", "")].mode = 0o4750
	r, err := client(m).Do(t.Context(), &access.Request{URL: url.MustParse("nfs://h/f.txt")})
	if err != nil {
		t.Fatal(err)
	}
	r.Body.Close()
	a, ok := r.Sys.(*nfs.Attributes)
	if !ok || a.UID != 1000 || a.GID != 1001 || a.Links != 1 || a.ID != 1 || a.System != 7 || a.Mode != 0o750|fs.ModeSetuid {
		t.Errorf("Sys = %+v", r.Sys)
	}
	if r.Kind != access.Object || r.Type != "text/plain" || r.Size != 7 || !r.ModTime.Equal(epoch) || r.ETag == "" {
		t.Errorf("Resource = %+v, ETag %s", r.Entry, r.ETag)
	}
	facts := r.Header
	if len(facts) != 2 || facts[0].Value != "urwxr-x---" || facts[1].Value != "1000:1001" {
		t.Errorf("Facts = %+v", facts)
	}
	s, err := client(m).Do(t.Context(), &access.Request{Op: access.Stat, URL: url.MustParse("nfs://h/f.txt")})
	if err != nil || s.Title != "f.txt" || s.Size != 7 || s.Type != "text/plain" || !s.ModTime.Equal(epoch) {
		t.Errorf("Stat = %+v, %v", s, err)
	}
	if _, err := client(m).Do(t.Context(), &access.Request{Op: access.Stat, URL: url.MustParse("nfs://h/f.txt/")}); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("Stat of a file as a directory = %v", err)
	}
}

func TestConditions(t *testing.T) {
	m := newMemory(t, map[string]string{"f": "content"})
	c := client(m)
	r, err := c.Do(t.Context(), &access.Request{URL: url.MustParse("nfs://h/f")})
	if err != nil {
		t.Fatal(err)
	}
	r.Body.Close()
	same := []access.Validator{{ETag: r.ETag}, {ModTime: epoch}, {ModTime: epoch.Truncate(time.Second)}, r.Validator()}
	other := []access.Validator{{ETag: `"x"`}, {ModTime: epoch.Add(time.Second)}}
	for i, v := range append(same, other...) {
		isSame := i < len(same)
		_, err := c.Do(t.Context(), &access.Request{URL: url.MustParse("nfs://h/f"), IfChanged: v})
		if errors.Is(err, access.ErrNotModified) != isSame {
			t.Errorf("IfChanged %+v = %v", v, err)
		}
		_, err = c.Do(t.Context(), &access.Request{URL: url.MustParse("nfs://h/f"), IfMatch: v})
		if errors.Is(err, access.ErrChanged) == isSame {
			t.Errorf("IfMatch %+v = %v", v, err)
		}
	}
}

// A file that the user may not read is refused when it is opened, even if it is empty.
func TestUnreadable(t *testing.T) {
	m := newMemory(t, map[string]string{"full": "content", "empty": "", "ok": ""})
	m.files[m.add("full", "")].mode = 0
	m.files[m.add("empty", "")].mode = 0
	for name, want := range map[string]error{"full": fs.ErrPermission, "empty": fs.ErrPermission, "ok": nil} {
		if _, err := get(t, client(m), "nfs://h/"+name); !errors.Is(err, want) {
			t.Errorf("%s gives %v, want %v", name, err, want)
		}
	}
}

// A file that changes while it is read causes an error. A file that becomes longer ends where
// it ended when it was opened.
func TestChangedWhileRead(t *testing.T) {
	for _, test := range []struct {
		name   string
		change func(m *memory, f *memFile)
		want   error
	}{
		{"nothing", func(*memory, *memFile) {}, nil},
		{"truncated", func(_ *memory, f *memFile) { f.data = f.data[:len(f.data)/2] }, io.ErrUnexpectedEOF},
		{"emptied", func(_ *memory, f *memFile) { f.data = nil }, io.ErrUnexpectedEOF},
		{"rewritten", func(_ *memory, f *memFile) { f.modTime = f.modTime.Add(1) }, access.ErrChanged},
		{"grown", func(_ *memory, f *memFile) { f.data, f.modTime = append(f.data, "more"...), epoch.Add(time.Hour) }, nil},
		{"removed", func(m *memory, _ *memFile) { delete(m.files, "handle1") }, access.ErrChanged},
	} {
		for _, bare := range []bool{false, true} {
			if bare && test.name == "rewritten" {
				continue // without attributes the client cannot notice it
			}
			content := numbered(600_000)
			m := newMemory(t, map[string]string{"f": content})
			m.most, m.bare = 8<<10, bare
			r, err := client(m).Do(t.Context(), &access.Request{URL: url.MustParse("nfs://h/f")})
			if err != nil {
				t.Fatalf("bare %t: %v", bare, err)
			}
			m.mu.Lock()
			test.change(m, m.files["handle1"])
			m.mu.Unlock()
			got, err := read(r, nil)
			if !errors.Is(err, test.want) || test.want == nil && got != content {
				t.Errorf("%s (bare %v): %d bytes, %v, want %v", test.name, bare, len(got), err, test.want)
			}
		}
	}
}

// Replies may come in any order.
func TestReordered(t *testing.T) {
	content := numbered(400_000)
	m := newMemory(t, map[string]string{"f": content})
	m.most = 16 << 10
	var held []byte // the reply that is sent after the next
	m.after = func(call *rpcCall, w *xdrWriter) {
		if call.name != "READ" {
			return
		}
		if held == nil && m.reads == 1 {
			return // the client makes no other call before this reply
		}
		held, w.Buf = w.Buf, held
	}
	m.flush = func() (late []byte) {
		late, held = held, nil
		return late
	}
	if got, err := get(t, client(m), "nfs://h/f"); got != content || err != nil {
		t.Errorf("Get = %d bytes, %v, want %d", len(got), err, len(content))
	}
}

// A file is read with several calls at once, and with more of them as it is read.
func TestPipelined(t *testing.T) {
	m := newMemory(t, map[string]string{"f": numbered(1 << 20)})
	m.most = 16 << 10
	ahead := make(chan bool)
	m.after = func(*rpcCall, *xdrWriter) {
		if m.reads == 24 {
			close(ahead)
		}
	}
	r, err := client(m).Do(t.Context(), &access.Request{URL: url.MustParse("nfs://h/f")})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Body.Close()
	if _, err := io.ReadFull(r.Body, make([]byte, 1)); err != nil {
		t.Fatal(err)
	}
	if n := countReads(m.calls()); n > 2 {
		t.Errorf("%d READs for one byte, want at most 2", n)
	}
	if _, err := io.CopyN(io.Discard, r.Body, 256<<10); err != nil {
		t.Fatal(err)
	}
	select {
	case <-ahead: // 16 parts were read, and 8 more asked for
	case <-time.After(time.Minute):
		t.Errorf("%d READs for 256 KiB in parts of 16, want 24", countReads(m.calls()))
	}
}

func countReads(calls []string) (n int) {
	for _, c := range calls {
		if c == "READ" {
			n++
		}
	}
	return n
}

// Files of more than 4 GiB can be read from any offset. The server has a sparse file whose
// bytes depend on their offset.
func TestLargeFile(t *testing.T) {
	const size = 5 << 30
	m := newMemory(t, map[string]string{"f": ""})
	m.sparse = size
	c := client(m)
	r, err := c.Do(t.Context(), &access.Request{URL: url.MustParse("nfs://h/f"), Offset: size - 100_000})
	if err != nil {
		t.Fatal(err)
	}
	got, err := read(r, nil)
	if err != nil || len(got) != 100_000 || r.Size != size {
		t.Fatalf("%d bytes of %d, %v", len(got), r.Size, err)
	}
	for at := 0; at < len(got); at += 1000 {
		if want := byte((size - 100_000 + int64(at)) >> 20); got[at] != want {
			t.Fatalf("byte %d is %d, want %d", at, got[at], want)
		}
	}
}

// An error wraps the meaning of its status, and has the host and the path.
func TestStatuses(t *testing.T) {
	for status, want := range map[uint32]error{
		1: fs.ErrPermission, 2: fs.ErrNotExist, 5: access.ErrServer, 13: fs.ErrPermission, 17: fs.ErrExist, 20: fs.ErrNotExist, 21: fs.ErrPermission,
		27: access.ErrFull, 28: access.ErrFull, 30: fs.ErrPermission, 63: fs.ErrNotExist, 69: access.ErrFull, 70: access.ErrChanged,
		10001: access.ErrChanged, 10004: errors.ErrUnsupported, 10006: access.ErrServer, 10008: access.ErrTemporary, 99999: nil, 20004: errors.ErrUnsupported,
		20005: access.ErrServer,
	} {
		m := newMemory(t, map[string]string{"dir/f": "content"})
		m.refuse = map[string]uint32{"READ": status}
		_, err := get(t, client(m), "nfs://h/dir/f")
		if status == 70 || status == 10001 {
			want = fs.ErrNotExist
		}
		if err == nil || want != nil && !errors.Is(err, want) || !strings.HasPrefix(err.Error(), "open nfs://h/dir/f: ") {
			t.Errorf("status %d gives %v, want %v", status, err, want)
		}
	}
}

// A Body that is closed early does not leave a connection with pending replies in the Pool.
func TestCloseEarly(t *testing.T) {
	m := newMemory(t, map[string]string{"f": numbered(1 << 20), "g": "other"})
	c := client(m)
	c.Pool = &nfs.Pool{}
	defer c.Pool.Close()
	for range 20 {
		r, err := c.Do(t.Context(), &access.Request{URL: url.MustParse("nfs://h/f")})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := io.ReadFull(r.Body, make([]byte, 10)); err != nil {
			t.Fatal(err)
		}
		r.Body.Close()
		if got, err := get(t, c, "nfs://h/g"); got != "other" || err != nil {
			t.Fatalf("the next request gives %q, %v", got, err)
		}
	}
}
