package archive

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"os"
	"strings"
	"sync"
	"time"

	"locus/access"
	"locus/access/engine"
	"locus/internal/facts"
	"locus/internal/sentinel"
	"locus/internal/weburl"
	"locus/proto/web"
	"locus/scheme"
	"locus/url"
)

// ErrNotArchived says that an archive lacks a URL. It wraps fs.ErrNotExist.
var ErrNotArchived = sentinel.New("it is not in the archive", fs.ErrNotExist)

var (
	errPart     = sentinel.New("the archive has only a part of it", fs.ErrNotExist)
	errReadOnly = sentinel.New("an archive cannot be changed", errors.ErrUnsupported)
	errLost     = errors.New("the record that this one refers to is not in the archive")
)

// An Archive is an Engine that opens the resources of an archive. It does not connect to
// servers. If a URL was captured several times, it opens the last capture that is whole. It
// replays redirects and errors of servers, too. For a URL that was not captured, the error
// is ErrNotArchived. Several goroutines may use it at once.
//
// A body of http that was sent with gzip or deflate is decompressed.
type Archive struct {
	root     *os.Root
	captures map[string][]entry // the captures of each URL, by keyOf
	payloads map[string]entry   // the captures that a revisit may refer to, by digestKey
	referred map[version]entry  // other captures to which revisits refer
	sort     sync.Once
	sorted   []string // the keys of captures, in order; see keys
	unread   int      // the number of records that cannot be read
	first    error    // why the first of them cannot be read
}

// Open opens the archive of that name below root, with the files that follow it: after site.warc.gz
// these are site-00001.warc.gz and so on. It reads them to make an index, which takes about 300
// bytes of memory for each record. It leaves out records that cannot be read: see Damage. If all
// records of a file are damaged, Open returns an error, unless the file only ends in the middle of
// its first record. root must stay open.
func Open(root *os.Root, name string) (*Archive, error) {
	a := &Archive{root: root, captures: make(map[string][]entry), payloads: make(map[string]entry), referred: make(map[version]entry)}
	err := eachFile(root, name, func(f *os.File, name string) error {
		return readEntries(f, name, a.add, func(damage *DamagedError) { a.leaveOut(name, damage) })
	})
	if err != nil {
		return nil, err
	}
	a.findReferred()
	return a, nil
}

// A version names a capture by the key of its URL and its date in UTC.
type version struct {
	key  string
	date time.Time
}

// referredBy returns the version to which the revisit e refers. ok is false if e does not name a URL.
func referredBy(e entry) (v version, ok bool) {
	u, err := weburl.Parse(e.refersTo.target)
	if err != nil {
		return version{}, false
	}
	return version{keyOf(u), e.refersTo.date.UTC()}, true
}

// findReferred sets referred: for each revisit whose digest is not in payloads, the capture to which
// the revisit refers, if the archive has it. It takes linear time.
func (a *Archive) findReferred() {
	wanted := make(map[version]bool)
	for _, captures := range a.captures {
		for _, e := range captures {
			if _, ok := a.payloads[digestKey(e.digest)]; ok || e.kind != typeRevisit {
				continue
			}
			if v, ok := referredBy(e); ok {
				wanted[v] = true
			}
		}
	}
	for key, captures := range a.captures {
		for _, e := range captures {
			v := version{key, e.date.UTC()}
			if _, ok := a.referred[v]; !ok && wanted[v] && e.kind != typeRevisit && ownRankOf(e, access.Get) > 0 {
				a.referred[v] = e
			}
		}
	}
}

// leaveOut counts a record of file that cannot be read, and keeps the first damage for Damage.
func (a *Archive) leaveOut(file string, damage *DamagedError) {
	if a.unread++; a.first == nil {
		a.first = fmt.Errorf("%q: %w", file, damage)
	}
}

// Damage returns an error that says how many records cannot be read, and why the first of
// them cannot. It wraps the *DamagedError of the first. Damage returns nil if all records
// can be read.
func (a *Archive) Damage() error {
	switch a.unread {
	case 0:
		return nil
	case 1:
		return fmt.Errorf("one record of the archive cannot be read: %w", a.first)
	}
	return fmt.Errorf("%d records of the archive cannot be read; the first: %w", a.unread, a.first)
}

// URLs returns the number of captured URLs.
func (a *Archive) URLs() int { return len(a.captures) }

