package gopher_test

import (
	"bufio"
	"bytes"
	"context"
	"crypto/sha256"
	"crypto/tls"
	"crypto/x509"
	"encoding/hex"
	"errors"
	"io"
	"net"
	"slices"
	"strings"
	"testing"
	"time"

	"locus/access"
	"locus/internal/certtest"
	"locus/internal/peers"
	"locus/proto"
	"locus/proto/gopher"
	"locus/proto/internal/wire"
	"locus/proto/internal/wire/wiretest"
	"locus/proto/pin"
	"locus/url"
)

const secureMenu = "1Same\t/a\th\t70\r\n0Other port\t/b\th\t7070\r\n0Other host\t/c\tother\t70\r\nhPage\tURL:https://h/\th\t70\r\niText\t\t\t\r\n.\r\n"

// secureDial returns the Dial of a gopher server that begins with TLS. It sends the reply to every request.
func secureDial(config *tls.Config, reply string) proto.Dial {
	return func(context.Context, string, string) (net.Conn, error) {
		client, server := net.Pipe()
		go func() {
			defer server.Close()
			conn := tls.Server(server, config)
			if _, err := bufio.NewReader(conn).ReadString('\n'); err == nil {
				io.WriteString(conn, reply)
				conn.CloseWrite()
			}
		}()
		return client, nil
	}
}

func TestGophers(t *testing.T) {
	config, trusts := certtest.Configs(t, "h")
	c := gopher.Client{Dial: secureDial(config, secureMenu), TLS: trusts, Security: access.RequireTLS}
	r, err := c.Do(t.Context(), &access.Request{URL: url.MustParse("gophers://h/1/")})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Body.Close()
	var got []string
	err = access.Entries(r.List, func(e access.Entry) error {
		got = append(got, e.URL.String())
		return nil
	})
	// The items of the same server stay in TLS, and the menu says nothing about other servers.
	want := []string{"gophers://h/1/a", "gopher://h:7070/0/b", "gopher://other/0/c", "https://h/", ""}
	if !slices.Equal(got, want) || err != nil {
		t.Errorf("the menu has the URLs %q, %v, want %q", got, err, want)
	}
}

// The client never sends a request in clear text, nor to a server whose certificate it does not trust.
func TestGophersRefused(t *testing.T) {
	config, trusts := certtest.Configs(t, "h")
	_, stranger := certtest.Configs(t, "h")
	for _, test := range []struct {
		name, url string
		dial      proto.Dial
		tls       *tls.Config
		isTrust   bool
	}{
		{"an unknown authority", "gophers://h/0secret", secureDial(config, "text"), stranger, true},
		{"another name", "gophers://x/0secret", secureDial(config, "text"), trusts, true},
		{"a server without TLS", "gophers://h/0secret", plainDial, trusts, false},
	} {
		var sent bytes.Buffer
		dials := 0
		c := gopher.Client{TLS: test.tls, Dial: func(ctx context.Context, network, address string) (net.Conn, error) {
			dials++
			conn, err := test.dial(ctx, network, address)
			return &recordedConn{conn, &sent}, err
		}}
		_, err := c.Do(t.Context(), &access.Request{URL: url.MustParse(test.url)})
		_, isTrust := errors.AsType[*tls.CertificateVerificationError](err)
		if err == nil || isTrust != test.isTrust || dials != 1 || strings.Contains(sent.String(), "secret") {
			t.Errorf("%s: error %v after %d connections and %d bytes, want one connection without a request", test.name, err, dials, sent.Len())
		}
		if unknown, ok := errors.AsType[x509.HostnameError](err); ok && unknown.Host != "x" {
			t.Errorf("%s: error %v about the host %q", test.name, err, unknown.Host)
		}
	}
}

