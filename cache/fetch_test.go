package cache_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"testing/iotest"

	"locus/access"
	"locus/cache"
	"locus/url"
)

// A resource that breaks off is not stored, and breaks off for all its readers.
func TestBroken(t *testing.T) {
	o := &origin{}
	c, _ := newCache(t, o, 0)
	o.open = func(_ context.Context, req *access.Request) (*access.Resource, error) {
		body := io.MultiReader(strings.NewReader("half"), iotest.ErrReader(io.ErrUnexpectedEOF))
		return &access.Resource{Entry: access.Entry{URL: req.URL, Size: -1}, Body: io.NopCloser(body)}, nil
	}
	if got, err := get(t, c, "gopher://h/x"); got != "half" || !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("%q, %v", got, err)
	}
	o.open = text("whole", nil)
	if got, err := get(t, c, "gopher://h/x"); got != "whole" || err != nil {
		t.Errorf("then %q, %v", got, err)
	}
}

// Requests for the same URL at the same time share one fetch.
func TestSharedFetch(t *testing.T) {
	const many = 20
	more, all := make(chan struct{}), new(sync.WaitGroup)
	o := &origin{open: func(_ context.Context, req *access.Request) (*access.Resource, error) {
		in, out := io.Pipe()
		go func() {
			fmt.Fprint(out, "first ")
			<-more
			fmt.Fprint(out, "second")
			out.Close()
		}()
		return &access.Resource{Entry: access.Entry{URL: req.URL, Size: -1}, Body: in}, nil
	}}
	c, _ := newCache(t, o, 0)
	var begun sync.WaitGroup
	begun.Add(many)
	for range many {
		all.Go(func() {
			r, err := c.Do(t.Context(), &access.Request{URL: url.MustParse("gopher://h/x")})
			if err != nil {
				t.Errorf("Get of gopher://h/x by one of %d: %v", many, err)
				begun.Done()
				return
			}
			defer r.Body.Close()
			first := make([]byte, 6)
			_, err = io.ReadFull(r.Body, first)
			begun.Done() // it has read the first bytes before the others arrive
			rest, err2 := io.ReadAll(r.Body)
			if got := string(first) + string(rest); got != "first second" || errors.Join(err, err2) != nil {
				t.Errorf("Get of gopher://h/x by one of %d = %q, %v, %v, want \"first second\"", many, got, err, err2)
			}
		})
	}
	begun.Wait()
	close(more)
	all.Wait()
	if o.asked.Load() != 1 {
		t.Errorf("the origin was asked %d times, want once", o.asked.Load())
	}
}

// Each request that shares a fetch gets the URL that it asked for, with its own fragment.
func TestSharedFragment(t *testing.T) {
	in, out := io.Pipe()
	o := &origin{open: func(_ context.Context, req *access.Request) (*access.Resource, error) {
		return &access.Resource{Entry: access.Entry{URL: req.URL, Size: -1}, Body: in}, nil
	}}
	c, _ := newCache(t, o, 0)
	for _, u := range []string{"gopher://h/x#a", "gopher://h/x#b", "gopher://h/x"} {
		r, err := c.Do(t.Context(), &access.Request{URL: url.MustParse(u)})
		if err != nil {
			t.Fatalf("%q: %v", u, err)
		}
		defer r.Body.Close()
		if r.URL.String() != u {
			t.Errorf("%s is found at %s", u, r.URL)
		}
	}
	out.Close()
}

// When the last reader leaves, the fetch is cancelled.
func TestLeave(t *testing.T) {
	ended := make(chan struct{})
	o := &origin{open: func(ctx context.Context, req *access.Request) (*access.Resource, error) {
		in, out := io.Pipe()
		context.AfterFunc(ctx, func() { out.CloseWithError(ctx.Err()); close(ended) })
		return &access.Resource{Entry: access.Entry{URL: req.URL, Size: -1}, Body: in}, nil
	}}
	c, _ := newCache(t, o, 0)
	r, err := c.Do(t.Context(), &access.Request{URL: url.MustParse("gopher://h/x")})
	if err != nil {
		t.Fatal(err)
	}
	r.Body.Close()
	<-ended
}

