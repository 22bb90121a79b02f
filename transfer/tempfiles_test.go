package transfer

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"runtime"
	"strings"
	"testing"
	"time"

	"locus/access"
	"locus/internal/spill"
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

// A listing of many entries takes little memory, during and after the listing.
func TestMirrorMemory(t *testing.T) {
	const entries, most = 10_000, 1 << 20 // with lowBounds a few thousand fit
	root, _ := folder(t)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	before := heap()
	var listing, fetching int64
	o := access.GetFunc(func(_ context.Context, req *access.Request) (*access.Resource, error) {
		if strings.HasSuffix(req.URL.Path(), "/") {
			body := &generated{n: entries, entry: fileEntry, last: func() { listing = heap() - before }}
			return listed(req, body), nil
		}
		fetching = heap() - before
		cancel()
		return nil, context.Canceled
	})
	var listed int64
	_, err := mirrorWithin(ctx, lowBounds, o, url.MustParse("ftp://h/pub/"), root, MirrorOptions{TreeOptions: TreeOptions{Jobs: 1, Delete: true, Event: func(e Event) {
		if e.Kind == Listed {
			listed = e.Done
		}
	}}})
	if ctx.Err() == nil || listed != entries {
		t.Errorf("Mirror = %v, with %d entries listed, want %d and an end at the first file", err, listed, entries)
	}
	if listing > most || fetching > most {
		t.Errorf("the heap grew by %d KB when all was listed, and by %d KB at the first file, want at most %d KB", listing>>10, fetching>>10, most>>10)
	}
}

// With lowBounds a few thousand tasks do not fit into memory.
var lowBounds = spill.Bounds{Pages: 256 << 10, Table: 64 << 10, Pending: 1 << 10}

// A tree that is too large ends the mirror. It keeps all files, and leaves only parts to resume.
func TestMirrorTooLarge(t *testing.T) {
	menuItem := func(i int) access.Entry {
		return access.Entry{Title: "item", URL: url.MustParse(fmt.Sprintf("gopher://h/0/item%d", i)), Kind: access.Object, Size: -1}
	}
	menuText := func(int) access.Entry { return access.Entry{Title: "text", Kind: access.Info, Size: -1} }
	for _, test := range []struct {
		name  string
		root  string
		entry func(int) access.Entry
		opts  MirrorOptions
		want  error
		text  string
	}{
		{"an endless menu", "gopher://h/1/", menuItem, MirrorOptions{TreeOptions: TreeOptions{MaxEntries: 5000}}, ErrTooManyEntries, "mirror gopher://h/1/: the tree has too many entries: more than 5000"},
		{"an endless text", "gopher://h/1/", menuText, MirrorOptions{TreeOptions: TreeOptions{MaxEntries: 5000}}, ErrTooManyEntries, "mirror gopher://h/1/: the tree has too many entries: more than 5000"},
		{"an endless directory", "ftp://u:secret@h/pub/", fileEntry, MirrorOptions{TreeOptions: TreeOptions{MaxTemp: 512 << 10}}, ErrTempFull, "mirror ftp://u:xxxxx@h/pub/: the tree needs too much space for temporary files: more than 524288 bytes"},
		{"a dry run without a folder", "ftp://h/pub/", fileEntry, MirrorOptions{TreeOptions: TreeOptions{DryRun: true}}, nil, "mirror ftp://h/pub/: the tree is too large for memory, and no folder was given for temporary files"},
	} {
		t.Run(test.name, func(t *testing.T) {
			root, name := folder(t)
			fill(t, name, map[string]string{"old": "old"})
			o := access.GetFunc(func(_ context.Context, req *access.Request) (*access.Resource, error) {
				return listed(req, &generated{n: math.MaxInt, entry: test.entry}), nil
			})
			var log eventLog
			test.opts.Delete, test.opts.Event = true, log.add
			report, err := mirrorWithin(t.Context(), lowBounds, o, url.MustParse(test.root), root, test.opts)
			if test.want != nil && !errors.Is(err, test.want) || err == nil || err.Error() != test.text || report.Deleted > 0 {
				t.Errorf("Mirror = %+v, %v, want %s", report, err, test.text)
			}
			if len(log.events) > 0 {
				t.Errorf("it told %+v", log.events)
			}
			compareTrees(t, contents(t, name), map[string]string{"old": "old"})
		})
	}
}

// A listing that is read again, after a failure or before a deletion, does not count
// twice.
func TestMirrorMaxEntries(t *testing.T) {
	root, name := folder(t)
	fill(t, name, map[string]string{"old": "old"})
	broken := 2
	o := access.GetFunc(func(_ context.Context, req *access.Request) (*access.Resource, error) {
		r, err := hostile("a", "b", "c").Do(t.Context(), req)
		if list, ok := r.Body.(*dir); ok && broken > 0 {
			broken--
			list.err = io.ErrUnexpectedEOF
		}
		return r, err
	})
	report, err := Mirror(t.Context(), o, url.MustParse("ftp://h/"), root, MirrorOptions{TreeOptions: TreeOptions{MaxEntries: 3, Delete: true, Retry: hasty}})
	if err != nil || report.Files != 3 || report.Deleted != 1 {
		t.Errorf("Mirror = %+v, %v, want 3 files and one deleted", report, err)
	}
}
