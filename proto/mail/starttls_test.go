package mail_test

import (
	"bufio"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"slices"
	"strings"
	"testing"

	"locus/access"
	"locus/access/accesstest"
	"locus/internal/certtest"
	"locus/proto"
	"locus/proto/mail"
)

// starttls returns a Dial to a server, and a channel of the lines that the server gets over TLS.
// The server answers with plain before TLS and with secret over it. An empty answer ends the
// connection.
func starttls(cert tls.Certificate, greeting string, plain, secret func(line string) string) (dial proto.Dial, told <-chan []string) {
	lines := make(chan []string, 1)
	return func(context.Context, string, string) (net.Conn, error) {
		client, server, err := connection()
		if err != nil {
			return nil, err
		}
		go func() {
			var got []string
			defer func() { lines <- got }()
			defer server.Close()
			_, _ = io.WriteString(server, greeting)
			for r := bufio.NewReader(server); ; {
				line, err := r.ReadString('\n')
				if err != nil {
					return
				}
				_, _ = io.WriteString(server, plain(line))
				if strings.Contains(line, "STARTTLS") {
					break
				}
			}
			conn := tls.Server(server, &tls.Config{Certificates: []tls.Certificate{cert}, MinVersion: tls.VersionTLS12})
			for r := bufio.NewReader(conn); ; {
				line, err := r.ReadString('\n')
				if err != nil {
					return
				}
				got = append(got, strings.TrimSpace(line))
				if _, err := io.WriteString(conn, secret(line)); err != nil {
					return
				}
			}
		}()
		return client, nil
	}, lines
}

// connection returns both ends of a connection over loopback. net.Pipe would not do, because it keeps no bytes: a client
// that refuses a certificate writes an alert while the server still writes the rest of its handshake.
func connection() (client, server net.Conn, err error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, nil, err
	}
	defer l.Close()
	if client, err = net.Dial("tcp", l.Addr().String()); err != nil {
		return nil, nil, err
	}
	server, err = l.Accept()
	return client, server, err
}

// After STARTTLS the client asks for the extensions again, because an attacker could have sent the
// first ones (RFC 3207 §4.2).
func TestSMTPStartTLS(t *testing.T) {
	cert, roots := certtest.New(t, "h.example")
	inData := false
	dial, told := starttls(cert, "220 hello\r\n", func(line string) string {
		if strings.HasPrefix(line, "EHLO") {
			return "250-h\r\n250-STARTTLS\r\n250-SIZE 1\r\n250 AUTH LOGIN\r\n"
		}
		return "220 go\r\n"
	}, func(line string) string {
		switch {
		case inData && line != ".\r\n":
			return ""
		case strings.HasPrefix(line, "EHLO"):
			return "250-h\r\n250-8bitmime\r\n250 auth plain\r\n"
		case strings.HasPrefix(line, "AUTH"):
			return "235 welcome\r\n"
		case strings.HasPrefix(line, "DATA"):
			inData = true
			return "354 go\r\n"
		}
		inData = false
		return "250 OK\r\n"
	})
	s := mail.SMTP{Dial: dial, Host: "h.example", User: "ada", Password: "sesame", TLS: &tls.Config{RootCAs: roots, MinVersion: tls.VersionTLS12}}
	if err := s.Send(t.Context(), outgoing(t, "From: a@b\nTo: c@d\nDate: x\nMessage-ID: <i@j>\n\nbye\n")); err != nil {
		t.Fatal(err)
	}
	want := []string{
		"EHLO localhost", "AUTH PLAIN AGFkYQBzZXNhbWU=", "MAIL FROM:<a@b> BODY=8BITMIME", "RCPT TO:<c@d>", "DATA",
		"From: a@b", "To: c@d", "Date: x", "Message-ID: <i@j>", "", "bye", ".", "QUIT",
	}
	if got := <-told; !slices.Equal(got, want) {
		t.Errorf("over TLS the server gets %q, want %q", got, want)
	}
}

