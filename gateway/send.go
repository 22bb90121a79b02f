package gateway

import (
	"bufio"
	"cmp"
	"io"
	"net/http"
	"sync"
	"time"
	"unicode/utf8"

	"locus/access"
	"locus/gateway/internal/content"
	"locus/gateway/internal/entry"
	"locus/gateway/internal/refuse"
	"locus/internal/answer"
	"locus/internal/render"
)

// varyOfPages are the fields that decide whether a request gets a page around content, or its bytes.
const varyOfPages = "Sec-Fetch-Mode, Sec-Fetch-Dest, Range, Authorization"

// A delivery says how the client gets the bytes of a resource.
type delivery struct {
	asBytes bool   // it never gets a page around them
	stores  bool   // the browser stores them in a file
	name    string // the name of the file; "" means the name of the resource
}

// readers are reused, because a new buffer costs more than a small resource. Large resources
// use largeReaders, because a large buffer takes fewer system calls.
var (
	readers      = sync.Pool{New: func() any { return bufio.NewReaderSize(nil, 32<<10) }}
	largeReaders = sync.Pool{New: func() any { return bufio.NewReaderSize(nil, 256<<10) }}
)

// large is the size from which a resource gets a large buffer.
const large = 1 << 20

// stream answers with the bytes of a resource at t, or of part of it, or with a page that shows them. The caller closes
// the resource, which the page may have closed already. If the resource breaks off, the response breaks off too.
func (x handler) stream(t target, resource *access.Resource, part answer.Range, d delivery) error {
	body := io.Reader(resource.Body)
	if part.Length > 0 {
		body = io.LimitReader(body, part.Length)
	}
	pool := &readers
	if resource.Size >= large {
		pool = &largeReaders
	}
	in := pool.Get().(*bufio.Reader)
	defer func() {
		in.Reset(nil)
		pool.Put(in)
	}()
	in.Reset(body)
	_, err := in.Peek(1) // waits for the first bytes
	start := wholeText(in, part.Whole())
	if err != nil && !access.IsEnd(err) {
		return err
	}
	resource.Type = content.Sniff(entry.CleanType(resource.Type), x.g.Charset, start)
	isEmbeddable := x.r.Method == http.MethodGet // because the URL alone does not open the answer to a form again
	kind := content.Viewer(resource.Type)
	if kind != "" && part.Whole() && !d.asBytes && x.r.wantsPage() && (isEmbeddable || !content.IsEmbedded(resource.Type)) {
		switch kind {
		case "records":
			return x.viewer(t).records(resource, in)
		case "gemtext":
			return x.viewer(t).gemtext(resource, in)
		}
		return x.viewer(t).view(kind, resource, in)
	}
	to := sender{x.w, d, x.g.MaxSize}
	at := x.g.recorded(t.url)
	if at.IsZero() || d.asBytes || !getsBanner(resource) {
		return to.send(resource, part, in)
	}
	x.w.Header().Add("Vary", varyOfPages)
	if !part.Whole() || !x.r.wantsPage() {
		return to.send(resource, part, in)
	}
	return to.send(withoutSize(resource), part, bannered(in, at))
}

// withoutSize returns a copy of resource without size and validators, for a resource whose bytes are changed on their
// way.
func withoutSize(resource *access.Resource) *access.Resource {
	changed := *resource
	changed.Size, changed.ETag, changed.ModTime = -1, "", time.Time{}
	return &changed
}

// head answers a HEAD of t with the header of get. It does not read the resource, so it leaves out fields that only
// the bytes would tell. d is the delivery of the GET.
func (x handler) head(t target, d delivery) error {
	o := x.opener()
	req := o.conditional(t)
	req.Offset, req.Length, req.IfMatch = 0, 0, access.Validator{}
	resource, err := answer.Head(x.r.Context(), o.engine, req)
	if err != nil {
		return err
	}
	if d.asBytes && entry.IsMessage(resource.Type) {
		resource.Type = "text/plain"
	}
	if !d.asBytes && (resource.List != nil || entry.IsMessage(resource.Type)) {
		x.w.Header().Set("Content-Type", formatOf(x.r.Header).contentType())
		x.w.Header().Add("Vary", "Accept")
		return nil
	}
	resource.Type = entry.CleanType(resource.Type)
	status, _ := sender{x.w, d, x.g.MaxSize}.describe(resource, answer.Range{})
	x.w.WriteHeader(status)
	return nil
}

