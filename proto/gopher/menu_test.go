package gopher

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"
	"time"

	"locus/access"
	"locus/scheme"
)

// req: 1738-3.4-4
func TestMenuLine(t *testing.T) {
	for _, test := range []struct {
		line  string
		kind  access.Kind
		title string
		url   string
		media string
	}{
		{"0Text\t/t\th.example\t70", access.Object, "Text", "gopher://h.example/0/t", "text/plain"},
		{"0Text\t/t\th.example\t7070", access.Object, "Text", "gopher://h.example:7070/0/t", "text/plain"},
		{"1Menu\t\th\t70", access.Directory, "Menu", "gopher://h/1", menuType},
		{"1Menu\t1/m\th\t70\t+", access.Directory, "Menu", "gopher://h/11/m%09%09+", menuType},
		{"0Form\t/f\th\t70\t?", access.Form, "Form", "gopher://h/0/f%09%09%3F", "text/plain"},
		{"0Other\t/f\th\t70\tx", access.Object, "Other", "gopher://h/0/f", "text/plain"},
		{"0More\t/f\th\t70\t+\tmore\tand more", access.Object, "More", "gopher://h/0/f%09%09+", "text/plain"},
		{"2People\t\tph.example\t105", access.Search, "People", "gopher://ph.example:105/2", "text/plain"},
		{"3Gone\t\terror.host\t1", access.Failure, "Gone", "", ""},
		{"4Mac\tm\th\t70", access.Object, "Mac", "gopher://h/4m", "application/mac-binhex40"},
		{"5Dos\td\th\t70", access.Object, "Dos", "gopher://h/5d", "application/octet-stream"},
		{"6Unix\tu\th\t70", access.Object, "Unix", "gopher://h/6u", "text/x-uuencode"},
		{"7Find\tf\th\t70", access.Search, "Find", "gopher://h/7f", menuType},
		{"7Find\tf\th\t70\t+", access.Search, "Find", "gopher://h/7f%09%09+", menuType},
		{"9Bits\tb\th\t70", access.Object, "Bits", "gopher://h/9b", "application/octet-stream"},
		{"gGIF\tg\th\t70", access.Object, "GIF", "gopher://h/gg", "image/gif"},
		{"IImage\ti\th\t70", access.Object, "Image", "gopher://h/Ii", ""},
		{"pPNG\tp\th\t70", access.Object, "PNG", "gopher://h/pp", "image/png"},
		{"PPDF\tp\th\t70", access.Object, "PDF", "gopher://h/Pp", "application/pdf"},
		{"dDoc\td\th\t70", access.Object, "Doc", "gopher://h/dd", ""},
		{"rRTF\td\th\t70", access.Object, "RTF", "gopher://h/rd", "application/rtf"},
		{"sSound\ts\th\t70", access.Object, "Sound", "gopher://h/ss", ""},
		{"<Sound\ts\th\t70\t+", access.Object, "Sound", "gopher://h/%3Cs%09%09+", ""},
		{";Movie\ts\th\t70", access.Object, "Movie", "gopher://h/%3Bs", ""},
		{":Bitmap\ts\th\t70", access.Object, "Bitmap", "gopher://h/%3As", ""},
		{"MMail\tm\th\t70", access.Object, "Mail", "gopher://h/Mm", "message/rfc822"},
		{"cDates\tm\th\t70", access.Object, "Dates", "gopher://h/cm", "text/calendar"},
		{"eEvent\tm\th\t70", access.Object, "Event", "gopher://h/em", ""},
		{"XXML\tm\th\t70", access.Object, "XML", "gopher://h/Xm", "application/xml"},
		{"~New\tm\th\t70", access.Unknown, "New", "gopher://h/%7Em", ""},

		{"iA line\tfake\t(NULL)\t0", access.Info, "A line", "", ""},
		{"iA line", access.Info, "A line", "", ""},
		{"i", access.Info, "", "", ""},
		{"A line", access.Info, "A line", "", ""},
		{"\tA\tb", access.Info, "\tA\tb", "", ""},
		{" 1A\tb\th\t70", access.Info, " 1A\tb\th\t70", "", ""},

		{"8Login\tguest\th\t23", access.Terminal, "Login", "telnet://guest@h", ""},
		{"8Login\t\th\t2323", access.Terminal, "Login", "telnet://h:2323", ""},
		{"8Login\ta b:c@d\th\t0", access.Terminal, "Login", "telnet://a%20b%3Ac%40d@h", ""},
		{"8Login\tx\t\t23", access.Terminal, "Login", "", ""},
		{"TScreen\tguest\th\t23", access.Terminal, "Screen", "tn3270://guest@h", ""},

		{"hPage\tp.html\th\t70", access.Object, "Page", "gopher://h/hp.html", "text/html"},
		{"hWeb\tURL:http://example.org/a?b#c\th\t70", access.Object, "Web", "http://example.org/a?b#c", "text/html"},
		{"hWeb\t/URL:https://example.org/\th\t70", access.Object, "Web", "https://example.org/", "text/html"},
		{"hMail\tURL:mailto:a@b\th\t70", access.Unknown, "Mail", "mailto:a@b", ""},
		{"hShell\tURL:telnet://h/\th\t70", access.Terminal, "Shell", "telnet://h/", ""},
		{"hGemini\tURL:gemini://h/\th\t70", access.Unknown, "Gemini", "gemini://h/", ""},
		{"hOld\tGET /index.html\twww.example\t80", access.Object, "Old", "http://www.example/index.html", "text/html"},
		{"hOld\tGET /i?q\t::1\t8080", access.Object, "Old", "http://[::1]:8080/i?q", "text/html"},
		{"hOld\tGET /a b\twww.example\t80", access.Unknown, "Old", "", ""},
		{"hOld\tGET //x\twww.example\t80", access.Object, "Old", "http://www.example//x", "text/html"},
		{"hOld\tGET @evil/\twww.example\t80", access.Unknown, "Old", "", ""},
		{"wWeb\thttp://example.org/\th\t70", access.Object, "Web", "http://example.org/", "text/html"},
		{"wWeb\tw\th\t70", access.Object, "Web", "gopher://h/ww", "text/html"},
		{"hBad\tURL:javascript:alert(1)\th\t70", access.Unknown, "Bad", "", ""},
		{"hBad\tURL:JavaScript://h/%0Aalert(1)\th\t70", access.Unknown, "Bad", "", ""},
		{"hBad\tURL:data:text/html,x\th\t70", access.Unknown, "Bad", "", ""},
		{"hBad\tURL:vbscript:x\th\t70", access.Unknown, "Bad", "", ""},
		{"hBad\tURL:file:///etc/passwd\th\t70", access.Unknown, "Bad", "", ""},
		{"hBad\tURL:view-source:x\th\t70", access.Unknown, "Bad", "", ""},
		{"hBad\tURL:x/y\th\t70", access.Unknown, "Bad", "", ""},
		{"hBad\tURL:http://a b/\th\t70", access.Unknown, "Bad", "", ""},

		{"0Bad\t/t\th.example\tx", access.Object, "Bad", "", "text/plain"},
		{"0Bad\t/t\th.example\t0", access.Object, "Bad", "", "text/plain"},
		{"0Bad\t/t\th.example\t65536", access.Object, "Bad", "", "text/plain"},
		{"0Bad\t/t\th.example\t-1", access.Object, "Bad", "", "text/plain"},
		{"0Bad\t/t\th.example", access.Object, "Bad", "", "text/plain"},
		{"0Bad\t/t", access.Object, "Bad", "", "text/plain"},
		{"0Bad\t/t\t\t70", access.Object, "Bad", "", "text/plain"},
		{"0Bad\t/t\ta b\t70", access.Object, "Bad", "", "text/plain"},
		{"0Bad\t/t\tu@h\t70", access.Object, "Bad", "", "text/plain"},
		{"0Bad\t/t\th/x\t70", access.Object, "Bad", "", "text/plain"},
		{"0Bad\ta\rb\th\t70", access.Object, "Bad", "", "text/plain"},
		{"0Bad\ta\x00b\th\t70", access.Object, "Bad", "", "text/plain"},

		{"0Port \t/t\th\t 70 ", access.Object, "Port ", "gopher://h/0/t", "text/plain"},
		{"0V6\t/t\t::1\t70", access.Object, "V6", "gopher://[::1]/0/t", "text/plain"},
		{"0V6\t/t\t[::1]\t71", access.Object, "V6", "gopher://[::1]:71/0/t", "text/plain"},
		{"0Oct\xe9t\t/\xe9 %?#\th\t70", access.Object, "Oct\xe9t", "gopher://h/0/%E9%20%25%3F%23", "text/plain"},
	} {
		e := parseItem(test.line).entry('1')
		if e.Kind != test.kind || e.Title != test.title || e.URL.String() != test.url || e.Type != test.media || e.Size != -1 {
			t.Errorf("the line %q gives %s %q %q %q %d, want %s %q %q %q -1", test.line,
				e.Kind, e.Title, e.URL, e.Type, e.Size, test.kind, test.title, test.url, test.media)
		}
	}
}

