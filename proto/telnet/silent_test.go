package telnet_test

import (
	"context"
	"io"
	"testing"

	"locus/access"
	"locus/proto/internal/wire"
	"locus/proto/internal/wire/wiretest"
	"locus/proto/telnet"
	"locus/url"
)

func TestConnection(t *testing.T) {
	e := wiretest.Engine{Greeting: "\xff\xfd\x18", Open: func(ctx context.Context, d wire.Dialer) error {
		c := telnet.Client{Dial: d.Dial, Security: d.Security, Idle: d.Idle}
		r, err := c.Do(ctx, &access.Request{URL: url.MustParse("telnet://h/")})
		if err != nil {
			return err
		}
		defer r.Body.Close()
		_, err = io.Copy(io.Discard, r.Body)
		return err
	}}
	wiretest.Test(t, e)
	e.Drip = "\xff\xf1" // NOP
	wiretest.TestDrip(t, e)
	e.Drip, e.Greeting = "", "login: "
	wiretest.TestSession(t, e)
}
