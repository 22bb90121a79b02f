package netrc_test

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"testing"

	"locus/cmd/locus/internal/netrc"
)

func ExampleFile_Find() {
	file := netrc.Parse("machine ftp.example.org login ada password sesame\n")
	e, ok := file.Find("FTP.example.org", "")
	fmt.Println(e.Login, e.Password, ok)
	// Output: ada sesame true
}

func TestFind(t *testing.T) {
	const text = "# machine no.example login no password no\n" +
		"machine h.example login ada password one\n" +
		"machine h.example\n\tlogin bob\n\tpassword two account x\n" +
		"macdef init\nmachine macro.example login no password no\n\n" +
		"machine k.example password three\n" +
		"default login guest password four\n"
	for _, test := range []struct{ host, user, login, password string }{
		{"h.example", "", "ada", "one"},
		{"H.EXAMPLE", "bob", "bob", "two"},
		{"h.example", "guest", "guest", "four"},
		{"h.example", "eve", "", ""},
		{"k.example", "", "", "three"},
		{"macro.example", "", "guest", "four"},
		{"no.example", "", "guest", "four"},
	} {
		got, ok := netrc.Parse(text).Find(test.host, test.user)
		if got.Login != test.login || got.Password != test.password || ok != (test.password != "") {
			t.Errorf("Find(%q, %q) = %+v, %v, want %q, %q", test.host, test.user, got, ok, test.login, test.password)
		}
	}
	// An unknown word is skipped, but not the word after it.
	const odd = "machine h.example tls login ada port 21 password one"
	if got, _ := netrc.Parse(odd).Find("h.example", ""); got != (netrc.Entry{Machine: "h.example", Login: "ada", Password: "one"}) {
		t.Errorf("Find in %q = %+v", odd, got)
	}
	if got, _ := netrc.Parse("\ufeffmachine h.example login ada password one").Find("h.example", ""); got.Password != "one" {
		t.Errorf("Find in a text with a byte order mark = %+v", got)
	}
	// Quoted words, as curl and ftp read them.
	for word, want := range map[string]string{
		`"one two"`: "one two", `"a\"b\\c"`: `a"b\c`, `"a\tb\n\r\x"`: "a\tb\n\rx", `"#"`: "#", `""`: "", `a"b`: `a"b`, `"open`: `"open`, `"a"b`: "a",
	} {
		text := "machine h.example login ada password " + word + "\nmachine k.example login bob password two\n"
		first, _ := netrc.Parse(text).Find("h.example", "ada")
		second, _ := netrc.Parse(text).Find("k.example", "")
		if first.Password != want || second.Password != "two" {
			t.Errorf("the passwords in %q are %q and %q, want %q and two", text, first.Password, second.Password, want)
		}
	}
	for _, text := range []string{"", "login x", "machine", "machine h.example login", "password x machine"} {
		if got, _ := netrc.Parse(text).Find("h.example", ""); got.Password != "" {
			t.Errorf("Find in %q = %+v", text, got)
		}
	}
}

// A file that others can read is read, with an error.
func TestRead(t *testing.T) {
	name := filepath.Join(t.TempDir(), "netrc")
	want := netrc.File{{Machine: "h.example", Login: "ada", Password: "one"}}
	if _, err := netrc.Read(name); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("Read of a file that does not exist = %v", err)
	}
	if err := os.WriteFile(name, []byte("machine h.example login ada password one\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if got, err := netrc.Read(name); err != nil || !slices.Equal(got, want) {
		t.Errorf("Read = %+v, %v, want %+v", got, err, want)
	}
	if runtime.GOOS == "windows" {
		return
	}
	for _, mode := range []fs.FileMode{0o640, 0o604} {
		if err := os.Chmod(name, mode); err != nil {
			t.Fatal(err)
		}
		got, err := netrc.Read(name)
		if _, ok := errors.AsType[*netrc.ExposedError](err); !ok || !slices.Equal(got, want) {
			t.Errorf("mode %o: Read = %+v, %v, want %+v and an ExposedError", mode, got, err, want)
		}
	}
}
