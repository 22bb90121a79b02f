package document

import (
	"strings"
	"testing"
)

func TestMailHeader(t *testing.T) {
	hold(t, Mail, Options{}, []marked{
		{"Subject: see ⟦http://h/a⟧\n and ⟦http://h/b⟧.\nX:⟦http://h/c⟧\nList-Unsubscribe: <⟦http://h/?d=1⟧>,\n\t<⟦mailto:l@h?subject=x⟧>\n\n", []string{
			"url subject: http://h/a", "url subject: http://h/b", "url x: http://h/c", "url list-unsubscribe: http://h/?d=1", "url list-unsubscribe: mailto:l@h?subject=x",
		}},
		{"Archived-At: <⟦http://h/⟧>\r\nX: y\r\n\r\n⟦http://i/⟧\r\n", []string{"url archived-at: http://h/", "url text/plain: http://i/"}},
		{"no field\n see ⟦http://h/⟧\na line, as ⟦http://i/⟧\n: ⟦http://j/⟧\n\n⟦http://k/⟧", []string{"url http://h/", "url http://i/", "url http://j/", "url text/plain: http://k/"}},
		{"⟦http://h/⟧", []string{"url http://h/"}},
		{"A: b\nno field\n ⟦http://h/⟧\nsee also: ⟦http://i/⟧\nSubject : ⟦http://j/⟧\n\n", []string{"url http://h/", "url http://i/", "url subject: http://j/"}},
		{"\n⟦http://h/⟧", []string{"url text/plain: http://h/"}},
		{"", nil},
		// encoded words, and bytes that are not ASCII, which are kept
		{"A:⟦ =?UTF-8?Q?http://h/a=5Fb?= =?utf-8?b?Yw==?=⟧\nB:⟦ =?windows-1252?Q?=93http://h/=94?=⟧\nC:⟦ =?koi8-r?B?aHR0cDovL2gvwQ==?=⟧\nD: =?x ⟦http://h/⟧\nE: =?utf-8?q?none?=\n\n", []string{
			"url a: http://h/a_bc", "url b: http://h/", "url c: http://h/", "url d: http://h/",
		}},
		// the space between two encoded words is removed, even if the line is folded there (RFC 2047 §6.2)
		{"A:⟦ =?utf-8?q?=3Chttp://h/b?=\r\n =?utf-8?q?c=3E?=⟧\r\nB:⟦ =?utf-8?q?http://h/?= \t\n\t=?utf-8?q?d?=\n =?utf-8?q?e?=⟧\n\n", []string{"url a: http://h/bc", "url b: http://h/de"}},
		{"A:⟦ =?utf-8?q?http://h/?=⟧\n ⟦http://i/⟧\n⟦ =?utf-8?q?http://j/?=⟧\nB: ⟦http://k/⟧\n =?utf-8?q?c?=\nD: =?utf-8?q?e?=\nF:⟦ =?utf-8?q?http://l/?=⟧", []string{
			"url a: http://h/", "url a: http://i/", "url a: http://j/", "url b: http://k/", "url f: http://l/",
		}},
		{"A:⟦ =?utf-8?q?http://h/?=⟧\n⟦=?utf-8?q?http://i/?=⟧\n\n", []string{"url a: http://h/", "url http://i/"}},
		{"A:⟦ =?UTF-8*en?Q?http://h/a=5Fb?= =?utf-8*?b?Yw==?=⟧\n\n", []string{"url a: http://h/a_bc"}}, // RFC 2231 §5
		{"A:⟦⟦ =?utf-8?q?http://h/_http://i/?=⟧⟧\n\n", []string{"url a: http://h/", "url a: http://i/"}},
	})
}

