package render

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"testing"
	"time"

	"locus/access"
	"locus/terminal"
	"locus/url"
)

// entries has an entry of every kind.
var entries = []access.Entry{
	{Title: "Welcome <to> the & library", Kind: access.Info, Size: -1},
	{Title: "About", URL: url.MustParse("gopher://h.example/0about"), Kind: access.Object, Type: "text/plain", Size: -1},
	{
		Title: "notes.txt", URL: url.MustParse("ftp://u:secret@h.example/pub/notes.txt"), Kind: access.Object,
		Type: "text/plain", Size: 812, ModTime: time.Date(2026, 11, 20, 10, 15, 0, 0, time.FixedZone("CET", 3600)),
	},
	{Title: "pictures", URL: url.MustParse("ftp://h.example/pub/pictures/"), Kind: access.Directory, Size: -1},
	{
		Title: strings.Repeat("long ", 9), URL: url.MustParse("http://h.example/empty"), Kind: access.Object,
		Type: "text/html", Size: 0,
	},
	{Title: "busy", Kind: access.Failure, Size: -1},
	{Title: "caf\xe9 \x1b[2J\u009b", URL: url.MustParse("gopher://h.example/7x"), Kind: access.Search, Size: -1},
}

func write(t *testing.T, entries []access.Entry, to func(io.Writer) Func) string {
	t.Helper()
	var b bytes.Buffer
	f := to(&b)
	for _, e := range entries {
		if err := f(e); err != nil {
			t.Fatalf("%q: %v", e.Title, err)
		}
	}
	return b.String()
}

// fields returns the header with these fields: name, value, name, value.
func fields(f ...string) (list access.Header) {
	for i := 0; i < len(f); i += 2 {
		list = append(list, access.Field{Name: f[i], Value: f[i+1]})
	}
	return list
}

// Books of a library catalogue have their author and date, and terms have the number of
// records.
func TestCatalogue(t *testing.T) {
	at := func(title, path string, kind access.Kind, size int64, header access.Header) access.Entry {
		return access.Entry{Title: title, URL: url.MustParse("z39.50r://h/" + path), Kind: kind, Size: size, Header: header}
	}
	books := []access.Entry{
		at("Optics", "b?1", access.Object, 283, fields("Author", "Müller, Eva", "Date", "c1903")),
		at("Untitled", "b?2", access.Object, 283, fields("Author", "\x1b[2J")),
		at("More", "b;from=3", access.Directory, -1, nil),
	}
	terms := []access.Entry{
		at("charts", "b;query=charts", access.Directory, -1, fields("Records", "90")),
		at("dk", "b;query=dk", access.Directory, -1, fields("Records", "1200")),
		at("do", "b;query=do", access.Directory, -1, fields("Records", "1")),
		at("More", "b;scan=do", access.Directory, -1, nil),
	}
	want := `Optics                                    file      Müller, Eva               c1903       z39.50r://h/b?1
Untitled                                  file      ␛[2J                      -           z39.50r://h/b?2
More                                      folder    -                         -           z39.50r://h/b;from=3
charts                                    folder        90 records  z39.50r://h/b;query=charts
dk                                        folder      1200 records  z39.50r://h/b;query=dk
do                                        folder         1 record   z39.50r://h/b;query=do
More                                      folder                    z39.50r://h/b;scan=do
`
	if got := write(t, books, Text) + write(t, terms, Text); got != want {
		t.Errorf("Text wrote\n%s\nwant\n%s", got, want)
	}
	want = `{"title":"Optics","url":"z39.50r://h/b?1","type":null,"size":283,"mtime":null,"author":"Müller, Eva","date":"c1903"}
{"title":"charts","url":"z39.50r://h/b;query=charts","type":null,"size":null,"mtime":null,"records":"90"}
`
	if got := write(t, []access.Entry{books[0], terms[0]}, JSON); got != want {
		t.Errorf("JSON wrote\n%s\nwant\n%s", got, want)
	}
}

// req: 1738-6-3
func TestText(t *testing.T) {
	want := `Welcome <to> the & library
About                                     file      gopher://h.example/0about
notes.txt                                 file             812  2026-11-20 09:15  ftp://u@h.example/pub/notes.txt
pictures                                  folder             -  -                 ftp://h.example/pub/pictures/
long long long long long long long long long   file               0  -                 http://h.example/empty
busy                                      failure
café ␛[2JÂ�                               search             -  -                 gopher://h.example/7x
`
	if got := write(t, entries, Text); got != want {
		t.Errorf("Text wrote\n%s\nwant\n%s", got, want)
	}
}

