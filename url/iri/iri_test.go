package iri

import (
	"errors"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"locus/internal/ascii"
	"locus/url"
	"locus/url/whatwg"
)

var toURITests = []struct{ in, want string }{
	{"", ""},
	{"http://h/a?b#c", "http://h/a?b#c"},
	{"http://résumé.example.org", "http://xn--rsum-bpad.example.org"}, // §3.1
	{"http://www.example.org/red%09rosé#red", "http://www.example.org/red%09ros%C3%A9#red"},
	{"http://example.com/\U00010300\U00010301\U00010302", "http://example.com/%F0%90%8C%80%F0%90%8C%81%F0%90%8C%82"},
	{"http://user-é:p@h:8/?é=é#é", "http://user-%C3%A9:p@h:8/?%C3%A9=%C3%A9#%C3%A9"},
	{"HTTP://BÜCHER.example/", "HTTP://xn--bcher-kva.example/"},
	{"gopher://bücher.example/", "gopher://xn--bcher-kva.example/"},
	{"wss://bücher.example/", "wss://xn--bcher-kva.example/"},
	{"http://faß.example/", "http://xn--fa-hia.example/"}, // IDNA 2003 had "fass"
	{"http://b%C3%BCcher.例/", "http://xn--bcher-kva.xn--fsq/"},
	{"http://b%C3%BCcher.example/", "http://b%C3%BCcher.example/"}, // a URI already
	{"http://例。com/", "http://xn--fsq.com/"},
	{"x://bücher/", "x://b%C3%BCcher/"},
	{"//bücher/", "//b%C3%BCcher/"},
	{"é/ü?ß", "%C3%A9/%C3%BC?%C3%9F"},
	{"http://h/e\u0301", "http://h/e%CC%81"}, // not normalized
	{"http://h/?\ue000#a", "http://h/?%EE%80%80#a"},
	{"mailto:ä@example.org", "mailto:%C3%A4@example.org"},
}

func TestToURI(t *testing.T) {
	for _, test := range toURITests {
		u, err := ToURI(test.in)
		if err != nil || u.String() != test.want {
			t.Errorf("ToURI(%q) = %q, %v, want %q", test.in, u, err, test.want)
		}
	}
}

var badIRIs = []struct {
	in     string
	offset int
	rule   string
}{
	{"http://h/a b", 10, "RFC 3986 §3.3"},
	{"http://h/é b", 11, "RFC 3986 §3.3"},
	{"http://h/é%4", 11, "RFC 3986 §2.1"},
	{"http://h/%é", 9, "RFC 3986 §2.1"},
	{"http://h/\xff", 9, "RFC 3987 §2.2"},
	{"http://h/\xff\x01", 9, "RFC 3987 §2.2"},
	{"http://h/\xc3", 9, "RFC 3987 §2.2"},
	{"http://h/a\u202eb", 10, "RFC 3987 §2.2"},
	{"http://h/a\u200eb", 10, "RFC 3987 §2.2"},
	{"http://h/a\u2066b", 10, "RFC 3987 §2.2"},
	{"http://h/\u0085", 9, "RFC 3987 §2.2"},
	{"http://h/\ue000", 9, "RFC 3987 §2.2"},
	{"http://h/?a#\ue000", 12, "RFC 3987 §2.2"},
	{"http://h/\ufdd0", 9, "RFC 3987 §2.2"},
	{"http://h/\ufffd", 9, "RFC 3987 §2.2"},
	{"http://h/\U000e0041", 9, "RFC 3987 §2.2"},
	{"é:x", 0, "RFC 3986 §3.1"},
	{"http://h:é/", 9, "RFC 3986 §3.2.3"},
	{"http://[::é]/", 10, "RFC 3986 §3.2.2"},
	{"http://[v1.é]/", 7, "RFC 3987 §2.2"},
	{"http://u:p@a℀b.example/", 11, "RFC 3987 §3.1"}, // IDNA: aa/cb
	{"http://a／b.example/", 7, "RFC 3987 §3.1"},
	{"http://a＠b.example/", 7, "RFC 3987 §3.1"},
	{"http://a％61.example/", 7, "RFC 3987 §3.1"},
	{"http://%FF.é/", 7, "RFC 3987 §3.1"},
	{"http://xn--a.é/", 7, "RFC 3987 §3.1"},
}

