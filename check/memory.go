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

// newBudget returns the budget for MaxMemory.
func (c *Checker) newBudget() *memory.Budget {
	return &memory.Budget{Max: int(min(cmp.Or(c.MaxMemory, defaultMemory), math.MaxInt))}
}

// A pageMemory reserves memory for a page that a visit reads, and for the links of the page.
type pageMemory struct {
	visit   *visit
	links   []Link
	ofText  int // bytes
	ofLinks int // bytes
}

// reserveText reserves memory for the text of a page of which some bytes were read.
func (m *pageMemory) reserveText(ctx context.Context, read int) error {
	m.ofText = memoryPerByte * read
	return m.reserve(ctx)
}

// add adds a link, and reserves memory for it. The error is an uncheckedError if the links of the page need more memory
// than all pages may use.
func (m *pageMemory) add(ctx context.Context, l Link) error {
	m.links = append(m.links, l)
	m.ofLinks += memoryPerLink + 2*len(l.URL)
	if most := m.visit.memory.Max; most >= 0 && m.ofLinks > most {
		return &uncheckedError{ClassLimit, fmt.Sprintf("its links need more than %d MiB of memory", most>>20)}
	}
	return m.reserve(ctx)
}

// reserve waits until there is enough memory. The time limit of the visit stands still meanwhile.
func (m *pageMemory) reserve(ctx context.Context) error {
	n, share, clock := m.ofText+m.ofLinks, m.visit.clock.task.memory, &m.visit.clock
	if share.TryReserve(n) {
		return nil
	}
	return clock.untimed(ctx, func() error { return share.Reserve(ctx, n) })
}

// releaseText gives the memory of the text back, after it was read.
func (m *pageMemory) releaseText() { m.visit.clock.task.memory.Shrink(m.ofLinks) }

// A reservingReader calls reserve with the number of bytes that were read.
type reservingReader struct {
	in      io.Reader
	reserve func(read int) error
	read    int
}

// Read reads from r.in and reserves memory for all bytes that have been read. If that fails, it returns the error
// together with the bytes.
func (r *reservingReader) Read(b []byte) (int, error) {
	n, err := r.in.Read(b)
	r.read += n
	if err := r.reserve(r.read); err != nil {
		return n, err
	}
	return n, err
}
