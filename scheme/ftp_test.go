package scheme_test

import (
	"strings"
	"testing"

	"locus/scheme"
	"locus/url"
)

// req: 1738-3.1-1, 1738-3.1-2, 1738-3.1-3, 1738-3.1-5, 1738-3.1-6,
// 1738-3.2-1, 1738-3.2-2, 1630-ftp-1, 1738-2.2-4
func TestFTP(t *testing.T) {
	const none = `{"user":null,"password":null,"dirs":[],"name":"","type":null}`
	testViews(t, []viewCase{
		{"ftp://h", none, "ftp://h/"},
		{"ftp://h/", none, ""},
		{"ftp://h/#f", none, "ftp://h/"},
		{"FTP://h:/", none, "ftp://h/"},
		{"ftp://h:0021/", none, "ftp://h:21/"},
		{"ftps://h/a", `{"user":null,"password":null,"dirs":[],"name":"a","type":null}`, ""},
		{"ftp://@h/", `{"user":"","password":null,"dirs":[],"name":"","type":null}`, ""},
		{"ftp://:@h/", `{"user":"","password":"","dirs":[],"name":"","type":null}`, ""},
		{"ftp://foo:@h/", `{"user":"foo","password":"","dirs":[],"name":"","type":null}`, ""},
		{"ftp://u%40x:p%3Aq%2F@h/", `{"user":"u@x","password":"p:q/","dirs":[],"name":"","type":null}`, ""},
		{"ftp://h/a", `{"user":null,"password":null,"dirs":[],"name":"a","type":null}`, ""},
		{"ftp://h/a/", `{"user":null,"password":null,"dirs":["a"],"name":"","type":null}`, ""},
		{"ftp://h//", `{"user":null,"password":null,"dirs":[""],"name":"","type":null}`, ""},
		{"ftp://h/a//b", `{"user":null,"password":null,"dirs":["a",""],"name":"b","type":null}`, ""},
		{"ftp://h/%2Fetc/motd", `{"user":null,"password":null,"dirs":["/etc"],"name":"motd","type":null}`, ""},
		{"ftp://h/a/b%2Fc/motd", `{"user":null,"password":null,"dirs":["a","b/c"],"name":"motd","type":null}`, ""},
		{"ftp://h/p%20q/r%3Bs", `{"user":null,"password":null,"dirs":["p q"],"name":"r;s","type":null}`, ""},
		{"ftp://h/a?b:c@d", `{"user":null,"password":null,"dirs":[],"name":"a?b:c@d","type":null}`, "ftp://h/a%3Fb%3Ac@d"},
		{"ftp://h/~x", `{"user":null,"password":null,"dirs":[],"name":"~x","type":null}`, "ftp://h/%7Ex"},
		{"ftp://h/%FF%00%0D%0A", `{"user":null,"password":null,"dirs":[],"name":{"base64":"/wANCg=="},"type":null}`, ""},
		{"ftp://h/%252F", `{"user":null,"password":null,"dirs":[],"name":"%2F","type":null}`, ""},
		{"ftp://h/%c3%a9", `{"user":null,"password":null,"dirs":[],"name":"é","type":null}`, "ftp://h/%C3%A9"},
		{"ftp://h/../a", `{"user":null,"password":null,"dirs":[".."],"name":"a","type":null}`, ""},
		{"ftp://h/;type=d", `{"user":null,"password":null,"dirs":[],"name":"","type":"d"}`, ""},
		{"ftp://h/a;type=%69", `{"user":null,"password":null,"dirs":[],"name":"a","type":"i"}`, "ftp://h/a;type=i"},
		{"ftp://h/a;type=I", `{"user":null,"password":null,"dirs":[],"name":"a","type":"i"}`, "ftp://h/a;type=i"},
		{"ftp://h/a;TYPE=a", `{"user":null,"password":null,"dirs":[],"name":"a","type":"a"}`, "ftp://h/a;type=a"},
		{"ftp://h/a;type=EN", `{"user":null,"password":null,"dirs":[],"name":"a","type":"en"}`, "ftp://h/a;type=en"},
		{"ftp://h/a;type=L36", `{"user":null,"password":null,"dirs":[],"name":"a","type":"l36"}`, "ftp://h/a;type=l36"},
		{"ftp://h:65535/", none, ""},
		{text: "ftp:‸"},
		{text: "ftp:‸a"},
		{text: "ftp://‸/a"},
		{text: "ftp://‸:21/a"},
		{text: "ftp://h:‸0/"},
		{text: "ftp://u:p@h:‸65536/a?b#c"},
		{text: "ftp://h:‸99999999999999999999/"},
		{text: "ftp://h‸?a"},
		{text: "ftp://h/a;‸v=1/b"},
		{text: "ftp://h/a;type=‸x"},
		{text: "ftp://h/a;type=i‸/b"},
		{text: "ftp://h/a;type=l‸"},
		{text: "ftp://h/a;type=d‸?x"},
		{text: "ftp://h/a;type=‸%68"},
	})
}

// A user and a password may contain bytes that only RFC 1738 allows there.
func TestFTPLogin(t *testing.T) {
	u, err := url.RFC1738.Parse("ftp://u;?a=b:p?&@h/x?y")
	if err != nil {
		t.Fatal(err)
	}
	v, err := scheme.ParseFTP(u)
	if err != nil {
		t.Fatal(err)
	}
	if v.User != url.Some("u;?a=b") || v.Password != url.Some("p?&") || v.Name != "x?y" {
		t.Errorf("ParseFTP(%q) = %+v, want the user, the password and the name decoded", u, v)
	}
	checkLaws(t, u.String())
}

// The error of Parse does not show a password.
//
// req: 1738-6-3
func TestErrorsHidePasswords(t *testing.T) {
	for _, text := range []string{"ftp://u:secret@h:0/", "ftp://u:secret@h/;x", "http://u:secret@h:0/", "gopher://u:secret@h/"} {
		u := url.MustParse(text)
		_, err := scheme.Parse(u)
		if err == nil {
			t.Errorf("Parse(%q) = nil error, want an error", text)
			continue
		}
		if s := err.Error(); strings.Contains(s, "secret") {
			t.Errorf("Parse(%q) = %q, which shows the password", text, s)
		}
	}
}

// URL writes the zero FTP, and views that a program makes.
func TestFTPByHand(t *testing.T) {
	for _, test := range []struct {
		v    scheme.FTP
		want string
	}{
		{scheme.FTP{Host: scheme.Host{Name: "h"}}, "ftp://h/"},
		{scheme.FTP{Host: scheme.Host{Name: "::1", Port: 2121}, Name: "a b"}, "ftp://[::1]:2121/a%20b"},
		{scheme.FTP{Scheme: "ftps", Host: scheme.Host{Name: "h"}, Dirs: []string{"/"}, Type: "d"}, "ftps://h/%2F/;type=d"},
		{scheme.FTP{Host: scheme.Host{Name: "h"}, Password: url.Some("p")}, "ftp://:p@h/"},
	} {
		if got := test.v.URL().String(); got != test.want {
			t.Errorf("%+v.URL() = %q, want %q", test.v, got, test.want)
		}
	}
}
