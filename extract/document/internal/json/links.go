package json

import (
	"bytes"
	"slices"

	"locus/extract/document/internal/emit"
	"locus/internal/markup"
)

// A schema says which strings of a kind of JSON are URLs.
type schema struct {
	place string     // the Match.Place
	paths [][]string // the names of the members around a URL; "*" stands for any name
	names []string   // the names of members that hold a URL, whatever is around them
}

// isURL reports whether the string at a path is a URL by the schema. A path has the names of the members around the
// string, the outermost first, and must not be empty.
func (s *schema) isURL(path []string) bool {
	fits := func(want []string) bool {
		return slices.EqualFunc(want, path, func(want, name string) bool { return want == "*" || want == name })
	}
	return slices.Contains(s.names, path[len(path)-1]) || slices.ContainsFunc(s.paths, fits)
}

var (
	// importMap is the content of <script type=importmap> (HTML §8.1.6.2). Keys are names, and an address that ends in
	// "/" is a prefix.
	importMap = schema{place: "script importmap", paths: [][]string{{"imports", "*"}, {"scopes", "*", "*"}}}

	// speculation is the content of <script type=speculationrules>.
	speculation = schema{place: "script speculationrules", names: []string{"urls"}}

	// linkedData is JSON-LD in the vocabulary schema.org: the properties whose values are pages and files. Other values
	// are names, such as @id and @context.
	linkedData = schema{place: "script ld+json", names: []string{
		"url", "image", "logo", "photo", "screenshot", "thumbnail", "thumbnailUrl", "contentUrl", "embedUrl", "downloadUrl", "installUrl",
		"codeRepository", "discussionUrl", "relatedLink", "significantLink", "sameAs", "mainEntityOfPage", "item", "license", "hasMap", "menu",
		"isBasedOn", "acquireLicensePage", "publishingPrinciples", "archivedAt", "paymentUrl", "ticketUrl", "trackingUrl",
	}}

	// manifest is a manifest of a web application (W3C, Web Application Manifest).
	manifest = schema{place: "manifest", paths: [][]string{
		{"start_url"},
		{"icons", "src"},
		{"screenshots", "src"},
		{"shortcuts", "url"},
		{"shortcuts", "icons", "src"},
		{"related_applications", "url"},
		{"file_handlers", "action"},
		{"file_handlers", "icons", "src"},
		{"serviceworker", "src"},
		{"note_taking", "new_note_url"},
	}}
)

// ReadImportMap adds the addresses of an import map, and searches the other strings. It is an emit.Format, like the
// functions below.
func ReadImportMap(d *emit.Emitter) { read(d, &importMap) }

// ReadSpeculation adds the URLs of speculation rules, and searches the other strings.
func ReadSpeculation(d *emit.Emitter) { read(d, &speculation) }

// ReadLinkedData adds the URLs of pages and files in JSON-LD of schema.org, and searches the other strings.
func ReadLinkedData(d *emit.Emitter) { read(d, &linkedData) }

// ReadManifest adds the URLs in the manifest of a web application, and searches the other strings.
func ReadManifest(d *emit.Emitter) { read(d, &manifest) }

// read adds the strings that are URLs by a schema, and searches the other strings.
func read(d *emit.Emitter, s *schema) {
	d.InOrder = true
	walk(d, func(path []string, p emit.Part) {
		text := bytes.TrimSpace(p.Text)
		if !s.isURL(path) || !mayBeURL(text) {
			d.ReadText(p, path[len(path)-1])
			return
		}
		at := bytes.Index(p.Text, text)
		from, to := p.Place(at, at+len(text))
		d.AddReference(from, to, string(text), s.place)
	})
}

// mayBeURL reports whether text looks like a URL that a browser opens: it contains one of "./:#?", and neither spaces
// nor marks of templates. A text that ends in "/" must have "://", because "/lib/" is a prefix in an import map.
func mayBeURL(text []byte) bool {
	return len(text) > 0 && bytes.ContainsAny(text, "./:#?") && !bytes.ContainsAny(text, " \t\r\n{}<>%$") && (text[len(text)-1] != '/' || bytes.Contains(text, []byte("://")))
}

// maxDepth is how deep the names of members are kept.
const maxDepth = 32

// walk calls each with every string of d.Text that is a value in an object, with its escapes resolved, and with the
// names of the members around it, the outermost first. The names are valid only during the call. Deep strings are left
// out.
func walk(d *emit.Emitter, each func(path []string, value emit.Part)) {
	var names []string // the name of the current member of each open object
	depth := 0
	for i := 0; i < len(d.Text) && !d.IsStopped(); {
		switch d.Text[i] {
		case '{':
			if depth++; depth <= maxDepth {
				names = append(names, "")
			}
		case '}':
			if depth > 0 && depth <= maxDepth {
				names = names[:len(names)-1]
			}
			depth = max(depth-1, 0)
		case '"':
			end := StringEnd(d.Text, i)
			p := emit.ReplaceEscapes(d.Text[i+1:end], i+1, '\\', UnescapeJSON)
			i = end + 1
			next := markup.SkipSpace(d.Text, min(i, len(d.Text)))
			switch isName := next < len(d.Text) && d.Text[next] == ':'; {
			case depth == 0 || depth > maxDepth:
			case isName:
				names[len(names)-1] = string(p.Text)
			default:
				each(names, p)
			}
			continue
		}
		i++
	}
}
