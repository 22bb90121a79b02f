package mail_test

import (
	"io"
	"mime"
	"mime/quotedprintable"
	netmail "net/mail"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"locus/proto/mail"
	"locus/url"
)

var now = time.Date(1994, 12, 20, 9, 30, 15, 0, time.UTC)

var mailtos = []struct {
	url  string
	want mail.Draft
	ok   bool
}{
	{"mailto:a@b.example", mail.Draft{To: []string{"a@b.example"}}, true},
	{"mailto:gorby%25kremvax@example.com", mail.Draft{To: []string{"gorby%kremvax@example.com"}}, true},
	{"mailto:a@b.example,c@d.example?to=e@f.example", mail.Draft{To: []string{"a@b.example", "c@d.example", "e@f.example"}}, true},
	{"mailto:?to=a@b.example&subject=x", mail.Draft{To: []string{"a@b.example"}, Subject: "x"}, true},
	{"mailto:%22a%20b%22@c.example", mail.Draft{To: []string{"a b@c.example"}}, true},
	{"mailto:%22a,b%22@c.example", mail.Draft{To: []string{"a,b@c.example"}}, true},
	{"mailto:infobot@example.com?body=send%20current-issue%0D%0Asend%20index", mail.Draft{To: []string{"infobot@example.com"}, Body: "send current-issue\nsend index"}, true},
	{"mailto:list@example.org?In-Reply-To=%3C3469A91.D10AF4C@example.com%3E", mail.Draft{To: []string{"list@example.org"}, InReplyTo: []string{"3469A91.D10AF4C@example.com"}}, true},
	{"mailto:joe@example.com?cc=bob@example.com&bcc=eve@example.com&body=hello", mail.Draft{To: []string{"joe@example.com"}, Cc: []string{"bob@example.com"}, Bcc: []string{"eve@example.com"}, Body: "hello"}, true},
	{"mailto:user@example.org?subject=a%20b", mail.Draft{To: []string{"user@example.org"}, Subject: "a b"}, true},
	{"mailto:user@example.org?subject=caf%C3%A9", mail.Draft{To: []string{"user@example.org"}, Subject: "café"}, true},
	{"mailto:a@b.example?subject=1%2B1+2", mail.Draft{To: []string{"a@b.example"}, Subject: "1+1+2"}, true},
	{"mailto:a@b.example?subject=%FF", mail.Draft{To: []string{"a@b.example"}, Subject: "\uFFFD"}, true},
	{"mailto:a@b.example?subject=%1B%5B31m", mail.Draft{To: []string{"a@b.example"}, Subject: "\uFFFD[31m"}, true},
	{"mailto:a@b.example?subject=one&subject=two", mail.Draft{To: []string{"a@b.example"}, Subject: "one", Dropped: []string{"subject"}}, true},
	{"mailto:a@b.example?From=x@y&attach=/etc/passwd&%66rom%3A=z&Content-Type=text/html", mail.Draft{To: []string{"a@b.example"}, Dropped: []string{"from", "attach", "from:", "content-type"}}, true},
	{"mailto:a@b.example?keywords=k&comments=c&references=%3Ca@b%3E%3Cc@d%3E", mail.Draft{To: []string{"a@b.example"}, Keywords: "k", Comments: "c", References: []string{"a@b", "c@d"}}, true},
	{"mailto:a@b.example?keywords=a&keywords=b&comments=c&comments=d", mail.Draft{To: []string{"a@b.example"}, Keywords: "a", Comments: "c", Dropped: []string{"keywords", "comments"}}, true},
	{"mailto:a@b.example?in-reply-to=%3Ca@b%3E&in-reply-to=%3Cc@d%3E", mail.Draft{To: []string{"a@b.example"}, InReplyTo: []string{"a@b"}, Dropped: []string{"in-reply-to"}}, true},
	{"mailto:a@b.example?Subject=&sUBJECT=x", mail.Draft{To: []string{"a@b.example"}, Dropped: []string{"subject"}}, true},
	{"mailto:a@b.example?references=%3Ca@b%3E&references=c@d%20%3Ce@f%3E", mail.Draft{To: []string{"a@b.example"}, References: []string{"a@b", "c@d", "e@f"}}, true},
	{"mailto:a@b.example?cc=x@y.example&CC=z@w.example&bcc=&cc=%20", mail.Draft{To: []string{"a@b.example"}, Cc: []string{"x@y.example", "z@w.example"}}, true},
	{"mailto:?to=A%20B%20%3Ca@b.example%3E", mail.Draft{To: []string{"a@b.example"}}, true},
	{"mailto:a@b.example?body=one&body=two&BODY=", mail.Draft{To: []string{"a@b.example"}, Body: "one\ntwo\n"}, true},
	{"mailto:a@b.example?body=caf%E9%09x", mail.Draft{To: []string{"a@b.example"}, Body: "caf\uFFFD\tx"}, true},
	{"mailto:a@b.example?subject=a%09b%7F", mail.Draft{To: []string{"a@b.example"}, Subject: "a\tb\uFFFD"}, true},
	{"mailto:a@b.example?&&subject=x&", mail.Draft{To: []string{"a@b.example"}, Subject: "x"}, true},
	{"mailto:a@b.example?subject=a=b%26c", mail.Draft{To: []string{"a@b.example"}, Subject: "a=b&c"}, true},
	{"mailto:a@b.example?%FF=x&=y&z", mail.Draft{To: []string{"a@b.example"}, Dropped: []string{"\uFFFD", "", "z"}}, true},
	{"mailto:" + strings.Repeat("a", 320-10) + "@b.example", mail.Draft{To: []string{strings.Repeat("a", 320-10) + "@b.example"}}, true},
	{url: "mailto:" + strings.Repeat("a", 321-10) + "@b.example"},
	{"mailto:a@b.example?references=" + strings.Repeat("a", 898) + "@b", mail.Draft{To: []string{"a@b.example"}, References: []string{strings.Repeat("a", 898) + "@b"}}, true},
	{url: "mailto:a@b.example?references=" + strings.Repeat("a", 899) + "@b"},
	{"mailto:a@b.example?body=a%0Db%0Ac%0D%0Ad", mail.Draft{To: []string{"a@b.example"}, Body: "a\nb\nc\nd"}, true},

	{url: "mailto:a@b.example?subject=x%0D%0ABcc:%20e@f"},
	{url: "mailto:a@b.example?subject=x%0ABcc:%20e@f"},
	{url: "mailto:a@b.example?subject=x%0D"},
	{url: "mailto:a@b.example?subject=%00"},
	{url: "mailto:a@b.example?body=%00"},
	{url: "mailto:a@b.example?x-foo=%0d%0aBcc:e@e.e"},
	{url: "mailto:a@b.example?x-foo%0D%0ABcc=e@e.e"},
	{url: "mailto:a@b.example?x%00=y"},
	{url: "mailto:a@b.example?subject=one&subject=two%0ABcc:e@e.e"},
	{url: "mailto:a@b.example?in-reply-to=%3Ca@b%3E&in-reply-to=%3Cc@d%3E%00"},
	{url: "mailto:a@b.example?cc=e@f%0D%0AX:%20y"},
	{url: "mailto:a@b.example?bcc=%00"},
	{url: "mailto:a@b.example?cc=nobody"},
	{url: "mailto:a@b.example?in-reply-to=x%0D%0AY:z@w"},
	{url: "mailto:a@b.example?in-reply-to=%3Cx%3E"},
	{url: "mailto:%22a%5C%0D%0A%22@c.example"},
	{url: "mailto:a%0D%0A@b.example"},

	// RFC 822 §3.3: a fold in a quoted string means a space.
	{"mailto:%22a%0D%0A%20b%22@c.example", mail.Draft{To: []string{"a b@c.example"}}, true},
	{"mailto:%22a%0D%0A%09b%22@c.example", mail.Draft{To: []string{"a b@c.example"}}, true},
	{"mailto:%22a%09b%0D%0A%20%0D%0A%20c%22@d.example?cc=e@f", mail.Draft{To: []string{"a b  c@d.example"}, Cc: []string{"e@f"}}, true},
	{url: "mailto:%22a%0D%0Ab%22@c.example"},
	{url: "mailto:%22a%0A%20b%22@c.example"},
	{url: "mailto:a@b.example?cc=%22a%0D%0A%20b%22@c.example"},
	{url: "mailto:"},
	{url: "http://a@b.example/"},
	{url: "mailto:" + strings.Repeat("a", 400) + "@b.example"},
}

