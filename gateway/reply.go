package gateway

import (
	"bytes"
	"context"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/a-h/templ"

	"locus/access"
	"locus/internal/memory"
	"locus/internal/render"
	"locus/url"
)

// A reply is the response to a request. It owns the ResponseWriter: each write has a deadline, because
// the client may stop reading. It takes the memory for the response from a budget, and gives it back
// at the end of the request. Its writers go around one another:
//
//	Write          sends bytes to the client, and fails if the client stops reading
//	newSendBuffer  goes around the reply for pages. It keeps the bytes that a slow client has not
//	               read yet, so that the maker of a page can finish early
//	compress       goes around either for lists and pages
//	page           writes a whole page. It uses all three if the page is large and the budget
//	               has memory, and otherwise only Write
type reply struct {
	http.ResponseWriter
	r      request
	budget *memory.Budget
	idle   time.Duration // how long the client may stop reading
	logger *slog.Logger  // may be nil

	began      bool            // WriteHeader or Write was called
	pageMemory *memory.Share   // see ofPage; nil before the first call
	shares     []*memory.Share // pageMemory, and a share for each compressor
}

// Unwrap returns the ResponseWriter below w, for http.ResponseController.
func (w *reply) Unwrap() http.ResponseWriter { return w.ResponseWriter }

// WriteHeader begins the response. The client has the whole idle limit to read the header, because an informational
// header is sent at once.
func (w *reply) WriteHeader(status int) {
	w.began = true
	w.extendDeadline()
	w.ResponseWriter.WriteHeader(status)
}

// Write sends p. The client has the whole idle limit to read it.
func (w *reply) Write(p []byte) (int, error) {
	w.began = true
	w.extendDeadline()
	return w.ResponseWriter.Write(p)
}

// writeAll writes p in pieces. The client has w.idle to read each piece, so a slow client gets all of p.
func (w *reply) writeAll(p []byte) error {
	for piece := range slices.Chunk(p, sendPiece) {
		if _, err := w.Write(piece); err != nil {
			return err
		}
	}
	return nil
}

// FlushError sends the bytes that the http.Server has buffered. It is for http.ResponseController. It returns nil if
// the ResponseWriter does not buffer.
func (w *reply) FlushError() error {
	w.extendDeadline()
	err := http.NewResponseController(w.ResponseWriter).Flush()
	if errors.Is(err, errors.ErrUnsupported) { // the ResponseWriter does not buffer
		return nil
	}
	return err
}

// extendDeadline gives the client the whole idle limit, from now, to read the bytes of the next write.
func (w *reply) extendDeadline() {
	// A writer without deadlines, such as a test's recorder, never blocks.
	http.NewResponseController(w.ResponseWriter).SetWriteDeadline(time.Now().Add(w.idle)) //nolint:errcheck // see above
}

// redirect answers 303 with the Location path. Unlike http.Redirect it does not clean the path.
func (w *reply) redirect(path string) {
	w.Header().Set("Location", path)
	w.WriteHeader(http.StatusSeeOther)
}

// notModified answers 304. It clears the header, because browsers replace the stored fields of the resource by the
// fields of a 304, and the page policy would replace the resource's. It sets ETag if the request names a single
// validator.
func (w *reply) notModified() {
	h := w.Header()
	clear(h)
	if tag := w.r.Header.Get("If-None-Match"); tag != "*" && !strings.Contains(tag, ",") {
		h.Set("ETag", tag)
	}
	w.WriteHeader(http.StatusNotModified)
}

// abort ends a response that cannot be completed, because the access to u failed, and logs err. It does not return:
// its panic closes the connection or resets the stream, because the client must not take the response for a complete
// one (RFC 9112 §8).
func (w *reply) abort(u url.URL, err error) {
	w.log(u, err)
	panic(http.ErrAbortHandler)
}

// log logs a failed access to u, unless it failed because the client has gone. It logs a panic with
// its stack.
func (w *reply) log(u url.URL, err error) {
	ctx := w.r.Context()
	if w.logger == nil || ctx.Err() != nil && errors.Is(err, ctx.Err()) {
		return
	}
	level := slog.LevelWarn
	about := []slog.Attr{slog.String("client", w.r.RemoteAddr), slog.String("url", render.Masked(u)), slog.String("error", render.MaskedText(err.Error()))}
	if p, ok := errors.AsType[*access.PanicError](err); ok {
		level, about = slog.LevelError, append(about, slog.String("stack", string(p.Stack)))
	}
	w.logger.LogAttrs(ctx, level, "access failed", about...)
}

// newShare returns a new, empty share of the memory budget, which releaseMemory gives back.
func (w *reply) newShare() *memory.Share {
	s := w.budget.Share(w.r.client)
	w.shares = append(w.shares, s)
	return s
}

// ofPage returns the share of the memory budget for the data of a page, and later for the HTML of the page. It is
// always the same.
func (w *reply) ofPage() *memory.Share {
	if w.pageMemory == nil {
		w.pageMemory = w.newShare()
	}
	return w.pageMemory
}

// reserve takes memory, so that the page has n bytes for its data in all. It fails as take does.
func (w *reply) reserve(n int) error {
	if n <= memory.Uncounted {
		return nil
	}
	return w.take(w.ofPage(), n)
}

