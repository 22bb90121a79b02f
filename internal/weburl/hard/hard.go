// Package hard has references that are difficult to pass on unchanged, with the requests that browsers send for them.
// Tests send them through every edge at which a URL enters from the web.
package hard

// A Reference is the text of a reference below "http://host/", and the target of the request for it.
type Reference struct {
	Text   string // as an author writes it, without the "/" before it
	Target string // as the URL Standard says; browsers send it
}

// References returns references with characters that URL parsers treat differently, and the paths and
// queries that browsers make of them. A test of the command compares these with a real Chromium.
func References() []Reference {
	return []Reference{
		{"?a[]=1", "/?a[]=1"},
		{"css?family=A|B", "/css?family=A|B"},
		{"x[1].jpg", "/x[1].jpg"},
		{"{1}?{1}", "/%7B1%7D?{1}"},
		{"^?^", "/%5E?^"},
		{`a\b?a\b`, `/a/b?a\b`},
		{`"q"?"q"`, "/%22q%22?%22q%22"},
		{"é?é", "/%C3%A9?%C3%A9"},
		{"100%", "/100%"},
		{"%?%", "/%?%"},
		{"a?b#c#d", "/a?b"},
		{"a b?c d", "/a%20b?c%20d"},
		{"`?`", "/%60?`"},
		{"'?'", "/'?%27"},
		{"<a>?<a>", "/%3Ca%3E?%3Ca%3E"},
		{"%zz?%zz", "/%zz?%zz"},
		{"a/%2e%2E/b", "/b"},
		{"~!$&()*+,;=:@?~!$&()*+,;=:@/?", "/~!$&()*+,;=:@?~!$&()*+,;=:@/?"},
		{"%c3%A9", "/%c3%A9"},
		{"a//b", "/a//b"},
		{"a?", "/a?"},
	}
}
