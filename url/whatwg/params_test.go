package whatwg

import (
	"net/url"
	"slices"
	"testing"
)

func TestParseParams(t *testing.T) {
	for _, test := range []struct {
		in   string
		want Params
	}{
		{"", nil},
		{"?", nil},
		{"&&&", nil},
		{"?a", Params{{"a", ""}}},
		{"a=", Params{{"a", ""}}},
		{"=a", Params{{"", "a"}}},
		{"=", Params{{"", ""}}},
		{"??a=1", Params{{"?a", "1"}}},
		{"a=b=c", Params{{"a", "b=c"}}},
		{"a=1&a=2&b", Params{{"a", "1"}, {"a", "2"}, {"b", ""}}},
		{"a+b=c+d", Params{{"a b", "c d"}}},
		{"a%2Bb=c%20d", Params{{"a+b", "c d"}}},
		{"a%3Db=c%26d", Params{{"a=b", "c&d"}}},
		{"a;b=c", Params{{"a;b", "c"}}}, // ";" is not a separator
		{"%=%4&%zz=%4g", Params{{"%", "%4"}, {"%zz", "%4g"}}},
		{"%E2%98%83=%ff", Params{{"☃", "\ufffd"}}},
		{"%ef%bb%bfa=\xff", Params{{"\ufeffa", "\ufffd"}}}, // a byte order mark stays
		{"a=#", Params{{"a", "#"}}},
	} {
		if got := ParseParams(test.in); !slices.Equal(got, test.want) {
			t.Errorf("ParseParams(%q) = %q, want %q", test.in, got, test.want)
		}
	}
}

func TestParamsString(t *testing.T) {
	for c := range rune(0x100) {
		want := escaped(string(c))
		switch {
		case c == ' ':
			want = "+"
		case c == '*' || c == '-' || c == '.' || c == '_' || '0' <= c && c <= '9' || 'A' <= c && c <= 'Z' || 'a' <= c && c <= 'z':
			want = string(c)
		}
		if got := (Params{{"", string(c)}}).String(); got != "="+want {
			t.Errorf("Params with %q = %q, want %q", c, got, "="+want)
		}
	}
	if got := (Params{}).String(); got != "" {
		t.Errorf("String of empty Params = %q, want the empty text", got)
	}
}

// ParseParams and net/url read back the text that String writes.
func FuzzParams(f *testing.F) {
	for _, s := range []string{"", "a=1&b", "?a=b=c&&", "%zz", "a+b=%2B", "\xff=%ff", "=", "a;b", "☃"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		ps := ParseParams(s)
		text := ps.String()
		if back := ParseParams(text); !slices.Equal(back, ps) {
			t.Fatalf("ParseParams(%q) = %q, want %q", text, back, ps)
		}
		values, err := url.ParseQuery(text)
		if err != nil {
			t.Fatalf("net/url.ParseQuery(%q): %v", text, err)
		}
		for _, p := range ps {
			if !slices.Contains(values[p.Name], p.Value) || len(values[p.Name]) != len(ps.GetAll(p.Name)) {
				t.Fatalf("net/url reads %q of %q as %q, want %q", p.Name, text, values[p.Name], ps.GetAll(p.Name))
			}
		}
	})
}

func TestParamsMethods(t *testing.T) {
	const in = "a=1&b=2&a=3&c=&a=4"
	for _, test := range []struct {
		do   func(*Params)
		want string
	}{
		{func(ps *Params) { ps.Set("a", "x") }, "a=x&b=2&c="},
		{func(ps *Params) { ps.Set("b", "") }, "a=1&b=&a=3&c=&a=4"},
		{func(ps *Params) { ps.Set("c", "9") }, "a=1&b=2&a=3&c=9&a=4"},
		{func(ps *Params) { ps.Set("d", "&") }, in + "&d=%26"},
		{func(ps *Params) { ps.Delete("a") }, "b=2&c="},
		{func(ps *Params) { ps.Delete("A") }, in},
		{func(ps *Params) { ps.Append("a", "5") }, in + "&a=5"},
		{func(ps *Params) { ps.Append("", "") }, in + "&="},
		{func(ps *Params) { ps.Sort() }, "a=1&a=3&a=4&b=2&c="},
	} {
		ps := ParseParams(in)
		if test.do(&ps); ps.String() != test.want {
			t.Errorf("Params after the edit = %q, want %q", ps, test.want)
		}
	}
	ps := ParseParams(in)
	for _, test := range []struct {
		name  string
		first string
		has   bool
		all   []string
	}{
		{"a", "1", true, []string{"1", "3", "4"}},
		{"c", "", true, []string{""}},
		{"A", "", false, nil},
		{"", "", false, nil},
	} {
		first, has := ps.Get(test.name)
		if first != test.first || has != test.has || ps.Has(test.name) != test.has || !slices.Equal(ps.GetAll(test.name), test.all) {
			t.Errorf("Get, Has, GetAll(%q) = %q, %v, %v, %q, want %+v", test.name, first, has, ps.Has(test.name), ps.GetAll(test.name), test)
		}
	}
	var none Params
	none.Delete("a")
	none.Sort()
	if none.Set("a", "b"); none.String() != "a=b" {
		t.Errorf("nil Params after Set(a, b) = %q, want a=b", none)
	}
}
