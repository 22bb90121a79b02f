package archive

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/klauspost/compress/gzip"

	"locus/access"
	"locus/internal/sentinel"
)

// A Reader reads the records of a WARC file or an ARC file, in order. The file may be
// compressed with gzip, record by record or as a whole. Its memory is bounded for every
// file. Only one goroutine may use it.
//
// A record of an ARC file gets the fields that a WARC file would have for it.
type Reader struct {
	in     *counter
	source io.Reader
	base   int64 // the position of source when the Reader was made; -1 if source cannot seek
	isGzip bool
	plain  *bufio.Reader // of the current member, or of the file; nil: between members
	lines  *bufio.Reader // the buffer of plain, which all members share; nil before the first member
	member *gzip.Reader
	start  int64   // where the current record begins; -1: in the middle of a member
	from   int64   // where the current record begins, or its member of gzip
	record *Record // the current record; nil before the first and after finish
	isARC  bool    // the current record is from an ARC file
	err    error   // an error of the file, or io.EOF, which every later Next returns

	isDamaged bool  // the current record is damaged
	again     int64 // how many bytes were read again after damaged records

	indexed    int64 // bytes of the texts of all entries: see checkIndex
	missingEnd int   // bytes that a file without compression lacks after its last record
}

// A Record is one record of a WARC file. Its Body is valid until the next call of Next, which
// skips the bytes that were not read.
type Record struct {
	Fields Fields
	Body   io.Reader // the block; its early end is io.ErrUnexpectedEOF
	Length int64     // of the block

	// Offset is where the record begins in the file; -1 if it is compressed together
	// with the record before.
	Offset int64

	left int64 // bytes of Body that were not read
}

// A DamagedError says which record of a WARC file cannot be read. If the file ends early,
// it wraps io.ErrUnexpectedEOF.
type DamagedError struct {
	Offset int64 // where the record begins, or the member of gzip in which it is
	Err    error
}

// Error returns a sentence such as "the record at byte 12 is damaged: " with the reason.
func (e *DamagedError) Error() string {
	if errors.Is(e.Err, io.ErrUnexpectedEOF) {
		return fmt.Sprintf("the file ends in the middle of the record at byte %d", e.Offset)
	}
	return fmt.Sprintf("the record at byte %d is damaged: %v", e.Offset, e.Err)
}

// Unwrap returns the reason.
func (e *DamagedError) Unwrap() error { return e.Err }

// A counter counts the bytes that were read from a buffered reader.
type counter struct {
	*bufio.Reader
	n int64
}

// Read reads from the buffered reader, and counts the bytes.
func (c *counter) Read(p []byte) (int, error) {
	n, err := c.Reader.Read(p)
	c.n += int64(n)
	return n, err
}

// ReadByte reads one byte, and counts it. With this method gzip does not read beyond the end of a
// member.
func (c *counter) ReadByte() (byte, error) {
	b, err := c.Reader.ReadByte()
	if err == nil {
		c.n++
	}
	return b, err
}

// skip skips and counts n bytes, which Peek has returned before.
func (c *counter) skip(n int) error {
	n, err := c.Discard(n)
	c.n += int64(n)
	return err
}

// NewReader returns a Reader of r. It does not close r. If r is an io.Seeker, the Reader
// goes back after a damaged record, so that it finds the record after it.
func NewReader(r io.Reader) *Reader {
	base := int64(-1)
	if s, ok := r.(io.Seeker); ok {
		if at, err := s.Seek(0, io.SeekCurrent); err == nil { // a pipe cannot seek
			base = at
		}
	}
	in := &counter{Reader: bufio.NewReaderSize(r, peekSize)}
	magic, _ := in.Peek(2)
	isGzip := len(magic) > 0 && bytes.HasPrefix([]byte{0x1f, 0x8b}, magic) // a truncated file may have one byte
	return &Reader{in: in, source: r, base: base, isGzip: isGzip}
}

// peekSize is how many bytes of a file are looked at together.
const peekSize = 64 << 10

// isEmpty reports whether the file is empty. It must be called before the first Next.
func (r *Reader) isEmpty() bool {
	_, err := r.in.Peek(1)
	return access.IsEnd(err)
}

// offset returns how many bytes of the file were read. In a file without compression some of them
// may still be in the buffer of plain.
func (r *Reader) offset() int64 { return r.in.n }

// Next returns the next record. After the last one it returns io.EOF. After a
// *DamagedError, the next call returns the record that follows the damaged one. Any other
// error is an error of the file, and is returned again by later calls.
func (r *Reader) Next() (*Record, error) {
	if r.err == nil && r.isDamaged {
		r.isDamaged = false
		r.err = r.resume()
	}
	if r.err != nil {
		return nil, r.err
	}
	err := r.next()
	_, isFile := errors.AsType[*fs.PathError](err)
	switch {
	case err == nil:
		return r.record, nil
	case isFile, access.IsEnd(err):
		r.err = err
		return nil, err
	}
	return nil, r.damaged(err)
}