// After STARTTLS the client asks for the capabilities again (RFC 3501 §6.2.1).
func TestIMAPStartTLS(t *testing.T) {
	cert, roots := certtest.New(t, "h.example")
	login := defaultServer.with("CAPABILITY", "* CAPABILITY IMAP4rev1\r\n% OK\r\n", "LOGIN", "% OK\r\n")
	answer := func(s imapServer) func(string) string {
		return func(line string) string {
			text, _ := s.answer(strings.TrimSpace(line))
			return text
		}
	}
	plain := imapServer{"CAPABILITY": "* CAPABILITY STARTTLS AUTH=PLAIN LOGINDISABLED\r\n% OK\r\n", "STARTTLS": "% OK begin\r\n"}
	dial, told := starttls(cert, "* OK\r\n", answer(plain), answer(login))
	s := mail.IMAP{Dial: dial, Host: "h.example", User: "ada", Password: "sesame", TLS: &tls.Config{RootCAs: roots, MinVersion: tls.VersionTLS12}}
	_, got, err := read(t.Context(), mail.Client{Sources: []mail.Source{s}}, "mid:simple@example.net")
	if err != nil || got != simple {
		t.Fatalf("Open = %q, %v", got, err)
	}
	want := []string{"L3 CAPABILITY", `L4 LOGIN "ada" "sesame"`, `L5 EXAMINE "INBOX"`}
	if got := <-told; !slices.Equal(got[:min(len(got), len(want))], want) {
		t.Errorf("over TLS the server gets %q, want %q first", got, want)
	}

	refuses, _ := starttls(cert, "* OK\r\n", answer(plain.with("STARTTLS", "% NO not now\r\n")), nil)
	s.Dial = refuses
	if _, err := s.Find(t.Context(), mail.Query{MessageID: "a@b"}); err == nil || !strings.Contains(err.Error(), "imap at h.example: NO not now") {
		t.Errorf("STARTTLS that is refused: %v", err)
	}
	unknown, _ := starttls(cert, "* OK\r\n", answer(plain), answer(login))
	s.Dial, s.TLS = unknown, nil
	if _, err := s.Find(t.Context(), mail.Query{MessageID: "a@b"}); err == nil || access.Hint(err) != "" {
		t.Errorf("a server with an untrusted certificate: %v, hint %q", err, access.Hint(err))
	}
}

// Send calls Ask for a password. It sends a non-ASCII address to a server with SMTPUTF8 (RFC 6531).
// It ignores errors after the message was accepted.
func TestSMTPAsksAndUTF8(t *testing.T) {
	const text = "From: a@b\nTo: b\u00f8b@d\nDate: x\nMessage-ID: <i@j>\n\nbye\n"
	for _, test := range []struct {
		name, text, offers, want string
		err                      string
	}{
		{"ASCII", strings.Replace(text, "\u00f8", "o", 1), "250-8BITMIME\r\n250-SMTPUTF8", "MAIL FROM:<a@b> BODY=8BITMIME\r\nRCPT TO:<bob@d>\r\n", ""},
		{"a recipient", text, "250-8BITMIME\r\n250-SMTPUTF8", "MAIL FROM:<a@b> BODY=8BITMIME SMTPUTF8\r\nRCPT TO:<b\u00f8b@d>\r\n", ""},
		{"a sender", "Sender: \u00e4@b\n" + strings.Replace(text, "\u00f8", "o", 1), "250-8BITMIME\r\n250-SMTPUTF8", "MAIL FROM:<\u00e4@b> BODY=8BITMIME SMTPUTF8\r\nRCPT TO:<bob@d>\r\n", ""},
		{"a recipient that is not taken", text, "250-8BITMIME", "", "an address is not ASCII"},
	} {
		server := accesstest.Serve(t, smtpServer(map[string]string{"EHLO": "250-h\r\n" + test.offers + "\r\n250 AUTH PLAIN\r\n", "QUIT": "421 CLOSE"}))
		asked := ""
		s := mail.SMTP{Dial: server.Dial, Host: "h", User: "ada", Security: access.NeverTLS, Ask: func(_ context.Context, prompt string) (string, error) {
			asked = prompt
			return "sesame", nil
		}}
		err := s.Send(t.Context(), outgoing(t, test.text))
		if (err == nil) != (test.err == "") || err != nil && !strings.Contains(err.Error(), "send by h:587: "+test.err) {
			t.Errorf("%s: Send = %v, want %q", test.name, err, test.err)
		}
		server.Wait()
		if got := server.Received(0); asked != `password for "ada" at h` || !strings.Contains(got, "AUTH PLAIN AGFkYQBzZXNhbWU=\r\n"+test.want) || test.err != "" && strings.Contains(got, "MAIL") {
			t.Errorf("%s: after %q the server gets %q, want %q", test.name, asked, got, test.want)
		}
	}
	refused := errors.New("nobody is there")
	server := accesstest.Serve(t, smtpServer(nil))
	s := mail.SMTP{Dial: server.Dial, Host: "h", User: "ada", Security: access.NeverTLS, Ask: func(context.Context, string) (string, error) { return "", refused }}
	if err := s.Send(t.Context(), outgoing(t, letter)); !errors.Is(err, refused) {
		t.Errorf("Send = %v, want %v", err, refused)
	}
}

