//go:build linux

package rlogin_test

import (
	"context"
	"errors"
	"io"
	"net"
	"strings"
	"syscall"
	"testing"
	"time"

	"locus/access"
	"locus/internal/peers"
	"locus/proto/rlogin"
	"locus/terminal"
	"locus/url"
)

// dialLow connects from a free low port.
func dialLow(ctx context.Context, network, address string) (net.Conn, error) {
	for port := 1023; ; port-- {
		d := net.Dialer{LocalAddr: &net.TCPAddr{Port: port}}
		conn, err := d.DialContext(ctx, network, address)
		if port > 512 && (errors.Is(err, syscall.EADDRINUSE) || errors.Is(err, syscall.EADDRNOTAVAIL)) {
			continue
		}
		return conn, err
	}
}

// A conversation reads from a session until an expected text arrives.
type conversation struct {
	t *testing.T
	s terminal.Session
	r io.Reader
}

func (c *conversation) waitFor(text string) {
	c.t.Helper()
	var all strings.Builder
	p := make([]byte, 4096)
	for !strings.Contains(all.String(), text) {
		n, err := c.r.Read(p)
		all.Write(p[:n])
		if err != nil {
			c.t.Fatalf("waiting for %q: %v after %q", text, err, all.String())
		}
	}
}

func (c *conversation) typeText(text string) {
	c.t.Helper()
	if _, err := io.WriteString(c.s, text); err != nil {
		c.t.Fatalf("typing %q: %v", text, err)
	}
}

func TestRlogind(t *testing.T) {
	server := peers.Rlogind(t)
	for _, test := range []struct {
		name, local string
		login       func(*conversation)
	}{
		{"rhosts", "me", func(*conversation) {}},
		{"password", "somebody", func(c *conversation) {
			c.waitFor("Password:")
			c.typeText("secret\r")
		}},
	} {
		t.Run(test.name, func(t *testing.T) {
			ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
			defer cancel()
			var d net.Dialer
			client := rlogin.Client{Dial: d.DialContext, DialLow: dialLow, LocalUser: test.local, Terminal: "xterm"}
			r, err := client.Do(ctx, &access.Request{URL: url.MustParse("rlogin://rltest:advice@" + server.Addr + "/")})
			if err != nil {
				t.Fatal(err)
			}
			defer r.Body.Close()
			c := &conversation{t, r.Session, r.Body}
			if err := c.s.Resize(101, 37); err != nil {
				t.Error(err)
			}
			test.login(c)
			c.waitFor("$ ") // by then the server has requested the size
			c.typeText("PS1='rea''dy '; id -un; echo $TERM; stty size\r")
			c.waitFor("rltest\r\nxterm\r\n37 101\r\nready ")
			if err := c.s.Resize(66, 22); err != nil {
				t.Error(err)
			}
			c.typeText("stty size; printf '\\303\\200\\n'\r") // a byte 80 within a character
			c.waitFor("22 66\r\n\u00c0\r\nready ")
			if got := strings.Join(c.s.Screen().Lines, "\n"); !strings.Contains(got, "\u00c0\nready") {
				t.Errorf("the screen is %q", got)
			}
			c.typeText("exit\r")
			if _, err := io.Copy(io.Discard, r.Body); err != nil && !errors.Is(err, syscall.ECONNRESET) {
				t.Errorf("the end is %v, want io.EOF", err)
			}
		})
	}
	t.Run("high port", func(t *testing.T) {
		var d net.Dialer
		client := rlogin.Client{Dial: d.DialContext}
		_, err := client.Do(t.Context(), &access.Request{URL: url.MustParse("rlogin://rltest@" + server.Addr)})
		if err == nil || !strings.Contains(access.Hint(err), "cap_net_bind_service") {
			t.Errorf("Open from a high port = %v, hint %q, want one about low ports", err, access.Hint(err))
		}
	})
}
