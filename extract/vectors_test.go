package extract

import (
	"encoding/json"
	"testing"

	"locus/internal/vectors"
)

// differ lists the cases of mvdan/xurls for which this package finds other matches, and why. An empty want means no
// match. doc/extract-differences.md has the same list.
var differ = map[string]struct{ want, why string }{
	"constantTestCases http://1080::8:800:200c:417a/path": {"", "an IPv6 address stands in brackets (RFC 3986 §3.2.2), so this does not read"},
	"constantTestCases 'http://foo.com/bar'more":          {"http://foo.com/bar", "what follows an apostrophe ends before the next one"},
	"constantTestCases http://foo.com/–":                  {"http://foo.com/", "a dash at the end belongs to the sentence"},
}

// A case is a text and its match: null for no match, true for the whole text, or the text of the match.
type vector struct {
	in   string
	want string
}

func (v *vector) UnmarshalJSON(data []byte) error {
	var fields [2]any
	if err := json.Unmarshal(data, &fields); err != nil {
		return err
	}
	v.in, _ = fields[0].(string)
	switch want := fields[1].(type) {
	case string:
		v.want = want
	case bool:
		v.want = v.in
	}
	return nil
}

func readVectors(t *testing.T) map[string][]vector {
	t.Helper()
	text := vectors.Read(t, "extract/xurls.json")
	var raw map[string]json.RawMessage
	if err := json.Unmarshal(text, &raw); err != nil {
		t.Fatal(err)
	}
	all := map[string][]vector{}
	for name, list := range raw {
		if name == "source" {
			continue
		}
		var cases []vector
		if err := json.Unmarshal(list, &cases); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		all[name] = cases
	}
	return all
}

func TestVectors(t *testing.T) {
	all := readVectors(t)
	strict, relaxed := Options{}, Options{Bare: true, Mail: true}
	for _, test := range []struct {
		name    string
		options Options
	}{
		{"constantTestCases", strict},
		{"constantTestCases", relaxed},
		{"Strict2", strict},
		{"StrictMatchingScheme", Options{Unknown: true}}, // because their test accepts any scheme
		{"Relaxed2", relaxed},
	} {
		if len(all[test.name]) == 0 {
			t.Errorf("the file has no cases of %s", test.name)
		}
		for _, v := range all[test.name] {
			want := v.want
			d, other := differ[test.name+" "+v.in]
			if other {
				want = d.want
			}
			got := ""
			if found := collect(t, v.in, test.options); len(found) > 0 {
				got = found[0].Text
			}
			if got != want {
				t.Errorf("%s with Bare %v: the first match of All(%q) is %q, want %q", test.name, test.options.Bare, v.in, got, want)
			}
			if other && got == v.want {
				t.Errorf("%s: %q is in the list of differences, but gives the same match", test.name, v.in)
			}
		}
	}
}
