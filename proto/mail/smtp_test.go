package mail_test

import (
	"bufio"
	"bytes"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"strings"
	"testing"
	"testing/iotest"

	"locus/access"
	"locus/access/accesstest"
	"locus/internal/certtest"
	"locus/proto/internal/wire/wiretest"
	"locus/proto/mail"
	"locus/url"
)

func outgoing(t testing.TB, text string) *mail.Outgoing {
	t.Helper()
	m, err := mail.ReadOutgoing(strings.NewReader(text), "", now, "h.example")
	if err != nil {
		t.Fatal(err)
	}
	return m
}

const letter = "From: ada@example.org\nTo: bob@example.net\nBcc: eve@example.com\nResent-Bcc: mallory@example.com\nDate: x\nMessage-ID: <i@j>\n\n.\nbye"

// Send sends these commands.
func TestSMTPCommands(t *testing.T) {
	const sent = "From: ada@example.org\r\nTo: bob@example.net\r\nDate: x\r\nMessage-ID: <i@j>\r\n\r\n..\r\nbye\r\n.\r\n"
	envelope := func(parameters string) []accesstest.Step {
		return []accesstest.Step{
			accesstest.Expect("MAIL FROM:<ada@example.org>" + parameters + "\r\n"), accesstest.Send("250 OK\r\n"),
			accesstest.Expect("RCPT TO:<bob@example.net>\r\n"), accesstest.Send("250 OK\r\n"),
			accesstest.Expect("RCPT TO:<eve@example.com>\r\n"), accesstest.Send("251 OK\r\n"),
			accesstest.Expect("DATA\r\n"), accesstest.Send("354 go\r\n"),
			accesstest.Expect(sent), accesstest.Send("250 taken\r\n"),
			accesstest.Expect("QUIT\r\n"), accesstest.Send("221 bye\r\n"),
		}
	}
	for _, test := range []struct {
		name   string
		smtp   mail.SMTP
		dialed string
		begin  []accesstest.Step
		mail   string // parameters of MAIL
	}{
		{"no login", mail.SMTP{Name: "me.example"}, "h.example:587", []accesstest.Step{
			accesstest.Send("220-hello\r\n220 you\r\n"), accesstest.Expect("EHLO me.example\r\n"), accesstest.Send("250-h\r\n250 8BITMIME\r\n"),
		}, " BODY=8BITMIME"},
		{"PLAIN", mail.SMTP{User: "ada", Password: "sesame", Security: access.NeverTLS, Port: 25}, "h.example:25", []accesstest.Step{
			accesstest.Send("220 hello\r\n"), accesstest.Expect("EHLO localhost\r\n"), accesstest.Send("250-h\r\n250-STARTTLS\r\n250 AUTH PLAIN LOGIN\r\n"),
			accesstest.Expect("AUTH PLAIN AGFkYQBzZXNhbWU=\r\n"), accesstest.Send("235 welcome\r\n"),
		}, ""},
		{"LOGIN", mail.SMTP{User: "ada", Password: "sesame", Security: access.NeverTLS}, "h.example:587", []accesstest.Step{
			accesstest.Send("220 hello\r\n"), accesstest.Expect("EHLO localhost\r\n"), accesstest.Send("250-h\r\n250 AUTH CRAM-MD5 LOGIN\r\n"),
			accesstest.Expect("AUTH LOGIN\r\n"), accesstest.Send("334 VXNlcm5hbWU6\r\n"),
			accesstest.Expect("YWRh\r\n"), accesstest.Send("334 UGFzc3dvcmQ6\r\n"),
			accesstest.Expect("c2VzYW1l\r\n"), accesstest.Send("235 welcome\r\n"),
		}, ""},
		{"a server that knows no EHLO", mail.SMTP{}, "h.example:587", []accesstest.Step{
			accesstest.Send("220 hello\r\n"), accesstest.Expect("EHLO localhost\r\n"), accesstest.Send("502 what?\r\n"),
			accesstest.Expect("HELO localhost\r\n"), accesstest.Send("250 h\r\n"),
		}, ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			server := accesstest.Serve(t, append(test.begin, envelope(test.mail)...))
			test.smtp.Dial, test.smtp.Host = server.Dial, "h.example"
			if err := test.smtp.Send(t.Context(), outgoing(t, letter)); err != nil {
				t.Error(err)
			}
			if got := server.Dialed()[0]; got != test.dialed {
				t.Errorf("dialled %s, want %s", got, test.dialed)
			}
		})
	}
}