// A certificate that no authority has signed must be pinned or accepted. The first certificate of a server is not pinned.
func TestGophersPins(t *testing.T) {
	config, trusts := certtest.Configs(t, "h")
	other, _ := certtest.Configs(t, "h")
	fingerprint := func(config *tls.Config) string {
		digest := sha256.Sum256(config.Certificates[0].Certificate[0])
		return hex.EncodeToString(digest[:])
	}
	_, stranger := certtest.Configs(t, "h")
	pinned := func(config *tls.Config) func() (map[string]pin.Pin, error) {
		return func() (map[string]pin.Pin, error) {
			return map[string]pin.Pin{"h:70": {Fingerprint: fingerprint(config), Expires: time.Now().AddDate(1, 0, 0)}}, nil
		}
	}
	for _, test := range []struct {
		name, url string
		tls       *tls.Config
		pins      *pin.Pins
		want      bool
	}{
		{"a signed certificate", "gophers://h/0", trusts, new(pin.Pins), true},
		{"a signed certificate of another name", "gophers://x/0", trusts, new(pin.Pins), false},
		{"a signed certificate in place of the pin", "gophers://h/0", trusts, &pin.Pins{Load: pinned(other)}, true},
		{"an unsigned certificate", "gophers://h/0", stranger, new(pin.Pins), false},
		{"an unsigned certificate, with the defaults", "gophers://h/0", nil, new(pin.Pins), false},
		{"the pin", "gophers://H:70/0", stranger, &pin.Pins{Load: pinned(config)}, true},
		{"the pin of another port", "gophers://h:7070/0", stranger, &pin.Pins{Load: pinned(config)}, false},
		{"another pin", "gophers://h/0", stranger, &pin.Pins{Load: pinned(other)}, false},
		{"an accepted certificate", "gophers://h/0", stranger, &pin.Pins{Accepted: []string{fingerprint(config)}}, true},
	} {
		var sent bytes.Buffer
		dial := secureDial(config, "text")
		c := gopher.Client{TLS: test.tls, Pins: test.pins, Dial: func(ctx context.Context, network, address string) (net.Conn, error) {
			conn, err := dial(ctx, network, address)
			return &recordedConn{conn, &sent}, err
		}}
		for range 2 { // the second connection finds what the first has pinned
			r, err := c.Do(t.Context(), &access.Request{URL: url.MustParse(test.url)})
			if (err == nil) != test.want {
				t.Errorf("%s: Do(%q) = %v, want success: %v", test.name, test.url, err, test.want)
			}
			if err == nil {
				r.Body.Close()
			}
			remedy, _ := access.RemedyFor(err).(access.AcceptCertificate)
			if err != nil && (remedy.Fingerprint != fingerprint(config) || !strings.Contains(err.Error(), remedy.Fingerprint)) {
				t.Errorf("%s: the error %v has the remedy %q, want the fingerprint %s", test.name, err, remedy.Fingerprint, fingerprint(config))
			}
		}
	}
}

// plainDial connects to a gopher server without TLS.
func plainDial(context.Context, string, string) (net.Conn, error) {
	client, server := net.Pipe()
	go func() {
		defer server.Close()
		_, _ = server.Read(make([]byte, 1))
		go io.Copy(io.Discard, server)
		io.WriteString(server, "3An error\t\terror.host\t1\r\n.\r\n")
	}()
	return client, nil
}

// A recordedConn records the bytes that the client sends.
type recordedConn struct {
	net.Conn
	sent *bytes.Buffer
}

func (c *recordedConn) Write(p []byte) (int, error) {
	c.sent.Write(p)
	return c.Conn.Write(p)
}

func TestGophersConnection(t *testing.T) {
	wiretest.Test(t, wiretest.Engine{HasTLS: true, Open: func(ctx context.Context, d wire.Dialer) error {
		c := gopher.Client{Dial: d.Dial, TLS: d.TLS, Security: d.Security, Idle: d.Idle, Pins: new(pin.Pins)}
		_, err := c.Do(ctx, &access.Request{URL: url.MustParse("gophers://h/0/x")})
		return err
	}})
}

func TestStunnel(t *testing.T) {
	root := writeFiles(t, map[string]string{"text.txt": plainText, "gophermap": "0A text\t/text.txt\n"})
	s := peers.Stunnel(t, peers.Gophernicus(t, root))
	c := gopher.Client{Dial: new(net.Dialer).DialContext, TLS: &tls.Config{RootCAs: s.Roots, MinVersion: tls.VersionTLS12}}
	for _, test := range []struct{ path, want string }{
		{"/", "A text"},
		{"/0/text.txt", "plain text"},
	} {
		got := describe(t.Context(), c, url.MustParse("gophers://"+s.Addr+test.path))
		if !strings.Contains(got, test.want) {
			t.Errorf("opening %q gives %s, want %q", test.path, got, test.want)
		}
	}
}
