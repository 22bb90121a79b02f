package cache

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"io"
	"os"
	"runtime"
	"strings"
	"sync"
	"testing"

	"locus/access"
	"locus/url"
)

func openFolder(t *testing.T, most int64) *Folder { return folderIn(t, t.TempDir(), most) }

// folderIn opens the folder of that name, which takes at most most bytes.
func folderIn(t *testing.T, dir string, most int64) *Folder {
	t.Helper()
	root, err := os.OpenRoot(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { root.Close() })
	f, err := OpenFolder(root, most)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// numbered returns n bytes that do not repeat.
func numbered(n int) []byte {
	b := make([]byte, 0, n+4)
	for i := uint32(0); len(b) < n; i++ {
		b = binary.BigEndian.AppendUint32(b, i)
	}
	return b[:n]
}

// On a full disk readers get the whole resource, and it is not stored.
func TestDiskFull(t *testing.T) {
	// attack: Clients fill the disk with incomplete responses | the cache keeps within
	// its size, and then uses 64 KiB of memory for each response; a full disk aborts no
	// response
	full, err := os.OpenFile("/dev/full", os.O_RDWR, 0)
	if err != nil {
		t.Skip("there is no /dev/full here")
	}
	content := numbered(3 << 18)
	u := url.MustParse("ftp://h/x")
	c := &Cache{Folder: openFolder(t, 1<<30)}
	d := &decision{cache: c, key: keyOf(u), body: newSharedBody(c.Folder, func() {})}
	d.body.members, d.body.state = 3, filling
	d.body.file = &writing{folder: c.Folder, file: full, name: "tmp-x", sum: crc32.New(table())}
	d.found.Resource = &access.Resource{Entry: access.Entry{URL: u, Size: -1}, Body: io.NopCloser(bytes.NewReader(content))}
	var all sync.WaitGroup
	for range 3 {
		all.Go(func() {
			r, err := d.read(t.Context(), &access.Request{URL: u})
			if err != nil {
				t.Error(err)
				return
			}
			defer r.Body.Close()
			if got, err := io.ReadAll(r.Body); !bytes.Equal(got, content) || err != nil {
				t.Errorf("%d bytes, %v, want %d", len(got), err, len(content))
			}
		})
	}
	d.body.fill(d.found.Body, d.found.Size, newMetadata(d.key, d.found.Resource, verdict{keep: true}, c.now()))
	all.Wait()
	if _, ok := c.Folder.find(d.key); ok {
		t.Error("it is stored")
	}
}

// Unfinished files of many requests at once do not fill the disk, and each request gets
// its resource.
func TestWritingBounded(t *testing.T) {
	const many, most = 64, 1 << 20
	content := numbered(most / 8)
	folder := openFolder(t, most)
	more := make(chan struct{})
	c := &Cache{Folder: folder, Engine: access.GetFunc(func(_ context.Context, req *access.Request) (*access.Resource, error) {
		in, out := io.Pipe()
		go func() {
			out.Write(content[:len(content)/2])
			<-more
			out.Write(content[len(content)/2:])
			out.Close()
		}()
		return &access.Resource{Entry: access.Entry{URL: req.URL, Size: -1}, Body: in}, nil
	})}
	var begun, all sync.WaitGroup
	begun.Add(many)
	for i := range many {
		all.Go(func() {
			r, err := c.Do(t.Context(), &access.Request{URL: url.MustParse(fmt.Sprint("gopher://h/", i))})
			if err != nil {
				t.Errorf("Get of gopher://h/%d: %v", i, err)
				begun.Done()
				return
			}
			defer r.Body.Close()
			half := make([]byte, len(content)/2)
			_, err = io.ReadFull(r.Body, half)
			begun.Done()
			rest, err2 := io.ReadAll(r.Body)
			if !bytes.Equal(append(half, rest...), content) || err != nil || err2 != nil {
				t.Errorf("%d: %d bytes, %v, %v", i, len(half)+len(rest), err, err2)
			}
		})
	}
	begun.Wait()
	if n := folder.unfinished.Load(); n > most+many*(64<<10) {
		t.Errorf("%d bytes are being written, of %d that may be kept", n, most)
	}
	close(more)
	all.Wait()
	if n := folder.unfinished.Load(); n != 0 {
		t.Errorf("%d bytes are counted as being written when all is over", n)
	}
	if used := folder.Used(); used > most {
		t.Errorf("%d bytes are stored, want at most %d", used, most)
	}
}

// Small resources count as blocks. Long metadata are not held in memory.
func TestSmall(t *testing.T) {
	c := &Cache{Folder: openFolder(t, 1<<20)}
	long := strings.Repeat("x", 5000)
	c.Engine = access.GetFunc(func(_ context.Context, req *access.Request) (*access.Resource, error) {
		r := &access.Resource{Entry: access.Entry{URL: req.URL, Size: 1}, Body: io.NopCloser(strings.NewReader("x"))}
		r.HTTPStatus, r.Header = 200, access.Header{{Name: "Cache-Control", Value: "max-age=100"}, {Name: "Content-Language", Value: long}}
		return r, nil
	})
	for range 2 {
		for i := range 400 {
			r, err := c.Do(t.Context(), &access.Request{URL: url.MustParse(fmt.Sprint("http://h/", i))})
			if err != nil {
				t.Fatalf("Get of http://h/%d: %v", i, err)
			}
			if got, err := io.ReadAll(r.Body); string(got) != "x" || err != nil {
				t.Fatalf("resource %d reads %q, %v, want \"x\"", i, got, err)
			}
			if f := r.Header.Get("Content-Language"); f != long {
				t.Fatalf("resource %d has a field of %d bytes, want %d", i, len(f), len(long))
			}
			r.Body.Close()
		}
	}
	if n := len(c.Folder.items); n > 1<<20/block {
		t.Errorf("%d things are stored in %d blocks", n, 1<<20/block)
	}
	for name, e := range c.Folder.items {
		if e.Value.(*item).stored != nil {
			t.Fatalf("the metadata of %s are in memory", name)
		}
	}
}

// Only the metadata of the resources that were used last are in memory.
func TestManyMetadata(t *testing.T) {
	const many = 2 * hotMost / hotMetadata
	f := openFolder(t, 1<<40)
	for i := range many {
		f.add(fmt.Sprint(i), 1, &metadata{Key: fmt.Sprint(i)})
	}
	in := 0
	for _, e := range f.items {
		if e.Value.(*item).stored != nil {
			in++
		}
	}
	if in != many/2 || f.items[fmt.Sprint(many-1)].Value.(*item).stored == nil {
		t.Errorf("the metadata of %d resources of %d are in memory, want %d", in, many, many/2)
	}
}

// However many resources turn out too large to be stored, each takes little memory.
func TestTooLargeMemory(t *testing.T) {
	const many, size = 200, 16 << 10
	more := make(chan struct{})
	wait := readerFunc(func([]byte) (int, error) {
		<-more
		return 0, io.EOF
	})
	c := &Cache{Folder: openFolder(t, 8<<10), Engine: access.GetFunc(func(_ context.Context, req *access.Request) (*access.Resource, error) {
		body := io.MultiReader(strings.NewReader("x"), wait, bytes.NewReader(make([]byte, size)))
		return &access.Resource{Entry: access.Entry{URL: req.URL, Size: -1}, Body: io.NopCloser(body)}, nil
	})}
	heap := func() int {
		var m runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&m)
		return int(m.HeapAlloc)
	}
	before := heap()
	var bodies []io.ReadCloser
	for i := range many {
		r, err := c.Do(t.Context(), &access.Request{URL: url.MustParse(fmt.Sprint("gopher://h/", i))})
		if err != nil {
			t.Fatalf("Get of gopher://h/%d: %v", i, err)
		}
		bodies = append(bodies, r.Body)
	}
	close(more)
	for i, body := range bodies {
		if _, err := io.ReadFull(body, make([]byte, size/2)); err != nil {
			t.Fatalf("reading the first half of gopher://h/%d: %v", i, err)
		}
	}
	if each := (heap() - before) / many; each > 128<<10 {
		t.Errorf("each takes %d KiB", each>>10)
	}
	for _, body := range bodies {
		if rest, err := io.ReadAll(body); len(rest) != 1+size/2 || err != nil {
			t.Errorf("the rest has %d bytes, %v, want %d", len(rest), err, 1+size/2)
		}
		body.Close()
	}
}

// A readerFunc is an io.Reader.
type readerFunc func([]byte) (int, error)

func (f readerFunc) Read(p []byte) (int, error) { return f(p) }
