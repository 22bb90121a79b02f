package access

import "locus/url"

// A Fact is something that a protocol knows about a resource or an entry besides
// what [Entry] has a field for: the author of an article, the score of what a
// search found. It is for people to read; programs use Sys itself.
type Fact struct {
	Name  string  // what it is: "From", "Score"; for a header field its name
	Value string  // text of one line, or of several with "\n" between them; it is cleaned of nothing
	URL   url.URL // what Value names; the zero URL if that is nothing to open
}

// A Describer is a Sys that can put into words what it knows.
type Describer interface {
	// Facts returns what is known, the most important first. What is unknown is
	// left out.
	Facts() []Fact
}

// Facts returns what the Sys of a [Resource] or an [Entry] says in words; nil if
// it is no [Describer].
func Facts(sys any) []Fact {
	if d, ok := sys.(Describer); ok {
		return d.Facts()
	}
	return nil
}
