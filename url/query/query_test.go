package query

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"locus/url"
)

var pairsTests = []struct {
	in       string
	want     []Pair
	wantForm []Pair // as want if nil
}{
	{in: ""},
	{in: "&"},
	{in: "&&&"},
	{in: "a", want: []Pair{{"a", url.Part{}}}},
	{in: "a=", want: []Pair{{"a", url.Some("")}}},
	{in: "=", want: []Pair{{"", url.Some("")}}},
	{in: "=b", want: []Pair{{"", url.Some("b")}}},
	{in: "a=b=c", want: []Pair{{"a", url.Some("b=c")}}},
	{in: "a=1&b=2&a=3", want: []Pair{{"a", url.Some("1")}, {"b", url.Some("2")}, {"a", url.Some("3")}}},
	{in: "&a&&b&", want: []Pair{{"a", url.Part{}}, {"b", url.Part{}}}},
	{in: "a;b=c", want: []Pair{{"a;b", url.Some("c")}}},
	{in: "%61%26=%3D%2b", want: []Pair{{"a&", url.Some("=+")}}},
	{in: "a+b=c+d", want: []Pair{{"a+b", url.Some("c+d")}}, wantForm: []Pair{{"a b", url.Some("c d")}}},
	{in: "%&a=%4&b=%zz%", want: []Pair{{"%", url.Part{}}, {"a", url.Some("%4")}, {"b", url.Some("%zz%")}}},
	{in: "%FF=%00", want: []Pair{{"\xff", url.Some("\x00")}}},
	{in: "ä=\xff?#", want: []Pair{{"ä", url.Some("\xff?#")}}},
}

func TestPairs(t *testing.T) {
	for _, test := range pairsTests {
		for _, ps := range []Pairs{Parse(test.in), ParseForm(test.in)} {
			want := test.want
			if ps.form && test.wantForm != nil {
				want = test.wantForm
			}
			if got := slices.Collect(ps.All()); !slices.Equal(got, want) {
				t.Errorf("All of %q (form %v) = %v, want %v", test.in, ps.form, got, want)
			}
			if ps.String() != test.in {
				t.Errorf("String of %q = %q, want the text itself", test.in, ps)
			}
		}
	}
}

func TestPairsGet(t *testing.T) {
	for _, test := range []struct {
		in, name string
		want     []string
	}{
		{"a=1&b=2&a=3", "a", []string{"1", "3"}},
		{"a=1&b=2&a=3", "b", []string{"2"}},
		{"a=1&b=2&a=3", "A", nil},
		{"a&a=", "a", []string{"", ""}},
		{"%61=1", "a", []string{"1"}},
		{"&&", "", nil},
		{"=", "", []string{""}},
	} {
		ps := Parse(test.in)
		if got := ps.Values(test.name); !slices.Equal(got, test.want) {
			t.Errorf("Values(%q) of %q = %q, want %q", test.name, test.in, got, test.want)
		}
		value, ok := ps.Get(test.name)
		if ok != (test.want != nil) || ok && value != test.want[0] {
			t.Errorf("Get(%q) of %q = %q, %v, want the first of %q", test.name, test.in, value, ok, test.want)
		}
	}
}

