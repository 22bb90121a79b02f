package iri

import "testing"

func TestParseTyped(t *testing.T) {
	for _, test := range []struct{ typed, want string }{ // want is "" for an error
		{"http://example.org/", "http://example.org/"},
		{" http://example.org/a b\t", "http://example.org/a%20b"},
		{"example.org", "https://example.org"},
		{"example.org:8080/x?q=1#f", "https://example.org:8080/x?q=1#f"},
		{"localhost:1738/", "http://localhost:1738/"},
		{"Localhost", "http://Localhost"},
		{"app.localhost:3000", "http://app.localhost:3000"},
		{"notlocalhost.example", "https://notlocalhost.example"},
		{"localhost.example", "https://localhost.example"},
		{"127.0.0.1:8000/x", "http://127.0.0.1:8000/x"},
		{"192.168.1.1?q", "http://192.168.1.1?q"},
		{"192.168.1.1:443", "https://192.168.1.1:443"},
		{"1.2.3.4.example", "https://1.2.3.4.example"},
		{"1.2.3", "https://1.2.3"},
		{"[::1]:8000/x", "http://[::1]:8000/x"},
		{"[fe80::1]", "http://[fe80::1]"},
		{"[::1]:21", "ftp://[::1]:21"},
		{"[words]", ""},
		{"//example.org/a", "https://example.org/a"},
		{"//ftp.example.org/a", "https://ftp.example.org/a"},
		{"ftp.example.org/pub", "ftp://ftp.example.org/pub"},
		{"Gopher.example.org", "gopher://Gopher.example.org"},
		{"www.example.org", "https://www.example.org"},
		{"example.org:21/pub", "ftp://example.org:21/pub"},
		{"ftp.example.org:70", "gopher://ftp.example.org:70"},
		{"example.org:80", "http://example.org:80"},
		{"example.org:443?x", "https://example.org:443?x"},
		{"telnet.example.org", "https://telnet.example.org"},
		{"ssh.example.org", "https://ssh.example.org"},
		{"mailto.example.org", "https://mailto.example.org"},
		{"åäö.example", "https://xn--4cab6c.example"},
		{"http://åäö/", "http://xn--4cab6c/"},
		{"mailto:ada@example.org", "mailto:ada@example.org"},
		{"news:comp.infosystems", "news:comp.infosystems"},
		{"gopher:1", "gopher:1"},
		{"words", "words"},
		{"a@example.org", "a@example.org"},
		{".hidden", ".hidden"},
		{"...", "..."},
		{".1.2.3", ".1.2.3"},
		{".localhost", ".localhost"},
		{"a@app.localhost", "a@app.localhost"},
		{"example.org:http", "example.org:http"},
		{"http://[", ""},
		{"", ""},
	} {
		u, err := ParseTyped(test.typed)
		if err != nil && test.want != "" || u.String() != test.want {
			t.Errorf("ParseTyped(%q) = %q, %v, want %q", test.typed, u, err, test.want)
		}
	}
}
