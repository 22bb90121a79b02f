package check

import (
	"hash/fnv"
	"slices"
	"strings"

	"locus/url"
)

// AnchorOf returns the hash of an anchor's name, as in [Result.Anchors].
func AnchorOf(name string) uint64 {
	h := fnv.New64a()
	_, _ = h.Write([]byte(name)) // it never fails
	return h.Sum64()
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
