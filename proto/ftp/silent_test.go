package ftp_test

import (
	"context"
	"testing"

	"locus/access"
	"locus/proto/ftp"
	"locus/proto/internal/wire"
	"locus/proto/internal/wire/wiretest"
	"locus/url"
)

func TestConnection(t *testing.T) {
	for _, test := range []struct{ url, greeting string }{
		{"ftp://h/f", ""},
		{"ftp://h/f", "220 hello\r\n"},
		{"ftp://ada@h/f", "220 hello\r\n"},
		{"ftps://h/f", ""},
		{"ftp://h/f", "220 hello\r\n230 welcome\r\n"},
	} {
		wiretest.Test(t, wiretest.Engine{HasTLS: true, Greeting: test.greeting, Open: func(ctx context.Context, d wire.Dialer) error {
			c := ftp.Client{Dial: d.Dial, TLS: d.TLS, Security: d.Security, Idle: d.Idle}
			_, err := c.Do(ctx, &access.Request{URL: url.MustParse(test.url)})
			return err
		}})
	}
}
