package scheme_test

import (
	"errors"
	"reflect"
	"testing"

	"locus/scheme"
	"locus/url"
)

// req: 1738-3.10-1, 1630-file-1
func TestFile(t *testing.T) {
	testViews(t, []viewCase{
		{"file:///", `{"host":"","segments":[""]}`, ""},
		{"file:///a/b", `{"host":"","segments":["a","b"]}`, ""},
		{"file:///a/", `{"host":"","segments":["a",""]}`, ""},
		{"file:////a", `{"host":"","segments":["","a"]}`, ""},
		{"file://localhost/a", `{"host":"localhost","segments":["a"]}`, ""},
		{"file://vms.host.edu/disk$user/x", `{"host":"vms.host.edu","segments":["disk$user","x"]}`, ""},
		{"file:/a", `{"host":null,"segments":["a"]}`, ""},
		{"file:///C:/x%7Cy", `{"host":"","segments":["C:","x|y"]}`, ""},
		{"file:///c%7C/x", `{"host":"","segments":["c|","x"]}`, ""},
		{"file:///a%2Fb/%FF", `{"host":"","segments":["a/b",{"base64":"/w=="}]}`, ""},
		{"file:///a?b#c", `{"host":"","segments":["a?b"]}`, "file:///a%3Fb"},
		{"file:///a;b:c", `{"host":"","segments":["a;b:c"]}`, "file:///a%3Bb%3Ac"},
		{"file://[::1]/a", `{"host":"::1","segments":["a"]}`, ""},
		{text: "file:‸"},
		{text: "file:‸a"},
		{text: "file://‸"},
		{text: "file://h‸"},
		{text: "file://h‸?a"},
		{text: "file://h‸:80/a"},
		{text: "file://u‸@h/a"},
	})
	if got, want := (scheme.File{}).URL().String(), "file:/"; got != want {
		t.Errorf("File{}.URL() = %q, want %q", got, want)
	}
}

func TestFileIsLocal(t *testing.T) {
	for _, test := range []struct {
		host url.Part
		want bool
	}{{url.Part{}, true}, {url.Some(""), true}, {url.Some("LocalHost"), true}, {url.Some("h"), false}, {url.Some("127.0.0.1"), false}} {
		if got := (scheme.File{Host: test.host}).IsLocal(); got != test.want {
			t.Errorf("IsLocal of a file on %+v = %v, want %v", test.host, got, test.want)
		}
	}
}

