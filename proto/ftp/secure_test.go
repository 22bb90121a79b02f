package ftp_test

import (
	"bufio"
	"context"
	"crypto/tls"
	"errors"
	"io"
	"net"
	"slices"
	"strings"
	"testing"

	"locus/access"
	"locus/internal/certtest"
	"locus/proto/ftp"
	"locus/url"
)

// requireTLS makes a server accept AUTH TLS, and returns a client that requires
// it.
func (s *server) requireTLS(t testing.TB) ftp.Client {
	config, trusts := certtest.Configs(t, "h")
	s.script["AUTH"] = func(c *control) {
		c.reply("234 go on\r\n")
		c.conn = tls.Server(c.conn, config)
		c.lines = bufio.NewReader(c.conn)
	}
	s.script["PBSZ"] = say("200 done\r\n")
	s.script["PROT"] = func(c *control) {
		c.tls = config
		c.reply("200 done\r\n")
	}
	c := s.client()
	c.Security = access.RequireTLS
	c.TLS = trusts
	return c
}

func TestTLS(t *testing.T) {
	s := serve(t)
	s.files["f"] = "content"
	c := s.requireTLS(t)
	if got, err := get(t, c, "ftp://me:p@h/f"); err != nil || got != "content" {
		t.Errorf("get = %q, %v", got, err)
	}
	want := []string{"AUTH TLS", "USER me", "PASS p", "PBSZ 0", "PROT P", "TYPE I", "SIZE f", "MDTM f", "RETR f"}
	if !slices.Equal(s.sentCommands(), want) {
		t.Errorf("sends %q, want %q", s.sentCommands(), want)
	}
	if _, err := c.Do(t.Context(), &access.Request{Op: access.Put, Body: strings.NewReader("new"), Size: -1, URL: url.MustParse("ftp://h/f")}); err != nil || s.files["f"] != "new" {
		t.Errorf("Put = %v, leaves %q", err, s.files["f"])
	}
}

// Without trusted TLS no user name or password is sent.
func TestTLSRefused(t *testing.T) {
	for _, test := range []struct {
		name   string
		client func(*ftp.Client)
		script map[string]answer
		want   []string
		is     error // errAny for any
	}{
		{name: "no AUTH", script: map[string]answer{"AUTH": say("502 what\r\n")}, want: []string{"AUTH TLS"}, is: errors.ErrUnsupported},
		{
			name: "no AUTH, none required", client: func(c *ftp.Client) { c.Security = access.OpportunisticTLS }, script: map[string]answer{"AUTH": say("502 what\r\n")},
			want: []string{"AUTH TLS", "USER me", "PASS p", "TYPE I"},
		},
		{
			name: "a goodbye to AUTH, none required", client: func(c *ftp.Client) { c.Security = access.OpportunisticTLS }, script: map[string]answer{"AUTH": say("421 bye\r\n")},
			want: []string{"AUTH TLS"}, is: access.ErrTemporary,
		},
		{
			name: "more than an answer", script: map[string]answer{"AUTH": say("234 go on\r\n230 you are in\r\n")},
			want: []string{"AUTH TLS"}, is: access.ErrProtocol,
		},
		{name: "no TLS after all", script: map[string]answer{"AUTH": func(c *control) { c.reply("234 go on\r\n"); c.hungUp = true }}, want: []string{"AUTH TLS"}, is: errAny},
		{name: "unknown authority", client: func(c *ftp.Client) { c.TLS = nil }, want: []string{"AUTH TLS"}, is: errAny},
		{name: "tried, unknown authority", client: func(c *ftp.Client) { c.TLS, c.Security = nil, access.OpportunisticTLS }, want: []string{"AUTH TLS"}, is: errAny},
		{name: "another name", client: func(c *ftp.Client) { c.TLS.ServerName = "other" }, want: []string{"AUTH TLS"}, is: errAny},
		{
			name: "tried, data in the clear", client: func(c *ftp.Client) { c.Security = access.OpportunisticTLS }, script: map[string]answer{"PROT": say("536 no\r\n")},
			want: []string{"AUTH TLS", "USER me", "PASS p", "PBSZ 0", "PROT P", "TYPE I"},
		},
		{
			name: "tried, no PBSZ", client: func(c *ftp.Client) { c.Security = access.OpportunisticTLS }, script: map[string]answer{"PBSZ": say("502 what\r\n"), "PROT": say("503 PBSZ first\r\n")},
			want: []string{"AUTH TLS", "USER me", "PASS p", "PBSZ 0", "PROT P", "TYPE I"},
		},
		{name: "data in the clear", script: map[string]answer{"PROT": say("536 no\r\n")}, want: []string{"AUTH TLS", "USER me", "PASS p", "PBSZ 0", "PROT P"}, is: errors.ErrUnsupported},
	} {
		s := serve(t)
		s.files["f"] = "content"
		c := s.requireTLS(t)
		for verb, a := range test.script {
			s.script[verb] = a
		}
		if test.client != nil {
			test.client(&c)
		}
		_, err := get(t, c, "ftp://me:p@h/f")
		if (err == nil) != (test.is == nil) || test.is != errAny && !errors.Is(err, test.is) {
			t.Errorf("%s: %v, want %v", test.name, err, test.is)
		}
		if got := s.sentCommands(); !slices.Equal(got[:min(len(got), len(test.want))], test.want) || test.is != nil && len(got) > len(test.want) {
			t.Errorf("%s: sends %q, want %q", test.name, got, test.want)
		}
	}
}

