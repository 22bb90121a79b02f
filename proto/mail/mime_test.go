package mail_test

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"slices"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"locus/access"
	"locus/proto/mail"
	"locus/url"
)

// message returns a message with a Message-ID and rest.
func message(rest string) string { return "Message-ID: <m@x>\n" + rest }

// nested returns nested multiparts with a part in the innermost.
func nested(depth int) string {
	var b strings.Builder
	for i := range depth {
		fmt.Fprintf(&b, "Content-Type: multipart/mixed; boundary=b%d\n\n--b%d\n", i, i)
	}
	return b.String() + "Content-ID: <c@x>\n\nfound\n"
}

// Parts are found in valid and in invalid messages.
func TestParts(t *testing.T) {
	for _, test := range []struct {
		name, text, id string
		want           string
		err            error
	}{
		{"the message itself", "Content-ID: <c@x>\nContent-Transfer-Encoding: base64\n\naGk=\n", "c@x", "hi", nil},
		{"quoted-printable", "Content-ID: <c@x>\nContent-Transfer-Encoding: Quoted-Printable\n\na=3D=\nb\n", "c@x", "a=b\n", nil},
		{"an id without brackets", "Content-ID: c@x\n\nhi", "c@x", "hi", nil},
		{"an id in a comment's place", "Content-ID: x <c@x> y\n\nhi", "c@x", "hi", nil},
		{"a quoted boundary", "Content-Type: multipart/mixed; boundary=\"a b\"\n\n--a b\nContent-ID: <c@x>\n\nhi\n--a b--\n", "c@x", "hi", nil},
		{"the second with that id", "Content-Type: multipart/mixed; boundary=b\n\n--b\nContent-ID: <c@x>\n\none\n--b\nContent-ID: <c@x>\n\ntwo\n--b--\n", "c@x", "one", nil},
		{"in CR LF", "Content-Type: multipart/mixed; boundary=b\r\n\r\n--b\r\nContent-ID: <c@x>\r\n\r\nhi\r\n--b--\r\n", "c@x", "hi", nil},
		{"an inner multipart without its end", "Content-Type: multipart/mixed; boundary=a\n\n--a\nContent-Type: multipart/mixed; boundary=b\n\n--b\nX: y\n\nno\n--a\nContent-ID: <c@x>\n\nhi\n--a--\n", "c@x", "hi", nil},
		{"a message in the message", "Content-Type: multipart/mixed; boundary=a\n\n--a\nContent-Type: message/rfc822\n\nContent-ID: <c@x>\n\nno\n--a--\n", "c@x", "", fs.ErrNotExist},
		{"cut off", "Content-Type: multipart/mixed; boundary=b\n\n--b\nContent-ID: <c@x>\n\nhi\n", "c@x", "hi", io.ErrUnexpectedEOF},
		{"cut off before the part", "Content-Type: multipart/mixed; boundary=b\n\n--b\nX: y\n\nhi\n", "c@x", "", io.ErrUnexpectedEOF},
		{"base64 cut off", "Content-ID: <c@x>\nContent-Transfer-Encoding: base64\n\naGkh\naG", "c@x", "hi!", io.ErrUnexpectedEOF},
		{"deep", nested(20), "c@x", "found", io.ErrUnexpectedEOF},
		{"too deep", nested(2000), "c@x", "", access.ErrTooLong},
		{"many", "Content-Type: multipart/mixed; boundary=b\n\n" + strings.Repeat("--b\n\n", 20_000), "c@x", "", access.ErrTooLong},
		{"a long boundary", "Content-ID: <c@x>\nContent-Type: multipart/mixed; boundary=" + strings.Repeat("b", 5000) + "\n\nhi", "c@x", "hi", nil},
		{"a long header", strings.Repeat("X: y\n", 1<<18) + "Content-ID: <c@x>\n\nhi", "c@x", "", access.ErrTooLong},
		{"a long field", "Content-ID: <c@x>\nX: " + strings.Repeat("y", 1<<19) + "\n\nhi", "c@x", "hi", nil},
	} {
		source := sourceFunc(func() (*mail.Message, error) {
			return &mail.Message{Body: io.NopCloser(strings.NewReader(message(test.text))), Size: -1}, nil
		})
		_, got, err := read(t.Context(), mail.Client{Sources: []mail.Source{source}}, "mid:m@x/"+test.id)
		if got != test.want || !errors.Is(err, test.err) {
			t.Errorf("%s: %.100q, %v, want %q, %v", test.name, got, err, test.want, test.err)
		}
	}
}

