package check

import (
	"bytes"
	"hash/fnv"
	"slices"
	"strings"

	"golang.org/x/net/html"

	"locus/url"
)

// AnchorOf returns the hash of an anchor's name, as in [Result.Anchors].
func AnchorOf(name string) uint64 {
	h := fnv.New64a()
	_, _ = h.Write([]byte(name)) // it never fails
	return h.Sum64()
}

// anchors returns the anchors of a page: the values of id, and of name in an element
// "a" (HTML §7.4.6.4).
func anchors(page []byte) []uint64 {
	all := []uint64{}
	if !mayHaveAnchors(page) {
		return all
	}
	z := html.NewTokenizer(bytes.NewReader(page))
	for {
		switch z.Next() {
		case html.ErrorToken:
			return all
		case html.StartTagToken, html.SelfClosingTagToken:
			tag, more := z.TagName()
			isA := string(tag) == "a"
			for more {
				var key, value []byte
				key, value, more = z.TagAttr()
				if string(key) == "id" || isA && string(key) == "name" {
					all = append(all, AnchorOf(string(value)))
				}
			}
		}
	}
}

// mayHaveAnchors is a quick check. If it reports false, there are no anchors.
func mayHaveAnchors(page []byte) bool {
	for i, c := range page {
		if (c|0x20 == 'd' && i > 1 && page[i-1]|0x20 == 'i' || c|0x20 == 'e' && i > 3 && page[i-1]|0x20 == 'm') && i+1 < len(page) {
			if next := page[i+1]; next == '=' || next == ' ' || next == '\n' || next == '\t' || next == '\r' || next == '\f' {
				return true
			}
		}
	}
	return false
}

// wantsAnchor reports whether a fragment needs an anchor in the page. "top" needs
// none, ":~:" begins a text to search for, and a path is read by scripts.
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
