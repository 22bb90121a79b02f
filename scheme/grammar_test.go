package scheme_test

import (
	"regexp"
	"strings"
	"testing"

	"locus/scheme"
	"locus/url"
)

// grammar1738 is the grammar of RFC 1738 §5, written a second time as regular expressions. A name in capitals stands
// for another expression. The additions of RFC 822 to mailto and of §3.4 to gopher are left out.
var grammar1738 = expand([][2]string{
	{"ESC", `%[0-9A-Fa-f]{2}`},
	{"UNRESERVED", `A-Za-z0-9$_.+!*'(),\-`},
	{"LETTER", `(?:[A-Za-z]|%[46][1-9A-Fa-f]|%[57][0-9Aa])`}, // or its escape (§2.2)
	{"DIGIT", `(?:[0-9]|%3[0-9])`},
	{"ALNUM", `(?:LETTER|DIGIT)`},
	{"HYPHEN", `(?:-|%2[Dd])`},
	{"DOT", `(?:\.|%2[Ee])`},
	{"HOSTNAME", `(?:ALNUM(?:(?:ALNUM|HYPHEN)*ALNUM)?DOT)*LETTER(?:(?:ALNUM|HYPHEN)*ALNUM)?`},
	{"HOST", `(?:HOSTNAME|DIGIT+DOTDIGIT+DOTDIGIT+DOTDIGIT+)`},
	{"HPORT", `HOST(?::[0-9]+)?`},
	{"USER", `(?:[UNRESERVED;?&=]|ESC)*`},
	{"LOGIN", `(?:USER(?::USER)?@)?HPORT`},
	{"UCHARS", `(?:[UNRESERVED]|ESC)*`},
	{"SEARCH", `(?:[UNRESERVED;:@&=]|ESC)*`},
	{"FPATH", `(?:[UNRESERVED?:@&=/]|ESC)*`},
	{"GROUP", `LETTER(?:ALNUM|HYPHEN|DOT|[+_]|%2[Bb]|%5[Ff])*`},
	{"FIELD", `(?:[UNRESERVED?:@&]|ESC)*`},
}, map[string]string{
	"http":     `//HPORT(?:/(?:[UNRESERVED;:@&=/]|ESC)*(?:\?SEARCH)?)?`,
	"ftp":      `//LOGIN(?:/FPATH(?:;[Tt][Yy][Pp][Ee]=[AIDaid])?)?`,
	"file":     `//(?:HOST)?/FPATH`,
	"news":     `(?:\*|GROUP|(?:[UNRESERVED;/?:&=]|ESC)+@HOST)`,
	"nntp":     `//HPORT/GROUP(?:/DIGIT+)?`,
	"telnet":   `//LOGIN/?`,
	"wais":     `//HPORT/UCHARS(?:\?SEARCH|/UCHARS/UCHARS)?`,
	"prospero": `//HPORT/FPATH(?:;FIELD=FIELD)*`,
	"x-other":  `(?:[UNRESERVED;/?:@&=]|ESC)*`,
})

// grammar1630 is the BNF of RFC 1630, with the type code of its prose and without "@" in hosts and groups.
var grammar1630 = expand([][2]string{
	{"ESC", `%[0-9A-Fa-f]{2}`},
	{"NAME", `A-Za-z0-9$_.&+!*"'(),\-`},
	{"DOMAIN", `[A-Za-z](?:[NAME]|ESC)*`},
	{"HOST", `(?:DOMAIN|[0-9]+\.[0-9]+\.[0-9]+\.[0-9]+)`},
	{"HPORT", `HOST(?::[0-9]+)?`},
	{"LOGIN", `(?:[A-Za-z0-9_.+-]+(?::[A-Za-z0-9_.+-]+)?@)?HPORT`},
	{"XALPHAS", `(?:[NAME@]|ESC)+`},
	{"PATH", `(?:[NAME@/]|ESC)*`},
}, map[string]string{
	"http":   `//HPORT(?:/PATH)?(?:\?XALPHAS)?`,
	"ftp":    `//LOGIN/PATH(?:;[Tt][Yy][Pp][Ee]=(?:[AaEe][NTCntc]?|[Ii]|[Ll](?:[0-9]|%3[0-9])+))?`,
	"nntp":   `(?://HPORT/)?[A-Za-z](?:[NAME@]|ESC)*/[0-9]+`,
	"mailto": `XALPHAS@DOMAIN`,
	"cid":    `XALPHAS`,
	"wais":   `//HPORT/XALPHAS(?:\?XALPHAS|/XALPHAS/(?:[0-9]+=PATH;)+)?`,
	"telnet": `//LOGIN`,
	"gopher": `//HPORT(?:/(?:(?:[NAME@]|ESC)PATH)?)?`,
	"file":   `//(?:HOST)?/PATH`,
})