// req: 1738-3.5-2, 1738-6-2
func TestReadMailto(t *testing.T) {
	for _, test := range mailtos {
		d, err := mail.ReadMailto(url.MustParse(test.url))
		if (err == nil) != test.ok {
			t.Errorf("ReadMailto(%q) = %+v, %v, want success %v", test.url, d, err, test.ok)
			continue
		}
		if test.ok && !same(*d, test.want) {
			t.Errorf("ReadMailto(%q) = %+v, want %+v", test.url, *d, test.want)
		}
	}
}

func same(a, b mail.Draft) bool {
	return slices.Equal(a.To, b.To) && slices.Equal(a.Cc, b.Cc) && slices.Equal(a.Bcc, b.Bcc) &&
		slices.Equal(a.InReplyTo, b.InReplyTo) && slices.Equal(a.References, b.References) && slices.Equal(a.Dropped, b.Dropped) &&
		a.From == b.From && a.Subject == b.Subject && a.Keywords == b.Keywords && a.Comments == b.Comments && a.Body == b.Body
}

// checkWritten checks that the written message has exactly the fields of the
// draft.
func checkWritten(t *testing.T, d mail.Draft) {
	t.Helper()
	var b strings.Builder
	if err := d.Write(&b, now, "h.example"); err != nil {
		t.Fatalf("Write(%+v) = %v", d, err)
	}
	text := b.String()
	for line := range strings.Lines(text) {
		if len(line) > 1000 || !strings.HasSuffix(line, "\r\n") || strings.ContainsAny(line[:len(line)-2], "\r\n\x00") {
			t.Fatalf("%+v is written with the line %q", d, line)
		}
	}
	m, err := netmail.ReadMessage(strings.NewReader(text))
	if err != nil {
		t.Fatalf("%+v is written as %q: %v", d, text, err)
	}
	want := map[string]int{"Date": 1, "Message-Id": 1, "Mime-Version": 1, "Content-Type": 1, "Content-Transfer-Encoding": 1}
	got := mail.Draft{Dropped: d.Dropped, Body: d.Body}
	list := func(name string, addresses []string) (read []string) {
		if len(addresses) == 0 {
			return nil
		}
		want[name] = 1
		found, err := m.Header.AddressList(name)
		if err != nil {
			t.Fatalf("%s of %q: %v", name, text, err)
		}
		for _, a := range found {
			read = append(read, a.Address)
		}
		return read
	}
	words := func(name, value string) string {
		if value == "" {
			return ""
		}
		want[name] = 1
		read, err := new(mime.WordDecoder).DecodeHeader(m.Header.Get(name))
		if err != nil {
			t.Fatalf("%s of %q: %v", name, text, err)
		}
		return read
	}
	ids := func(name string, ids []string) (read []string) {
		if len(ids) == 0 {
			return nil
		}
		want[name] = 1
		for id := range strings.FieldsSeq(m.Header.Get(name)) {
			read = append(read, strings.Trim(id, "<>"))
		}
		return read
	}
	if d.From != "" {
		got.From = list("From", []string{d.From})[0]
	}
	got.To, got.Cc, got.Bcc = list("To", d.To), list("Cc", d.Cc), list("Bcc", d.Bcc)
	got.Subject, got.Keywords, got.Comments = words("Subject", d.Subject), words("Keywords", d.Keywords), words("Comments", d.Comments)
	got.InReplyTo, got.References = ids("In-Reply-To", d.InReplyTo), ids("References", d.References)
	if !same(got, d) {
		t.Errorf("%+v is written as %q, which means %+v", d, text, got)
	}
	if len(m.Header) != len(want) {
		t.Errorf("%+v is written with the fields %v, want %v", d, m.Header, want)
	}
	for name, values := range m.Header {
		if len(values) != want[name] {
			t.Errorf("%+v is written with %d fields %s, want %d", d, len(values), name, want[name])
		}
	}
	body := m.Body
	if m.Header.Get("Content-Transfer-Encoding") == "quoted-printable" {
		body = quotedprintable.NewReader(body)
	}
	content, err := io.ReadAll(body)
	if want := d.Body; err != nil || strings.TrimSuffix(strings.ReplaceAll(string(content), "\r\n", "\n"), "\n") != strings.TrimSuffix(want, "\n") {
		t.Errorf("the body %q is written as %q, %v", d.Body, content, err)
	}
}

