package check

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"

	"locus/access"
	"locus/extract/document"
	"locus/url"
)

// maxAnchors is how many anchors of a page are kept. A fragment that is not among them is
// then unchecked.
const maxAnchors = 1 << 15

// checkPage opens u, and reads the links and anchors that the job needs.
func (v *visit) checkPage(ctx context.Context, u url.URL) error {
	r, err := v.do(ctx, &access.Request{URL: u})
	if err != nil {
		return err
	}
	defer r.Body.Close()
	if l := r.List; l != nil {
		return v.checkListing(r.URL, l)
	}
	mode := document.ByType(r.Type)
	v.keepStart(r, mode)
	crawl := v.crawls(r.URL, mode)
	if !crawl && (!v.job.Anchors && !v.job.Crawl || mode != document.HTML) {
		return v.readStart(r)
	}
	return v.readPage(r, mode, crawl)
}

// readPage reads the anchors of a page, and its links if it is crawled.
func (v *visit) readPage(r *access.Resource, mode document.Mode, crawl bool) error {
	limit := cmp.Or(v.MaxBody, 16<<20)
	o := document.Options{URL: r.URL, Limit: limit}
	if mode == document.HTML {
		v.anchors = []uint64{}
		o.Anchor = func(name string) {
			if len(v.anchors) <= maxAnchors {
				v.anchors = append(v.anchors, AnchorOf(name))
			}
		}
	}
	var all []Link
	for l, err := range links(io.LimitReader(r.Body, limit+1), mode, o) {
		switch {
		case errors.Is(err, document.ErrTooLarge):
			v.unread = fmt.Sprintf("only the first %d bytes of the page were read", limit)
		case err != nil:
			return err
		case crawl:
			all = append(all, l)
		}
	}
	if len(v.anchors) > maxAnchors {
		v.anchors, v.unread = v.anchors[:maxAnchors], fmt.Sprintf("only the first %d names in the page were read", maxAnchors)
	}
	if crawl {
		v.addLinks(all)
	}
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
		return &failure{ClassPage, fmt.Sprintf("the listing has only errors of the server: %d", failures)}
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
