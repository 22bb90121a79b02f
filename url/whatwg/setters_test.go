package whatwg

import (
	"testing"

	"locus/url"
)

// checkSetter checks the results of a setter. An empty want means that the standard ignores the value, so the URL must
// not change.
func checkSetter(t *testing.T, name string, set func(url.URL, string) url.URL, list []struct{ in, value, want string }) {
	t.Helper()
	for _, test := range list {
		want := test.want
		if want == "" {
			want = test.in
		}
		if got := set(mustParse(t, test.in), test.value); got.String() != want {
			t.Errorf("%s(%q, %q) = %q, want %q", name, test.in, test.value, got, want)
		}
	}
}

func TestWithProtocol(t *testing.T) {
	checkSetter(t, "WithProtocol", WithProtocol, []struct{ in, value, want string }{
		{"http://h/", "https", "https://h/"},
		{"http://h/", "HTTPS:whatever", "https://h/"},
		{"http://h:443/", "https", "https://h/"}, // the port is the new scheme's default
		{"https://h:80/", "http", "http://h/"},
		{"http://h:8080/", "https", "https://h:8080/"},
		{"http://h/", "x", ""}, // special stays special
		{"x://h", "http", ""},
		{"x://h", "y+-.1", "y+-.1://h"},
		{"x://h", "1y", ""},
		{"x://h", "", ""},
		{"x://h", ":", ""},
		{"x://h", "y z", ""},
		{"x://h", "y\tz", "yz://h"},
		{"x:opaque", "y", "y:opaque"},
		{"http://u@h/", "file", ""}, // a file URL has no user name
		{"http://:p@h/", "file", ""},
		{"http://h:8080/", "file", ""},
		{"http://h/", "file", "file://h/"},
		{"file:///x", "http", ""}, // a http URL has a host
		{"file://h/x", "http", "http://h/x"},
	})
}

func TestWithUsernameAndPassword(t *testing.T) {
	checkSetter(t, "WithUsername", WithUsername, []struct{ in, value, want string }{
		{"http://h/", "u", "http://u@h/"},
		{"http://u@h/", "", "http://h/"},
		{"http://u:p@h/", "", "http://:p@h/"},
		{"http://h/", "a:b@c/d", "http://a%3Ab%40c%2Fd@h/"},
		{"http://h/", "\t", "http://%09@h/"}, // tabs are not removed from a user name
		{"http://h/", "é%41", "http://%C3%A9%41@h/"},
		{"file://h/", "u", ""},
		{"file:///", "u", ""},
		{"mailto:a@b", "u", ""},
		{"x:/a", "u", ""},
		{"x://", "u", ""},
		{"x://h", "u", "x://u@h"},
	})
	checkSetter(t, "WithPassword", WithPassword, []struct{ in, value, want string }{
		{"http://h/", "p", "http://:p@h/"},
		{"http://u:p@h/", "", "http://u@h/"},
		{"http://:p@h/", "", "http://h/"},
		{"http://u@h/", "p:q@/", "http://u:p%3Aq%40%2F@h/"},
		{"file://h/", "p", ""},
		{"x://", "p", ""},
		{"mailto:a@b", "p", ""},
	})
}

func TestWithHostAndHostname(t *testing.T) {
	checkSetter(t, "WithHost", WithHost, []struct{ in, value, want string }{
		{"http://h:8080/a", "x", "http://x:8080/a"},
		{"http://h:8080/a", "x:80", "http://x/a"},
		{"http://h:8080/a", "x:", "http://x:8080/a"},
		{"http://h:8080/a", "x:y", "http://x:8080/a"},
		{"http://h:8080/a", "x:65536", "http://x:8080/a"},
		{"http://h:8080/a", "x:22y", "http://x:22/a"},
		{"http://h/", "x/path", "http://x/"},
		{"http://h/", `x\path`, "http://x/"},
		{"http://h/", "x?q", "http://x/"},
		{"http://h/", "x#f", "http://x/"},
		{"http://h/", "u@x", ""},
		{"http://h/", "", ""},
		{"http://h/", ":80", ""},
		{"http://h/", "a b", ""},
		{"http://h/", "0x7f.1", "http://127.0.0.1/"},
		{"http://h/", "[::0:1]:81", "http://[::1]:81/"},
		{"http://h/", "[::1", ""},
		{"http://h/", "x\ty", "http://xy/"},
		{"x://h", "A%41", "x://A%41"},
		{"x://h", "", "x://"},
		{"x://u@h", "", ""},
		{"x://h:1", "", ""},
		{"x:/a", "h", "x://h/a"},
		{"x:/.//a", "h", "x://h//a"},
		{"x:a", "h", ""}, // opaque
		{"file:///a", "h", "file://h/a"},
		{"file://h/a", "", "file:///a"},
		{"file://h/a", "LOCALHOST", "file:///a"},
		{"file://h/a", "x:80", ""},
		{"file://h/a", "C|", ""},
	})
	checkSetter(t, "WithHostname", WithHostname, []struct{ in, value, want string }{
		{"http://h:8080/a", "x", "http://x:8080/a"},
		{"http://h:8080/a", "x:80", ""}, // a value with a port is ignored
		{"http://h:8080/a", "x:", ""},
		{"http://h/", "[::1]", "http://[::1]/"},
		{"http://h/", "[::1]:1", ""},
		{"http://h/", "", ""},
		{"x://h:1", "", ""},
		{"x://h/a", "", "x:///a"},
		{"mailto:a@b", "h", ""},
		{"file:///a", "localhost", ""},
	})
}

