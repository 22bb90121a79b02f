package archive

import (
	"context"
	"errors"
	"io"
	"sync"
	"time"

	"locus/access"
	"locus/access/engine"
	"locus/internal/sentinel"
)

// A Recorder is an Engine that records the resources that its Engine fetches over a
// network. It belongs below caches, redirects and retries, so that it sees each request on
// the wire.
//
// For http and https it records each request and each response in the bytes of HTTP/1.1,
// also for changes. For other protocols it records the resource when it was read to its
// end, and the commands and replies as metadata. For a listing that is read by its List, it
// records the entries. A resource that was not read to its end is recorded as truncated,
// even if not one byte was read. The attributes that Stat finds are metadata, too.
//
// It does not record sessions, nor forms, because the URL of a form does not tell its
// answers. A locus.Client records only schemes that fetch over a network.
//
// Passwords, cookies and every unusual field of a request are replaced by ***. The password
// of a URL is left out. But a secret in a path, a query or a page is recorded.
//
// A Get is always for the whole resource, because an archive does not store parts. A Get
// with an Offset fails with errors.ErrUnsupported, and a Length is ignored. If the archive
// cannot be written, the access fails, at the latest when its end is read.
type Recorder struct {
	Engine access.Engine // nil refuses every request
	Writer *Writer       // nil: the Recorder only passes requests on
}

// Record returns a Recorder that writes the accesses of engine to w. The caller closes w after the
// last access.
func (w *Writer) Record(engine access.Engine) access.Engine {
	return Recorder{Engine: engine, Writer: w}
}

// errWholeOnly refuses a recorded access with an Offset.
var errWholeOnly = sentinel.New("an archive gets whole resources, from their first byte", errors.ErrUnsupported)

// Do does what req asks, and records it, unless it is an access to a form, or r.Writer is nil. A
// Get that does not begin at the first byte is an error, and a Length is ignored. If the records
// cannot be written, Do, or Read of the Body, returns an error.
func (r Recorder) Do(ctx context.Context, req *access.Request) (*access.Resource, error) {
	e := r.Engine
	if e == nil {
		e = access.Table(nil)
	}
	if r.Writer == nil || req.Answers != nil || req.Op == access.Ask {
		return e.Do(ctx, req)
	}
	if req.Op == access.Get {
		if req.Offset > 0 {
			return nil, fail(req, errWholeOnly)
		}
		if req.Length > 0 {
			whole := *req
			whole.Length, req = 0, &whole
		}
	}
	c := &capture{writer: r.Writer, target: Target(req.URL), began: now()}
	c.dialogue.exchanges = c.exchange
	found, err := e.Do(engine.WithTap(ctx, &c.dialogue), req)
	switch {
	case c.sawHTTP():
		return found, err
	case err == nil && req.Op == access.Stat:
		if archiveErr := c.writeAttributes(found); archiveErr != nil {
			return nil, fail(req, archiveErr)
		}
		return found, nil
	case err != nil || req.Op != access.Get || found.Session != nil:
		if archiveErr := c.writeFailure(err); archiveErr != nil {
			return nil, fail(req, errors.Join(err, archiveErr))
		}
		return found, err
	}
	c.record(found)
	return found, nil
}

// A capture is one recorded access.
type capture struct {
	writer   *Writer
	target   string
	began    time.Time
	dialogue dialogue

	mu   sync.Mutex
	http bool // an exchange of HTTP has begun, which writes the records of this access
}

// exchange begins the recording of an HTTP request and its response, which are a part of the
// access.
func (c *capture) exchange() engine.Exchange {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.http = true
	return newExchange(c.writer, c.target)
}

// sawHTTP reports whether an exchange of HTTP has begun. The exchange writes the records of the
// access, so the capture must not.
func (c *capture) sawHTTP() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.http
}

// dialogueRecord ends the dialogue, and returns its record; nil if the dialogue is empty.
func (c *capture) dialogueRecord() *record {
	text := c.dialogue.end()
	if text == "" {
		return nil
	}
	return &record{kind: typeMetadata, target: c.target, media: mediaDialogue, date: c.began, block: newBlock(c.writer, []byte(text), false, "")}
}

