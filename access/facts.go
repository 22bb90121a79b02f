package access

import "locus/url"

// A Fact is an attribute for which [Entry] has no field: the author of an article, the
// score of a search result. It is for people; programs use Sys itself.
type Fact struct {
	Name  string  // "From", "Score"; the name of a header field
	Value string  // lines with "\n" between them, unchanged from the server
	URL   url.URL // what Value names; the zero URL if it names nothing
}

// A Describer is a Sys with facts.
type Describer interface {
	// Facts returns the known facts, the most important first.
	Facts() []Fact
}

// Facts returns the facts of the Sys of a [Resource] or an [Entry]; nil if it is no
// [Describer].
func Facts(sys any) []Fact {
	if d, ok := sys.(Describer); ok {
		return d.Facts()
	}
	return nil
}