// ToURI returns an error at the first wrong byte of each text.
func TestToURIErrors(t *testing.T) {
	for _, test := range badIRIs {
		u, err := ToURI(test.in)
		syntax, ok := errors.AsType[*url.SyntaxError](err)
		if !ok {
			t.Errorf("ToURI(%q) = %q, %v, want an error at %d", test.in, u, err, test.offset)
			continue
		}
		if syntax.Offset != test.offset || syntax.Rule != test.rule || syntax.Text != test.in {
			t.Errorf("ToURI(%q) = error at offset %d by %s, want offset %d by %s", test.in, syntax.Offset, syntax.Rule, test.offset, test.rule)
		}
	}
	_, err := ToURI("http://u:S3CRET@é é/")
	if err == nil || strings.Contains(err.Error(), "S3CRET") {
		t.Errorf("ToURI of an IRI with a password = %v, want an error without the password", err)
	}
}

var toIRITests = []struct{ in, want string }{
	{"http://www.example.org/D%C3%BCrst", "http://www.example.org/Dürst"}, // §3.2.1
	{"http://www.example.org/D%FCrst", "http://www.example.org/D%FCrst"},  // Latin-1
	{"http://xn--99zt52a.example.org/%e2%80%ae", "http://納豆.example.org/%e2%80%ae"},
	{"http://h/%C3%A4%2F%25%20%41%7e", "http://h/ä%2F%25%20A~"},
	{"http://h/%C3%A4%C3", "http://h/ä%C3"},
	{"http://h/%C3%28", "http://h/%C3%28"},
	{"http://h/%F0%9F%98%80", "http://h/😀"},
	{"http://h/%EF%BF%BD%EE%80%80?%EE%80%80", "http://h/%EF%BF%BD%EE%80%80?%EE%80%80"},
	{"http://h/a%E2%80%8Bb%C2%A0c%E2%80%A8", "http://h/a%E2%80%8Bb%C2%A0c%E2%80%A8"},
	{"http://h/a%CC%81/%CC%81", "http://h/a\u0301/%CC%81"},
	{"http://xn--80ak6aa92e.com/", "http://аррӏе.com/"}, // an IRI may look like another one
	{"http://xn--a/", "http://xn--a/"},
	{"http://u%C3%A4:p%C3%A4@h/?%C3%A4#%C3%A4", "http://uä:pä@h/?ä#ä"},
	{"x://b%C3%BCcher/", "x://b%C3%BCcher/"},
	{"x://xn--bcher-kva/", "x://xn--bcher-kva/"},
	{"http://a!b.xn--bcher-kva/", "http://a!b.xn--bcher-kva/"}, // would not lead back
	{"//xn--bcher-kva/", "//xn--bcher-kva/"},
	{"D%C3%BCrst", "Dürst"},
}

func TestToIRI(t *testing.T) {
	for _, test := range toIRITests {
		if got := ToIRI(url.MustParse(test.in)); got != test.want {
			t.Errorf("ToIRI(%q) = %q, want %q", test.in, got, test.want)
		}
	}
}

