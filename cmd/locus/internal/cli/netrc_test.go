package cli

import (
	"errors"
	"testing"

	"locus/access"
	"locus/netrc"
	"locus/url"
)

func TestLoginsAt(t *testing.T) {
	const text = "machine h.example login ada password one\nmachine k.example password two\nmachine l.example login eve\n"
	named := url.Some("set")
	open := &netrc.ExposedError{Name: "netrc"}
	for _, tt := range []struct {
		logins                      logins
		host, user, login, password string
		err                         error
	}{
		{logins{}, "h.example", "", "", "", nil},
		{logins{}, "h.example", "ada", "ada", "", nil},
		{logins{netrc: netrc.Parse(text)}, "h.example", "", "ada", "one", nil},
		{logins{netrc: netrc.Parse(text)}, "h.example", "ada", "ada", "one", nil},
		{logins{netrc: netrc.Parse(text)}, "h.example", "bob", "bob", "", nil},
		{logins{netrc: netrc.Parse(text)}, "k.example", "", "", "", nil},
		{logins{netrc: netrc.Parse(text), password: named}, "h.example", "", "ada", "", nil},
		{logins{netrc: netrc.Parse(text), exposed: open}, "h.example", "", "ada", "", open},
		{logins{netrc: netrc.Parse(text), exposed: open, password: named}, "h.example", "", "ada", "", nil},
		{logins{netrc: netrc.Parse(text), exposed: open}, "l.example", "", "eve", "", nil},
		{logins{netrc: netrc.Parse(text), exposed: open}, "m.example", "ada", "ada", "", nil},
	} {
		login, password, err := tt.logins.at(tt.host, tt.user, true)
		if login != tt.login || password != tt.password || err != tt.err {
			t.Errorf("%+v.at(%q, %q) = %q, %q, %v, want %q, %q, %v", tt.logins, tt.host, tt.user, login, password, err, tt.login, tt.password, tt.err)
		}
	}
}

// A password that the user has named is for hosts that the user has named. A host
// that was found in a page or a redirect gets that of .netrc.
func TestLoginsAtUnnamedHost(t *testing.T) {
	l := logins{netrc: netrc.Parse("machine h.example login ada password one\n"), password: url.Some("set")}
	for isNamed, want := range map[bool]string{true: "", false: "one"} {
		if _, password, err := l.at("h.example", "", isNamed); password != want || err != nil {
			t.Errorf("at(named %v) = %q, %v, want %q", isNamed, password, err, want)
		}
	}
}

// What the user wants to say to a server is what .netrc says of its host.
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
		l := &logins{netrc: netrc.Parse(text)}
		c := access.Challenge{URL: url.MustParse("ftp://h/x;type=a"), Host: test.host, User: test.user, Optional: test.optional}
		got, err := l.login(nil)(t.Context(), c)
		if got.User != test.want || got.Password != test.password || !errors.Is(err, test.err) {
			t.Errorf("login(%+v) = %+v, %v, want %q, %q, %v", c, got, err, test.want, test.password, test.err)
		}
	}
}