// damaged returns err as the error for the current record, and makes the next Next search for the
// record after it.
func (r *Reader) damaged(err error) *DamagedError {
	r.isDamaged = true
	return &DamagedError{r.from, err}
}

// next skips the current record, and reads the fields of the next one into r.record. At the end of
// the file the error is io.EOF.
func (r *Reader) next() error {
	if r.record != nil {
		if _, err := io.Copy(io.Discard, r.record.Body); err != nil {
			return err
		}
		if err := r.endRecord(); err != nil {
			return err
		}
		r.record = nil
	}
	if err := r.begin(); err != nil {
		return err
	}
	fields, isARC, err := readFields(r.plain)
	if err != nil {
		if access.IsEnd(err) && r.isGzip { // an empty member
			err = io.ErrUnexpectedEOF
		}
		return err
	}
	length, err := fields.length()
	if err != nil {
		return err
	}
	if r.isARC = isARC; isARC {
		start, _ := r.plain.Peek(len(startHTTP)) // the next read returns the error
		fields = typeARC(fields, string(start))
	}
	record := &Record{Fields: fields, Length: length, Offset: r.start, left: length}
	record.Body = &blockReader{record, r.plain}
	r.record = record
	return nil
}

// begin moves from the end of the current record to the start of the next one, and sets start, from
// and plain. start is -1 if both records are in the same gzip member. At the end of a file with
// gzip the error is io.EOF.
func (r *Reader) begin() error {
	if !r.isGzip {
		if r.plain == nil {
			r.plain = bufio.NewReaderSize(r.in, maxFieldLine)
		}
		r.start = r.in.n - int64(r.plain.Buffered())
		r.from = r.start
		return nil
	}
	if r.plain != nil { // more records may be in the same member
		if _, err := r.plain.Peek(1); err == nil {
			r.start = -1
			return nil
		} else if !access.IsEnd(err) {
			return err
		}
		r.plain = nil
	}
	r.start, r.from = r.in.n, r.in.n
	if _, err := r.in.Peek(1); err != nil {
		return err
	}
	var err error
	if r.member == nil {
		r.member, err = gzip.NewReader(r.in)
	} else {
		err = r.member.Reset(r.in)
	}
	if err != nil {
		return unexpectedEOF(err)
	}
	r.member.Multistream(false)
	if r.lines == nil {
		r.lines = bufio.NewReaderSize(r.member, maxFieldLine)
	}
	r.lines.Reset(r.member)
	r.plain = r.lines
	return nil
}

// unexpectedEOF returns io.ErrUnexpectedEOF for io.EOF, and any other err as it is.
func unexpectedEOF(err error) error {
	if access.IsEnd(err) {
		return io.ErrUnexpectedEOF
	}
	return err
}

// endRecord skips the CR and LF bytes after a block, at most len(recordEnd) of them. It accepts
// two, or one in an ARC file, because some writers use bare LF. Fewer are an error, except at the
// end of a gzip member. If a file without compression ends before all of recordEnd, endRecord sets
// missingEnd to the number of bytes that are missing.
func (r *Reader) endRecord() error {
	least := 2 // LF LF
	if r.isARC {
		least = 1
	}
	for n := range len(recordEnd) {
		b, err := r.plain.Peek(1)
		isEnd := access.IsEnd(err)
		switch {
		case isEnd && r.isGzip: // some writers leave out the line ends at the end of a member
			return nil
		case isEnd && n >= least:
			r.missingEnd = len(recordEnd) - n
			return nil
		case err != nil:
			return unexpectedEOF(err)
		case b[0] != '\r' && b[0] != '\n' && n >= least:
			return nil
		case b[0] != '\r' && b[0] != '\n':
			if start, _ := r.plain.Peek(len(startWARC)); beginsWARC(string(start)) {
				return nil // QUIRK: ArchiveSpark writes no line ends between records
			}
			return errors.New("its block is longer than its Content-Length")
		}
		if _, err := r.plain.Discard(1); err != nil {
			return err
		}
	}
	return nil
}

// A blockReader reads the block of a record.
type blockReader struct {
	record *Record
	from   io.Reader
}

// Read reads the block of the record. It returns io.ErrUnexpectedEOF if the input ends inside the
// block.
func (b *blockReader) Read(p []byte) (int, error) {
	if b.record.left == 0 {
		return 0, io.EOF
	}
	n, err := b.from.Read(p[:min(int64(len(p)), b.record.left)])
	b.record.left -= int64(n)
	if b.record.left > 0 && access.IsEnd(err) {
		err = io.ErrUnexpectedEOF
	}
	if b.record.left == 0 {
		err = nil
	}
	return n, err
}