// smtpServer has replies by the start of a command; "" is the greeting, "." the
// message.
func smtpServer(answers map[string]string) accesstest.Script {
	usual := map[string]string{
		"": "220 hello\r\n", "EHLO": "250-h\r\n250 AUTH PLAIN\r\n", "AUTH": "235 OK\r\n", "MAIL": "250 OK\r\n", "RCPT": "250 OK\r\n",
		"DATA": "354 go\r\n", ".": "250 OK\r\n", "QUIT": "221 bye\r\n",
	}
	for name, answer := range answers {
		usual[name] = answer
	}
	if greeting, ok := strings.CutSuffix(usual[""], "CLOSE"); ok {
		return accesstest.Script{accesstest.Send(greeting)}
	}
	inData := false
	return accesstest.Script{accesstest.Send(usual[""]), accesstest.Converse(func(line string) (string, bool) {
		name := line[:min(4, len(line))]
		if inData && line != "." {
			return "", true
		}
		inData = name == "DATA"
		answer := usual[name]
		return strings.TrimSuffix(answer, "CLOSE"), !strings.HasSuffix(answer, "CLOSE")
	})}
}

// Send returns these errors for the replies of a server.
func TestSMTPHostile(t *testing.T) {
	for _, test := range []struct {
		name    string
		answers map[string]string
		want    error
		text    string
	}{
		{"it is closed", map[string]string{"": "554 no service\r\n"}, nil, "554 no service"},
		{"nonsense", map[string]string{"": "SSH-2.0-x\r\n"}, access.ErrProtocol, ""},
		{"silence", map[string]string{"": "CLOSE"}, io.ErrUnexpectedEOF, ""},
		{"an endless line", map[string]string{"EHLO": "250-" + strings.Repeat("x", 1<<20)}, access.ErrTooLong, ""},
		{"endless lines", map[string]string{"EHLO": strings.Repeat("250-x\r\n", 1<<17)}, access.ErrTooLong, ""},
		{"no supported login mechanism", map[string]string{"EHLO": "250-h\r\n250 AUTH GSSAPI\r\n"}, errors.ErrUnsupported, "GSSAPI"},
		{"a wrong password", map[string]string{"AUTH": "535 sesame is wrong\r\n"}, fs.ErrPermission, "535 xxxxx"},
		{"no such sender", map[string]string{"MAIL": "550 who?\r\n"}, nil, "550 who?"},
		{"no such recipient", map[string]string{"RCPT": "550 who?\r\n"}, nil, `to "bob@example.net": 550 who?`},
		{"no data", map[string]string{"DATA": "452 full\r\n"}, nil, "452 full"},
		{"it is refused", map[string]string{".": "554 spam\r\n"}, nil, "554 spam"},
		{"it may be taken", map[string]string{".": "CLOSE"}, io.ErrUnexpectedEOF, ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			if test.answers["."] == "CLOSE" {
				test.answers["."] = "25CLOSE"
			}
			server := accesstest.Serve(t, smtpServer(test.answers))
			s := mail.SMTP{Dial: server.Dial, Host: "h.example", User: "ada", Password: "sesame", Security: access.NeverTLS}
			err := s.Send(t.Context(), outgoing(t, letter))
			if err == nil || test.want != nil && !errors.Is(err, test.want) || !strings.Contains(err.Error(), test.text) {
				t.Errorf("Send = %v, want %v with %q", err, test.want, test.text)
			}
			if err != nil && strings.Contains(err.Error(), "sesame") {
				t.Errorf("the error shows the password: %v", err)
			}
		})
	}
}

