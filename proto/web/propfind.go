package web

import (
	"context"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"net/http"
	"strconv"
	"strings"

	"locus/access"
	"locus/access/engine"
	"locus/internal/charset"
	"locus/internal/weburl"
	"locus/url"
)

// A Lister is an Engine around an Engine that opens directories of web servers as listings, for a
// Get with Request.List. It lists the page that the server generates (see [Listed]), or else the
// response to a PROPFIND (RFC 4918 §9.1). If neither is a listing, the Resource is the page, without a
// List. Only URLs that end in "/" are directories. Stat with Request.List opens such a URL, because
// only its content tells whether it is a listing. All other requests are passed on.
//
// Once a server has refused GET of a directory and answered PROPFIND, the Lister sends it PROPFIND first.
// Several goroutines may use a Lister. Do not copy it after its first use.
type Lister struct {
	Engine access.Engine

	refusing remembered[bool] // the origins of servers that refuse GET of directories
}

// Do executes a Get or a Stat with Request.List for a URL of http or https: it opens a directory as a listing. It passes
// every other request on to the Engine; a request for http or https loses its List.
func (l *Lister) Do(ctx context.Context, req *access.Request) (*access.Resource, error) {
	name := req.URL.Scheme()
	if !req.List || name != "http" && name != "https" {
		return l.Engine.Do(ctx, req)
	}
	plain := *req
	plain.List = false
	switch req.Op {
	case access.Get:
		return l.open(ctx, req, &plain)
	case access.Stat:
		return l.stat(ctx, req, &plain)
	}
	return l.Engine.Do(ctx, &plain)
}

// stat executes Stat with List: it opens a URL that ends in "/" to find out whether it is a listing, and closes it. For
// a listing the Kind of the result is Directory. plain is req without List.
func (l *Lister) stat(ctx context.Context, req, plain *access.Request) (*access.Resource, error) {
	found, err := l.Engine.Do(ctx, plain)
	if err != nil || !strings.HasSuffix(found.URL.Path(), "/") {
		return found, err
	}
	page, err := l.Do(ctx, req.WithOp(access.Get))
	if err != nil {
		return nil, err
	}
	defer page.Body.Close()
	if page.List != nil {
		found.Kind, found.Size, found.Type = access.Directory, -1, ""
	}
	return found, nil
}

// open executes Get. plain is req without List. If the page of a URL that ends in "/" is not a listing, or if the
// server refuses GET, open asks with PROPFIND. It remembers servers that refuse GET and answer PROPFIND, and asks them
// first with PROPFIND. If the server does not support PROPFIND, open returns the page or the error of the GET.
func (l *Lister) open(ctx context.Context, req, plain *access.Request) (*access.Resource, error) {
	if l.refusing.get(origin(req.URL)) {
		if found, err := l.Engine.Do(ctx, req); err == nil {
			return found, nil
		}
	}
	r, err := l.Engine.Do(ctx, plain)
	if err == nil {
		open := func(u url.URL) (*access.Resource, error) {
			next := *plain
			next.URL = u
			return l.Engine.Do(ctx, &next)
		}
		if r = ListedPages(r, open); r.List != nil || !strings.HasSuffix(r.URL.Path(), "/") {
			return r, nil
		}
	} else if !mayAnswerPropfind(err) {
		return nil, err
	}
	found, findErr := l.Engine.Do(ctx, req)
	switch {
	case findErr == nil:
		if err == nil {
			r.Body.Close()
		} else {
			l.refusing.set(origin(req.URL), true)
		}
		return found, nil
	case errors.Is(findErr, errors.ErrUnsupported):
		return r, err
	case err == nil:
		r.Body.Close()
	}
	return nil, findErr
}

// mayAnswerPropfind reports whether a server that refused GET with err may still answer PROPFIND. A
// directory that was not found may exist if the response has a DAV field (RFC 4918 §10.1).
func mayAnswerPropfind(err error) bool {
	e, ok := errors.AsType[*access.Error](err)
	switch {
	case !ok || e.Reply == nil || errors.Is(err, access.ErrPassword):
		return false
	case errors.Is(err, fs.ErrNotExist):
		return e.Header.Get("DAV") != ""
	}
	return errors.Is(err, fs.ErrPermission) || errors.Is(err, errors.ErrUnsupported)
}

// propfindBody is the body of a PROPFIND for the properties that a listing shows.
const propfindBody = `<?xml version="1.0" encoding="utf-8"?>` +
	`<propfind xmlns="DAV:"><prop><resourcetype/><getcontentlength/><getlastmodified/><getcontenttype/></prop></propfind>`

