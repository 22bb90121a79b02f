package library

import (
	"bytes"
	"io"
	"io/fs"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
)

func TestFilesIsAFileSystem(t *testing.T) {
	err := fstest.TestFS(Files(), "README.txt", "awkward/semi;colon.txt", "awkward/number#sign.txt", "awkward/100%.txt",
		"awkward/a%2Fb.txt", "awkward/déjà vu.txt", "awkward/why?.txt", "awkward/list;type=d", "awkward/empty.txt",
		"deep/1/2/3/4/5/6/7/8/bottom.txt", "home/demo/etc/motd", "etc/motd", "pictures/lens.png", Numbers)
	if err != nil {
		t.Fatal(err)
	}
}

func TestEveryAwkwardNameIsServed(t *testing.T) {
	for embeddedName, name := range awkward.Get() {
		if _, err := fs.Stat(Files(), name); err != nil {
			t.Errorf("Stat(%q): %v", name, err)
		}
		if _, err := fs.Stat(Files(), embeddedName); err == nil {
			t.Errorf("%q is served beside %q", embeddedName, name)
		}
	}
}

func TestFilesSeek(t *testing.T) {
	f, err := Files().Open(Numbers)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.(io.Seeker).Seek(32*70000, io.SeekStart); err != nil {
		t.Fatal(err)
	}
	line := make([]byte, 32)
	if _, err := io.ReadFull(f, line); err != nil || string(line) != "0070000  of a file of four MiB.\n" {
		t.Errorf("line 70000 is %q, %v", line, err)
	}
	data, err := fs.ReadFile(Files(), Numbers)
	if err != nil || len(data) != NumbersLines*32 {
		t.Errorf("the big file has %d bytes, %v, want %d", len(data), err, NumbersLines*32)
	}
}

func TestTextsAreText(t *testing.T) {
	err := fs.WalkDir(Files(), ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || TypeOf(name) != "text/plain" {
			return err
		}
		text, err := fs.ReadFile(Files(), name)
		if err != nil {
			return err
		}
		if bytes.ContainsAny(text, "\r\t\x00") || len(text) > 0 && text[len(text)-1] != '\n' {
			t.Errorf("%s has CR, TAB, NUL, or no LF at its end", name)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

func TestTypeOf(t *testing.T) {
	for _, test := range []struct{ name, want string }{
		{"a.txt", "text/plain"},
		{"A.TXT", "text/plain"},
		{"etc/motd", "text/plain"},
		{".profile", "text/plain"},
		{"list;type=d", "text/plain"},
		{"v1.0 final", "text/plain"},
		{"a.b/c.html", "text/html"},
		{"x.png", "image/png"},
		{"x.gif", "image/gif"},
		{"x.bin", "application/octet-stream"},
	} {
		if got := TypeOf(test.name); got != test.want {
			t.Errorf("TypeOf(%q) = %q, want %q", test.name, got, test.want)
		}
	}
}

func TestFind(t *testing.T) {
	x, err := NewIndex(fstest.MapFS{
		"a.txt":   {Data: []byte("Gopher and menus\n")},
		"b.txt":   {Data: []byte("Menus; ftp, GOPHER.\n")},
		"c.html":  {Data: []byte("<p>gopher élan")},
		"d.png":   {Data: []byte("gopher")},
		"big.txt": {Data: []byte(strings.Repeat("gopher ", indexed))},
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		words string
		want  []string
	}{
		{"gopher", []string{"a.txt", "b.txt", "c.html"}},
		{"Menus gopher", []string{"a.txt", "b.txt"}},
		{"gopher ftp", []string{"b.txt"}},
		{"ÉLAN", []string{"c.html"}},
		{"goph", nil},
		{"ftp nothing", nil},
		{"", nil},
		{" ;+ ", nil},
	} {
		var got []string
		for _, h := range x.Find(test.words) {
			got = append(got, h.Path)
		}
		if !slices.Equal(got, test.want) {
			t.Errorf("Find(%q) = %q, want %q", test.words, got, test.want)
		}
	}
}

func TestNewIndexOfTheLibrary(t *testing.T) {
	x, err := NewIndex(Files())
	if err != nil {
		t.Fatal(err)
	}
	got := x.Find("wais documents score")
	if len(got) != 1 || got[0] != (Hit{"texts/wais.txt", "WAIS: ask in words, get documents"}) {
		t.Errorf("Find gives %v", got)
	}
}

func TestTitleAndAbstract(t *testing.T) {
	fsys := fstest.MapFS{
		"a.txt":    {Data: []byte("A title\n\nFirst.\nSecond.\n\nThird.\n")},
		"long.txt": {Data: []byte(strings.Repeat("x", 71) + "\n\n" + strings.Repeat("y\n", 12))},
		"tab.txt":  {Data: []byte("a\tb\n")},
		"e.txt":    {},
		"p.png":    {Data: []byte("P\n\nQ")},
	}
	for _, test := range []struct {
		name, title string
		abstract    int
	}{
		{"a.txt", "A title", 2},
		{"long.txt", "long.txt", 10},
		{"tab.txt", "tab.txt", 0},
		{"e.txt", "e.txt", 0},
		{"p.png", "p.png", 0},
		{"none.txt", "none.txt", 0},
	} {
		if got := Title(fsys, test.name); got != test.title {
			t.Errorf("Title(%q) = %q, want %q", test.name, got, test.title)
		}
		if got := Abstract(fsys, test.name); len(got) != test.abstract {
			t.Errorf("Abstract(%q) = %q, want %d lines", test.name, got, test.abstract)
		}
	}
}

func TestLanguages(t *testing.T) {
	got := Languages(Files(), "README.txt")
	want := []Version{{"README.txt", "En_US"}, {"README.de.txt", "De_DE"}, {"README.fr.txt", "Fr_FR"}}
	if !slices.Equal(got, want) {
		t.Errorf("Languages(README.txt) = %v, want %v", got, want)
	}
	if got := Languages(Files(), "texts/ftp.txt"); len(got) != 1 {
		t.Errorf("Languages(texts/ftp.txt) = %v, want one", got)
	}
	if !IsVersion("README.de.txt") || IsVersion("README.txt") {
		t.Error("IsVersion tells texts from translations wrongly")
	}
}

// A word that few texts have counts more, and so does one in the headline, and
// one in a short text.
func TestRank(t *testing.T) {
	var x Index
	for _, text := range []string{"common rare", "common common common", "common " + strings.Repeat("filler ", 100), "other"} {
		x.Add("", text)
	}
	x.Add("rare", "headline")
	for _, test := range []struct {
		words string
		want  []int
	}{
		{"rare", []int{4, 0}},
		{"common", []int{1, 0, 2}},
		{"Common, RARE", []int{0, 4, 1, 2}},
		{"nothing", nil},
		{"", nil},
	} {
		var got []int
		for _, r := range x.Rank(Words(test.words)) {
			got = append(got, r.Text)
		}
		if !slices.Equal(got, test.want) {
			t.Errorf("Rank(%q) = %v, want %v", test.words, got, test.want)
		}
	}
	if got := new(Index).Rank([]string{"x"}); got != nil {
		t.Errorf("an empty index finds %v", got)
	}
}