func TestDraftWrite(t *testing.T) {
	for _, test := range mailtos {
		if test.ok {
			test.want.From = "me@h.example"
			checkWritten(t, test.want)
		}
	}
	for _, subject := range []string{
		"a  b", " a", "a ", "=?utf-8?q?x?=", "a\tb", strings.Repeat("x", 2000), strings.Repeat("word ", 300) + "end", strings.Repeat("é", 300), "a\r\nBcc: x@y",
		strings.Repeat("\u20ac", 14), strings.Repeat("\u20ac", 15), "x" + strings.Repeat("😀", 30),
	} {
		checkWritten(t, mail.Draft{Subject: subject})
	}
	for _, body := range []string{"x\n", ".\n.", "é", strings.Repeat("x", 3000), "trailing \n", "From me"} {
		checkWritten(t, mail.Draft{Body: body})
	}
	for _, d := range []mail.Draft{
		{To: []string{"a@b\r\nBcc: c@d"}},
		{From: "x\ny@z"},
		{Cc: []string{""}},

		{To: []string{"a b"}},
		{InReplyTo: []string{"a@b>\r\nX: y"}},
		{References: []string{"a b@c"}},
		{InReplyTo: []string{"é@b"}},
		{InReplyTo: []string{"a\x01@b"}},
		{InReplyTo: []string{"a\x00@b"}},
		{InReplyTo: []string{"a\x7f@b"}},
		{References: []string{"<a@b>"}},
		{References: []string{"a@b c@d"}},
		{References: []string{""}},
		{To: []string{"a\xff@b"}},
		{To: []string{strings.Repeat("a", 400) + "@b"}},
	} {
		var b strings.Builder
		if err := d.Write(&b, now, "h.example"); err == nil || b.Len() > 0 {
			t.Errorf("Write(%+v) = %q, %v, want an error", d, b.String(), err)
		}
	}
	if err := (&mail.Draft{}).Write(io.Discard, now, "h\r\nX: y"); err == nil {
		t.Errorf("a host with a line end is accepted")
	}
}

