package site

import (
	"io/fs"
	"path"
	"regexp"
	"slices"
	"strings"

	"locus/extract/document/dialect"
	"locus/internal/lazy"
	"locus/url"
)

// A Project is a folder from whose files a generator makes a site. It finds the source of a page, and the files to which
// the links of the generator lead. Several goroutines may use it at once, but its fields must not change after its
// first use.
//
//	content/a.md   [b](@/b.md)    content/b.md      Zola
//	src/a.md       [b](b.html)    src/b.md          mdBook
//	docs/a.md      [b](/docs/b)   docs/b.mdx        Docusaurus
//	guide/a.md     [b](/logo.svg) public/logo.svg   VitePress
type Project struct {
	Generator Generator
	Folder    url.URL // the file URL of the folder with the configuration, which ends in "/"
	Files     fs.FS   // the files of the folder

	names tree
	notes notes
}

// Reads reports whether the generator reads a file of the folder: it is below a folder with sources. Other files, such
// as README.md beside mkdocs.yml, are shown by the host of the repository.
func (p *Project) Reads(file url.URL) bool {
	name, ok := p.nameOf(file)
	if !ok {
		return false
	}
	return slices.ContainsFunc(p.Generator.sources(), func(folder string) bool {
		return folder == "." || strings.HasPrefix(name, folder+"/") || folder == "*" && strings.Contains(name, "/")
	})
}

// nameOf returns the unescaped name of a file, relative to the folder. ok is false if the file is not in the folder.
func (p *Project) nameOf(file url.URL) (name string, ok bool) {
	bare, err := file.Without(url.Query, url.Fragment)
	if err != nil {
		return "", false
	}
	escaped, ok := strings.CutPrefix(bare.String(), p.Folder.String())
	if !ok {
		return "", false
	}
	name, err = url.Unescape(escaped)
	return name, err == nil
}

// urlOf returns the URL of the named file in the folder, followed by rest, the query and the fragment of a link.
func (p *Project) urlOf(name, rest string) string {
	u, err := p.Folder.JoinPath(strings.Split(name, "/")...)
	if err != nil {
		return p.Folder.String() // not reached, because every name of a file can be escaped
	}
	return u.String() + rest
}

// pageExtensions are the extensions of the sources of pages, in the order in which they are tried.
var pageExtensions = []string{".md", ".mdx", ".markdown", ".qmd", ".Rmd", ".rmd", ".adoc", ".asciidoc", ".rst", ".org", ".ipynb", ".html", ".astro", ".vue", ".svelte", ".tsx", ".jsx", ".ts", ".js"}

// indexNames are the names of the source of a folder's page, without the extension.
var indexNames = []string{"index", "_index", "README", "readme", "page"}

// Source returns the URL of the source from which the generator makes the page at a URL. ok is false if the folder has
// no such source.
//
//	b.html, b/, b   b.md, b/index.md, b/README.md …
//	index.html      index.md, README.md …
func (p *Project) Source(page url.URL) (source url.URL, ok bool) {
	name, ok := p.nameOf(page)
	if !ok {
		return url.URL{}, false
	}
	name, ok = p.source(name)
	if !ok {
		return url.URL{}, false
	}
	source, err := p.Folder.JoinPath(strings.Split(name, "/")...)
	return source, err == nil
}

// source returns the name of the source from which the generator makes a page. Both names are relative to the folder.
// ok is false if there is no such source.
func (p *Project) source(page string) (name string, ok bool) {
	stem := strings.TrimSuffix(page, "/")
	if extension := path.Ext(stem); extension == ".html" || extension == ".htm" {
		stem = strings.TrimSuffix(stem, extension)
	}
	stems := []string{stem}
	for _, index := range indexNames {
		stems = append(stems, path.Join(stem, index))
	}
	if path.Base(stem) == "index" {
		for _, index := range indexNames {
			stems = append(stems, path.Join(path.Dir(stem), index))
		}
	}
	for _, stem := range stems {
		if entries := p.names.entries(p.Files, path.Dir(stem)); len(entries) > 0 {
			for _, extension := range pageExtensions {
				if entries[path.Base(stem)+extension] {
					return stem + extension, true
				}
			}
		}
	}
	return "", false
}

// Link returns the target of a link that the generator reads by special rules. reference is the text of the link, file
// is the URL of the file that contains it, and place is its Match.Place. The target is a URL, or a text for people if
// why is not "". ok is false for a link that is resolved as in any other document.
func (p *Project) Link(file url.URL, place, reference string) (target, why string, ok bool) {
	switch {
	case p.Generator.Dialect.ResourceIDs:
		name, _ := p.nameOf(file)
		return p.resource(name, place, reference)
	case strings.HasPrefix(place, "role "):
		return p.role(file, place, reference)
	}
	name, rest := cutReference(reference)
	if p.Generator.Dialect.WikiLinks {
		if target, ok := p.noteNamed(file, name); ok {
			return p.urlOf(target, rest), "", true
		}
	}
	for alias := range strings.FieldsSeq(p.Generator.aliases) {
		prefix, folder, _ := strings.Cut(alias, "=")
		if below, ok := strings.CutPrefix(name, prefix); ok {
			return p.urlOf(path.Join(folder, below), rest), "", true
		}
	}
	if strings.HasPrefix(name, "/") && p.Generator.Makes() {
		return p.fromRoot(name, rest)
	}
	return "", "", false
}

