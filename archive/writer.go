package archive

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strconv"
	"strings"
	"sync"
	"time"

	"locus/access"
	"locus/internal/filelock"
	"locus/internal/spill"
)

// How the pieces work together:
//
// A recorder collects the block of each record, outside the lock of the Writer, and then calls
// add with the records of one capture. Under the lock, add
//
//   - makes the end of the file free (makeRoom): a block of another record that is growing
//     there moves into a temporary file (rest.move), and rotate begins the next file if this
//     one is large enough;
//   - turns the first record into a revisit if seen has its payload (deduplicated);
//   - writes each record. finish completes a record whose block is already at the end of the
//     file: it overwrites the reserved space before the block with the fields. append writes
//     any other record from memory and from its temporary file.
//
// If a write fails, truncate removes the bytes of all records of the call, so that the file
// always ends with a whole record. Otherwise add adds the records to the index (cdxj.go), which Close writes.

// Options say how an archive is written. The zero Options write one file.
type Options struct {
	// MaxSize is the size of a file after which the next file begins: site-00001.warc.gz
	// and site-00002.warc.gz follow site.warc.gz. A file may be larger, because records are
	// not divided. 0 means no limit, which is one file, and a negative value means no
	// limit.
	MaxSize int64

	// Software is the name of the program in the archive, such as "locus/1.0"; "": "locus".
	Software string
}

// ErrInUse says that another process writes the archive.
var ErrInUse = errors.New("another process is writing this archive")

// A Writer writes an archive. Several goroutines may use it at once.
//
// A payload that the archive already has is not written again. Its record becomes a
// revisit, which refers to the first record. The Writer remembers the first million
// payloads, or fewer if their URLs are long.
type Writer struct {
	root    *os.Root
	name    string
	options Options
	format  format
	slots   chan struct{} // see pipeline

	mu      sync.Mutex
	file    *os.File
	size    int64                // of the records in file
	growing *rest                // of the unfinished block behind these records; may be nil
	number  int                  // of file; 0: the first
	infoID  string               // of its warcinfo
	index   *index               // of all files
	added   []entry              // the records of the current call of add; they are not in index yet
	seen    map[string]reference // by digest of the payload
	seenLen int                  // bytes of the texts in seen
	err     error                // why the Writer has failed, or that it is closed; nil otherwise
}

// A reference names the record that a revisit refers to.
type reference struct {
	target string
	date   time.Time
	id     string // "": unknown
}

// A Writer remembers maxSeen payloads, or fewer if their texts have more than maxSeenLen bytes.
const (
	maxSeen    = 1_000_000
	maxSeenLen = 256 << 20
)

// Create opens the archive of that name below root for writing, and makes it if it does not
// exist. New records are added to the end. Create removes an incomplete record at the end,
// which a killed process may have left. The name must end in [Suffix], or in [PlainSuffix]
// for an archive that is not compressed.
//
// The archive of another program is continued only if each of its records is compressed by
// itself, because records are found by their offsets.
func Create(root *os.Root, name string, options Options) (*Writer, error) {
	format, _, ok := formatOf(name)
	if !ok {
		return nil, fmt.Errorf("write the archive %q: its name does not end in %s or %s", name, Suffix, PlainSuffix)
	}
	w := &Writer{root: root, name: name, options: options, format: format, slots: newSlots(), seen: make(map[string]reference)}
	w.index = newIndex(func() (spill.File, error) { return newTemporary(root) })
	if err := w.openAll(); err != nil {
		return nil, errors.Join(err, w.index.close())
	}
	return w, nil
}

// openAll adds the records of all files to the index, and opens the last file.
func (w *Writer) openAll() error {
	for w.hasFile(w.number + 1) {
		if err := w.load(); err != nil {
			return err
		}
		w.number++
	}
	return w.openFile()
}

