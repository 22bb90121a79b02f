package transfer

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"runtime"
	"slices"
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
	_, err := mirrorWithin(ctx, lowBounds, o, url.MustParse("ftp://h/pub/"), root, MirrorOptions{Jobs: 1, Delete: true, Options: Options{Event: func(e Event) {
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

// testSpool returns a store in a folder, and a function that counts its files.
func testSpool(t testing.TB, most int64) (*spill.Store, func() int) {
	t.Helper()
	root, _ := folder(t)
	n := 0
	s := spill.NewStore(spill.Options{MaxDisk: most, Bounds: lowBounds, Create: func() (*spill.Temp, error) {
		n++
		return spill.NewTemp(root)
	}})
	t.Cleanup(s.Close)
	return s, func() int { return n }
}

// streamOf returns a stream with n tasks, and a function that returns task i.
func streamOf(s *spill.Store, n int) (*taskQueue, func(i int) task) {
	kinds := []access.Kind{access.Object, access.Link, access.Unknown}
	of := func(i int) task {
		e := fileEntry(i)
		t := task{url: e.URL, kind: kinds[i%3], level: i % 200, size: int64(i) - 1, modTime: e.ModTime}
		switch i % 5 {
		case 1:
			t.name, t.isDir, t.absent = "pub/x", true, true
		case 2:
			t.name, t.modTime = e.Title, time.Time{}
		case 3:
			t = task{kind: access.Unknown, size: -1, title: strings.Repeat("?", i%300)}
		case 4:
			t.name, t.url = "pub", url.MustParse("ftp://h/pub/"+strings.Repeat("x", i%40_000))
		}
		t.modTime = t.modTime.UTC()
		return t
	}
	st := newTasks(s)
	for i := range n {
		st.Add(of(i))
	}
	return st, of
}

// A queue of tasks yields them from memory and from the disk, also while others are added.
func TestTasks(t *testing.T) {
	s, files := testSpool(t, 1<<30)
	const n = 5_000
	long, of := streamOf(s, n)
	if files() == 0 {
		t.Fatal("all is in memory: the test shows too little")
	}
	for i := range 3 * n {
		got, ok := long.Next()
		if !ok || got != of(i%n) {
			t.Fatalf("task %d is %+v, %v, want %+v", i, got, ok, of(i%n))
		}
		if i < 2*n {
			long.Add(got)
		}
	}
	if _, ok := long.Next(); ok || long.Len() != 0 {
		t.Error("there is another task at the end")
	}
}

// After the store has failed, every name is taken.
func TestNamesFail(t *testing.T) {
	s, _ := testSpool(t, 1<<20)
	s.Fail(ErrSpoolFull)
	if owners := (names{owners: spill.NewTable(s)}); !owners.has("x") {
		t.Error("a name is free after the spool has failed")
	}
}

// Tasks are done in order, however many streams are pending.
func TestQueueJoin(t *testing.T) {
	const streams, each = 5 * maxPending, 3
	s, _ := testSpool(t, 1<<30)
	q := queue{store: s}
	var want, got []int
	for i := range streams {
		tasks := make([]task, each)
		for k := range tasks {
			tasks[k] = task{level: i*each + k}
			want = append(want, (streams-1-i)*each+k)
		}
		q.push(tasks...)
	}
	if len(q.pending) > 2*maxPending || q.merged == 0 {
		t.Errorf("%d streams wait, and %d were joined", len(q.pending), q.merged)
	}
	q.work(t.Context(), 1, func(_ context.Context, at task, _ func()) { got = append(got, at.level) })
	if !slices.Equal(got, want) {
		t.Errorf("the order of %d tasks is not that of %d", len(got), len(want))
	}
}

// A tree that is too large ends the mirror. It deletes nothing, and leaves only parts
// to resume.
func TestMirrorTooLarge(t *testing.T) {
	menuItem := func(i int) access.Entry {
		return access.Entry{Title: "item", URL: url.MustParse(fmt.Sprintf("gopher://h/0/item%d", i)), Kind: access.Object, Size: -1}
	}
	menuText := func(int) access.Entry { return access.Entry{Title: "text", Kind: access.Info, Size: -1} }
	for _, tt := range []struct {
		name  string
		root  string
		entry func(int) access.Entry
		opts  MirrorOptions
		want  error
		text  string
	}{
		{"an endless menu", "gopher://h/1/", menuItem, MirrorOptions{MaxEntries: 5000}, ErrTooManyEntries, "mirror gopher://h/1/: the tree has too many entries: more than 5000"},
		{"an endless text", "gopher://h/1/", menuText, MirrorOptions{MaxEntries: 5000}, ErrTooManyEntries, "mirror gopher://h/1/: the tree has too many entries: more than 5000"},
		{"an endless directory", "ftp://u:secret@h/pub/", fileEntry, MirrorOptions{MaxSpool: 512 << 10}, ErrSpoolFull, "mirror ftp://u:xxxxx@h/pub/: the tree needs too much room for temporary files: more than 524288 bytes"},
		{"a dry run without a folder", "ftp://h/pub/", fileEntry, MirrorOptions{DryRun: true}, nil, "mirror ftp://h/pub/: the tree is too large for memory, and a dry run was given no folder for temporary files"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			root, name := folder(t)
			fill(t, name, map[string]string{"old": "old"})
			o := access.GetFunc(func(_ context.Context, req *access.Request) (*access.Resource, error) {
				return listed(req, &generated{n: math.MaxInt, entry: tt.entry}), nil
			})
			var log eventLog
			tt.opts.Delete, tt.opts.Event = true, log.add
			report, err := mirrorWithin(t.Context(), lowBounds, o, url.MustParse(tt.root), root, tt.opts)
			if tt.want != nil && !errors.Is(err, tt.want) || err == nil || err.Error() != tt.text || report.Deleted > 0 {
				t.Errorf("Mirror = %+v, %v, want %s", report, err, tt.text)
			}
			if len(log.events) > 0 {
				t.Errorf("it told %+v", log.events)
			}
			compareTrees(t, contents(t, name), map[string]string{"old": "old"})
		})
	}
}

// The last complete line of a name counts, over all runs.
func TestETags(t *testing.T) {
	root, name := folder(t)
	fill(t, name, map[string]string{stateDir + "/": "", "a": "a", "b": "b", "c": "c"})
	info := func(name string) os.FileInfo {
		info, err := root.Lstat(name)
		if err != nil {
			t.Fatal(err)
		}
		return info
	}
	noted := loadETags(root, spill.NewStore(spill.Options{}))
	for _, s := range []struct{ name, etag string }{{"a", "1"}, {"b", "2"}, {"c", "3"}, {"a", "4"}, {"b", ""}} {
		noted.record(s.name, state{ETag: s.etag}, "text/html")
	}
	if k, ok := noted.find("a", info("a")); !ok || k.ETag != "4" || k.Type != "text/html" {
		t.Errorf("of a file that was just fetched is known %+v, %v", k, ok)
	}
	if err := noted.Save(func(name string) bool { return name != "c" }); err != nil {
		t.Fatal(err)
	}
	file := name + "/" + etagsPath
	text, _ := os.ReadFile(file)
	if n := strings.Count(string(text), "\n"); n != 1 {
		t.Errorf("the file has %d lines, want one: %s", n, text)
	}
	long := `{"name":"` + strings.Repeat("x", spill.MaxLine) + `","etag":"5"}`
	if err := os.WriteFile(file, []byte(string(text)+long+"\n"+`{"name":"a","etag":"6`), 0o666); err != nil {
		t.Fatal(err)
	}
	noted = loadETags(root, spill.NewStore(spill.Options{}))
	for _, name := range []string{"b", "c"} {
		if k, ok := noted.find(name, info(name)); ok {
			t.Errorf("of %s is known %+v", name, k)
		}
	}
	if k, ok := noted.find("a", info("a")); !ok || k.ETag != "4" {
		t.Errorf("of a is known %+v, %v", k, ok)
	}
	noted.record("c", state{ETag: "7"}, "")
	if k, ok := noted.find("c", info("c")); !ok || k.ETag != "7" {
		t.Errorf("of c is known %+v, %v", k, ok)
	}
	noted.record("a", state{}, "")
	noted.record("c", state{}, "")
	if err := noted.Save(func(string) bool { return true }); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(file); !os.IsNotExist(err) {
		t.Errorf("a file of nothing is left: %v", err)
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
	report, err := Mirror(t.Context(), o, url.MustParse("ftp://h/"), root, MirrorOptions{MaxEntries: 3, Delete: true, Options: Options{Retry: hasty}})
	if err != nil || report.Files != 3 || report.Deleted != 1 {
		t.Errorf("Mirror = %+v, %v, want 3 files and one deleted", report, err)
	}
}