func TestMirror(t *testing.T) {
	menu := "+First\t/x\ta\t70\r\n0Text\t/x\ta\t70\r\niinfo\t\t\t\r\n+Text\t/x\tb\t70\r\n+Text\t/x\tc\t70\r\n"
	l := testListing(t, menu)
	var got []string
	for {
		e, err := l.next()
		if err == io.EOF {
			break
		}
		got = append(got, e.URL.String())
	}
	want := []string{"gopher://a/1/x", "gopher://a/0/x", "", "gopher://b/0/x", "gopher://c/0/x"}
	if !slices.Equal(got, want) {
		t.Errorf("a menu with mirrors gives %q, want %q", got, want)
	}
}

func testListing(t *testing.T, text string) *listing {
	t.Helper()
	l, err := newListing(&transaction{}, strings.NewReader(text), true)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// The URL of an entry has the type, selector and host of its menu line.
func FuzzMenuLine(f *testing.F) {
	for _, seed := range []string{
		"0Text\t/t\th\t70", "1Menu\t1/m\th\t7070\t+", "7F\t\xff\t::1\t1\t?", "8x\tu\th\t23", "hx\tURL:http://h/\th\t70", "\xe9x\ta\tb\t1", "ix", "+x\ty\tz\t70",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		item := parseItem(strings.ReplaceAll(text, "\n", ""))
		e := item.entry('1')
		_, isLink := item.link()
		if e.URL.IsZero() || e.URL.Scheme() != "gopher" || isLink {
			return
		}
		v, err := scheme.ParseGopher(e.URL)
		if err != nil {
			t.Fatalf("ParseGopher(%q) = %v", e.URL, err)
		}
		port := v.Port
		if port == 0 {
			port = defaultPort
		}
		wantType := item.Type
		if wantType == '+' {
			wantType = '1'
		}
		host := strings.Trim(item.Host, "[]")
		if v.Type != wantType || v.Selector != item.Selector || !strings.EqualFold(v.Name, host) || port != item.Port || v.Plus.Text != item.Plus {
			t.Errorf("the line %q gives %q, which means %+v", text, e.URL, v)
		}
		if _, err := parseRequest(e.URL); err != nil {
			t.Errorf("the line %q gives %q, which is refused: %v", text, e.URL, err)
		}
	})
}

