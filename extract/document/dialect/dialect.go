// Package dialect has the traits in which generators of sites read a document differently.
//
//	o := document.Options{Dialect: dialect.Dialect{Naming: dialect.Pandoc, OnlyOwnID: true}}
//
// A [Dialect] is plain data: the formats of package document obey it, and package check/site chooses it by the
// configuration of the generator.
package dialect

// A Dialect says how the generator of a site reads a document. The zero Dialect is for a document without a known
// generator: it is read as GitHub and CommonMark read it.
type Dialect struct {
	// Headings.

	Naming    Naming // the rule by which a heading gets an id
	OtherIDs  bool   // the generator may give headings other ids, by a rule that is not known
	OnlyOwnID bool   // a heading with {#x} has the id x only; otherwise it also has the id of its text

	// Text that is not a link. These are for Markdown.

	Math       Math // which dollars begin math
	Liquid     bool // {% comment %}, {% highlight %} and {% raw %} are tags of Liquid
	Kramdown   bool // {::comment} … {:/comment} is a comment, and {::nomarkdown} is raw text
	Shortcodes bool // {{< … >}} and {{% … %}} are shortcodes of Hugo; highlight has code
	Directives bool // ```{name} begins a directive of MyST, whose option :name: is an id; a line "% …" is a comment

	PercentComments bool // %% … %% is a comment, as in Obsidian

	// Text that is not code. With Kramdown or IndentedText, the text after a tag with the attribute markdown is Markdown.

	IndentedText bool // the indented block below "!!!", "???" or "===" is text, also after a blank line
	IsMDX        bool // MDX: indented text is not code, text between tags is Markdown, and {JavaScript} has only tags and bare URLs

	// Inserts are the marks where the generator inserts text into a document, separated by "|", such as "{{#". The
	// inserted text may give the document more names. A mark after "!" is an exception, such as "!{{< ref ". See
	// Incomplete in document.Options.
	Inserts string

	// Links.

	WikiLinks   bool // [[target]] and [[target|text]] are links, whose Match.Place is "wiki"
	TextFirst   bool // [[text|target]] is such a link instead, unless the text is the name of an image
	ResourceIDs bool // in AsciiDoc, xref, image and include take resource ids of Antora, such as module:page.adoc
}

// A Naming is a rule by which a heading gets an id from its text.
type Naming uint8

// The rules. They differ in the letters that stay, in the mark that replaces the others, and in the number that a
// repeated heading gets.
const (
	GitHub         Naming = iota
	GitLab                // as GitHub, but with single hyphens
	Bitbucket             // markdown-header-x
	Docutils              // ASCII letters and digits; Sphinx uses it for reStructuredText
	Hugo                  // Hugo's default, which it calls github
	Jupyter               // the text with a hyphen for each blank, beside the id by the rule GitHub
	Kramdown              // kramdown with input GFM, as in Jekyll
	MDBook                // mdBook
	MkDocs                // the extension toc of Python-Markdown; a repeated heading gets _1
	MyST                  // as GitHub, beside the id by the rule Docutils
	Pandoc                // the extension auto_identifiers of pandoc; "." stays
	Slugger               // the package github-slugger, as in Docusaurus, Astro and Gatsby
	VitePress             // VitePress and VuePress; "_" before a digit
	Zola                  // ASCII letters and digits, with single hyphens
	numberOfNaming = iota
)

var namings = [numberOfNaming]string{
	"GitHub", "GitLab", "Bitbucket", "docutils", "Hugo", "Jupyter", "kramdown", "mdBook", "MkDocs", "MyST", "pandoc", "github-slugger", "VitePress", "Zola",
}

// String returns the name of the rule, such as "GitHub", or "unknown" for a value that is not a Naming.
func (n Naming) String() string {
	if int(n) < len(namings) {
		return namings[n]
	}
	return "unknown"
}

// A Math says which dollars begin math, in which brackets are not links.
type Math uint8

// The kinds of math. The zero Math is for GitHub.
const (
	DollarMath Math = iota // $…$ and $$…$$
	DoubleMath             // only $$…$$
	NoMath                 // dollars are text
)