// Without a host the message-id has the host of the sender, or localhost.
func TestDraftIDHost(t *testing.T) {
	for from, want := range map[string]string{
		"ada@example.org": "example.org", "\"a@b\"@example.org": "example.org", "ada@[127.0.0.1]": "localhost", "ada@exämple.org": "localhost", "": "localhost",
	} {
		var b strings.Builder
		if err := (&mail.Draft{From: from}).Write(&b, now, ""); err != nil {
			t.Errorf("from %q: %v", from, err)
			continue
		}
		m, err := netmail.ReadMessage(strings.NewReader(b.String()))
		if err != nil {
			t.Fatalf("%q: %v", from, err)
		}
		if id := m.Header.Get("Message-ID"); !strings.HasSuffix(id, "@"+want+">") {
			t.Errorf("from %q: the message-id is %s, want the host %s", from, id, want)
		}
	}
}

// Texts of the header have this form, and the body has this encoding.
func TestDraftText(t *testing.T) {
	x := func(n int) string { return strings.Repeat("x", n) }
	for _, test := range []struct {
		d    mail.Draft
		want string // part of the message
	}{
		{mail.Draft{Subject: "plain text"}, "\r\nSubject: plain text\r\n"},
		{mail.Draft{Subject: x(67)}, "\r\nSubject: " + x(67) + "\r\n"}, // lines of 76
		{mail.Draft{Subject: x(68)}, "\r\nSubject: =?utf-8?b?eHh4"},
		{mail.Draft{Subject: x(33) + " " + x(33)}, "\r\nSubject: " + x(33) + " " + x(33) + "\r\n"},
		{mail.Draft{Subject: x(33) + " " + x(34)}, "\r\nSubject: " + x(33) + "\r\n " + x(34) + "\r\n"},
		{mail.Draft{Subject: x(33) + " " + x(34) + " " + x(40)}, "\r\nSubject: " + x(33) + "\r\n " + x(34) + " " + x(40) + "\r\n"},
		{mail.Draft{Subject: x(33) + " " + x(34) + " " + x(41)}, "\r\nSubject: " + x(33) + "\r\n " + x(34) + "\r\n " + x(41) + "\r\n"},
		{mail.Draft{Subject: x(20) + " " + x(20) + " " + x(25)}, "\r\nSubject: " + x(20) + " " + x(20) + " " + x(25) + "\r\n"},
		{mail.Draft{Subject: x(20) + " " + x(20) + " " + x(26)}, "\r\nSubject: " + x(20) + " " + x(20) + "\r\n " + x(26) + "\r\n"},
		{mail.Draft{Subject: "caf\u00e9"}, "\r\nSubject: =?utf-8?b?Y2Fmw6k=?=\r\n"},
		{mail.Draft{Subject: "caf\xe9"}, "\r\nSubject: =?utf-8?b?Y2Fm77+9?=\r\n"}, // invalid UTF-8 is replaced
		{mail.Draft{Subject: strings.Repeat("\x80", 100)}, "\r\nSubject: =?utf-8?b?77+9"},
		{mail.Draft{Subject: "a\x7fb"}, "\r\nSubject: =?utf-8?b?YX9i?=\r\n"},
		{mail.Draft{Subject: "=?x?="}, "\r\nSubject: =?utf-8?b?PT94Pz0=?=\r\n"},
		{mail.Draft{Subject: x(42) + "\u00e9"}, "\r\nSubject: =?utf-8?b?" + strings.Repeat("eHh4", 14) + "?=\r\n =?utf-8?b?w6k=?=\r\n"},
		{mail.Draft{Subject: x(41) + "\u00e9"}, "\r\nSubject: =?utf-8?b?" + strings.Repeat("eHh4", 13) + "eHg=?=\r\n =?utf-8?b?w6k=?=\r\n"},
		{mail.Draft{Subject: x(40) + "\u00e9"}, "\r\nSubject: =?utf-8?b?" + strings.Repeat("eHh4", 13) + "eMOp?=\r\n"},
		{mail.Draft{Body: "a"}, "\r\nContent-Transfer-Encoding: 7bit\r\n\r\na\r\n"},
		{mail.Draft{Body: ""}, "\r\nContent-Transfer-Encoding: 7bit\r\n\r\n"},
		{mail.Draft{Body: "\ta ~\n"}, "\r\nContent-Transfer-Encoding: 7bit\r\n\r\n\ta ~\r\n"},
		{mail.Draft{Body: x(798)}, "\r\nContent-Transfer-Encoding: 7bit\r\n\r\n"},
		{mail.Draft{Body: x(799)}, "\r\nContent-Transfer-Encoding: quoted-printable\r\n\r\n"},
		{mail.Draft{Body: "a\x7f"}, "\r\nContent-Transfer-Encoding: quoted-printable\r\n\r\na=7F\r\n"},
		{mail.Draft{Body: "a\x1b"}, "\r\nContent-Transfer-Encoding: quoted-printable\r\n\r\na=1B\r\n"},
		{mail.Draft{Body: "\u00e9"}, "\r\nContent-Transfer-Encoding: quoted-printable\r\n\r\n=C3=A9\r\n"},
		{mail.Draft{To: []string{"a@b", "c d@e"}}, "\r\nTo: <a@b>,\r\n <\"c d\"@e>\r\n"},
		{mail.Draft{References: []string{"a@b", "c@d"}}, "\r\nReferences: <a@b>\r\n <c@d>\r\n"},
		{mail.Draft{Keywords: "k", Comments: "c"}, "\r\nKeywords: k\r\nComments: c\r\n"},
		{mail.Draft{From: "a@b", Bcc: []string{"c@d"}}, "Date: Tue, 20 Dec 1994 09:30:15 +0000\r\nFrom: <a@b>\r\nBcc: <c@d>\r\nMessage-ID: <"},
	} {
		var b strings.Builder
		if err := test.d.Write(&b, now, "h.example"); err != nil || !strings.Contains(b.String(), test.want) {
			t.Errorf("%+v is written as %q, %v, want in it %q", test.d, b.String(), err, test.want)
		}
		if _, body, _ := strings.Cut(b.String(), "\r\n\r\n"); (body == "") != (test.d.Body == "") {
			t.Errorf("%+v is written with the body %q", test.d, body)
		}
	}
}