// A resource of unknown size that is too large to be stored comes whole. It does not take
// space afterwards.
func TestOversize(t *testing.T) {
	const most, size = 1 << 20, 5 << 20 // 128 KiB are stored at most
	o := &origin{open: func(_ context.Context, req *access.Request) (*access.Resource, error) {
		return &access.Resource{Entry: access.Entry{URL: req.URL, Size: -1}, Body: io.NopCloser(io.LimitReader(&counting{}, size))}, nil
	}}
	dir := t.TempDir()
	c := &cache.Cache{Engine: o, Folder: folder(t, dir, most)}
	var readers sync.WaitGroup
	for range 3 {
		r, err := c.Do(t.Context(), &access.Request{URL: url.MustParse("gopher://h/x")})
		if err != nil {
			t.Fatal(err)
		}
		readers.Go(func() {
			defer r.Body.Close()
			want := &counting{}
			n, err := io.Copy(&comparing{t: t, want: want}, r.Body)
			if n != size || err != nil {
				t.Errorf("%d bytes, %v, want %d", n, err, size)
			}
		})
	}
	readers.Wait()
	if used := c.Folder.Used(); used != 0 {
		t.Errorf("%d bytes are stored, want 0", used)
	}
	filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err == nil && d.Type().IsRegular() {
			t.Errorf("%s is left", path)
		}
		return err
	})
}

// Close ends a Read that waits for bytes, although another reader goes on.
func TestCloseWhileReading(t *testing.T) {
	in, out := io.Pipe()
	o := &origin{open: func(_ context.Context, req *access.Request) (*access.Resource, error) {
		return &access.Resource{Entry: access.Entry{URL: req.URL, Size: -1}, Body: in}, nil
	}}
	c := &cache.Cache{Engine: o, Folder: folder(t, t.TempDir(), 1<<20)}
	var bodies [2]io.ReadCloser
	for i := range bodies {
		r, err := c.Do(t.Context(), &access.Request{URL: url.MustParse("gopher://h/x")})
		if err != nil {
			t.Fatalf("Get %d: %v", i, err)
		}
		bodies[i] = r.Body
	}
	ended := make(chan error)
	go func() {
		_, err := bodies[0].Read(make([]byte, 1))
		ended <- err
	}()
	runtime.Gosched()
	bodies[0].Close()
	if err := <-ended; err == nil || errors.Is(err, io.EOF) {
		t.Errorf("Read after Close = %v, want an error that is not io.EOF", err)
	}
	go func() {
		io.WriteString(out, "text")
		out.Close()
	}()
	if text, err := io.ReadAll(bodies[1]); string(text) != "text" || err != nil {
		t.Errorf("the other reader: %q, %v", text, err)
	}
	bodies[1].Close()
}

// counting gives bytes that do not repeat.
type counting struct{ n uint64 }

func (c *counting) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = byte(c.n * 2654435761 >> 24)
		c.n++
	}
	return len(p), nil
}

type comparing struct {
	t    *testing.T
	want io.Reader
}

func (c *comparing) Write(p []byte) (int, error) {
	want := make([]byte, len(p))
	io.ReadFull(c.want, want)
	if !bytes.Equal(p, want) {
		return 0, errors.New("other bytes than those that were sent")
	}
	return len(p), nil
}

// A resource that is found at another URL has the fragment of the request: from the server,
// from a fetch of another request, and from the folder.
func TestFragmentElsewhere(t *testing.T) {
	in, out := io.Pipe()
	o := &origin{open: func(_ context.Context, req *access.Request) (*access.Resource, error) {
		found := url.MustParse(strings.Replace(req.URL.String(), "/x", "/x/", 1))
		return &access.Resource{Entry: access.Entry{URL: found, Size: -1}, Body: in}, nil
	}}
	c, _ := newCache(t, o, 0)
	var bodies []io.ReadCloser
	open := func(fragment string) {
		t.Helper()
		r, err := c.Do(t.Context(), &access.Request{URL: url.MustParse("gopher://h/x" + fragment)})
		if err != nil {
			t.Fatal(err)
		}
		if want := "gopher://h/x/" + fragment; r.URL.String() != want {
			t.Errorf("found at %s, want %s", r.URL, want)
		}
		bodies = append(bodies, r.Body)
	}
	open("#a")
	open("#b")
	open("")
	out.Close()
	for _, body := range bodies {
		io.Copy(io.Discard, body)
		body.Close()
	}
	open("#c")
	bodies[3].Close()
	if c.Hits() != 1 {
		t.Errorf("%d hits, want 1", c.Hits())
	}
}
