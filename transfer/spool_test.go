package transfer

import (
	"context"
	"fmt"
	"io"
	"runtime"
	"strings"
	"testing"
	"time"

	"locus/access"
	"locus/url"
)

// A generated is the Body of a listing of n files.
type generated struct {
	n, at int
	entry func(i int) access.Entry
	last  func() // is called when the last entry is read; may be nil
}

func (g *generated) Read([]byte) (int, error) { return 0, io.EOF }
func (g *generated) Close() error             { return nil }
func (g *generated) Next() (access.Entry, error) {
	if g.at == g.n {
		return access.Entry{}, io.EOF
	}
	if g.at++; g.at == g.n && g.last != nil {
		g.last()
	}
	return g.entry(g.at - 1), nil
}

// fileEntry is the entry of an FTP listing for file i.
func fileEntry(i int) access.Entry {
	name := fmt.Sprintf("a file with the number %08d.txt", i)
	return access.Entry{
		Title: name, URL: url.MustParse("ftp://h/pub/" + url.Escape(name, url.RFC3986.Unreserved())),
		Kind: access.Object, Size: int64(i), ModTime: time.Unix(1_700_000_000+int64(i)*1000, 0),
	}
}

// heap returns how many bytes are in use.
func heap() int64 {
	runtime.GC()
	var s runtime.MemStats
	runtime.ReadMemStats(&s)
	return int64(s.HeapAlloc)
}

// A listing of many entries takes little memory, while it is read and after.
func TestMirrorMemory(t *testing.T) {
	const entries, most = 300_000, 30 << 20
	root, _ := folder(t)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	before := heap()
	var listing, fetching int64
	o := access.OpenerFunc(func(_ context.Context, req *access.Request) (*access.Resource, error) {
		if strings.HasSuffix(req.URL.Path(), "/") {
			body := &generated{n: entries, entry: fileEntry, last: func() { listing = heap() - before }}
			return &access.Resource{URL: req.URL, Size: -1, Body: body}, nil
		}
		fetching = heap() - before
		cancel()
		return nil, context.Canceled
	})
	var listed int64
	_, err := Mirror(ctx, o, url.MustParse("ftp://h/pub/"), root, MirrorOptions{Delete: true, Options: Options{Event: func(e Event) {
		if e.Kind == Listed {
			listed = e.Done
		}
	}}})
	if ctx.Err() == nil || listed != entries {
		t.Errorf("Mirror = %v, with %d entries listed, want %d and an end at the first file", err, listed, entries)
	}
	if listing > most || fetching > most {
		t.Errorf("the heap grew by %d MB when all was listed, and by %d MB at the first file, want at most %d MB", listing>>20, fetching>>20, most>>20)
	}
}
