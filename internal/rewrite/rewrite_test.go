package rewrite

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"locus/extract/document"
	"locus/url"
)

var base = url.MustParse("http://h/d/p.html")

// local is a replace that gives every Link and Part a local name with all characters that
// HTML or CSS would misunderstand.
func local(r Reference) (string, bool) {
	switch r.Use {
	case Base:
		return ".", true
	case Hint:
		return "", true
	case Name, Submit:
		return "", false
	}
	u, err := r.URL()
	if err != nil {
		return "", false
	}
	return "L" + strings.NewReplacer("http://h/", "", "/", "_", ".", "").Replace(u.String()), true
}

func TestRewrite(t *testing.T) {
	for _, test := range []struct {
		mode     document.Mode
		in, want string
	}{
		{document.HTML, `<a href="x.html">x.html</a>`, `<a href="Ld_xhtml">x.html</a>`},
		{document.HTML, `<A HREF = x.html >`, `<A HREF = Ld_xhtml >`},
		{document.HTML, "<p>\xe4\xf6\xfc <a href='x'>\xff</a>", "<p>\xe4\xf6\xfc <a href='Ld_x'>\xff</a>"},
		{document.HTML, `<a href=" x?a=1&amp;b=2 ">`, `<a href=" Ld_x?a=1&amp;b=2 ">`},
		{document.HTML, `<img srcset="a.png?x=1&amp;y 1x, b.png 2x,c.png">`, `<img srcset="Ld_apng?x=1&amp;y 1x, Ld_bpng 2x,Ld_cpng">`},
		{document.HTML, `<meta http-equiv=refresh content="0; url='x'">`, `<meta http-equiv=refresh content="0; url='Ld_x'">`},
		{document.HTML, `<style>p{background:url("x.png")}</style>`, `<style>p{background:url("Ld_xpng")}</style>`},
		{document.HTML, `<p style="background:url(&quot;x.png&quot;)">`, `<p style="background:url(&quot;Ld_xpng&quot;)">`},
		{document.HTML, `<noscript><img src=x></noscript>`, `<noscript><img src=Ld_x></noscript>`},
		{document.HTML, `<!-- <img src=x> --><script>"<img src=x>"</script>`, `<!-- <img src=x> --><script>"<img src=x>"</script>`},
		{document.HTML, `<base href=/e/ target=t><a href=x>`, `<base href=. target=t><a href=Le_x>`},
		{document.HTML, `<link rel=preconnect href=//o>`, `<link rel=preconnect data-href=//o>`},
		{document.HTML, `<link rel=stylesheet href=x integrity="sha256-y" crossorigin>`, `<link rel=stylesheet href=Ld_x data-integrity="sha256-y" data-crossorigin>`},
		{document.HTML, `<script crossorigin="" src=x integrity = 'y'></script>`, `<script data-crossorigin="" src=Ld_x data-integrity = 'y'></script>`},
		{document.HTML, `<img srcset="a, b 2x" crossorigin>`, `<img srcset="Ld_a, Ld_b 2x" data-crossorigin>`},
		{document.HTML, `<a href=x crossorigin>`, `<a href=Ld_x crossorigin>`},
		{document.HTML, `<iframe srcdoc="<img src='x'><a href=&quot;y?a&amp;amp;b&quot;>"></iframe>`, `<iframe srcdoc="&lt;img src=&#39;Ld_x&#39;&gt;&lt;a href=&quot;Ld_y?a&amp;amp;b&quot;&gt;"></iframe>`},
		{document.HTML, `<iframe srcdoc=<p>plain</p>></iframe>`, `<iframe srcdoc=<p>plain</p>></iframe>`},
		{document.HTML, `<form action=x><input formaction=y></form><div itemid=z>`, `<form action=x><input formaction=y></form><div itemid=z>`},
		{document.HTML, `<form method=post action=x><input formaction=y></form><link rel=pingback href=z>`, `<form method=post action=x><input formaction=y></form><link rel=pingback href=z>`},
		{document.Gemtext, "=> x.gmi A & B\r\n# => y\n=>\tgemini://h/z?a&b\n```\n=> no\n", "=> Ld_xgmi A & B\r\n# => y\n=>\tLgemini:__h_z?a&b\n```\n=> no\n"},
		{
			document.CSS, `@import "x.css"; @import url(y.css) print; a{b:url( z.png ) url('q\29.png')} /* url(no) */`,
			`@import "Ld_xcss"; @import url(Ld_ycss) print; a{b:url( Ld_zpng ) url('Ld_q\000029png')} /* url(no) */`,
		},
		{document.CSS, `a{b:image-set("x.png" 1x, url(y.png) 2x)}`, `a{b:image-set("Ld_xpng" 1x, url(Ld_ypng) 2x)}`},
		{document.CSS, ``, ``},
	} {
		got, err := Rewrite([]byte(test.in), test.mode, base, Options{}, local)
		if err != nil || string(got) != test.want {
			t.Errorf("Rewrite(%s)\n = %s, %v, want\n   %s", test.in, got, err, test.want)
		}
		same, err := Rewrite([]byte(test.in), test.mode, base, Options{}, func(Reference) (string, bool) { return "", false })
		if err != nil || string(same) != test.in {
			t.Errorf("without replacements %s becomes %s, %v", test.in, same, err)
		}
	}
}

