package check

import (
	"slices"
	"strings"

	"locus/url"
)

// AnchorOf returns the hash of an anchor's name, as in [Result.Anchors].
func AnchorOf(name string) uint64 {
	const offset, prime = 14695981039346656037, 1099511628211 // FNV-1a
	h := uint64(offset)
	for i := range len(name) {
		h = (h ^ uint64(name[i])) * prime
	}
	return h
}

// wantsAnchor reports whether a fragment needs an anchor in the page. "top" needs
// none, ":~:" begins a text to search for (see [textDirective]), and a path is read by
// scripts.
func wantsAnchor(fragment string) bool {
	fragment, _, _ = strings.Cut(fragment, ":~:")
	return fragment != "" && fragment[0] != '/' && fragment[0] != '!' && !strings.EqualFold(fragment, "top")
}

// hasAnchor reports whether a page has the anchor for a fragment.
func hasAnchor(anchors []uint64, fragment string) bool {
	fragment, _, _ = strings.Cut(fragment, ":~:")
	if slices.Contains(anchors, AnchorOf(fragment)) {
		return true
	}
	decoded, err := url.Unescape(fragment)
	return err == nil && slices.Contains(anchors, AnchorOf(decoded))
}
