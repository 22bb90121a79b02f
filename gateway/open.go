package gateway

import (
	"errors"
	"mime"
	"net/http"
	"path"

	"locus/access"
	"locus/gateway/internal/content"
	"locus/gateway/internal/entry"
	"locus/gateway/internal/refuse"
	"locus/internal/answer"
	"locus/proto/web"
	"locus/url"
)

// How a GET is answered:
//
//	get         asks only for the attributes of a picture that gets a page around it
//	            (findMedia). Otherwise openPart opens the resource, or the range that the
//	            header asks for
//	answerWith  chooses by the type of the resource: a listing, a message, or bytes
//	stream      reads the first bytes and sniffs the media type. If the user navigates to a
//	            text, a viewer makes a page of it. Otherwise a sender copies the bytes (send.go)
//
// raw and download start at openPart and never make a page.

// get answers with the page of t, or with the bytes of the resource.
func (x handler) get(t target) error {
	o := x.opener()
	if found, ok := o.findMedia(t); ok {
		if x.lead(t, found.URL) {
			return nil
		}
		return x.viewer(t.at(found.URL)).view(content.Viewer(found.Type), found, nil)
	}
	resource, part, err := o.openPart(t, x.r.wantsPage())
	if err == nil && !part.Whole() && entry.IsMessage(resource.Type) && formatOf(x.r.Header) == asPage { // a page shows the whole message
		resource.Body.Close()
		resource, err = o.open(access.Get, t)
		part = answer.Range{}
	}
	if err != nil {
		return x.tryFolder(t, err)
	}
	return x.answerWith(t, resource, part)
}

// tryFolder redirects the browser to the URL of t with a slash at its end, if err, the error of t,
// says that the slash may be missing, and that URL is a listing. Otherwise it returns err.
func (x handler) tryFolder(t target, err error) error {
	if folder, ok := x.opener().folderAt(t, err); ok {
		x.redirectTo(folder)
		return nil
	}
	return err
}

// answerWith answers with a resource that was opened at t, or with a part of it, and closes it.
func (x handler) answerWith(t target, resource *access.Resource, part answer.Range) error {
	defer resource.Body.Close()
	if x.lead(t, resource.URL) {
		return nil
	}
	t = t.at(resource.URL)
	format := formatOf(x.r.Header)
	if part.Whole() && format == asPage && !x.r.isProxied() {
		resource = x.opener().listed(t, resource)
	}
	asMessage := format == asPage && entry.IsMessage(resource.Type)
	var err error
	switch {
	case resource.List != nil && asMessage:
		err = x.viewer(t).parsedMessage(resource.List)
	case resource.List != nil:
		err = x.viewer(t).list(resource, format)
	case asMessage:
		err = x.viewer(t).message(resource)
	default:
		err = x.stream(t, resource, part, delivery{})
	}
	return t.fails(err)
}

// bytes answers with the bytes of the URL in the query, even if they are a listing or a message. d
// says how the client gets them.
func (x handler) bytes(d delivery) error {
	t, err := x.admitQuery()
	if err != nil {
		return err
	}
	if entry.IsSession(t.url) {
		return t.fails(refuse.ErrNoPage)
	}
	if x.r.Method == http.MethodHead {
		return t.fails(x.head(t, d))
	}
	resource, part, err := x.opener().openPart(t, false)
	if err != nil {
		return t.fails(err)
	}
	defer resource.Body.Close()
	if entry.IsMessage(resource.Type) {
		resource.Type = "text/plain"
	}
	if !d.stores && x.lead(t, resource.URL) {
		return nil
	}
	t = t.at(resource.URL)
	return t.fails(x.stream(t, resource, part, d))
}

// An opener opens targets by Engine for the client of a request.
type opener struct {
	engine access.Engine
	r      request
}

// do passes req to Engine, with the context of the request. A panic of Engine becomes an error.
func (o opener) do(req *access.Request) (*access.Resource, error) {
	return o.engine.Do(o.r.Context(), req)
}

// request returns the Request to do op with t for the client.
func (o opener) request(op access.Op, t target) *access.Request {
	return &access.Request{Op: op, URL: t.url, Login: o.r.login(t.url), Client: o.r.client, PublicOnly: t.publicOnly, PublicAway: t.publicAway}
}