// References finds the references of a page with their uses.
func TestReferences(t *testing.T) {
	for _, test := range []struct {
		in   string
		want string // the use and the text of each reference
	}{
		{`<a href=a><img src=b><form action=c><base href=/><link rel=dns-prefetch href=d><blockquote cite=e>`, "[0 a 1 b 2 c 5 / 4 d 3 e]"},
		{`<link rel="Alternate StyleSheet" href=a><link rel=canonical href=b><link href=c rel="shortcut icon"><link rel=manifest href=d><link rel=next href=e>`, "[1 a 0 b 1 c 1 d 0 e]"},
		{`<video src=a poster=b><source src=c><track src=d></video><object data=e></object><iframe src=f></iframe><input src=g><svg><use href=h /><image href=i /></svg>`, "[1 a 1 b 1 c 1 d 1 e 1 f 1 g 1 h 1 i]"},
		{`<form method=post action=a><button formaction=b></form><link rel=pingback href=c><link rel=schema.DC href=d>`, "[2 a 2 b 2 c 3 d]"},
		{`<iframe srcdoc="<link rel=stylesheet href=a>"></iframe><img src=b>`, "[1 b 1 a]"},
		{`<noscript><link rel=stylesheet href=a></noscript><td background=b>`, "[1 a 1 b]"},
	} {
		var got []string
		for r, err := range References([]byte(test.in), document.HTML, base, "") {
			if err != nil {
				t.Fatal(err)
			}
			got = append(got, fmt.Sprint(r.Use, " ", r.Text))
		}
		if fmt.Sprint(got) != test.want {
			t.Errorf("References(%s) = %v, want %s", test.in, got, test.want)
		}
	}
}

// A page whose encoding only the server named gets a meta element.
func TestRewriteCharset(t *testing.T) {
	const meta = `<meta charset="windows-1251">`
	for in, want := range map[string]string{
		"<!DOCTYPE html>\n<html><head><title>x</title>": "<!DOCTYPE html>\n<html><head>" + meta + "<title>x</title>",
		"<!DOCTYPE html><title>x</title>":               "<!DOCTYPE html>" + meta + "<title>x</title>",
		"text":                                          meta + "text",
		"<html lang=ru><body>":                          "<html lang=ru>" + meta + "<body>",
		"<head><meta charset=koi8-r>":                   "<head><meta charset=koi8-r>",
		"<meta http-equiv=Content-Type content='text/html; charset=x'>": "<meta http-equiv=Content-Type content='text/html; charset=x'>",
		"\xef\xbb\xbf<html>": "\xef\xbb\xbf<html>",
		"":                   "",
	} {
		got, err := Rewrite([]byte(in), document.HTML, base, Options{Charset: "windows-1251"}, local)
		if err != nil || string(got) != want {
			t.Errorf("Rewrite(%.60q) = %.90q, %v, want %.90q", in, got, err, want)
		}
	}
}

