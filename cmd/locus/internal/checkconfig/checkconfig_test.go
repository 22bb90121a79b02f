package checkconfig

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"locus/check"
)

// Find returns the nearest configuration. It does not look above a repository, and ignores folders
// in which everybody may write. It also ignores pipes and devices, because reading them may never end.
func TestFind(t *testing.T) {
	top := t.TempDir()
	for _, folder := range []string{"a/b/c", "a/repo/.git", "a/repo/doc", "a/open/doc", "a/b/odd/" + Name, "a/b/device"} {
		if err := os.MkdirAll(filepath.Join(top, folder), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for _, folder := range []string{"a", "a/b", "a/open"} {
		if err := os.WriteFile(filepath.Join(top, folder, Name), nil, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Chmod(filepath.Join(top, "a/open"), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(os.DevNull, filepath.Join(top, "a/b/device", Name)); err != nil {
		t.Logf("this system has no link to a device: %v", err)
	}
	for _, test := range []struct{ arg, want string }{
		{"a/b/odd", "a/b"},
		{"a/b/device", "a/b"},
		{"a/b/c", "a/b"},
		{"a/b/c/none.md", "a/b"},
		{"a/b", "a/b"},
		{"a", "a"},
		{"a/repo/doc", ""},
		{"a/open/doc", "a"},
	} {
		got := Find(filepath.Join(top, test.arg))
		want := test.want
		if want != "" {
			want = filepath.Join(top, want, Name)
		}
		if got != want {
			t.Errorf("Find(%q) = %q, want %q", test.arg, got, want)
		}
	}
}

// Headers, the user agent and cookies become header fields. The first invalid value is the error.
func TestHostHeader(t *testing.T) {
	lookup := func(name string) (string, error) { return "value of " + name, nil }
	rule, err := Host{
		Headers: map[string]string{"X-B": "2", "X-A": "${A}"}, UserAgent: "me/1", Cookies: map[string]string{"b": "2", "a": "1"},
	}.Rule(lookup)
	want := []check.Field{
		{Name: "X-A", Value: "value of A", IsSecret: true},
		{Name: "X-B", Value: "2"},
		{Name: "User-Agent", Value: "me/1"},
		{Name: "Cookie", Value: "a=1; b=2", IsSecret: true},
	}
	if err != nil || !slices.Equal(rule.Header, want) {
		t.Errorf("Rule().Header = %v, %v, want %v", rule.Header, err, want)
	}
	for _, wrong := range []Host{
		{Headers: map[string]string{"Host": "x"}}, {UserAgent: "a\nb"}, {Cookies: map[string]string{"a": "1; b=2"}}, {Retries: new(-1)},
	} {
		if rule, err := wrong.Rule(lookup); err == nil {
			t.Errorf("Rule() of %+v = %+v, want an error", wrong, rule)
		}
	}
}

// A variable is a part of one cookie. A value that would add a cookie or a field is an error that
// names the cookie and hides the value.
func TestCookieVariables(t *testing.T) {
	for value, want := range map[string]string{
		"sesame":       "a=sesame; b=2",
		"${A}":         "a=${A}; b=2", // a value is not expanded again
		"":             "a=; b=2",
		"sesame; b=3":  "",
		"sesame,":      "",
		"sesame x":     "",
		"sesame\x00":   "",
		"sesame\r\nX:": "",
		"sesame\t":     "",
		"sesame\x7f":   "",
	} {
		lookup := func(string) (string, error) { return value, nil }
		rule, err := Host{Cookies: map[string]string{"a": "${A}", "b": "2"}}.Rule(lookup)
		switch {
		case want == "":
			if err == nil || !strings.Contains(err.Error(), `cookie "a"`) || strings.Contains(err.Error(), "sesame") {
				t.Errorf("a cookie with the variable %q = %+v, %v, want an error without the value", value, rule, err)
			}
		case err != nil || !slices.Equal(rule.Header, []check.Field{{Name: "Cookie", Value: want, IsSecret: true}}):
			t.Errorf("a cookie with %q = %+v, %v, want %q", value, rule, err, want)
		}
	}
}

// An error has the line, but not the text of the configuration, which may contain secrets.
func TestParse(t *testing.T) {
	values, hosts, err := Parse([]byte("level = 2\n[[host]]\nname = \"h\"\n"), []string{"level"})
	if err != nil || values["level"] != int64(2) || len(values) != 1 || len(hosts) != 1 || hosts[0].Name != "h" {
		t.Errorf("Parse = %v, %v, %v", values, hosts, err)
	}
	for text, want := range map[string]string{
		"\ndepth = 2":                    ":2: unknown key \"depth\"",
		"[[host]]\nsecret = \"x\"":       ":2: unknown key \"host.secret\"",
		"[[host]]\nname = sesame":        ":2: ",
		"[[host]]\ntimeout = \"sesame\"": ":2: ",
		"level = 2\nlevel = 3":           ":2: ",
		"[[host]]\n\nrate = \"a\"":       ":3: ",
	} {
		_, _, err := Parse([]byte(text), []string{"level"})
		if err == nil || !strings.HasPrefix(err.Error(), want) || strings.Contains(err.Error(), "= sesame") {
			t.Errorf("Parse(%q): %v, want %q", text, err, want)
		}
	}
}
