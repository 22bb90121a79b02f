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
	want := scheme.Telnet{Host: scheme.Host{Name: "h", Port: 23}, User: url.Some("u"), Password: url.Some("p")}
	if got, err := scheme.ParseTelnet(session("telnet")); err != nil || got != want {
		t.Errorf("ParseTelnet = %+v, %v; want %+v", got, err, want)
	}
	if got, err := scheme.ParseRlogin(session("rlogin")); err != nil || got != scheme.Rlogin(want) {
		t.Errorf("ParseRlogin = %+v, %v; want %+v", got, err, want)
	}
	if got, err := scheme.ParseTN3270(session("tn3270")); err != nil || got != scheme.TN3270(want) {
		t.Errorf("ParseTN3270 = %+v, %v; want %+v", got, err, want)
	}
}

func session(scheme string) url.URL { return url.MustParse(scheme + "://u:p@h:23/") }