// take grows a share to n bytes. Up to memory.Uncounted bytes take no memory from the budget. It waits as
// memory.Share.Reserve does, and fails with errFull after maxMemoryWait.
func (w *reply) take(s *memory.Share, n int) error {
	err := s.Reserve(w.r.Context(), n)
	if errors.Is(err, memory.ErrFull) {
		return errFull
	}
	return err
}

// releaseMemory gives back all memory that the response has taken from the budget.
func (w *reply) releaseMemory() {
	for _, s := range w.shares {
		s.Release()
	}
}

// reserving returns a Reader of in, a text for a page. Its Read also takes memory for the decoded text, its spans and
// the HTML.
func (w *reply) reserving(in io.Reader) io.Reader { return &reservingReader{in: in, of: w} }

// newSendBuffer returns a sendBuffer that writes the response, and starts its goroutine. Until its Close, the caller
// must not write the response in another way.
func (w *reply) newSendBuffer() *sendBuffer {
	s := &sendBuffer{share: w.ofPage(), to: w, sent: make(chan struct{})}
	s.changed.L = &s.mu
	go s.send()
	return s
}

// compress returns a Writer for the body of a page or a list, which passes its bytes on to the Writer to. It uses a
// compression that the client accepts, or does not compress if memory is short. Call it before the first byte, because
// it sets the header. The caller closes the Writer.
func (w *reply) compress(to io.Writer) compressor {
	w.Header().Add("Vary", "Accept-Encoding")
	share := w.newShare()
	if !share.TryReserve(memory.Uncounted + compressorSize) {
		return uncompressed{to}
	}
	return w.compressor(to, share.Release)
}

// compressPage returns a compressor for the body of a page. Unlike compress, it does not take memory for the
// compressor, because the share of the page includes that memory already.
func (w *reply) compressPage(to io.Writer) compressor {
	w.Header().Add("Vary", "Accept-Encoding")
	return w.compressor(to, func() {})
}

// compressor returns a compressor for an encoding that the client accepts, and sets Content-Encoding. It calls done
// when the compressor is closed. If the client accepts no encoding, compressor calls done at once, and the result does
// not compress.
func (w *reply) compressor(to io.Writer, done func()) compressor {
	name := encodingFor(w.r.Header.Values("Accept-Encoding"))
	pool := map[string]*sync.Pool{"zstd": &zstds, "gzip": &gzips}[name]
	if pool == nil {
		done()
		return uncompressed{to}
	}
	w.Header().Set("Content-Encoding", name)
	return take(pool, to, done)
}

// smallPage is the size up to which a page is not compressed, because it fits into one packet
// anyway.
const smallPage = 1 << 10

// page renders a page and writes it as the response with this status. A page of more than memory.Uncounted waits for
// memory, because a slow client keeps the memory of its page for a long time. If the memory stays taken, the response
// is errFull.
func (w *reply) page(status int, shown templ.Component) {
	var text bytes.Buffer
	if err := shown.Render(context.Background(), &text); err != nil {
		panic(err) // a template has a bug, because a bytes.Buffer does not fail
	}
	content := withoutNUL(text.Bytes())
	h := w.Header()
	h.Set("Content-Type", "text/html; charset=utf-8")
	h.Add("Vary", "Accept")
	if w.r.Method == http.MethodHead {
		w.WriteHeader(status)
		return
	}
	if len(content) <= smallPage || !w.ofPage().TryReserve(len(content)+compressorSize) {
		if err := w.reserve(len(content)); err != nil {
			h.Set("Content-Type", "text/plain; charset=utf-8")
			h.Set("Cache-Control", "no-store")
			status, content = http.StatusServiceUnavailable, []byte(errFull.Error()+"\n")
			text = bytes.Buffer{}
		}
		w.WriteHeader(status)
		w.writeAll(content) //nolint:errcheck // the browser has gone
		return
	}
	out := w.newSendBuffer()
	body := w.compressPage(out)
	w.WriteHeader(status)
	body.Write(content) //nolint:errcheck // see above
	body.Close()
	text = bytes.Buffer{} // gives the memory back, because the client may read slowly
	out.written()
	out.Close()
}

// show writes a page with the status 200 and this value of Cache-Control.
func (w *reply) show(control string, shown templ.Component) {
	w.Header().Set("Cache-Control", control)
	w.page(http.StatusOK, shown)
}

// withoutNUL returns a piece of a page with U+FFFD for each NUL, because HTML forbids NUL.
func withoutNUL(piece []byte) []byte {
	if bytes.IndexByte(piece, 0) < 0 {
		return piece
	}
	return bytes.ReplaceAll(piece, []byte{0}, []byte("\uFFFD"))
}

// A flushing is a compressor for a templ.Component. Its Flush returns no error, because the buffer
// of templ calls only such a Flush.
type flushing struct {
	compressor
	to  *sendBuffer // the Writer below the compressor
	err error       // the error of the first Flush that failed
}

// Write compresses p, with U+FFFD for each NUL. After a Flush has failed, it returns the error of that Flush.
func (f *flushing) Write(p []byte) (int, error) {
	if f.err != nil {
		return 0, f.err
	}
	if _, err := f.compressor.Write(withoutNUL(p)); err != nil {
		return 0, err
	}
	return len(p), nil
}

// Flush sends all bytes that were written before it. If that fails, later Writes fail.
func (f *flushing) Flush() {
	if f.err == nil {
		f.err = f.compressor.Flush()
		f.to.Flush()
	}
}