// A sender sends the bytes of a resource.
type sender struct {
	w        *reply
	delivery delivery
	maxSize  int64 // Gateway.MaxSize
}

// send sends the bytes of a resource, or a part of it, which come from in. If they are known to be more than s.maxSize,
// it clears the header and returns refuse.ErrTooLarge. Later errors abort the response, and send returns nil.
func (s sender) send(resource *access.Resource, part answer.Range, in io.Reader) error {
	status, n := s.describe(resource, part)
	if s.maxSize > 0 && n > s.maxSize {
		clear(s.w.Header())
		return refuse.ErrTooLarge
	}
	s.w.WriteHeader(status)
	if s.maxSize > 0 {
		in = &bounded{in: in, left: s.maxSize}
	}
	if _, err := io.Copy(s.w, in); err != nil {
		s.w.abort(resource.URL, err)
	}
	return nil
}

// passedOn are the fields of a web server's response that the gateway copies. They cannot make a
// browser load, run, store or send anything.
var passedOn = []string{"Age", "Cache-Control", "Content-Encoding", "Content-Language", "Expires"}

// describe sets the header of a response with the unchanged bytes of a resource or part of it. It returns the status
// of the response and the number of bytes of its body, or -1 if that is unknown. The caller has cleaned the Type.
func (s sender) describe(resource *access.Resource, part answer.Range) (status int, n int64) {
	h := s.w.Header()
	for _, name := range passedOn {
		if value := resource.Header.Get(name); value != "" {
			h.Set(name, value)
		}
	}
	if _, has := resource.URL.User(); has || s.w.r.Header.Get("Authorization") != "" {
		h.Set("Cache-Control", "private, no-cache")
	}
	status, n = answer.Describe(h, resource, !part.Whole(), part.Length)
	s.w.setContentPolicy(resource.URL, resource.Type)
	if content.Viewer(resource.Type) != "" && !s.w.r.isProxied() { // a browser may get a page around it
		h.Add("Vary", varyOfPages)
	}
	if s.delivery.stores {
		h.Set("Content-Disposition", disposition(cmp.Or(s.delivery.name, render.Title(resource.URL))))
	}
	if resource.Size >= 0 { // a Content-Range needs the size
		h["Accept-Ranges"] = acceptsBytes
	}
	return status, n
}

// wholeText returns the buffered bytes of in without characters of UTF-8 that are cut at the end
// or, unless isWhole, at the start. It waits for more bytes only if they decide whether the last
// character is cut.
func wholeText(in *bufio.Reader, isWhole bool) []byte {
	text, _ := in.Peek(in.Buffered())
	if isWhole && len(content.WholeCharacters(text)) < len(text) {
		if _, err := in.Peek(len(text) + 1); access.IsEnd(err) {
			return text // the resource ends here
		}
		text, _ = in.Peek(in.Buffered())
	}
	for n := 0; !isWhole && n < utf8.UTFMax && n < len(text); n++ {
		if utf8.RuneStart(text[n]) {
			text = text[n:]
			break
		}
	}
	return content.WholeCharacters(text)
}

// bounded is a Reader that fails with access.ErrTooLong after left bytes.
type bounded struct {
	in   io.Reader
	left int64
}

// Read reads from b.in. It delivers the bytes up to the limit and one byte more. The call that delivers this extra
// byte returns access.ErrTooLong.
func (b *bounded) Read(p []byte) (int, error) {
	if int64(len(p)) > b.left+1 {
		p = p[:b.left+1]
	}
	n, err := b.in.Read(p)
	if b.left -= int64(n); b.left < 0 {
		return n, access.ErrTooLong
	}
	return n, err
}