// A listing of any input is bounded, and ends.
func TestListingHostile(t *testing.T) {
	for _, test := range []struct {
		name, text string
		want       error
	}{
		{"too deep", nested(2000), access.ErrTooLong},
		{"many parts", "Content-Type: multipart/mixed; boundary=b\n\n" + strings.Repeat("--b\nContent-ID: <c@x>\n\n", 20_000), access.ErrTooLong},
		{"cut off", "Content-Type: multipart/mixed; boundary=b\n\n--b\n\nhi", io.ErrUnexpectedEOF},
		{"a long line", "\n" + strings.Repeat("x", 1<<20), nil},
		{"a type that is none", "Content-Type: ;;;\nContent-ID: <c@x>\n\nhi", nil},
		{"only a header", "Subject: x", nil},
	} {
		source := sourceFunc(func() (*mail.Message, error) {
			return &mail.Message{Body: io.NopCloser(strings.NewReader(message(test.text))), Size: -1}, nil
		})
		r, err := mail.Client{Sources: []mail.Source{source}}.Do(t.Context(), &access.Request{URL: url.MustParse("mid:m@x")})
		if err != nil {
			t.Fatalf("%s: %v", test.name, err)
		}
		l := r.List
		longest := 0
		err = access.Entries(l, func(e access.Entry) error {
			longest = max(longest, len(e.Title))
			return nil
		})
		if !errors.Is(err, test.want) || longest > 1<<16 {
			t.Errorf("%s: %v with a title of %d bytes, want %v", test.name, err, longest, test.want)
		}
		r.Body.Close()
	}
}

// Any message can be opened, listed and split into parts.
func FuzzMessage(f *testing.F) {
	for _, text := range []string{related, simple, nested(3), "", "\n", "Content-Type: multipart/mixed; boundary=\"\"\n\n--\n"} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		source := sourceFunc(func() (*mail.Message, error) {
			return &mail.Message{Body: io.NopCloser(strings.NewReader(string(text))), Size: -1}, nil
		})
		c := mail.Client{Sources: []mail.Source{source}}
		if _, got, err := read(t.Context(), c, "mid:m@x"); err != nil || got != string(text) {
			t.Errorf("%q opens as %q, %v", text, got, err)
		}
		_, _, _ = read(t.Context(), c, "cid:c@x")
		r, err := c.Do(t.Context(), &access.Request{URL: url.MustParse("mid:m@x")})
		if err != nil {
			t.Fatal(err)
		}
		l := r.List
		_ = access.Entries(l, func(e access.Entry) error {
			if !e.URL.IsZero() && e.URL.Scheme() != "mid" {
				t.Errorf("%q links to %q", text, e.URL)
			}
			return nil
		})
	})
}

// A listing shows plain text that is not an attachment and has no id. Of other parts it shows a
// name, and a link if there is an id.
func TestListingParts(t *testing.T) {
	const mixed = "Content-Type: multipart/mixed; boundary=b\n\n"
	for _, test := range []struct{ text, want string }{
		{"\none\r\n\r\ntwo", "info \"one\"\ninfo \"\"\ninfo \"two\"\n"},
		{"\n", ""},
		{mixed + "--b\n\none\n--b\n\ntwo\n--b--\n", "info \"one\"\ninfo \"two\"\n"},
		{mixed + "--b\nContent-Type: text/html\n\nno\n--b--\n", "info \"text/html\"  text/html\n"},
		{mixed + "--b\nContent-Type: text/plain\nContent-Disposition: attachment\n\nno\n--b--\n", "info \"text/plain\"  text/plain\n"},
		{mixed + "--b\nContent-Disposition: inline; filename=x\n\nyes\n--b--\n", "info \"yes\"\n"},
		{mixed + "--b\nContent-ID: <c@x>\n\nno\n--b--\n", "object \"text/plain\" mid:m@x/c@x text/plain; charset=us-ascii\n"},
		{mixed + "--b\nContent-ID: <a b/c>\nContent-Type: a/b; name=n\n\nno\n--b--\n", "object \"n\" mid:m@x/ab%2Fc a/b; name=n\n"},
		{mixed + "--b\nContent-Type: a/b; name=n\n\nno\n--b\n\nyes\n--b--\n", "info \"n\"  a/b; name=n\ninfo \"yes\"\n"},
		{mixed + "--b\nContent-Transfer-Encoding: base64\n\nY2Fm6Q==\n--b--\n", "info \"café\"\n"},
	} {
		source := sourceFunc(func() (*mail.Message, error) {
			return &mail.Message{Body: io.NopCloser(strings.NewReader(message(test.text))), Size: -1}, nil
		})
		r, err := mail.Client{Sources: []mail.Source{source}}.Do(t.Context(), &access.Request{URL: url.MustParse("mid:m@x")})
		if err != nil {
			t.Fatalf("%q: %v", test.text, err)
		}
		if got := list(t, r); got != "info \"\"\n"+test.want {
			t.Errorf("listing of %q:\n%s\nwant\n%s", test.text, got, test.want)
		}
		l := r.List
		for range 2 { // the end is repeated
			if _, err := l.Next(); err != io.EOF {
				t.Errorf("Next after the end of %q = %v", test.text, err)
			}
		}
		r.Body.Close()
		if _, err := l.Next(); !errors.Is(err, fs.ErrClosed) {
			t.Errorf("Next after Close of %q = %v, want %v", test.text, err, fs.ErrClosed)
		}
	}
}

