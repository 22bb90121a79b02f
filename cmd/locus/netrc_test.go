package main

import "testing"

func TestLoginsAt(t *testing.T) {
	const netrc = "machine h.example login ada password one\nmachine k.example password two\nmachine l.example login eve\n"
	open := &exposed{"netrc"}
	for _, tt := range []struct {
		logins                      logins
		host, user, login, password string
		err                         error
	}{
		{logins{}, "h.example", "", "", "", nil},
		{logins{}, "h.example", "ada", "ada", "", nil},
		{logins{netrc: netrc}, "h.example", "", "ada", "one", nil},
		{logins{netrc: netrc}, "h.example", "ada", "ada", "one", nil},
		{logins{netrc: netrc}, "h.example", "bob", "bob", "", nil},
		{logins{netrc: netrc}, "k.example", "", "", "", nil},
		{logins{netrc: netrc, named: true}, "h.example", "", "ada", "", nil},
		{logins{netrc: netrc, exposed: open}, "h.example", "", "ada", "", open},
		{logins{netrc: netrc, exposed: open, named: true}, "h.example", "", "ada", "", nil},
		{logins{netrc: netrc, exposed: open}, "l.example", "", "eve", "", nil},
		{logins{netrc: netrc, exposed: open}, "m.example", "ada", "ada", "", nil},
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
	l := logins{netrc: "machine h.example login ada password one\n", named: true}
	for isNamed, want := range map[bool]string{true: "", false: "one"} {
		if _, password, err := l.at("h.example", "", isNamed); password != want || err != nil {
			t.Errorf("at(named %v) = %q, %v, want %q", isNamed, password, err, want)
		}
	}
}