// add adds a capture to the index, and its payload to the payloads that revisits can refer to. A
// capture whose target is not a URL is left out, and counted as damaged.
func (a *Archive) add(e entry) {
	u, err := weburl.Parse(e.target)
	if err != nil {
		a.leaveOut(e.file, &DamagedError{e.offset, fmt.Errorf("its target %q is not a URL: %w", shorten(url.Redact(e.target)), err)})
		return
	}
	key := keyOf(u)
	a.captures[key] = append(a.captures[key], e)
	if e.digest == "" || e.kind == typeRevisit || e.truncated {
		return
	}
	digest := digestKey(e.digest)
	if _, ok := a.payloads[digest]; !ok {
		a.payloads[digest] = e
	}
}

// keyOf returns the key of u in the index. URLs of the same resource have the same key. A file of
// FTP has the same key for each type of transfer (RFC 1738 §3.2.2), with or without ";type=".
func keyOf(u url.URL) string {
	key := normalText(u)
	if isFTP(u.Scheme()) {
		key = strings.TrimSuffix(strings.TrimSuffix(key, ";type=i"), ";type=a")
	}
	return key
}

// normalText returns the Target of u in its normal form. A URL that is valid only for browsers is
// written as RFC 3986 requires, so that both forms find the same captures.
func normalText(u url.URL) string {
	text := weburl.Strict(Target(u))
	kept, err := url.Parse(text)
	if err != nil {
		return text
	}
	text = scheme.Normalize(kept, url.AllRewrites).String()
	if before, query, ok := strings.Cut(text, "?"); ok && isWeb(u.Scheme()) {
		text = before + "?" + strings.ReplaceAll(query, "'", "%27") // as browsers send it
	}
	return text
}

// isFTP reports whether URLs of scheme are opened by FTP.
func isFTP(scheme string) bool { return facts.Of(scheme).Protocol == "ftp" }

// Do opens a captured resource, or finds its attributes. It ignores the conditions and the Offset
// of req, so the Body starts with the first byte. For a Send it returns the response of
// [Archive.RoundTrip].
func (a *Archive) Do(ctx context.Context, req *access.Request) (*access.Resource, error) {
	if r := web.RequestOf(req); r != nil {
		return a.send(req, r)
	}
	switch {
	case req.Op.Changes():
		return nil, fail(req, errReadOnly)
	case req.Op != access.Get && req.Op != access.Stat || req.Answers != nil:
		return nil, engine.Unsupported(req)
	}
	e, err := a.find(req)
	if err != nil {
		return nil, fail(req, err)
	}
	r, err := a.open(ctx, req, e)
	if err != nil {
		return nil, fail(req, err)
	}
	return r, nil
}

// send answers req, which contains the whole request r, with the recorded response. The error is
// the error of RoundTrip, for example for a URL that was not captured.
func (a *Archive) send(req *access.Request, r *http.Request) (*access.Resource, error) {
	resp, err := a.RoundTrip(r) //nolint:bodyclose // the caller of send closes the body of the answer
	if err != nil {
		return nil, fail(req, err)
	}
	return web.Answer(req, resp), nil
}

// find returns the best capture for req: the capture with the highest rank and, among equal ranks,
// with the highest likeness, and then the last one. The error is ErrNotArchived if the archive
// lacks the URL, and errPart if none of its captures can answer.
func (a *Archive) find(req *access.Request) (entry, error) {
	var best entry
	rank, like := 0, 0
	captures := a.captures[keyOf(req.URL)]
	for _, e := range captures {
		r := a.rankOf(e, req.Op)
		if r == 0 || r < rank {
			continue
		}
		l := likeness(e, req.URL)
		if r > rank || l >= like {
			best, rank, like = e, r, l
		}
	}
	if rank == 0 && len(captures) > 0 {
		return entry{}, errPart
	}
	if rank == 0 {
		return entry{}, ErrNotArchived
	}
	return best, nil
}

// likeness compares the target of a capture with a URL that has the same key. It returns 2 if
// their texts are equal, 1 if their normal forms are equal, and otherwise 0.
func likeness(e entry, u url.URL) int {
	if e.target == Target(u) {
		return 2
	}
	if target, err := weburl.Parse(e.target); err == nil && normalText(target) == normalText(u) {
		return 1
	}
	return 0
}

// rankOf returns the rank of a capture as an answer to op. A higher rank is better, and 0 means
// that the capture cannot answer.
func (a *Archive) rankOf(e entry, op access.Op) int {
	rank := ownRankOf(e, op)
	if e.kind != typeRevisit {
		return rank
	}
	if _, ok := a.original(e); !ok {
		return min(rank, 1) // so that it answers only with errLost
	}
	return rank
}

// ownRankOf is like [Archive.rankOf], as if the archive had the payload of each revisit.
func ownRankOf(e entry, op access.Op) int {
	switch {
	case e.mime == mediaMoved && e.kind == typeMetadata:
		return 1
	case (e.method == http.MethodHead || e.kind == typeMetadata) && op == access.Stat:
		return 1
	case e.method != "", e.kind == typeMetadata, e.isPart, e.isUnchanged():
		return 0
	case e.truncated:
		return 2
	}
	return 3
}

