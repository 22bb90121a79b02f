package mail_test

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"strings"
	"testing"

	"locus/access"
	"locus/access/accesstest"
	"locus/internal/certtest"
	"locus/proto"
	"locus/proto/mail"
	"locus/url"
)

// An imapServer has responses by command. "%" in a response stands for the tag.
type imapServer map[string]string

// defaultServer is a server whose message 7 is simple.
var defaultServer = imapServer{
	"CAPABILITY":   "* CAPABILITY IMAP4rev1 SASL-IR AUTH=PLAIN\r\n% OK\r\n",
	"AUTHENTICATE": "% OK\r\n",
	"EXAMINE":      "* 7 EXISTS\r\n% OK [READ-ONLY]\r\n",
	"UID SEARCH":   "* SEARCH 3 7\r\n% OK\r\n",
	"UID FETCH 3":  "* 1 FETCH (UID 3 BODY[HEADER.FIELDS (MESSAGE-ID)] " + literal("Message-ID: <other@x>\r\n\r\n") + ")\r\n% OK\r\n",
	"UID FETCH 7":  "* 2 FETCH (UID 7 BODY[HEADER.FIELDS (MESSAGE-ID)] " + literal("Message-Id:\r\n <simple@example.net>\r\n\r\n") + ")\r\n% OK\r\n",
	"BODY.PEEK[])": "* 2 FETCH (UID 7 BODY[] " + literal(simple) + " FLAGS (\\Seen))\r\n% OK\r\n",
}

func literal(text string) string { return fmt.Sprintf("{%d}\r\n%s", len(text), text) }

// with returns the server with other responses.
func (s imapServer) with(pairs ...string) imapServer {
	other := imapServer{}
	for name, answer := range s {
		other[name] = answer
	}
	for i := 0; i < len(pairs); i += 2 {
		other[pairs[i]] = pairs[i+1]
	}
	return other
}

func (s imapServer) answer(line string) (string, bool) {
	tag, _, _ := strings.Cut(line, " ")
	best, reply := "", tag+" BAD unknown\r\n"
	for name, answer := range s {
		if strings.Contains(line, name) && len(name) > len(best) {
			best, reply = name, strings.ReplaceAll(answer, "%", tag)
		}
	}
	return strings.TrimSuffix(reply, "CLOSE"), !strings.HasSuffix(reply, "CLOSE")
}

func (s imapServer) script() accesstest.Script {
	return accesstest.Script{accesstest.Send("* OK ready\r\n"), accesstest.Converse(s.answer)}
}

func imapClient(dial proto.Dial) access.Engine {
	return mail.Client{Sources: []mail.Source{mail.IMAP{Dial: dial, Host: "h.example", User: "ada", Password: "sesame", Security: access.NeverTLS}}}
}

// req: 1630-mid-1, 1738-6-2
func TestIMAPContract(t *testing.T) {
	stalled := defaultServer.with("BODY.PEEK[])", "* 2 FETCH (UID 7 BODY[] {999}\r\nMessage-Id: <simple@example.net>\r\n\r\nab")
	cut := defaultServer.with("BODY.PEEK[])", "* 2 FETCH (UID 7 BODY[] {999}\r\nMessage-Id: <simple@example.net>\r\n\r\nabCLOSE")
	for name, s := range map[string]imapServer{"whole": defaultServer, "stalled": stalled, "cut": cut} {
		t.Run(name, func(t *testing.T) {
			config := accesstest.Config{
				Ops: []access.Op{access.Stat},
				New: imapClient, Dial: accesstest.ServeAll(t, s.script()).Dial, NoOffset: true,
				Hostile: []url.URL{url.MustParse("mid:a%0D%0A@b"), url.MustParse("mid:a@b/%00"), url.MustParse("cid:a%0Ab")},
			}
			u := url.MustParse("mid:simple@example.net")
			switch name {
			case "whole":
				config.Object, config.Content, config.Missing = u, simple, url.MustParse("mid:nothing@x")
				config.Listing, config.Titles = u, []string{"From: bob@example.net", "Subject: simple", "", "Just text."}
			case "stalled":
				config.Stalled = u
			case "cut":
				config.Truncated = u
			}
			accesstest.Test(t, config)
		})
	}
}