// propfind lists the directory at req.URL with PROPFIND. It returns errors.ErrUnsupported if req has
// an Offset, if the path does not end in "/", or if the server has no WebDAV there. The Lister then
// keeps the response to its GET.
func (c *Client) propfind(ctx context.Context, req *access.Request) (*access.Resource, error) {
	if req.Offset > 0 || !strings.HasSuffix(req.URL.Path(), "/") {
		return nil, errors.ErrUnsupported
	}
	resp, err := c.sendPropfind(ctx, req, "1")
	if err != nil {
		return nil, err
	}
	if resp.StatusCode != http.StatusMultiStatus {
		discard(ctx, resp)
		err := checkStatus(req, resp)
		if _, moved := errors.AsType[*access.Moved](err); moved || errors.Is(err, access.ErrPassword) || resp.StatusCode >= 500 && resp.StatusCode != http.StatusNotImplemented {
			return nil, err
		}
		return nil, engine.Reason("the server has no WebDAV at this URL", errors.ErrUnsupported)
	}
	list := &davListing{url: req.URL, ReadCloser: resp.Body, text: newXMLReader(&body{resp.Body, req.URL, resp.ContentLength})}
	e := access.Entry{URL: req.URL, Size: -1, Kind: access.Directory, Type: resp.Header.Get("Content-Type"), Header: headerOf(resp), Sys: newReply(resp)}
	return &access.Resource{Entry: e, HTTPStatus: resp.StatusCode, Body: list, List: list}, nil
}

// sendPropfind sends a PROPFIND with that Depth: "0" for the resource itself, "1" for the entries of a directory, too.
func (c *Client) sendPropfind(ctx context.Context, req *access.Request, depth string) (*http.Response, error) {
	return c.sendWith(ctx, "PROPFIND", req, originRequest, func(out *http.Request) {
		out.Header.Set("Depth", depth)
		out.Header.Set("Content-Type", "application/xml; charset=utf-8")
		out.GetBody = func() (io.ReadCloser, error) { return io.NopCloser(strings.NewReader(propfindBody)), nil }
		out.Body, _ = out.GetBody()
		out.ContentLength = int64(len(propfindBody))
	})
}

// A davListing is the Body and the List of a directory opened with PROPFIND (RFC 4918 §14.16):
//
//	<multistatus xmlns="DAV:"><response><href>/pub/a</href><propstat><prop>…</prop>
//	<status>HTTP/1.1 200 OK</status></propstat></response></multistatus>
type davListing struct {
	io.ReadCloser
	url   url.URL
	text  *xmlReader
	found bool   // a response was for the directory or an entry of it
	other string // the href of the first other response; "" if there was none
}

// Next returns the next entry. The error is io.EOF after the end of the document, and
// io.ErrUnexpectedEOF if the document breaks off. It is access.ErrProtocol if the document describes only
// resources elsewhere, because an empty directory would hide that.
func (l *davListing) Next() (access.Entry, error) {
	for {
		response, err := l.text.element("response", "multistatus")
		if access.IsEnd(err) && !l.found && l.other != "" {
			err = fmt.Errorf("%w: the listing describes %.200q, not this folder", access.ErrProtocol, l.other)
		}
		if err != nil {
			return access.Entry{}, engine.FailReading("list", l.url, err)
		}
		if e, ok := l.entry(response); ok {
			return e, nil
		}
	}
}

// entry returns the entry for a response element. ok is false for the directory itself and for other URLs that are not
// directly under it.
func (l *davListing) entry(response *xmlNode) (e access.Entry, ok bool) {
	link := l.link(response)
	if e, ok = childEntry(l.url, link); !ok {
		l.noteOther(link)
		return e, false
	}
	l.found = true
	for prop := range okProperties(response) {
		if prop.child("resourcetype").child("collection") != nil && e.Kind != access.Directory {
			e.Kind = access.Directory
			if dir, err := e.URL.Resolve(url.Escape(e.Title, url.RFC3986.Unreserved()) + "/"); err == nil {
				e.URL = dir
			}
		}
		if n, err := strconv.ParseInt(strings.TrimSpace(prop.child("getcontentlength").text()), 10, 64); err == nil && n >= 0 && e.Kind == access.Object {
			e.Size = n
		}
		if t, err := parseDate(strings.TrimSpace(prop.child("getlastmodified").text())); err == nil {
			e.ModTime = t
		}
		if e.Kind == access.Object {
			e.Type = strings.TrimSpace(prop.child("getcontenttype").text())
		}
	}
	return e, true
}

// link returns the reference to the resource that a response describes.
//
// QUIRK: a server behind a proxy knows another host, port or scheme than its clients, so only the path of a whole URL
// counts. Some servers leave "%" in names unescaped.
func (l *davListing) link(response *xmlNode) string {
	text := strings.TrimSpace(response.child("href").text())
	if _, err := url.Unescape(text); err != nil {
		text = weburl.Strict(text)
	}
	to, err := resolve(l.url, text)
	if _, query := to.Query(); err != nil || query || origin(to) == "" || sameOrigin(to, l.url) {
		return text
	}
	return to.Path()
}

// noteOther records the link of a response that does not describe an entry of the directory: the directory itself, or
// another resource.
func (l *davListing) noteOther(link string) {
	to, err := resolve(l.url, link)
	switch {
	case link == "": // a response without a resource
	case err == nil && samePath(strings.TrimSuffix(to.Path(), "/")+"/", l.url.Path()):
		l.found = true
	case l.other == "":
		l.other = link
	}
}

