package transfer

import (
	"fmt"
	"sync/atomic"

	"locus/access"
)

// A size is how many files and bytes a mirror has fetched or found up to date.
type size struct {
	files, bytes atomic.Int64
}

// countFile counts a file, or with -1 one less. If there are too many, it stops the
// mirror and returns an error.
func (m *mirror) countFile(n int64) error {
	limit := int64(m.MaxFiles)
	if m.size.files.Add(n) <= limit || limit <= 0 {
		return nil
	}
	m.spool.fail(fmt.Errorf("%w: more than %d", ErrTooManyFiles, limit))
	return m.spool.failure()
}

// countBytes counts n more bytes of files, or less. If there are too many, it stops the
// mirror and returns an error.
func (m *mirror) countBytes(n int64) error {
	if m.MaxTotal <= 0 {
		return nil
	}
	for {
		have := m.size.bytes.Load()
		if n > m.MaxTotal-have {
			m.spool.fail(fmt.Errorf("%w: more than %d bytes", ErrTooManyBytes, m.MaxTotal))
			return m.spool.failure()
		}
		if m.size.bytes.CompareAndSwap(have, have+n) {
			return nil
		}
	}
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
