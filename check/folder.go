package check

import (
	"context"
	"slices"

	"locus/access"
)

// A link to a folder leads to the page that is shown for the folder. If the link has a fragment, the fragment is looked
// up in that page:
//
//	d/#x in a project of a generator   the source of the page, such as d.md or d/index.md
//	d/#x in other sources              d/README.md, as on GitHub, or d/index.html

// isPlainFolder reports whether r is a folder outside of all sites, and the job needs the anchors of the page that is
// shown for it.
func (v *visit) isPlainFolder(r *access.Resource) bool {
	return v.job.Anchors && !v.job.Crawl && isFile(r.URL) && v.siteOf(r.URL).Files == nil
}

// readFolder reads the anchors of the page that is shown for the folder r. Without such a page, it sets unread if a
// program may make the page, or if a README in another format is the page, so that a fragment is unchecked; otherwise
// every fragment is dead.
func (v *visit) readFolder(ctx context.Context, r *access.Resource) error {
	inside, err := r.URL.JoinPath("README.md") // a file whose sources are those of the folder
	if err != nil {
		return err
	}
	s := v.readerOf(inside).Sources
	names := namesOf(r.List)
	page, ok := s.Index(r.URL, names)
	if !ok {
		v.anchors = []uint64{}
		switch {
		case s.Generator().Makes():
			v.unread = "the generator makes the page of the folder"
		case slices.ContainsFunc(names, isReadme):
			v.unread = "the README of the folder is in a format whose names are not read"
		}
		return nil
	}
	shown, err := v.do(ctx, &access.Request{URL: page})
	if err != nil {
		return err
	}
	defer shown.Body.Close()
	return v.readPage(ctx, shown, modeOf(shown), false)
}

// maxFolderNames is how many names of a folder are read.
const maxFolderNames = 1 << 14

// namesOf returns the names in a listing of a folder, at most maxFolderNames. If the listing breaks off, it returns the
// names before the error.
func namesOf(l access.Lister) (names []string) {
	for len(names) < maxFolderNames {
		e, err := l.Next()
		if err != nil {
			break
		}
		names = append(names, e.Title)
	}
	return names
}
