package checkconfig

import (
	"errors"
	"fmt"
	"reflect"
	"regexp"
	"strings"
	"testing"
	"time"

	"locus/check"
)

// Each key of a host sets its own field of the rule, and no other field.
func TestHostKeys(t *testing.T) {
	seen := map[string]bool{}
	for _, test := range []struct {
		text string
		want check.HostRule
	}{
		{`name = "*.example.org"`, check.HostRule{Host: "*.example.org"}},
		{`name = "http://127.0.0.1:8080"`, check.HostRule{Host: "http://127.0.0.1:8080"}},
		{`headers = { X-B = "2", X-A = "" }`, check.HostRule{Header: []check.Field{{Name: "X-A"}, {Name: "X-B", Value: "2"}}}},
		{`headers = { Authorization = "x" }`, check.HostRule{Header: []check.Field{{Name: "Authorization", Value: "x", IsSecret: true}}}},
		{`cookies = { b = "2", a = "" }`, check.HostRule{Header: []check.Field{{Name: "Cookie", Value: "a=; b=2", IsSecret: true}}}},
		{`cookies = {}`, check.HostRule{}},
		{`user-agent = "me/1 (x)"`, check.HostRule{Header: []check.Field{{Name: "User-Agent", Value: "me/1 (x)"}}}},
		{`user-agent = ""`, check.HostRule{}},
		{`accept = [403, 999]`, check.HostRule{Accept: []int{403, 999}}},
		{`exclude-url = ['^a', 'b']`, check.HostRule{Exclude: []string{"^a", "b"}}},
		{`rate = 0.5`, check.HostRule{Rate: 0.5}},
		{`rate = 2`, check.HostRule{Rate: 2}},
		{`per-host = 3`, check.HostRule{PerServer: 3}},
		{`timeout = "1m30s"`, check.HostRule{Timeout: 90 * time.Second}},
		{`retries = 7`, check.HostRule{Retries: 7}},
		{`retries = 0`, check.HostRule{Retries: -1}}, // -1 means no retries
		{`retry-wait = "1ms"`, check.HostRule{Wait: time.Millisecond}},
	} {
		_, hosts, err := Parse([]byte("[[host]]\n"+test.text), nil)
		if err != nil || len(hosts) != 1 {
			t.Errorf("%s: %v, %v", test.text, hosts, err)
			continue
		}
		if got, err := hosts[0].Rule(noVariables); err != nil || !reflect.DeepEqual(got, test.want) {
			t.Errorf("the rule of %s = %+v, %v, want %+v", test.text, got, err, test.want)
		}
		key, _, _ := strings.Cut(test.text, " ")
		seen[key] = true
	}
	for field := range reflect.TypeFor[Host]().Fields() {
		if key := field.Tag.Get("toml"); !seen[key] {
			t.Errorf("the table has no test for the key %s", key)
		}
	}
}

// hasLine matches an error with its line. The error for an invalid duration has no line.
var hasLine = regexp.MustCompile(`^:[23]: `)

func noVariables(name string) (string, error) { return "", fmt.Errorf("there is no %s", name) }

