package gopher_test

import (
	"context"
	"errors"
	"io"
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
			c := gopher.Client{Dial: d.Dial, Security: d.Security, Idle: d.Idle}
			_, err := c.Do(ctx, &access.Request{URL: url.MustParse(u)})
			return err
		}})
	}
}

// A server that sends a byte now and then cannot hold a request for ever.
func TestDrip(t *testing.T) {
	for _, test := range []struct {
		op            access.Op
		url, greeting string
		drip          string
	}{
		{access.Get, "gopher://h/2%09smith", "", "1"},
		{access.Get, "gopher://h/2%09smith", "-200:1: name: Ada\r\n-200:1: name: Lovelace\r\n", "a"},
		{access.Get, "gopher://h/2%09smith", "", "-100:wait\n"}, // lines without an entry
		{access.Get, "gopher://h/0/x%09%09+", "+", "1"},
		{access.Get, "gopher://h/1/x", "3", "a"},
		{access.Get, "gopher://h/1/x", "1title", "a"},
		{access.Get, "gopher://h/1/x", "1title\tx\th\t70\r\n", "\r\n"},
		{access.Get, "gopher://h/0/x%09%09!", "+-2\r\n", "+INFO"},
		{access.Get, "gopher://h/0/x%09%09!", "+-2\r\n+INFO: 0x\tx\th\t70\t+\r\n+ABSTRACT:\r\n", " a\r\n"},
		{access.Stat, "gopher://h/0/x%09%09+", "+-2\r\n+INFO: 0x\tx\th\t70\t+\r\n+ABSTRACT:\r\n", " a\r\n"},
		{access.Ask, "gopher://h/0/x%09%09%3F", "+-2\r\n+INFO: 0x\tx\th\t70\t+\r\n+ASK:\r\n", " Ask: a\r\n"},
	} {
		wiretest.TestDrip(t, wiretest.Engine{Answers: true, Greeting: test.greeting, Drip: test.drip, Open: func(ctx context.Context, d wire.Dialer) error {
			c := gopher.Client{Dial: d.Dial, Security: d.Security, Idle: d.Idle}
			r, err := c.Do(ctx, &access.Request{Op: test.op, URL: url.MustParse(test.url)})
			if err != nil {
				return err
			}
			defer r.Body.Close()
			for r.List != nil && err == nil {
				_, err = r.List.Next()
			}
			if r.List == nil {
				_, err = io.Copy(io.Discard, r.Body)
			}
			if errors.Is(err, io.EOF) {
				return nil
			}
			return err
		}})
	}
}
