package main

import "testing"

func TestFindNetrc(t *testing.T) {
	const text = "# machine no.example login no password no\n" +
		"machine h.example login ada password one\n" +
		"machine h.example\n\tlogin bob\n\tpassword two account x\n" +
		"macdef init\nmachine macro.example login no password no\n\n" +
		"machine k.example password three\n" +
		"default login guest password four\n"
	for _, tt := range []struct{ host, user, login, password string }{
		{"h.example", "", "ada", "one"},
		{"H.EXAMPLE", "bob", "bob", "two"},
		{"h.example", "guest", "guest", "four"},
		{"h.example", "eve", "", ""},
		{"k.example", "", "", "three"},
		{"macro.example", "", "guest", "four"},
		{"no.example", "", "guest", "four"},
	} {
		got, ok := findNetrc(text, tt.host, tt.user)
		if got.login != tt.login || got.password != tt.password || ok != (tt.password != "") {
			t.Errorf("findNetrc(%q, %q) = %+v, %v, want %q, %q", tt.host, tt.user, got, ok, tt.login, tt.password)
		}
	}
	for _, text := range []string{"", "login x", "machine", "machine h.example login", "password x machine"} {
		if got, _ := findNetrc(text, "h.example", ""); got.password != "" {
			t.Errorf("findNetrc in %q = %+v", text, got)
		}
	}
}