// A value of another type, or out of its range, is an error of Parse with the line, or an error of
// Rule.
func TestHostValues(t *testing.T) {
	for _, text := range []string{
		"name = 5", "name = ['h']", "headers = 'X-A: 1'", "headers = ['X-A']", "headers = { X-A = 1 }", "headers = { X-A = ['1'] }",
		"cookies = 'a=1'", "cookies = { a = 1 }", "user-agent = 1", "accept = 403", "accept = ['403']", "accept = [4.5]",
		"exclude-url = '^a'", "exclude-url = [1]", "rate = '1'", "rate = true", "per-host = '1'", "per-host = 1.5", "per-host = true",
		"timeout = 30", "timeout = '30'", "timeout = ''", "timeout = '0s'", "timeout = '-1s'", "timeout = 'soon'", "timeout = 2020-01-01", "timeout = {}", "retry-wait = {}", "[host.timeout]",
		"retries = '1'", "retries = 1.0", "retries = 99999999999999999999", "retry-wait = 1", "retry-wait = '0s'", "Name = 1",
		"names = 'h'", "headers.X.Y = '1'", "host = 'h'", "per_host = 1", "name = 'a'\nname = 'b'", "name = ", "name",
	} {
		if _, hosts, err := Parse([]byte("[[host]]\n"+text), []string{"names", "host", "per_host"}); err == nil || !hasLine.MatchString(err.Error()) && !strings.HasSuffix(err.Error(), `is not a duration such as "30s"`) {
			t.Errorf("Parse(%q) = %+v, %v, want an error with the line", text, hosts, err)
		}
	}
	for _, text := range []string{
		"rate = 0", "rate = 0.0", "rate = -0.0", "per-host = 0", "per-host = 1001", "rate = -1", "rate = -inf", "rate = nan", "rate = inf", "rate = 1e300", "accept = [20]", "accept = [1000]", "accept = [-403]", "per-host = -1", "retries = -1", "retries = -9",
		"headers = { 'X A' = '1' }", "headers = { '' = '1' }", "headers = { 'X:' = '1' }", "headers = { 'Xé' = '1' }",
		"headers = { Connection = 'close' }", "headers = { content-length = '1' }", "headers = { RANGE = 'bytes=0-' }",
		`headers = { X = "a\r\nY: b" }`, `headers = { X = "a\u0000" }`, `headers = { X = "a\u007f" }`, `user-agent = "a\nb"`,
		"cookies = { a = 'b; c=d' }", "cookies = { 'a b' = 'c' }", "cookies = { a = 'b,c' }", `cookies = { a = "b\n" }`,
		"user-agent = '${UNSET}'", "headers = { X = '${UNSET}' }", "cookies = { a = '${UNSET}' }",
	} {
		_, hosts, err := Parse([]byte("[[host]]\n"+text), nil)
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		if rule, err := hosts[0].Rule(noVariables); err == nil {
			t.Errorf("the rule of %s = %+v, want an error", text, rule)
		}
	}
}

// Outside of hosts, Parse accepts all keys in names, and no others. It does not accept a table as
// the value of a key.
func TestParseKeys(t *testing.T) {
	names := []string{"level", "base", "accept"}
	for text, want := range map[string]string{ // the text of the error; "": nil
		"":                                  "",
		"# nothing\n\n":                     "",
		"\ufefflevel = 1":                   ":1: ",
		"level = 1\r\nbase = 'x'\r\n":       "",
		"\"level\" = 1":                     "",
		"'a.b' = 1":                         `:1: unknown key "a.b"`,
		"Level = 1":                         `:1: unknown key "Level"`,
		"level.x = 1":                       `:1: unknown key "level.x"`,
		"[level]\nx = 1":                    `:1: "level" is not a table`,
		"[level]":                           `:1: "level" is not a table`,
		"\nlevel = { x = 1 }":               `:2: "level" is not a table`,
		"[[level]]\nx = 1":                  `:1: "level" is not a table`,
		"level = [{ x = 1 }]":               `:1: "level" is not a table`,
		"level = 1\n\n[other]\nx = 1":       `:3: unknown key "other"`,
		"host = 5":                          ":1: ",
		"[host]\nname = 'h'":                "", // like [[host]]
		"host = []":                         "",
		"[[host]]\n[[host]]":                "",
		"[[hosts]]\nname = 'h'":             `:1: unknown key "hosts"`,
		"[[host]]\n[host.headers]\nX = '1'": "",
		"[[host]]\n[host.header]\nX = '1'":  `:2: unknown key "host.header"`,
		"level = 1\n[[host]]\nlevel = 1":    `:3: unknown key "host.level"`,
		"level =\n":                         ":1: ",
		"level = 1 base = 'x'":              ":1: ",
		"base = 'x":                         ":1: ",
		"a\xff = 1":                         ":1: ",
		"base = '\xff'":                     ":1: ",
	} {
		_, _, err := Parse([]byte(text), names)
		if (err == nil) != (want == "") || err != nil && !strings.HasPrefix(err.Error(), want) {
			t.Errorf("Parse(%q): %v, want %q", text, err, want)
		}
	}
}

