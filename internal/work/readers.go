package main

import (
	"io"
	"slices"
	"strconv"
	"strings"
	"time"

	"locus/archive"
	"locus/compare"
	"locus/extract"
	"locus/extract/document"
	"locus/extract/document/dialect"
	"locus/internal/autoindex"
	"locus/internal/bibliography"
	"locus/internal/glob"
	"locus/internal/render"
	"locus/internal/rewrite"
	"locus/proto/mail"
	"locus/proto/nntp"
	"locus/proto/wais"
	"locus/robots"
	"locus/scheme"
	"locus/url"
	"locus/url/iri"
	"locus/url/query"
	"locus/url/whatwg"
)

// readers returns all parsers.
func readers() []reader {
	return slices.Concat(urlReaders(), viewReaders(), textReader(), documentReaders(), rewriteReaders(), fileReaders(), engineReaders())
}

// urlTokens are the pieces of URLs.
var urlTokens = []string{
	"a", "A", ":", "/", "//", "@", ".", "..", "/../", "/./", "[", "]", "%", "%41", "%2e", "?", "#", "&", "=", ";", "+", " ", "\\", "\t", "é",
	"\xff", "1", "0x", "xn--", "-", "|", "'", "a.", "1.", "a@", ":a@", "a/", "/a", "&amp;", "{", "}", "*", "(", ")", "$", ",", "~", "<", ">",
}

// urlReaders returns the readers of URLs and of parts of URLs. A parser of URLs gets several readers, each with another
// beginning of a URL as its context.
func urlReaders() (all []reader) {
	base := url.MustParse("http://a/b/c")
	browser, err := whatwg.Parse("http://a/b/c")
	must(err)
	parsers := []reader{
		{name: "url", read: func(text string) {
			u, err := url.Parse(text)
			if err != nil {
				return
			}
			u.Redacted()
			if r, err := base.Resolve(text); err == nil {
				_, _ = base.Relative(r)
			}
		}},
		{name: "rfc1738", read: func(text string) { _, _ = url.RFC1738.Parse(text) }},
		{name: "rfc1630", read: func(text string) { _, _ = url.RFC1630.Parse(text) }},
		{name: "whatwg", read: func(text string) {
			parser := whatwg.Parser{Base: browser, Report: func(whatwg.Error) {}}
			_, _ = parser.Parse(text)
			whatwg.CanParse(text)
			if u, err := whatwg.Parse(text); err == nil {
				whatwg.WithPathname(u, text)
				whatwg.WithSearch(u, text)
				whatwg.WithHost(u, text)
			}
		}},
		{name: "iri", read: func(text string) {
			if u, err := iri.ParseTyped(text); err == nil {
				iri.Display(u)
				iri.ToIRI(u)
			}
		}},
		{name: "redact", read: func(text string) { render.MaskedText(text); url.Redact(text) }},
	}
	for _, p := range parsers {
		for _, context := range []string{"", "http:", "http://", "http://a/", "http://a/?", "http://a/#", "file:///", "foo:", "http://[", "foo://a/"} {
			p.context, p.tokens = context, urlTokens
			all = append(all, p)
		}
	}
	for _, context := range []string{"", "http://", "http://a/"} {
		all = append(all, reader{name: "compare", context: context, tokens: urlTokens, read: func(text string) { compare.Read(text) }})
	}
	patternTokens := append([]string{"{a}", "{a}?", ":a", ":a1", "(a)", "(", "{", "\\", "*?", ":a(b)+"}, urlTokens...)
	for _, context := range []string{"", "http://", "http://a/", "http://a/?", "http://a/("} {
		all = append(all, reader{name: "pattern", context: context, tokens: patternTokens, read: func(text string) {
			_, _ = whatwg.ParsePattern(text, "", whatwg.PatternOptions{})
		}})
	}
	for name, read := range map[string]func(string){
		"query":   func(text string) { _, _ = query.Parse(text).String(), query.ParseForm(text).String() },
		"params":  func(text string) { _ = whatwg.ParseParams(text).String() },
		"escape":  func(text string) { _, _ = url.Unescape(text); url.Escape(text, url.Set{}) },
		"toascii": func(text string) { whatwg.ToASCII(text, true); whatwg.ToASCII(text, false) },
		"glob":    func(text string) { _, _ = glob.Parse(text) },
		"clean":   func(text string) { render.Clean(text) },
	} {
		all = append(all, reader{name: name, tokens: urlTokens, read: read})
	}
	return all
}

