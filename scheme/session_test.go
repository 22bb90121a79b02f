package scheme_test

import (
	"testing"

	"locus/scheme"
	"locus/url"
)

// req: 1738-3.8-1, 1630-inter-1
func TestSessions(t *testing.T) {
	for _, name := range []string{"telnet", "rlogin", "tn3270"} {
		testViews(t, []viewCase{
			{name + "://h", `{"user":null,"password":null}`, ""},
			{name + "://h/", `{"user":null,"password":null}`, name + "://h"},
			{name + "://h:2323#f", `{"user":null,"password":null}`, name + "://h:2323"},
			{name + "://u@h", `{"user":"u","password":null}`, ""},
			{name + "://@h", `{"user":"","password":null}`, ""},
			{name + "://u%3A:@h", `{"user":"u:","password":""}`, ""},
			{name + "://u:p%0D@[::1]/", `{"user":"u","password":"p\r"}`, name + "://u:p%0D@[::1]"},
			{text: name + ":‸"},
			{text: name + ":‸h"},
			{text: name + "://‸/"},
			{text: name + "://h/‸x"},
			{text: name + "://h/‸/"},
			{text: name + "://h‸?x"},
			{text: name + "://h:‸0"},
		})
	}
	for _, name := range []string{"telnet", "rlogin", "tn3270"} {
		u := url.MustParse(name + "://u:p@h:23/")
		want := scheme.Telnet{Scheme: name, Host: scheme.Host{Name: "h", Port: 23}, User: url.Some("u"), Password: url.Some("p")}
		if got, err := scheme.ParseTelnet(u); err != nil || got != want {
			t.Errorf("ParseTelnet(%q) = %+v, %v; want %+v", u, got, err, want)
		}
	}
}
