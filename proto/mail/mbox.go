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
	"locus/access/engine"
	"locus/proto/internal/message"
)

// An Mbox is a file of messages, each after a line that starts with "From ". It is a [Source].
//
// The first Find makes an index of the file. Find checks a position from the index before it uses
// it. If the file has grown, it reads only the new part. Before Find reports that a message does
// not exist, it reads the whole file.
//
// Several goroutines may use an Mbox at once. Do not copy it.
type Mbox struct {
	// Root and Name are the directory and the name of the file in it. A nil Root
	// refuses every request.
	Root *os.Root
	Name string
	// Quoting says which lines of a message begin with an extra ">".
	Quoting Quoting
	// Cache is the directory for the index. Nil keeps the index in memory only.
	Cache *os.Root

	mu    sync.Mutex
	index *index // nil before the first Find
}

// Quoting is the way in which an mbox distinguishes lines of a message from the From_ lines between
// messages.
type Quoting uint8

const (
	// MboxRD adds ">" to "From ", ">From ", ">>From " … It also reads MboxO
	// correctly, except messages in which lines began with ">From ".
	MboxRD Quoting = iota
	// MboxO adds ">" to "From " only.
	MboxO
)

// fromLine begins the line before each message.
const fromLine = "From "

// Find opens the message for q. The error wraps fs.ErrNotExist if the file has no such message. It
// ignores errors of writing the index.
func (m *Mbox) Find(ctx context.Context, q Query) (*Message, error) {
	if m.Root == nil {
		return nil, engine.Reason("no mbox is configured", fs.ErrPermission)
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

// find opens the message for q in f, which is the mbox file. It looks into the index, and reads
// the mbox again if the index may be out of date. On success the message owns f; on failure the
// caller closes it. The caller holds mu.
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
	if was == is && is != (stamp{}) && m.index.hasAllIDs(q) {
		return nil, notFound(q)
	}
	for _, from := range m.rescanPoints(f, q) {
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
			_ = x.save(m.Cache, name) // if it fails, the next Find is only slower
		}
		if found != nil {
			return found, nil
		}
	}
	return nil, notFound(q)
}

// rescanPoints returns how many entries of the index find keeps in each attempt to read the file
// again. If the file seems to have only grown, the first attempt keeps all entries but the last.
// The final attempt keeps 0 entries, so that it reads the whole file.
func (m *Mbox) rescanPoints(f *os.File, q Query) []int {
	n := len(m.index.entries)
	if n < 2 || !m.isMessageStart(f, m.index.entries[n-1].offset) || !m.index.hasAllIDs(q) {
		return []int{0}
	}
	return []int{n - 1, 0}
}

// open opens the message that the index has for q, after checking it in f. It returns nil, nil if
// the index lacks it or is out of date. The message owns f.
func (m *Mbox) open(ctx context.Context, f *os.File, q Query) (*Message, error) {
	for _, e := range m.index.find(q) {
		if !m.isMessageStart(f, e.offset) {
			continue
		}
		ok, err := matchesQuery(ctx, m.reader(ctx, f, e.offset), q)
		if err != nil {
			return nil, err
		}
		if ok {
			return &Message{Body: &mboxMessage{m.reader(ctx, f, e.offset), f}, Size: -1}, nil
		}
	}
	return nil, nil
}

// isMessageStart reports whether a message of f may start at offset: the line that ends there
// starts with "From ". It returns false for an offset outside the file, and if f cannot be read.
func (m *Mbox) isMessageStart(f *os.File, offset int64) bool {
	const maxLine = 1024
	if offset <= 0 {
		return false
	}
	b := make([]byte, min(maxLine, offset))
	if _, err := f.ReadAt(b, offset-int64(len(b))); err != nil || !bytes.HasSuffix(b, []byte("\n")) {
		return false
	}
	line := b[bytes.LastIndexByte(b[:len(b)-1], '\n')+1:]
	return bytes.HasPrefix(line, []byte(fromLine))
}

// An mboxMessage is the Body of a message in an mbox.
type mboxMessage struct {
	*mboxReader
	file *os.File
}

// Close closes the mbox file.
func (m *mboxMessage) Close() error { return m.file.Close() }

// reader returns a reader of the messages in f from offset on, where a message starts. It does not
// use or change the position of f. Reads fail when ctx is done.
func (m *Mbox) reader(ctx context.Context, f *os.File, offset int64) *mboxReader {
	const end = 1 << 62
	return &mboxReader{
		r:           bufio.NewReaderSize(&contextReader{ctx: ctx, r: io.NewSectionReader(f, offset, end-offset)}, bufferSize),
		offset:      offset,
		quoting:     m.Quoting,
		atLineStart: true,
	}
}

// read makes a new index of f. It keeps the first kept entries of the old index, which must have
// more entries unless kept is 0, and reads the messages after them. parts says whether it needs
// content-ids. If reading f fails, read returns the index of the messages before the failure, and
// the error. If ctx is done, the index is nil. It does not set m.index.
func (m *Mbox) read(ctx context.Context, f *os.File, kept int, parts bool) (*index, error) {
	x := &index{entries: m.index.entries[:kept:kept]}
	var from int64
	if kept > 0 {
		from = m.index.entries[kept].offset
	}
	r := m.reader(ctx, f, from)
	if kept == 0 && !r.skipToMessage() {
		return x, r.readError()
	}
	for scan := newIndexer(ctx); ; {
		e := entry{offset: r.offset, parts: true} // an invalid message has no ids
		ids, err := scan.message(r, parts)
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		if err == nil {
			e.ids, e.parts = ids.ids, ids.parts
		}
		x.entries = append(x.entries, e)
		if !r.nextMessage() {
			return x, r.readError()
		}
	}
}

