package gateway

import (
	"bufio"
	"context"
	"errors"
	"io"
	"mime"
	"net/http"
	"path"
	"time"

	"locus/access"
	"locus/gateway/internal/entry"
	"locus/gateway/internal/page"
)

// A viewer answers with the pages of resources.
type viewer struct{ *exchange }

// findMedia asks the server for the attributes of a picture, a sound or a video that the user
// navigates to. The page around it needs only the attributes, because the browser fetches the
// bytes. ok is false if the resource may have another type, or if the server does not answer.
func (x viewer) findMedia() (found *access.Resource, ok bool) {
	if !x.wantsPage() || !page.IsEmbedded(mime.TypeByExtension(path.Ext(x.url.Path()))) {
		return nil, false
	}
	found, err := x.do(x.request(access.Stat))
	if err != nil { // opening it may still work
		return nil, false
	}
	found.Type = entry.CleanType(found.Type)
	if found.Kind != access.Object && found.Kind != access.Unknown || found.List != nil || !page.IsEmbedded(found.Type) {
		return nil, false
	}
	x.url = found.URL
	return found, true
}

// fresh sets the header of a page around content. The page must vary by these fields, because
// other requests for the same URL get the bytes.
func (x viewer) fresh() {
	h := x.w.Header()
	h.Set("Cache-Control", "no-cache")
	h.Add("Vary", "Sec-Fetch-Mode, Sec-Fetch-Dest, Range, Authorization")
}

// view answers with the page around content that begins in in. Only a text needs in.
func (x viewer) view(kind string, resource *access.Resource, in *bufio.Reader) error {
	c := page.Content{Kind: kind, Entry: resource.Entry}
	if kind == "text" {
		var err error
		c.Text, c.Cut, err = x.links().ReadText(resource.Type, x.reserving(in), page.MaxText)
		if errors.Is(err, errFull) {
			return err
		}
		if err != nil {
			c.Problem = translatePanic(err).Error()
			x.log(err)
		}
	}
	if resource.Body != nil {
		resource.Body.Close() // the client may read slowly
	}
	x.fresh()
	x.write(http.StatusOK, page.View(x.links(), c))
	return nil
}

// records answers with the page of bibliographic records.
func (x viewer) records(resource *access.Resource, in io.Reader) error {
	b, mistakes, err := page.ReadBibliography(resource.Type, x.reserving(in))
	if err != nil {
		return err
	}
	for _, err := range mistakes {
		b.Problem = translatePanic(err).Error()
		x.log(err)
	}
	b.Size = resource.Size
	resource.Body.Close() // the client may read slowly
	x.fresh()
	x.write(http.StatusOK, page.Records(x.links(), b))
	return nil
}

// message parses a message and answers with its page.
func (x viewer) message(resource *access.Resource) error {
	m, mistake, err := page.ReadMail(x.reserving(resource.Body))
	switch {
	case err != nil:
		return err
	case isPanic(mistake) || errors.Is(mistake, errFull):
		return mistake
	case mistake != nil:
		m.Problem = mistake.Error()
	}
	rest, err := io.Copy(io.Discard, io.LimitReader(resource.Body, 1))
	if err != nil {
		return err
	}
	m.Cut = rest > 0
	resource.Body.Close() // the client may read slowly
	x.write(http.StatusOK, page.Message(x.links(), m))
	return nil
}

// parsedMessage answers with the page of a message that Engine has parsed.
func (x viewer) parsedMessage(l access.Lister) error {
	g := page.Gather(l, page.Display{}, page.MaxMailLines, x.reserve)
	if g.End != nil {
		return g.End
	}
	m := page.GatherMail(g.Entries)
	m.Cut = g.Next > 0
	x.write(http.StatusOK, page.Message(x.links(), m))
	return nil
}

// readmeTime is how long the page of a folder waits for the readme of the folder.
const readmeTime = 5 * time.Second

// readme reads the readme at e.
func (x viewer) readme(e access.Entry) page.Readme {
	shown := page.Readme{Entry: e}
	ctx, cancel := context.WithTimeout(x.r.Context(), readmeTime)
	defer cancel()
	var err error
	if shown.Text, shown.Cut, err = x.readText(ctx, x.requestFor(access.Get, e.URL)); err != nil {
		return page.Readme{Entry: e, Problem: translatePanic(err).Error()}
	}
	return shown
}

// readText does req, a Get, and reads the beginning of the text.
func (x viewer) readText(ctx context.Context, req *access.Request) (text string, isCut bool, err error) {
	resource, err := x.recovers.Do(ctx, req)
	if err != nil {
		return "", false, err
	}
	defer resource.Body.Close()
	return x.links().ReadText(resource.Type, resource.Body, page.MaxReadme)
}
