package glob

import (
	"slices"
	"strings"
	"testing"
	"time"
)

var globTests = []struct {
	in   string
	want string // the results, separated by spaces; "" for an invalid pattern
}{
	{"http://h/a", "http://h/a"},
	{"a[1-3]", "a1 a2 a3"},
	{"[08-10]", "08 09 10"},
	{"[008-010]x", "008x 009x 010x"},
	{"[0-10:5]", "0 5 10"},
	{"[a-e:2]", "a c e"},
	{"[X-Z]", "X Y Z"},
	{"{a,b}{c,d}", "ac ad bc bd"},
	{"{a,}x", "ax x"},
	{"{one}", "one"},
	{"[1-2]-{x,y}", "1-x 1-y 2-x 2-y"},
	{"http://[::1]/a", "http://[::1]/a"},
	{"http://u@[fe80::1]:80/[1-2]", "http://u@[fe80::1]:80/1 http://u@[fe80::1]:80/2"},
	{"http://h/[::1]", ""},
	{"[1", ""},
	{"1]", ""},
	{"{a", ""},
	{"a}", ""},
	{"[]", ""},
	{"[3-1]", ""},
	{"[a-Z]", ""},
	{"[1-2:0]", ""},
	{"[x]", ""},
	{"[0-99999999]", ""},
	{"[1-9999][1-9999]", ""},
	{"[-1-2]", ""},
	{"{a,{b,c}}", ""},
	{"{a,{b,c}", ""},
	{"http://{[::1],h}/", "http://[::1]/ http://h/"},
	{`a\[1-2\]`, ""},
	{`a\{b\}`, `a\b\`},
	{"a%5B1-2%5D", "a%5B1-2%5D"},
	{"[0-2147483647:2147483647]", "0 2147483647"},
	{"[0-2:9223372036854775807]", "0"},
	{"[0-2147483648]", ""},
	{"[0-9999][0-999][0-9]", ""},
	{"a{}", "a"},
}

func TestGlob(t *testing.T) {
	for _, test := range globTests {
		g, err := Parse(test.in)
		if (err == nil) != (test.want != "") {
			t.Errorf("Parse(%q) = %v, want %q", test.in, err, test.want)
			continue
		}
		if got := strings.Join(slices.Collect(g.All()), " "); err == nil && got != test.want {
			t.Errorf("Parse(%q): %q, want %q", test.in, got, test.want)
		}
	}
}

func FuzzGlob(f *testing.F) {
	for _, test := range globTests {
		f.Add(test.in)
	}
	f.Fuzz(func(t *testing.T, text string) {
		g, err := Parse(text)
		if err != nil {
			return
		}
		size, n := g.Len(), 0
		if size < 1 || size > maxGlob {
			t.Fatalf("%q stands for %d texts", text, size)
		}
		plain := !strings.ContainsAny(text, "[]{}")
		for one := range g.All() {
			if plain && one != text {
				t.Errorf("%q gives %q", text, one)
			}
			if n++; n == 1000 {
				break
			}
		}
		if n != min(size, 1000) {
			t.Errorf("%q gives %d texts, Len %d", text, n, size)
		}
	})
}

func TestFilter(t *testing.T) {
	for _, test := range []struct {
		include, exclude []string
		name             string
		dir              bool
		want             bool
	}{
		{nil, nil, "a/b", false, true},
		{[]string{"*.txt"}, nil, "a/b.txt", false, true},
		{[]string{"*.txt"}, nil, "a/b.dat", false, false},
		{[]string{"*.txt"}, nil, "a", true, true},
		{nil, []string{"a"}, "a", true, false},
		{nil, []string{"a/"}, "a", true, false},
		{nil, []string{"a/"}, "a", false, true},
		{nil, []string{"/a"}, "a", false, false},
		{nil, []string{"/a"}, "b/a", false, true},
		{nil, []string{"a/*.o"}, "a/b.o", false, false},
		{nil, []string{"a/*.o"}, "a/b/c.o", false, true},
		{nil, []string{"a/**/*.o"}, "a/b/c.o", false, false},
		{nil, []string{"a/**/*.o"}, "a/c.o", false, false},
		{nil, []string{"**/x"}, "a/b/x", false, false},
		{nil, []string{"a/**"}, "a/b/c", false, false},
		{[]string{"*.txt"}, []string{"b*"}, "b.txt", false, false},
	} {
		f := Filter{Include: test.include, Exclude: test.exclude}
		if err := f.Check(); err != nil {
			t.Errorf("%+v: %v", f, err)
		}
		if got := f.Match(test.name, test.dir); got != test.want {
			t.Errorf("%+v.Match(%q, %v) = %v, want %v", f, test.name, test.dir, got, test.want)
		}
	}
	for _, bad := range []string{"", "/", "[", "a/[x"} {
		if err := (Filter{Exclude: []string{bad}}).Check(); err == nil {
			t.Errorf("%q is taken for a pattern", bad)
		}
	}
}

// A pattern with many "**" does not take exponential time, even if it does not match.
func TestFilterManyStars(t *testing.T) {
	pattern, name := strings.Repeat("**/a/", 40)+"b", strings.Repeat("a/", 100)+"c"
	f := Filter{Exclude: []string{pattern}}
	matched := make(chan bool, 1)
	go func() { matched <- f.Match(name, false) }()
	select {
	case ok := <-matched:
		if !ok {
			t.Errorf("%q excludes %q", pattern, name)
		}
	case <-time.After(time.Minute):
		t.Error("a pattern of 40 \"**\" is still matched after a minute")
	}
}
