package gateway

import (
	"bufio"
	"context"
	"errors"
	"net/http"
	"slices"
	"strings"

	"locus/access"
	"locus/gateway/internal/content"
	"locus/gateway/internal/entry"
	"locus/gateway/internal/page"
	"locus/gateway/internal/refuse"
	"locus/internal/render"
)

// A format is the format of a listing: an index of formats.
type format int

const (
	asPage format = iota
	asJSON
	asLines
	asURIs
)

// formats are the media types of listings.
var formats = []string{"text/html", "application/json", "application/x-ndjson", "text/uri-list"}

// contentType returns the Content-Type of a listing.
func (f format) contentType() string {
	if f == asPage {
		return "text/html; charset=utf-8"
	}
	return formats[f]
}

// formatOf returns the first format that the Accept field of h names. Browsers, and programs that do
// not name a format, get pages.
func formatOf(h http.Header) format {
	for part := range strings.SplitSeq(h.Get("Accept"), ",") {
		if i := slices.Index(formats, entry.BaseType(part)); i >= 0 {
			return format(i)
		}
	}
	return asPage
}

// list answers with the listing of a resource in format f. An error in the middle aborts the
// response.
func (v viewer) list(resource *access.Resource, f format) error {
	h := v.w.Header()
	h.Set("Content-Type", f.contentType())
	h.Add("Vary", "Accept")
	if f == asPage {
		h.Add("Vary", "Cookie")
		return v.listPage(resource, v.opener.r.displayOf(v.target.url))
	}
	body := v.w.compress(v.w)
	out := bufio.NewWriter(body)
	err := writeEntries(out, resource.List, f)
	switch {
	case err == nil:
		err = errors.Join(out.Flush(), body.Close())
	case v.w.began:
		err = errors.Join(err, out.Flush(), body.Flush())
	}
	if err != nil && v.w.began {
		v.w.abort(v.target.url, err)
	}
	return err
}

// writeEntries writes the entries of l to out in format f, which is not asPage. It does not flush
// out.
func writeEntries(out *bufio.Writer, l access.Lister, f format) error {
	switch f {
	case asURIs:
		return access.Entries(l, render.URIList(out))
	case asLines:
		return access.Entries(l, render.JSON(out))
	}
	write := render.JSON(out)
	separator := "["
	err := access.Entries(l, func(e access.Entry) error {
		out.WriteString(separator)
		separator = ","
		return write(e)
	})
	if err != nil {
		return err
	}
	if separator == "[" {
		out.WriteString("[")
	}
	_, err = out.WriteString("]\n")
	return err
}

// listed answers with the page of the listing at the URL in the query. The query also says its
// order, filter and position. The browser gets a cookie that remembers the order. If the URL is not
// a listing, the browser is redirected to the URL.
func (x handler) listed() error {
	t, err := x.admitQuery()
	if err != nil {
		return err
	}
	d, ok := content.ParseDisplay(x.r.URL.Query())
	if !ok {
		return t.fails(refuse.ErrNoPage)
	}
	resource, err := x.opener().openListing(t, d.From)
	if err != nil {
		return t.fails(err)
	}
	defer resource.Body.Close()
	if x.lead(t, resource.URL) {
		return nil
	}
	t = t.at(resource.URL)
	if resource.List == nil {
		x.redirectTo(t.url)
		return nil
	}
	x.w.Header().Set("Content-Type", asPage.contentType())
	if x.r.Method == http.MethodHead {
		return nil
	}
	d.IsDirectory = entry.IsHierarchical(t.url)
	if cookie := x.r.rememberOrder(d); cookie != nil && !x.g.Shared {
		http.SetCookie(x.w, cookie)
	}
	return t.fails(x.viewer(t).listPage(resource, d))
}

// listPage writes the page of a listing as d says, with the readme of the folder below it. It
// closes the Body of the resource when it has read the entries. It returns an error only if the
// response has not begun; the Body may still be open then.
func (v viewer) listPage(resource *access.Resource, d content.Display) error {
	rows := min(or(d.Rows, v.rows), v.rows)
	g := content.Gather(resource.List, d, rows, v.w.reserve)
	if g.End != nil && len(g.Entries) == 0 {
		return g.End
	}
	resource.Body.Close() // the readme needs a connection, and the server may allow only one
	v.w.ofPage().Shrink(2 * g.Size)
	if err := v.w.reserve(2 * g.Size); err != nil {
		return err
	}
	out := v.w.newSendBuffer()
	defer out.Close() // if writeListing panics; otherwise this is the second Close
	shown := page.List{Header: resource.Header, Display: d, Gathering: g, Rows: rows}
	if g.End != nil {
		shown.Problem = translatePanic(g.End).Error()
	}
	if e, ok := page.ReadmeEntry(v.links, shown); ok {
		shown.Readme = v.readme(e)
	}
	err := v.writeListing(out, shown)
	g.Entries, shown.Gathering.Entries = nil, nil // the client may read slowly
	out.written()
	if err = errors.Join(g.End, err, out.Close()); err != nil {
		_ = v.w.FlushError() // so that the browser shows the rows before the error, and the error
		v.w.abort(v.target.url, err)
	}
	return nil
}

// writeListing writes the page of a listing, compressed if the client accepts that. It does not
// complete the compressed data of a listing that broke off.
func (v viewer) writeListing(to *sendBuffer, shown page.List) error {
	body := &flushing{compressor: v.w.compress(to), to: to}
	html := page.Listing(v.links, shown)
	if err := html.Render(context.WithoutCancel(v.w.r.Context()), body); err != nil || shown.Gathering.End != nil {
		return errors.Join(err, body.compressor.Flush())
	}
	return errors.Join(body.err, body.Close())
}

// maxEntries returns MaxEntries, or its default for 0. For no limit it returns half of the greatest
// int.
func (g *Gateway) maxEntries() int { return or(g.MaxEntries, 1000) }
