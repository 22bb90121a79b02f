package access_test

import (
	"testing"

	"locus/access"
	"locus/url"
)

// req: 1738-3.8-2
func TestLoginAdvice(t *testing.T) {
	for _, test := range []struct {
		advice access.LoginAdvice
		want   string
	}{
		{access.LoginAdvice{}, ""},
		{access.LoginAdvice{User: url.Some("ada")}, `the URL suggests logging in as "ada"`},
		{access.LoginAdvice{Password: url.Some("x")}, `the URL suggests logging in with the password "x"`},
		{access.LoginAdvice{User: url.Some("ada\x1b"), Password: url.Some("")}, `the URL suggests logging in as "ada\x1b" with the password ""`},
	} {
		if got := test.advice.String(); got != test.want {
			t.Errorf("%#v is %q, want %q", test.advice, got, test.want)
		}
	}
}