// A wrong response of a server gives an error.
func TestIMAPHostile(t *testing.T) {
	const endless = 1 << 21
	for _, test := range []struct {
		name   string
		server imapServer
		want   error
		text   string
	}{
		{"the server says no", defaultServer.with("AUTHENTICATE", "% NO [AUTHENTICATIONFAILED] sesame is wrong\r\n"), fs.ErrPermission, "AUTHENTICATIONFAILED"},
		{"no supported login mechanism", defaultServer.with("CAPABILITY", "* CAPABILITY IMAP4rev1 LOGINDISABLED\r\n% OK\r\n"), errors.ErrUnsupported, "no supported login mechanism"},
		{"no mailbox", defaultServer.with("EXAMINE", "% NO no such mailbox\r\n"), nil, "no such mailbox"},
		{"nothing found", defaultServer.with("UID SEARCH", "* SEARCH\r\n% OK\r\n"), fs.ErrNotExist, ""},
		{"no answer to the search", defaultServer.with("UID SEARCH", "% OK\r\n"), fs.ErrNotExist, ""},
		{"a lie", defaultServer.with("UID SEARCH", "* SEARCH 3\r\n% OK\r\n"), fs.ErrNotExist, ""},
		{"UIDs that are none", defaultServer.with("UID SEARCH", "* SEARCH 1 (evil)\r\n% OK\r\n"), access.ErrProtocol, "is not a UID"},
		{"a UID that is the password", defaultServer.with("UID SEARCH", "* SEARCH sesame\r\n% OK\r\n"), access.ErrProtocol, "is not a UID"},
		{"an endless line", defaultServer.with("UID SEARCH", "* SEARCH "+strings.Repeat("7 ", endless)+"\r\n% OK\r\n"), access.ErrTooLong, ""},
		{"endless lines", defaultServer.with("UID SEARCH", strings.Repeat("* 1 EXISTS and more of it to fill the line\r\n", endless/40)+"% OK\r\n"), access.ErrTooLong, ""},
		{"a large literal", defaultServer.with("UID FETCH 7", "* 2 FETCH (BODY[] {999999999999}\r\n"), access.ErrTooLong, ""},
		{"a literal of no size", defaultServer.with("UID FETCH 7", "* 2 FETCH (BODY[] {-1}\r\n% OK\r\n"), fs.ErrNotExist, ""},
		{"nonsense", defaultServer.with("EXAMINE", "HTTP/1.1 400 Bad Request\r\n"), access.ErrProtocol, ""},
		{"somebody else's tag", defaultServer.with("EXAMINE", "X9 OK\r\n"), access.ErrProtocol, ""},
		{"closes early", defaultServer.with("EXAMINE", "* 1 EXISCLOSE"), io.ErrUnexpectedEOF, ""},
		{"closes in a literal", defaultServer.with("UID FETCH 7", "* 2 FETCH (BODY[HEADER.FIELDS (MESSAGE-ID)] {99}\r\nMessaCLOSE"), io.ErrUnexpectedEOF, ""},
		{"the message is gone", defaultServer.with("BODY.PEEK[])", "% OK\r\n"), fs.ErrNotExist, ""},
		{"the message is not sent", defaultServer.with("BODY.PEEK[])", "* 2 FETCH (BODY[] NIL)\r\n% OK\r\n"), access.ErrProtocol, "not sent"},
		{"the message cannot be had", defaultServer.with("BODY.PEEK[])", "% NO sorry\r\n"), nil, "sorry"},
		{"the message ends in a refusal", defaultServer.with("BODY.PEEK[])", "* 2 FETCH (UID 7 BODY[] {2}\r\nab)\r\n% NO lost\r\n"), nil, "lost"},
		{"the message ends in silence", defaultServer.with("BODY.PEEK[])", "* 2 FETCH (UID 7 BODY[] {2}\r\nab)\r\nCLOSE"), io.ErrUnexpectedEOF, ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			server := accesstest.ServeAll(t, test.server.script())
			_, _, err := read(t.Context(), imapClient(server.Dial), "mid:simple@example.net")
			if err == nil || test.want != nil && !errors.Is(err, test.want) || !strings.Contains(err.Error(), test.text) {
				t.Errorf("Open = %v, want %v with %q", err, test.want, test.text)
			}
			if err != nil && strings.Contains(err.Error(), "sesame") {
				t.Errorf("the error shows the password: %v", err)
			}
		})
	}
}