func expand(names [][2]string, productions map[string]string) map[string]*regexp.Regexp {
	compiled := make(map[string]*regexp.Regexp)
	for name, text := range productions {
		for i := len(names) - 1; i >= 0; i-- {
			text = strings.ReplaceAll(text, names[i][0], names[i][1])
		}
		compiled[name] = regexp.MustCompile(`\A(?:` + text + `)\z`)
	}
	return compiled
}

// neighbours calls do with a text and with every text that differs from it by one byte or one escape.
func neighbours(text string, do func(string)) {
	do(text)
	for i := range len(text) + 1 {
		if i < len(text) {
			do(text[:i] + text[i+1:])
		}
		for _, c := range strings.Split("/ : @ ? # % ; = & ~ . - _ + * < \" [ { | \\ ^ ` a Z 0 %00 %2F %4 %zz \xe9 \x7f \x00", " ") {
			do(text[:i] + c + text[i:])
			if i < len(text) {
				do(text[:i] + c + text[i+1:])
			}
		}
	}
}

// req: 1738-5-1, 1738-2.2-2, 1738-2.2-3
func TestNeighbours1738(t *testing.T) {
	testNeighbours(t, url.RFC1738, grammar1738, []string{
		"http://a-1.b:80/c/d?e", "ftp://u:p@h.c:21/d/e;type=a", "ftp://h/%2Fetc", "file:///a/b", "file://h.c/a", "news:a.b+c", "news:a/b@c.d", "news:*",
		"nntp://h:1/a.b/12", "telnet://u:p@h:23/", "wais://h:1/d?s", "wais://h/d/t/p", "prospero://h:1//p/n;f=v;g=w", "x-other://u:p@1.2.3.4:5/a?b", "x-other:a/b?c",
	})
}

// req: 1630-bnf-1, 1630-enc-3
func TestNeighbours1630(t *testing.T) {
	testNeighbours(t, url.RFC1630, grammar1630, []string{
		"http://a-1.b:80/c/d?e+f", "http://1.2.3.4?e", "ftp://u:p@h.c:21/d/e;type=AN", "ftp://h/a;type=L8", "nntp:a.b/12", "mailto:a%25b@c.d", "cid:a@b",
		"wais://h:1/d?s", "wais://h/d/t/1=a;2=/b;", "telnet://u:p@h:23", "gopher://h:70/1a/b", "file:///a/b", "file://h.c/a",
	})
}

func testNeighbours(t *testing.T, std url.Standard, productions map[string]*regexp.Regexp, texts []string) {
	for _, near := range texts {
		name, _, _ := strings.Cut(near, ":")
		neighbours(near[len(name)+1:], func(rest string) {
			if std == url.RFC1630 && (strings.Contains(rest, "#") || strings.Count(rest, "@") > 1) {
				return // a fragment, or an "@" where the package diverges from the BNF
			}
			_, err := scheme.Read(std, name+":"+rest)
			if want := productions[name].MatchString(rest); (err == nil) != want {
				t.Errorf("%v: Read(%q) = %v, but the grammar accepts it: %v", std, name+":"+rest, err, want)
			}
		})
	}
}
