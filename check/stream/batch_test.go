package stream

import (
	"bytes"
	"errors"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"locus/check"
)

// A published is a publisher that keeps what it gets.
type published struct {
	mu      sync.Mutex
	batches []map[string][][]byte
	took    time.Duration // for each batch
	err     error
	now     atomic.Int32
	most    atomic.Int32 // at once
}

func (p *published) publish(records map[string][][]byte) error {
	n := p.now.Add(1)
	defer p.now.Add(-1)
	p.most.Store(max(p.most.Load(), n))
	time.Sleep(p.took)
	p.mu.Lock()
	defer p.mu.Unlock()
	p.batches = append(p.batches, records)
	return p.err
}

// publishAll is publish for a batcher of records of one subject.
func (p *published) publishAll(records [][]byte) {
	_ = p.publish(map[string][][]byte{"done.w": records})
}

// count returns how many batches and how many records were published.
func (p *published) count() (batches, records int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, b := range p.batches {
		for _, some := range b {
			records += len(some)
		}
	}
	return len(p.batches), records
}

func one(text string) map[string][][]byte { return map[string][][]byte{"jobs.0": {[]byte(text)}} }

// Goroutines that add records within the time of linger share a batch; it waits no longer.
// Half of the jobs fill one.
func TestBatch(t *testing.T) {
	for _, test := range []struct {
		name     string
		jobs     int
		adders   int
		size     int // of a record
		batches  int
		took     time.Duration
		together bool // at most maxPublishes batches are published at once
	}{
		{"alone", 1000, 1, 1, 1, linger, false},
		{"shared", 1000, 100, 1, 1, linger, false},
		{"half of the jobs", 10, 5, 1, 1, 0, false},
		{"full", 1000, 1, batchSize + 1, 1, 0, false},
		{"many", 2, 100, 1, 100, 0, true},
	} {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				p := &published{}
				if test.together {
					p.took = time.Second
				}
				b := newBatcher(test.jobs, p.publishAll)
				start := time.Now()
				for range test.adders {
					go b.add(make([]byte, test.size), test.size)
				}
				synctest.Wait()
				b.wait()
				batches, records := p.count()
				if took := time.Since(start); !test.together && took != test.took || batches > test.batches || records != test.adders {
					t.Errorf("%d batches with %d records after %v, want %d, %d and %v", batches, records, took, test.batches, test.adders, test.took)
				}
				if n := int(p.most.Load()); n > maxPublishes {
					t.Errorf("%d batches were published at once, want at most %d", n, maxPublishes)
				}
			})
		})
	}
}

// What a publisher adds is published, too, before wait returns.
func TestBatchAddsMore(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var b *batcher[int]
		var published []int
		b = newBatcher(1000, func(all []int) {
			published = append(published, all...)
			if all[0] == 1 {
				b.add(2, 1)
			}
		})
		b.add(1, 1)
		b.wait()
		if !slices.Equal(published, []int{1, 2}) {
			t.Errorf("published are %v, want 1 and 2", published)
		}
	})
}

// Messages are cut between records. One that is too large is a message of its own.
func TestFirstMessage(t *testing.T) {
	for _, test := range []struct {
		sizes []int
		want  int
	}{
		{[]int{1}, 1}, {[]int{1, 2, 3}, 3}, {[]int{messageSize, 1}, 1}, {[]int{messageSize - 1, 1, 1}, 2}, {[]int{2 * messageSize, 1}, 1}, {[]int{1, 2 * messageSize}, 1},
	} {
		var records [][]byte
		for _, n := range test.sizes {
			records = append(records, make([]byte, n))
		}
		if got := firstMessage(records); got != test.want {
			t.Errorf("of records of %v bytes %d are in the first message, want %d", test.sizes, got, test.want)
		}
	}
}

// What was compressed comes back. A message that no worker wrote is an error, also one that
// would fill the memory.
func TestCompress(t *testing.T) {
	for _, records := range [][][]byte{{[]byte("a"), []byte("bc")}, {bytes.Repeat([]byte("x"), 1<<20)}, {nil}} {
		data, err := compress(records)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := decompress(data); err != nil || !bytes.Equal(got, bytes.Join(records, nil)) {
			t.Errorf("%d bytes come back as %d, %v", sizeOf(records), len(got), err)
		}
	}
	bomb, err := compress([][]byte{make([]byte, maxBatch+1)})
	if err != nil {
		t.Fatal(err)
	}
	short, err := compress([][]byte{[]byte("abc")})
	if err != nil {
		t.Fatal(err)
	}
	for name, data := range map[string][]byte{"a bomb": bomb, "a message that is cut off": short[:len(short)-1], "noise": []byte("noise")} {
		if _, err := decompress(data); !errors.Is(err, errBatch) {
			t.Errorf("%s gives %v", name, err)
		}
	}
	if got, err := decompress(nil); got != nil || err != nil {
		t.Errorf("a mark has %q, %v", got, err)
	}
}

// Records of documents wait for a message, but not for long. A failure is told by the next add and
// at the end.
func TestSeeds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := &published{}
		var s seeds
		s.init(p.publish)
		for range 3 {
			if err := s.add(t.Context(), one("x")); err != nil {
				t.Fatal(err)
			}
		}
		if n, _ := p.count(); n != 0 {
			t.Errorf("%d messages are published at once", n)
		}
		time.Sleep(seedLinger)
		synctest.Wait()
		if n, records := p.count(); n != 1 || records != 3 {
			t.Errorf("%d messages with %d records, want 1 with 3", n, records)
		}
		p.err = errors.New("broken")
		if err := s.add(t.Context(), one(strings.Repeat("x", messageSize))); err != nil {
			t.Fatal(err)
		}
		s.wait()
		if n, _ := p.count(); n != 2 {
			t.Errorf("%d messages, want a full one at once", n)
		}
		if s.add(t.Context(), one("y")) == nil || s.finish(t.Context()) == nil {
			t.Error("the failure of a message is not told")
		}
		time.Sleep(seedLinger) // the last one
		synctest.Wait()
		s.wait()
	})
}

// A job that the log has is not added again. What is remembered stays small.
func TestKnownJobs(t *testing.T) {
	var s seeds
	s.init(nil)
	a, b := check.Job{URL: "http://h/a"}, check.Job{URL: "http://h/b"}
	s.see([]check.Job{a})
	if got := s.unseen([]check.Job{a, b, {URL: a.URL, Anchors: true}}); len(got) != 2 || got[0] != b {
		t.Errorf("new are %v", got)
	}
	for n := range 3 * maxKnown {
		s.see([]check.Job{{URL: "http://h/", Depth: n}})
	}
	if len(s.known) > maxKnown+1 {
		t.Errorf("%d jobs are remembered", len(s.known))
	}
}