// requests returns a function that makes Requests for other URLs, such as the entries of t, with
// the login and the password of t, and with its restriction to public servers.
func (o opener) requests(t target) func(op access.Op, u url.URL) *access.Request {
	return func(op access.Op, u url.URL) *access.Request {
		req := o.request(op, t)
		req.URL = t.entry(u).url
		return req
	}
}

// conditional returns the Request to get t with the range and the conditions in the header of the
// client's request.
func (o opener) conditional(t target) *access.Request {
	req := answer.Request(t.url, o.r.Header)
	req.Login, req.Client, req.PublicOnly, req.PublicAway = o.r.login(t.url), o.r.client, t.publicOnly, t.publicAway
	return req
}

// open passes the Request of op for t to Engine. The caller closes the Body of the result.
func (o opener) open(op access.Op, t target) (*access.Resource, error) {
	return o.do(o.request(op, t))
}

// openPart opens the resource at t, or the range that the header asks for, and returns the range; the
// zero Range means the whole resource. If the browser has the bytes already, the error is
// access.ErrNotModified. If wantsPage is set, openPart opens content that gets a page around it even
// then, because the browser may have the content without the page.
func (o opener) openPart(t target, wantsPage bool) (*access.Resource, answer.Range, error) {
	req := o.conditional(t)
	resource, part, err := answer.Open(o.r.Context(), o.engine, req)
	if !errors.Is(err, access.ErrNotModified) || !wantsPage {
		return resource, part, err
	}
	if resource, err = o.open(access.Get, t); err != nil {
		return nil, part, err
	}
	if resource.List == nil && content.Viewer(resource.Type) == "" && answer.IsUnchanged(req.IfChanged, resource.Validator()) {
		resource.Body.Close()
		return nil, part, access.ErrNotModified
	}
	return resource, part, nil
}

// findMedia asks the server for the attributes of a picture, a sound or a video that the user
// navigates to. The page around it needs only the attributes, because the browser fetches the
// bytes. ok is false if the resource may have another type, or if the server does not answer.
func (o opener) findMedia(t target) (found *access.Resource, ok bool) {
	if !o.r.wantsPage() || !content.IsEmbedded(mime.TypeByExtension(path.Ext(t.url.Path()))) {
		return nil, false
	}
	found, err := o.open(access.Stat, t)
	if err != nil { // opening it may still work
		return nil, false
	}
	found.Type = entry.CleanType(found.Type)
	if found.Kind != access.Object && found.Kind != access.Unknown || found.List != nil || !content.IsEmbedded(found.Type) {
		return nil, false
	}
	return found, true
}

// folderAt returns the URL of t with a slash at its end, if err, the error of t, says that the slash
// may be missing. It opens that URL, and ok is false if it is not a listing.
func (o opener) folderAt(t target, err error) (folder url.URL, ok bool) {
	if access.RemedyFor(err) != access.NeedSlash {
		return url.URL{}, false
	}
	bare, cut := t.url.Without(url.Query, url.Fragment)
	folder, set := bare.With(url.Path, url.Some(bare.Path()+"/"))
	if cut != nil || set != nil {
		return url.URL{}, false
	}
	resource, err := o.open(access.Get, t.at(folder))
	if err != nil {
		return url.URL{}, false
	}
	resource.Body.Close()
	return folder, resource.List != nil
}

// openListing opens t. An HTML page in which a web server lists a folder becomes a listing, and a
// session is an error. shown is the number of entries on the pages before: a server that limits a
// search is asked for that many more.
func (o opener) openListing(t target, shown int) (*access.Resource, error) {
	if entry.IsSession(t.url) {
		return nil, refuse.ErrNoPage
	}
	req := o.request(access.Get, t)
	req.MoreEntries = shown
	resource, err := o.do(req)
	if err != nil {
		return nil, err
	}
	return o.listed(t.at(resource.URL), resource), nil
}

// listed returns resource, which was opened at t, as a listing if it is an HTML page in which a web
// server lists a folder. It returns any other resource unchanged.
func (o opener) listed(t target, resource *access.Resource) *access.Resource {
	return web.ListedPages(resource, func(u url.URL) (*access.Resource, error) { return o.do(o.requests(t)(access.Get, u)) })
}
