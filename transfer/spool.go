package transfer

import (
	"crypto/rand"
	"errors"
	"fmt"
	"os"
	"slices"
	"sync"

	"locus/retry"
)

// The errors of MirrorOptions.MaxEntries, MaxFiles, MaxTotal and MaxSpool.
var (
	ErrTooManyEntries = errors.New("the tree has too many entries")
	ErrTooManyFiles   = errors.New("the tree has too many files")
	ErrTooManyBytes   = errors.New("the files of the tree are too large together")
	ErrSpoolFull      = errors.New("the tree needs too much room for temporary files")
)

// pageSize is the size of a page of a stream.
const pageSize = 16 << 10

// A spool is the memory and the temporary files of streams and tables. A few
// megabytes stay in memory, the rest is in files.
//
// After its first error a spool is unusable: streams yield no more tasks, and tables
// report that they have every key.
type spool struct {
	create  func() (*spoolFile, error) // returns an empty temporary file
	maxDisk int64                      // how many bytes the files may have
	onFail  func(error)                // is called once, with the first error
	bounds  memoryBounds

	mu    sync.Mutex
	err   error
	files []*spoolFile
	disk  int64 // bytes in all files
	pages pagePool
}

// A pagePool is the full pages of all streams.
type pagePool struct {
	memory int        // bytes of those in memory
	file   *spoolFile // of the others; nil until it is needed
	count  int32      // pages in that file
	free   []int32    // of these, free ones
}

// memoryBounds say how much of a spool stays in memory.
type memoryBounds struct {
	pages   int   // bytes of full pages of all streams
	table   int64 // bytes of a table; a larger one has a file
	pending int   // pending keys of a table with a file
}

// usualBounds are bounds with which a mirror takes about 20 MB.
var usualBounds = memoryBounds{pages: 8 << 20, table: 4 << 20, pending: 1 << 16}

// A spoolFile is a temporary file. Its name in dir may be gone.
type spoolFile struct {
	*os.File
	dir  *os.Root
	name string
}

// newSpoolFile returns an empty file in dir. It removes the name at once if the system
// allows that, so that no file can be left behind.
func newSpoolFile(dir *os.Root) (*spoolFile, error) {
	f := &spoolFile{dir: dir, name: "spool" + rand.Text()}
	var err error
	if f.File, err = dir.OpenFile(f.name, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600); err != nil {
		return nil, err
	}
	_ = dir.Remove(f.name)
	return f, nil
}

// close closes and removes the file.
func (f *spoolFile) close() {
	f.Close()
	_ = f.dir.Remove(f.name)
}

// close removes all files.
func (s *spool) close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, f := range s.files {
		f.close()
	}
	s.files, s.pages.file = nil, nil
}

// failure returns the first error; nil if there was none.
func (s *spool) failure() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.err
}

// fail records the first error and reports it to onFail.
func (s *spool) fail(err error) {
	s.mu.Lock()
	first := s.err == nil
	if first {
		s.err = err
	}
	s.mu.Unlock()
	if first {
		s.onFail(err)
	}
}

// newFile returns a temporary file of n zero bytes.
func (s *spool) newFile(n int64) (*spoolFile, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.reserve(n); err != nil {
		return nil, err
	}
	return s.createFile(n)
}

func (s *spool) createFile(n int64) (*spoolFile, error) {
	f, err := s.create()
	if err != nil {
		return nil, err
	}
	s.files = append(s.files, f)
	return f, f.Truncate(n)
}

// dropFile removes a file of n bytes.
func (s *spool) dropFile(f *spoolFile, n int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	f.close()
	s.disk -= n
	s.files = slices.DeleteFunc(s.files, func(g *spoolFile) bool { return g == f })
}

// reserve counts n more bytes on the disk, with mu held.
func (s *spool) reserve(n int64) error {
	if s.disk+n > s.maxDisk {
		return fmt.Errorf("%w: more than %d bytes", ErrSpoolFull, s.maxDisk)
	}
	s.disk += n
	return nil
}

// A spoolPage is a full page of a stream, in memory or in the file.
type spoolPage struct {
	data []byte // nil if it is in the file
	at   int32  // its number in the file
	n    int    // its length
}

// store keeps a page of a stream. The caller must not change data any more.
func (s *spool) store(data []byte) (spoolPage, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.pages.memory+len(data) <= s.bounds.pages {
		s.pages.memory += len(data)
		return spoolPage{data: data, n: len(data)}, nil
	}
	at, err := s.freePage()
	if err != nil {
		return spoolPage{}, err
	}
	_, err = s.pages.file.WriteAt(data, int64(at)*pageSize)
	return spoolPage{at: at, n: len(data)}, err
}

// freePage returns a free page of the file, with mu held.
func (s *spool) freePage() (int32, error) {
	p := &s.pages
	if last := len(p.free) - 1; last >= 0 {
		at := p.free[last]
		p.free = p.free[:last]
		return at, nil
	}
	if err := s.reserve(pageSize); err != nil {
		return 0, err
	}
	if p.file == nil {
		var err error
		if p.file, err = s.createFile(0); err != nil {
			return 0, err
		}
	}
	p.count++
	return p.count - 1, nil
}

// load returns the bytes of a page, and frees the page. It may use the memory of
// buffer.
func (s *spool) load(p spoolPage, buffer []byte) ([]byte, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if p.data != nil {
		s.pages.memory -= p.n
		return p.data, nil
	}
	if cap(buffer) < p.n {
		buffer = make([]byte, pageSize)
	}
	buffer = buffer[:p.n]
	if _, err := s.pages.file.ReadAt(buffer, int64(p.at)*pageSize); err != nil {
		return nil, retry.UnexpectedEOF(err)
	}
	s.pages.free = append(s.pages.free, p.at)
	return buffer, nil
}

// drop frees a page.
func (s *spool) drop(p spoolPage) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if p.data != nil {
		s.pages.memory -= p.n
	} else {
		s.pages.free = append(s.pages.free, p.at)
	}
}
