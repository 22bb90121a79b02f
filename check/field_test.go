package check_test

import (
	"errors"
	"strings"
	"testing"

	"locus/check"
)

// A value cannot add another field to the header.
func TestExpandField(t *testing.T) {
	lookup := func(name string) (string, error) {
		value, ok := map[string]string{"A": "x", "BREAK": "x\r\nY: z"}[name]
		if !ok {
			return "", errors.New("no variable " + name)
		}
		return value, nil
	}
	for _, test := range []struct {
		name, value string
		want        check.Field
		fails       string
	}{
		{"X-A", "${A}-${A}", check.Field{Name: "X-A", Value: "x-x", IsSecret: true}, ""},
		{"X-A", "$A ${ {A}", check.Field{Name: "X-A", Value: "$A ${ {A}"}, ""},
		{"authorization", "Basic x", check.Field{Name: "authorization", Value: "Basic x", IsSecret: true}, ""},
		{"X-A", "a\tb", check.Field{Name: "X-A", Value: "a\tb"}, ""},
		{"X-A", "${NONE}", check.Field{}, "no variable NONE"},
		{"X-A", "${BREAK}", check.Field{}, "control character"},
		{"X-A", "a\nb", check.Field{}, "control character"},
		{"X-A", "a\x7f", check.Field{}, "control character"},
		{"X A", "b", check.Field{}, "cannot be set"},
		{"", "b", check.Field{}, "cannot be set"},
		{"content-length", "0", check.Field{}, "cannot be set"},
		{"Host", "h", check.Field{}, "cannot be set"},
	} {
		got, err := check.ExpandField(test.name, test.value, lookup)
		if test.fails != "" {
			if err == nil || !strings.Contains(err.Error(), test.fails) || strings.Contains(err.Error(), "Y: z") {
				t.Errorf("%s: %q gives %v, want an error with %q", test.name, test.value, err, test.fails)
			}
			continue
		}
		if err != nil || got != test.want {
			t.Errorf("%s: %q gives %v, %v, want %v", test.name, test.value, got, err, test.want)
		}
	}
}

func TestCookies(t *testing.T) {
	for _, test := range []struct {
		cookies map[string]string
		want    string
		fails   bool
	}{
		{nil, "", false},
		{map[string]string{"b": "2", "a": "1${A}"}, "a=1x; b=2", false},
		{map[string]string{"a": "1; b=2"}, "", true},
		{map[string]string{"a,b": ""}, "", true},
		{map[string]string{"a": "x y"}, "", true},
	} {
		lookup := func(string) (string, error) { return "x", nil }
		if got, err := check.Cookies(test.cookies, lookup); got.Value != test.want || (err != nil) != test.fails {
			t.Errorf("%v gives %q, %v, want %q", test.cookies, got.Value, err, test.want)
		}
	}
}