// open opens the capture e for req. For Stat the resource has an empty Body. A recorded redirect or
// failure is returned as an error. The caller closes the Body.
func (a *Archive) open(ctx context.Context, req *access.Request, e entry) (*access.Resource, error) {
	m, err := a.openBlock(ctx, e)
	if err != nil {
		return nil, err
	}
	e = m.entry
	r, err := answerOf(req, e, m.record, m)
	if err == nil && e.status == 0 && e.kind != typeMetadata {
		err = a.addAttributes(ctx, r, e)
	}
	if err != nil || req.Op == access.Stat {
		if closeErr := m.Close(); err == nil {
			err = closeErr
		}
		return r, err
	}
	r.Body = struct {
		io.Reader
		io.Closer
	}{r.Body, closers{r.Body, m}}
	if r.List != nil {
		r.List = newListing(r.Body)
	}
	return r, nil
}

// A recorded reads the block of a capture. If the capture is a revisit, the payload of the
// earlier record follows.
type recorded struct {
	io.Reader
	record *Record
	entry  entry // of the capture; a revisit without a header has the status of the earlier record
	ctx    context.Context
	files  closers
}

// Read reads the block. It returns the cause of ctx once ctx is done.
func (m *recorded) Read(p []byte) (int, error) {
	if m.ctx.Err() != nil {
		return 0, context.Cause(m.ctx)
	}
	return m.Reader.Read(p)
}

func (m *recorded) Close() error { return m.files.Close() }

// openBlock opens the block of a capture, followed by the earlier payload if the capture is a
// revisit other than a 304. A truncated block ends with an error. The caller closes the result.
func (a *Archive) openBlock(ctx context.Context, e entry) (*recorded, error) {
	record, f, err := a.openRecord(e)
	if err != nil {
		return nil, err
	}
	m := &recorded{record.Body, record, e, ctx, closers{f}}
	if e.kind == typeRevisit && !e.isUnchanged() {
		if err := a.addPayload(m); err != nil {
			return nil, errors.Join(err, m.Close())
		}
	}
	if e.truncated {
		m.Reader = &truncated{m.Reader, record.Fields.Get("WARC-Truncated")}
	}
	return m, nil
}

// answerOf returns the resource in the capture e for req. record is the record of e, and message
// reads its block. A recorded redirect or failure is returned as an error. The Body reads from
// message.
func answerOf(req *access.Request, e entry, record *Record, message io.Reader) (*access.Resource, error) {
	if e.status > 0 {
		method := http.MethodGet
		if e.method != "" {
			method = e.method
		}
		var err error
		if e.status == http.StatusPartialContent { // all bytes: see rankOf
			if message, err = asWhole(message); err != nil {
				return nil, err
			}
		}
		if message, err = readable(message, method); err != nil {
			return nil, err
		}
		return web.Replay(req, method, message)
	}
	u, err := weburl.Parse(Target(req.URL))
	if err != nil {
		return nil, err
	}
	switch {
	case e.kind == typeMetadata && e.mime == mediaMoved:
		moved, err := readRedirect(message)
		if err != nil {
			return nil, err
		}
		return nil, moved
	case e.kind == typeMetadata && e.mime == mediaEntry:
		return readAttributes(message, u)
	}
	r := &access.Resource{Entry: access.Entry{URL: u, Kind: access.Object, Type: e.mime, Size: record.Length}, Body: io.NopCloser(message)}
	if e.mime == mediaListing {
		r.Kind, r.Type, r.Size = access.Directory, "", -1
		if req.Op == access.Get {
			r.List = &listing{} // open replaces it when Body is complete
		}
	}
	if e.truncated || e.kind == typeRevisit {
		r.Size = -1
	}
	if req.Op == access.Stat {
		r.Body = access.NoBody
	}
	return r, nil
}

// addAttributes replaces the attributes of r, the resource in the capture e, by the attributes that
// were recorded together with e, except its Size. r stays as it is if there are none, as in
// archives of other programs.
func (a *Archive) addAttributes(ctx context.Context, r *access.Resource, e entry) error {
	for _, other := range a.captures[keyOf(r.URL)] {
		if other.kind != typeMetadata || other.mime != mediaEntry || other.together == "" || other.together != e.id {
			continue
		}
		m, err := a.openBlock(ctx, other)
		if err != nil {
			return err
		}
		found, err := readAttributes(m, r.URL)
		if err = errors.Join(err, m.Close()); err != nil {
			return err
		}
		found.Size = r.Size // the size of the recorded bytes
		if found.Kind == access.Unknown {
			found.Kind = r.Kind
		}
		r.Entry, r.ETag, r.Immutable = found.Entry, found.ETag, found.Immutable
		return nil
	}
	return nil
}