func TestPairsEdit(t *testing.T) {
	for _, test := range []struct {
		in   string
		edit func(Pairs) Pairs
		want string
		form string // as want if empty
	}{
		{in: "", edit: func(ps Pairs) Pairs { return ps.Add("a", "1") }, want: "a=1"},
		{in: "a", edit: func(ps Pairs) Pairs { return ps.Add("a", "") }, want: "a&a="},
		{in: "a&", edit: func(ps Pairs) Pairs { return ps.Add("b", "1") }, want: "a&&b=1"},
		{in: "a", edit: func(ps Pairs) Pairs { return ps.Append(Pair{"b", url.Part{}}) }, want: "a&b"},
		{in: "a", edit: func(ps Pairs) Pairs { return ps.Append(Pair{}) }, want: "a"},
		{in: "", edit: Pairs.Sort, want: ""},
		{in: "b=1&a&&b=0&%61=x&", edit: Pairs.Sort, want: "a&%61=x&b=1&b=0"},
		{in: "b=%7e&a=1&c", edit: func(ps Pairs) Pairs {
			return ps.DelFunc(func(p Pair) bool { return p.Value.Text == "1" || p.Name == "c" })
		}, want: "b=%7e"},
		{in: "a", edit: func(ps Pairs) Pairs { return ps.Add("", "") }, want: "a&="},
		{in: "", edit: func(ps Pairs) Pairs { return ps.Add("a b", "c+d&e=f;g#h'é%") }, want: "a%20b=c%2Bd%26e%3Df%3Bg%23h%27%C3%A9%25", form: "a+b=c%2Bd%26e%3Df%3Bg%23h%27%C3%A9%25"},
		{in: "x=%7e&a=1&&a=2&y", edit: func(ps Pairs) Pairs { return ps.Set("a", "3") }, want: "x=%7e&a=3&&y"},
		{in: "%61", edit: func(ps Pairs) Pairs { return ps.Set("a", "") }, want: "%61="},
		{in: "b", edit: func(ps Pairs) Pairs { return ps.Set("a", "1") }, want: "b&a=1"},
		{in: "a=1&b&a=2", edit: func(ps Pairs) Pairs { return ps.Del("a") }, want: "b"},
		{in: "a=1", edit: func(ps Pairs) Pairs { return ps.Del("a") }, want: ""},
		{in: "a&&b", edit: func(ps Pairs) Pairs { return ps.Del("") }, want: "a&&b"},
		{in: "a+b=1&c", edit: func(ps Pairs) Pairs { return ps.Del("a b") }, want: "a+b=1&c", form: "c"},
	} {
		if got := test.edit(Parse(test.in)).String(); got != test.want {
			t.Errorf("edited query %q = %q, want %q", test.in, got, test.want)
		}
		want := test.form
		if want == "" {
			want = test.want
		}
		if got := test.edit(ParseForm(test.in)).String(); got != want {
			t.Errorf("edited form %q = %q, want %q", test.in, got, want)
		}
	}
}

// Editing does not change the value that is edited.
func TestPairsAreValues(t *testing.T) {
	before := Parse("a=1&b=2")
	after := before.Set("a", "3").Del("b")
	if before != Parse("a=1&b=2") || after != Parse("a=3") {
		t.Errorf("after an edit the old and the new pairs are %q and %q, want a=1&b=2 and a=3", before, after)
	}
}

func FuzzPairs(f *testing.F) {
	for _, test := range pairsTests {
		f.Add(test.in, "a", "b c", true)
		f.Add(test.in, "a", "1&2", false)
	}
	f.Fuzz(func(t *testing.T, text, name, value string, form bool) {
		ps := Pairs{text, form}
		others := func(ps Pairs) (list []Pair) {
			for p := range ps.All() {
				if p.Name != name {
					list = append(list, p)
				}
			}
			return list
		}
		values := ps.Values(name)
		if got := ps.Add(name, value).Values(name); !slices.Equal(got, append(slices.Clone(values), value)) {
			t.Errorf("Values of %q after Add(%q, %q) = %q, want one more value", text, name, value, got)
		}
		if got := ps.Set(name, value).Values(name); !slices.Equal(got, []string{value}) {
			t.Errorf("Values of %q after Set(%q, %q) = %q, want the new value alone", text, name, value, got)
		}
		if got := ps.Del(name); len(got.Values(name)) > 0 || !slices.Equal(others(got), others(ps)) {
			t.Errorf("%q after Del(%q) = %q, want all other pairs", text, name, got)
		}
		again := Pairs{form: form}
		for p := range ps.All() {
			again = again.Append(p)
		}
		if !slices.Equal(slices.Collect(again.All()), slices.Collect(ps.All())) {
			t.Errorf("the pairs of %q appended one by one = %q, want the same pairs", text, again.text)
		}
		for _, std := range []url.Standard{url.RFC3986, url.RFC1738, url.RFC1630} {
			const prefix = "http://h.example/?"
			if u, err := std.Parse(prefix + again.String()); err != nil || strings.TrimPrefix(u.String(), prefix) != again.String() {
				t.Errorf("%v: Parse of a URL with an edited query: %v, want the query unchanged", std, err)
			}
		}
	})
}

func ExamplePairs() {
	u := url.MustParse("https://example.org/find?q=a%26b&lang=en&lang=de&exact")
	query, _ := u.Query()
	ps := Parse(query)
	fmt.Println(ps.Values("lang"))
	u, err := u.With(url.Query, url.Some(ps.Set("q", "c d").Del("exact").Add("page", "2").String()))
	fmt.Println(u, err)
	// Output:
	// [en de]
	// https://example.org/find?q=c%20d&lang=en&lang=de&page=2 <nil>
}
