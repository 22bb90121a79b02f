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

// A published is a publisher that keeps the records of each batch.
type published struct {
	mu      sync.Mutex
	batches []map[string][][]byte
	took    time.Duration // how long each batch takes
	err     error
	now     atomic.Int32
	most    atomic.Int32 // how many batches were published at the same time
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

// publishAll publishes records of one subject.
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

// Goroutines that add records within the time of linger share a batch. A full batch, or a batch with half of the jobs,
// does not wait.
func TestBatch(t *testing.T) {
	for _, test := range []struct {
		name     string
		jobs     int
		adders   int
		size     int // of a record
		batches  int
		took     time.Duration
		together bool // many batches are published at the same time
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
					t.Errorf("%d adders of %d bytes make %d batches with %d records after %v, want %d, %d and %v", test.adders, test.size, batches, records, took, test.batches, test.adders, test.took)
				}
				if n := int(p.most.Load()); n > maxPublishes {
					t.Errorf("%d batches were published at the same time, want at most %d", n, maxPublishes)
				}
			})
		})
	}
}

// A value that publish adds is also published before wait returns.
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
			t.Errorf("after wait, %v were published, want 1 and 2", published)
		}
	})
}

// Messages are cut between records. A record that is too large is a message of its own.
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
			t.Errorf("firstMessage of records of %v bytes = %d, want %d", test.sizes, got, test.want)
		}
	}
}

// decompress is the inverse of compress. A damaged message is an error, and so is a message that would fill the memory.
func TestCompress(t *testing.T) {
	for _, records := range [][][]byte{{[]byte("a"), []byte("bc")}, {bytes.Repeat([]byte("x"), 1<<20)}, {nil}} {
		data, err := compress(records)
		if err != nil {
			t.Fatalf("compress of %d records: %v", len(records), err)
		}
		if got, err := decompress(data); err != nil || !bytes.Equal(got, bytes.Join(records, nil)) {
			t.Errorf("%d bytes are compressed and decompressed to %d, %v", sizeOf(records), len(got), err)
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
			t.Errorf("decompress of %s = %v, want %v", name, err, errBatch)
		}
	}
	if got, err := decompress(nil); got != nil || err != nil {
		t.Errorf("decompress of a mark = %q, %v, want nil", got, err)
	}
}

// Records of documents wait for seedLinger until there are enough for a message. The next add and finish return the
// error of an earlier message.
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
			t.Errorf("before seedLinger, %d messages are published, want 0", n)
		}
		time.Sleep(seedLinger)
		synctest.Wait()
		if n, records := p.count(); n != 1 || records != 3 {
			t.Errorf("after seedLinger, %d messages with %d records are published, want 1 with 3", n, records)
		}
		p.err = errors.New("broken")
		if err := s.add(t.Context(), one(strings.Repeat("x", messageSize))); err != nil {
			t.Fatal(err)
		}
		s.wait()
		if n, _ := p.count(); n != 2 {
			t.Errorf("after a record of %d bytes, %d messages are published, want 2", messageSize, n)
		}
		if s.add(t.Context(), one("y")) == nil || s.finish(t.Context()) == nil {
			t.Error("add and finish return nil after a message that failed")
		}
		time.Sleep(seedLinger) // until the last message is published
		synctest.Wait()
		s.wait()
	})
}

// unseen omits jobs that the log contains. At most maxKnown jobs are remembered.
func TestKnownJobs(t *testing.T) {
	var s seeds
	s.init(nil)
	a, b := check.Job{URL: "http://h/a"}, check.Job{URL: "http://h/b"}
	s.see([]check.Job{a})
	if got := s.unseen([]check.Job{a, b, {URL: a.URL, Anchors: true}}); len(got) != 2 || got[0] != b {
		t.Errorf("after see(%v), unseen returns %v, want two jobs, first %v", a, got, b)
	}
	for n := range 3 * maxKnown {
		s.see([]check.Job{{URL: "http://h/", Depth: n}})
	}
	if len(s.known) > maxKnown+1 {
		t.Errorf("after %d jobs, %d are remembered, want at most %d", 3*maxKnown, len(s.known), maxKnown+1)
	}
}
