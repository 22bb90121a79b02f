package gateway

import (
	"bufio"
	"cmp"
	"errors"
	"io"
	"net/http"
	"sync"
	"unicode/utf8"

	"locus/access"
	"locus/gateway/internal/entry"
	"locus/gateway/internal/page"
	"locus/gateway/internal/refuse"
	"locus/internal/answer"
	"locus/internal/render"
	"locus/proto/web"
	"locus/url"
)

// How a GET is answered:
//
//	get         asks only for the attributes of a picture that gets a page around it
//	            (findMedia). Otherwise openPart opens the resource, or the range that the
//	            header asks for
//	show        chooses by the type of the resource: a listing, a message, or bytes
//	stream      reads the first bytes and sniffs the media type. If the user navigates to a
//	            text, a viewer makes a page of it. Otherwise stream copies the bytes
//	describe    writes the header of bytes that are passed on
//	head        writes the same header without opening the resource, and leaves out fields
//	            that are not known before the first bytes
//
// raw and download start at openPart and never make a page. If the resource breaks off after
// the first byte was sent, broken aborts the connection.

// get answers with the page of x.url, or with its bytes.
func (x *exchange) get() error {
	if found, ok := (viewer{x}).findMedia(); ok {
		return viewer{x}.view(page.Viewer(found.Type), found, nil)
	}
	resource, part, err := x.openPart()
	if err == nil && !part.Whole() && entry.IsMessage(resource.Type) && formatOf(x.r.Header) == asPage { // a page shows the whole message
		resource.Body.Close()
		resource, err = x.do(x.request(access.Get))
		part = answer.Range{}
	}
	if err != nil {
		return x.tryFolder(err)
	}
	return x.show(resource, part)
}

// openPart opens the resource, or the range that the header asks for. If the browser has
// the bytes already, the error is access.ErrNotModified. A page around content is always
// made, because the browser may have the content without the page.
func (x *exchange) openPart() (*access.Resource, answer.Range, error) {
	req := x.answerRequest()
	resource, part, err := answer.Open(x.r.Context(), x.recovers, req)
	if !errors.Is(err, access.ErrNotModified) || !x.wantsPage() {
		return resource, part, err
	}
	again := x.request(access.Get)
	if resource, err = x.do(again); err != nil {
		return nil, part, err
	}
	if resource.List == nil && page.Viewer(resource.Type) == "" && answer.IsUnchanged(req.IfChanged, resource.Validator()) {
		resource.Body.Close()
		return nil, part, access.ErrNotModified
	}
	return resource, part, nil
}

// tryFolder redirects the browser to the folder at x.url with a slash at its end, if that is a
// listing. Otherwise it returns err, the error of x.url.
func (x *exchange) tryFolder(err error) error {
	if access.RemedyFor(err) != access.NeedSlash {
		return err
	}
	bare, cut := x.url.Without(url.Query, url.Fragment)
	folder, set := bare.With(url.Path, url.Some(bare.Path()+"/"))
	if cut != nil || set != nil {
		return err
	}
	resource, failed := x.do(x.requestFor(access.Get, folder))
	if failed != nil {
		return err // it names the URL that was asked for
	}
	resource.Body.Close()
	if resource.List == nil {
		return err
	}
	x.redirectTo(folder)
	return nil
}

// answerRequest returns the Request with the range and the conditions of the header.
func (x *exchange) answerRequest() *access.Request {
	req := answer.Request(x.url, x.r.Header)
	req.Login, req.Client, req.PublicOnly, req.PublicAway = x.login(), x.client, x.publicOnly, x.publicAway
	return req
}

// show answers with an open resource, or a part of it, and closes it.
func (x *exchange) show(resource *access.Resource, part answer.Range) error {
	defer resource.Body.Close()
	x.url = resource.URL
	format := formatOf(x.r.Header)
	if part.Whole() && format == asPage && !x.isProxied() {
		resource = web.ListedPages(resource, x.openPage) // a web server lists a folder as an HTML page
	}
	asMessage := format == asPage && entry.IsMessage(resource.Type)
	switch {
	case resource.List != nil && asMessage:
		return viewer{x}.parsedMessage(resource.List)
	case resource.List != nil:
		return viewer{x}.list(resource, format)
	case asMessage:
		return viewer{x}.message(resource)
	}
	return sender{x}.stream(resource, part)
}

// openURL opens x.url, unless it names a session. It sets x.url to the URL where the resource was
// found, which differs after a redirect. An HTML page in which a web server lists a folder becomes a
// listing.
func (x *exchange) openURL() (*access.Resource, error) { return x.openFrom(0) }

// openFrom is openURL for the entries of a listing that follow the first shown ones.
func (x *exchange) openFrom(shown int) (*access.Resource, error) {
	if entry.IsSession(x.url) {
		return nil, refuse.ErrNoPage
	}
	req := x.request(access.Get)
	req.MoreEntries = shown
	resource, err := x.do(req)
	if err != nil {
		return nil, err
	}
	x.url = resource.URL
	return web.ListedPages(resource, x.openPage), nil
}

// openPage opens another page of a web server's listing.
func (x *exchange) openPage(u url.URL) (*access.Resource, error) {
	return x.do(x.requestFor(access.Get, u))
}

// A sender answers with the bytes of resources.
type sender struct{ *exchange }

