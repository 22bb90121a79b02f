package transfer

import (
	"encoding/binary"
	"errors"
	"strings"
	"time"

	"locus/access"
	"locus/url"
)

// A stream is a sequence of tasks. They are read once, in the order in which they
// were added. Reading may begin before the last one was added.
//
// A task takes some 30 bytes and what its URL does not share with the one before:
//
//	flags kind standard level size [seconds nanoseconds] shared rest URL… start length [name…] length title…
//	                                                      \______________/ \____________________/
//	                                                      the URL         the name: often a part of the URL
type stream struct {
	spool *spool
	count int // tasks that were added and not read

	pages []spoolPage // full ones, in order
	tail  []byte      // what was added after them

	head []byte // what is left of the page that is being read
	room []byte // its memory, for the next one

	standards []url.Standard // of the URLs, by number
	added     string         // the URL that was added last
	read      string         // the URL that was read last
}

// A streamed is a task in a stream. title is that of an entry without a URL.
type streamed struct {
	task
	title string
}

const (
	flagDir byte = 1 << iota
	flagAbsent
	flagTime
)

var errDamaged = errors.New("a temporary file does not have what was written into it")

// add adds a task. It does nothing after the spool has failed.
func (s *stream) add(t streamed) {
	var flags byte
	if t.dir {
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

func appendText(b []byte, text string) []byte {
	return append(binary.AppendUvarint(b, uint64(len(text))), text...)
}

// sharedPrefix returns how many bytes a and b have in common at their start.
func sharedPrefix(a, b string) int {
	n := 0
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	return n
}

func (s *stream) standardNumber(std url.Standard) byte {
	for i, known := range s.standards {
		if known == std {
			return byte(i)
		}
	}
	s.standards = append(s.standards, std)
	return byte(len(s.standards) - 1)
}

// write adds bytes.
func (s *stream) write(b []byte) {
	for len(s.tail)+len(b) >= pageSize {
		n := pageSize - len(s.tail)
		s.tail = append(s.tail, b[:n]...)
		b = b[n:]
		s.seal()
	}
	s.tail = append(s.tail, b...)
}

// seal ends the last page, so that it need not stay in memory.
func (s *stream) seal() {
	if len(s.tail) == 0 {
		return
	}
	p, err := s.spool.store(s.tail)
	if err != nil {
		s.spool.broken(err)
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

// next returns the next task. ok is false if there is none, or the spool has failed.
func (s *stream) next() (t streamed, ok bool) {
	if s.count == 0 || s.spool.failure() != nil {
		return streamed{}, false
	}
	t, err := s.decode()
	if err != nil {
		s.spool.broken(err)
		return streamed{}, false
	}
	s.count--
	return t, true
}

func (s *stream) decode() (t streamed, err error) {
	d := decoder{stream: s}
	flags, kind, std := d.byte(), d.byte(), d.byte()
	t.dir, t.absent, t.kind = flags&flagDir != 0, flags&flagAbsent != 0, access.Kind(kind)
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

// fill reads the next page.
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
	s.head, err = s.spool.load(p, s.room)
	s.room = nil
	if p.data == nil && err == nil {
		s.room = s.head[:0]
	}
	return err
}

// drop forgets what was not read.
func (s *stream) drop() {
	for _, p := range s.pages {
		s.spool.drop(p)
	}
	*s = stream{spool: s.spool}
}

// all gives the tasks that are left.
func (s *stream) all(yield func(streamed) bool) {
	for {
		t, ok := s.next()
		if !ok || !yield(t) {
			return
		}
	}
}

// A decoder reads what a task is made of.
type decoder struct {
	stream *stream
	err    error // the first one; after it all is zero
}

// ReadByte is for package binary.
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

func (d *decoder) byte() byte {
	b, err := d.ReadByte()
	return kept(d, b, err)
}

func (d *decoder) uvarint() uint64 {
	n, err := binary.ReadUvarint(d)
	return kept(d, n, err)
}

func (d *decoder) varint() int64 {
	n, err := binary.ReadVarint(d)
	return kept(d, n, err)
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

// kept keeps the first error, and returns v if there was none.
func kept[T any](d *decoder, v T, err error) T {
	var zero T
	if d.err == nil {
		d.err = err
	}
	if d.err != nil {
		return zero
	}
	return v
}
