package check

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"sync"

	"locus/access"
	"locus/extract/document"
	"locus/url"
)

// buffers are for pages that are read.
var buffers = sync.Pool{New: func() any { return new(bytes.Buffer) }}

// mostAnchors is how many fragments of a page are kept. Of a page with more than
// that it is not known which it has.
const mostAnchors = 1 << 15

// page opens u and reads of it what the job wants.
func (v *visit) page(ctx context.Context, u url.URL) error {
	r, err := v.opener.Do(ctx, &access.Request{URL: u})
	if err != nil {
		return err
	}
	defer r.Body.Close()
	if l := r.List; l != nil {
		return v.listing(r.URL, l)
	}
	mode := document.ByType(r.Type)
	walk := v.walks(r.URL, mode)
	if !walk && !(v.job.Anchors || v.job.Walk) || !walk && mode != document.HTML {
		return nil
	}
	b := buffers.Get().(*bytes.Buffer)
	defer buffers.Put(b)
	b.Reset()
	if _, err := b.ReadFrom(io.LimitReader(r.Body, or(v.MaxBody, 16<<20))); err != nil {
		return err
	}
	if mode == document.HTML {
		if v.anchors = anchors(b.Bytes()); len(v.anchors) > mostAnchors {
			v.anchors = nil
		}
	}
	if !walk {
		return nil
	}
	links, err := ReadLinks(bytes.NewReader(b.Bytes()), mode, r.URL)
	if err != nil && !errors.Is(err, document.ErrTooLarge) {
		return err
	}
	v.follows(links)
	return nil
}

// walks reports whether the links of a page are wanted. Of pages that were not
// asked for by name only those that are made of links are read.
func (v *visit) walks(at url.URL, mode document.Mode) bool {
	switch {
	case !v.job.Walk:
		return false
	case v.job.Depth == 0:
		return true
	case !v.scope.within(at.String()):
		return false // redirected away
	}
	switch mode {
	case document.HTML, document.XML, document.CSS, document.Markdown, document.Gopher:
		return true
	}
	return false
}

// listing reads a directory or a menu. A menu of nothing but errors is one.
func (v *visit) listing(at url.URL, l access.Lister) error {
	links, failures, others, err := entryLinks(l)
	switch {
	case err != nil:
		return err
	case failures > 0 && others == 0:
		return fmt.Errorf("the listing is nothing but %d errors of the server", failures)
	}
	if v.job.Walk && (v.job.Depth == 0 || v.scope.within(at.String())) {
		v.follows(links)
	}
	return nil
}

// follows takes the links of a page, and makes jobs of them.
func (v *visit) follows(links []Link) {
	v.found.Links = links
	deeper := v.Recursive && (v.Depth == 0 || v.job.Depth < v.Depth)
	v.found.Jobs = make([]Job, 0, len(links))
	for _, l := range links {
		j := jobOf(l)
		j.Depth = v.deeper()
		j.Walk = deeper && j.Bad == "" && v.scope.within(j.URL)
		v.found.Jobs = append(v.found.Jobs, j)
	}
}

// deeper returns how deep the pages are that this one links to. It counts only
// where there is a limit, so that pages need not wait for others of their depth.
func (v *visit) deeper() int {
	if v.Depth == 0 {
		return 1
	}
	return v.job.Depth + 1
}