func TestMailParts(t *testing.T) {
	hold(t, Mail, Options{}, []marked{
		{"Content-Type: multipart/mixed; boundary=\"a b\"\n\nhttp://no/\n--a b\n\n⟦http://h/⟧\n--a b  \nSubject: ⟦http://i/⟧\n\n--a bc\n⟦http://j/⟧\n--a b--\nhttp://no/\n--a b\n\nhttp://no/", []string{
			"url text/plain: http://h/", "url subject: http://i/", "url text/plain: http://j/",
		}},
		{"Content-Type: multipart/mixed; boundary=b\r\n\r\n--b\r\n\r\n⟦http://h/⟧\r\n--b\r\n\r\n⟦http://i/⟧", []string{"url text/plain: http://h/", "url text/plain: http://i/"}},
		{"Content-Type: multipart/a; boundary=b\n\n--b\nContent-Type: multipart/c; boundary=bb\n\n--bb\n\n⟦http://h/⟧\n--bb--\n--b\nContent-Type: text/html\n\n<a href=⟦d⟧>\n--b--", []string{"url text/plain: http://h/", "a href: d"}},
		{"Content-Type: MULTIPART/mixed; BOUNDARY=b\n\n--b\nContent-Type: image/svg+xml\n\n<a href='⟦b⟧'/>\n--b\nContent-Type: text/css\n\na{b:url(⟦c⟧)}\n--b\nContent-Type: application/json\n\n\"⟦http://h/⟧\"\n--b\nContent-Type: text/markdown\n\n[a](⟦d⟧)\n--b\nContent-Type: text/x-unheard\n\n⟦http://i/⟧\n--b\nContent-Type: image/png\n\nhttp://no/\n--b\nContent-Type: application/octet-stream\n\nhttp://no/\n--b--", []string{
			"a href: b", "url(): c", "url application/json: http://h/", "link: d", "url text/x-unheard: http://i/",
		}},
		{"Content-Type: multipart/mixed;\n\tboundary=\"b\"\n\n--b\nContent-Type: text/html\n\n<a href=⟦c⟧>", []string{"a href: c"}},
		{"Content-Type: message/rfc822\n\nSubject: ⟦http://h/⟧\n\n⟦http://i/⟧", []string{"url subject: http://h/", "url text/plain: http://i/"}},
		{"Content-Type: message/global\n\nA: b\n\n⟦http://i/⟧", []string{"url text/plain: http://i/"}},
		{"Content-Type: message/news\n\nA: b\n\n⟦http://i/⟧", []string{"url text/plain: http://i/"}},
		{"Content-Type: text/html;\n charset=utf-8\n\n<a href=⟦a⟧>", []string{"a href: a"}},
		{"Content-Type: multipart/mixed; boundary=\n\n--\n⟦http://h/⟧", []string{"url text/plain: http://h/"}},
		{"Content-Type: multipart/mixed; x=; boundary=\"a=b\" ; y\n\n--a=b\n\n⟦http://h/⟧", []string{"url text/plain: http://h/"}},
		// the default type of a part (RFC 2046 §5.1.5)
		{"Content-Type: multipart/digest; boundary=b\n\n--b\n\nSubject: ⟦http://h/⟧\nContent-Transfer-Encoding: quoted-printable\n\n⟦http://h/a=3Db⟧\n--b\nContent-Type: text/plain\n\n⟦http://i/=3D⟧\n--b\n\nContent-Type: multipart/mixed; boundary=c\n\n--c\n\n⟦http://j/=3D⟧\n--c--\n--b--", []string{
			"url subject: http://h/", "url text/plain: http://h/a=b", "url text/plain: http://i/=3D", "url text/plain: http://j/=3D",
		}},
		// comments (RFC 2045 §5.1)
		{"Content-Type: text/html (no; text/plain); charset=utf-8\nContent-Transfer-Encoding: quoted-printable (as ever)\n\n<a href=3D⟦b⟧>", []string{"a href: b"}},
		{"Content-Type: multipart/mixed (x); boundary=\"b\"\n\n--b\nContent-Type: text/plain(x)\nContent-Transfer-Encoding: base64;\n\n⟦aHR0cDovL2gv⟧\n--b--", []string{"url text/plain: http://h/"}},
		{"Content-Type: (a (\") b) multipart/mixed; boundary=\"(b)\" (c)\n\n--(b)\nContent-Type: text/html; x=\"(\"\n\n<a href=⟦b⟧>\n--(b)--", []string{"a href: b"}},
		{"Content-Type: multipart/mixed;boundary==_x\n\n--=_x\nContent-Type: text/html\n\n<a href=⟦b⟧>\n--=_x--", []string{"a href: b"}},
		{"Content-Type: multipart/mixed; boundary=(b\n\n--(b\nContent-Type: text/html); x\n\n⟦http://h/⟧", []string{"url text/html): http://h/"}},
		// each part has its own base
		{"Content-Type: multipart/related; boundary=b\n\n--b\nContent-Type: text/html\nContent-Location: ⟦http://x/y/⟧\n\n<a href=⟦a⟧>\n--b\nContent-Type: text/html\n\n<a href=⟦b⟧>", []string{"url content-location: http://x/y/", "a href: a", "a href: b"}},
	})
}