func TestAttributes(t *testing.T) {
	const text = "+INFO: 0multi\t0/multi\th\t70\t+\r\n" +
		"+ADMIN:\r\n Admin: A <a@h>\r\n mod-date: Sat <20261121015355>\r\n" +
		"+VIEWS:\r\n Text/plain De_DE: <.1k>\r\n application/x: y:z\r\n image/gif\r\n\r\n junk\r\n" +
		"+ABSTRACT: 0long\tsel\th\t70\t+\r\n  two blanks\r\n\r\n" +
		"garbage\r\n" +
		"+EMPTY\r\n" +
		"+INFO 1root\t\th\t70\r\n"
	l := testListing(t, text)
	first, err := l.next()
	if err != nil {
		t.Fatal(err)
	}
	item := first.Sys.(*Item)
	if first.Title != "multi" || first.Type != "text/plain" || !first.ModTime.Equal(time.Date(2026, 11, 21, 1, 53, 55, 0, time.UTC)) {
		t.Errorf("the first item is %+v", first)
	}
	wantViews := []View{{"Text/plain", "De_DE", 102}, {"application/x:", "y", -1}, {"image/gif", "", -1}, {"junk", "", -1}}
	if got := item.Views(); !slices.Equal(got, wantViews) {
		t.Errorf("Views() = %v, want %v", got, wantViews)
	}
	want := `[{ADMIN  [Admin: A <a@h> mod-date: Sat <20261121015355>]} {VIEWS  [Text/plain De_DE: <.1k> application/x: y:z image/gif junk]} {ABSTRACT 0long	sel	h	70	+ [ two blanks]} {EMPTY  []}]`
	if got := fmt.Sprint(item.Attributes); got != want {
		t.Errorf("Attributes = %s, want %s", got, want)
	}
	if lines, ok := item.Attribute("abstract"); ok {
		t.Errorf("Attribute(abstract) = %q, want none: names are compared as they are", lines)
	}
	second, err := l.next()
	if err != nil || second.Title != "root" || second.Kind != access.Directory {
		t.Errorf("the second item is %+v, %v", second, err)
	}
	if _, err := l.next(); err != io.EOF {
		t.Errorf("after the last item: %v, want EOF", err)
	}
	if _, err := l.next(); err != io.EOF {
		t.Errorf("after the end: %v, want EOF", err)
	}
}

// An item with questions is a form, whatever its menu line says.
func TestAskMakesForm(t *testing.T) {
	for _, plus := range []string{"", "\t+", "\t?"} {
		e, err := testListing(t, "+INFO: 0x\tx\th\t70"+plus+"\r\n+ASK:\r\n Ask: x\r\n").next()
		if err != nil || e.Kind != access.Form || e.URL.String() != "gopher://h/0x%09%09%3F" {
			t.Errorf("an item with +ASK and %q = %s %q, %v, want a form", plus, e.Kind, e.URL, err)
		}
	}
}

