package netrc_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"locus/access"
	"locus/cmd/locus/internal/netrc"
	"locus/url"
)

func TestLoginsAt(t *testing.T) {
	const text = "machine h.example login ada password one\nmachine k.example password two\nmachine l.example login eve\n"
	named := url.Some("set")
	open := &netrc.ExposedError{Name: "netrc"}
	for _, test := range []struct {
		logins                      netrc.Logins
		host, user, login, password string
		err                         error
	}{
		{netrc.Logins{}, "h.example", "", "", "", nil},
		{netrc.Logins{}, "h.example", "ada", "ada", "", nil},
		{netrc.Logins{File: netrc.Parse(text)}, "h.example", "", "ada", "one", nil},
		{netrc.Logins{File: netrc.Parse(text)}, "h.example", "ada", "ada", "one", nil},
		{netrc.Logins{File: netrc.Parse(text)}, "h.example", "bob", "bob", "", nil},
		{netrc.Logins{File: netrc.Parse(text)}, "k.example", "", "", "", nil},
		{netrc.Logins{File: netrc.Parse(text), Password: named}, "h.example", "", "ada", "", nil},
		{netrc.Logins{File: netrc.Parse(text), Exposed: open}, "h.example", "", "ada", "", open},
		{netrc.Logins{File: netrc.Parse(text), Exposed: open, Password: named}, "h.example", "", "ada", "", nil},
		{netrc.Logins{File: netrc.Parse(text), Exposed: open}, "l.example", "", "eve", "", nil},
		{netrc.Logins{File: netrc.Parse(text), Exposed: open}, "m.example", "ada", "ada", "", nil},
	} {
		login, password, err := test.logins.At(test.host, test.user, true)
		if login != test.login || password != test.password || err != test.err {
			t.Errorf("%+v.At(%q, %q) = %q, %q, %v, want %q, %q, %v", test.logins, test.host, test.user, login, password, err, test.login, test.password, test.err)
		}
	}
}

// The password of --password-file is only for hosts that the user has named. A host that was found
// in a page or a redirect gets the password of .netrc.
func TestLoginsAtUnnamedHost(t *testing.T) {
	l := netrc.Logins{File: netrc.Parse("machine h.example login ada password one\n"), Password: url.Some("set")}
	for isNamed, want := range map[bool]string{true: "", false: "one"} {
		if _, password, err := l.At("h.example", "", isNamed); password != want || err != nil {
			t.Errorf("At(named %v) = %q, %v, want %q", isNamed, password, err, want)
		}
	}
}

// The Login of a request uses the logins of .netrc for the host and the user of the request.
func TestLogin(t *testing.T) {
	const text = "machine h login ada password sesame\nmachine h login bob password other\nmachine empty password x\n"
	for _, test := range []struct {
		host, user     string
		optional       bool
		want, password string
		err            error
	}{
		{"h", "", true, "ada", "sesame", nil},
		{"H", "", true, "ada", "sesame", nil},
		{"h", "", false, "ada", "sesame", nil},
		{"h", "bob", false, "bob", "other", nil},
		{"h", "eve", false, "eve", "", access.ErrPassword},
		{"other", "", true, "", "", nil},
		{"other", "", false, "", "", access.ErrPassword},
		{"empty", "", true, "", "", nil},
	} {
		l := &netrc.Logins{File: netrc.Parse(text)}
		c := access.Challenge{URL: url.MustParse("ftp://h/x;type=a"), Host: test.host, User: test.user, Optional: test.optional}
		got, err := l.ForRequests(nil)(t.Context(), c)
		if got.User != test.want || got.Password != test.password || !errors.Is(err, test.err) {
			t.Errorf("ForRequests(nil)(%+v) = %+v, %v, want %q, %q, %v", c, got, err, test.want, test.password, test.err)
		}
	}
}

// The default entry of .netrc is for hosts that the user names. A document could name the host of an
// attacker.
func TestDefaultEntry(t *testing.T) {
	l := &netrc.Logins{File: netrc.Parse("machine h login ada password one\ndefault login ada password two\n")}
	for _, test := range []struct {
		host, named, other string // the passwords
	}{
		{"h", "one", "one"},
		{"evil.example", "two", ""},
	} {
		c := access.Challenge{URL: url.MustParse("https://" + test.host + "/"), Host: test.host}
		if got, err := l.ForRequests(nil)(t.Context(), c); got.Password != test.named || err != nil {
			t.Errorf("ForRequests at %s = %+v, %v, want the password %q", test.host, got, err, test.named)
		}
		got, err := l.ForOthers()(t.Context(), c)
		if got.Password != test.other || (err == nil) != (test.other != "") {
			t.Errorf("ForOthers at %s = %+v, %v, want the password %q", test.host, got, err, test.other)
		}
	}
}

// Check sends a password only over TLS, except to this machine.
func TestEncrypted(t *testing.T) {
	l := &netrc.Logins{File: netrc.Parse("machine h login ada password sesame\nmachine localhost login ada password sesame\nmachine 127.0.0.1 login ada password sesame\nmachine ::1 login ada password sesame\n")}
	login := netrc.Encrypted(l.ForOthers())
	for text, want := range map[string]string{
		"https://h/": "sesame", "ftps://h/": "sesame", "http://h/": "", "ftp://h/": "", "http://localhost/": "sesame", "http://127.0.0.1/": "sesame", "ftp://[::1]/": "sesame",
	} {
		u := url.MustParse(text)
		host, _ := u.Host()
		c := access.Challenge{URL: u, Host: strings.Trim(host, "[]")}
		got, err := login(t.Context(), c)
		if got.Password != want || (err == nil) != (want != "") {
			t.Errorf("the login at %s = %+v, %v, want the password %q", text, got, err, want)
		}
		c.Optional = true
		if got, err = login(t.Context(), c); got.Password != want || err != nil {
			t.Errorf("the optional login at %s = %+v, %v, want the password %q", text, got, err, want)
		}
	}
}

func ExampleLogins_ForRequests() {
	logins := &netrc.Logins{File: netrc.Parse("machine ftp.example.org login ada password sesame\n")}
	login := logins.ForRequests(nil)
	c, err := login(context.Background(), access.Challenge{Host: "ftp.example.org"})
	fmt.Println(c.User, c.Password, err)
	_, err = login(context.Background(), access.Challenge{Host: "other.example.org"})
	fmt.Println(errors.Is(err, access.ErrPassword))
	// Output:
	// ada sesame <nil>
	// true
}
