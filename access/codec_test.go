package access

import (
	"errors"
	"reflect"
	"strings"
	"testing"
	"time"

	"locus/url"
)

// wholeEntry returns an Entry with every field set but Sys. Its texts are not UTF-8.
func wholeEntry() Entry {
	return Entry{
		Title: "caf\xe9", Name: "a/b\xff.txt", ID: "7-\xfe", URL: url.MustParse("gopher://h/0x"), Kind: Object,
		Type: "text/plain; charset=\xe9", Size: 3, ModTime: time.Date(1994, 12, 20, 1, 2, 3, 4, time.UTC), Mode: 0o640,
		Rough: Rough{1229, time.Date(1994, 12, 20, 1, 2, 0, 0, time.UTC)},
		Header: Header{
			{Name: "From", Value: "\xff\nx"},
			{Name: "From", Value: "b", URL: url.MustParse("mailto:a@b")},
			{Name: "Set-Cookie", Value: "a=b", Hidden: true},
		},
		Incomplete: errors.New("there may be more"),
	}
}

// ParseEntry inverts AppendEntry for every field but Sys.
func TestEntryCodec(t *testing.T) {
	for _, test := range []Entry{
		{},
		{Size: -1},
		wholeEntry(),
		{URL: parsed(t, url.RFC1738, "wais://h/db?a+b")},
		{URL: parsed(t, url.RFC1630, "news:*")},
	} {
		line := AppendEntry(nil, test)
		if strings.Contains(string(line), "\n") {
			t.Errorf("AppendEntry(%+v) = %s, want one line", test, line)
		}
		got, err := ParseEntry(line)
		if err != nil || !reflect.DeepEqual(got, test) {
			t.Errorf("ParseEntry(%s) =\n%+v, %v, want\n%+v", line, got, err, test)
		}
	}
}

func parsed(t *testing.T, std url.Standard, text string) url.URL {
	t.Helper()
	u, err := std.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	return u
}

// Every field of an Entry is in the codec, so a new field fails this test until it is
// stored.
func TestEntryCodecIsWhole(t *testing.T) {
	e := reflect.ValueOf(wholeEntry())
	for field, value := range e.Fields() {
		if field.Name != "Sys" && value.IsZero() {
			t.Errorf("wholeEntry does not set %s", field.Name)
		}
	}
}

// A damaged line is an error, never a wrong entry.
func TestParseEntryDamaged(t *testing.T) {
	for _, line := range []string{
		"", "{", "[]", `{"title":1}`, `{"title":"x","url":{"text":"http://["}}`, `{"url":{"text":"x:","standard":"RFC 0"}}`,
		`{"header":[{"name":"a","value":"b","url":{"text":"\u0000"}}]}`,
	} {
		if e, err := ParseEntry([]byte(line)); err == nil {
			t.Errorf("ParseEntry(%q) = %+v, want an error", line, e)
		}
	}
}

// A time after the year 9999 is left out, because JSON cannot have it.
func TestEntryCodecFarTime(t *testing.T) {
	got, err := ParseEntry(AppendEntry(nil, Entry{Title: "x", ModTime: time.Date(20000, 1, 1, 0, 0, 0, 0, time.UTC)}))
	if err != nil || got.Title != "x" || !got.ModTime.IsZero() {
		t.Errorf("ParseEntry = %+v, %v, want the entry without its time", got, err)
	}
}

func FuzzEntryCodec(f *testing.F) {
	f.Add("caf\xe9", "a/b", "1", "gopher://h/0x", "text/plain", "From", "b", int64(3), uint8(1))
	f.Fuzz(func(t *testing.T, title, name, id, u, mediaType, field, value string, size int64, kind uint8) {
		e := Entry{Title: title, Name: name, ID: id, Type: mediaType, Size: size, Kind: Kind(kind) % (Failure + 1)}
		e.URL, _ = url.Parse(u)
		e.Header = Header{{Name: field, Value: value}}
		got, err := ParseEntry(AppendEntry(nil, e))
		if err != nil || !reflect.DeepEqual(got, e) {
			t.Errorf("ParseEntry = %+v, %v, want %+v", got, err, e)
		}
	})
}

func TestHeader(t *testing.T) {
	h := Header{{Name: "Vary", Value: "a"}, {Name: "vary", Value: "b", Hidden: true}, {Name: "X", Value: ""}}
	for _, test := range []struct{ name, want string }{{"VARY", "a, b"}, {"x", ""}, {"y", ""}} {
		if got := h.Get(test.name); got != test.want {
			t.Errorf("Get(%q) = %q, want %q", test.name, got, test.want)
		}
	}
	if got := h.Values("Vary"); !reflect.DeepEqual(got, []string{"a", "b"}) {
		t.Errorf("Values = %q", got)
	}
	n := 0
	for f := range h.Shown() {
		if n++; f.Hidden {
			t.Errorf("Shown yields %+v", f)
		}
	}
	if n != 2 {
		t.Errorf("Shown yields %d fields, want 2", n)
	}
}
