package sync

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"locus/access"
	"locus/internal/spill"
	"locus/transfer/internal/fetch"
	"locus/transfer/internal/tree"
	"locus/url"
)

// fileEntry is the entry of an FTP listing for file i.
func fileEntry(i int) access.Entry {
	name := fmt.Sprintf("a file with the number %08d.txt", i)
	return access.Entry{
		Title: name, URL: url.MustParse("ftp://h/pub/" + url.Escape(name, url.RFC3986.Unreserved())),
		Kind: access.Object, Size: int64(i), ModTime: time.Unix(1_700_000_000+int64(i)*1000, 0),
	}
}

// With lowBounds a few thousand tasks do not fit into memory.
var lowBounds = spill.Bounds{Pages: 256 << 10, Table: 64 << 10, Pending: 1 << 10}

// testStore returns a store in a folder, and a function that counts its files.
func testStore(t testing.TB, most int64) (*spill.Store, func() int) {
	t.Helper()
	root, _ := tempRoot(t)
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
	s, files := testStore(t, 1<<30)
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
	s, _ := testStore(t, 1<<20)
	s.Fail(spill.ErrFull)
	if owners := (names{owners: spill.NewTable(s)}); !owners.has("x") {
		t.Error("a name is free after the spool has failed")
	}
}

// Tasks are done in order, however many streams are pending.
func TestQueueJoin(t *testing.T) {
	const streams, each = 5 * maxPending, 3
	s, _ := testStore(t, 1<<30)
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

// The last complete line of a name counts, over all runs.
func TestETags(t *testing.T) {
	root, name := tempRoot(t)
	fill(t, name, map[string]string{tree.StateDir + "/": "", "a": "a", "b": "b", "c": "c"})
	info := func(name string) os.FileInfo {
		info, err := root.Lstat(name)
		if err != nil {
			t.Fatal(err)
		}
		return info
	}
	noted := loadETags(root, spill.NewStore(spill.Options{}))
	for _, s := range []struct{ name, etag string }{{"a", "1"}, {"b", "2"}, {"c", "3"}, {"a", "4"}, {"b", ""}} {
		noted.record(s.name, fetch.Result{ETag: s.etag, Type: "text/html"})
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
	noted.record("c", fetch.Result{ETag: "7"})
	if k, ok := noted.find("c", info("c")); !ok || k.ETag != "7" {
		t.Errorf("of c is known %+v, %v", k, ok)
	}
	noted.record("a", fetch.Result{})
	noted.record("c", fetch.Result{})
	if err := noted.Save(func(string) bool { return true }); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(file); !os.IsNotExist(err) {
		t.Errorf("a file of nothing is left: %v", err)
	}
}