// Whatever the URL, the message has only the expected fields.
//
// The message of a mailserver URL equals the message of its mailto URL: a subject or a body cannot add a
// header field.
//
// req: 1738-6-2
func TestReadDraft(t *testing.T) {
	for _, test := range []struct {
		url  string
		want mail.Draft
		err  string
	}{
		{"mailserver:a@b.example/Hi%20there/get%20file/end", mail.Draft{To: []string{"a@b.example"}, Subject: "Hi there", Body: "get file\nend"}, ""},
		{"mailserver:a@b.example", mail.Draft{To: []string{"a@b.example"}}, ""},
		{"mailserver:a@b.example/x&cc=c@d/y&bcc=e@f", mail.Draft{To: []string{"a@b.example"}, Subject: "x&cc=c@d", Body: "y&bcc=e@f"}, ""},
		{"mailserver:a@b.example//one%0D%0A%0D%0Atwo", mail.Draft{To: []string{"a@b.example"}, Body: "one\n\ntwo"}, ""},
		{"mailto:a@b.example?subject=x", mail.Draft{To: []string{"a@b.example"}, Subject: "x"}, ""},
		{"mailserver:a@b.example/x%0D%0ABcc:%20c@d/", mail.Draft{}, `header field "subject" has CR at offset 1, which would end the line`},
		{"mailserver:a@b.example//x%00", mail.Draft{}, "body has NUL"},
		{"mailserver:a/b", mail.Draft{}, "draft-ietf-uri-url-mailserver-01"},
		{"http://h/", mail.Draft{}, `the scheme "mailto"`},
	} {
		d, err := mail.ReadDraft(url.MustParse(test.url))
		if test.err != "" {
			if err == nil || !strings.Contains(err.Error(), test.err) {
				t.Errorf("ReadDraft(%q): %v, want %s", test.url, err, test.err)
			}
			continue
		}
		if err != nil || !reflect.DeepEqual(*d, test.want) {
			t.Errorf("ReadDraft(%q) = %+v, %v, want %+v", test.url, d, err, test.want)
		}
	}
}