// writeFailure writes the records of an access without a resource: the redirect if err is an
// *access.Moved, and the dialogue.
func (c *capture) writeFailure(err error) error {
	var records []*record
	if moved, ok := errors.AsType[*access.Moved](err); ok {
		text, err := marshalRedirect(moved)
		if err != nil {
			return err
		}
		records = append(records, c.metadata(mediaMoved, text))
	}
	return c.write(records...)
}

// writeAttributes writes the attributes that Stat found, and the dialogue.
func (c *capture) writeAttributes(r *access.Resource) error {
	text, err := marshalAttributes(r)
	if err != nil {
		return err
	}
	return c.write(c.metadata(mediaEntry, text))
}

// metadata returns a metadata record with the given media type and text.
func (c *capture) metadata(media string, text []byte) *record {
	return &record{kind: typeMetadata, target: c.target, media: media, mime: media, date: c.began, block: newBlock(c.writer, text, false, "")}
}

// write writes the records, and after them the dialogue. It discards their blocks.
func (c *capture) write(records ...*record) error {
	if r := c.dialogueRecord(); r != nil {
		records = append(records, r)
	}
	if len(records) == 0 {
		return nil
	}
	return c.writer.add(records...)
}

// record replaces the Body and the List of r by a recordedBody, which records r while it is read.
func (c *capture) record(r *access.Resource) {
	body := &recordedBody{ReadCloser: r.Body, capture: c, list: r.List, media: r.Type, found: *r}
	r.Body = body
	if r.List != nil {
		r.List = body
	}
}

// A recordedBody is the Body and the List of a resource that is recorded.
type recordedBody struct {
	io.ReadCloser
	capture *capture
	list    access.Lister
	media   string          // the media type of the block
	found   access.Resource // has the attributes to record

	mu    sync.Mutex
	block *block // nil before the first byte
	ended bool
	err   error // of the archive
}

// Read reads the Body and records the bytes. At the end of the resource it writes the records. If
// that fails, Read returns the error instead of io.EOF.
func (b *recordedBody) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	b.write(p[:n])
	return n, b.endIfDone(err)
}

// Next returns the next entry of the listing and records it. At the end of the listing it writes
// the records. If that fails, Next returns the error instead of io.EOF.
func (b *recordedBody) Next() (access.Entry, error) {
	b.media = mediaListing // even if the listing is empty
	e, err := b.list.Next()
	if err == nil {
		line, err := marshalEntry(e)
		if err != nil {
			return e, err
		}
		b.write(line)
	}
	return e, b.endIfDone(err)
}

// write adds p to the block of the resource. It ignores bytes after end.
func (b *recordedBody) write(p []byte) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.ended {
		return
	}
	if b.block == nil {
		b.block = newBlock(b.capture.writer, nil, true, b.capture.target)
	}
	_, _ = b.block.Write(p) // seal returns its error
}

// endIfDone writes the records if err, the error of a Read or Next, ends the resource. It returns
// err. But if err is io.EOF and the records cannot be written, it returns the error of writing.
func (b *recordedBody) endIfDone(err error) error {
	switch {
	case err == nil:
		return nil
	case !access.IsEnd(err):
		_ = b.end(err) // err is the reason of the failure
		return err
	}
	if archiveErr := b.end(nil); archiveErr != nil {
		return archiveErr
	}
	return err
}

// Close closes the Body. If the resource was not read to its end, Close records the bytes that were
// read as truncated.
func (b *recordedBody) Close() error {
	return errors.Join(b.ReadCloser.Close(), b.end(errNotRead))
}

var errNotRead = errors.New("the rest was not read")

// end writes the records of the resource, and returns the error of writing. If err is not nil, the
// resource was not read to its end, and its record is marked as truncated. Later calls return the
// error of the first.
func (b *recordedBody) end(err error) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.ended {
		return b.err
	}
	b.ended = true
	if b.block == nil {
		b.block = newBlock(b.capture.writer, nil, true, b.capture.target)
	}
	text, marshalErr := marshalAttributes(&b.found)
	if marshalErr != nil {
		b.err = marshalErr
		return b.err
	}
	b.err = b.capture.write(&record{
		kind: typeResource, target: b.capture.target, media: b.media, mime: b.media, date: b.capture.began, block: b.block,
		truncated: truncation(err),
	}, b.capture.metadata(mediaEntry, text))
	return b.err
}
