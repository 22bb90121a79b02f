package mail_test

import (
	"context"
	"testing"

	"locus/access"
	"locus/proto/internal/wire"
	"locus/proto/internal/wire/wiretest"
	"locus/proto/mail"
	"locus/url"
)

func TestConnectionIMAP(t *testing.T) {
	for greeting, implicit := range map[string]bool{"": true, "* OK\r\n": false, "* OK \r\n* CAPABILITY": false} {
		wiretest.Test(t, wiretest.Engine{HasTLS: true, Greeting: greeting, Open: openIMAP(implicit)})
	}
	for _, greeting := range []string{"", "* OK {1000}\r\n", "* OK\r\n* CAPABILITY"} { // a line is slow, or a literal
		wiretest.TestDrip(t, wiretest.Engine{Greeting: greeting, Drip: "*", Open: openIMAP(false)})
	}
}

func openIMAP(implicit bool) func(context.Context, wire.Dialer) error {
	return func(ctx context.Context, d wire.Dialer) error {
		s := mail.IMAP{Host: "h", User: "ada", Implicit: implicit, Dial: d.Dial, TLS: d.TLS, Security: d.Security, Idle: d.Idle}
		_, err := mail.Client{Sources: []mail.Source{s}}.Do(ctx, &access.Request{URL: url.MustParse("mid:a@b")})
		return err
	}
}

func TestConnectionSMTP(t *testing.T) {
	for greeting, implicit := range map[string]bool{"": true, "220 hello\r\n": false} {
		wiretest.Test(t, wiretest.Engine{HasTLS: true, Greeting: greeting, Open: func(ctx context.Context, d wire.Dialer) error {
			s := mail.SMTP{Host: "h", Implicit: implicit, Dial: d.Dial, TLS: d.TLS, Security: d.Security, Idle: d.Idle}
			return s.Send(ctx, outgoing(t, letter))
		}})
	}
}
