package prospero_test

import (
	"context"
	"testing"

	"locus/access"
	"locus/proto/internal/wire"
	"locus/proto/internal/wire/wiretest"
	"locus/proto/prospero"
	"locus/url"
)

func TestConnection(t *testing.T) {
	wiretest.Test(t, wiretest.Engine{Open: func(ctx context.Context, d wire.Dialer) error {
		c := prospero.Client{Dial: d.Dial, Security: d.Security, Idle: d.Idle}
		_, err := c.Do(ctx, &access.Request{URL: url.MustParse("prospero://h/x")})
		return err
	}})
}