func TestWithPort(t *testing.T) {
	checkSetter(t, "WithPort", WithPort, []struct{ in, value, want string }{
		{"http://h/", "8080", "http://h:8080/"},
		{"http://h/", "080", ""},
		{"http://h:1/", "80", "http://h/"},
		{"http://h:1/", "", "http://h/"},
		{"http://h/", "0", "http://h:0/"},
		{"http://h/", "22x33", "http://h:22/"},
		{"http://h/", "2\t2", "http://h:22/"},
		{"http://h:1/", "x", ""},
		{"http://h:1/", " 2", ""},
		{"http://h:1/", "-2", ""},
		{"http://h:1/", "65535", "http://h:65535/"},
		{"http://h:1/", "65536", ""},
		{"http://h:1/", "99999999999999999999", ""},
		{"http://h:1/", "２", ""},
		{"file://h/", "1", ""},
		{"x://", "1", ""},
		{"x:a", "1", ""},
		{"x://h", "80", "x://h:80"},
	})
}

func TestWithPathname(t *testing.T) {
	checkSetter(t, "WithPathname", WithPathname, []struct{ in, value, want string }{
		{"http://h/a?q#f", "b", "http://h/b?q#f"},
		{"http://h/a?q#f", "/b/../c", "http://h/c?q#f"},
		{"http://h/a?q#f", "", "http://h/?q#f"},
		{"http://h/a", `\b\c`, "http://h/b/c"},
		{"http://h/a", "?b#c", "http://h/%3Fb%23c"},
		{"http://h/a", "//b", "http://h//b"},
		{"http://h/a", "b\tc", "http://h/bc"},
		{"http://h/a", " b ", "http://h/%20b%20"},
		{"x://h/a", "", "x://h"},
		{"x://h/a", "?", "x://h/%3F"},
		{"x://h/a", `\b`, `x://h/\b`},
		{"x:/a", "", "x:/"},
		{"x:/a", "//b", "x:/.//b"},
		{"x:/.//a", "b", "x:/b"},
		{"x:a", "b", ""},
		{"file:///a", "C|/b", "file:///C:/b"},
		{"file://h/C:/a", "..", "file://h/"},
	})
}

func TestWithSearchAndHash(t *testing.T) {
	checkSetter(t, "WithSearch", WithSearch, []struct{ in, value, want string }{
		{"http://h/?q#f", "", "http://h/#f"},
		{"http://h/?q#f", "?", "http://h/?#f"},
		{"http://h/", "a", "http://h/?a"},
		{"http://h/", "?a", "http://h/?a"},
		{"http://h/", "??a", "http://h/??a"},
		{"http://h/", "a#b", "http://h/?a%23b"},
		{"http://h/", "a'b\"<>", "http://h/?a%27b%22%3C%3E"},
		{"x://h", "a'b", "x://h?a'b"},
		{"http://h/", "a\tb", "http://h/?ab"},
		{"http://h/", "\t?a", "http://h/??a"}, // only a "?" that comes first is left out
		{"http://h/", "é%", "http://h/?%C3%A9%"},
		{"mailto:a@b", "c", "mailto:a@b?c"},
	})
	checkSetter(t, "WithHash", WithHash, []struct{ in, value, want string }{
		{"http://h/#f", "", "http://h/"},
		{"http://h/#f", "#", "http://h/#"},
		{"http://h/", "a", "http://h/#a"},
		{"http://h/", "#a", "http://h/#a"},
		{"http://h/", "##a", "http://h/##a"},
		{"http://h/", "\n#a", "http://h/##a"}, // only a "#" that comes first is left out
		{"http://h/", "a b`\"<>'", "http://h/#a%20b%60%22%3C%3E'"},
		{"x:a", "b", "x:a#b"},
	})
}

// A setter changes its own part and keeps all others.
func TestSettersKeepTheRest(t *testing.T) {
	const in = "http://u:p@h:8/a?q#f"
	for _, test := range []struct {
		name string
		set  func(url.URL, string) url.URL
		want Fields
	}{
		{"WithUsername", WithUsername, Fields{Username: "1"}},
		{"WithPassword", WithPassword, Fields{Password: "1"}},
		{"WithPort", WithPort, Fields{Port: "1"}},
		{"WithPathname", WithPathname, Fields{Pathname: "/1"}},
		{"WithSearch", WithSearch, Fields{Search: "?1"}},
		{"WithHash", WithHash, Fields{Hash: "#1"}},
	} {
		before, after := FieldsOf(mustParse(t, in)), FieldsOf(test.set(mustParse(t, in), "1"))
		after.Href, after.Host, after.Origin = before.Href, before.Host, before.Origin
		merge := func(was *string, is string) {
			if is != "" {
				*was = is
			}
		}
		merge(&before.Username, test.want.Username)
		merge(&before.Password, test.want.Password)
		merge(&before.Port, test.want.Port)
		merge(&before.Pathname, test.want.Pathname)
		merge(&before.Search, test.want.Search)
		merge(&before.Hash, test.want.Hash)
		if after != before {
			t.Errorf("%s(%q, 1) = %+v, want %+v", test.name, in, after, before)
		}
	}
}
