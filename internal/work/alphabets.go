package main

import "locus/extract/document"

// alphabets are the tokens from which pieces are made, by mode.
var alphabets = map[document.Mode][]string{
	document.Text: {
		"http", ":", "//", "/", "a", "@", ".", "(", ")", "[", "]", "<", ">", "URL:", "mailto:", "%41", "?", "#", "-\n", "é", " ", "1",
		"'", ",", "&gt;", "+", "http://", "a.com",
	},
	document.HTML: {
		"<a ", "<a", ">", "href=", "\"", "'", "=", "/", "http://", "<!--", "-->", "<style>", "</style>", "<script>", "</a>", "url(", "&",
		"&amp;", " ", "x", "<", "srcset=", ",", "<base href=", "<![CDATA[", "<noscript>", "srcdoc=", "<meta http-equiv=refresh content=",
	},
	document.Markdown: {
		"[", "]", "(", "](", "<", ">", "!", "`", "\n", "\n\n", "> ", "- ", "a", "http://", "&", "\\", "\"", "[a]: ", "#", "    ", "<a ", "<!--",
	},
	document.XML: {
		"<a", "<a ", ">", "</a>", "/>", "b=", "\"", "'", "<![CDATA[", "]]>", "<!--", "-->", "<?", "?>", "&", "&amp;", ";", "http://", "x",
		" ", "<!DOCTYPE", "[", "]", "<link>", "<description>", "xml:base=",
	},
	document.JSON:   {"\"", "\\", "\\\"", "\\u00", "\\ud83d", "{", "}", "[", "]", ":", ",", "a", "http://", " ", "\n"},
	document.RST:    {".. _", ": ", "`", "<", ">`_", "_", "\n", "http://", "a", ".. image:: ", ":target: ", "__ ", " ", "::"},
	document.Man:    {".UR ", ".MT ", "\\", "\\-", "\\f(", "\\f[", "\\(", "\\\"", "\n", "http://", "a", "\"", " ", ".B ", "]", "\\h", "\\s", "\\*["},
	document.CSS:    {"url(", ")", "\"", "'", "\\", "/*", "*/", "@import", " ", "\n", "a", "http://", ";", "(", "image-set("},
	document.Gopher: {"1a", "\t", "\n", "h", "70", "URL:", "http://", "i", " ", ".\n", "a", "8"},
	document.Mail: {
		"From ", "\n", "\n\n", "--b", "--b--", "--b\n", "Content-Type: multipart/mixed; boundary=b\n\n", "Content-Type: message/rfc822\n\n",
		"Content-Type: text/html\n", "Content-Transfer-Encoding: base64\n", "Content-Transfer-Encoding: quoted-printable\n", "=", "=3D",
		" ", "a:", "=?utf-8?q?", "?=", "http://", "QUJD", "<a>",
	},
}

// longPieces are pieces of more tokens, by mode. For each of them a careless parser
// would read back, or far ahead.
var longPieces = map[document.Mode][]string{
	document.Text: {
		"<URL:", "URL:", "<", "url:a-\n", "::", "(", "[", "http://(", "http://a(", "http://a:b", "://", "a.", "a@", "1:", "a.b@", "'http://a'",
		"/", "../", "http:", "urn:", "data:", "mailto:", "http://a%", "é", "http://é/(", "a+", "x-", "&gt;", "http://[", "<URL:x:",
		"http://a'", "http://a/'.", "http://a/(((((((", "a.com", "a.com/(", "jo@a.com/", "http://a/.,;", "://a://",
		",URL:http://", ",URL:http://a:b", "http:///", "mailto:http://[]",
	},
}
