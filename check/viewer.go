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

// viewerOf returns the viewer of a file whose generator is g. GitHub shows the files of an unknown generator. Every
// other file, and each file of a site, has the plainViewer.
func viewerOf(p *page, g site.Generator) viewer {
	switch {
	case p.site.Files != nil || !isSourceMode(p.mode):
		return plainViewer
	case g.Dialect.Naming == dialect.VitePress:
		return vitePress
	case g.Dialect.Naming == dialect.GitHub && !g.Makes():
		return gitHub
	}
	return plainViewer
}

// isSourceMode reports whether a program makes pages from files in a mode.
func isSourceMode(mode document.Mode) bool {
	switch mode {
	case document.Markdown, document.Asciidoc, document.RST, document.Notebook, document.Org:
		return true
	}
	return false
}

// isReadme reports whether name is the name of a README file: "readme", in any case, alone or with an extension.
func isReadme(name string) bool {
	name = strings.ToLower(name)
	return name == "readme" || strings.HasPrefix(name, "readme.")
}

// addViewerAnchors adds the anchor anyCase if the viewer ignores case. For a README it also adds the anchor "readme",
// which GitHub puts around the page, if GitHub shows the file itself or a generator g makes a page from it.
func (p *page) addViewerAnchors(g site.Generator) {
	if p.viewer != plainViewer {
		p.anchors = append(p.anchors, anchorOf(anyCase))
	}
	if isReadme(path.Base(p.at.Path())) && (p.viewer == gitHub || p.site.Files == nil && isSourceMode(p.mode) && g.Makes()) {
		p.anchors = append(p.anchors, anchorOf("readme"))
	}
}

// addViewerNames adds the hashes of the other names by which the viewer finds the named anchor.
func (p *page) addViewerNames(name string) {
	switch p.viewer {
	case plainViewer:
		return
	case gitHub:
		p.anchors = append(p.anchors, anchorOf(userContent+name))
	case vitePress:
		if bare, ok := strings.CutPrefix(name, "_"); ok {
			p.anchors = append(p.anchors, anchorOf(strings.ToLower(bare)))
		}
	}
	if lower := strings.ToLower(name); lower != name {
		p.anchors = append(p.anchors, anchorOf(lower))
	}
}
