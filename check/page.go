package check

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"sync"

	"locus/access"
	"locus/extract/document"
	"locus/url"
)

// buffers hold pages while they are read.
var buffers = sync.Pool{New: func() any { return new(bytes.Buffer) }}

// maxAnchors is how many anchors of a page are kept. For a page with more of them no
// fragment is checked.
const maxAnchors = 1 << 15

// checkPage opens u, and reads the links and anchors that the job needs.
func (v *visit) checkPage(ctx context.Context, u url.URL) error {
	r, err := v.engine.Do(ctx, &access.Request{URL: u})
	if err != nil {
		return err
	}
	defer r.Body.Close()
	if l := r.List; l != nil {
		return v.checkListing(r.URL, l)
	}
	mode := document.ByType(r.Type)
	crawl := v.crawls(r.URL, mode)
	if !crawl && (!v.job.Anchors && !v.job.Crawl || mode != document.HTML) {
		return nil
	}
	b := buffers.Get().(*bytes.Buffer)
	defer buffers.Put(b)
	b.Reset()
	if _, err := b.ReadFrom(io.LimitReader(r.Body, cmp.Or(v.MaxBody, 16<<20))); err != nil {
		return err
	}
	if mode == document.HTML {
		if v.anchors = anchors(b.Bytes()); len(v.anchors) > maxAnchors {
			v.anchors = nil
		}
	}
	if !crawl {
		return nil
	}
	links, err := ReadLinks(bytes.NewReader(b.Bytes()), mode, r.URL)
	if err != nil && !errors.Is(err, document.ErrTooLarge) {
		return err
	}
	v.addLinks(links)
	return nil
}

// crawls reports whether the links of a page are read. A page that the caller did not
// name must have a format with links.
func (v *visit) crawls(at url.URL, mode document.Mode) bool {
	switch {
	case !v.job.Crawl:
		return false
	case v.job.Depth == 0:
		return true
	case !v.scope.contains(at.String()):
		return false // redirected away
	}
	switch mode {
	case document.HTML, document.XML, document.CSS, document.Markdown, document.Gopher:
		return true
	}
	return false
}

// checkListing reads a directory or a menu. A menu that has only errors is an error.
func (v *visit) checkListing(at url.URL, l access.Lister) error {
	links, failures, others, err := entryLinks(l)
	switch {
	case err != nil:
		return err
	case failures > 0 && others == 0:
		return fmt.Errorf("the listing has only errors of the server: %d", failures)
	}
	if v.job.Crawl && (v.job.Depth == 0 || v.scope.contains(at.String())) {
		v.addLinks(links)
	}
	return nil
}

// addLinks records the links of a page, and makes jobs of them.
func (v *visit) addLinks(links []Link) {
	v.found.Links = links
	deeper := v.Recursive && (v.Depth == 0 || v.job.Depth < v.Depth)
	v.found.Jobs = make([]Job, 0, len(links))
	for _, l := range links {
		j := jobOf(l)
		j.Depth = v.nextDepth()
		j.Crawl = deeper && j.Bad == "" && v.scope.contains(j.URL)
		v.found.Jobs = append(v.found.Jobs, j)
	}
}

// nextDepth returns the depth of the pages that this one links to. Without a limit it
// is 1, so that no page waits for those of a smaller depth.
func (v *visit) nextDepth() int {
	if v.Depth == 0 {
		return 1
	}
	return v.job.Depth + 1
}