// fileName returns the name of the file with the given number in the named archive. The number 0 is
// the first file.
func fileName(name string, number int) string {
	if number == 0 {
		return name
	}
	_, suffix, _ := formatOf(name)
	return fmt.Sprintf("%s-%05d%s", strings.TrimSuffix(name, suffix), number, suffix)
}

// hasFile reports whether the archive has the file with the given number.
func (w *Writer) hasFile(number int) bool {
	_, err := w.root.Lstat(fileName(w.name, number))
	return err == nil
}

// load adds the records of the file with the current number, which is complete, to the index.
func (w *Writer) load() error {
	name := fileName(w.name, w.number)
	f, err := w.root.Open(name)
	if err != nil {
		return err
	}
	defer f.Close()
	if _, _, err := w.scan(f, name); err != nil {
		return fmt.Errorf("continue the archive %q: %w", name, err)
	}
	return nil
}

// scan reads the records of the named file from f, and adds them to the index. end is the offset at
// which the last complete record ends, and missing has the line ends that the file lacks after it.
// The error is io.ErrUnexpectedEOF, together with a valid end, if only the last record is
// incomplete.
func (w *Writer) scan(f io.Reader, name string) (end int64, missing string, err error) {
	r := NewReader(f)
	if !r.isEmpty() && r.isGzip != (w.format == formatGzip) {
		return 0, "", fmt.Errorf("the name of a compressed archive ends in %s, and the name of an uncompressed one in %s", Suffix, PlainSuffix)
	}
	err = r.entries(func(e entry) error {
		e.file = name
		w.index.add(e)
		w.remember(e)
		end = e.offset + e.length
		return nil
	}, nil)
	if errors.Is(err, io.ErrUnexpectedEOF) {
		if _, nextErr := r.Next(); nextErr == nil { // it was not killed while it wrote this record
			return 0, "", errors.New("a record before the last one is damaged")
		}
	}
	if err == nil {
		end, missing = r.offset(), recordEnd[len(recordEnd)-r.missingEnd:]
	}
	return end, missing, err
}

// remember remembers the digest of a written record's payload, so that later copies become revisits.
func (w *Writer) remember(e entry) {
	if e.kind != typeResponse && e.kind != typeResource || e.digest == "" || e.truncated {
		return
	}
	n := len(e.digest) + len(e.target) + len(e.id)
	if _, ok := w.seen[e.digest]; ok || len(w.seen) >= maxSeen || w.seenLen+n > maxSeenLen {
		return
	}
	w.seen[e.digest] = reference{e.target, e.date, e.id}
	w.seenLen += n
}

// forget forgets the payload of r, so that later copies do not refer to r, which is removed from
// the file.
func (w *Writer) forget(r *record) {
	digest := r.payloadDigest()
	if known, ok := w.seen[digest]; ok && r.id != "" && known.id == r.id {
		delete(w.seen, digest)
		w.seenLen -= len(digest) + len(known.target) + len(known.id)
	}
}

// openFile opens the file with the current number, sets w.file and w.size, and locks the file. It
// removes an incomplete record at the end, and writes the warcinfo record into an empty file.
func (w *Writer) openFile() error {
	name := fileName(w.name, w.number)
	f, err := w.root.OpenFile(name, os.O_RDWR|os.O_CREATE, 0o666)
	if err != nil {
		return fmt.Errorf("write the archive %q: %w", name, withoutPath(err))
	}
	end, err := w.begin(f, name)
	if err != nil {
		f.Close()
		return err
	}
	w.file, w.size = f, end
	if end > 0 {
		return nil
	}
	if err := w.writeInfo(name); err != nil {
		f.Close()
		return err
	}
	return nil
}