func TestJSON(t *testing.T) {
	want := `{"title":"Welcome <to> the & library","url":null,"type":null,"size":null,"mtime":null}
{"title":"About","url":"gopher://h.example/0about","type":"text/plain","size":null,"mtime":null}
{"title":"notes.txt","url":"ftp://u@h.example/pub/notes.txt","type":"text/plain","size":812,"mtime":"2026-11-20T09:15:00Z"}
{"title":"pictures","url":"ftp://h.example/pub/pictures/","type":null,"size":null,"mtime":null}
{"title":"` + strings.Repeat("long ", 9) + `","url":"http://h.example/empty","type":"text/html","size":0,"mtime":null}
{"title":"busy","url":null,"type":null,"size":null,"mtime":null}
{"title":{"base64":"Y2Fm6SAbWzJKwps="},"url":"gopher://h.example/7x","type":null,"size":null,"mtime":null}
`
	if got := write(t, entries, JSON); got != want {
		t.Errorf("JSON wrote\n%s\nwant\n%s", got, want)
	}
}

func TestURIList(t *testing.T) {
	want := "gopher://h.example/0about\r\n" +
		"ftp://u@h.example/pub/notes.txt\r\n" +
		"ftp://h.example/pub/pictures/\r\n" +
		"http://h.example/empty\r\n" +
		"gopher://h.example/7x\r\n"
	if got := write(t, entries, URIList); got != want {
		t.Errorf("URIList wrote\n%q\nwant\n%q", got, want)
	}
}

// Each of 100 000 entries is written before the next one is read.
func TestStreams(t *testing.T) {
	formats := map[string]func(io.Writer) Func{"Text": Text, "JSON": JSON, "URIList": URIList}
	for name, to := range formats {
		var w counter
		l := &long{n: 100_000, before: func(i int) {
			if w.writes != i {
				t.Fatalf("%s: %d entries written before Next gives entry %d", name, w.writes, i)
			}
		}}
		if err := access.Entries(l, to(&w)); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if w.writes != 100_000 {
			t.Errorf("%s: %d writes, want 100000", name, w.writes)
		}
	}
}

type counter struct{ writes int }

func (c *counter) Write(b []byte) (int, error) {
	c.writes++
	return len(b), nil
}

type long struct {
	i, n   int
	before func(i int)
}

func (l *long) Next() (access.Entry, error) {
	if l.i == l.n {
		return access.Entry{}, io.EOF
	}
	l.before(l.i)
	l.i++
	return entries[1], nil
}

func TestWriteError(t *testing.T) {
	r, w := io.Pipe()
	r.Close()
	for name, f := range map[string]Func{"Text": Text(w), "JSON": JSON(w), "URIList": URIList(w)} {
		if err := f(entries[1]); !errors.Is(err, io.ErrClosedPipe) {
			t.Errorf("%s to a closed pipe = %v, want %v", name, err, io.ErrClosedPipe)
		}
	}
}

func TestEntryOf(t *testing.T) {
	r := &access.Resource{
		Entry: access.Entry{URL: url.MustParse("ftp://u:secret@h.example/x/a%20b"), Type: "text/plain", Size: 3},
		Body:  io.NopCloser(strings.NewReader("abc")),
	}
	e := EntryOf(r)
	if e.Title != "a b" || e.Kind != access.Object || e.Size != 3 || e.Type != "text/plain" || e.URL != r.URL {
		t.Errorf("EntryOf = %+v", e)
	}
	r.URL = url.MustParse("ftp://u:secret@h.example/x/")
	if e := EntryOf(r); e.Title != "ftp://u@h.example/x/" {
		t.Errorf("EntryOf %v has the title %q", r.URL, e.Title)
	}
	r.List = &long{}
	if e := EntryOf(r); e.Kind != access.Directory {
		t.Errorf("EntryOf a listing = %v, want a directory", e.Kind)
	}
	r.List, r.Session = nil, session{}
	if e := EntryOf(r); e.Kind != access.Terminal {
		t.Errorf("EntryOf a session = %v, want a terminal", e.Kind)
	}
}

type session struct{ terminal.Session }

func TestPart(t *testing.T) {
	tests := []struct {
		in   url.Part
		want string
	}{
		{url.Part{}, "null\n"},
		{url.Some(""), "\"\"\n"},
		{url.Some("<é>"), "\"<é>\"\n"},
		{url.Some("\xff"), "{\"base64\":\"/w==\"}\n"},
		{url.Some("a\x1b\x7f\u009b\u0080\u009f\u00a0"), "\"a\\u001b\\u007f\\u009b\\u0080\\u009f\u00a0\"\n"},
	}
	for _, test := range tests {
		var b bytes.Buffer
		if err := NewEncoder(&b).Encode(Part(test.in)); err != nil || b.String() != test.want {
			t.Errorf("Encode(Part(%+v)) wrote %q, %v, want %q", test.in, b.String(), err, test.want)
		}
	}
}

