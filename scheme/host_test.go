package scheme_test

import (
	"net/netip"
	"strings"
	"testing"

	"locus/scheme"
	"locus/url"
)

func TestHostAddress(t *testing.T) {
	for _, test := range []struct {
		host scheme.Host
		port uint16 // the default
		want string
	}{
		{scheme.Host{Name: "example.org"}, 21, "example.org:21"},
		{scheme.Host{Name: "example.org", Port: 2121}, 21, "example.org:2121"},
		{scheme.Host{Name: "example.org"}, 0, "example.org:0"},
		{scheme.Host{Name: "1.2.3.4", Port: 65535}, 21, "1.2.3.4:65535"},
		{scheme.Host{Name: "::1"}, 21, "[::1]:21"},
		{scheme.Host{Name: "fe80::1%eth0", Port: 1}, 21, "[fe80::1%eth0]:1"},
	} {
		if got := test.host.Address(test.port); got != test.want {
			t.Errorf("%+v.Address(%d) = %q, want %q", test.host, test.port, got, test.want)
		}
	}
}

// The views of all schemes with hosts decode the host alike.
func TestHostNames(t *testing.T) {
	for _, test := range []struct {
		in   string // the authority
		name string
		port uint16
	}{
		{"h", "h", 0},
		{"H.Example.", "H.Example.", 0}, // the case is kept
		{"h:", "h", 0},
		{"h:1", "h", 1},
		{"h:0065535", "h", 65535},
		{"%68%2Fx", "h/x", 0},
		{"b%C3%BCcher.example", "bücher.example", 0},
		{"[::1]:7", "::1", 7},
		{"[2001:DB8::A]", "2001:DB8::A", 0},
		{"[fe80::1%25eth0]", "fe80::1%eth0", 0},
		{"[fe80::1%25a%2Db]", "fe80::1%a-b", 0},
	} {
		for name, host := range map[string]func(url.URL) (scheme.Host, error){
			"ftp":    func(u url.URL) (scheme.Host, error) { v, err := scheme.ParseFTP(u); return v.Host, err },
			"gopher": func(u url.URL) (scheme.Host, error) { v, err := scheme.ParseGopher(u); return v.Host, err },
			"http":   func(u url.URL) (scheme.Host, error) { v, err := scheme.ParseHTTP(u); return v.Host, err },
			"telnet": func(u url.URL) (scheme.Host, error) { v, err := scheme.ParseTelnet(u); return v.Host, err },
		} {
			got, err := host(url.MustParse(name + "://" + test.in + "/"))
			if want := (scheme.Host{Name: test.name, Port: test.port}); err != nil || got != want {
				t.Errorf("Host of %s://%s/ = %+v, %v, want %+v", name, test.in, got, err, want)
			}
			if addr, err := netip.ParseAddr(got.Name); err == nil {
				if _, err := netip.ParseAddrPort(got.Address(7)); err != nil {
					t.Errorf("Address of the host %v cannot be parsed: %v", addr, err)
				}
			}
		}
	}
}

// Parse refuses hosts and ports to which no connection is possible, at the mark "‸".
func TestHostsRefused(t *testing.T) {
	for _, name := range []string{"ftp", "gopher", "http", "nntp", "prospero", "telnet", "rlogin", "tn3270", "wais"} {
		rest := map[string]string{"nntp": "/g", "prospero": "/x", "wais": "/d"}[name]
		if rest == "" {
			rest = "/"
		}
		for _, authority := range []string{"‸", "‸:80", "h:‸0", "h:‸65536", "h:‸000", "h:‸99999999999999999999"} {
			text, offset := marked(t, name+"://"+authority+rest)
			_, err := scheme.Parse(url.MustParse(text))
			wantOffset(t, "Parse", text, err, offset)
		}
		if name == "nntp" { // nntp has a form without a host
			continue
		}
		text, offset := marked(t, name+":‸h"+rest)
		_, err := scheme.Parse(url.MustParse(text))
		wantOffset(t, "Parse", text, err, offset)
	}
}

// Schemes without users refuse a user, and the message does not show a password.
//
// req: 1738-6-3
func TestNoUsers(t *testing.T) {
	for _, text := range []string{"http://u:S3CRET@h/", "gopher://u:S3CRET@h/", "wais://u:S3CRET@h/d", "nntp://u:S3CRET@h/g", "prospero://u:S3CRET@h/x", "file://u:S3CRET@h/x"} {
		for _, std := range standards {
			u, err := std.Parse(text)
			if err != nil {
				t.Errorf("%v.Parse(%q): %v", std, text, err)
				continue
			}
			err = scheme.Judge(u)
			if err == nil {
				_, err = scheme.Parse(u)
			}
			if err != nil && strings.Contains(err.Error(), "S3CRET") {
				t.Errorf("%v: the error for %q shows the password: %v", std, text, err)
			}
			if err == nil && std == url.RFC1738 {
				t.Errorf("%v: Judge and Parse of %q = nil error, want an error", std, text)
			}
		}
	}
}