// openRecord opens the record of an entry. The caller closes the file, from which the record's Body
// reads.
func (a *Archive) openRecord(e entry) (*Record, *os.File, error) {
	f, err := a.root.Open(e.file)
	if err != nil {
		return nil, nil, err
	}
	record, err := recordAt(f, e.offset)
	if err != nil {
		f.Close()
		return nil, nil, err
	}
	return record, f, nil
}

// recordAt reads the record that begins at offset in f. Its Body reads from f.
func recordAt(f *os.File, offset int64) (*Record, error) {
	if _, err := f.Seek(offset, io.SeekStart); err != nil {
		return nil, err
	}
	return NewReader(f).Next()
}

// addPayload appends the payload to which the revisit m refers. If m lacks a header, it appends the
// header of the earlier response, too, and the entry of m gets the status of that response, and its
// type unless m has one. The error is errLost if the archive lacks the payload.
func (a *Archive) addPayload(m *recorded) error {
	first, ok := a.original(m.entry)
	if !ok {
		return errLost
	}
	record, f, err := a.openRecord(first)
	if err != nil {
		return err
	}
	m.files = append(m.files, f)
	m.Reader = io.MultiReader(m.record.Body, record.Body)
	if m.record.Length == 0 {
		m.entry.status, m.entry.mime = first.status, cmp.Or(m.entry.mime, first.mime)
		return nil
	}
	return skipHead(record, first)
}

// original returns the capture whose payload the revisit e repeats. It returns false if the archive
// lacks that capture.
func (a *Archive) original(e entry) (entry, bool) {
	if first, ok := a.payloads[digestKey(e.digest)]; ok {
		return first, true
	}
	v, ok := referredBy(e)
	if !ok {
		return entry{}, false
	}
	first, ok := a.referred[v]
	return first, ok
}

// skipHead reads the header of a recorded response from record.Body, so that the payload follows.
// It has no effect if e is not a response of HTTP.
func skipHead(record *Record, e entry) error {
	if e.status == 0 {
		return nil
	}
	_, err := readHead(record.Body)
	return err
}

// readHead reads the header of an HTTP message, with the empty line after it. It leaves the payload
// unread in r. The header may have at most maxHead bytes.
func readHead(r io.Reader) ([]byte, error) {
	var head []byte
	for one := make([]byte, 1); headEnd(head, len(head)-1) == 0; {
		n, err := r.Read(one)
		if head = append(head, one[:n]...); len(head) > maxHead {
			return nil, fmt.Errorf("its header has more than %d bytes", maxHead)
		}
		if err != nil {
			return nil, unexpectedEOF(err)
		}
	}
	return head, nil
}

// asWhole returns message, a 206 response with all bytes, as a 200 response without Content-Range.
func asWhole(message io.Reader) (io.Reader, error) {
	head, err := readHead(message)
	if err != nil {
		return nil, err
	}
	var kept []byte
	for i, line := range bytes.SplitAfter(head, []byte("\n")) {
		name, _, _ := bytes.Cut(line, []byte(":"))
		switch {
		case i == 0:
			line = []byte("HTTP/1.1 200 OK\r\n")
		case strings.EqualFold(string(name), "Content-Range"):
			continue
		}
		kept = append(kept, line...)
	}
	return io.MultiReader(bytes.NewReader(kept), message), nil
}

// A truncated is a block that was recorded only in part. Read fails at its end.
type truncated struct {
	io.Reader
	why string // WARC-Truncated
}

// Read reads the recorded bytes. At their end it returns an error that wraps io.ErrUnexpectedEOF,
// because the archive lacks the other bytes of the resource.
func (t *truncated) Read(p []byte) (int, error) {
	n, err := t.Reader.Read(p)
	if access.IsEnd(err) {
		text := "the archive has only a part of it"
		if t.why != unspecified {
			text += " (" + t.why + ")"
		}
		err = engine.Reason(text, io.ErrUnexpectedEOF, access.ErrProtocol) // ErrProtocol, so that the request is not repeated
	}
	return n, err
}

// closers close several io.Closers. They ignore fs.ErrClosed.
type closers []io.Closer

// Close closes each Closer, also after an error, and joins their errors. It ignores fs.ErrClosed.
func (all closers) Close() error {
	var err error
	for _, one := range all {
		if closeErr := one.Close(); !errors.Is(closeErr, fs.ErrClosed) {
			err = errors.Join(err, closeErr)
		}
	}
	return err
}
