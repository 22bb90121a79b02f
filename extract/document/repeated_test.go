package document

import (
	"strings"
	"testing"
)

// hostile are texts whose repetition takes quadratic time in a careless reader.
var hostile = map[string]string{
	"brackets": "[", "images": "![", "closed brackets": "[a]", "closing": "]", "link starts": "[a](", "nested links": "[a](b", "angles": "<", "destinations": "[a](<b",
	"titles": "[a](b \"", "titles of two kinds": "[a](b \"[a](b '", "parentheses": "](((", "labels": "[a][", "definitions": "[a]: b\n", "definition starts": "[a]:\n",
	"open titles": "[a]: b \"c\n", "backticks": "`", "runs of backticks": "` `` ``` ", "code": "`a`", "tags": "<a ", "attributes": "<a b=\"", "attributes of two kinds": "<a b=\"<a b='", "expressions": "<a b={", "spread attributes": "<a {", "closed expressions": "<a {} b={}", "tags over lines": "<a\n>\n", "expressions in text": "{", "expressions in lines": "{\n", "expressions after tags": "<a>{\n\n", "strings in expressions": "{'", "templates in expressions": "{`\n", "comments in expressions": "{ /*", "tags in expressions": "{<a ", "quotations in expressions": "{\"<a href=\"b", "open templates": "{`}\\`", "open templates in lines": "{x}\\`\n\n", "regular expressions": "{(/[", "slashes in expressions": "{ / ", "open tags over lines": "<a b=\"\n>\n",
	"comments": "<!--", "short comments": "<!--->", "instructions": "<?", "declarations": "<!A", "cdata": "<![CDATA[", "cdata ends": "]]", "autolinks": "<a:b", "mail": "<a@b", "mail hosts": "a.b@c.",
	"quotations": "> ", "quotations in lines": "> > > > > > > > a\n", "lists": "- ", "numbers": "1. ", "lists in lines": "- - - - - - - - - -\n", "deep lists": "                                - a\n",
	"blank lines": "\n", "blanks": " ", "tabs": "\t", "headings": "# ", "underlines": "a\n=\n", "rules": "* ", "fences": "```\n", "tildes": "~", "footnotes": "[^a]: ", "backslashes": "\\", "entities": "&", "carriage returns": "\r", "both line breaks": "\r\n", "mixed line breaks": "a\rb\r\n",
	"words": "a", "html": "<div>\n", "verbatim": "<pre>\n", "tables": "| a | [b](c) |\n",
	"dollars": "$", "math": "$a", "double math": "$$a", "math in brackets": "[$a", "escaped math": "$\\$", "blocks of math": "$$\n", "open blocks of math": "$$\na\n\n",
	"descriptions": "![a](b)", "nested descriptions": "![a [b](c) ", "links in an open description": "[a](b)![",
	"wiki links": "[[a]]", "open wiki links": "[[a", "nested wiki links": "[[", "wiki bars": "[[|",
	"comments of Obsidian": "%%", "open comments of Obsidian": "%%a\n\n", "comments in quotations": "> %%\n\n", "odd comments": "%%%",
	"tags of Liquid": "{% comment %}", "open tags of Liquid": "{%", "ends of Liquid": "{% endcomment %}", "raw Liquid": "{% raw %}", "comments of Liquid": "{%#%}", "highlights": "{% highlight %}a",
	"shortcodes": "{{< highlight >}}", "ends of shortcodes": "{{< /highlight >}}", "open shortcodes": "{{<", "comments of Hugo": "{{% comment %}}",
	"comments of kramdown": "{::comment}", "open extensions": "{::", "ends of extensions": "{:/", "extensions in lines": "{::comment}\n", "nomarkdown": "{::nomarkdown}[{:/}",
	"admonitions": "!!! a\n    ", "tabs of MkDocs": "=== \"a\"\n\n    ", "folded blocks": "??? \"[a](b)\n", "directives": "```{note}\n", "options": "```{note}\n:name: a\n", "colons": ":::{note}\n", "comments of MyST": "% a\n",
	"switches": "<!-- markdown-link-check-disable-line -->", "switches of lines": "<!-- markdown-link-check-disable-next-line -->", "switches off": "<!-- markdown-link-check-disable --><!-- markdown-link-check-enable -->",
	"ignored lines": "<!-- lychee-ignore -->", "ignored blanks": " <!-- lychee-ignore -->", "comments as definitions": "[//]: # (a)\n",
}

// Markdown is read to its end whatever it repeats. internal/work checks that this takes linear time.
func TestHostileMarkdown(t *testing.T) {
	const size = 16 << 10
	for name, unit := range hostile {
		for _, before := range []string{"", "> ", "[a]: b\n\n"} {
			in := before + strings.Repeat(unit, size/len(unit))
			for _, err := range Markdown.All(strings.NewReader(in), Options{Anchor: func(string) {}, SkipCode: true, SkipLabels: true, Dialect: allTraits}) {
				if err != nil {
					t.Errorf("%s after %q gives the error %v", name, before, err)
				}
			}
		}
	}
}
