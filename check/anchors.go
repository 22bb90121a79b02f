package check

import (
	"cmp"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"locus/internal/lazy"
	"locus/url"
)

// anchorOf returns the hash of an anchor's name, in the form of [Result.Anchors].
func anchorOf(name string) uint64 {
	const offset, prime = 14695981039346656037, 1099511628211 // FNV-1a
	h := uint64(offset)
	for i := range len(name) {
		h = (h ^ uint64(name[i])) * prime
	}
	return h
}

// At returns the result for a link to a fragment of the page that r describes: r itself if the page has the fragment or
// need not have it, or if r is not Good or its Anchors are nil. Otherwise it returns r with the status Dead, or
// Unchecked if the page may have the fragment. r.Anchors must be sorted.
func (r Result) At(fragment string) Result {
	if r.Status != Good || r.Anchors == nil || !wantsAnchor(fragment) || r.hasOwnFragment() || hasAnchor(r.Anchors, fragment) {
		return r
	}
	r.Status, r.Class, r.Reason = Dead, ClassAnchor, "the page has no anchor named "+strconv.Quote(fragment)
	if why := cmp.Or(r.Unread, r.scriptReason(fragment)); why != "" {
		r.Status, r.Reason = Unchecked, why
	}
	return r
}

// scriptReason returns the reason why a link to a fragment is Unchecked instead of Dead although the page has no such
// anchor: a script of the page may find the place. It returns "" if that is unlikely.
func (r Result) scriptReason(fragment string) string {
	fragment, _, _ = strings.Cut(fragment, ":~:")
	for _, use := range scriptFragments.Get() {
		if use.fragments.MatchString(fragment) && (!use.needsScript || hasName(r.Anchors, scripted)) {
			return use.why
		}
	}
	return ""
}

// wantsAnchor reports whether a link with the fragment needs an anchor in the page. It is false for "", for "top", for
// a fragment that begins with ":~:", which is a text to search for (see [textDirective]), for a fragment that begins
// with "/" or "!", which scripts read, and for a region of a drawing (SVG 2 §16.1, Media Fragments §4.2.2, EPUB
// Region-Based Navigation §2.3).
func wantsAnchor(fragment string) bool {
	fragment, _, _ = strings.Cut(fragment, ":~:")
	for _, region := range []string{"svgView(", "xywh=", "xyn="} {
		if strings.HasPrefix(fragment, region) {
			return false
		}
	}
	return fragment != "" && fragment[0] != '/' && fragment[0] != '!' && !strings.EqualFold(fragment, "top")
}

// hasAnchor reports whether a page has an anchor to which the fragment leads. anchors are the sorted hashes of the
// page's anchors, by anchorOf. If they contain anyCase, the case of the fragment does not matter. A range of numbers,
// such as 7-9, needs the anchors of both numbers.
//
// QUIRK: GitHub looks for the name userContent+"x" if a page lacks the fragment #x or #X. rustdoc has an anchor for each
// line of source code, and links to ranges of them.
func hasAnchor(anchors []uint64, fragment string) bool {
	fragment, _, _ = strings.Cut(fragment, ":~:")
	has := func(name string) bool { return hasName(anchors, name) }
	if has(fragment) {
		return true
	}
	decoded, err := url.Unescape(fragment)
	if strings.Contains(decoded, "\x00") { // only anyCase and scripted contain it
		return false
	}
	if err == nil && has(decoded) || has(anyCase) && has(strings.ToLower(decoded)) || has(userContent+strings.ToLower(decoded)) {
		return true
	}
	first, last, ok := strings.Cut(fragment, "-")
	return ok && isNumber(first) && isNumber(last) && has(first) && has(last)
}

// hasName reports whether anchors, which are sorted, contain the hash of a name.
func hasName(anchors []uint64, name string) bool {
	_, ok := slices.BinarySearch(anchors, anchorOf(name))
	return ok
}

// anyCase is the name of an anchor that stands for a property of the page: its viewer finds an anchor whatever the case
// of the fragment. The page has the names of its anchors in lower case, too. No document has this name, because it
// contains NUL.
const anyCase = "\x00any case"

// userContent begins the names that a document has on GitHub and similar sites.
const userContent = "user-content-"

// isNumber reports whether text consists of decimal digits.
func isNumber(text string) bool { return text != "" && strings.Trim(text, "0123456789") == "" }

// scripted is the name of an anchor that stands for a property of the page: it has a script. No document has this name,
// because it contains NUL.
const scripted = "\x00scripted"

// scriptFragments lists the fragments for which a page need not have a name, because its scripts find the place.
//
// QUIRK: GitHub, GitLab, Gitea and others name lines of source code L10, L10-L20, L10-20 or L10C3-L20C5, gists name
// them file-a-py-L10, and Bitbucket names them lines-10:20. GitHub and GitLab load long discussions and changes bit by
// bit.
var scriptFragments = lazy.Value[[]scriptFragment]{Make: func() []scriptFragment {
	const (
		line    = `^(file-.+-)?L\d+(C\d+)?(-L?\d+(C\d+)?)?$|^lines-\d+([:,]\d+)*$`
		comment = `^((issuecomment|discussioncomment|commitcomment|pullrequestreview|event)-|discussion_r|note_|r\d{5})\d+$`
		change  = `^diff-[0-9a-f]{32,64}([LR]\d+(-[LR]\d+)?)?$`
		value   = `^\??[\w.-]+=`
	)
	return []scriptFragment{
		{regexp.MustCompile(line), false, "it names lines of source code, which scripts of the page mark"},
		{regexp.MustCompile(comment + "|" + change), true, "it names a comment or a change, which a script of the page may load"},
		{regexp.MustCompile(value), true, "it has values, which a script of the page may read"},
	}
}}

// A scriptFragment is a kind of fragments with the reason why they are unchecked.
type scriptFragment struct {
	fragments   *regexp.Regexp
	needsScript bool // only in a page that has a script
	why         string
}