// An entry describes a record in the index.
type entry struct {
	kind      string
	target    string
	date      time.Time
	id        string
	method    string // of the request; "": GET
	together  string // WARC-Concurrent-To: the id of the record that was captured together with this one
	status    int    // of a response; 0 for other records
	isPart    bool   // a response with the status 206 that lacks bytes
	mime      string
	digest    string // of the payload; "": unknown
	truncated bool
	profile   string    // of a revisit
	refersTo  reference // of a revisit
	file      string
	offset    int64
	length    int64 // of the record in the file
}

// isCapture reports whether the record has the resource of a URL, its attributes or its redirect.
func (e entry) isCapture() bool {
	switch e.kind {
	case typeResponse, typeResource, typeRevisit:
		return e.target != ""
	case typeMetadata:
		return e.method == http.MethodHead || e.mime == mediaEntry || e.mime == mediaMoved
	}
	return false
}

// isUnchanged reports whether the record says only that the server has not changed the resource
// since an earlier capture. It is false for the revisit of an equal payload.
//
// QUIRK: httrack records the status 200 with this profile.
func (e entry) isUnchanged() bool {
	return e.status == http.StatusNotModified || e.kind == typeRevisit && strings.HasSuffix(e.profile, "/server-not-modified")
}

// entries calls do with the entry of each remaining record, and damaged for each record that cannot
// be read. If damaged is nil, the first such record ends entries with a *DamagedError. The entry of
// a response has the method of its request, if the request is the record before or after it.
// entries returns the first error of do or of the file, and nil at the end of the file.
func (r *Reader) entries(do func(entry) error, damaged func(*DamagedError)) error {
	var last entry // the record before e, for which do is called next
	for has := false; ; has = true {
		e, err := r.nextEntry()
		for damaged != nil {
			damage, ok := errors.AsType[*DamagedError](err)
			if !ok {
				break
			}
			damaged(damage)
			e, err = r.nextEntry()
		}
		switch {
		case err != nil || !has:
		case e.kind == typeRequest && e.together != "" && e.together == last.id && last.method == "":
			last.method = e.method
		case last.kind == typeRequest && e.kind != typeRequest && e.together != "" && e.together == last.id:
			e.method = last.method
		}
		if has {
			if err := do(last); err != nil {
				return err
			}
		}
		switch {
		case access.IsEnd(err):
			return nil
		case err != nil:
			return err
		}
		last = e
	}
}

// nextEntry reads the next record to its end, and returns its entry, without a file name. The error
// is io.EOF at the end of the file, and a *DamagedError for a record that cannot be read.
func (r *Reader) nextEntry() (entry, error) {
	record, err := r.Next()
	if err != nil {
		return entry{}, err
	}
	f := record.Fields
	e := entry{
		kind: strings.ToLower(f.Get("WARC-Type")), target: f.target(), date: f.date(), id: f.Get("WARC-Record-ID"),
		together: f.Get("WARC-Concurrent-To"),
		digest:   f.Get("WARC-Payload-Digest"), truncated: f.Get("WARC-Truncated") != "", profile: f.Get("WARC-Profile"),
		refersTo: reference{target: bare(f.Get("WARC-Refers-To-Target-URI")), id: f.Get("WARC-Refers-To")}, offset: record.Offset,
	}
	e.refersTo.date, _ = time.Parse(time.RFC3339Nano, f.Get("WARC-Refers-To-Date"))
	media := strings.ReplaceAll(strings.ToLower(f.Get("Content-Type")), " ", "")
	isHTTP := strings.HasPrefix(media, "application/http")
	switch {
	case isHTTP && e.kind == typeRequest:
		e.method = requestMethod(record.Body)
	case isHTTP, r.isResponse(e):
		e.status, e.mime, e.isPart = responseHead(record.Body)
		if e.kind == typeMetadata {
			e.method = http.MethodHead
		}
	case e.kind == typeResource, e.kind == typeRevisit: // a Writer gives a revisit the type of the payload
		e.mime = f.Get("Content-Type")
	case e.kind == typeMetadata && (media == mediaEntry || media == mediaMoved):
		e.mime = media
	}
	_, err = io.Copy(io.Discard, record.Body)
	if err == nil {
		err = r.finish()
	}
	if err != nil {
		return e, r.damaged(err)
	}
	if err := r.checkIndex(e); err != nil {
		return e, err
	}
	if e.length = r.offset() - e.offset; !r.isGzip {
		e.length -= int64(r.plain.Buffered())
	}
	return e, nil
}

// freeIndex is how many bytes the texts of an index may have for a file of any size.
const freeIndex = 16 << 20

var errIndexTooLarge = sentinel.New("the server sent too much data: the texts of the index are much larger than the file", access.ErrTooLong)

