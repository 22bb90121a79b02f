package nntp_test

import (
	"context"
	"testing"

	"locus/access"
	"locus/proto/internal/wire"
	"locus/proto/internal/wire/wiretest"
	"locus/proto/nntp"
	"locus/url"
)

func TestConnection(t *testing.T) {
	for u, greeting := range map[string]string{"nntp://h/g/1": "", "news:a@b": "200 hi\r\n", "nntps://h/g": ""} {
		wiretest.Test(t, wiretest.Engine{HasTLS: true, Greeting: greeting, Open: func(ctx context.Context, d wire.Dialer) error {
			c := nntp.Client{Server: "h", Dial: d.Dial, TLS: d.TLS, Security: d.Security, Idle: d.Idle}
			_, err := c.Do(ctx, &access.Request{URL: url.MustParse(u)})
			return err
		}})
	}
}