// viewReaders returns the parsers of the views, two for each scheme: without and with a host.
func viewReaders() (all []reader) {
	for _, s := range scheme.All() {
		for _, context := range []string{s.Name + ":", s.Name + "://h/"} {
			all = append(all, reader{name: "view", context: context, tokens: urlTokens, read: readView})
		}
	}
	return all
}

// readView parses, judges and normalizes a URL, and parses and formats its view.
func readView(text string) {
	u, err := url.Parse(text)
	if err != nil {
		return
	}
	_ = scheme.Judge(u)
	scheme.Normalize(u, url.AllRewrites)
	if v, err := scheme.Parse(u); err == nil {
		v.URL()
		scheme.JSON(v)
	}
}

// find is how extract looks for URLs.
var find = extract.Options{Bare: true, Mail: true, Base: url.MustParse("http://base.example/dir/page"), MaxLength: 1 << 20}

// textReader returns the reader that finds URLs in running text.
func textReader() []reader {
	scanner := extract.NewScanner(nil, find)
	return []reader{{name: "text", tokens: textTokens, depth: 2, pieces: textPieces, read: func(text string) {
		for scanner.Reset(strings.NewReader(text)); ; {
			if m, _ := scanner.Next(); m == nil {
				return
			}
		}
	}}}
}

// documentReaders returns the readers of documents, two or more for each format.
func documentReaders() (all []reader) {
	options := document.Options{
		Find: find, URL: find.Base, Anchor: func(string) {}, Roles: true, SkipLabels: true,
		Dialect: dialect.Dialect{Liquid: true, Kramdown: true, Shortcodes: true, Directives: true, IndentedText: true, WikiLinks: true},
	}
	withoutCode := options
	withoutCode.SkipCode = true
	for mode, tokens := range documentTokens {
		name, depth := mode.String(), 1
		if mode == document.Markdown {
			depth = 2
		}
		all = append(all, reader{name: name, tokens: tokens, depth: depth, read: func(text string) { readDocument(mode, text, options) }})
		contexts := []string{""}
		var pieces []string
		if mode == document.Markdown {
			contexts, pieces = markdownContexts, markdownPieces
		}
		for _, context := range contexts {
			all = append(all, reader{name: name + " without code", context: context, tokens: tokens, pieces: pieces, read: func(text string) { readDocument(mode, text, withoutCode) }})
		}
	}
	return all
}

// rewriteReaders returns the functions that rewrite pages and style sheets.
func rewriteReaders() (all []reader) {
	rewriteText := func(mode document.Mode, text string) {
		_, _ = rewrite.Rewrite([]byte(text), mode, find.Base, rewrite.Options{Charset: "koi8-r"}, func(rewrite.Reference) (string, bool) { return "z", true })
	}
	for _, mode := range []document.Mode{document.HTML, document.CSS} {
		for _, c := range rewriteContexts {
			all = append(all, reader{name: "rewrite " + mode.String(), context: c.before, tokens: documentTokens[mode], pieces: rewritePieces, read: func(text string) {
				rewriteText(mode, text+c.after)
			}})
		}
	}
	return append(all,
		reader{name: "rewrite attributes", tokens: []string{" x#=1 data-src=y"}, read: func(text string) {
			rewriteText(document.HTML, "<img rel=x"+numbered(text)+">")
		}},
		reader{name: "rewrite srcset after attributes", tokens: []string{" x#=1"}, read: func(text string) {
			rewriteText(document.HTML, "<img rel=x"+numbered(text)+" srcset='"+strings.Repeat("a 1x,", len(text)/5)+"'>")
		}})
}