// A page of many short references does not grow beyond the limit.
func TestRewriteTooLarge(t *testing.T) {
	in := strings.Repeat("<a href=x>", 1000)
	long := strings.Repeat("y", 1000)
	_, err := Rewrite([]byte(in), document.HTML, base, Options{Limit: 100_000}, func(Reference) (string, bool) { return long, true })
	if !errors.Is(err, ErrTooLarge) {
		t.Errorf("Rewrite = %v, want ErrTooLarge", err)
	}
	nested := `<iframe srcdoc="` + strings.ReplaceAll(in, "<", "&lt;") + `">`
	if _, err := Rewrite([]byte(nested), document.HTML, base, Options{Limit: 100_000}, func(Reference) (string, bool) { return long, true }); !errors.Is(err, ErrTooLarge) {
		t.Errorf("Rewrite of srcdoc = %v, want ErrTooLarge", err)
	}
}

// A URL in a refresh leads to the same page after it has been replaced, whatever its characters are.
func TestRewriteRefresh(t *testing.T) {
	for _, test := range []struct{ in, to, want string }{
		{`content="0;url=x"`, `'a'`, "%27a%27"},
		{`content="0;url=x"`, `"a`, "%22a"},
		{`content="0;url='x'"`, `it's`, "it%27s"},
		{`content='0;url="x"'`, `a"b`, "a%22b"},
		{`content="0 x"`, `;a`, "./;a"},
		{`content="0;x"`, `,a;`, "%2Ca;"},
		{`content="0;url=x"`, `;a`, "./;a"},
		{`content="0;x"`, `url=a`, "./url=a"},
		{`content="0;x"`, `URL=a`, "./URL=a"},
		{`content="0;url=x"`, `url:http://h/`, "url:http://h/"},
		{`content=x`, `a`, ""},
	} {
		out, err := Rewrite([]byte("<meta http-equiv=refresh "+test.in+">"), document.HTML, base, Options{}, func(Reference) (string, bool) { return test.to, true })
		if err != nil {
			t.Fatal(err)
		}
		got := ""
		for r := range References(out, document.HTML, base, "") {
			got = r.Text
		}
		if got != test.want {
			t.Errorf("%s rewritten to %q is %q, which leads to %q, want %q", test.in, test.to, out, got, test.want)
		}
	}
}

// For any page, rewriting replaces its references by the wanted ones, and does not create
// others.
func FuzzRewrite(f *testing.F) {
	for _, seed := range []string{
		`<a href=x><img srcset="a&amp;b 1x, c 2x" integrity=z><style>@import "x"; p{b:url(y)}</style>`,
		`<p style='b:url("x")'><meta http-equiv=refresh content="0;url=x"><noscript><img src=y></noscript>`,
		`<iframe srcdoc="<img src=x>"><svg><image xlink:href=y /></svg><link rel=stylesheet href=z>`,
		`<a href=x`, `<a href="x`, `<base href="//o/"><a href=x><td background=" y ">`, "<a href='\xff'>",
	} {
		f.Add(seed, "http://o/é?a=1&b=\"'()<>,x")
	}
	f.Fuzz(func(t *testing.T, in, to string) {
		if strings.Trim(to, " \t\r\n\f\v,\x00") != to || to == "" || strings.ContainsAny(to, "\x00\t\n\r") {
			return
		}
		for _, mode := range []document.Mode{document.HTML, document.CSS} {
			count, want := 0, []string{escapeURL(to), escapeRefresh(to)}
			out, err := Rewrite([]byte(in), mode, base, Options{}, func(r Reference) (string, bool) {
				count++
				if r.Text == to { // it stays as it is written
					want = append(want, to)
				}
				return to, true
			})
			if err != nil {
				continue
			}
			var got []string
			for r, err := range References(out, mode, base, "") {
				if err == nil {
					got = append(got, r.Text)
				}
			}
			if len(got) > count || slices.ContainsFunc(got, func(s string) bool { return !slices.Contains(want, s) }) {
				if bytes.ContainsAny([]byte(in), "\\\x00") || strings.Contains(in, "data-") {
					continue // escapes before it, and attributes that renaming creates
				}
				t.Errorf("%v of %q to %q: %q has %q, %d references before", mode, in, to, out, got, count)
			}
		}
	})
}