// isResponse reports whether the block of the record of e, of which no bytes were read, is a
// response of HTTP by its kind and its first bytes. QUIRK: some programs write a response without a
// Content-Type, or with the Content-Type of the page.
func (r *Reader) isResponse(e entry) bool {
	name, _, _ := strings.Cut(e.target, ":")
	if e.kind != typeResponse && e.kind != typeRevisit || !isWeb(strings.ToLower(name)) {
		return false
	}
	start, _ := r.plain.Peek(len(startHTTP)) // the next read returns the error
	return string(start) == startHTTP
}

// checkIndex counts the texts of e. It returns errIndexTooLarge if the texts of all entries are
// much larger than the part of the file that was read, because such a file was made to fill memory.
func (r *Reader) checkIndex(e entry) error {
	if e.isCapture() {
		const copies = 2 // Archive has the target also as a key
		r.indexed += int64(copies*len(e.target) + len(e.id) + len(e.mime) + len(e.digest) + len(e.profile) + len(e.refersTo.target) + len(e.refersTo.id) + len(e.together))
	}
	if r.indexed > freeIndex+2*r.offset() {
		return errIndexTooLarge
	}
	return nil
}

// finish reads the end of the current record after its block, which the caller has read, so that
// offset returns where the next record begins.
func (r *Reader) finish() error {
	if err := r.endRecord(); err != nil {
		return err
	}
	r.record = nil
	if !r.isGzip {
		return nil
	}
	_, err := r.plain.Peek(1) // reads the checksum of the member
	if access.IsEnd(err) {
		return nil
	}
	return err
}

// maxHead is the size of the largest header of a message of HTTP.
const maxHead = 256 << 10

// responseHead reads the header of a response from r, and returns the results of parseHead for it.
// If the header is incomplete or longer than maxHead, it parses the bytes that it has read.
func responseHead(r io.Reader) (status int, mime string, isPart bool) {
	text := make([]byte, 0, 4096)
	for len(text) < maxHead {
		if end := headEnd(text, 0); end > 0 {
			return parseHead(text[:end])
		}
		if len(text) == cap(text) {
			text = append(text, 0)[:len(text)]
		}
		n, err := r.Read(text[len(text):cap(text)])
		if text = text[:len(text)+n]; err != nil {
			break
		}
	}
	return parseHead(text)
}

// requestMethod reads the method of a request from r; "" for GET, and for a text that is not a
// request.
func requestMethod(r io.Reader) string {
	const longest = 32
	text := make([]byte, longest)
	n, _ := io.ReadFull(r, text) // the next read returns the error again
	method, _, ok := strings.Cut(string(text[:n]), " ")
	if !ok || method == http.MethodGet {
		return ""
	}
	return method
}

// headEnd returns the length of the header at the start of text, an HTTP message, with the empty
// line after it; 0 if the header is not complete. The caller has searched the bytes before from
// without success.
func headEnd(text []byte, from int) int {
	for i := max(from-2, 0); ; {
		n := bytes.IndexByte(text[i:], '\n')
		if n < 0 {
			return 0
		}
		i += n + 1
		rest := text[i:]
		switch {
		case bytes.HasPrefix(rest, []byte("\n")):
			return i + 1
		case bytes.HasPrefix(rest, []byte("\r\n")):
			return i + 2
		}
	}
}

// parseHead returns the status and the media type in the header of a response; 0 and "" if the
// status line is invalid. isPart says that the status is 206 and bytes are missing. A 206 may have
// all bytes, because browsers ask for sound and film with "bytes=0-".
func parseHead(head []byte) (status int, mime string, isPart bool) {
	first, rest, _ := strings.Cut(string(head), "\n")
	line, ok := parseStatusLine(first)
	if !ok {
		return 0, "", false
	}
	status, _ = strconv.Atoi(line.code) // three digits
	isPart = status == http.StatusPartialContent
	for line := range strings.Lines(rest) {
		name, value, _ := strings.Cut(line, ":")
		switch name, value := strings.TrimSpace(name), strings.TrimSpace(value); {
		case strings.EqualFold(name, "Content-Type") && mime == "":
			mime = strings.Clone(value) // so that it does not keep the whole header in memory
		case strings.EqualFold(name, "Content-Range"):
			isPart = isPart && !isWholeRange(value)
		}
	}
	return status, mime, isPart
}

// isWholeRange reports whether the Content-Range value stands for all bytes of a resource, such as
// "bytes 0-4/5" (RFC 9110 §14.4).
func isWholeRange(value string) bool {
	last, size, ok := strings.Cut(strings.TrimPrefix(value, "bytes 0-"), "/")
	end, err := strconv.ParseInt(last, 10, 64)
	total, err2 := strconv.ParseInt(size, 10, 64)
	return ok && err == nil && err2 == nil && total == end+1
}