func TestMailEncodings(t *testing.T) {
	hold(t, Mail, Options{}, []marked{
		{"Content-Transfer-Encoding: Quoted-Printable\n\n⟦http://h/a=3Db=\n&c=C3=A9⟧ ⟦http://h/?y=3D⟧=20z=20\n⟦http://h/b= \t\r\nc⟧ =E2=80=9C⟦http://h/q⟧=E2=80=9D ⟦http://h/=zz⟧ ⟦http://h/d=⟧", []string{
			"url text/plain: http://h/a=b&cé", "url text/plain: http://h/?y=", "url text/plain: http://h/bc", "url text/plain: http://h/q", "url text/plain: http://h/=zz", "url text/plain: http://h/d=",
		}},
		{"Content-Transfer-Encoding: quoted-printable\nContent-Type: text/html\n\n<a href=3D\"⟦a=\nb⟧\"><a href=3D'⟦?c=3D1&amp;d⟧'></a> =3d=3D ⟦http://h/=3d⟧", []string{"a href: ab", "a href: ?c=1&d", "url text/html: http://h/="}},
		{"Content-Transfer-Encoding: base64\nContent-Type: text/html\n\nPGEgaHJlZj0i⟦aHR0\r\ncDovL2gv⟧Ij4=\nhttp", []string{"a href: http://h/"}},
		{"Content-Transfer-Encoding:  BASE64 \n\nIGFi⟦aHR0cDovL2gv⟧IHg=!IGFi⟦aHR0cDovL2kv⟧", []string{"url text/plain: http://h/", "url text/plain: http://i/"}},
		{"Content-Transfer-Encoding: base64\n\n=a==⟦aHR0cDovL2gv⟧", []string{"url text/plain: http://h/"}},
		{"Content-Transfer-Encoding: base64\n\n⟦aHR0cDovL2gvw6k/fnh+fi/DvsK/⟧", []string{"url text/plain: http://h/é?~x~~/þ¿"}},
		{"Content-Transfer-Encoding: quoted-printable\n\n⟦http://h/a⟧=09b ⟦http://h/=4g⟧ ⟦http://h/=g4⟧ ⟦http://h/=4⟧", []string{"url text/plain: http://h/a", "url text/plain: http://h/=4g", "url text/plain: http://h/=g4", "url text/plain: http://h/=4"}},
		{"Content-Transfer-Encoding: 8bit\n\n⟦http://h/=3D⟧", []string{"url text/plain: http://h/=3D"}},
	})
}

// The lines of a paragraph in format=flowed are joined (RFC 3676).
func TestFlowed(t *testing.T) {
	const flowed = "Content-Type: text/plain; format=flowed; delsp=yes\n\n"
	hold(t, Mail, Options{}, []marked{
		{flowed + "see ⟦http://h/long/ \npath/ \nx⟧ y\n⟦http://i/⟧\n⟦http://j/⟧  \nz\n", []string{"url text/plain: http://h/long/path/x", "url text/plain: http://i/", "url text/plain: http://j/"}},
		{flowed + "> ⟦http://h/a \n> b⟧\n>> ⟦http://h/c⟧ \n> d\n>>⟦http://h/e \n>>f⟧\n ⟦http://h/g \n h⟧\n", []string{"url text/plain: http://h/ab", "url text/plain: http://h/c", "url text/plain: http://h/ef", "url text/plain: http://h/gh"}},
		{flowed + "⟦http://h/⟧ \n-- \n⟦http://i/⟧\n>⟦http://j/⟧ \nx\n-- \n⟦mailto:a@b⟧", []string{"url text/plain: http://h/", "url text/plain: http://i/", "url text/plain: http://j/", "url text/plain: mailto:a@b"}},
		{flowed + "⟦http://h/⟧\n-- \n⟦http://i/⟧ \n\n⟦http://j/⟧ ", []string{"url text/plain: http://h/", "url text/plain: http://i/", "url text/plain: http://j/"}},
		{"Content-Type: text/plain; FORMAT=Flowed; DelSp=Yes\r\nContent-Transfer-Encoding: quoted-printable\r\n\r\n⟦http://h/=3D =\r\n\r\nb⟧=20\r\n", []string{"url text/plain: http://h/=b"}},
		// a space that is kept ends the URL
		{"Content-Type: text/plain; format=flowed\n\n⟦http://h/⟧ \nx", []string{"url text/plain: http://h/"}},
		{"Content-Type: text/plain; delsp=yes\n\n⟦http://h/⟧ \nx", []string{"url text/plain: http://h/"}},
	})
}