// If TLS fails that was not required, the password is not sent, and the error has a remedy.
func TestTLSRemedy(t *testing.T) {
	for security, want := range map[access.Security]access.Remedy{
		access.OpportunisticTLS: access.AllowCleartext{Protocol: "ftp"},
		access.RequireTLS:       nil,
	} {
		s := serve(t)
		c := s.requireTLS(t)
		c.TLS, c.Security = nil, security // it does not trust the server
		_, err := get(t, c, "ftp://me:p@h/f")
		if access.RemedyFor(err) != want || err == nil {
			t.Errorf("%v: %v with the remedy %v, want %v", security, err, access.RemedyFor(err), want)
		}
		if got := s.sentCommands(); !slices.Equal(got, []string{"AUTH TLS"}) {
			t.Errorf("%v: sends %q, want AUTH TLS alone", security, got)
		}
	}
}

// Unencrypted bytes after the reply to AUTH TLS are an attack, so the error has no remedy that
// disables TLS.
func TestTLSInjection(t *testing.T) {
	s := serve(t)
	c := s.requireTLS(t)
	c.Security = access.OpportunisticTLS
	s.script["AUTH"] = say("234 go ahead\r\n331 password?\r\n")
	_, err := get(t, c, "ftp://me:p@h/f")
	if !errors.Is(err, access.ErrProtocol) || access.RemedyFor(err) != nil {
		t.Errorf("%v with the remedy %v, want ErrProtocol and none", err, access.RemedyFor(err))
	}
	if got := s.sentCommands(); !slices.Equal(got, []string{"AUTH TLS"}) {
		t.Errorf("sends %q, want AUTH TLS alone", got)
	}
}

// By default TLS is requested whenever a user name is sent.
func TestTLSOpportunistic(t *testing.T) {
	for u, want := range map[string][]string{
		"ftp://h/f":    {"USER anonymous"},
		"ftp://me@h/f": {"AUTH TLS", "USER me"},
	} {
		s := serve(t)
		s.files["f"] = "content"
		c := s.requireTLS(t)
		c.Security = access.OpportunisticTLS
		_, err := get(t, c, u)
		if got := s.sentCommands(); !slices.Equal(got[:min(len(got), len(want))], want) {
			t.Errorf("get(%q) = %v, sends %q, want %q first", u, err, got, want)
		}
	}
}