// A menu may lack the end of its last line, and may start with a byte order mark.
func TestMenuFile(t *testing.T) {
	for _, test := range []struct {
		text string
		want []string
		err  error
	}{
		{"0a\t/a\th\t70\r\n0b\t/b\th\t7070", []string{"gopher://h/0/a", "gopher://h:7070/0/b"}, io.EOF},
		{"0a\t/a\th\t70\r\n0b\t/b\th\t70\t+", []string{"gopher://h/0/a", "gopher://h/0/b%09%09+"}, io.EOF},
		{"0a\t/a\th\t70\r\n0b\t/b\th", []string{"gopher://h/0/a"}, io.ErrUnexpectedEOF},
		{"0a\t/a\th\t70\r\n0b\t/b\th\t", []string{"gopher://h/0/a"}, io.ErrUnexpectedEOF},
		{"\ufeff0a\t/a\th\t70\r\n0b\t/b\th\t70\r\n", []string{"gopher://h/0/a", "gopher://h/0/b"}, io.EOF},
		{"\ufeff0a\t/a\th\t70", []string{"gopher://h/0/a"}, io.EOF},
	} {
		l := testListing(t, test.text)
		var got []string
		e, err := l.next()
		for ; err == nil; e, err = l.next() {
			got = append(got, e.URL.String())
		}
		if !slices.Equal(got, test.want) || !errors.Is(err, test.err) {
			t.Errorf("the menu %q has %q, %v, want %q, %v", test.text, got, err, test.want, test.err)
		}
	}
}

func TestAttributesEndEarly(t *testing.T) {
	l := testListing(t, "+INFO: 0x\ty\th\t70\r\n+ADMIN:\r\n Adm")
	if _, err := l.next(); !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("attributes that end within a line give %v, want io.ErrUnexpectedEOF", err)
	}
}

func TestParseView(t *testing.T) {
	for _, test := range []struct {
		line string
		want View
	}{
		{"Text/plain: <10k>", View{"Text/plain", "", 10240}},
		{"Text/plain De_DE: <.0k>", View{"Text/plain", "De_DE", 0}},
		{"application/gopher+-menu:", View{"application/gopher+-menu", "", -1}},
		{"a/b: <100K>", View{"a/b", "", 102400}},
		{"a/b  c : <12>", View{"a/b", "c", 12}},
		{"a/b: <>", View{"a/b", "", -1}},
		{"a/b: <x>", View{"a/b", "", -1}},
		{"a/b: <-1k>", View{"a/b", "", -1}},
		{"a/b: <1e300k>", View{"a/b", "", -1}},
		{"a/b: <NaNk>", View{"a/b", "", -1}},
		{"", View{"", "", -1}},
	} {
		if got := parseView(test.line); got != test.want {
			t.Errorf("parseView(%q) = %+v, want %+v", test.line, got, test.want)
		}
	}
}

// Reading attributes ends, and stays within the limits.
func FuzzAttributes(f *testing.F) {
	f.Add("+INFO: 0x\ty\th\t70\t+\r\n+ADMIN:\r\n Mod-Date: <20260101000000>\r\n+VIEWS:\r\n a b: <1k>\r\n")
	f.Add("+INFO 1\r\n+INFO: \r\n+ASK:\r\n Ask: x\ty\r\n Choose: x\ta\tb\r\n")
	f.Add("+INFO\r\n x")
	f.Fuzz(func(t *testing.T, text string) {
		r := &attributeReader{r: bufio.NewReaderSize(strings.NewReader(text), maxLine)}
		for n := 0; ; n++ {
			item, err := r.next()
			if err != nil {
				return
			}
			if n > len(text) {
				t.Fatalf("%q has more than %d items, one for each byte", text, n)
			}
			for _, v := range item.Views() {
				if v.Size < -1 {
					t.Errorf("view %+v", v)
				}
			}
			lines, _ := item.Attribute("ASK")
			for _, q := range parseQuestions(lines) {
				if q.Name == "" {
					t.Errorf("a question without a name: %+v", q)
				}
			}
		}
	})
}

// A parsed header, formatted and parsed again, is the same.
func FuzzHeader(f *testing.F) {
	for _, seed := range []string{"+5\r\n", "+-1\r\n", "--2\n", "-3 \r\n", "+", "+-0\r\n", "+99999999999999999999\r\n"} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, line []byte) {
		h, ok, err := parseHeader(line)
		if !ok || err != nil {
			return
		}
		sign := map[bool]string{true: "+", false: "-"}[h.isSuccess]
		again, ok, err := parseHeader(fmt.Appendf(nil, "%s%d\r\n", sign, h.size))
		h.endsInLF = false
		if again != h || !ok || err != nil || h.size < untilClose {
			t.Errorf("parseHeader(%q) = %+v, which gives %+v, %t, %v", line, h, again, ok, err)
		}
	})
}
