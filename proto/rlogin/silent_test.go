package rlogin_test

import (
	"context"
	"io"
	"testing"

	"locus/access"
	"locus/proto/internal/wire"
	"locus/proto/internal/wire/wiretest"
	"locus/proto/rlogin"
	"locus/url"
)

func TestConnection(t *testing.T) {
	e := wiretest.Engine{Greeting: "", Open: func(ctx context.Context, d wire.Dialer) error {
		c := rlogin.Client{Dial: d.Dial, Security: d.Security, Idle: d.Idle}
		r, err := c.Do(ctx, &access.Request{URL: url.MustParse("rlogin://u@h/")})
		if err != nil {
			return err
		}
		defer r.Body.Close()
		_, err = io.Copy(io.Discard, r.Body)
		return err
	}}
	wiretest.Test(t, e)
	e.Greeting = "\x00$ "
	wiretest.TestSession(t, e)
}