// A password is not sent unencrypted, unless that is allowed.
func TestIMAPInTheClear(t *testing.T) {
	server := accesstest.ServeAll(t, defaultServer.script())
	s := mail.IMAP{Dial: server.Dial, Host: "h.example", User: "ada", Password: "sesame"}
	_, err := s.Find(t.Context(), mail.Query{MessageID: "a@b"})
	if err == nil || !strings.Contains(access.Hint(err), "imaps://") || strings.Contains(server.Received(0), "AUTH") {
		t.Errorf("Find = %v, hint %q, after %q", err, access.Hint(err), server.Received(0))
	}
	// Text after the response to STARTTLS must not be read as encrypted text.
	inject := accesstest.ServeAll(t, defaultServer.with("CAPABILITY", "* CAPABILITY STARTTLS\r\n% OK\r\n", "STARTTLS", "% OK\r\n* CAPABILITY AUTH=PLAIN\r\n").script())
	s.Dial = inject.Dial
	if _, err := s.Find(t.Context(), mail.Query{MessageID: "a@b"}); !errors.Is(err, access.ErrProtocol) {
		t.Errorf("with more after STARTTLS: %v, want %v", err, access.ErrProtocol)
	}
}

// An error names the server with its port, if the port is not the usual one.
func TestIMAPNamesPort(t *testing.T) {
	refused := func(context.Context, string, string) (net.Conn, error) { return nil, errors.New("refused") }
	for port, want := range map[uint16]string{0: "imap at h.example: refused", 143: "imap at h.example: refused", 1: "imap at h.example:1: refused"} {
		s := mail.IMAP{Dial: refused, Host: "h.example", Port: port, User: "ada"}
		if _, err := s.Find(t.Context(), mail.Query{MessageID: "a@b"}); err == nil || err.Error() != want {
			t.Errorf("Find at port %d = %v, want %s", port, err, want)
		}
	}
}

// After a PREAUTH greeting STARTTLS is not possible, so Find fails.
func TestIMAPPreauth(t *testing.T) {
	server := accesstest.ServeAll(t, accesstest.Script{accesstest.Send("* PREAUTH welcome\r\n"), accesstest.Converse(defaultServer.answer)})
	s := mail.IMAP{Dial: server.Dial, Host: "h.example", User: "ada", Password: "sesame"}
	_, err := s.Find(t.Context(), mail.Query{MessageID: "simple@example.net"})
	if err == nil || !strings.Contains(err.Error(), "PREAUTH") || !strings.Contains(access.Hint(err), "imaps://") || server.Received(0) != "" {
		t.Errorf("Find = %v, hint %q, after %q", err, access.Hint(err), server.Received(0))
	}
	s.Security = access.NeverTLS
	m, err := s.Find(t.Context(), mail.Query{MessageID: "simple@example.net"})
	if err != nil {
		t.Fatalf("with NeverTLS: %v", err)
	}
	m.Body.Close()
}

// PREAUTH is accepted if the connection starts with TLS.
func TestIMAPPreauthOverTLS(t *testing.T) {
	cert, roots := certtest.New(t, "h.example")
	dial := func(context.Context, string, string) (net.Conn, error) {
		client, server := net.Pipe()
		go func() {
			conn := tls.Server(server, &tls.Config{Certificates: []tls.Certificate{cert}, MinVersion: tls.VersionTLS12})
			defer conn.Close()
			_, _ = io.WriteString(conn, "* PREAUTH welcome\r\n")
			_, _ = io.ReadFull(conn, make([]byte, len("L1 EXAMINE")))
		}()
		return client, nil
	}
	s := mail.IMAP{Dial: dial, Host: "h.example", User: "ada", Implicit: true, Security: access.RequireTLS}
	s.TLS = &tls.Config{RootCAs: roots, MinVersion: tls.VersionTLS12}
	if _, err := s.Find(t.Context(), mail.Query{MessageID: "a@b"}); !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("Find = %v, want it to go on after PREAUTH", err)
	}
}

