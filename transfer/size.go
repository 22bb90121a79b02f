package transfer

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"sync/atomic"

	"locus/access"
	"locus/internal/spill"
)

// The errors of MirrorOptions.MaxEntries, MaxFiles, MaxTotal and MaxSpool.
var (
	ErrTooManyEntries = errors.New("the tree has too many entries")
	ErrTooManyFiles   = errors.New("the tree has too many files")
	ErrTooManyBytes   = errors.New("the files of the tree are too large together")
	ErrSpoolFull      = spill.ErrFull
)

// DefaultMaxFiles is MirrorOptions.MaxFiles if that is 0.
const DefaultMaxFiles = 1_000_000

// A size is how many files and bytes a mirror has fetched or found up to date, and how many
// it may have.
type size struct {
	files, bytes atomic.Int64
	maxFiles     int64 // less than 0: no limit
	maxBytes     int64 // less than 0: no limit
	isDiskLimit  bool  // maxBytes is for what the disk does not have yet
}

// setLimits sets the limits, by the free space of the disk if there is no MaxTotal.
func (m *mirror) setLimits() {
	m.size.maxFiles, m.size.maxBytes = cmp.Or(int64(m.MaxFiles), DefaultMaxFiles), m.MaxTotal
	if m.MaxTotal != 0 {
		return
	}
	m.size.maxBytes = -1
	if free, ok := freeSpace(m.root); ok {
		m.size.maxBytes, m.size.isDiskLimit = (free+partBytes(m.root))/10*9, true
	}
}

// partBytes returns the size of what earlier runs have not finished. Its files are counted
// again.
func partBytes(root *os.Root) (n int64) {
	entries, _ := fs.ReadDir(root.FS(), stateDir) // there may be none
	for _, e := range entries {
		if info, err := e.Info(); err == nil && info.Mode().IsRegular() {
			n += info.Size()
		}
	}
	return n
}

// countFile counts a file, or with -1 one less. If there are too many, it stops the
// mirror and returns an error.
func (m *mirror) countFile(n int64) error {
	if m.size.files.Add(n) <= m.size.maxFiles || m.size.maxFiles < 0 {
		return nil
	}
	m.store.Fail(fmt.Errorf("%w: more than %d", ErrTooManyFiles, m.size.maxFiles))
	return m.store.Err()
}

// countBytes counts n more bytes of files, or less. If there are too many, it stops the
// mirror and returns an error.
func (m *mirror) countBytes(n int64) error {
	limit := m.size.maxBytes
	if limit < 0 {
		return nil
	}
	for {
		have := m.size.bytes.Load()
		if n > limit-have {
			m.store.Fail(m.size.tooManyBytes())
			return m.store.Err()
		}
		if m.size.bytes.CompareAndSwap(have, have+n) {
			return nil
		}
	}
}

func (s *size) tooManyBytes() error {
	if s.isDiskLimit {
		return fmt.Errorf("%w: more than %d bytes, nine tenths of the free space", ErrTooManyBytes, s.maxBytes)
	}
	return fmt.Errorf("%w: more than %d bytes", ErrTooManyBytes, s.maxBytes)
}

// fileOverhead is at least what a file takes of the disk besides its bytes: its last block is
// not full.
const fileOverhead = 4 << 10

// countNew returns countBytes for a file that is fetched.
func (m *mirror) countNew() func(n int64) error {
	overhead := int64(0)
	if m.size.isDiskLimit {
		overhead = fileOverhead
	}
	return func(n int64) error {
		n, overhead = n+overhead, 0
		return m.countBytes(n)
	}
}

// countOld counts the bytes of a file that is up to date, as countBytes does.
func (m *mirror) countOld(n int64) error {
	if m.size.isDiskLimit {
		return nil
	}
	return m.countBytes(n)
}

// claimFile gives a name to the file of a URL, and counts the file.
func (m *mirror) claimFile(name, url string) error {
	isNew, err := m.names.claimFile(name, url)
	if err != nil || !isNew {
		return err
	}
	return m.countFile(1)
}

// checkSize returns an error if a listing says that a file is larger than MaxSize. The
// size of a link is not that of its file.
func (m *mirror) checkSize(t task) error {
	if m.MaxSize <= 0 || t.size <= m.MaxSize || t.kind == access.Link {
		return nil
	}
	return tooLarge(t.url, m.MaxSize)
}