// Servers that require TLS say so in many ways. All of them give ErrTLSRequired, which is not
// temporary, and the client does not retry.
func TestTLSDemanded(t *testing.T) {
	for _, test := range []struct {
		verb, reply string // without TLS
		tls         bool   // the reply demands TLS
	}{
		{"greeting", "421-Sorry, cleartext sessions are not accepted on this server.\r\n421 Please reconnect using TLS security mechanisms.\r\n", true}, // pure-ftpd
		{"USER", "421 Sorry, cleartext sessions are not accepted on this server.\r\n", true},
		{"USER", "530 Anonymous sessions must use encryption.\r\n", true},     // vsftpd
		{"USER", "550 SSL/TLS required on the control channel\r\n", true},     // proftpd, pyftpdlib
		{"USER", "503 Use AUTH first.\r\n", true},                             // FileZilla Server
		{"USER", "534 Policy requires SSL.\r\n", true},                        // IIS
		{"PASS", "530 TLS required\r\n", true},                                //
		{"EPSV", "522 SSL/TLS required on the data channel\r\n", true},        // proftpd
		{"RETR", "522 Data connections must be encrypted.\r\n", true},         // vsftpd
		{"EPSV", "534 Protection level not sufficient for policy.\r\n", true}, // RFC 4217 §9
		{"greeting", "421 Too many users.\r\n", false},
		{"USER", "530 No anonymous logins.\r\n", false},
		{"RETR", "550 openssl.cnf: no such file\r\n", false},
	} {
		s := serve(t)
		s.files["f"] = "content"
		s.script[test.verb] = say(test.reply)
		if test.verb == "EPSV" {
			s.script["PASV"] = s.script["EPSV"]
		}
		c, _ := s.pooledClient(t)
		_, err := get(t, c, "ftp://h/f")
		if err == nil || errors.Is(err, ftp.ErrTLSRequired) != test.tls || test.tls && errors.Is(err, access.ErrTemporary) {
			t.Errorf("%s %q: %v, is ErrTLSRequired: want %v", test.verb, test.reply, err, test.tls)
		}
		if s.controlConnections() != 1 {
			t.Errorf("%s %q: %d control connections, want 1", test.verb, test.reply, s.controlConnections())
		}
	}
}

// Data that end without close_notify are complete only if their size proves it.
func TestTLSCut(t *testing.T) {
	for _, test := range []struct {
		name, path, size string
		is               error
	}{
		{"as many as SIZE says", "/f", "213 7", nil},
		{"fewer than SIZE says", "/f", "213 8", io.ErrUnexpectedEOF},
		{"size unknown", "/f", "502 what", io.ErrUnexpectedEOF},
		{"text", "/f;type=a", "213 7", io.ErrUnexpectedEOF},
	} {
		s := serve(t)
		c := s.requireTLS(t)
		s.script["SIZE"] = say(test.size + "\r\n")
		s.script["RETR"] = func(c *control) {
			conn, _ := c.accept()
			c.reply("150 go on\r\n")
			secure := c.secure(conn)
			io.WriteString(secure, "content")
			conn.Close()
			c.reply("226 done\r\n")
		}
		got, err := get(t, c, "ftp://h"+test.path)
		if got != "content" || !errors.Is(err, test.is) || (err == nil) != (test.is == nil) {
			t.Errorf("%s: %q, %v, want %v", test.name, got, err, test.is)
		}
	}
}

// ftps uses TLS from the start, on its own port.
func TestImplicitTLS(t *testing.T) {
	s := serve(t)
	s.files["f"] = "content"
	c := s.requireTLS(t)
	var dialed []string
	c.Dial = func(ctx context.Context, network, address string) (net.Conn, error) {
		dialed = append(dialed, address)
		return nil, errDisk
	}
	if _, err := get(t, c, "ftps://h/f"); !errors.Is(err, errDisk) {
		t.Errorf("get = %v", err)
	}
	get(t, c, "ftps://h:2121/f")
	if want := []string{"h:990", "h:2121"}; !slices.Equal(dialed, want) {
		t.Errorf("dials %q, want %q", dialed, want)
	}
}