// Send does not dial for a refused message, does not send a password unencrypted, and does not
// complete half of a message.
func TestSMTPRefuses(t *testing.T) {
	nobody := accesstest.Serve(t)
	for _, m := range []*mail.Outgoing{
		{From: "a@b\r\nX", To: []string{"c@d"}}, {From: "a@b", To: []string{"c@d", "e\x00@f"}},
	} {
		if err := (mail.SMTP{Dial: nobody.Dial, Host: "h"}).Send(t.Context(), m); err == nil {
			t.Errorf("%+v is sent", m)
		}
	}
	if err := (mail.SMTP{Host: "h"}).Send(t.Context(), outgoing(t, letter)); !errors.Is(err, access.ErrNoDial) {
		t.Errorf("without a dialler: %v, want %v", err, access.ErrNoDial)
	}
	plain := accesstest.Serve(t, smtpServer(nil))
	err := mail.SMTP{Dial: plain.Dial, Host: "h", User: "ada", Password: "sesame"}.Send(t.Context(), outgoing(t, letter))
	if err == nil || !strings.Contains(access.Hint(err), "smtps://") || strings.Contains(plain.Received(0), "AUTH") {
		t.Errorf("without TLS: %v, hint %q, after %q", err, access.Hint(err), plain.Received(0))
	}
	ask := accesstest.Serve(t, smtpServer(nil))
	if err := (mail.SMTP{Dial: ask.Dial, Host: "h", User: "ada", Security: access.NeverTLS}).Send(t.Context(), outgoing(t, letter)); !errors.Is(err, access.ErrPassword) {
		t.Errorf("without a password: %v, want %v", err, access.ErrPassword)
	}
	inject := accesstest.Serve(t, smtpServer(map[string]string{"EHLO": "250-h\r\n250 STARTTLS\r\n", "STAR": "220 go\r\n250 injected\r\n"}))
	if err := (mail.SMTP{Dial: inject.Dial, Host: "h"}).Send(t.Context(), outgoing(t, letter)); !errors.Is(err, access.ErrProtocol) {
		t.Errorf("with more after STARTTLS: %v, want %v", err, access.ErrProtocol)
	}
	utf8 := accesstest.Serve(t, smtpServer(nil))
	if err := (mail.SMTP{Dial: utf8.Dial, Host: "h"}).Send(t.Context(), outgoing(t, strings.Replace(letter, "bob@", "bøb@", 1))); !errors.Is(err, errors.ErrUnsupported) {
		t.Errorf("an address that is not ASCII: %v, want %v", err, errors.ErrUnsupported)
	}

	half := accesstest.Serve(t, smtpServer(nil))
	broken := errors.New("the disk is broken")
	m, err := mail.ReadOutgoing(io.MultiReader(strings.NewReader("From: a@b\nTo: c@d\n\nhalf\n"), iotest.ErrReader(broken)), "", now, "h")
	if err != nil {
		t.Fatal(err)
	}
	if err := (mail.SMTP{Dial: half.Dial, Host: "h"}).Send(t.Context(), m); !errors.Is(err, broken) {
		t.Errorf("half a message: %v, want %v", err, broken)
	}
	half.Wait()
	if got := half.Received(0); strings.Contains(got, "\r\n.\r\n") {
		t.Errorf("half a message is ended: %q", got)
	}

	stalls := accesstest.Serve(t, accesstest.Script{accesstest.Stall()})
	ctx, cancel := context.WithCancel(t.Context())
	dialed := func(ctx context.Context, network, address string) (net.Conn, error) {
		defer cancel()
		return stalls.Dial(ctx, network, address)
	}
	if err := (mail.SMTP{Dial: dialed, Host: "h"}).Send(ctx, outgoing(t, letter)); !errors.Is(err, context.Canceled) {
		t.Errorf("a server that stalls: %v, want %v", err, context.Canceled)
	}
}

// Implicit starts TLS before the greeting.
func TestSMTPImplicitTLS(t *testing.T) {
	cert, roots := certtest.New(t, "h.example")
	dial := func(context.Context, string, string) (net.Conn, error) {
		client, server, err := connection()
		if err != nil {
			return nil, err
		}
		go func() {
			conn := tls.Server(server, &tls.Config{Certificates: []tls.Certificate{cert}, MinVersion: tls.VersionTLS12})
			defer conn.Close()
			io.WriteString(conn, "220 hello\r\n")
			io.Copy(io.Discard, io.TeeReader(conn, acceptingServer{conn}))
		}()
		return client, nil
	}
	s := mail.SMTP{Dial: dial, Host: "h.example", Implicit: true, TLS: &tls.Config{RootCAs: roots, MinVersion: tls.VersionTLS12}}
	if err := s.Send(t.Context(), outgoing(t, letter)); err != nil {
		t.Error(err)
	}
	s.TLS = nil
	if err := s.Send(t.Context(), outgoing(t, letter)); err == nil {
		t.Errorf("a server with an untrusted certificate is accepted")
	}
}

