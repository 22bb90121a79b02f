package check

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"math"

	"locus/internal/memory"
)

const (
	// defaultMemory is the number of bytes for MaxMemory 0.
	defaultMemory = 256 << 20

	// memoryPerByte is about how many bytes of memory a byte of a document takes while the document is read, with the
	// garbage that is not collected yet.
	memoryPerByte = 6

	// memoryPerLink is about how many bytes of memory a link of a page takes besides its URL, until the queue has it:
	// the link and its job, each in a slice that has grown.
	memoryPerLink = 208
)

// newBudget returns the memory budget of a run, by MaxMemory.
func (c *Checker) newBudget() *memory.Budget {
	return &memory.Budget{Max: int(min(cmp.Or(c.MaxMemory, defaultMemory), math.MaxInt))}
}

// A pageMemory reserves memory for a page that a visit reads, and for the links of the page.
type pageMemory struct {
	visit   *visit
	links   []Link
	ofText  int // bytes reserved for the text
	ofLinks int // bytes reserved for the links
}

// reserveText reserves memory for the text of a page, of which read bytes were read so far. It may wait.
func (m *pageMemory) reserveText(ctx context.Context, read int) error {
	m.ofText = memoryPerByte * read
	return m.reserve(ctx)
}

// add adds a link to m.links, and reserves memory for it, which may wait. The error is an *uncheckedError if the links
// of the page need more memory than all pages may use.
func (m *pageMemory) add(ctx context.Context, l Link) error {
	m.links = append(m.links, l)
	m.ofLinks += memoryPerLink + 2*len(l.URL)
	if most := m.visit.memory.Max; most >= 0 && m.ofLinks > most {
		return &uncheckedError{ClassLimit, fmt.Sprintf("its links need more than %d MiB of memory", most>>20)}
	}
	return m.reserve(ctx)
}

// reserve waits until the visit has memory for the text and the links. The wait does not count for the time limit of
// the visit. If ctx is done first, it returns an error.
func (m *pageMemory) reserve(ctx context.Context) error {
	n, share, clock := m.ofText+m.ofLinks, m.visit.clock.task.memory, &m.visit.clock
	if share.TryReserve(n) {
		return nil
	}
	return clock.untimed(ctx, func() error { return share.Reserve(ctx, n) })
}

// releaseText releases the memory for the text, after the page was read. The memory for the links stays reserved.
func (m *pageMemory) releaseText() { m.visit.clock.task.memory.Shrink(m.ofLinks) }

// A reservingReader calls reserve after each Read with the number of bytes that were read so far.
type reservingReader struct {
	in      io.Reader
	reserve func(read int) error
	read    int
}

// Read reads from r.in and reserves memory for all bytes that were read. If that fails, it returns the bytes and the
// error of reserve.
func (r *reservingReader) Read(b []byte) (int, error) {
	n, err := r.in.Read(b)
	r.read += n
	if err := r.reserve(r.read); err != nil {
		return n, err
	}
	return n, err
}
