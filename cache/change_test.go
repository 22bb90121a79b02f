package cache

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"strings"
	"sync"
	"testing"

	"locus/access"
	"locus/access/engine"
	"locus/url"
)

// Many goroutines read, change and fill a small folder at once. Each gets one whole
// version, and temporary files are removed.
func TestAllAtOnce(t *testing.T) {
	const names, rounds = 12, 60
	c := &Cache{Folder: openFolder(t, 200_000)}
	c.Engine = &changing{}
	var all sync.WaitGroup
	for g := range 8 {
		all.Go(func() {
			for i := range rounds {
				name := fmt.Sprint((g*7 + i) % names)
				u := url.MustParse("ftp://h/" + name)
				if i%10 == g {
					if _, err := c.Do(t.Context(), &access.Request{Op: access.Put, Body: strings.NewReader(""), Size: -1, URL: u}); err != nil {
						t.Errorf("Put %d of client %d: %v", i, g, err)
					}
					continue
				}
				req := &access.Request{URL: u, Offset: int64(i%3) * 100}
				if err := readChanging(t.Context(), c, req, name); err != nil {
					t.Errorf("%s from %d: %v", name, req.Offset, err)
				}
			}
		})
	}
	all.Wait()
	if n := c.Folder.unfinished.Load(); n != 0 {
		t.Errorf("%d bytes are counted as being written when all is over", n)
	}
	if used := c.Folder.Used(); used > 200_000 {
		t.Errorf("%d bytes are stored", used)
	}
}

// changing is an Engine whose resources repeat their own name and version. A Put of one
// resource increments the version of all.
type changing struct {
	mu      sync.Mutex
	version byte
}

const piece = 16

func (o *changing) Do(_ context.Context, req *access.Request) (*access.Resource, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	switch req.Op {
	case access.Get:
	case access.Put:
		o.version++
		return engine.Done(req.URL, nil)
	default:
		return nil, engine.Unsupported(req)
	}
	name := strings.TrimPrefix(req.URL.String(), "ftp://h/")
	data := bytes.Repeat(fmt.Appendf(nil, "%-*s%03d.", piece-4, name, o.version), 1500)
	r := &access.Resource{Entry: access.Entry{URL: req.URL, Size: int64(len(data))}, Offset: req.Offset}
	r.Body = io.NopCloser(bytes.NewReader(data[req.Offset:]))
	return r, nil
}

// readChanging reads a resource of changing, which must be of one version.
func readChanging(ctx context.Context, o access.Engine, req *access.Request, name string) error {
	r, err := o.Do(ctx, req)
	if err != nil {
		return err
	}
	defer r.Body.Close()
	got, err := io.ReadAll(r.Body)
	if err != nil {
		return err
	}
	if r.Offset != req.Offset || int64(len(got)) != r.Size-r.Offset {
		return fmt.Errorf("%d bytes from %d of %d", len(got), r.Offset, r.Size)
	}
	last := string(got[len(got)-piece:])
	whole := strings.Repeat(last, int(r.Size)/piece)
	if !strings.HasPrefix(last, name+" ") || string(got) != whole[r.Offset:] {
		return fmt.Errorf("ends with %q and is not that all through", last)
	}
	return nil
}

// A pending decision whose body broke off refuses new members.
func TestBrokenAlready(t *testing.T) {
	c := &Cache{Folder: openFolder(t, 0), Engine: &changing{}}
	d := &decision{made: make(chan struct{}), found: found{Resource: &access.Resource{}}, body: newSharedBody(c.Folder, func() {})}
	d.body.state, d.body.err = broken, io.ErrUnexpectedEOF
	d.decide(share)
	c.pending = map[string]*decision{"ftp://h/1": d}
	if err := readChanging(t.Context(), c, &access.Request{URL: url.MustParse("ftp://h/1")}, "1"); err != nil {
		t.Error(err)
	}
}
