package gopher_test

import (
	"context"
	"testing"

	"locus/access"
	"locus/proto/gopher"
	"locus/proto/internal/wire"
	"locus/proto/internal/wire/wiretest"
	"locus/url"
)

func TestConnection(t *testing.T) {
	for _, u := range []string{"gopher://h/0/x", "gopher://h/2%09smith", "gopher://h/0/x%09%09+"} {
		wiretest.Test(t, wiretest.Engine{Open: func(ctx context.Context, d wire.Dialer) error {
			c := gopher.Client{Dial: d.Dial, TLS: d.TLS, Security: d.Security, Idle: d.Idle}
			_, err := c.Do(ctx, &access.Request{URL: url.MustParse(u)})
			return err
		}})
	}
}
