package emit

import (
	"locus/extract/document/dialect"
	"locus/extract/document/internal/slug"
)

// headingNames counts the names of the headings of a document, because a repeated heading gets a number.
type headingNames struct {
	seen map[string]int
}

// MaxLabel is the length of the longest name in a document, in bytes. For a link label in Markdown it is in
// characters (CommonMark §4.7).
const MaxLabel = 999

// maxNames is how many heading names are kept.
const maxNames = 1 << 16

// repeat returns how many times it was called with this name before. It returns 0 for new names once maxNames are
// kept.
func (h *headingNames) repeat(name string) int {
	if h.seen == nil {
		h.seen = map[string]int{}
	}
	n, ok := h.seen[name]
	if ok || len(h.seen) < maxNames {
		h.seen[name] = n + 1
	}
	return n
}

// AddHeading calls Options.Anchor, which must not be nil, with the ids that the rule n gives to the heading h. It also
// calls Options.Incomplete, which may be nil, if the heading may have further ids or an id that cannot be derived.
func (d *Emitter) AddHeading(n dialect.Naming, h slug.Heading) {
	for _, id := range d.run.ids.Of(n, h) {
		d.Options.Anchor(id)
	}
	if d.Options.Incomplete != nil && (d.Options.Dialect.OtherIDs || !slug.Knows(n, h)) {
		d.Options.Incomplete()
	}
}
