package sync

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"locus/access"
	"locus/internal/spill"
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

// fullQueue returns a task queue with n tasks, and a function that returns task i.
func fullQueue(s *spill.Store, n int) (*taskQueue, func(i int) task) {
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
	long, of := fullQueue(s, n)
	if files() == 0 {
		t.Fatal("all tasks are in memory, so the test does not read the file")
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

// Tasks are done in order, however many task queues are pending.
func TestQueueMerge(t *testing.T) {
	const queues, each = 5 * maxPending, 3
	s, _ := testStore(t, 1<<30)
	q := queue{store: s}
	var want, got []int
	for i := range queues {
		tasks := make([]task, each)
		for k := range tasks {
			tasks[k] = task{level: i*each + k}
			want = append(want, (queues-1-i)*each+k)
		}
		q.push(tasks...)
	}
	if len(q.pending) > 2*maxPending || q.merged == 0 {
		t.Errorf("%d task queues wait, and %d were merged", len(q.pending), q.merged)
	}
	q.work(t.Context(), 1, func(_ context.Context, at task, _ func()) { got = append(got, at.level) })
	if !slices.Equal(got, want) {
		t.Errorf("%d tasks are done in another order than the %d that were pushed", len(got), len(want))
	}
}
