package check

import (
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
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

// Values become fields of the header, and nothing but them.
func TestHeaderFields(t *testing.T) {
	lookup := func(name string) (string, error) {
		value, ok := map[string]string{"A": "x", "BREAK": "x\r\nY: z"}[name]
		if !ok {
			return "", errors.New("no variable " + name)
		}
		return value, nil
	}
	for _, tt := range []struct {
		name, value string
		want        check.Field
		fails       string
	}{
		{"X-A", "${A}-${A}", check.Field{Name: "X-A", Value: "x-x", IsSecret: true}, ""},
		{"X-A", "$A ${ {A}", check.Field{Name: "X-A", Value: "$A ${ {A}"}, ""},
		{"authorization", "Basic x", check.Field{Name: "authorization", Value: "Basic x", IsSecret: true}, ""},
		{"X-A", "${NONE}", check.Field{}, "no variable NONE"},
		{"X-A", "${BREAK}", check.Field{}, "control character"},
		{"X-A", "a\nb", check.Field{}, "control character"},
		{"X A", "b", check.Field{}, "cannot be set"},
		{"content-length", "0", check.Field{}, "cannot be set"},
	} {
		rule, err := hostTable{Name: "h", Headers: map[string]string{tt.name: tt.value}}.rule(lookup)
		if tt.fails != "" {
			if err == nil || !strings.Contains(err.Error(), tt.fails) || strings.Contains(err.Error(), "Y: z") {
				t.Errorf("%s: %q gives %v, want an error with %q", tt.name, tt.value, err, tt.fails)
			}
			continue
		}
		if err != nil || len(rule.Header) != 1 || rule.Header[0] != tt.want {
			t.Errorf("%s: %q gives %v, %v, want %v", tt.name, tt.value, rule.Header, err, tt.want)
		}
	}
	rule, err := hostTable{Cookies: map[string]string{"b": "2", "a": "${A}"}}.rule(lookup)
	if want := (check.Field{Name: "Cookie", Value: "a=x; b=2", IsSecret: true}); err != nil || rule.Header[0] != want {
		t.Errorf("cookies give %v, %v, want %v", rule.Header, err, want)
	}
}