// An Encoder escapes the characters that Clean replaces, and no others. A JSON parser
// returns the same text.
func TestEncoderEscapes(t *testing.T) {
	for r := rune(' '); r < 0x3000; r++ {
		text := "a" + string(r) + "b"
		var b bytes.Buffer
		if err := NewEncoder(&b).Encode(text); err != nil {
			t.Fatalf("Encode(%q): %v", text, err)
		}
		line := strings.TrimSuffix(b.String(), "\n")
		if isKept := strings.Contains(line, text) || r == '"' || r == '\\'; isKept != (Clean(text) == text) {
			t.Errorf("%U is written as %q", r, line)
		}
		var got string
		if err := json.Unmarshal(b.Bytes(), &got); err != nil || got != text {
			t.Errorf("%U is written as %q, and read as %q, %v", r, line, got, err)
		}
	}
}

func TestPartsOf(t *testing.T) {
	for in, want := range map[string]string{
		"http://u:p@h:080/a?q#f": `{"scheme":"http","user":"u","password":"p","host":"h","port":80,"path":"/a","query":"q","fragment":"f"}`,
		"x":                      `{"scheme":null,"user":null,"password":null,"host":null,"port":null,"path":"x","query":null,"fragment":null}`,
		"http://h:/":             `{"scheme":"http","user":null,"password":null,"host":"h","port":"","path":"/","query":null,"fragment":null}`,
		"http://h:00/":           `{"scheme":"http","user":null,"password":null,"host":"h","port":0,"path":"/","query":null,"fragment":null}`,
		"http://h:123456789012345678901234567890/?": `{"scheme":"http","user":null,"password":null,"host":"h","port":123456789012345678901234567890,"path":"/","query":"","fragment":null}`,
		"http://h:x/": `{"scheme":"http","user":null,"password":null,"host":"h","port":"x","path":"/","query":null,"fragment":null}`,
	} {
		var b bytes.Buffer
		if err := NewEncoder(&b).Encode(PartsOf(url.RFC3986.Split(in))); err != nil || b.String() != want+"\n" {
			t.Errorf("the parts of %q are %s, %v, want %s", in, b.String(), err, want)
		}
	}
}

func ExamplePartsOf() {
	_ = NewEncoder(os.Stdout).Encode(PartsOf(url.MustParse("ftp://ftp.example.org:2121/a").Parts()))
	// Output:
	// {"scheme":"ftp","user":null,"password":null,"host":"ftp.example.org","port":2121,"path":"/a","query":null,"fragment":null}
}

func ExampleText() {
	write := Text(os.Stdout)
	write(access.Entry{Title: "notes.txt", URL: url.MustParse("gopher://h/0notes.txt"), Kind: access.Object, Size: -1})
	// Output:
	// notes.txt                                 file      gopher://h/0notes.txt
}

func ExampleLong() {
	write := Long(os.Stdout)
	write(access.Entry{Title: "notes.txt", Kind: access.Object, Size: 812, ModTime: time.Date(2024, 5, 6, 7, 8, 9, 0, time.UTC)})
	write(access.Entry{Title: "a\x1b[2J", Kind: access.Directory, Size: -1})
	// Output:
	// file              812  2024-05-06 07:08  notes.txt
	// folder              -  -                 a␛[2J
}

func ExampleJSON() {
	write := JSON(os.Stdout)
	write(access.Entry{Title: "notes.txt", URL: url.MustParse("ftp://u:secret@h/notes.txt"), Kind: access.Object, Size: 812})
	// Output:
	// {"title":"notes.txt","url":"ftp://u@h/notes.txt","type":null,"size":812,"mtime":null}
}

func ExampleURIList() {
	write := URIList(os.Stdout)
	write(access.Entry{Title: "notes.txt", URL: url.MustParse("ftp://h/notes.txt")})
	// Output:
	// ftp://h/notes.txt
}

func ExampleClean() {
	fmt.Println(Clean("\x1b[31mred\x07"))
	// Output:
	// ␛[31mred␇
}

func BenchmarkText(b *testing.B)    { benchmark(b, Text) }
func BenchmarkJSON(b *testing.B)    { benchmark(b, JSON) }
func BenchmarkURIList(b *testing.B) { benchmark(b, URIList) }

func benchmark(b *testing.B, to func(io.Writer) Func) {
	b.ReportAllocs()
	write := to(io.Discard)
	for b.Loop() {
		if err := write(entries[2]); err != nil {
			b.Fatal(err)
		}
	}
}
