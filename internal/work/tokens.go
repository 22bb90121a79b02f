package main

import "locus/extract/document"

// textTokens are the pieces of running text.
var textTokens = []string{
	"http", ":", "//", "/", "a", "@", ".", "(", ")", "[", "]", "<", ">", "URL:", "mailto:", "%41", "?", "#", "-\n", "é", " ", "1",
	"'", ",", "&gt;", "+", "http://", "a.com",
}

// textPieces are more pieces of running text. On these a careless parser would read the same bytes again
// and again.
var textPieces = []string{
	"<URL:", "URL:", "<", "url:a-\n", "::", "(", "[", "http://(", "http://a(", "http://a:b", "://", "a.", "a@", "1:", "a.b@", "'http://a'",
	"/", "../", "http:", "urn:", "data:", "mailto:", "http://a%", "é", "http://é/(", "a+", "x-", "&gt;", "http://[", "<URL:x:",
	"http://a'", "http://a/'.", "http://a/(((((((", "a.com", "a.com/(", "jo@a.com/", "http://a/.,;", "://a://",
	",URL:http://", ",URL:http://a:b", "http:///", "mailto:http://[]",
}

// markdownContexts are starts of Markdown texts. The text after each of them is in another kind of block.
var markdownContexts = []string{"", "> ", "[a]: b\n\n", "# "}

// markdownPieces are more pieces of Markdown, on which a careless reader would read the same bytes again and again.
var markdownPieces = []string{
	"[a]", "[a](", "[a](b", "[a](<b", "[a](b \"", "[a](b \"[a](b '", "](((", "[a][", "[a]: b\n", "[a]:\n", "[a]: b \"c\n",
	"` `` ``` ", "`a`", "<a b=\"", "<a b=\"<a b='", "<!--->", "<?", "<!A", "<a:b", "<a@b", "a.b@c.", "> > > > > > > > a\n", "- - - - - - - - - -\n", "                                - a\n",
	" ", "# ", "a\n=\n", "* ", "[^a]: ", "\r\n", "a\rb\r\n", "| a | [b](c) |\n", "$$a", "[$a", "$\\$", "$$\n", "$$\na\n\n", "![a](b)", "![a [b](c) ", "[a](b)![", "[[a]]", "[[a", "[[|",
	"{% raw %}", "{%#%}", "{% highlight %}a", "{{< highlight >}}", "{{< /highlight >}}", "{{% comment %}}", "{::", "{:/", "{::comment}", "{::comment}\n", "{::nomarkdown}[{:/}", "{/*x*/}",
	"=== \"a\"\n\n    ", "??? \"[a](b)\n", "!!! a\n    ", "```{note}\n:name: a\n", "[//]: # (a)\n", " <!-- lychee-ignore -->",
	"<!-- markdown-link-check-disable-line -->", "<!-- markdown-link-check-disable-next-line -->", "<!-- markdown-link-check-disable --><!-- markdown-link-check-enable -->",
}

// rewriteContexts stand around the pieces of a page that is rewritten.
var rewriteContexts = []struct{ before, after string }{
	{"", ""},
	{"<img crossorigin srcset='", "'>"},
	{"<iframe srcdoc='", "'>"},
	{"<style>", "</style>"},
	{"<p style='", "'>"},
}

// rewritePieces are more pieces of pages that are rewritten.
var rewritePieces = []string{
	"<noscript><noframes><noembed>", "<iframe srcdoc='<img src=x>'>", "<iframe srcdoc=&quot;x&quot;>", "<script src=x integrity=y crossorigin>",
	"<a rel=x ", "<base href=x><a href=y>", "a 1x,", "@import 'x';", "a:url(x);",
}

