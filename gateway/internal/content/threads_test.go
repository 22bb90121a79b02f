package content_test

import (
	"strconv"
	"testing"
	"time"

	"locus/access"
	"locus/gateway/internal/content"
)

// A very long chain of answers is a thread, however often its articles refer to the last of them.
func TestLongThread(t *testing.T) {
	// attack: Articles answer each other in a long chain, and refer in circles, so that a page takes very long | the
	// time is almost in proportion to the number of references
	const many, circles = 150_000, 10
	entries := make([]access.Entry, many)
	for i := range entries {
		header := access.Header{{Name: "Message-ID", Value: strconv.Itoa(i)}, {Name: "References", Value: strconv.Itoa(i + 1)}}
		for range circles {
			header = append(header, access.Field{Name: "References", Value: "0"})
		}
		entries[i].Header = header
	}
	threads := make(chan []content.Threaded)
	go func() { threads <- content.Threads(entries) }()
	select {
	case rows := <-threads:
		if n := len(rows); n != many || rows[n-1].Depth != n-1 {
			t.Errorf("a chain of %d articles has %d rows, and the last one has the depth %d", many, n, rows[n-1].Depth)
		}
	case <-time.After(time.Minute):
		t.Fatalf("a chain of %d articles takes longer than a minute", many)
	}
}
