package gateway

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/a-h/templ"
)

// An output is where the response of a request goes. It takes the memory that the response
// needs from a budget, and gives it back at the end of the request.
//
//	toClient    writes bytes, and fails if the client stops reading
//	compress    is around it for lists and pages
//	newSendBuffer    keeps what a slow client has not read yet
//	write       does all of that for a page
type output struct {
	w      http.ResponseWriter
	r      *http.Request
	client string // whose memory it is
	budget *memoryBudget
	idle   time.Duration // how long the client may read nothing

	out        clientWriter // see toClient
	pageMemory *share       // see ofPage; nil: none yet
	shares     []*share     // of memory: pageMemory, and those of compressors
}

// isProxied reports whether the client uses the gateway as a proxy.
func (x *output) isProxied() bool { return !strings.HasPrefix(x.r.RequestURI, "/") }

// redirect is http.Redirect, but does not clean the path.
func (x *output) redirect(path string) {
	x.w.Header().Set("Location", path)
	x.w.WriteHeader(http.StatusSeeOther)
}

// toClient returns a Writer of the response. It fails if the client reads nothing for
// ClientIdle. The Writer of an earlier call must not be used any more.
func (x *output) toClient() *clientWriter {
	x.out = clientWriter{answer: x.w, idle: x.idle}
	return &x.out
}

type clientWriter struct {
	answer http.ResponseWriter
	idle   time.Duration
	began  bool // something was written
}

func (w *clientWriter) Write(p []byte) (int, error) {
	w.extendDeadline()
	return w.answer.Write(p)
}

// send writes p. If p is nil it flushes what the server keeps of the response.
func (w *clientWriter) send(p []byte) error {
	if p != nil {
		_, err := w.Write(p)
		return err
	}
	w.extendDeadline()
	err := http.NewResponseController(w.answer).Flush()
	if errors.Is(err, errors.ErrUnsupported) { // a writer that keeps nothing
		return nil
	}
	return err
}

func (w *clientWriter) extendDeadline() {
	w.began = true
	// A writer without deadlines, such as a test's recorder, never blocks.
	http.NewResponseController(w.answer).SetWriteDeadline(time.Now().Add(w.idle)) //nolint:errcheck // see above
}

// newShare returns a share of the request, which has nothing yet.
func (x *output) newShare() *share {
	s := &share{budget: x.budget, client: x.client}
	x.shares = append(x.shares, s)
	return s
}

// ofPage returns the share for what is read for a page, and then for the page.
func (x *output) ofPage() *share {
	if x.pageMemory == nil {
		x.pageMemory = x.newShare()
	}
	return x.pageMemory
}

// reserve makes sure that there is memory for n bytes that are read for a page. It waits as
// share.reserve does.
func (x *output) reserve(n int) error {
	if n <= freeMemory {
		return nil
	}
	return x.ofPage().reserve(x.r.Context(), n)
}

// freeMemory gives back everything at the end of the request.
func (x *output) freeMemory() {
	for _, s := range x.shares {
		s.release()
	}
}

// reserving returns a Reader of a text for a page. It takes memory for what is made of the
// text: its decoded form, its spans, the page.
func (x *output) reserving(in io.Reader) io.Reader { return &reservingReader{in: in, of: x} }

// newSendBuffer returns a sendBuffer of the response. Nothing else may write the response before
// Close.
func (x *output) newSendBuffer() *sendBuffer {
	s := &sendBuffer{share: x.ofPage(), to: x.toClient(), sent: make(chan struct{})}
	s.changed.L = &s.mu
	go s.send()
	return s
}

// compress returns a Writer for the body of a page or a list. It compresses as the client
// accepts, if there is enough memory. It sets the header, so it is called before the
// first byte.
func (x *output) compress(to io.Writer) compressor {
	x.w.Header().Add("Vary", "Accept-Encoding")
	memory := x.newShare()
	if !memory.tryReserve(freeMemory + compressorSize) {
		return uncompressed{to}
	}
	return x.compressor(to, memory.release)
}

// compressPage is compress for a page whose memory has room for the compressor.
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

// smallPage is the size up to which compressing a page gains nothing: it is one packet.
const smallPage = 1 << 10

// write writes the response: a page.
func (x *output) write(status int, shown templ.Component) {
	var text bytes.Buffer
	if err := shown.Render(context.Background(), &text); err != nil {
		panic(err) // a template of this package has a bug
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
		x.w.WriteHeader(status)
		x.w.Write(content) //nolint:errcheck // the browser has gone
		return
	}
	out := x.newSendBuffer()
	body := x.compressPage(out)
	x.w.WriteHeader(status)
	body.Write(content) //nolint:errcheck // see above
	body.Close()
	text = bytes.Buffer{} // the client may read slowly
	out.written()
	out.Close()
}

// withoutNUL returns a piece of a page with U+FFFD in place of NUL, which HTML does not have.
func withoutNUL(piece []byte) []byte {
	if bytes.IndexByte(piece, 0) < 0 {
		return piece
	}
	return bytes.ReplaceAll(piece, []byte{0}, []byte("\uFFFD"))
}

// A flushing is a compressor for a templ.Component, whose buffer flushes its Writer without
// an error.
type flushing struct {
	compressor
	to  *sendBuffer // below the compressor
	err error       // of the first Flush that failed
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

// Flush sends what was written before. If that fails, Write fails from now on.
func (f *flushing) Flush() {
	if f.err == nil {
		f.err = f.compressor.Flush()
		f.to.Flush()
	}
}