// cutReference splits a reference before its query or fragment. name is the text before it, unescaped if its escapes
// are valid, and rest is the query and the fragment as they are.
func cutReference(reference string) (name, rest string) {
	at := len(reference)
	if i := strings.IndexAny(reference, "?#"); i >= 0 {
		at = i
	}
	name, err := url.Unescape(reference[:at])
	if err != nil {
		name = reference[:at]
	}
	return name, reference[at:]
}

// fromRoot returns the target of a link that begins at the root of the site. name begins with "/", and rest is the
// query and the fragment. fromRoot looks for the target among the sources of pages and the static files. If it does not
// find the target, but the generator fails without it, it returns the URL of the missing file. Otherwise why is NoRoot,
// and target is the text of the link. ok is always true.
func (p *Project) fromRoot(name, rest string) (target, why string, ok bool) {
	below, slash := strings.TrimPrefix(path.Clean(p.Generator.sourcePath(name)), "/"), ""
	if strings.HasSuffix(name, "/") && below != "" {
		slash = "/"
	}
	for _, folder := range p.Generator.roots() {
		at := path.Join(folder, below)
		if _, ok := p.source(at); ok || p.names.isFile(p.Files, at) {
			return p.urlOf(at, slash+rest), "", true
		}
	}
	if first := path.Join(p.Generator.roots()[0], below); p.failsWithout(first) {
		return p.urlOf(first, slash+rest), "", true
	}
	return name + rest, NoRoot, true
}

// IsMissing reports whether the generator fails because a file does not exist, so that a link to the file is dead. It
// is true for each file that is a source, and for each file outside of the folder.
func (p *Project) IsMissing(file url.URL) bool {
	name, ok := p.nameOf(file)
	if isSource(file.Path()) || !ok {
		return true
	}
	if _, ok := p.source(name); ok {
		return false
	}
	return p.failsWithout(name)
}

// failsWithout reports whether the generator fails if the named file, to which a link leads, does not exist.
func (p *Project) failsWithout(name string) bool {
	if p.Generator.isClosed && !isPage(name) {
		return true
	}
	if !p.Generator.isStrict || !isPage(name) {
		return false
	}
	for sibling := range p.names.entries(p.Files, path.Dir(name)) {
		if strings.HasPrefix(sibling, "[") { // a route that makes several pages
			return false
		}
	}
	return true
}

// isPage reports whether name may be the name of a page, because its extension is .html, .md or missing.
func isPage(name string) bool {
	switch path.Ext(name) {
	case "", ".html", ".md":
		return true
	}
	return false
}

// sources returns the folders with the sources of pages: "." stands for the whole folder, and "*" for every folder in
// it.
func (g Generator) sources() []string { return strings.Fields(g.pages) }

// roots returns the folders whose files a generator publishes at the root of the site, with "." at the end unless it is
// among them.
func (g Generator) roots() []string {
	all := slices.DeleteFunc(g.sources(), func(folder string) bool { return folder == "*" })
	all = append(all, strings.Fields(g.static)...)
	if !slices.Contains(all, ".") {
		all = append(all, ".")
	}
	return all
}

// sourcePath turns the path of a page on the site into the path of its source. The two differ only where the generator
// publishes a folder under another name; otherwise sourcePath returns name.
//
//	/docs/1.2/a   /versioned_docs/version-1.2/a   Docusaurus
//	/docs/next/a  /docs/a
func (g Generator) sourcePath(name string) string {
	if g.Name != "Docusaurus" {
		return name
	}
	if rest, ok := strings.CutPrefix(name, "/docs/next/"); ok {
		return "/docs/" + rest
	}
	if m := versioned.Get().FindStringSubmatch(name); m != nil {
		return "/versioned_docs/version-" + m[1] + "/" + m[2]
	}
	return name
}

// versioned matches the name of a page of an earlier version in Docusaurus.
var versioned = lazy.Value[*regexp.Regexp]{Make: func() *regexp.Regexp { return regexp.MustCompile(`^/docs/(\d+(?:\.[\w-]+)*)/(.*)$`) }}

// pandocExtensions are the extensions of files that pandoc reads, whatever the project.
var pandocExtensions = []string{".qmd", ".rmd"}

// dialectOf returns the dialect in which the generator g reads a file, by the extension of the file.
func dialectOf(file url.URL, g Generator) dialect.Dialect {
	if slices.Contains(pandocExtensions, strings.ToLower(path.Ext(file.Path()))) && g.Dialect.Naming == dialect.GitHub {
		return dialect.Dialect{Naming: dialect.Pandoc, OnlyOwnID: true, Shortcodes: true}
	}
	d := g.Dialect
	d.IsMDX = d.IsMDX || strings.EqualFold(path.Ext(file.Path()), ".mdx")
	return d
}
