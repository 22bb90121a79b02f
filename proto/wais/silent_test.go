package wais_test

import (
	"context"
	"testing"

	"locus/access"
	"locus/proto/internal/wire"
	"locus/proto/internal/wire/wiretest"
	"locus/proto/wais"
	"locus/url"
)

func TestConnection(t *testing.T) {
	for _, u := range []string{"wais://h/d", "wais://h/d?words", "wais://h/d/TEXT/%01%01x"} {
		e := wiretest.Engine{Open: func(ctx context.Context, d wire.Dialer) error {
			c := wais.Client{Dial: d.Dial, Security: d.Security, Idle: d.Idle}
			_, err := c.Do(ctx, &access.Request{URL: url.MustParse(u)})
			return err
		}}
		wiretest.Test(t, e)
		e.Answers = true
		for _, e.Greeting = range []string{"", "0000100000z2wais        0"} { // the header or the rest of the message does not come
			e.Drip = "0"
			wiretest.TestDrip(t, e)
		}
	}
}