// begin locks f, the named file, adds its records to the index, and removes an incomplete record at
// its end. It returns the size of the file, which is also its position. The error wraps ErrInUse if
// another process has the lock.
func (w *Writer) begin(f *os.File, name string) (int64, error) {
	if err := filelock.Try(f); errors.Is(err, filelock.ErrLocked) { // another error means that the system lacks locks
		return 0, fmt.Errorf("write the archive %q: %w", name, ErrInUse)
	}
	end, missing, err := w.scan(f, name)
	if err != nil && !errors.Is(err, io.ErrUnexpectedEOF) {
		return 0, fmt.Errorf("continue the archive %q: %w", name, err)
	}
	if err := f.Truncate(end); err != nil {
		return 0, err
	}
	if _, err := f.Seek(end, io.SeekStart); err != nil {
		return 0, err
	}
	_, err = f.WriteString(missing)
	return end + int64(len(missing)), err
}

// writeInfo writes the warcinfo record, which describes the named file. It sets infoID to the ID of
// the record.
func (w *Writer) writeInfo(name string) error {
	software := w.options.Software
	if software == "" {
		software = "locus"
	}
	var text bytes.Buffer
	for _, f := range []Field{
		{"software", software},
		{"format", "WARC File Format 1.1"},
		{"conformsTo", "https://iipc.github.io/warc-specifications/specifications/warc-format/warc-1.1/"},
		{"description", "values of header fields that are secrets are written as " + hidden},
	} {
		fmt.Fprintf(&text, "%s: %s\r\n", f.Name, f.Value)
	}
	b := newBlock(w, text.Bytes(), false, "")
	defer b.discard()
	if err := b.seal(); err != nil {
		return err
	}
	r := &record{kind: typeInfo, media: mediaFields, date: now(), block: b, fileName: name}
	w.infoID = ""
	if err := w.write(r); err != nil {
		return err
	}
	w.infoID = r.id
	return nil
}

// A record is a record to write.
type record struct {
	kind      string
	target    string
	media     string // of the block
	date      time.Time
	block     *block
	truncated string // WARC-Truncated; "" if the block is whole
	profile   string // of a revisit
	fileName  string // of a warcinfo

	head   []byte // the start of the block: of a response, its header
	status int    // of a response
	mime   string // of its payload
	isPart bool   // see entry
	method string // of its request; "": GET

	id         string    // set when the record is written
	concurrent string    // the ID of the record that was captured together with this one
	refersTo   reference // of a revisit
}

