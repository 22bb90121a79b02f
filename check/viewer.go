package check

import (
	"path"
	"strings"

	"locus/check/site"
	"locus/extract/document"
	"locus/extract/document/dialect"
)

// A viewer is a program that shows a page, and may find its anchors by further names.
type viewer uint8

const (
	plainViewer viewer = iota // finds an anchor by its name alone
	gitHub                    // also finds an anchor with "user-content-" before its name, and whatever the case
	vitePress                 // also finds an anchor without the "_" before a digit, and whatever the case
)

// viewerOf returns the viewer of a file whose generator is g. GitHub shows the files of an unknown generator.
func viewerOf(p *page, g site.Generator) viewer {
	switch {
	case p.site.Files != nil || p.mode == document.HTML || p.mode == document.XML:
		return plainViewer
	case g.Dialect.Naming == dialect.VitePress:
		return vitePress
	case g.Dialect.Naming == dialect.GitHub && !g.Makes():
		return gitHub
	}
	return plainViewer
}

// addViewerAnchors adds the anchors that the viewer puts around the page.
func (p *page) addViewerAnchors() {
	if p.viewer == plainViewer {
		return
	}
	p.anchors = append(p.anchors, anchorOf(anyCase))
	if name := strings.ToLower(path.Base(p.at.Path())); p.viewer == gitHub && strings.HasPrefix(name, "readme.") {
		p.anchors = append(p.anchors, anchorOf("readme"))
	}
}

// addViewerNames adds the other names by which the viewer finds an anchor.
func (p *page) addViewerNames(name string) {
	switch p.viewer {
	case plainViewer:
		return
	case gitHub:
		p.anchors = append(p.anchors, anchorOf("user-content-"+name))
	case vitePress:
		if bare, ok := strings.CutPrefix(name, "_"); ok {
			p.anchors = append(p.anchors, anchorOf(strings.ToLower(bare)))
		}
	}
	if lower := strings.ToLower(name); lower != name {
		p.anchors = append(p.anchors, anchorOf(lower))
	}
}
