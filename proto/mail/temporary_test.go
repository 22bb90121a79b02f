package mail

import (
	"errors"
	"io/fs"
	"testing"

	"locus/access"
	"locus/proto/internal/reply"
)

// A 4yz reply of SMTP is temporary (RFC 5321 §4.2.1).
func TestSMTPTemporary(t *testing.T) {
	c := &smtpConn{replies: reply.NewConn(nil)}
	for code := 400; code < 600; code++ {
		if got := errors.Is(c.refusal(access.Reply{Code: code}), access.ErrTemporary); got != (code < 500) {
			t.Errorf("%d is temporary: %v", code, got)
		}
	}
}

// IMAP responses that mean "later" are temporary (RFC 5530 §3), also for a
// login.
func TestIMAPTemporary(t *testing.T) {
	for _, test := range []struct {
		says string
		want bool
	}{
		{"NO [UNAVAILABLE] user's backend down", true},
		{"no [inuse] mailbox in use", true},
		{"* BYE [UNAVAILABLE] closing", true},
		{"NO [AUTHENTICATIONFAILED] wrong", false},
		{"NO it is [UNAVAILABLE]", false},
		{"NO", false},
		{"", false},
	} {
		c, _ := connTo("")
		for _, err := range []error{c.refusal(test.says), asDenied(c.refusal(test.says))} {
			if got := errors.Is(err, access.ErrTemporary); got != test.want || test.want && errors.Is(err, fs.ErrPermission) {
				t.Errorf("%q is temporary: %v, want %v", test.says, got, test.want)
			}
		}
	}
}
