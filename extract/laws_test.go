package extract

import (
	"errors"
	"io"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"
	"testing/iotest"

	"locus/url"
)

// seeds are texts with every kind of match, at the start and the end of the text and next to other characters.
var seeds = []string{
	"<URL:ftp://h/a\n b> URL:x:y <URL:http://a-\nb/> <url:", "https://example.org/a_(b)/c?d=e#f, http://[::1]:80/ 'http://x/y'",
	"mailto:a@b.c urn:isbn:1 data:text/plain,x tel:+1 news:*", "foo.com:8080/x jo@foo.com 1.2.3.4 ::1 fe80::1 foo.com-bar",
	"/a/b ./c ../d (see /e) http://h/é。http://中国.中国/", "http://a(http://b[http://c{", "http://u:p@h:1/%zz#a#b", "http://h/a…”»，",
	"git+https://h/ xhttp://h http://h:port/ http:///x file:///x http://.", "\xff http://h/\xff http://h\xff", "a.b.c.d.com/é?x=http://y/",
	"日本語h.example中国語 http://h.exampleだ http://h:80を http://a,http://b;ftp://c's localhost:80 o'x+y~z@h.example a.com+b@h.example @h.example [1::2]:80/x [1::3]/",
	"/*! a | http://h*/*,:b{c:d} http://h/*/x /* http://h/a*/b", "_http://h/a_ ~~http://h~~ http://h/a— b–",
	"/0://[] ?x://did:a:b", "file://:!git) http://[::1],http://b/ http://h/\xe3\x81 1::2:3:4 h.example\xe3",
}

func FuzzScanner(f *testing.F) {
	for _, s := range seeds {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if len(text) > 1<<13 {
			return
		}
		o := everything(t)
		all := collect(t, text, o)
		end := int64(0)
		for _, m := range all {
			law(t, text, m, end)
			end = m.Offset + int64(m.Length)
		}
		one := drain(t, NewScanner(iotest.OneByteReader(strings.NewReader(text)), o))
		if !reflect.DeepEqual(all, one) {
			t.Errorf("All(%q) byte by byte = %+v, want %+v", text, one, all)
		}
		// The text is repeated many times, and read in the smallest window and in small parts.
		o.MaxLength = lookBehind
		long := strings.Repeat(text+"\n", 1+4*lookBehind/(len(text)+1))
		want := collect(t, long, o)
		for _, growth := range []int{0, lookBehind} {
			s := NewScanner(iotest.HalfReader(strings.NewReader(long)), o)
			useWindow(s, s.finder.minWindow(), s.finder.minWindow()+growth)
			if got := drain(t, s); !reflect.DeepEqual(got, want) {
				t.Errorf("All(%q…) in a small window = %+v, want %+v", text, got, want)
			}
		}
		var got []Match
		for m, err := range inOrder(parallel(&splitText{r: strings.NewReader(long), size: int64(len(long)), options: o, part: 1000}, 3, outcomes)) {
			if err != nil && !errors.Is(err, ErrTooLong) {
				t.Fatal(err)
			}
			got = append(got, m)
		}
		if !reflect.DeepEqual(got, want) {
			t.Errorf("Parallel(%q…) = %+v, want %+v", text, got, want)
		}
	})
}