// Find sends these commands.
func TestIMAPCommands(t *testing.T) {
	login := defaultServer.with("CAPABILITY", "* CAPABILITY IMAP4rev1\r\n% OK\r\n", "LOGIN", "+ go on\r\n", "sesame", "% OK\r\n")
	for _, test := range []struct {
		name   string
		server imapServer
		change func(*mail.IMAP)
		want   []string
	}{
		{"by default", defaultServer, func(*mail.IMAP) {}, []string{
			"L1 CAPABILITY", "L2 AUTHENTICATE PLAIN AGFkYQBzZXNhbWU=", `L3 EXAMINE "INBOX"`, `L4 UID SEARCH HEADER Message-ID "simple@example.net"`,
			"L5 UID FETCH 3 (BODY.PEEK[HEADER.FIELDS (MESSAGE-ID)])", "L6 UID FETCH 7 (BODY.PEEK[HEADER.FIELDS (MESSAGE-ID)])", "L7 UID FETCH 7 (BODY.PEEK[])",
		}},
		{"another mailbox", defaultServer, func(s *mail.IMAP) { s.Mailbox = `Entwürfe & "x"` }, []string{"L1 CAPABILITY", "L2 AUTHENTICATE PLAIN AGFkYQBzZXNhbWU=", `L3 EXAMINE "Entw&APw-rfe &- \"x\""`}},
		{"without SASL-IR", defaultServer.with("CAPABILITY", "* CAPABILITY AUTH=PLAIN\r\n% OK\r\n", "AUTHENTICATE", "+ \r\n", "AGFkYQBzZXNhbWU=", "L2 OK\r\n"), func(*mail.IMAP) {}, []string{"L1 CAPABILITY", "L2 AUTHENTICATE PLAIN", "AGFkYQBzZXNhbWU=", `L3 EXAMINE "INBOX"`}},
		{"LOGIN", login.with("LOGIN", "% OK\r\n"), func(*mail.IMAP) {}, []string{"L1 CAPABILITY", `L2 LOGIN "ada" "sesame"`, `L3 EXAMINE "INBOX"`}},
	} {
		server := accesstest.ServeAll(t, test.server.script())
		s := mail.IMAP{Dial: server.Dial, Host: "h.example", User: "ada", Password: "sesame", Security: access.NeverTLS}
		test.change(&s)
		if _, _, err := read(t.Context(), mail.Client{Sources: []mail.Source{s}}, "mid:simple@example.net"); err != nil {
			t.Errorf("%s: %v", test.name, err)
		}
		got := strings.Split(server.Received(0), "\r\n")
		if strings.Join(got[:min(len(got), len(test.want))], "\n") != strings.Join(test.want, "\n") {
			t.Errorf("%s: the server is sent\n%q, want\n%q", test.name, got, test.want)
		}
	}
}

// Find calls Login if there is no password.
func TestIMAPAsks(t *testing.T) {
	server := accesstest.ServeAll(t, defaultServer.script())
	s := mail.IMAP{Dial: server.Dial, Host: "h.example", User: "ada", Security: access.NeverTLS}
	if _, err := s.Find(t.Context(), mail.Query{MessageID: "a@b"}); !errors.Is(err, access.ErrPassword) {
		t.Errorf("without Login: %v, want %v", err, access.ErrPassword)
	}
	var asked string
	m, err := s.Find(t.Context(), mail.Query{MessageID: "simple@example.net", Login: func(_ context.Context, c access.Challenge) (access.Credentials, error) {
		asked = c.Prompt()
		return access.Credentials{Password: "sesame"}, nil
	}})
	if err != nil || asked != `password for "ada" at h.example` {
		t.Fatalf("Find = %v, asked %q", err, asked)
	}
	m.Body.Close()
}

func TestParseIMAP(t *testing.T) {
	for _, test := range []struct {
		url  string
		want mail.IMAP
		ok   bool
	}{
		{"imap://ada@h.example", mail.IMAP{Host: "h.example", User: "ada"}, true},
		{"imaps://ada:p%40w@h.example:999/Sent%20mail", mail.IMAP{Host: "h.example", Port: 999, Implicit: true, User: "ada", Password: "p@w", Mailbox: "Sent mail"}, true},
		{"imap://ada;AUTH=*@h.example/", mail.IMAP{Host: "h.example", User: "ada"}, true},
		{"imap://a%0Ab@h.example/", mail.IMAP{}, false},
		{"imap://a@h.example/x%0D%0Ay", mail.IMAP{}, false},
		{"imap:///x", mail.IMAP{}, false},
		{"http://a@h.example/", mail.IMAP{}, false},
	} {
		got, err := mail.ParseIMAP(url.MustParse(test.url))
		if (err == nil) != test.ok || test.ok && fmt.Sprintf("%+v", got) != fmt.Sprintf("%+v", test.want) {
			t.Errorf("ParseIMAP(%q) = %+v, %v, want %+v", test.url, got, err, test.want)
		}
	}
}

// Find ends whatever the server sends.
func FuzzIMAP(f *testing.F) {
	whole := "* OK\r\n* CAPABILITY AUTH=PLAIN SASL-IR\r\nL1 OK\r\nL2 OK\r\nL3 OK\r\n* SEARCH 7\r\nL4 OK\r\n" +
		strings.ReplaceAll(defaultServer["UID FETCH 7"], "%", "L5") + strings.ReplaceAll(defaultServer["BODY.PEEK[])"], "%", "L6")
	accesstest.Fuzz(f, imapClient, url.MustParse("mid:simple@example.net"), [2]string{whole, ""}, [2]string{"* PREAUTH\r\nL1 OK\r\n* SEARCH 1\r\nL2 OK\r\n", ""}, [2]string{"{9}\r\n", ""})
}
