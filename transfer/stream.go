package transfer

import (
	"errors"
	"slices"
	"strings"
	"time"

	"locus/access"
	"locus/internal/record"
	"locus/url"
)

// A stream is a queue of tasks in memory or in a file. Each task is read once, in the
// order in which they were added. Adding and reading may alternate.
//
// A task takes about 30 bytes, plus the bytes that its URL does not share with the
// URL before:
//
//	flags kind standard level size [seconds nanoseconds] shared rest URL… start length [name…] length title… [length unique…] [parts]
//	                                                      \______________/ \____________________/
//	                                                      the URL         the name: often a part of the URL
type stream struct {
	spool *spool
	count int // tasks to read

	pages []spoolPage // full pages, in order
	tail  []byte      // the page after them, which is being written

	head   []byte // the rest of the page that is being read
	buffer []byte // memory for the next page

	standards []url.Standard // of the URLs, by number
	writer    record.Writer
	reader    record.Reader
}

const (
	flagDir byte = 1 << iota
	flagAbsent
	flagTime
	flagUnique
	flagPart
)

var errDamaged = errors.New("a temporary file is damaged")

// add adds a task.
func (s *stream) add(t task) {
	var flags byte
	if t.isDir {
		flags |= flagDir
	}
	if t.absent {
		flags |= flagAbsent
	}
	if !t.modTime.IsZero() {
		flags |= flagTime
	}
	if t.unique != "" {
		flags |= flagUnique
	}
	if t.parts > 0 {
		flags |= flagPart
	}
	w := &s.writer
	w.Data = append(make([]byte, 0, 256), flags, byte(t.kind), s.standardNumber(t.url.Standard()))
	w.Uint(uint64(t.level))
	w.Int(t.size)
	if flags&flagTime != 0 {
		w.Int(t.modTime.Unix())
		w.Uint(uint64(t.modTime.Nanosecond()))
	}
	text := t.url.String()
	w.Similar(text)
	if start := strings.Index(text, t.name); start >= 0 {
		w.Uint(uint64(start) + 1)
		w.Uint(uint64(len(t.name)))
	} else {
		w.Uint(0)
		w.Text(t.name)
	}
	w.Text(t.title)
	if t.unique != "" {
		w.Text(t.unique)
	}
	if t.parts > 0 {
		w.Uint(uint64(t.parts))
	}
	s.count++
	s.write(w.Data)
	w.Data = nil
}

// standardNumber returns the index of std in standards.
func (s *stream) standardNumber(std url.Standard) byte {
	if i := slices.Index(s.standards, std); i >= 0 {
		return byte(i)
	}
	s.standards = append(s.standards, std)
	return byte(len(s.standards) - 1)
}

// write appends b to the pages.
func (s *stream) write(b []byte) {
	for len(s.tail)+len(b) >= pageSize {
		n := pageSize - len(s.tail)
		s.tail = append(s.tail, b[:n]...)
		b = b[n:]
		s.seal()
	}
	s.tail = append(s.tail, b...)
}

// seal gives the last page to the spool, so that it can leave memory.
func (s *stream) seal() {
	if len(s.tail) == 0 {
		return
	}
	p, err := s.spool.store(s.tail)
	if err != nil {
		s.spool.fail(err)
		s.tail = s.tail[:0]
		return
	}
	s.pages = append(s.pages, p)
	if p.data != nil {
		s.tail = nil
	} else {
		s.tail = s.tail[:0]
	}
}

// next returns the next task. ok is false if there is none or the spool has failed.
func (s *stream) next() (t task, ok bool) {
	if s.count == 0 || s.spool.failure() != nil {
		return task{}, false
	}
	t, err := s.decode()
	if err != nil {
		s.spool.fail(err)
		return task{}, false
	}
	s.count--
	return t, true
}

// decode reads a task.
func (s *stream) decode() (t task, err error) {
	r := &s.reader
	r.From = s
	flags, kind, std := r.Byte(), r.Byte(), r.Byte()
	t.isDir, t.absent, t.kind = flags&flagDir != 0, flags&flagAbsent != 0, access.Kind(kind)
	t.level, t.size = int(r.Uint()), r.Int()
	if flags&flagTime != 0 {
		seconds := r.Int()
		t.modTime = time.Unix(seconds, int64(r.Uint())).UTC()
	}
	text := r.Similar()
	if r.Err() != nil || int(std) >= len(s.standards) {
		return t, errors.Join(errDamaged, r.Err())
	}
	if text != "" {
		if t.url, err = s.standards[std].Parse(text); err != nil {
			return t, err
		}
	}
	switch start := r.Uint(); start {
	case 0:
		t.name = r.Text()
	default:
		start, n := start-1, r.Uint()
		if start > uint64(len(text)) || n > uint64(len(text))-start {
			return t, errDamaged
		}
		t.name = text[start : start+n]
	}
	t.title = r.Text()
	if flags&flagUnique != 0 {
		t.unique = r.Text()
	}
	if flags&flagPart != 0 {
		t.parts = int(r.Uint())
	}
	return t, r.Err()
}

// fill reads the next page into head if head is empty.
func (s *stream) fill() error {
	if len(s.head) > 0 {
		return nil
	}
	if len(s.pages) == 0 {
		if len(s.tail) == 0 {
			return errDamaged
		}
		s.head, s.tail = s.tail, nil
		return nil
	}
	p := s.pages[0]
	s.pages = s.pages[1:]
	var err error
	s.head, err = s.spool.load(p, s.buffer)
	s.buffer = nil
	if p.data == nil && err == nil {
		s.buffer = s.head[:0]
	}
	return err
}

// drop frees the tasks that were not read.
func (s *stream) drop() {
	for _, p := range s.pages {
		s.spool.drop(p)
	}
	*s = stream{spool: s.spool}
}

// all yields the remaining tasks.
func (s *stream) all(yield func(task) bool) {
	for {
		t, ok := s.next()
		if !ok || !yield(t) {
			return
		}
	}
}

// Read reads bytes of tasks, for reader.
func (s *stream) Read(p []byte) (int, error) {
	if err := s.fill(); err != nil {
		return 0, err
	}
	n := copy(p, s.head)
	s.head = s.head[n:]
	return n, nil
}

// ReadByte reads a byte of a task, for reader.
func (s *stream) ReadByte() (byte, error) {
	if err := s.fill(); err != nil {
		return 0, err
	}
	b := s.head[0]
	s.head = s.head[1:]
	return b, nil
}
