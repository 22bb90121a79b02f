package gateway

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/a-h/templ"
)

// An output writes the response of a request. It takes the memory for the response from a budget,
// and gives it back at the end of the request. Its writers go around one another:
//
//	toClient       sends bytes to the client, and fails if the client stops reading
//	newSendBuffer  goes around toClient for pages. It keeps the bytes that a slow client has not
//	               read yet, so that the maker of a page can finish early
//	compress       goes around either for lists and pages
//	write          writes a whole page. It uses all three if the page is large and the budget
//	               has memory, and otherwise only toClient
type output struct {
	w      http.ResponseWriter
	r      *http.Request
	client string // the client to which the memory counts
	budget *memoryBudget
	idle   time.Duration // how long the client may stop reading

	out        clientWriter // see toClient
	pageMemory *share       // see ofPage; nil before the first call
	shares     []*share     // pageMemory, and a share for each compressor
}

// isProxied reports whether the client uses the gateway as a proxy.
func (x *output) isProxied() bool { return !strings.HasPrefix(x.r.RequestURI, "/") }

// redirect is like http.Redirect, but does not clean the path.
func (x *output) redirect(path string) {
	x.w.Header().Set("Location", path)
	x.w.WriteHeader(http.StatusSeeOther)
}

// toClient returns a Writer of the response. Its Write fails if the client does not read for
// ClientIdle. The Writer of an earlier call must not be used any more.
func (x *output) toClient() *clientWriter {
	x.out = clientWriter{answer: x.w, idle: x.idle}
	return &x.out
}

// A clientWriter writes a response. Each Write may take idle.
type clientWriter struct {
	answer http.ResponseWriter
	idle   time.Duration
	began  bool // Write or send was called
}

func (w *clientWriter) Write(p []byte) (int, error) {
	w.extendDeadline()
	return w.answer.Write(p)
}

// writeAll writes p in pieces, each of which may take idle. So a client that reads slowly gets all of p.
func (w *clientWriter) writeAll(p []byte) error {
	for piece := range slices.Chunk(p, sendPiece) {
		if _, err := w.Write(piece); err != nil {
			return err
		}
	}
	return nil
}

// send writes p. If p is nil, it flushes the bytes that the http.Server has buffered.
func (w *clientWriter) send(p []byte) error {
	if p != nil {
		_, err := w.Write(p)
		return err
	}
	w.extendDeadline()
	err := http.NewResponseController(w.answer).Flush()
	if errors.Is(err, errors.ErrUnsupported) { // the ResponseWriter does not buffer
		return nil
	}
	return err
}

func (w *clientWriter) extendDeadline() {
	w.began = true
	// A writer without deadlines, such as a test's recorder, never blocks.
	http.NewResponseController(w.answer).SetWriteDeadline(time.Now().Add(w.idle)) //nolint:errcheck // see above
}

// newShare returns a new, empty share of the request.
func (x *output) newShare() *share {
	s := &share{budget: x.budget, client: x.client}
	x.shares = append(x.shares, s)
	return s
}

// ofPage returns the share for the data of a page, and later for the HTML of the page.
func (x *output) ofPage() *share {
	if x.pageMemory == nil {
		x.pageMemory = x.newShare()
	}
	return x.pageMemory
}

// reserve takes memory for n bytes of data for a page. It waits as share.reserve does.
func (x *output) reserve(n int) error {
	if n <= uncountedMemory {
		return nil
	}
	return x.ofPage().reserve(x.r.Context(), n)
}

// releaseMemory gives all memory back at the end of the request.
func (x *output) releaseMemory() {
	for _, s := range x.shares {
		s.release()
	}
}

// reserving returns a Reader of a text for a page. It takes memory for the decoded text, its spans
// and the HTML.
func (x *output) reserving(in io.Reader) io.Reader { return &reservingReader{in: in, of: x} }

// newSendBuffer returns a sendBuffer of the response. Until its Close, the caller must not write
// the response in another way.
func (x *output) newSendBuffer() *sendBuffer {
	s := &sendBuffer{share: x.ofPage(), to: x.toClient(), sent: make(chan struct{})}
	s.changed.L = &s.mu
	go s.send()
	return s
}

// compress returns a Writer for the body of a page or a list. It uses a compression that the
// client accepts, or does not compress if memory is short. Call it before the first byte, because
// it sets the header.
func (x *output) compress(to io.Writer) compressor {
	x.w.Header().Add("Vary", "Accept-Encoding")
	memory := x.newShare()
	if !memory.tryReserve(uncountedMemory + compressorSize) {
		return uncompressed{to}
	}
	return x.compressor(to, memory.release)
}

// compressPage is compress for a page whose share includes the memory of the compressor.
func (x *output) compressPage(to io.Writer) compressor {
	x.w.Header().Add("Vary", "Accept-Encoding")
	return x.compressor(to, func() {})
}

// compressor returns a compressor, which calls done when it is closed.
func (x *output) compressor(to io.Writer, done func()) compressor {
	name := encodingFor(x.r.Header.Values("Accept-Encoding"))
	pool := map[string]*sync.Pool{"zstd": &zstds, "gzip": &gzips}[name]
	if pool == nil {
		done()
		return uncompressed{to}
	}
	x.w.Header().Set("Content-Encoding", name)
	return take(pool, to, done)
}

// smallPage is the size up to which a page is not compressed, because it fits into one packet
// anyway.
const smallPage = 1 << 10

// write renders a page and writes it as the response. A page of more than uncountedMemory waits for
// memory, because a slow client keeps the memory of its page for a long time. If the memory stays
// taken, the response is errFull.
func (x *output) write(status int, shown templ.Component) {
	var text bytes.Buffer
	if err := shown.Render(context.Background(), &text); err != nil {
		panic(err) // a template has a bug, because a bytes.Buffer does not fail
	}
	content := withoutNUL(text.Bytes())
	h := x.w.Header()
	h.Set("Content-Type", "text/html; charset=utf-8")
	h.Add("Vary", "Accept")
	if x.r.Method == http.MethodHead {
		x.w.WriteHeader(status)
		return
	}
	if len(content) <= smallPage || !x.ofPage().tryReserve(len(content)+compressorSize) {
		if err := x.reserve(len(content)); err != nil {
			h.Set("Content-Type", "text/plain; charset=utf-8")
			h.Set("Cache-Control", "no-store")
			status, content = http.StatusServiceUnavailable, []byte(errFull.Error()+"\n")
			text = bytes.Buffer{}
		}
		x.w.WriteHeader(status)
		x.toClient().writeAll(content) //nolint:errcheck // the browser has gone
		return
	}
	out := x.newSendBuffer()
	body := x.compressPage(out)
	x.w.WriteHeader(status)
	body.Write(content) //nolint:errcheck // see above
	body.Close()
	text = bytes.Buffer{} // gives the memory back, because the client may read slowly
	out.written()
	out.Close()
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