func TestMailbox(t *testing.T) {
	hold(t, Mail, Options{}, []marked{
		{"From a\nA: ⟦http://h/⟧\n\n⟦http://i/⟧\nFrom b\n\nFrom c\nB: ⟦http://j/⟧\n\n>From ⟦http://k/⟧\n\nFrom d\n\n⟦http://l/⟧", []string{
			"url a: http://h/", "url text/plain: http://i/", "url b: http://j/", "url text/plain: http://k/", "url text/plain: http://l/",
		}},
		{"From a\r\n\r\n⟦http://h/⟧\r\n\r\nFrom b\r\nContent-Type: text/html\r\n\r\n<a href=⟦c⟧>\r\n", []string{"url text/plain: http://h/", "a href: c"}},
		{"From a", nil},
		{"From: ⟦http://h/⟧\n\nFrom ⟦http://i/⟧", []string{"url from: http://h/", "url text/plain: http://i/"}},
	})
}

// Messages in messages are read to a maximum depth.
func TestDeepMail(t *testing.T) {
	const message = "Content-Type: message/rfc822\n\n"
	for n, want := range map[int]int{0: 1, mostNested - 1: 1, mostNested: 0, mostNested + 1: 0, 1000: 0} {
		if all := gather(t, Mail, strings.NewReader(strings.Repeat(message, n)+"\nhttp://h/\n"), Options{}); len(all) != want {
			t.Errorf("a message in %d messages gives %d matches, want %d", n, len(all), want)
		}
	}
	// The part after a part that is too deep is read.
	deep := "Content-Type: multipart/mixed; boundary=b\n\n--b\n" + strings.Repeat(message, mostNested) + "\nhttp://no/\n--b\n\nhttp://h/\n--b--\n"
	if all := gather(t, Mail, strings.NewReader(deep), Options{}); len(all) != 1 || all[0].Text != "http://h/" {
		t.Errorf("after a part that is too deep, the matches are %v", all)
	}
}

// The lines of a field are joined up to a maximum length. The rest of the field is searched as text.
func TestLongField(t *testing.T) {
	const body = "\n\nhttp://no/\n--b\n\nhttp://h/\n--b--\n"
	for n, want := range map[int]int{100: 1, longField - 1: 1, longField: 2, 2 * longField: 2} {
		field := "multipart/mixed; x=" + strings.Repeat("a", n-len("multipart/mixed; x="))
		if all := gather(t, Mail, strings.NewReader("Content-Type: "+field+"\n ; boundary=b"+body), Options{}); len(all) != want {
			t.Errorf("a boundary after %d bytes of a field gives %d matches, want %d", n, len(all), want)
		}
	}
	long := "X: " + strings.Repeat("a", 2*longField) + "\n http://h/\n http://i/\n\nhttp://j/"
	if all := gather(t, Mail, strings.NewReader(long), Options{}); len(all) != 3 || all[0].Place != "x" || all[1].Place != "x" {
		t.Errorf("after a long line of a field, the matches are %v, want three", all)
	}
}

const (
	mostNested = 16      // how deep parts in parts are read
	longField  = 8 << 10 // the length at which no more lines are joined to a field
)
