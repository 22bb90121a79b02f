package mail_test

import (
	"strings"
	"testing"

	"locus/access"
	"locus/access/accesstest"
	"locus/proto/mail"
)

// quotable is a password with a different text in each form in which it is
// sent.
const quotable = `se"sa\me`

// hidden has the forms of that password: plain, quoted, and in base64, alone
// and after the user ada.
var hidden = []string{quotable, `sa\\me`, "c2Uic2FcbWU", "AGFkYQBzZSJzYVxtZQ"}

func checkHidden(t *testing.T, err error) {
	t.Helper()
	if err == nil || !strings.Contains(err.Error(), "xxxxx") {
		t.Errorf("error = %v, want one with xxxxx", err)
		return
	}
	for _, secret := range hidden {
		if strings.Contains(err.Error(), secret) {
			t.Errorf("the error shows %q: %v", secret, err)
		}
	}
}

// A server may repeat the command, in a reply or in an invalid one.
//
// req: 1738-6-3
func TestSMTPEcho(t *testing.T) {
	for _, way := range []string{"PLAIN", "LOGIN"} {
		for _, before := range []string{"500 what is ", ""} {
			server := accesstest.Serve(t, accesstest.Script{accesstest.Send("220 hello\r\n"), accesstest.Converse(func(line string) (string, bool) {
				switch {
				case strings.HasPrefix(line, "EHLO"):
					return "250-h\r\n250 AUTH " + way + "\r\n", true
				case line == "AUTH LOGIN" || line == "YWRh":
					return "334 go on\r\n", true
				}
				return before + strings.TrimPrefix(line, "AUTH PLAIN ") + " " + quotable + "\r\n", true
			})})
			s := mail.SMTP{Dial: server.Dial, Host: "h.example", User: "ada", Password: quotable, Security: access.NeverTLS}
			checkHidden(t, s.Send(t.Context(), outgoing(t, letter)))
		}
	}
}

// req: 1738-6-3
func TestIMAPEcho(t *testing.T) {
	for _, capability := range []string{"SASL-IR AUTH=PLAIN", "AUTH=PLAIN", "IMAP4rev1"} {
		for _, before := range []string{"% BAD ", "", "* "} {
			server := accesstest.Serve(t, accesstest.Script{accesstest.Send("* OK ready\r\n"), accesstest.Converse(func(line string) (string, bool) {
				tag, command, _ := strings.Cut(line, " ")
				switch command {
				case "CAPABILITY":
					return "* CAPABILITY " + capability + "\r\n" + tag + " OK\r\n", true
				case "AUTHENTICATE PLAIN":
					return "+ \r\n", true
				case "":
					command, tag = tag, "L2"
				}
				if before == "* " {
					return "* " + command + "\r\n" + tag + " NO " + command + "\r\n", true
				}
				return strings.Replace(before, "%", tag, 1) + command + "\r\n", true
			})})
			s := mail.IMAP{Dial: server.Dial, Host: "h.example", User: "ada", Password: quotable, Security: access.NeverTLS}
			_, err := s.Find(t.Context(), mail.Query{MessageID: "a@b"})
			checkHidden(t, err)
		}
	}
}