// Send returns nil for an accepted message, whatever happens after it.
func TestSMTPCanceledAfter(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	server := accesstest.Serve(t, accesstest.Script{
		accesstest.Send("220 hello\r\n"), accesstest.Expect("EHLO localhost\r\n"), accesstest.Send("250 h\r\n"),
		accesstest.Expect("MAIL FROM:<a@b>\r\n"), accesstest.Send("250 OK\r\n"), accesstest.Expect("RCPT TO:<c@d>\r\n"), accesstest.Send("250 OK\r\n"),
		accesstest.Expect("DATA\r\n"), accesstest.Send("354 go\r\n"), accesstest.Expect("From: a@b\r\nTo: c@d\r\nDate: x\r\nMessage-ID: <i@j>\r\n\r\nbye\r\n.\r\n"), accesstest.Send("250 taken\r\n"),
		accesstest.Converse(func(string) (string, bool) { // QUIT
			cancel()
			return "", false
		}),
	})
	if err := (mail.SMTP{Dial: server.Dial, Host: "h"}).Send(ctx, outgoing(t, "From: a@b\nTo: c@d\nDate: x\nMessage-ID: <i@j>\n\nbye\n")); err != nil {
		t.Errorf("Send = %v", err)
	}
}

// Find checks the search results of IMAP servers, up to a limit.
func TestIMAPFound(t *testing.T) {
	const part = "Message-ID: <m@x>\r\nContent-ID: <c\"\\@x>\r\nContent-Type: text/plain\r\n\r\nhi"
	structure := func(id string) string {
		return "* 1 FETCH (UID 3 BODYSTRUCTURE (\"TEXT\" \"PLAIN\" NIL " + id + " NIL \"7BIT\" 2 1))\r\n% OK\r\n"
	}
	byPart := defaultServer.with("UID SEARCH", "* SEARCH 3 7\r\n% OK\r\n", "BODY.PEEK[])", "* 2 FETCH (BODY[] "+literal(part)+")\r\n% OK\r\n")
	for _, test := range []struct {
		name, url string
		server    imapServer
		found     bool
	}{
		{"a part", "cid:c%22%5C@x", byPart.with("UID FETCH 3", structure(`"<d@x>"`), "UID FETCH 7", structure(`"<c\"\\@x>"`)), true},
		{"a part, in a literal", "cid:c%22%5C@x", byPart.with("UID FETCH 3", structure("NIL"), "UID FETCH 7", structure(literal(`<c"\@x>`))), true},
		{"no such part", "cid:c%22%5C@x", byPart.with("UID FETCH 3", structure(literal("X: y\r\n\r\n")), "UID FETCH 7", structure(`"c\"\\@x"`)), false},
		{"no such message", "mid:m@x", defaultServer.with("UID FETCH 3", "* 1 FETCH (BODY[HEADER.FIELDS (MESSAGE-ID)] NIL)\r\n% OK\r\n", "UID FETCH 7", "* 2 FETCH (BODY[HEADER.FIELDS (MESSAGE-ID)] {2}\r\n\r\n)\r\n% OK\r\n"), false},
		{"nothing", "mid:m@x", defaultServer.with("UID SEARCH", "* SEARCH\r\n% OK\r\n"), false},
		{"too many", "mid:m@x", defaultServer.with("UID SEARCH", "* SEARCH"+strings.Repeat(" 5", 1001)+"\r\n% OK\r\n", "UID FETCH 5", "% OK\r\n"), false},
	} {
		server := accesstest.ServeAll(t, test.server.script())
		_, got, err := read(t.Context(), imapClient(server.Dial), test.url)
		if (err == nil) != test.found || test.found && got != "hi" || err != nil && (!errors.Is(err, fs.ErrNotExist) || strings.Contains(err.Error(), "imap at")) {
			t.Errorf("%s: Open = %q, %v, want it found: %v", test.name, got, err, test.found)
		}
		sent := server.Received(0)
		switch {
		case strings.HasPrefix(test.url, "cid:") && (!strings.Contains(sent, `UID SEARCH TEXT "c\"\\@x"`) || !strings.Contains(sent, "UID FETCH 3 (BODYSTRUCTURE)")):
			t.Errorf("%s: the server is sent %q", test.name, sent)
		case test.name == "too many" && strings.Count(sent, "UID FETCH 5 (") != 1000:
			t.Errorf("%s: the server is asked for %d of them, want 1000", test.name, strings.Count(sent, "UID FETCH 5 ("))
		}
	}
	_, err := mail.IMAP{Host: "h.example"}.Find(t.Context(), mail.Query{MessageID: "a@b"})
	if err == nil || !strings.Contains(err.Error(), "no user is given") || !strings.Contains(access.Hint(err), "imaps://user@host/") {
		t.Errorf("without a user: %v, hint %q", err, access.Hint(err))
	}
	ctx, cancel := context.WithCancel(t.Context())
	s := mail.IMAP{Host: "h.example", User: "ada", Dial: func(context.Context, string, string) (net.Conn, error) {
		cancel()
		return nil, fmt.Errorf("dialling: %w", io.ErrClosedPipe)
	}}
	if _, err := s.Find(ctx, mail.Query{MessageID: "a@b"}); !errors.Is(err, context.Canceled) {
		t.Errorf("Find = %v, want %v", err, context.Canceled)
	}
}