// A message that exceeds the server's limits is not sent, not even in part.
func TestSMTPLimits(t *testing.T) {
	const size = int64(len("From: a@b\r\nTo: c@d\r\nDate: x\r\nMessage-ID: <i@j>\r\n\r\n.\r\ncaf\xc3\xa9\r\n"))
	for _, test := range []struct{ offers, want string }{
		{"250 8BITMIME\r\n", ""},
		{fmt.Sprintf("250-8BITMIME\r\n250 SIZE %d\r\n", size), ""},
		{"250-8BITMIME\r\n250 SIZE\r\n", ""},
		{"250-8BITMIME\r\n250 SIZE 0\r\n", ""},
		{fmt.Sprintf("250-8BITMIME\r\n250 SIZE %d\r\n", size-1), "larger than the server accepts"},
		{"250 SIZE 1000\r\n", "beyond ASCII"},
	} {
		server := accesstest.Serve(t, smtpServer(map[string]string{"EHLO": "250-h\r\n" + test.offers}))
		err := mail.SMTP{Dial: server.Dial, Host: "h"}.Send(t.Context(), outgoing(t, "From: a@b\nTo: c@d\nDate: x\nMessage-ID: <i@j>\n\n.\ncaf\xc3\xa9\n"))
		if (err == nil) != (test.want == "") || err != nil && !strings.Contains(err.Error(), test.want) {
			t.Errorf("a server that offers %q: %v, want %q", test.offers, err, test.want)
		}
		server.Wait()
		if ended := strings.Contains(server.Received(0), "\r\n.\r\n"); ended != (test.want == "") {
			t.Errorf("a server that offers %q gets %q", test.offers, server.Received(0))
		}
	}
}

// If TLS fails, the error does not suggest to do without TLS, because an attacker may be the
// reason.
func TestSMTPCertificate(t *testing.T) {
	cert, _ := certtest.New(t, "h.example")
	for _, implicit := range []bool{false, true} {
		dial := func(context.Context, string, string) (net.Conn, error) {
			client, server, err := connection()
			if err != nil {
				return nil, err
			}
			go func() {
				defer server.Close()
				if !implicit {
					io.WriteString(server, "220 hello\r\n")
					bufio.NewReader(server).ReadString('\n')
					io.WriteString(server, "250-h\r\n250 STARTTLS\r\n")
					bufio.NewReader(server).ReadString('\n')
					io.WriteString(server, "220 go\r\n")
				}
				tls.Server(server, &tls.Config{Certificates: []tls.Certificate{cert}, MinVersion: tls.VersionTLS12}).Handshake()
			}()
			return client, nil
		}
		err := mail.SMTP{Dial: dial, Host: "h.example", Implicit: implicit}.Send(t.Context(), outgoing(t, letter))
		if unknown := (*tls.CertificateVerificationError)(nil); !errors.As(err, &unknown) || access.Hint(err) != "" {
			t.Errorf("implicit %v: Send to a server with an untrusted certificate = %v, hint %q, want no hint", implicit, err, access.Hint(err))
		}
	}
}

// acceptingServer is a server that accepts everything.
type acceptingServer struct{ w io.Writer }

func (a acceptingServer) Write(b []byte) (int, error) {
	if strings.HasPrefix(string(b), "DATA") {
		fmt.Fprint(a.w, "354 go\r\n")
	} else if text := string(b); !strings.HasPrefix(text, "From:") && !strings.HasSuffix(text, "bye\r\n") {
		fmt.Fprint(a.w, "250 OK\r\n")
	}
	return len(b), nil
}

func TestParseSMTP(t *testing.T) {
	for _, test := range []struct {
		url  string
		want mail.SMTP
		ok   bool
	}{
		{"smtp://h.example", mail.SMTP{Host: "h.example"}, true},
		{"smtps://ada:p%40w@h.example:999/", mail.SMTP{Host: "h.example", Port: 999, Implicit: true, User: "ada", Password: "p@w"}, true},
		{"smtp://a%0Ab@h.example", mail.SMTP{}, false},
		{"smtp:h", mail.SMTP{}, false},
		{"http://h.example", mail.SMTP{}, false},
	} {
		got, err := mail.ParseSMTP(url.MustParse(test.url))
		if (err == nil) != test.ok || test.ok && fmt.Sprintf("%+v", got) != fmt.Sprintf("%+v", test.want) {
			t.Errorf("ParseSMTP(%q) = %+v, %v, want %+v", test.url, got, err, test.want)
		}
	}
}

