package gateway

import (
	"bufio"
	"context"
	"errors"
	"io"
	"net/http"
	"time"

	"locus/access"
	"locus/access/engine"
	"locus/gateway/internal/content"
	"locus/gateway/internal/page"
)

// A viewer answers with the pages of resources that were opened at its target.
type viewer struct {
	w      *reply
	opener opener
	target target
	links  page.Links // of pages about the target
	rows   int        // how many entries a page shows at most
}

// setCaching sets Cache-Control and Vary for a page around content. The page must vary by the fields in
// varyOfPages, because other requests for the same URL get the bytes.
func (v viewer) setCaching() {
	h := v.w.Header()
	if h.Get("Cache-Control") == "" { // the answer to a form is not stored at all
		h.Set("Cache-Control", "no-cache")
	}
	h.Add("Vary", varyOfPages)
}

// view answers with the page around content of a kind that content.Viewer returns, and closes the resource. in has the
// bytes of the resource. It may be nil unless kind is "text". view returns errFull if memory is short. The page shows
// other errors.
func (v viewer) view(kind string, resource *access.Resource, in *bufio.Reader) error {
	c := page.Content{Kind: kind, Entry: resource.Entry}
	if kind == "text" {
		var err error
		c.Text, c.Cut, err = content.ReadText(resource.Type, v.links.Charset, v.w.reserving(in), content.MaxText)
		if errors.Is(err, errFull) {
			return err
		}
		if err != nil {
			c.Problem = translatePanic(err).Error()
			v.w.log(v.target.url, err)
		}
	}
	if resource.Body != nil {
		resource.Body.Close() // the client may read slowly
	}
	v.setCaching()
	v.w.page(http.StatusOK, page.View(v.links, c))
	return nil
}

// gemtext answers with the page of a document of Gemini, whose bytes come from in, and closes the resource. It
// returns errFull if memory is short. The page shows other errors.
func (v viewer) gemtext(resource *access.Resource, in io.Reader) error {
	g, err := content.ReadGemtext(resource.Type, v.links.Charset, v.w.reserving(in))
	if errors.Is(err, errFull) {
		return err
	}
	if err != nil {
		g.Problem = translatePanic(err).Error()
		v.w.log(v.target.url, err)
	}
	resource.Body.Close() // the client may read slowly
	v.setCaching()
	v.w.page(http.StatusOK, page.Gemtext(v.links, g))
	return nil
}

// records answers with the page of bibliographic records, which come from in, and closes the resource. The page
// shows mistakes in the records.
func (v viewer) records(resource *access.Resource, in io.Reader) error {
	b, mistakes, err := content.ReadBibliography(resource.Type, v.w.reserving(in))
	if err != nil {
		return err
	}
	for _, err := range mistakes {
		b.Problem = translatePanic(err).Error()
		v.w.log(v.target.url, err)
	}
	b.Size = resource.Size
	resource.Body.Close() // the client may read slowly
	v.setCaching()
	v.w.page(http.StatusOK, page.Records(v.links, b))
	return nil
}

// message parses a message, answers with its page, and closes the resource. A mistake in the text of the message is
// shown on the page.
func (v viewer) message(resource *access.Resource) error {
	m, mistake, err := content.ReadMail(v.w.reserving(resource.Body))
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
	v.w.page(http.StatusOK, page.Message(v.links, m))
	return nil
}

// parsedMessage answers with the page of a message that Engine has parsed. l has its lines and parts.
func (v viewer) parsedMessage(l access.Lister) error {
	g := content.Gather(l, content.Display{}, content.MaxMailLines, v.w.reserve)
	if g.End != nil {
		return g.End
	}
	m := content.GatherMail(g.Entries)
	m.Cut = g.Next > 0
	v.w.page(http.StatusOK, page.Message(v.links, m))
	return nil
}

// readmeTime is how long the page of a folder waits for the readme of the folder.
const readmeTime = 5 * time.Second

// readme reads the readme at e in the background, because it may come after the rows. The channel gets one value
// within about readmeTime: the readme, or the problem of reading it.
func (v viewer) readme(e access.Entry) <-chan page.Readme {
	read := make(chan page.Readme, 1)
	go func() {
		shown := page.Readme{Entry: e}
		var err error
		if shown.Text, shown.Cut, err = v.readText(v.opener.requests(v.target)(access.Get, e.URL)); err != nil {
			shown = page.Readme{Entry: e, Problem: translatePanic(err).Error()}
		}
		read <- shown
	}()
	return read
}

// readText executes req, a Get, and returns at most content.MaxReadme bytes of the text, in UTF-8. isCut reports
// whether the text is longer. It fails after readmeTime.
func (v viewer) readText(req *access.Request) (text string, isCut bool, err error) {
	defer engine.CatchPanic(&err)
	ctx, cancel := context.WithTimeout(v.w.r.Context(), readmeTime)
	defer cancel()
	resource, err := v.opener.engine.Do(ctx, req)
	if err != nil {
		return "", false, err
	}
	defer resource.Body.Close()
	return content.ReadText(resource.Type, v.links.Charset, resource.Body, content.MaxReadme)
}
