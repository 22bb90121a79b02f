package scheme_test

import (
	"encoding/json"
	"errors"
	"reflect"
	"strings"
	"testing"

	"locus/scheme"
	"locus/url"
)

var standards = []url.Standard{url.RFC3986, url.RFC1738, url.RFC1630}

// marked removes the mark "‸" from a text. The mark stands before the first wrong byte.
func marked(t *testing.T, s string) (text string, offset int) {
	t.Helper()
	before, after, ok := strings.Cut(s, "‸")
	if !ok {
		t.Fatalf("%q has no mark", s)
	}
	return before + after, len(before)
}

// judge returns the error of a text by a document, including the grammar of its scheme.
func judge(std url.Standard, text string) error {
	_, err := scheme.Read(std, text)
	return err
}

// parse parses a text and returns its view.
func parse(std url.Standard, text string) (scheme.View, error) {
	u, err := std.Parse(text)
	if err != nil {
		return nil, err
	}
	return scheme.Parse(u)
}

// wantOffset fails the test unless err is a syntax error of the text at the offset, with a rule and the text that is
// wanted.
func wantOffset(t *testing.T, what, text string, err error, offset int) {
	t.Helper()
	bad, ok := errors.AsType[*url.SyntaxError](err)
	switch {
	case !ok:
		t.Errorf("%s(%q) = %v, want a syntax error at offset %d", what, text, err, offset)
	case bad.Offset != offset:
		t.Errorf("%s(%q) = error at offset %d (%v), want offset %d", what, text, bad.Offset, err, offset)
	case bad.Text != text || bad.Rule == "" || bad.Want == "":
		t.Errorf("%s(%q) = %+v, want an error with Text, Rule and Want", what, text, bad)
	}
}

// asJSON returns the JSON of a view in compact form.
func asJSON(t *testing.T, v scheme.View) string {
	t.Helper()
	var b strings.Builder
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(scheme.JSON(v)); err != nil {
		t.Fatalf("JSON of %+v: %v", v, err)
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// A viewCase is a URL, the JSON of its view, and the URL that the view writes.
type viewCase struct {
	text string
	want string // JSON; empty if text has a "‸", at which the view is refused
	url  string // "" is the same as text
}

// testViews checks the views of a table. RFC 3986 reads the texts.
func testViews(t *testing.T, cases []viewCase) {
	t.Helper()
	for _, test := range cases {
		if strings.Contains(test.text, "‸") {
			text, offset := marked(t, test.text)
			_, err := scheme.Parse(url.MustParse(text))
			wantOffset(t, "Parse", text, err, offset)
			continue
		}
		v, err := parse(url.RFC3986, test.text)
		if err != nil {
			t.Errorf("Parse(%q): %v", test.text, err)
			continue
		}
		if got := asJSON(t, v); got != test.want {
			t.Errorf("JSON of the view of %q = %s, want %s", test.text, got, test.want)
		}
		want := test.url
		if want == "" {
			want = test.text
		}
		if got := v.URL().String(); got != want {
			t.Errorf("URL of the view of %q = %q, want %q", test.text, got, want)
		}
		checkLaws(t, test.text)
	}
}

// checkLaws checks the laws of views for the view of a text, by every standard that accepts the text.
func checkLaws(t *testing.T, text string) {
	t.Helper()
	for _, std := range standards {
		u, err := std.Parse(text)
		if err != nil {
			continue
		}
		_ = scheme.Judge(u)
		v, err := scheme.Parse(u)
		if err != nil {
			continue
		}
		w := v.URL()
		if w.IsZero() {
			t.Errorf("URL of the view of %q (%v) %+v is zero", text, std, v)
			continue
		}
		checkSame(t, text, v, w)
		if again := v.URL(); again != w {
			t.Errorf("URL of the view of %q = %q, and then %q", text, w, again)
		}
		var j map[string]any
		if err := json.Unmarshal([]byte(asJSON(t, v)), &j); err != nil {
			t.Errorf("JSON of the view of %q: %v", text, err)
		}
	}
}

// checkSame checks that w has the view v, by every standard that accepts the text of w.
func checkSame(t *testing.T, text string, v scheme.View, w url.URL) {
	t.Helper()
	for _, std := range standards {
		x, err := std.Parse(w.String())
		if err != nil {
			if std == url.RFC3986 {
				t.Errorf("the view of %q writes %q: %v", text, w, err)
			}
			continue
		}
		if std != url.RFC3986 && keepsText(v) || std == url.RFC1738 && !hasHost(x) && hasHost(w) {
			continue
		}
		got, err := scheme.Parse(x)
		if got, v := withoutSearch(got), withoutSearch(v); err != nil || !reflect.DeepEqual(got, v) {
			t.Errorf("the view of %q writes %q, but %v reads %+v, %v; want %+v", text, w, std, got, err, v)
		}
	}
}

// hasHost reports whether u has a host. By RFC 1738, a news URL has no host, and a URL of a scheme without a
// production has one only if the standard allows that host.
func hasHost(u url.URL) bool {
	_, ok := u.Host()
	return ok
}

// withoutSearch returns v without the decoded search if that contains a "+" in its URL, because RFC 1630 decodes such
// a search in another way than RFC 3986.
func withoutSearch(v scheme.View) scheme.View {
	h, ok := v.(scheme.HTTP)
	if _, query, _ := strings.Cut(h.Target, "?"); ok && strings.ContainsRune(query, '+') {
		h.Search = url.Part{}
		return h
	}
	return v
}

// keepsText reports whether v writes a part as it found it, so that another standard may read it differently: a "+" in
// a query, or the addresses and fields of a mailto URL.
func keepsText(v scheme.View) bool {
	switch v := v.(type) {
	case scheme.HTTP:
		return strings.ContainsRune(v.Target, '+')
	case scheme.Mailto:
		return v.Fields.Present || strings.ContainsRune(v.Address, ',')
	case scheme.URN:
		return v.Components.Present
	}
	return false
}

// equivalent reports whether two URLs mean the same.
func equivalent(a, b url.URL) bool {
	_, _, _, differ := scheme.Difference(a, b)
	return !differ
}

// equivalentBy reports whether two URLs mean the same by the facts about a scheme.
func equivalentBy(a, b url.URL, facts url.Facts) bool {
	_, _, _, differ := a.Difference(b, facts)
	return !differ
}