// A long message is sent in constant memory.
func TestSMTPLongMessage(t *testing.T) {
	taken := make(chan int64, 1)
	dial := func(context.Context, string, string) (net.Conn, error) {
		client, server := net.Pipe()
		go func() {
			defer server.Close()
			io.WriteString(server, "220 hello\r\n")
			n, _ := io.Copy(io.Discard, io.TeeReader(server, acceptingLong{server}))
			taken <- n
		}()
		return client, nil
	}
	const size = 5 << 20 // far more than the memory it may take
	body := io.LimitReader(zeros{}, size)
	used := allocated(func() {
		m, err := mail.ReadOutgoing(io.MultiReader(strings.NewReader("From: a@b\nTo: c@d\n\n"), body), "", now, "h")
		if err != nil {
			t.Fatal(err)
		}
		if err := (mail.SMTP{Dial: dial, Host: "h"}).Send(t.Context(), m); err != nil {
			t.Fatal(err)
		}
	})
	if n := <-taken; n < size || used > 2<<20 {
		t.Errorf("%d bytes are sent with %d of memory, want %d with less than 2 MiB", n, used, size)
	}
}

type zeros struct{}

func (zeros) Read(b []byte) (int, error) {
	for i := range b {
		b[i] = 'a'
		if i%64 == 0 {
			b[i] = '\n'
		}
	}
	return len(b), nil
}

// An acceptingLong is a server that accepts everything, and does not answer pieces of the message.
type acceptingLong struct{ w io.Writer }

func (a acceptingLong) Write(b []byte) (int, error) {
	switch {
	case bytes.HasPrefix(b, []byte("DATA")):
		io.WriteString(a.w, "354 go\r\n")
	case bytes.HasPrefix(b, []byte("From:")), bytes.HasPrefix(b, []byte("Message-ID")): // it starts
	case len(b) < 100 && bytes.HasPrefix(b, []byte(".\r\n")), isCommand(b):
		io.WriteString(a.w, "250 OK\r\n")
	}
	return len(b), nil
}

func isCommand(b []byte) bool {
	for _, name := range []string{"EHLO", "MAIL", "RCPT", "QUIT"} {
		if bytes.HasPrefix(b, []byte(name)) {
			return true
		}
	}
	return false
}

// A server may refuse a message, and close the connection, before it has read the whole message. The error is then the
// refusal. A positive reply does not count.
func TestSMTPAnsweredEarly(t *testing.T) {
	text := letter + strings.Repeat("\na line of the message", 10_000)
	for _, test := range []struct {
		reply string
		want  string // the end of the error
	}{
		{"552 too large\r\n", "552 too large"},
		{"250 taken\r\n", "connection reset by peer"},
		{"", "connection reset by peer"},
	} {
		s := accesstest.ServeAll(t, accesstest.Script{
			accesstest.Send("220 hello\r\n"), accesstest.Expect("EHLO localhost\r\n"), accesstest.Send("250 h\r\n"),
			accesstest.Expect("MAIL FROM:<ada@example.org>\r\n"), accesstest.Send("250 OK\r\n"),
			accesstest.Expect("RCPT TO:<bob@example.net>\r\n"), accesstest.Send("250 OK\r\n"),
			accesstest.Expect("RCPT TO:<eve@example.com>\r\n"), accesstest.Send("250 OK\r\n"),
			accesstest.Expect("DATA\r\n"), accesstest.Send("354 go\r\n" + test.reply),
		})
		smtp := mail.SMTP{Host: "h.example"}
		smtp.Dial, _ = wiretest.FailWrites(s.Dial, 10_000)
		if err := smtp.Send(t.Context(), outgoing(t, text)); err == nil || !strings.HasSuffix(err.Error(), test.want) {
			t.Errorf("Send answered %q before the end of the message = %v, want %q", test.reply, err, test.want)
		}
	}
}