// head answers with the header of get. It does not read the resource, so it leaves out fields
// that only the bytes would tell.
func (x sender) head() error {
	req := x.answerRequest()
	req.Offset, req.Length, req.IfMatch = 0, 0, access.Validator{}
	resource, err := answer.Head(x.r.Context(), x.recovers, req)
	if err != nil {
		return err
	}
	x.url = resource.URL
	if x.bytesOnly && entry.IsMessage(resource.Type) {
		resource.Type = "text/plain"
	}
	if !x.bytesOnly && (resource.List != nil || entry.IsMessage(resource.Type)) {
		x.w.Header().Set("Content-Type", formatOf(x.r.Header).contentType())
		x.w.Header().Add("Vary", "Accept")
		return nil
	}
	resource.Type = entry.CleanType(resource.Type)
	status, _ := x.describe(resource, answer.Range{})
	x.w.WriteHeader(status)
	return nil
}

// readers are reused, because a new buffer costs more than a small resource. Large resources
// use largeReaders, because a large buffer takes fewer system calls.
var (
	readers      = sync.Pool{New: func() any { return bufio.NewReaderSize(nil, 32<<10) }}
	largeReaders = sync.Pool{New: func() any { return bufio.NewReaderSize(nil, 256<<10) }}
)

// large is the size from which a resource gets a large buffer.
const large = 1 << 20

// stream copies the bytes of a resource, or answers with a page that shows them. If the resource
// breaks off, the response breaks off too.
func (x sender) stream(resource *access.Resource, part answer.Range) error {
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
	resource.Type = page.Sniff(entry.CleanType(resource.Type), x.Charset, start)
	if kind := page.Viewer(resource.Type); kind != "" && part.Whole() && x.wantsPage() {
		if kind == "records" {
			return viewer{x.exchange}.records(resource, in)
		}
		return viewer{x.exchange}.view(kind, resource, in)
	}
	status, n := x.describe(resource, part)
	if x.MaxSize > 0 && n > x.MaxSize {
		clear(x.w.Header())
		return refuse.ErrTooLarge
	}
	x.w.WriteHeader(status)
	body = in
	if x.MaxSize > 0 {
		body = &bounded{in: in, left: x.MaxSize}
	}
	if _, err := io.Copy(x.toClient(), body); err != nil {
		x.broken(err)
	}
	return nil
}

// passedOn are the fields of a web server's response that the gateway copies. They cannot make a
// browser load, run, store or send anything.
var passedOn = []string{"Age", "Cache-Control", "Content-Encoding", "Content-Language", "Expires"}

// describe writes the header of a resource that is passed on unchanged. The caller has cleaned
// its Type.
func (x sender) describe(resource *access.Resource, part answer.Range) (status int, n int64) {
	h := x.w.Header()
	for _, name := range passedOn {
		if value := resource.Header.Get(name); value != "" {
			h.Set(name, value)
		}
	}
	if _, has := resource.URL.User(); has || x.r.Header.Get("Authorization") != "" {
		h.Set("Cache-Control", "private, no-cache")
	}
	status, n = answer.Describe(h, resource, !part.Whole(), part.Length)
	x.setContentPolicy(resource.Type)
	if page.Viewer(resource.Type) != "" && !x.isProxied() { // a browser may get a page around it
		h.Add("Vary", "Sec-Fetch-Mode, Sec-Fetch-Dest, Range, Authorization")
	}
	if x.stores {
		h.Set("Content-Disposition", disposition(cmp.Or(x.storeAs, render.Title(x.url))))
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
	if isWhole && len(page.WholeCharacters(text)) < len(text) {
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
	return page.WholeCharacters(text)
}

// bounded is a Reader that fails with access.ErrTooLong after left bytes.
type bounded struct {
	in   io.Reader
	left int64
}

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

// wantsPage reports whether the user navigates to the URL with a browser, and therefore gets a
// page around the content. Programs, and pages that embed the content, get its bytes.
func (x *exchange) wantsPage() bool {
	h := x.r.Header
	switch {
	case x.isProxied() || x.bytesOnly || x.r.Method != http.MethodGet:
		return false
	case h.Get("Range") != "" || h.Get("Authorization") != "": // the browser sends a password only with the URL itself: see mayAskPassword
		return false
	case h.Get("Sec-Fetch-Mode") != "":
		return isNavigation(h)
	}
	return acceptsPage(h)
}

// raw answers with the bytes of a resource for which get has a page.
func (x sender) raw() error {
	x.bytesOnly = true
	return x.bytes()
}

// download answers with the bytes of a resource, which the browser stores in a file.
func (x sender) download() error {
	x.bytesOnly, x.stores = true, true
	return x.bytes()
}

// bytes answers with the bytes of the URL in the query, even if they are a listing or a message.
func (x sender) bytes() error {
	if err := x.admitQuery(); err != nil {
		return err
	}
	if entry.IsSession(x.url) {
		return refuse.ErrNoPage
	}
	if x.r.Method == http.MethodHead {
		return x.head()
	}
	resource, part, err := x.openPart()
	if err != nil {
		return err
	}
	defer resource.Body.Close()
	x.url = resource.URL
	if entry.IsMessage(resource.Type) {
		resource.Type = "text/plain"
	}
	return x.stream(resource, part)
}