// The same laws hold for texts that consist of tokens with a meaning for the extractor, in random order.
func TestTokens(t *testing.T) {
	tokens := strings.Split("http:// https: // h . example com : 80 / ? # % %41 [ ] ( ) ' \" < > , ; &gt; @ jo ::1 fe80 é \xe3 中 <URL: URL: - \n mailto: a 1.2.3.4 localhost data: urn:ab: did: web: tag: ,2002: x+ .. ./ { } … 。 + git file: news: * _ !", " ")
	tokens = append(tokens, " ")
	random := rand.New(rand.NewPCG(5, 6))
	s := NewScanner(nil, Options{})
	for range 300 {
		var b strings.Builder
		for range 1 + random.IntN(14) {
			b.WriteString(tokens[random.IntN(len(tokens))])
		}
		text := b.String()
		for _, o := range []Options{{}, everything(t), {Unknown: true}, {Markdown: true}} {
			s.finder = newFinder(o)
			s.base = o.Base.String()
			s.Reset(strings.NewReader(text))
			all := drain(t, s)
			end := int64(0)
			for _, m := range all {
				law(t, text, m, end)
				end = m.Offset + int64(m.Length)
			}
			s.Reset(iotest.OneByteReader(strings.NewReader(text)))
			if one := drain(t, s); !reflect.DeepEqual(one, all) {
				t.Errorf("All(%q) byte by byte = %q, want %q", text, texts(one), texts(all))
			}
			var parts []Match
			for m, err := range inOrder(parallel(&splitText{r: strings.NewReader(text), size: int64(len(text)), options: o, part: 7}, 2, outcomes)) {
				if err != nil {
					t.Fatal(err)
				}
				parts = append(parts, m)
			}
			if !reflect.DeepEqual(parts, all) {
				t.Errorf("Parallel(%q) = %q, want %q", text, texts(parts), texts(all))
			}
		}
		wrapLaw(t, text, everything(t), 1+b.Len()%30)
	}
}

// law checks the properties that every match has.
func law(t *testing.T, text string, m Match, end int64) {
	t.Helper()
	past := m.Offset + int64(m.Length)
	if m.Offset < end || m.Length <= 0 || past > int64(len(text)) {
		t.Fatalf("the match %+v of %q is invalid after offset %d", m, text, end)
	}
	in := text[m.Offset:past]
	switch {
	case isTooLong(m):
		return
	case m.Kind == Prefixed:
		in = in[len("URL:"):]
	case m.Kind == Wrapped:
		joined, _ := joinLines(nil, nil, []byte(in[len("<URL:"):len(in)-1]))
		in = string(joined)
	}
	if m.Text != in {
		t.Errorf("the match %+v of %q is not the text %q at its offset", m, text, in)
	}
	u, err := m.URL()
	if err != nil || !u.IsAbs() {
		t.Errorf("URL of the match %q (%v) of %q = %q, %v", m.Text, m.Kind, text, u, err)
	}
	if direct, err := url.Parse(m.Text); err == nil && m.Kind <= Prefixed && direct != u {
		t.Errorf("%q is parsed as %v, but URL() = %v", m.Text, direct, u)
	}
	// escape does not change a text that can be parsed.
	if _, err := url.Parse(m.Text); err == nil && escape(m.Text) != m.Text {
		t.Errorf("escape(%q) = %q, want no change", m.Text, escape(m.Text))
	}
	before := text[:m.Offset]
	line, column := strings.Count(before, "\n")+1, len(before)-strings.LastIndexByte(before, '\n')
	if m.Line != line || m.Column != column {
		t.Errorf("the match %q of %q is at %d:%d, want %d:%d", m.Text, text, m.Line, m.Column, line, column)
	}
}

func drain(t *testing.T, s *Scanner) (all []Match) {
	t.Helper()
	for {
		m, err := s.Next()
		if errors.Is(err, io.EOF) {
			return all
		}
		if err != nil && !errors.Is(err, ErrTooLong) {
			t.Fatal(err)
		}
		all = append(all, m.Match())
	}
}

// The URL in a wrapper is found however its lines were broken.
func FuzzWrapper(f *testing.F) {
	f.Add("http://h/a-b")
	f.Add("ftp://u:p@h/%2F/a;type=a")
	f.Fuzz(func(t *testing.T, text string) {
		u, err := url.Parse(text)
		if err != nil || !u.IsAbs() || len(text) > 1<<12 || strings.Contains(text, "-/") {
			return
		}
		for _, broken := range []string{text, strings.ReplaceAll(text, "/", "\n /")} {
			found := collect(t, "<URL:"+broken+">", Options{})
			if len(found) != 1 || found[0].Text != text {
				t.Errorf("All(<URL:%q>) = %q, want %q", broken, texts(found), text)
			}
		}
	})
}

// isTooLong reports whether the error that comes with m is ErrTooLong.
func isTooLong(m Match) bool { return len(m.Text) == 256 && m.Length >= 512 }
