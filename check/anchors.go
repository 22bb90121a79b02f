package check

import (
	"bytes"
	"hash/fnv"
	"slices"
	"strings"

	"golang.org/x/net/html"

	"locus/url"
)

// AnchorOf returns a name that a fragment can have in the form of
// [Result.Anchors].
func AnchorOf(name string) uint64 {
	h := fnv.New64a()
	_, _ = h.Write([]byte(name)) // it never fails
	return h.Sum64()
}

// anchors returns what fragments a page has: the values of id, and of name of an
// element "a" (HTML §7.4.6.4).
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

// mayHaveAnchors is quick, and right if it says no.
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

// wantsAnchor reports whether a fragment is the name of something in a page. The
// top of a page has none, the text that a browser looks for (":~:") is not part
// of it, and what starts as a path is read by programs in the page.
func wantsAnchor(fragment string) bool {
	fragment, _, _ = strings.Cut(fragment, ":~:")
	return fragment != "" && fragment[0] != '/' && fragment[0] != '!' && !strings.EqualFold(fragment, "top")
}

// hasAnchor reports whether a page has what a fragment names.
func hasAnchor(anchors []uint64, fragment string) bool {
	fragment, _, _ = strings.Cut(fragment, ":~:")
	if slices.Contains(anchors, AnchorOf(fragment)) {
		return true
	}
	decoded, err := url.Unescape(fragment)
	return err == nil && slices.Contains(anchors, AnchorOf(decoded))
}
