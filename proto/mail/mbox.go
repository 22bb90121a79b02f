package mail

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"sync"
	"time"

	"locus/access"
)

// An Mbox is a file of messages, each after a line that begins with "From ". It
// implements [Source].
//
// An index of the file is made when the first message is looked for. Where it
// leads is looked at again before it is believed. When the file has grown only
// what is new is read; before it is said that a message is not there, the whole
// is.
//
// It may be used by several goroutines at once, but not copied.
type Mbox struct {
	// Root and Name are the folder and the name of the file in it. A nil Root
	// refuses every access.
	Root *os.Root
	Name string
	// Quoting says which lines of a message have a ">" too much.
	Quoting Quoting
	// Cache is the folder in which the index is kept. Nil keeps it in memory only.
	Cache *os.Root

	mu    sync.Mutex
	index *index // nil until it was asked for
}

// Quoting is how an mbox tells lines of a message from those between messages.
type Quoting uint8

const (
	// MboxRD quotes "From ", ">From ", ">>From " … by one more ">". It also
	// reads an mboxo, but for messages that had such lines quoted themselves.
	MboxRD Quoting = iota
	// MboxO quotes "From " alone.
	MboxO
)

// Find opens a message. An index that cannot be written is no error.
func (m *Mbox) Find(ctx context.Context, q Query) (*Message, error) {
	if m.Root == nil {
		return nil, access.Reason("no mbox was given", fs.ErrPermission)
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	f, err := m.Root.Open(m.Name)
	if err != nil {
		return nil, err
	}
	message, err := m.find(ctx, f, q)
	if err != nil {
		f.Close()
		return nil, err
	}
	return message, nil
}

func (m *Mbox) find(ctx context.Context, f *os.File, q Query) (*Message, error) {
	name := indexName(fmt.Sprintf("mbox %d", m.Quoting), m.Root.Name()+"/"+m.Name)
	if m.index == nil {
		m.index = loadIndex(m.Cache, name)
	}
	if found, err := m.open(ctx, f, q); found != nil || err != nil {
		return found, err
	}
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	was, is := m.index.stamp, stampOf(info).settled(time.Now())
	if was == is && is != (stamp{}) && m.index.knows(q) {
		return nil, notFound(q)
	}
	for _, from := range m.starts(f, q) {
		x, err := m.read(ctx, f, from, q.needsParts())
		if err != nil {
			return nil, err
		}
		if from == 0 {
			x.stamp = is
		}
		m.index = x
		found, err := m.open(ctx, f, q)
		if err != nil {
			return nil, err
		}
		if found != nil || from == 0 {
			_ = x.save(m.Cache, name) // without it the next look-up is slower
		}
		if found != nil {
			return found, nil
		}
	}
	return nil, notFound(q)
}

// starts returns how many of the entries may be kept when the file is read:
// first all but the last, if it seems to have grown, then none.
func (m *Mbox) starts(f *os.File, q Query) []int {
	n := len(m.index.entries)
	if n < 2 || !m.begins(f, m.index.entries[n-1].offset) || !m.index.knows(q) {
		return []int{0}
	}
	return []int{n - 1, 0}
}

// open opens what the index has for q; nil if that is not there.
func (m *Mbox) open(ctx context.Context, f *os.File, q Query) (*Message, error) {
	for _, e := range m.index.find(q) {
		if !m.begins(f, e.offset) {
			continue
		}
		ok, err := isIt(ctx, m.reader(ctx, f, e.offset), q)
		if err != nil {
			return nil, err
		}
		if ok {
			return &Message{Body: &mboxMessage{m.reader(ctx, f, e.offset), f}, Size: -1}, nil
		}
	}
	return nil, nil
}

// begins reports whether a From_ line ends at offset, which may be any number.
func (m *Mbox) begins(f *os.File, offset int64) bool {
	const most = 1024
	if offset <= 0 {
		return false
	}
	b := make([]byte, min(most, offset))
	if _, err := f.ReadAt(b, offset-int64(len(b))); err != nil || !bytes.HasSuffix(b, []byte("\n")) {
		return false
	}
	line := b[bytes.LastIndexByte(b[:len(b)-1], '\n')+1:]
	return bytes.HasPrefix(line, []byte("From "))
}

// mboxMessage is one message of an mbox, and the file it is in.
type mboxMessage struct {
	*mboxReader
	f *os.File
}

// Close closes the file.
func (m *mboxMessage) Close() error { return m.f.Close() }

// reader reads messages from offset on, where one begins.
func (m *Mbox) reader(ctx context.Context, f *os.File, offset int64) *mboxReader {
	const end = 1 << 62
	return &mboxReader{
		r:       bufio.NewReaderSize(&watched{ctx: ctx, r: io.NewSectionReader(f, offset, end-offset)}, bufferSize),
		offset:  offset,
		quoting: m.Quoting,
		start:   true,
	}
}

// read makes the index anew, but for the first kept entries.
func (m *Mbox) read(ctx context.Context, f *os.File, kept int, parts bool) (*index, error) {
	x := &index{entries: m.index.entries[:kept:kept]}
	var from int64
	if kept > 0 {
		from = m.index.entries[kept].offset
	}
	r := m.reader(ctx, f, from)
	if kept == 0 && !r.skipToMessage() {
		return x, r.problem()
	}
	for scan := newIndexer(ctx); ; {
		e := entry{offset: r.offset, parts: true} // what cannot be understood has no ids
		ids, err := scan.message(r, parts)
		if done := ctx.Err(); done != nil {
			return nil, done
		}
		if err == nil {
			e.ids, e.parts = ids.ids, ids.parts
		}
		x.entries = append(x.entries, e)
		if !r.next() {
			return x, r.problem()
		}
	}
}

// An mboxReader reads one message of an mbox after the other, without what the
// format adds.
type mboxReader struct {
	r       *bufio.Reader
	offset  int64 // of what r reads next
	quoting Quoting

	start   bool   // the next octet begins a line
	empty   []byte // an empty line, which may belong to the format: not given yet
	rest    []byte // of a line that is being given
	between bool   // the message has ended with a From_ line
	err     error  // the file has ended, or cannot be read
}

// skipToMessage goes past the From_ line at the start of the file. It reports
// whether there is one.
func (r *mboxReader) skipToMessage() bool {
	if line, _ := r.line(); !bytes.HasPrefix(line, []byte("From ")) {
		return false
	}
	r.restOfLine()
	return true
}

// next goes to the next message. It reports whether there is one.
func (r *mboxReader) next() bool {
	for !r.between {
		if r.fill(); r.err != nil {
			return false
		}
	}
	r.between = false
	r.restOfLine()
	return true
}

// problem is what went wrong when the file was read.
func (r *mboxReader) problem() error {
	if errors.Is(r.err, io.EOF) {
		return nil
	}
	return r.err
}

// Read gives the octets of the message, up to its end.
func (r *mboxReader) Read(b []byte) (int, error) {
	for len(r.rest) == 0 {
		if r.between {
			return 0, io.EOF
		}
		if r.err != nil {
			return 0, r.err
		}
		r.fill()
	}
	n := copy(b, r.rest)
	r.rest = r.rest[n:]
	return n, nil
}

// fill takes the next line, or a piece of one that is long.
func (r *mboxReader) fill() {
	afterEmpty, atStart := r.empty != nil, r.start
	line, ok := r.line()
	switch {
	case !ok: // an empty line at the end is the format's
	case afterEmpty && isFromLine(line):
		r.rest, r.empty, r.between = nil, nil, true
	case atStart && isEmptyLine(line):
		r.rest, r.empty = r.empty, bytes.Clone(line)
	default:
		if atStart {
			line = unquote(line, r.quoting)
		}
		r.rest = line
		if r.empty != nil {
			r.rest, r.empty = append(r.empty, line...), nil
		}
	}
}

// line reads a line, or a piece of one that is long.
func (r *mboxReader) line() (line []byte, ok bool) {
	line, err := r.r.ReadSlice('\n')
	r.offset += int64(len(line))
	r.start = err == nil
	if err != nil && !errors.Is(err, bufio.ErrBufferFull) {
		r.err = err
	}
	return line, len(line) > 0
}

// restOfLine goes to the start of the next line.
func (r *mboxReader) restOfLine() {
	for !r.start && r.err == nil {
		r.line()
	}
}

// isFromLine reports whether a line separates messages: "From ", an address or
// something like one, and a date with a time of day.
func isFromLine(line []byte) bool {
	rest, ok := bytes.CutPrefix(line, []byte("From "))
	if !ok {
		return false
	}
	for i := 2; i+2 < len(rest); i++ {
		if rest[i] == ':' && isDigit(rest[i-2]) && isDigit(rest[i-1]) && isDigit(rest[i+1]) && isDigit(rest[i+2]) {
			return true
		}
	}
	return false
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

// unquote takes the ">" off a line that is a quoted From_ line.
func unquote(line []byte, quoting Quoting) []byte {
	bare := bytes.TrimLeft(line, ">")
	quotes := len(line) - len(bare)
	if quotes == 0 || quoting == MboxO && quotes > 1 || !bytes.HasPrefix(bare, []byte("From ")) {
		return line
	}
	return line[1:]
}
