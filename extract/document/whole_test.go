package document

import (
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"locus/extract"
	"locus/url"
)

// wholes are pieces of documents that do not depend on the text around them.
var wholes = map[Mode][]string{
	HTML: {
		"<p>see http://h/a, ", "<a href=x>http://no/</a> ", "<A HREF='y z' title=\"http://no/\"><b>http://no/</b></A>\n", "<a name=b>http://h/b </a>",
		"<style>a{b:url(c)} @import 'd'; @namespace url(no);</style>", "<script src=s>\"http://no/</a>\" </script>", "<!-- http://no/ <a href=no> -->", "<!doctype html>",
		"<noscript><img src=n>http://h/c </noscript>", "<img srcset='a 1x, b (c, d), e'>", "<svg><a xlink:href=x>http://no/</a><style/><title/></svg>",
		"<iframe srcdoc='&lt;a href=x>http://no/</a> http://h/d '></iframe>", "<meta http-equiv=refresh content='0;url=r'>", "<title>http://h/e </title>",
		"<textarea><a href=no>http://h/f </textarea>", "é&amp;http://h/?g&amp;h ", "<p style='a:image-set(\"i\" 1x)'>\n\n", "1 < 2 </ x> <é> & &unheard; ", "<script/>", "<br/>\x00\xff",
	},
	Markdown: {
		"[a](b) ![c](<d e>) <http://h/> http://i/\n\n", "# [a](b)\n\n", "> [a](b\n> \"t\")\n\n", "- [a](b)\n- `[a](no)`\n\ntext\n\n", "```\n[a](no) http://h/\n```\n\n",
		"<div>\n<a href=x>[a](no)</a>\n</div>\n\n", "[x]: /y 'z'\n\n", "[a][x] [x][] [x]\n\n", "[^1]: [a](b)\n\n    [c](d)\n\ntext\n\n", "<!-- [a](no)\n-->\n\n",
		"| [a](b) | c |\n|---|---|\n| <jo@h.example> | d |\n\n", "[a](b [c\n\n", "`a [b](c)\n\n", "a<b <i>[c](d)</i> &amp; \\[e](f)\n\n", "    [a](no)\n\ntext\n\n", "***\n\n",
	},
	XML: {
		"<link>a/b</link>", "<a href='b' c=\"http://h/ x\">http://i/ </a>\n", "<b xml:base='http://no/c/'><d href='e'/></b>", "<![CDATA[http://h/ <a href='no'>]]>",
		"<!-- -- http://no/ -->", "<?xml-stylesheet href='s'?>", "<?x http://no/ ?>", "<description>&lt;a href='d'></description>", "<style>a{b:url(c)}</style>",
		"<guid isPermaLink='false'>e/f</guid>", "<x xmlns='http://no/' xsi:schemaLocation='http://no/ g'/>", "text &amp; http://h/?a&amp;b \n", "1 <2 & ]]> ", "\xff\x01é", "<id>tag:h</id><id>no.no</id>",
	},
	JSON: {
		"{\"a\": \"http://h/\", \"b\": [1, \"http:\\/\\/i\\/ x\"]}\n", "[\"http://h/\", \"\\u0068ttp://i/\\ud83d\\ude00\"]", "\"http://h/ \\\" http://i/\" ", "{\"http://k/\":{}}", "null true -1e5,\r\n",
		"{\"a\":[{\"b\":\"http://h/\"}]}", "\"broken http://h/\n", "'http://no/' http://no/ ", "{\"\\\\\": \"\\\\\"}", "\"\"", "\"é\xff\\x\\\"\"",
	},
	CSS: {
		"a{b:url(c)}\n", "b{c:url( \"d\\\"e\" ) format('no')}", "/* url(no) \" */", "@import 'f';", "@import url(g) screen;\r\n", "@namespace x url(no);", "@namespace y 'no' {}", "c{d:'url(no)'}",
		"d{e:image-set('h' 1x, url(i) 2x, linear-gradient(('no')) 3x)}", "e{f:curl(no)}", "g{h:\"open\n}", "url(\\6a k)", "é;\x00\xff ",
	},
	RST: {
		"text http://h/ `a <b>`_\n\n", ".. _c: d\n\n", ".. _e: f/\n   g\n\n", "__ h\n\n", ".. image:: i\n   :target: j\n\n", ".. |k| figure:: l\n\n", ".. _m: n_\n\n", "`o <p\n  q>`_\n\n", ".. note:: http://h/\n\n", "``a <b>`` `c`_\n\n",
	},
	Man: {
		".UR a\nb\n.UE\n", ".MT jo@h\n.ME\n", "see \\fIhttp://h/\\fR and \\(lahttp://i/\\-j\\(ra\n", ".Lk k \"http://l/\"\n", ".An Jo Mt mo@h\n", ".\\\" http://no/\n", ".B http://m/\n", "'\\\" t\n", ".\n", "\\\n", "\\s\n", "\\h'\n", "\\[\n", "\n", "é\xff\r\n",
	},
	Gopher: {
		"1a\tb\th\t70\r\n", "iinfo http://i/\t\tx\t1\r\n", "hc\tURL:http://u/\th\t70\n", "8d\te\tt\t23\n", "http://l/ \n", "0f\tg\th\tno\n", "\n", "\t\t\t\n", "3x\t\n", "é\xff\t\xff\th\t70\n",
	},
	Mail: { // each is a message of a mailbox
		"From a\nA: http://h/\n\nhttp://i/\n\n", "From b\nContent-Type: text/html\n\n<a href=c>http://no/\n\n", "From c\nSubject: =?utf-8?q?http://j/?=\n =?utf-8?q?k?=\n\n\n",
		"From d\nContent-Type: multipart/mixed; boundary=b\n\nhttp://no/\n--b\nContent-Transfer-Encoding: base64\n\naHR0cDovL2wv\n--b--\nhttp://no/\n\n",
		"From e\r\nContent-Transfer-Encoding: quoted-printable\r\nContent-Location: http://x/y\r\n\r\nhttp://h/=3D=\r\nm\r\n\r\n", "From f\n\n", "From g\nContent-Type: image/png\n\nhttp://no/\n\n",
	},
}