// req: 1738-6-2
func FuzzMailto(f *testing.F) {
	for _, test := range mailtos {
		f.Add(test.url)
	}
	f.Add("mailserver:a@b.example/x&cc=c@d/y/z")
	f.Fuzz(func(t *testing.T, text string) {
		u, err := url.Parse(text)
		if err != nil {
			return
		}
		d, err := mail.ReadDraft(u)
		if err != nil {
			return
		}
		checkWritten(t, *d)
	})
}

func TestReadOutgoing(t *testing.T) {
	for _, test := range []struct {
		text, sender string
		from, to     string
		want         string // the whole message; "" if it does not matter
		err          string
	}{
		{text: "From: A <a@b>\nTo: c@d, \"E, F\" <e@f>\nCc: c@d\nBcc: g@h\n\nx\n", from: "a@b", to: "c@d e@f g@h"},
		{text: "From: a@b\nSender: s@t\nTo: c@d\n\n", from: "s@t", to: "c@d"},
		{text: "From: a@b\nTo: c@d\n\n", sender: "z@z", from: "z@z", to: "c@d"},
		{text: "From: a@b\nTo:\nBcc: \n c@d\nBCC : e@f\n\n", from: "a@b", to: "c@d e@f"},
		{text: "From: a@b\nTo: Group: c@d, e@f;\n\n", from: "a@b", to: "c@d e@f"},
		{
			text: "From: a@b\r\nBcc: x@y,\r\n z@w\r\nTo: c@d\r\nDate: x\r\nMessage-ID: <i@j>\r\n\r\nBcc: stays\r\n.\nlone\rcr", from: "a@b", to: "c@d x@y z@w",
			want: "From: a@b\r\nTo: c@d\r\nDate: x\r\nMessage-ID: <i@j>\r\n\r\nBcc: stays\r\n.\r\nlone\r\ncr\r\n",
		},
		{text: "From: a@b\nTo: c@d", from: "a@b", to: "c@d"},
		{text: "From: a@b\n\n", err: "has no recipient"},
		{text: "To: a@b\n\n", err: "has no From"},
		{text: "From: a@b\nnonsense\nTo: c@d\n\n", err: `"nonsense" is not a header field`},
		{text: "From ada Tue\nTo: c@d\n\n", err: "is not a header field"},
		{text: "From: a@b\nSubject: x\rBcc: e@f\nTo: c@d\n\n", err: "CR or NUL"},
		{text: "From: a@b\nTo: nobody\n\n", err: "want user@host"},
		{text: "From: a@b\nTo: c@d\n\n", sender: "x\r\ny", err: "want user@host"},
		{text: "From: a@b\nTo: c@d\n\n", sender: "x\x7f@y", err: "want user@host"},
		{text: "From: a@b\nTo: c@d\n\n", sender: "x\xff@y", err: "want user@host"},
		{text: "From: a@b\nTo: c@d\n\n", sender: strings.Repeat("x", 319) + "@y", err: "321 bytes"},
		{text: "From: a@b\nTo: c@d\n\n", sender: strings.Repeat("x", 318) + "@y", from: strings.Repeat("x", 318) + "@y", to: "c@d"},
		{text: "From: a@b\nTo: c@d\nX\t : y\n\n", from: "a@b", to: "c@d"},
		{text: "From: a@b\nTo: c@d\nX~!: y\n z\n\t\n\n", from: "a@b", to: "c@d"},
		{text: "From: a@b\n: c@d\n\n", err: "is not a header field"},
		{text: "From: a@b\n \n: c@d\n\n", err: "is not a header field"},
		{text: " From: a@b\n\n", err: "is not a header field"},
		{text: "From: a@b\nX Y: c@d\n\n", err: "is not a header field"},
		{text: "From: a@b\nX\x7f: c@d\n\n", err: "is not a header field"},
		{text: "From: a@b\nX\u00e9: c@d\n\n", err: "is not a header field"},
		{text: "From: a@b\nX\x00: c@d\n\n", err: "is not a header field"},
		{text: "From: a@b\n\rBcc: c@d\n\n", err: "is not a header field"},
		{text: "From: a@b\nX: c\x00d\n\n", err: "CR or NUL"},
		{text: "From: a@b\nX: c\r\r\n\n", err: "CR or NUL"},
		{text: strings.Repeat("X: y\n", 1<<18), err: "a header of more than"},
	} {
		m, err := mail.ReadOutgoing(strings.NewReader(test.text), test.sender, now, "h.example")
		if test.err != "" {
			if err == nil || !strings.Contains(err.Error(), test.err) {
				t.Errorf("ReadOutgoing(%.100q) = %v, want %q", test.text, err, test.err)
			}
			continue
		}
		if err != nil || m.From != test.from || strings.Join(m.To, " ") != test.to {
			t.Errorf("ReadOutgoing(%q) = %+v, %v, want from %s to %s", test.text, m, err, test.from, test.to)
			continue
		}
		var b strings.Builder
		if n, err := m.WriteTo(&b); err != nil || n != int64(b.Len()) || test.want != "" && b.String() != test.want {
			t.Errorf("WriteTo = %d, %v, %q, want %q", n, err, b.String(), test.want)
		}
		if head, _, _ := strings.Cut(b.String(), "\r\n\r\n"); strings.Contains(strings.ToLower(head), "bcc") || !strings.Contains(head, "Date: ") || !strings.Contains(head, "Message-ID: <") {
			t.Errorf("%q is sent as %q", test.text, head)
		}
	}
}