// LocalPath returns the name of the file for each URL.
func TestLocalPath(t *testing.T) {
	for _, test := range []struct{ goos, text, want string }{
		{"linux", "file:///", "/"},
		{"linux", "file:///etc/motd", "/etc/motd"},
		{"darwin", "file:/a%20b/", "/a b/"},
		{"linux", "file://localhost//a", "//a"},
		{"linux", `file:///C:/a%5Cb`, `/C:/a\b`},
		{"windows", "file:///", `\`},
		{"windows", "file:///C:/a/b", `C:\a\b`},
		{"windows", "file:///C:", `C:\`},
		{"windows", "file:///c%7C/a/", `c:\a\`},
		{"windows", "file:/C:/a", `C:\a`},
		{"windows", "file:///a/b", `\a\b`},
		{"windows", "file://server/share/a", `\\server\share\a`},
		{"windows", "file://localhost/C:/a", `C:\a`},
		{"windows", "file:////server/share/a", `\\server\share\a`},
		{"windows", "file://///server/share/a", `\\server\share\a`},
	} {
		v, err := scheme.ParseFile(url.MustParse(test.text))
		if err != nil {
			t.Fatalf("%q: %v", test.text, err)
		}
		if got, err := v.LocalPath(test.goos); err != nil || got != test.want {
			t.Errorf("LocalPath of %q on %s = %q, %v; want %q", test.text, test.goos, got, err, test.want)
		}
	}
}

// LocalPath returns an error if the name would denote another file than the URL.
func TestLocalPathRefuses(t *testing.T) {
	for _, test := range []struct {
		goos, text string
		want       error
	}{
		{"linux", "file://h/a", scheme.ErrNotLocal},
		{"linux", "file:///a%2Fb", errors.ErrUnsupported},
		{"linux", "file:///a%00", errors.ErrUnsupported},
		{"windows", "file:///a%5Cb", errors.ErrUnsupported},
		{"windows", "file:///a%2F..%2Fb", errors.ErrUnsupported},
		{"windows", "file:///C:/a:stream", errors.ErrUnsupported},
		{"windows", "file:///C:/D:/a", errors.ErrUnsupported},
		{"windows", "file://a%5Cb/c", errors.ErrUnsupported},
		{"windows", "file:////%2E/c", errors.ErrUnsupported},
		{"windows", "file:////%3F/c", errors.ErrUnsupported},
		{"windows", "file://h/C:/a", errors.ErrUnsupported},
		{"windows", "file:////server", errors.ErrUnsupported},
		{"windows", "file://///a", errors.ErrUnsupported},
		{"windows", "file://////a/b", errors.ErrUnsupported},
		{"windows", "file://%2E/a", errors.ErrUnsupported},
	} {
		v, err := scheme.ParseFile(url.MustParse(test.text))
		if err != nil {
			t.Fatalf("%q: %v", test.text, err)
		}
		if got, err := v.LocalPath(test.goos); !errors.Is(err, test.want) {
			t.Errorf("LocalPath of %q on %s = %q, %v; want %v", test.text, test.goos, got, err, test.want)
		}
	}
}

// LocalFile returns the URL of each file name, and LocalPath returns the name again.
func TestLocalFile(t *testing.T) {
	for _, test := range []struct {
		goos, path, want string
		back             string // "" is the same as path
	}{
		{"linux", "/", "file:///", ""},
		{"linux", "/a b/c;d", "file:///a%20b/c%3Bd", ""},
		{"linux", "/a/../b/", "file:///a/../b/", ""},
		{"darwin", "/~/%41?#\xff", "file:///%7E/%2541%3F%23%FF", ""},
		{"windows", `C:\a b\c`, "file:///C:/a%20b/c", ""},
		{"windows", `c:/a/`, "file:///c:/a/", `c:\a\`},
		{"windows", `\a`, "file:///a", ""},
		{"windows", `\\server\share\a`, "file://server/share/a", ""},
		{"windows", `//server/share`, "file://server/share", `\\server\share`},
		{"windows", `\\?\C:\a`, "file:///C:/a", `C:\a`},
		{"windows", `\\?\unc\server\share\a`, "file://server/share/a", `\\server\share\a`},
	} {
		v, err := scheme.LocalFile(test.goos, test.path)
		if err != nil || v.URL().String() != test.want {
			t.Errorf("LocalFile(%q, %q) = %q, %v; want %q", test.goos, test.path, v.URL(), err, test.want)
			continue
		}
		got, err := scheme.ParseFile(v.URL())
		if err != nil || !reflect.DeepEqual(got, v) {
			t.Errorf("ParseFile(%q) = %+v, %v; want %+v", v.URL(), got, err, v)
		}
		want := test.back
		if want == "" {
			want = test.path
		}
		if back, err := got.LocalPath(test.goos); err != nil || back != want {
			t.Errorf("LocalPath of %q on %s = %q, %v; want %q", v.URL(), test.goos, back, err, want)
		}
	}
	for _, test := range []struct{ goos, path string }{
		{"linux", ""},
		{"linux", "a/b"},
		{"linux", `C:\a`},
		{"windows", ""},
		{"windows", "a"},
		{"windows", "C:a"},
		{"windows", "C:"},
		{"windows", `\\.\COM1`},
		{"windows", `\\server`},
		{"windows", `\\\a`},
		{"windows", "C|/a"},
		{"windows", `\\?\GLOBALROOT`},
	} {
		if v, err := scheme.LocalFile(test.goos, test.path); err == nil {
			t.Errorf("LocalFile(%q, %q) = %+v, want an error", test.goos, test.path, v)
		}
	}
}