// A listing repeats its error.
func TestListingBroken(t *testing.T) {
	broken := errors.New("broken")
	source := sourceFunc(func() (*mail.Message, error) {
		text := io.MultiReader(strings.NewReader(message("\none\ntwo\nthr")), iotest.ErrReader(broken))
		return &mail.Message{Body: io.NopCloser(text), Size: -1}, nil
	})
	r, err := mail.Client{Sources: []mail.Source{source}}.Do(t.Context(), &access.Request{URL: url.MustParse("mid:m@x")})
	if err != nil {
		t.Fatal(err)
	}
	l := r.List
	var got []string
	var first error
	for first == nil {
		var e access.Entry
		if e, first = l.Next(); first == nil {
			got = append(got, e.Title)
		}
	}
	if _, again := l.Next(); !errors.Is(first, broken) || again != first || !slices.Equal(got, []string{"", "one", "two"}) {
		t.Errorf("a listing that fails: %q, %v, then %v, want %v", got, first, again, broken)
	}
}

// ModTime is the time of storage, or else the Date.
func TestModTime(t *testing.T) {
	stored := time.Date(2001, 2, 3, 4, 5, 6, 0, time.UTC)
	for _, test := range []struct {
		date   string
		stored time.Time
		want   time.Time
	}{
		{"Tue, 20 Dec 1994 09:30:15 +0000", time.Time{}, now},
		{"20 Dec 94 10:30:15 +0100 (CET)", time.Time{}, now},
		{"Tue, 20 Dec 1994 09:30:15 +0000", stored, stored},
		{"yesterday", stored, stored},
		{"yesterday", time.Time{}, time.Time{}},
		{"", time.Time{}, time.Time{}},
	} {
		source := sourceFunc(func() (*mail.Message, error) {
			text := message("Date: " + test.date + "\nSubject:\n =?utf-8?q?caf=C3=A9?=\n\nx")
			return &mail.Message{Body: io.NopCloser(strings.NewReader(text)), Size: 7, ModTime: test.stored}, nil
		})
		r, err := mail.Client{Sources: []mail.Source{source}}.Do(t.Context(), &access.Request{URL: url.MustParse("mid:m@x")})
		if err != nil {
			t.Fatalf("%q: %v", test.date, err)
		}
		if !r.ModTime.Equal(test.want) || r.Type != "message/rfc822" || r.Size != 7 || r.Sys != mail.Title("café") {
			t.Errorf("a message of %q, stored at %v, is %+v, want %v", test.date, test.stored, r, test.want)
		}
		r.Body.Close()
	}
}

// An error of opening closes the message. If the context is done, the error is the context's error.
func TestOpenCloses(t *testing.T) {
	long := message(strings.Repeat("X: y\n", 1<<18))
	for _, test := range []struct {
		text, url string
		canceled  bool
		want      error
	}{
		{long, "mid:m@x", false, access.ErrTooLong},
		{long, "mid:m@x/c@x", false, access.ErrTooLong},
		{message("\nx"), "mid:m@x/c@x", false, fs.ErrNotExist},
		{message("\nx"), "mid:m@x", true, context.Canceled},
		{message("\nx"), "mid:m@x/c@x", true, context.Canceled},
	} {
		ctx, cancel := context.WithCancel(t.Context())
		closed := 0
		source := sourceFunc(func() (*mail.Message, error) {
			if test.canceled {
				cancel()
			}
			return &mail.Message{Body: closing{strings.NewReader(test.text), &closed}, Size: -1}, nil
		})
		_, err := mail.Client{Sources: []mail.Source{source}}.Do(ctx, &access.Request{URL: url.MustParse(test.url)})
		if !errors.Is(err, test.want) || closed != 1 {
			t.Errorf("Open(%q) of %.30q = %v, closed %d times, want %v, once", test.url, test.text, err, closed, test.want)
		}
		cancel()
	}
}

// A closing is a reader that counts calls of Close.
type closing struct {
	io.Reader
	times *int
}

func (c closing) Close() error { *c.times++; return nil }

