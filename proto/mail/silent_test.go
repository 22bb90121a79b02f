package mail_test

import (
	"context"
	"errors"
	"io"
	"net"
	"testing"
	"testing/synctest"
	"time"

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

// Lines that come now and then are accepted for a while, because some servers send them while they
// search. They cannot hold a request for ever.
func TestSlowIMAP(t *testing.T) {
	for _, greeting := range []string{"* OK\r\n", "* OK {1}\r\n"} {
		synctest.Test(t, func(t *testing.T) {
			const idle = 20 * time.Second
			start := time.Now()
			err := openIMAP(false)(t.Context(), wire.Dialer{Idle: idle, Dial: func(context.Context, string, string) (net.Conn, error) {
				client, server := net.Pipe()
				go func() {
					defer server.Close()
					go io.Copy(io.Discard, server)
					for {
						if _, err := io.WriteString(server, greeting); err != nil {
							return
						}
						time.Sleep(idle / 2)
					}
				}()
				return client, nil
			}})
			late, isIdle := errors.AsType[*wire.IdleError](err)
			if !isIdle || late.Did != wire.NotEnded {
				t.Errorf("%q: %v, want a *wire.IdleError: %s", greeting, err, wire.NotEnded)
			}
			if took := time.Since(start); took < 9*idle || took > 11*idle {
				t.Errorf("%q: it took %v, want ten idle limits", greeting, took)
			}
			time.Sleep(time.Minute) // the server notices that the connection is closed
		})
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