// In active mode only the server may connect for data.
func TestActive(t *testing.T) {
	for _, test := range []struct {
		name   string
		script map[string]answer
		want   string // the command sent
		other  bool   // another host connects first
		is     error
	}{
		{name: "EPRT", want: "EPRT |1|127.0.0.1|"},
		{name: "PORT", script: map[string]answer{"EPRT": say("502 what\r\n")}, want: "PORT 127,0,0,1,"},
		{name: "neither", script: map[string]answer{"EPRT": say("502 what\r\n"), "PORT": say("502 what\r\n")}, want: "PORT 127,0,0,1,", is: errors.ErrUnsupported},
		{name: "a stranger first", other: true, want: "EPRT |1|127.0.0.1|"},
	} {
		s := serve(t)
		s.script["EPRT"], s.script["PORT"] = say("200 done\r\n"), say("200 done\r\n")
		for verb, a := range test.script {
			s.script[verb] = a
		}
		s.script["SIZE"] = say("502 what\r\n")
		knock := &testListener{conns: make(chan net.Conn, 2)}
		s.script["RETR"] = func(c *control) {
			c.reply("150 go on\r\n")
			if test.other {
				knock.connect("192.0.2.9:20", "poison")
			}
			knock.connect("192.0.2.7:20", "content")
			c.reply("226 done\r\n")
		}
		c := s.client()
		c.Dial = func(ctx context.Context, network, address string) (net.Conn, error) {
			conn, err := s.Dial(ctx, network, address)
			return addressedConn{remoteConn{conn, "192.0.2.7:21"}, "127.0.0.1:50000"}, err
		}
		c.Listen = func(_ context.Context, _, address string) (net.Listener, error) {
			if address != "127.0.0.1:0" {
				t.Errorf("%s: listens at %q", test.name, address)
			}
			return knock, nil
		}
		got, err := get(t, c, "ftp://h/f")
		if (err == nil) != (test.is == nil) || !errors.Is(err, test.is) || err == nil && got != "content" {
			t.Errorf("%s: %q, %v, want %v", test.name, got, err, test.is)
		}
		if !slices.ContainsFunc(s.sentCommands(), func(c string) bool { return strings.HasPrefix(c, test.want) }) {
			t.Errorf("%s: sends %q, want %q among them", test.name, s.sentCommands(), test.want)
		}
	}
}

// An addressedConn reports these addresses.
type addressedConn struct {
	remoteConn
	local string
}

func (b addressedConn) LocalAddr() net.Addr { return address(b.local) }

// A testListener is a listener whose connections come from the test.
type testListener struct {
	conns chan net.Conn
}

func (k *testListener) connect(address, content string) {
	ours, theirs := net.Pipe()
	k.conns <- remoteConn{ours, address}
	go func() {
		io.WriteString(theirs, content)
		theirs.Close()
	}()
}

func (k *testListener) Accept() (net.Conn, error) { return <-k.conns, nil }
func (k *testListener) Close() error              { return nil }
func (k *testListener) Addr() net.Addr            { return address("127.0.0.1:40000") }

// An ftpes URL requires TLS, whatever the Security of the Client, also for anonymous logins.
func TestFTPES(t *testing.T) {
	s := serve(t)
	s.files["f"] = "content"
	c := s.requireTLS(t)
	c.Security = access.NeverTLS
	if got, err := get(t, c, "ftpes://h/f;type=i"); got != "content" || err != nil {
		t.Errorf("get = %q, %v, want the content", got, err)
	}
	if got := s.allCommands(); len(got) == 0 || got[0] != "AUTH TLS" {
		t.Errorf("the commands are %q, want AUTH TLS first", got)
	}
	plain := serve(t)
	plain.script["AUTH"] = say("502 what\r\n")
	if _, err := get(t, plain.client(), "ftpes://h/f"); err == nil {
		t.Error("a server without TLS is used")
	}
	if got := plain.allCommands(); slices.ContainsFunc(got, func(c string) bool { return strings.HasPrefix(c, "USER") }) {
		t.Errorf("the commands are %q, want no login", got)
	}
}
