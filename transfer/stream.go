package transfer

import (
	"encoding/binary"
	"errors"
	"slices"
	"strings"
	"time"

	"locus/access"
	"locus/url"
)

// A stream is a queue of tasks in memory or in a file. Each task is read once, in the
// order in which they were added. Adding and reading may alternate.
//
// A task takes about 30 bytes, plus the bytes that its URL does not share with the
// URL before:
//
//	flags kind standard level size [seconds nanoseconds] shared rest URL… start length [name…] length title…
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
	added     string         // the last URL that was added
	read      string         // the last URL that was read
}

const (
	flagDir byte = 1 << iota
	flagAbsent
	flagTime
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
	b := append(make([]byte, 0, 256), flags, byte(t.kind), s.standardNumber(t.url.Standard()))
	b = binary.AppendUvarint(b, uint64(t.level))
	b = binary.AppendVarint(b, t.size)
	if flags&flagTime != 0 {
		b = binary.AppendVarint(b, t.modTime.Unix())
		b = binary.AppendUvarint(b, uint64(t.modTime.Nanosecond()))
	}
	text := t.url.String()
	shared := sharedPrefix(s.added, text)
	b = binary.AppendUvarint(b, uint64(shared))
	b = appendText(b, text[shared:])
	if start := strings.Index(text, t.name); start >= 0 {
		b = binary.AppendUvarint(b, uint64(start)+1)
		b = binary.AppendUvarint(b, uint64(len(t.name)))
	} else {
		b = append(b, 0)
		b = appendText(b, t.name)
	}
	b = appendText(b, t.title)
	s.added = text
	s.count++
	s.write(b)
}

// appendText appends a text after its length.
func appendText(b []byte, text string) []byte {
	return append(binary.AppendUvarint(b, uint64(len(text))), text...)
}

// sharedPrefix returns the length of the common start of a and b.
func sharedPrefix(a, b string) int {
	n := 0
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	return n
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
	d := decoder{stream: s}
	flags, kind, std := d.byte(), d.byte(), d.byte()
	t.isDir, t.absent, t.kind = flags&flagDir != 0, flags&flagAbsent != 0, access.Kind(kind)
	t.level, t.size = int(d.uvarint()), d.varint()
	if flags&flagTime != 0 {
		seconds := d.varint()
		t.modTime = time.Unix(seconds, int64(d.uvarint())).UTC()
	}
	shared := d.uvarint()
	rest := d.text()
	if d.err != nil || shared > uint64(len(s.read)) || int(std) >= len(s.standards) {
		return t, errors.Join(errDamaged, d.err)
	}
	text := s.read[:shared] + rest
	s.read = text
	if text != "" {
		if t.url, err = s.standards[std].Parse(text); err != nil {
			return t, err
		}
	}
	switch start := d.uvarint(); start {
	case 0:
		t.name = d.text()
	default:
		start, n := start-1, d.uvarint()
		if start > uint64(len(text)) || n > uint64(len(text))-start {
			return t, errDamaged
		}
		t.name = text[start : start+n]
	}
	t.title = d.text()
	return t, d.err
}

// fill reads the next page into head.
func (s *stream) fill() error {
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

// A decoder reads the fields of a task.
type decoder struct {
	stream *stream
	err    error // the first one; the fields after it are invalid
}

// ReadByte implements io.ByteReader for package binary.
func (d *decoder) ReadByte() (byte, error) {
	s := d.stream
	for len(s.head) == 0 {
		if err := s.fill(); err != nil {
			return 0, err
		}
	}
	b := s.head[0]
	s.head = s.head[1:]
	return b, nil
}

func (d *decoder) byte() (b byte) {
	if d.err == nil {
		b, d.err = d.ReadByte()
	}
	return b
}

func (d *decoder) uvarint() (n uint64) {
	if d.err == nil {
		n, d.err = binary.ReadUvarint(d)
	}
	return n
}

func (d *decoder) varint() (n int64) {
	if d.err == nil {
		n, d.err = binary.ReadVarint(d)
	}
	return n
}

func (d *decoder) text() string {
	n := d.uvarint()
	var b strings.Builder
	for d.err == nil && uint64(b.Len()) < n {
		s := d.stream
		if len(s.head) == 0 {
			d.err = s.fill()
			continue
		}
		part := s.head[:min(uint64(len(s.head)), n-uint64(b.Len()))]
		b.Write(part)
		s.head = s.head[len(part):]
	}
	return b.String()
}