// Display shows a host in Unicode if the host does not look like another one.
var hostTests = []struct {
	host  string
	shown bool
}{
	{"bücher.example", true},
	{"例.jp", true},
	{"日本語とカナ.jp", true},
	{"abc日本.jp", true},
	{"한국abc.kr", true},
	{"почта.рф", true},
	{"ελληνικά.gr", true},
	{"ไทย.th", true},
	{"हिन्दी.in", true},
	{"аррӏе.com", false},  // Cyrillic throughout
	{"pаypal.com", false}, // one Cyrillic letter
	{"gооgle.com", false}, // two
	{"ρaypal.com", false}, // Greek
	{"ααα.com", false},    // Greek throughout
	{"օօօ.com", false},    // Armenian
	{"ɡoogle.com", false}, // a phonetic letter
	{"fıle.com", false},   // dotless i
	{"abcノ.com", false},   // resembles a slash
	{"コーヒー.jp", true},
	{"한국日本か.kr", false}, // Hangul and Hiragana
	{"ⴰⴱ.com", false},   // Tifinagh: not in wide use
	{"१२۳.com", false},  // two systems of digits
	{"१a.com", false},
	{"a̷b.com", false}, // a mark laid over a letter
	{"i❤.ws", false},   // no letter
	{"אבג.com", true},
	{"אבג.דהו", true},
	{"a.אבג.דהו.com", false}, // a reader cannot tell the order of the labels
}

func TestDisplayHost(t *testing.T) {
	// attack: A host name looks like another name, such as one with a Cyrillic letter | the URL is shown with
	// Punycode
	for _, test := range hostTests {
		u, err := ToURI("http://" + test.host + "/")
		if err != nil {
			t.Errorf("ToURI of the host %q: %v", test.host, err)
			continue
		}
		want := u.String()
		if test.shown {
			want = "http://" + test.host + "/"
		}
		if got := Display(u); got != want {
			t.Errorf("Display(%q) = %q, want %q", u, got, want)
		}
	}
}

var displayTests = []struct{ in, want string }{
	{"http://u:secret@h/", "http://u:xxxxx@h/"},
	{"http://good.example%E2%88%95@evil.example/", "http://good.example%E2%88%95@evil.example/"}, // the user stays
	{"http://h/D%C3%BCrst?%C3%A4=%E4%BE%8B#%F0%9F%98%80", "http://h/Dürst?ä=例#😀"},
	{"http://h/a%E2%88%95b%EF%BC%8Fc%EF%BC%9Fd", "http://h/a%E2%88%95b%EF%BC%8Fc%EF%BC%9Fd"}, // characters that resemble slashes
	{"http://h/%E2%80%AEgnp.exe", "http://h/%E2%80%AEgnp.exe"},
	{"http://h/%E3%85%A4%CD%8F%E2%A0%80", "http://h/%E3%85%A4%CD%8F%E2%A0%80"},
	{"http://h/%00%0A%1B%7F%C2%9B", "http://h/%00%0A%1B%7F%C2%9B"},
	{"http://h/%D7%90%D7%91/c", "http://h/אב/c"},
	{"http://h/%D7%90%D7%91a", "http://h/%D7%90%D7%91a"}, // both directions
	{"http://h/%D7%90%D7%911", "http://h/%D7%90%D7%911"}, // a digit at the end
	{"http://h/%D7%90/1", "http://h/%D7%90/1"},           // a digit would change places
	{"http://h/%D7%90/%C2%B2", "http://h/%D7%90/²"},
	{"http://h/%D7%90/%D7%91", "http://h/%D7%90/%D7%91"}, // two components would change places
	{"http://h/%D7%90/a/%D7%91", "http://h/א/a/ב"},
	{"http://xn--4dbcagdahymbxekheh6e0a7fei0b.com/", ""}, // the text is never garbled
	{"http://xn--4dbc.com/%D7%90", "http://אב.com/א"},
	{"http://xn--4dbc/%D7%90", "http://אב/%D7%90"},
	{"http://xn--4dbc:80/", "http://xn--4dbc:80/"},
}

// Display shows a URL of the browsers' standard in the same way as other URLs.
func TestDisplayWHATWG(t *testing.T) {
	u, err := whatwg.Parse("HTTP://u:s3cret@Bücher.example/ä|b?q=//v:s3cret@h")
	if got, want := Display(u), "http://u:xxxxx@bücher.example/ä|b?q=//v:xxxxx@h"; err != nil || got != want {
		t.Errorf("Display(%q) = %q, %v, want %q", u, got, err, want)
	}
}

func TestDisplay(t *testing.T) {
	for _, test := range displayTests {
		u := url.MustParse(test.in)
		got := Display(u)
		if test.want != "" && got != test.want {
			t.Errorf("Display(%q) = %q, want %q", test.in, got, test.want)
		}
		checkShown(t, got)
	}
}