// A very long line is split between characters, in any charset.
func TestListingLongLines(t *testing.T) {
	const cut = 32 << 10
	for _, test := range []struct {
		name, fields, text string
		want               []string
	}{
		{"as long as a piece", "", strings.Repeat("x", cut-1) + "\ny\n", []string{strings.Repeat("x", cut-1), "y"}},
		{"longer by its end", "", strings.Repeat("x", cut) + "\ny\n", []string{strings.Repeat("x", cut), "", "y"}},
		{"longer", "", strings.Repeat("x", cut+1) + "\r\ny", []string{strings.Repeat("x", cut), "x", "y"}},
		{"without its end", "", strings.Repeat("x", cut), []string{strings.Repeat("x", cut)}},
		{"two bytes a character", "", strings.Repeat("é", cut/2) + "é\n", []string{strings.Repeat("é", cut/2), "é"}},
		{"the first of two", "", "x" + strings.Repeat("é", cut/2) + "\ny\n", []string{"x" + strings.Repeat("é", cut/2-1), "é", "y"}},
		{"the first of three", "", strings.Repeat("x", cut-1) + "€\n", []string{strings.Repeat("x", cut-1), "€"}},
		{"two of three", "", strings.Repeat("x", cut-2) + "€", []string{strings.Repeat("x", cut-2), "€"}},
		{"three of four", "", strings.Repeat("x", cut-3) + "😀\n", []string{strings.Repeat("x", cut-3), "😀"}},
		{"all four", "", strings.Repeat("x", cut-4) + "😀\n", []string{strings.Repeat("x", cut-4) + "😀", ""}},
		{"a character that breaks off", "", strings.Repeat("x", cut-1) + "\xc3", []string{strings.Repeat("x", cut-1), "Ã"}},
		{"said to be UTF-8", "Content-Type: text/plain; charset=UTF-8\n", "x" + strings.Repeat("é", cut/2) + "\n", []string{"x" + strings.Repeat("é", cut/2-1), "é"}},
		{"KOI8-R", "Content-Type: text/plain; charset=koi8-r\n", strings.Repeat("\xd7", cut/2) + "\n\xd7", []string{strings.Repeat("в", cut/2), "", "в"}},
		{"GB 2312", "Content-Type: text/plain; charset=gb2312\n", "x" + strings.Repeat("\xd6\xd0", cut/2) + "\n", []string{"x" + strings.Repeat("中", (cut-1)/3), strings.Repeat("中", cut/2-(cut-1)/3)}},
		{"in base64", "Content-Transfer-Encoding: base64\n", base64.StdEncoding.EncodeToString([]byte("x" + strings.Repeat("é", cut/2))), []string{"x" + strings.Repeat("é", cut/2-1), "é"}},
		{"UTF-16", "Content-Type: text/plain; charset=utf-16le\n", "\x0a\x01\n\x00x\x00", []string{"Ċ", "x"}},
	} {
		text := message(test.fields + "\n" + test.text)
		source := sourceFunc(func() (*mail.Message, error) {
			return &mail.Message{Body: io.NopCloser(strings.NewReader(text)), Size: -1}, nil
		})
		r, err := mail.Client{Sources: []mail.Source{source}}.Do(t.Context(), &access.Request{URL: url.MustParse("mid:m@x")})
		if err != nil {
			t.Fatalf("%s: %v", test.name, err)
		}
		l := r.List
		var got []string
		err = access.Entries(l, func(e access.Entry) error {
			got = append(got, e.Title)
			return nil
		})
		if want := append([]string{""}, test.want...); err != nil || !slices.Equal(got, want) {
			t.Errorf("%s: %.70000q, %v, want %.70000q", test.name, got, err, want)
		}
		r.Body.Close()
	}
}

// A listing is in UTF-8, whatever charset the message has.
func TestListingCharsets(t *testing.T) {
	c := client(t, map[string]string{
		"cur/1": "Message-ID: <a@x>\nFrom: =?koi8-r?B?6dfBzg==?= <i@h>\nSubject: =?ISO-2022-JP?B?GyRCRnxLXDhsGyhC?=\n" +
			"Content-Type: text/plain; charset=koi8-r\n\n\xf0\xd2\xc9\xd7\xc5\xd4\n",
		"cur/2": "Message-ID: <b@x>\nSubject: caf\xe9\n\ncaf\xc3\xa9\n",
	})
	for u, want := range map[string]string{
		"mid:a@x": "info \"From: Иван <i@h>\"\ninfo \"Subject: 日本語\"\ninfo \"\"\ninfo \"Привет\"\n",
		"mid:b@x": "info \"Subject: café\"\ninfo \"\"\ninfo \"café\"\n",
	} {
		r, err := c.Do(t.Context(), &access.Request{URL: url.MustParse(u)})
		if err != nil {
			t.Fatalf("%q: %v", u, err)
		}
		defer r.Body.Close()
		if got := list(t, r); got != want {
			t.Errorf("listing of %q:\n%s\nwant\n%s", u, got, want)
		}
	}
}
