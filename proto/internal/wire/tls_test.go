package wire_test

import (
	"bufio"
	"context"
	"crypto/tls"
	"errors"
	"io"
	"net"
	"testing"
	"testing/synctest"
	"time"

	"locus/access"
	"locus/internal/certtest"
	"locus/proto/internal/wire"
)

func TestStartTLS(t *testing.T) {
	config, trusts := certtest.Configs(t, "h")
	c, server := dialled(t, t.Context(), wire.Dialer{TLS: trusts})
	go func() {
		_, _ = io.WriteString(server, "220 ready\r\n")
		secure := tls.Server(server, config)
		_, _ = io.WriteString(secure, "over TLS\r\n")
		_ = secure.CloseWrite()
	}()
	r := bufio.NewReader(c)
	if line, err := wire.ReadLine(r); err != nil || string(line) != "220 ready" || c.IsTLS() {
		t.Fatalf("before TLS: %q, %v", line, err)
	}
	if err := c.StartTLS(r); err != nil {
		t.Fatal(err)
	}
	rest, err := io.ReadAll(r)
	if string(rest) != "over TLS\r\n" || err != nil || !c.IsTLS() {
		t.Errorf("over TLS: %q, %v", rest, err)
	}
	if err := c.CheckPassword("nntp", ""); err != nil {
		t.Errorf("CheckPassword over TLS = %v", err)
	}
}

// Bytes that arrived before TLS are refused.
func TestStartTLSInjected(t *testing.T) {
	_, trusts := certtest.Configs(t, "h")
	c, server := dialled(t, t.Context(), wire.Dialer{TLS: trusts})
	go func() { _, _ = io.WriteString(server, "220 ready\r\n250 injected\r\n") }()
	r := bufio.NewReader(c)
	if _, err := wire.ReadLine(r); err != nil {
		t.Fatal(err)
	}
	if err := c.StartTLS(r); !errors.Is(err, access.ErrProtocol) || c.IsTLS() {
		t.Errorf("StartTLS = %v, want access.ErrProtocol", err)
	}
}

func TestDialTLS(t *testing.T) {
	config, trusts := certtest.Configs(t, "h")
	for _, test := range []struct {
		name   string
		config *tls.Config
		fails  bool
	}{
		{"trusted", trusts, false},
		{"nobody trusted", nil, true},
		{"another name", &tls.Config{RootCAs: trusts.RootCAs, ServerName: "other", MinVersion: tls.VersionTLS12}, true},
	} {
		client, server := net.Pipe()
		go func() {
			secure := tls.Server(server, config)
			_, _ = io.WriteString(secure, "x")
			server.Close() // without close_notify
		}()
		c, err := wire.Dialer{Dial: to(t, client), TLS: test.config}.DialTLS(t.Context(), "h:1")
		if _, bad := errors.AsType[*tls.CertificateVerificationError](err); bad != test.fails || (err != nil) != test.fails {
			t.Errorf("%s: DialTLS = %v", test.name, err)
		}
		if err != nil {
			continue
		}
		if got, err := io.ReadAll(c); string(got) != "x" || !errors.Is(err, io.ErrUnexpectedEOF) {
			t.Errorf("%s: read %q, %v, want an early end", test.name, got, err)
		}
		c.Close()
	}
}

// The handshake, and Read over TLS, use the idle limit and the context of the
// connection.
func TestTLSEnds(t *testing.T) {
	config, trusts := certtest.Configs(t, "h")
	synctest.Test(t, func(t *testing.T) {
		client, server := net.Pipe()
		defer server.Close()
		go func() { _, _ = io.Copy(io.Discard, server) }()
		_, err := wire.Dialer{Dial: to(t, client), Idle: 3 * time.Second}.DialTLS(t.Context(), "h:1")
		isIdle(t, err, "the server sent nothing for 3s")
	})
	ctx, cancel := context.WithCancel(t.Context())
	client, server := net.Pipe()
	defer server.Close()
	go func() {
		_ = tls.Server(server, config).Handshake()
		cancel()
	}()
	c, err := wire.Dialer{Dial: to(t, client), TLS: trusts}.DialTLS(ctx, "h:1")
	if err == nil {
		defer c.Close()
		_, err = c.Read(make([]byte, 1))
	}
	if !errors.Is(err, context.Canceled) {
		t.Errorf("Read over TLS = %v, want %v", err, context.Canceled)
	}
}

func TestCloseWrite(t *testing.T) {
	config, trusts := certtest.Configs(t, "h")
	c, server := dialled(t, t.Context(), wire.Dialer{TLS: trusts})
	secure := tls.Server(server, config)
	got := make(chan error, 1)
	go func() {
		_, err := io.ReadAll(secure)
		got <- err
	}()
	if err := c.StartTLS(bufio.NewReader(c)); err != nil {
		t.Fatal(err)
	}
	if err := c.CloseWrite(); err != nil {
		t.Fatal(err)
	}
	if err := <-got; err != nil {
		t.Errorf("the server reads %v, want the end", err)
	}
}

func TestShouldStartTLS(t *testing.T) {
	for _, test := range []struct {
		security access.Security
		offered  bool
		want     bool
		err      error
	}{
		{access.OpportunisticTLS, true, true, nil},
		{access.OpportunisticTLS, false, false, nil},
		{access.RequireTLS, true, true, nil},
		{access.RequireTLS, false, false, wire.ErrNotOffered},
		{access.NeverTLS, true, false, nil},
		{access.NeverTLS, false, false, nil},
	} {
		c, _ := dialled(t, t.Context(), wire.Dialer{Security: test.security})
		if got, err := c.ShouldStartTLS(test.offered); got != test.want || !errors.Is(err, test.err) {
			t.Errorf("TLS %v, offered %v: %v, %v, want %v, %v", test.security, test.offered, got, err, test.want, test.err)
		}
	}
}
