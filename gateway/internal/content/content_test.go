package content_test

import (
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"
	"unicode/utf8"

	"locus/gateway/internal/content"
	"locus/gateway/internal/refuse"
	"locus/internal/marc"
)

func TestViewer(t *testing.T) {
	for _, test := range []struct {
		mediaType, viewer string
		embedded, shown   bool
	}{
		{"text/plain; charset=utf-8", "text", false, true},
		{"TEXT/Plain", "text", false, true},
		{"text/html", "", false, true},
		{"text/x-go", "text", false, false},
		{"application/json", "text", false, false},
		{"application/ld+json", "text", false, false},
		{"application/xml", "text", false, false},
		{"application/javascript", "text", false, false},
		{"application/marc", "records", false, false},
		{"application/marcxml+xml", "text", false, false},
		{"application/pdf", "", false, false},
		{"application/octet-stream", "", false, false},
		{"image/svg+xml", "image", true, true},
		{"audio/mpeg", "audio", true, true},
		{"video/mp4", "video", true, true},
		{"", "", false, true},
	} {
		base, _, _ := strings.Cut(strings.ToLower(test.mediaType), ";")
		if viewer, embedded, shown := content.Viewer(test.mediaType), content.IsEmbedded(test.mediaType), content.IsShown(base); viewer != test.viewer || embedded != test.embedded || shown != test.shown {
			t.Errorf("%q: Viewer = %q, IsEmbedded = %v, IsShown = %v, want %q, %v, %v", test.mediaType, viewer, embedded, shown, test.viewer, test.embedded, test.shown)
		}
	}
}

func TestSniff(t *testing.T) {
	for _, test := range []struct{ mediaType, charset, start, want string }{
		{"", "", "plain text\r\n\x1b[m", "text/plain; charset=utf-8"},
		{"", "", "é", "text/plain; charset=utf-8"},
		{"", "", "a\x00b", "application/byte-stream"},
		{"", "", "\xff\xfe", "application/byte-stream"},
		{"", "", "", "application/byte-stream"},
		{"text/plain", "", "\xe9", "text/plain; charset=iso-8859-1"},
		{"text/plain", "koi8-r", "\xe9", "text/plain; charset=koi8-r"},
		{"text/plain", "koi8-r", "é", "text/plain; charset=utf-8"},
		{"text/plain", "", "", "text/plain"},
		{"text/plain; charset=latin1", "koi8-r", "é", "text/plain; charset=latin1"},
		{"image/png", "", "text", "image/png"},
		{"application/octet-stream", "", "text", "application/octet-stream"},
	} {
		if got := content.Sniff(test.mediaType, test.charset, []byte(test.start)); got != test.want {
			t.Errorf("Sniff(%q, %q, %q) = %q, want %q", test.mediaType, test.charset, test.start, got, test.want)
		}
	}
}

func TestReadText(t *testing.T) {
	for _, test := range []struct {
		mediaType, charset, body string
		most                     int64
		want                     string
		cut                      bool
	}{
		{"text/plain", "", "text", 4, "text", false},
		{"text/plain", "", "text", 3, "tex", true},
		{"text/plain", "", "é", 1, "", true}, // a character is not cut
		{"text/plain; charset=koi8-r", "", "\xc1", 9, "а", false},
		{"text/plain; charset=unknown", "koi8-r", "\xc1", 9, "а", false},
		{"text/plain", "koi8-r", "é", 9, "é", false},
		{"text/plain", "", "\xe9\x80", 9, "é€", false},
		{"", "", "", 9, "", false},
	} {
		got, cut, err := content.ReadText(test.mediaType, test.charset, strings.NewReader(test.body), test.most)
		if got != test.want || cut != test.cut || err != nil {
			t.Errorf("ReadText(%q, %q, %d) with %q = %q, %v, %v, want %q, %v", test.mediaType, test.body, test.most, test.charset, got, cut, err, test.want, test.cut)
		}
	}
	got, _, err := content.ReadText("", "", io.MultiReader(strings.NewReader("half"), iotest.ErrReader(io.ErrUnexpectedEOF)), 9)
	if got != "half" || err != io.ErrUnexpectedEOF {
		t.Errorf("ReadText of a text that breaks off = %q, %v", got, err)
	}
}

// WholeCharacters removes at most one incomplete character, and only that.
func FuzzWholeCharacters(f *testing.F) {
	for _, seed := range []string{"", "text", "é", "a\xc3", "漢\xe6\xbc", "\xf0\x9f\x98", "\xff", "a\xffé", "\x80\x80\x80\x80\x80"} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		got := content.WholeCharacters(text)
		if !strings.HasPrefix(string(text), string(got)) || len(text)-len(got) >= utf8.UTFMax {
			t.Fatalf("WholeCharacters(%q) = %q", text, got)
		}
		if utf8.Valid(text) && len(got) != len(text) {
			t.Errorf("WholeCharacters(%q) = %q, want the whole text", text, got)
		}
		for n := 1; n < utf8.UTFMax; n++ { // a valid text that is cut in its last character
			if whole := string(text) + "漢"[:n%3]; utf8.Valid(text) && n%3 != 0 && string(content.WholeCharacters([]byte(whole))) != string(text) {
				t.Errorf("WholeCharacters(%q) = %q, want %q", whole, content.WholeCharacters([]byte(whole)), text)
			}
		}
	})
}

// catalogued returns a MARC record with a title.
func catalogued(t *testing.T, title string) string {
	t.Helper()
	r := marc.Record{Fields: []marc.Field{{Tag: "001", Value: "1"}, {Tag: "245", Indicators: "00", Subfields: []marc.Subfield{{Code: "a", Value: title}}}}}
	text, err := r.ISO2709()
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// The error of a record is a mistake. Only an error of the gateway itself fails.
func TestReadBibliography(t *testing.T) {
	book := catalogued(t, "Charts")
	full := refuse.New(503, "the gateway is busy", "")
	for _, test := range []struct {
		name     string
		body     io.Reader
		records  int
		mistakes int
		cut      bool
		err      error
	}{
		{"two records", strings.NewReader(book + book), 2, 0, false, nil},
		{"a record that is cut off", strings.NewReader(book + book[:40]), 1, 1, false, nil},
		{"a body that breaks off", io.MultiReader(strings.NewReader(book), iotest.ErrReader(io.ErrUnexpectedEOF)), 1, 1, false, nil},
		{"too little memory", io.MultiReader(strings.NewReader(book), iotest.ErrReader(full)), 1, 0, false, full},
		{"a hundred", strings.NewReader(strings.Repeat(book, 100)), 100, 0, false, nil},
		{"more than a hundred", strings.NewReader(strings.Repeat(book, 101)), 100, 0, true, nil},
	} {
		b, mistakes, err := content.ReadBibliography("application/marc; x=y", test.body)
		if len(b.Descriptions) != test.records || len(mistakes) != test.mistakes || b.Cut != test.cut || !errors.Is(err, test.err) || (err == nil) != (test.err == nil) {
			t.Errorf("%s: %d records, mistakes %v, cut %v, %v, want %d, %d mistakes, %v, %v", test.name, len(b.Descriptions), mistakes, b.Cut, err, test.records, test.mistakes, test.cut, test.err)
		}
	}
	if _, _, err := content.ReadBibliography("text/plain", strings.NewReader(book)); err == nil {
		t.Error("ReadBibliography reads text/plain")
	}
}