// numbered returns text with each "#" replaced by another number.
func numbered(text string) string {
	var b strings.Builder
	for i := range text {
		if text[i] == '#' {
			b.WriteString(strconv.Itoa(i))
		} else {
			b.WriteByte(text[i])
		}
	}
	return b.String()
}

// readDocument finds all URLs of a document, and ignores errors.
func readDocument(mode document.Mode, text string, options document.Options) {
	for range mode.All(strings.NewReader(text), options) { //nolint:errcheck // a match that is too long does not matter
	}
}

// fileReaders returns the parsers of other files.
func fileReaders() []reader {
	return []reader{
		{
			name: "robots", tokens: []string{"User-agent: a\n", "User-agent: *\n", "Disallow: /a\n", "Allow: /*a*$\n", "Disallow: /", "*", "#", "\n", "\r", ":", "%41", "é", "User-agent: locus\nDisallow: /a*b\n"},
			depth: 2, read: func(text string) {
				if rules, err := robots.Parse(strings.NewReader(text), "locus"); err == nil {
					rules.Disallows(url.MustParse("http://h/a/a/a/a/a/a"))
				}
			},
		},
		{
			name: "warc", tokens: []string{"WARC/1.0\r\n", "\r\n", "Content-Length: 3\r\n\r\nabc\r\n\r\n", "WARC-Type: response\r\n", "a: b\r\n", " a\r\n", "filedesc://a 0 1 text/plain 3\nabc\n", "\x1f\x8b", "\n"},
			depth: 2, read: func(text string) {
				for r := archive.NewReader(strings.NewReader(text)); ; {
					record, err := r.Next()
					if err != nil {
						return
					}
					_, _ = io.Copy(io.Discard, record.Body)
				}
			},
		},
		{
			name: "autoindex", context: "<title>Index of /</title><h1>Index of /</h1><pre>", tokens: []string{"<a href=\"a\">a</a> ", "23-Nov-2026 03:56 12\n", "<", ">", "</a>", "\n", "<a href=", "<td>", "&amp;", "a", "<tr><td><a href='b'>b</a></td><td>1.2K</td></tr>"},
			depth: 2, read: func(text string) {
				for r := autoindex.NewReader(strings.NewReader(text)); ; {
					if _, err := r.Next(); err != nil {
						return
					}
				}
			},
		},
		{name: "wais source", context: "(:source", tokens: []string{" :version 3", "\n :ip-address \"a\"", " :a \"", "(", ")", "\"", "\\", " #", " ", "a", ":a"}, depth: 2, read: func(text string) { _, _ = wais.ParseSource([]byte(text)) }},
		{name: "marc", tokens: []string{"00026nam  2200025   4500\x1e\x1d", "\x1d", "\x1e", "\x1f", "0", "00065nam a2200037 a 4500245000800000\x1e00\x1faa\x1e\x1d"}, depth: 2, read: func(text string) {
			format, _ := bibliography.Of("application/marc")
			for range format.Read(strings.NewReader(text)) { //nolint:errcheck // a damaged record does not matter
			}
		}},
		{name: "news links", context: "Newsgroups: a.b\r\n\r\n", tokens: []string{"<a@b>", "<", ">", "a.b", " ", "\r\n", "news:", "comp.lang.c", "@", "."}, depth: 2, read: func(text string) {
			for l := nntp.Links(strings.NewReader(text), url.MustParse("news://h/a@b")); ; {
				if _, err := l.Next(); err != nil {
					return
				}
			}
		}},
		{
			name: "mail header", tokens: []string{"To: a@b\r\n", "Bcc: a@b,\r\n", " c@d,", "a: b\r\n", "\r\n", "(", ")", "\"", "\\", "<a@b>,", "To: =?utf-8?q?a?= <a@b>\r\n", "Subject: =?utf-8?q?a?=\r\n", " ", ":", ";"},
			depth: 2, read: func(text string) {
				_, _ = mail.ReadOutgoing(strings.NewReader(text), "", time.Time{}, "h")
			},
		},
	}
}