// An error does not show a value of the configuration.
func TestErrorsHideValues(t *testing.T) {
	for _, text := range []string{
		"[[host]]\nheaders = { Authorization = 'sesame\n", "[[host]]\nheaders = { Authorization = 'sesame' ", "[[host]]\nheaders = { Authorization = sesame }",
		"[[host]]\nheaders = { Authorization = \"sesame\\q\" }", "[[host]]\nheaders = { Authorization = 'sesame' } x", "[[host]]\nheaders = ['sesame']",
		"[[host]]\ncookies = 'sesame'", "[[host]]\naccept = 'sesame'", "[[host]]\nrate = 'sesame'", "[[host]]\nheaders = { X = ['sesame'] }",
		"[[host]]\nuser-agent = 'sesame'\nuser-agent = 'sesame'", "[[host]]\ncookies = { a = 'sesame', a = 'sesame' }",
	} {
		if _, _, err := Parse([]byte(text), nil); err == nil || strings.Contains(err.Error(), "sesame") {
			t.Errorf("Parse(%q): %v", text, err)
		}
	}
	for _, host := range []Host{
		{Headers: map[string]string{"X": "sesame\n"}},
		{Headers: map[string]string{"X": "${SECRET}\n"}},
		{Headers: map[string]string{"Host": "${SECRET}"}},
		{UserAgent: "sesame\x00"},
		{Cookies: map[string]string{"a": "sesame; b"}},
		{Cookies: map[string]string{"a": "${SECRET}\x01"}},
		{Headers: map[string]string{"X": "${SECRET} ${UNSET}"}},
	} {
		_, err := host.Rule(func(name string) (string, error) {
			if name == "SECRET" {
				return "sesame", nil
			}
			return noVariables(name)
		})
		if err == nil || strings.Contains(err.Error(), "sesame") {
			t.Errorf("Rule() of %+v = %v, want an error without the value", host, err)
		}
	}
}

// Only ${NAME} in a header, a cookie or the user agent stands for a variable. It is expanded once,
// and makes the value secret.
func TestVariables(t *testing.T) {
	for value, want := range map[string]check.Field{
		"${A}":        {Value: "1", IsSecret: true},
		"x${A}${B}${": {Value: "x1${A}${", IsSecret: true}, // the value of a variable is not expanded
		"${EMPTY}":    {IsSecret: true},
		"$A":          {Value: "$A"},
		"${}":         {Value: "${}"},
		"${1}":        {Value: "${1}"},
		"${A }":       {Value: "${A }"},
		"$${A}":       {Value: "$1", IsSecret: true},
		"${a-b}":      {Value: "${a-b}"},
		"${_}":        {Value: "under", IsSecret: true},
	} {
		lookup := func(name string) (string, error) {
			found, ok := map[string]string{"A": "1", "B": "${A}", "EMPTY": "", "_": "under"}[name]
			if !ok {
				return noVariables(name)
			}
			return found, nil
		}
		want.Name = "X"
		rule, err := Host{Headers: map[string]string{"X": value}}.Rule(lookup)
		if err != nil || len(rule.Header) != 1 || rule.Header[0] != want {
			t.Errorf("the header %s = %+v, %v, want %+v", value, rule.Header, err, want)
		}
		if rule, err := (Host{Name: value, Exclude: []string{value}}).Rule(lookup); err != nil || rule.Host != value || rule.Exclude[0] != value {
			t.Errorf("the rule with the name and the pattern %s = %+v, %v", value, rule, err)
		}
	}
	errLookup := errors.New("not trusted")
	_, err := Host{UserAgent: "${A}"}.Rule(func(string) (string, error) { return "", errLookup })
	if !errors.Is(err, errLookup) {
		t.Errorf("Rule() with a lookup that fails = %v", err)
	}
}