// documentTokens are the pieces of documents, by mode.
var documentTokens = map[document.Mode][]string{
	document.HTML: {
		"<a ", "<a", ">", "href=", "\"", "'", "=", "/", "http://", "<!--", "-->", "<style>", "</style>", "<script>", "</a>", "url(", "&",
		"&amp;", " ", "x", "<", "srcset=", ",", "<base href=", "<![CDATA[", "<noscript>", "srcdoc=", "<meta http-equiv=refresh content=",
		"<script type=importmap>{", "<script type=application/ld+json>{\"url\":\"a.b\"}</script>", "<form method=post action=a>", "<script type=importmap>\"",
	},
	document.Markdown: {
		"[", "]", "(", "](", "<", ">", "!", "`", "\n", "\n\n", "> ", "- ", "a", "http://", "&", "\\", "\"", "[a]: ", "#", "    ", "<a ", "<!--",
		"-->", "{%", "%}", "{% comment %}", "{% endcomment %}", "{{<", ">}}", "{::comment}", "{:/}", "$", "|", "```\n", "```{note}\n", ":::{note}\n", ":a: b\n", "[^a]", "~", "!!! a\n", "???", "=\n",
		"\r", "]]", "- - - ", "1. ", "<div>\n", "<pre>\n", "% a\n", "<!-- lychee-ignore -->", "<![CDATA[", "a@b.", "\t",
	},
	document.XML: {
		"<a", "<a ", ">", "</a>", "/>", "b=", "\"", "'", "<![CDATA[", "]]>", "<!--", "-->", "<?", "?>", "&", "&amp;", ";", "http://", "x",
		" ", "<!DOCTYPE", "[", "]", "<link>", "<description>", "xml:base=",
		"<a ", "<a id=b>", "<?xml ", "</a>", "<!--", "&",
	},
	document.JSON: {"\"", "\\", "\\\"", "\\u00", "\\ud83d", "{", "}", "[", "]", ":", ",", "a", "http://", " ", "\n"},
	document.RST: {
		".. _", ": ", "`", "<", ">`_", "_", "\n", "http://", "a", ".. image:: ", ":target: ", "__ ", " ", "::", "\n", "a\n=\n", "=\n", "`a <b", "`a <b>`_", "<", ">`_", ".. _a: b\n", ".. _a:\n", ".. _`a", "__ a\n", ".. a\n", "::\n", "a::\n\n", " a\n", "``", "\\", "a:\\", ":doc:`", ":doc:`a`", "_`", "- ", "1. ", ".. raw:: html\n",
		".. toctree::\n", ".. toctree::\n   a\n", ".. csv-table::\n   :file: a\n", ".. image:: a\n   b\n", ".. class:: a\n   ", ">>> a\n", ".. |a| image:: b\n",
	},
	document.Man:    {".UR ", ".MT ", "\\", "\\-", "\\f(", "\\f[", "\\(", "\\\"", "\n", "http://", "a", "\"", " ", ".B ", "]", "\\h", "\\s", "\\*[", ".UR a\n", ".UR ", "\\", "\\[", "\\s'", "\n"},
	document.CSS:    {"url(", ")", "\"", "'", "\\", "/*", "*/", "@import", " ", "\n", "a", "http://", ";", "(", "image-set("},
	document.Gopher: {"1a", "\t", "\n", "h", "70", "URL:", "http://", "i", " ", ".\n", "a", "8"},
	document.Mail: {
		"From ", "\n", "\n\n", "--b", "--b--", "--b\n", "Content-Type: multipart/mixed; boundary=b\n\n", "Content-Type: message/rfc822\n\n",
		"Content-Type: text/html\n", "Content-Transfer-Encoding: base64\n", "Content-Transfer-Encoding: quoted-printable\n", "=", "=3D",
		" ", "a:", "=?utf-8?q?", "?=", "http://", "QUJD", "<a>",
	},
	document.Asciidoc: {
		"\n", "a\n\n", "a ", "<<a", "<<a,b\n", "link:a[", "link:", "xref:a", "xref:a[b", "image:a[", "image:a[link=\"", "http://h/{", "{a", "++", "+a ", "$$a ", "+++a ", "pass:[", "pass:a,", "`a", "``",
		"[", "[[a", "[#a", "]", "\\", "\\http://h/", "== a\n", "a\n-\n", "ab\n--\n", "----\n", "++++\n", "[source]\n", ":a: b\n", ":a: b \\\n", ":a: {a}{a}\n", "ifdef::a[]\n", "ifndef::a[:b: {b}c]\n", "* a\n", "a:: b\n", "|a\n", "{nbsp}",
		"link:++a", "link:pass:[", "stem:[", "a;;", "<", "anchor:a[", "mailto:a",
	},
	document.Org:      {"\n", "[[", "[[a", "[[a][", "[[a]]", "]]", "<<", "<<a>>", "* a\n", "~a ", "=a", "@@html:", "#+LINK: a b\n", "#+begin_src\n", "#+begin_export html\n", ": a\n", "* [[a", "* a :b:\n", "\\["},
	document.Calendar: {"\n", " \n", " a", "A:b\n", "A;B=\"", "URL:a\n b\n", "A:\\", "A:\\n\n", ":", ";", "X;FMTTYPE=text/html:<a \n"},
	document.Manifest: {"{", "}", "\"", "{\"icons\":", "[", "\"\\", "{\"src\":\"a\",", "\\u"},
	document.TeX:      {"\\url{", "\\href{", "}{", "}", "{", "\\", "%", "\n", "\\begin{verbatim}", "\\end{verbatim}", "\\input{a}", "\\verb|", "|", "$", "#", "[", "]", "http://", "a", "\\label{a}"},
	document.Notebook: {"{\"cells\":[", "{\"cell_type\":\"markdown\",\"source\":[", "\"a\",", "\"[a](b)\"", "]", "}", "{", "[", "\"", "\\", ",", "\"source\":"},
	document.Gemtext:  {"=> ", "=>", "a b\n", "```\n", "# ", "* ", "> ", "\n", "\r", "http://", " "},
}