// add writes records that belong together, one after the other. The first may become a revisit, and
// the other records refer to it by WARC-Concurrent-To. If one cannot be written, add removes all of
// them from the file. add always discards the blocks of the records, so the caller must not use
// them again.
func (w *Writer) add(records ...*record) error {
	defer func() {
		for _, r := range records {
			r.block.discard()
		}
	}()
	if len(records[0].target) > maxValue {
		return fmt.Errorf("write the archive %q: %w: a URL of %d bytes", w.name, access.ErrTooLong, len(records[0].target))
	}
	for _, r := range records { // without the lock, because it takes long for a large block
		if err := r.block.seal(); err != nil {
			return fmt.Errorf("write the archive %q: %w", w.name, err)
		}
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.err != nil {
		return w.err
	}
	if err := w.makeRoom(records); err != nil {
		return err
	}
	before := w.size
	w.added = w.added[:0]
	for i, r := range records {
		if i == 0 {
			if r = w.deduplicated(r); r != records[0] {
				records[0].block.rest.discardLocked()
				defer r.block.discard()
			}
		} else {
			r.concurrent = records[0].id
		}
		if err := w.write(r); err != nil {
			w.forget(records[0])
			return errors.Join(err, w.truncate(before))
		}
		records[i].id = r.id
	}
	for _, e := range w.added {
		w.index.add(e)
	}
	return nil
}

// makeRoom prepares the end of the file for records: it moves the growing block of another record
// away, and begins the next file if this one is large enough. It returns an error if the Writer has
// failed, or a block of records is not complete. The caller holds mu.
func (w *Writer) makeRoom(records []*record) error {
	if w.growing != nil && w.growing != &records[0].block.rest {
		w.growing.move()
	}
	if w.growing == nil {
		if err := w.rotateIfLarge(); err != nil {
			return err
		}
	}
	for _, r := range records {
		if err := r.block.rest.err; err != nil {
			return fmt.Errorf("write the archive %q: %w", w.name, err)
		}
	}
	return w.err
}

// deduplicated returns r, or a new revisit record in its place if the archive already contains the
// payload of r. The caller discards the block of both. The caller holds mu.
func (w *Writer) deduplicated(r *record) *record {
	if r.truncated != "" || !r.block.hasBytes || r.kind != typeResponse && r.kind != typeResource {
		return r
	}
	first, ok := w.seen[r.block.digest]
	if !ok {
		return r
	}
	again := *r
	again.kind, again.profile, again.refersTo = typeRevisit, profileSamePayload, first
	again.block = newBlock(w, r.head, true, "")
	if err := again.block.seal(); err != nil { // a block in memory cannot fail
		again.block.discard()
		return r
	}
	again.block.digest = r.block.digest
	return &again
}

// rotateIfLarge begins the next file if the current one has reached MaxSize.
func (w *Writer) rotateIfLarge() error {
	if w.options.MaxSize > 0 && w.size >= w.options.MaxSize {
		return w.rotate()
	}
	return nil
}

// rotate closes the file, and opens the next one. If that fails, the Writer has failed.
func (w *Writer) rotate() error {
	if err := filelock.Close(w.file); err != nil {
		return w.stop(err)
	}
	w.number++
	if err := w.openFile(); err != nil {
		return w.stop(err)
	}
	return nil
}

// stop makes every later call of the Writer fail with err, and returns the error of these calls.
func (w *Writer) stop(err error) error {
	w.err = fmt.Errorf("write the archive %q: %w", w.name, err)
	return w.err
}

// truncate shortens the file to size, so that the records and the growing block after that offset
// are removed, and moves its position there. If that fails, the Writer has failed.
func (w *Writer) truncate(size int64) error {
	w.growing = nil
	err := w.file.Truncate(size)
	if err == nil {
		_, err = w.file.Seek(size, io.SeekStart)
	}
	if err != nil {
		return w.stop(err)
	}
	w.size = size
	return nil
}

// write writes one record at the end of the file, and adds it to w.added. It sets r.id, and adds
// the length of the record to w.size. The caller holds mu.
func (w *Writer) write(r *record) error {
	r.id = newID()
	var length int64
	var err error
	if w.growing != nil && w.growing == &r.block.rest {
		length, err = w.finish(r)
	} else {
		length, err = w.append(r)
	}
	if err != nil {
		return fmt.Errorf("write the archive %q: %w", w.name, err)
	}
	e := entry{
		kind: r.kind, target: r.target, date: r.date, id: r.id, method: r.method, status: r.status, mime: r.mime, isPart: r.isPart,
		digest: r.payloadDigest(), truncated: r.truncated != "", profile: r.profile,
		file: fileName(w.name, w.number), offset: w.size, length: length,
	}
	w.remember(e)
	w.added = append(w.added, e)
	w.size += length
	return nil
}

// append writes r, whose block is in memory or in a temporary file, and returns the length of the
// record in the file.
func (w *Writer) append(r *record) (int64, error) {
	fields := w.fields(r)
	start, err := w.format.start(fields)
	if err != nil {
		return 0, err
	}
	start = append(start, r.block.data...)
	end := w.format.end(fields, &r.block.stored)
	if r.block.rest.file == nil {
		start = append(start, end...)
		n, err := w.file.Write(start)
		return int64(n), err
	}
	if _, err := w.file.Write(start); err != nil {
		return 0, err
	}
	n, err := copyFile(w.file, r.block.rest.file.File)
	if err == nil {
		_, err = w.file.Write(end)
	}
	return int64(len(start)) + n + int64(len(end)), err
}

// finish completes r, whose block is already at the end of the file, and returns the length of the
// record in the file. If the fields do not fit into the reserved space, finish moves the block away
// and appends r. If the process is killed before the last write, the record ends early.
func (w *Writer) finish(r *record) (int64, error) {
	fields := w.fields(r)
	start, err := w.format.startOfSize(fields, w.growing.room)
	if err != nil { // the fields are longer than the reserved space
		w.growing.move()
		if err := r.block.rest.err; err != nil {
			return 0, err
		}
		return w.append(r)
	}
	if _, err := w.file.WriteAt(start, w.size); err != nil {
		return 0, err
	}
	if _, err := w.file.Write(w.format.end(fields, &r.block.stored)); err != nil {
		return 0, err
	}
	w.growing = nil
	end, err := w.file.Seek(0, io.SeekCurrent)
	return end - w.size, err
}

// fields returns the fields with which to write r.
func (w *Writer) fields(r *record) Fields {
	f := Fields{{"WARC-Type", r.kind}, {"WARC-Record-ID", r.id}, {"WARC-Date", r.date.UTC().Format(dateFormat)}}
	f.add("WARC-Target-URI", r.target)
	f.add("WARC-Filename", r.fileName)
	f.add("WARC-Warcinfo-ID", w.infoID)
	f.add("WARC-Concurrent-To", r.concurrent)
	f.add("WARC-Profile", r.profile)
	if r.profile == profileSamePayload {
		f.add("WARC-Refers-To", r.refersTo.id)
		f.add("WARC-Refers-To-Target-URI", r.refersTo.target)
		f.add("WARC-Refers-To-Date", r.refersTo.date.UTC().Format(dateFormat))
	}
	f.add("WARC-Truncated", r.truncated)
	if !r.block.hasPayload || r.kind == typeResource { // see the package comment
		f.add("WARC-Block-Digest", r.block.digest)
	}
	f.add("WARC-Payload-Digest", r.payloadDigest())
	f.add("Content-Type", strings.TrimSpace(r.media))
	return append(f, Field{"Content-Length", strconv.FormatInt(r.block.size, 10)})
}

// payloadDigest returns the digest of the payload; "" for a block without a payload.
func (r *record) payloadDigest() string {
	if r.block.hasPayload {
		return r.block.digest
	}
	return ""
}

// copyFile copies all of from to the current position of to, and returns the number of bytes.
func copyFile(to, from *os.File) (int64, error) {
	if _, err := from.Seek(0, io.SeekStart); err != nil {
		return 0, err
	}
	return io.Copy(to, from)
}

// Close closes the archive, and writes the index beside it: site.cdxj. A second Close returns nil.
func (w *Writer) Close() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if errors.Is(w.err, fs.ErrClosed) {
		return nil
	}
	err := w.err
	w.err = fmt.Errorf("write the archive %q: %w", w.name, fs.ErrClosed)
	if w.growing != nil {
		w.growing.err = w.err
		err = errors.Join(err, w.truncate(w.size))
	}
	closeErr := filelock.Close(w.file)
	if errors.Is(closeErr, fs.ErrClosed) { // rotate has closed it before it failed
		closeErr = nil
	}
	return errors.Join(err, closeErr, w.writeIndex(), w.index.close())
}

// indexName returns the name of the index beside the named archive.
func indexName(name string) string {
	_, suffix, _ := formatOf(name)
	return strings.TrimSuffix(name, suffix) + ".cdxj"
}

// writeIndex writes the index beside the archive: into a temporary file, which it then renames.
func (w *Writer) writeIndex() error {
	name := indexName(w.name)
	temporary := name + ".part"
	f, err := w.root.OpenFile(temporary, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o666)
	if err != nil {
		return err
	}
	err = errors.Join(w.index.write(f), f.Close())
	if err == nil {
		return w.root.Rename(temporary, name)
	}
	return errors.Join(err, w.root.Remove(temporary))
}