// A sent message has lines that end in CR LF, and no lone CR or LF.
func FuzzOutgoing(f *testing.F) {
	for _, body := range []string{"", "a", "\r", "\n", "\r\n", "\r\r\n\n.", ".\r.\r\n..", "a\x00"} {
		f.Add("Subject: x\n", body)
	}
	f.Fuzz(func(t *testing.T, fields, body string) {
		m, err := mail.ReadOutgoing(strings.NewReader("From: a@b\nTo: c@d\n"+fields+"\n"+body), "", now, "h.example")
		if err != nil {
			return
		}
		var b strings.Builder
		if _, err := m.WriteTo(&b); err != nil {
			t.Fatal(err)
		}
		bare := strings.ReplaceAll(b.String(), "\r\n", "")
		if strings.ContainsAny(bare, "\r\n") || !strings.HasSuffix(b.String(), "\r\n") {
			t.Errorf("%q, %q is sent as %q", fields, body, b.String())
		}
		head, _, _ := strings.Cut(b.String(), "\r\n\r\n")
		for line := range strings.SplitSeq(head, "\r\n") {
			if strings.HasPrefix(strings.ToLower(line), "bcc:") {
				t.Errorf("%q is sent with %q", fields, line)
			}
		}
		if !slices.Contains(m.To, "c@d") || !utf8.ValidString(strings.Join(m.To, "")) {
			t.Errorf("%q goes to %q", fields, m.To)
		}
	})
}