// An mboxReader reads the messages of an mbox, one after the other, without From_ lines and quoting.
type mboxReader struct {
	r       *bufio.Reader
	offset  int64 // the offset of the next byte of r in the file
	quoting Quoting

	atLineStart bool   // the next byte starts a line
	heldLine    []byte // an empty line that may belong to the format, not to the message
	pending     []byte // the rest of the current line
	atEnd       bool   // a From_ line has ended the message
	err         error  // the end of the file, or a read error
}

// skipToMessage skips the From_ line at the start of the file, so that the first message is
// current. It returns false if the file does not start with a From_ line.
func (r *mboxReader) skipToMessage() bool {
	if line, _ := r.line(); !bytes.HasPrefix(line, []byte(fromLine)) {
		return false
	}
	r.skipLine()
	return true
}

// nextMessage skips the rest of the current message, and makes the next message current. It
// returns false at the end of the file, and after a read error; see readError.
func (r *mboxReader) nextMessage() bool {
	for !r.atEnd {
		if r.fill(); r.err != nil {
			return false
		}
	}
	r.atEnd = false
	r.skipLine()
	return true
}

// readError returns the error of reading the file. It returns nil if there was none, or if the
// file has ended.
func (r *mboxReader) readError() error {
	if access.IsEnd(r.err) {
		return nil
	}
	return r.err
}

// Read returns the current message, and io.EOF at its end.
func (r *mboxReader) Read(b []byte) (int, error) {
	for len(r.pending) == 0 {
		if r.atEnd {
			return 0, io.EOF
		}
		if r.err != nil {
			return 0, r.err
		}
		r.fill()
	}
	n := copy(b, r.pending)
	r.pending = r.pending[n:]
	return n, nil
}

// fill sets pending to the next line, or to the next piece of a long line; pending may be empty
// afterwards. At a From_ line it sets atEnd instead. It holds an empty line back until it has read
// the next line, because an empty line before a From_ line belongs to the format.
func (r *mboxReader) fill() {
	afterEmpty, atStart := r.heldLine != nil, r.atLineStart
	line, ok := r.line()
	if afterEmpty && isBareFrom(line) {
		line = bytes.Clone(line) // startsWithField reads on
		if r.startsWithField() {
			r.pending, r.heldLine, r.atEnd = nil, nil, true
			return
		}
	}
	switch {
	case !ok: // an empty line at the end belongs to the format
	case afterEmpty && isFromLine(line):
		r.pending, r.heldLine, r.atEnd = nil, nil, true
	case atStart && message.IsEmptyLine(line):
		r.pending, r.heldLine = r.heldLine, bytes.Clone(line)
	default:
		if atStart {
			line = unquote(line, r.quoting)
		}
		r.pending = line
		if r.heldLine != nil {
			r.pending, r.heldLine = append(r.heldLine, line...), nil
		}
	}
}

// line reads a line with its end, or a piece of a long line. At the end of the file and after a read
// error it sets r.err, and returns the bytes that it has read. ok is false if there are no bytes. The
// line is valid until the next read.
func (r *mboxReader) line() (line []byte, ok bool) {
	line, err := r.r.ReadSlice('\n')
	r.offset += int64(len(line))
	r.atLineStart = err == nil
	if err != nil && !errors.Is(err, bufio.ErrBufferFull) {
		r.err = err
	}
	return line, len(line) > 0
}

// skipLine skips the rest of the current line. It has no effect at the start of a line.
func (r *mboxReader) skipLine() {
	for !r.atLineStart && r.err == nil {
		r.line()
	}
}

// isFromLine reports whether a line separates messages: "From ", an address or similar, and a date
// with a time of day.
func isFromLine(line []byte) bool {
	rest, ok := bytes.CutPrefix(line, []byte(fromLine))
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

// isBareFrom reports whether a line is "From " alone.
//
// QUIRK: programs that export mail write such lines between messages.
func isBareFrom(line []byte) bool { return string(bytes.TrimRight(line, "\r\n")) == "From " }

// startsWithField reports whether the next line starts with the name of a header field and a
// colon. It consumes no bytes.
func (r *mboxReader) startsWithField() bool {
	const longest = 80
	next, _ := r.r.Peek(longest)
	name, _, ok := bytes.Cut(next, []byte(":"))
	return ok && len(name) > 0 && bytes.IndexFunc(name, func(c rune) bool { return c <= ' ' || c > '~' }) < 0
}

// isDigit reports whether c is an ASCII digit.
func isDigit(c byte) bool { return '0' <= c && c <= '9' }

// unquote returns line without the ">" that a writer with this Quoting has added to it. It
// returns other lines unchanged.
func unquote(line []byte, quoting Quoting) []byte {
	bare := bytes.TrimLeft(line, ">")
	quotes := len(line) - len(bare)
	if quotes == 0 || quoting == MboxO && quotes > 1 || !bytes.HasPrefix(bare, []byte(fromLine)) {
		return line
	}
	return line[1:]
}
