package check

import (
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"locus/check"
	"locus/cmd/locus/internal/cli"
)

// What --init writes has every key of a host, is valid as it is, and is valid without its
// comments. So is the manual.
func TestInitialConfig(t *testing.T) {
	manual, err := os.ReadFile("../../../../doc/check-hosts.md")
	if err != nil {
		t.Fatal(err)
	}
	commented := regexp.MustCompile(`(?m)^# ([a-z-]+ = |\[\[)`).ReplaceAllString(initialConfig, "$1")
	for field := range reflect.TypeFor[hostTable]().Fields() {
		key := field.Tag.Get("toml")
		if !strings.Contains(commented, "\n"+key+" = ") {
			t.Errorf("--init writes no key %q", key)
		}
		if !strings.Contains(string(manual), "| `"+key+"`") {
			t.Errorf("the manual has no key %q", key)
		}
	}
	for _, text := range []string{initialConfig, commented} {
		values, hosts, err := parseConfig([]byte(text))
		if err != nil {
			t.Fatalf("%v in\n%s", err, text)
		}
		if (len(values) > 5) != (text == commented) || len(hosts) != len(values)/6 {
			t.Errorf("%d flags and %d hosts are set in\n%s", len(values), len(hosts), text)
		}
		for _, host := range hosts {
			if _, err := host.rule(func(string) (string, error) { return "x", nil }); err != nil {
				t.Error(err)
			}
		}
	}
}

// The nearest configuration is found, not above a repository, and not where everybody may
// write.
func TestFindConfig(t *testing.T) {
	top := t.TempDir()
	for _, folder := range []string{"a/b/c", "a/repo/.git", "a/repo/doc", "a/open/doc"} {
		if err := os.MkdirAll(filepath.Join(top, folder), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for _, folder := range []string{"a", "a/b", "a/open"} {
		if err := os.WriteFile(filepath.Join(top, folder, configName), nil, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Chmod(filepath.Join(top, "a/open"), 0o777); err != nil {
		t.Fatal(err)
	}
	e := cli.NewEnv(nil, nil, nil)
	for _, tt := range []struct{ arg, want string }{
		{"a/b/c", "a/b"},
		{"a/b/c/none.md", "a/b"},
		{"a/b", "a/b"},
		{"a", "a"},
		{"a/repo/doc", ""},
		{"a/open/doc", "a"},
	} {
		got, err := findConfig(e, &Options{Args: []string{filepath.Join(top, tt.arg), "/else"}})
		want := tt.want
		if want != "" {
			want = filepath.Join(top, want, configName)
		}
		if got != want || err != nil {
			t.Errorf("for %s it is %q, %v, want %q", tt.arg, got, err, want)
		}
	}
}

// Headers, the user agent and cookies become fields of the header; the first that is wrong is
// the error.
func TestHostTableHeader(t *testing.T) {
	lookup := func(name string) (string, error) { return "value of " + name, nil }
	rule, err := hostTable{
		Headers: map[string]string{"X-B": "2", "X-A": "${A}"}, UserAgent: "me/1", Cookies: map[string]string{"b": "2", "a": "1"},
	}.rule(lookup)
	want := []check.Field{
		{Name: "X-A", Value: "value of A", IsSecret: true},
		{Name: "X-B", Value: "2"},
		{Name: "User-Agent", Value: "me/1"},
		{Name: "Cookie", Value: "a=1; b=2", IsSecret: true},
	}
	if err != nil || !slices.Equal(rule.Header, want) {
		t.Errorf("the header is %v, %v, want %v", rule.Header, err, want)
	}
	for _, wrong := range []hostTable{
		{Headers: map[string]string{"Host": "x"}}, {UserAgent: "a\nb"}, {Cookies: map[string]string{"a": "1; b=2"}}, {Rate: -1},
	} {
		if rule, err := wrong.rule(lookup); err == nil {
			t.Errorf("%+v gives %+v", wrong, rule)
		}
	}
}