// okProperties yields the prop element of each propstat in response whose status is 200; nil if a propstat has no prop.
func okProperties(response *xmlNode) iter.Seq[*xmlNode] {
	return func(yield func(*xmlNode) bool) {
		for _, stat := range response.Children {
			if stat.Name == "propstat" && strings.Contains(stat.child("status").text(), " 200") && !yield(stat.child("prop")) {
				return
			}
		}
	}
}

// An xmlNode is an XML element with its content.
type xmlNode struct {
	Name     string          // without its prefix
	Children []*xmlNode      // the elements directly in it
	chars    strings.Builder // the text directly in it
}

// child returns the first child with a name; nil if there is no such child, or if n is nil.
func (n *xmlNode) child(name string) *xmlNode {
	if n == nil {
		return nil
	}
	for _, c := range n.Children {
		if c.Name == name {
			return c
		}
	}
	return nil
}

// text returns the text directly in n; "" if n is nil.
func (n *xmlNode) text() string {
	if n == nil {
		return ""
	}
	return n.chars.String()
}

// An xmlReader reads the children of the root of a document one by one.
type xmlReader struct {
	tokens *xml.Decoder
	budget *budgetReader // limits the bytes of the current element
	inside bool          // the start of the root was read
}

// maxElement limits the bytes of a child of the root.
const maxElement = 1 << 20

// newXMLReader returns a reader for the document in r.
func newXMLReader(r io.Reader) *xmlReader {
	b := &budgetReader{Reader: r, left: maxElement}
	tokens := xml.NewDecoder(b)
	tokens.CharsetReader = decodeXML
	return &xmlReader{tokens: tokens, budget: b}
}

// decodeXML returns a reader of the text of a document in the character set label. The error wraps access.ErrProtocol
// if the character set is unknown.
func decodeXML(label string, document io.Reader) (io.Reader, error) {
	encoding, ok := charset.Web(label)
	if !ok {
		return nil, fmt.Errorf("%w: XML in the unknown character set %.60q", access.ErrProtocol, label)
	}
	return encoding.NewDecoder().Reader(document), nil
}

// element returns the next child of the root with that name, or the next child if name is "". It skips other children.
// The error is io.EOF after the end of the root, and access.ErrProtocol if the name of the root is not root.
func (x *xmlReader) element(name, root string) (*xmlNode, error) {
	for {
		x.budget.left = maxElement
		token, err := x.next()
		if err != nil {
			return nil, err
		}
		switch t := token.(type) {
		case xml.EndElement: // the end of the root
			return nil, io.EOF
		case xml.StartElement:
			if !x.inside {
				if t.Name.Local != root {
					return nil, fmt.Errorf("%w: a document of XML that is not a listing", access.ErrProtocol)
				}
				x.inside = true
				continue
			}
			n, err := x.node(t, 0)
			if err != nil || name == "" || n.Name == name {
				return n, err
			}
		}
	}
}

// node reads the rest of the element that start begins. depth is the number of elements around it,
// without the root.
func (x *xmlReader) node(start xml.StartElement, depth int) (*xmlNode, error) {
	const maxDepth = 16
	if depth > maxDepth {
		return nil, fmt.Errorf("%w: elements of XML more than %d deep", access.ErrTooLong, maxDepth)
	}
	n := &xmlNode{Name: start.Name.Local}
	for {
		token, err := x.next()
		if err != nil {
			return nil, err
		}
		switch t := token.(type) {
		case xml.CharData:
			n.chars.Write(t)
		case xml.EndElement:
			return n, nil
		case xml.StartElement:
			child, err := x.node(t, depth+1)
			if err != nil {
				return nil, err
			}
			n.Children = append(n.Children, child)
		}
	}
}

// next returns the next token. The error is io.ErrUnexpectedEOF at the end of the document, because
// callers stop at the end of the root.
func (x *xmlReader) next() (xml.Token, error) {
	token, err := x.tokens.Token()
	var invalid *xml.SyntaxError
	switch {
	case err == nil:
		return token, nil
	case x.budget.err != nil:
		return nil, x.budget.err
	case access.IsEnd(err), errors.As(err, &invalid) && invalid.Msg == "unexpected EOF":
		return nil, io.ErrUnexpectedEOF
	case invalid != nil:
		return nil, fmt.Errorf("%w: %w", access.ErrProtocol, err)
	}
	return nil, err
}

// A budgetReader returns access.ErrTooLong after left bytes.
type budgetReader struct {
	io.Reader
	left int
	err  error // the last error other than io.EOF
}

// Read reads at most b.left bytes in all, and then returns access.ErrTooLong. It keeps an error other than the end in
// b.err, because encoding/xml hides it.
func (b *budgetReader) Read(p []byte) (int, error) {
	if b.left <= 0 {
		b.err = fmt.Errorf("%w: more than %d bytes in one element of XML", access.ErrTooLong, maxElement)
		return 0, b.err
	}
	n, err := b.Reader.Read(p[:min(len(p), b.left)])
	b.left -= n
	if err != nil && !access.IsEnd(err) {
		b.err = err
	}
	return n, err
}
