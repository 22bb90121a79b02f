package mail

import (
	"errors"
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