// A document that consists of pieces has the matches of all pieces, in any order and any number of the pieces.
func TestTogether(t *testing.T) {
	o := Options{URL: url.MustParse("http://base/d/p")}
	for mode, all := range wholes {
		alone := make([][]extract.Match, len(all))
		for i, piece := range all {
			alone[i] = gather(t, mode, strings.NewReader(piece), o)
			for _, m := range alone[i] {
				if strings.HasPrefix(m.Text, "no") || strings.Contains(m.Text, "//no") {
					t.Errorf("%v of the piece %q finds %q", mode, piece, m.Text)
				}
			}
		}
		random := rand.New(rand.NewPCG(7, uint64(mode)))
		for n := range 60 {
			var text strings.Builder
			var want []extract.Match
			for range 1 + n/3 {
				i := random.IntN(len(all))
				before := text.String()
				for _, m := range alone[i] {
					if m.Line == 1 {
						m.Column += len(before) - strings.LastIndexByte(before, '\n') - 1
					}
					m.Line += strings.Count(before, "\n")
					m.Offset += int64(len(before))
					want = append(want, m)
				}
				text.WriteString(all[i])
			}
			got := gather(t, mode, strings.NewReader(text.String()), o)
			if len(got) != len(want) {
				t.Errorf("%v of %q finds %d matches, want %d", mode, text.String(), len(got), len(want))
				continue
			}
			for i := range got {
				if !reflect.DeepEqual(got[i], want[i]) {
					t.Errorf("%v of %q: match %d is %+v, want %+v", mode, text.String(), i, got[i], want[i])
				}
			}
		}
	}
}

// A document that is cut at any offset obeys the laws, and has the matches of the pieces before the cut, because broken
// structure is not an error.
func TestCuts(t *testing.T) {
	for mode, all := range wholes {
		before, want := "", []extract.Match(nil)
		for _, piece := range all {
			for n := range len(piece) {
				text := before + piece[:n]
				got := gather(t, mode, strings.NewReader(text), Options{})
				laws(t, mode, text, got)
				if len(got) < len(want) || !slices.EqualFunc(got[:len(want)], want, func(a, b extract.Match) bool { return reflect.DeepEqual(a, b) }) {
					t.Errorf("%v of %q finds %+v, want %+v first", mode, text, got, want)
				}
			}
			before, want = piece, gather(t, mode, strings.NewReader(piece), Options{})
		}
	}
}

// laws checks the properties that every match in a document has.
func laws(t *testing.T, m Mode, text string, matches []extract.Match) {
	t.Helper()
	last := int64(0)
	for _, found := range matches {
		end := found.Offset + int64(found.Length)
		if found.Offset < last || found.Length < 0 || end > int64(len(text)) {
			t.Fatalf("%v.All(%q): the match %+v is invalid after offset %d", m, text, found, last)
		}
		last = found.Offset
		before := text[:found.Offset]
		if line, column := 1+strings.Count(before, "\n"), len(before)-strings.LastIndexByte(before, '\n'); found.Line != line || found.Column != column {
			t.Errorf("%v.All(%q): the match %q is at %d:%d, want %d:%d", m, text, found.Text, found.Line, found.Column, line, column)
		}
		if _, err := found.URL(); err != nil && found.Kind != extract.Reference {
			t.Errorf("%v.All(%q): URL of the match %q: %v", m, text, found.Text, err)
		}
	}
}
