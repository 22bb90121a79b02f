package fetch

import (
	"os"
	"testing"
	"time"

	"locus/access"
)

// While one goroutine saves the state, and waits for a slow disk, the others write their ranges.
func TestWriteWhileSaving(t *testing.T) {
	root, err := os.OpenRoot(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	d := New(Options{Event: func(Event) {}}, nil, &access.Request{}, root, "f")
	d.Part(PartName{Dir: root, Name: "f.part", Path: "f.part", IsNew: true, Exclusive: true})
	if err := d.part.create(); err != nil {
		t.Fatal(err)
	}
	defer d.part.file.Close()
	first, second := &segment{end: 4}, &segment{start: 4, pos: 4, end: 8}
	d.segments, d.ranged, d.state.Size = []*segment{first, second}, true, 8
	d.saving.Lock() // as during a flush
	written := make(chan error, 1)
	go func() { written <- d.write([]byte("abc"), first) }()
	select {
	case err := <-written:
		if err != nil {
			t.Errorf("write during a save = %v", err)
		}
	case <-time.After(time.Minute):
		t.Fatal("write waits for a save")
	}
	d.saving.Unlock()
	d.saved = time.Time{}
	if err := d.write([]byte("e"), second); err != nil {
		t.Errorf("write after a save = %v", err)
	}
	s := LoadState(root, "f.part"+StateSuffix)
	if s == nil || len(s.Done) != 2 || s.Done[0] != (span{0, 3}) || s.Done[1] != (span{4, 5}) {
		t.Errorf("the state is %+v, want the ranges 0-3 and 4-5", s)
	}
}