// Display hides everything that Redact hides, wherever it stands.
func TestDisplayHidesPasswords(t *testing.T) {
	for _, text := range []string{
		"http://u:s3cret@h/", "http://u:s3cret@h:80/%C3%A9", "//u:s3cret@h/", "http:/u:s3cret@h/", "http:u:s3cret@h/", "http:///u:s3cret@h/",
		"http:////u:s3cret@h/", "u:s3cret@host", "u.v:s3cret@h:21/x", "ftp:s3cret@h", "/u:s3cret@h", "sip:a:s3cret@b",
		"http://h/?u=http://u:s3cret@h/", "http://h/http://u:s3cret@h/", "http://h/#//u:s3cret@h", "jdbc:mysql://u:s3cret@h/d",
		"http://a:s3cret@h/ftp://u:s3cret@i/?x=//v:s3cret@j#//w:s3cret@k", "ftp:///u:s3cret/s3cret@h/", "http://u:%73%33cret@h/",
		"http://h/?u=http://u:s3cret%C3%A9@h/", "xn--x:s3cret@h", "http://u:s3cret@xn--bcher-kva.example/",
	} {
		u := url.MustParse(text)
		got := Display(u)
		if strings.Contains(got, "cret") || !strings.Contains(got, "xxxxx") {
			t.Errorf("Display(%q) = %q, want the password hidden", text, got)
		}
		if !strings.Contains(text, "%C3") && !strings.Contains(text, "xn--b") && got != url.Redact(text) {
			t.Errorf("Display(%q) = %q, want %q", text, got, url.Redact(text))
		}
	}
}

// checkShown fails the test if text contains a character that a reader cannot see.
func checkShown(t *testing.T, text string) {
	t.Helper()
	if !utf8.ValidString(text) {
		t.Errorf("the shown text %q is not UTF-8", text)
	}
	for _, r := range text {
		if !unicode.IsPrint(r) || r == ' ' || unicode.Is(unicode.Bidi_Control, r) || unicode.Is(unicode.Other_Default_Ignorable_Code_Point, r) {
			t.Errorf("the shown text %q contains the invisible %U", text, r)
		}
	}
}

func FuzzIRI(f *testing.F) {
	for _, test := range toURITests {
		f.Add(test.in)
	}
	for _, test := range badIRIs {
		f.Add(test.in)
	}
	for _, test := range toIRITests {
		f.Add(test.in)
		f.Add(test.want)
	}
	for _, test := range hostTests {
		f.Add("http://" + test.host + "/")
	}
	for _, test := range displayTests {
		f.Add(test.in)
	}
	f.Fuzz(func(t *testing.T, text string) {
		u, err := ToURI(text)
		if err != nil {
			if syntax, ok := errors.AsType[*url.SyntaxError](err); ok && (syntax.Offset < 0 || syntax.Offset > len(text)) {
				t.Errorf("ToURI(%q) = error at offset %d, want an offset in the text", text, syntax.Offset)
			}
			return
		}
		if ascii.IsASCII(text) && u.String() != text {
			t.Errorf("ToURI(%q) = %q, want the same text", text, u)
		}
		u = u.Normalize(url.LowerScheme|url.LowerHost|url.UpperEscapes|url.Unencode, url.Facts{})
		if back, err := ToURI(ToIRI(u)); err != nil || back != u {
			t.Errorf("ToURI(%q) = %q, %v, want %q", ToIRI(u), back, err, u)
		}
		shown := Display(u)
		checkShown(t, shown)
		if hidden := url.Redact(shown); hidden != shown {
			t.Errorf("Display(%q) = %q, but Redact changes it to %q", u, shown, hidden)
		}
		if u.Redacted() != u.String() {
			return
		}
		if back, err := ToURI(shown); err != nil || back != u {
			t.Errorf("ToURI(Display = %q) = %q, %v, want %q", shown, back, err, u)
		}
	})
}
