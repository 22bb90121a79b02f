package spill

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"

	"locus/internal/record"
)

// low is so low that a few thousand values do not fit into memory.
var low = Bounds{Pages: 256 << 10, Table: 64 << 10, Pending: 1 << 10}

// testStore returns a Store in a folder, and a function that counts its files.
func testStore(t testing.TB, most int64) (*Store, func() int) {
	t.Helper()
	root, err := os.OpenRoot(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { root.Close() })
	n := 0
	s := NewStore(Options{MaxDisk: most, Bounds: low, Create: func() (*Temp, error) {
		n++
		return NewTemp(root)
	}})
	t.Cleanup(s.Close)
	return s, func() int { return n }
}

// textCodec returns the Codec of the queues of tests.
func textCodec() Codec[string] {
	return Codec[string]{
		Encode: func(w *record.Writer, s string) { w.Similar(s) },
		Decode: func(r *record.Reader, _ string) (string, error) { return r.Similar(), nil },
	}
}

// queueOf returns a queue with n texts, and a function that returns text i.
func queueOf(s *Store, n int) (*Queue[string], func(i int) string) {
	of := func(i int) string {
		if i%50 == 4 {
			return strings.Repeat("x", i%40_000) // longer than a page
		}
		return fmt.Sprintf("%s%08d", strings.Repeat("y", i%300), i)
	}
	q := NewQueue(s, textCodec())
	for i := range n {
		q.Add(of(i))
	}
	return q, of
}

// A Queue yields its values from memory and from the disk, also while others are added.
// Reading a value frees its memory and its disk space.
func TestQueue(t *testing.T) {
	s, files := testStore(t, 1<<30)
	const n = 10_000
	long, of := queueOf(s, n)
	if files() == 0 {
		t.Fatal("all is in memory: the test shows too little")
	}
	size := s.disk
	for i := range 3 * n {
		got, ok := long.Next()
		if !ok || got != of(i%n) {
			t.Fatalf("value %d is %.30q, %v, want %.30q", i, got, ok, of(i%n))
		}
		if i < 2*n {
			long.Add(got)
		}
	}
	if _, ok := long.Next(); ok || long.Len() != 0 {
		t.Error("there is another value at the end")
	}
	if s.disk > size+10*pageSize || s.pages.memory != 0 || len(s.pages.free) != int(s.pages.count) {
		t.Errorf("%d bytes on the disk, want %d; %d in memory; %d pages of %d are free", s.disk, size, s.pages.memory, len(s.pages.free), s.pages.count)
	}
	again, _ := queueOf(s, n)
	again.Drop()
	if s.pages.memory != 0 || len(s.pages.free) != int(s.pages.count) {
		t.Errorf("a queue that was dropped keeps %d bytes in memory, and %d pages", s.pages.memory, int(s.pages.count)-len(s.pages.free))
	}
}

// A Table has its keys and values, in memory and on the disk.
func TestTable(t *testing.T) {
	for _, keysOnly := range []bool{false, true} {
		s, files := testStore(t, 1<<30)
		table := Table{store: s, keysOnly: keysOnly}
		const n = 10_000 // memory has space for 8192 keys, or for 4096 with values
		key := func(i int) Key { return KeyOf(fmt.Sprint(i)) }
		value := func(i int) (v uint64) {
			if !keysOnly {
				v = uint64(i)<<20 | 1
			}
			return v
		}
		for i := range n {
			table.Put(key(i), value(i))
		}
		for i := range n / 2 {
			table.Put(key(i), value(i+1))
		}
		for i := range n {
			want := value(i)
			if i < n/2 {
				want = value(i + 1)
			}
			if v, ok := table.Get(key(i)); !ok || v != want {
				t.Fatalf("key %d has %x, %v, want %x", i, v, ok, want)
			}
			if i%10 > 0 {
				continue
			}
			if _, ok := table.Get(key(n + i)); ok {
				t.Fatalf("there is a key %d, which was not put", n+i)
			}
		}
		table.writePending()
		if files() == 0 || table.used != n || s.disk != table.slots*table.width() || s.Err() != nil {
			t.Errorf("%d files, %d keys, %d bytes for %d slots, %v", files(), table.used, s.disk, table.slots, s.Err())
		}
	}
}

// A full Store reports its error once. Then queues yield nothing, and tables and sets have
// every key.
func TestStoreFull(t *testing.T) {
	s, _ := testStore(t, 1<<20)
	var told []error
	s.OnFail = func(err error) { told = append(told, err) }
	q, _ := queueOf(s, 20_000)
	_, ok := q.Next()
	if ok || len(told) != 1 || !errors.Is(told[0], ErrFull) || s.Err() == nil {
		t.Errorf("a full store gives a value: %v; it told %v", ok, told)
	}
	if set := NewSet(s); set.Add("x") || !set.Has("y") {
		t.Error("a set in a full store takes what is new")
	}
	if _, ok := NewTable(s).Get(KeyOf("x")); !ok {
		t.Error("a table in a full store lacks a key")
	}
}

// A negative MaxDisk means no limit.
func TestStoreUnlimited(t *testing.T) {
	s, files := testStore(t, -1)
	if _, _ = queueOf(s, 10_000); files() == 0 || s.Err() != nil {
		t.Errorf("%d files, %v, want a file and no error", files(), s.Err())
	}
}
