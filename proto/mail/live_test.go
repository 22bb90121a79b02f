package mail_test

import (
	"crypto/tls"
	"errors"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"locus/access"
	"locus/internal/peers"
	"locus/proto/mail"
)

// Dovecot returns messages and parts, with STARTTLS and with TLS from the
// start.
//
// req: 1630-mid-1
func TestDovecot(t *testing.T) {
	dir := makeMaildir(t, map[string]string{"cur/1.m1:2,S": related, "new/2.m2": strings.ReplaceAll(simple, "\r\n", "\n")})
	imap, imaps := peers.Dovecot(t, dir)
	for _, implicit := range []bool{false, true} {
		server := imap
		if implicit {
			server = imaps
		}
		s := mail.IMAP{
			Dial: new(net.Dialer).DialContext, Host: server.Host, Port: server.Port, Implicit: implicit,
			TLS: &tls.Config{RootCAs: server.Roots, MinVersion: tls.VersionTLS12}, User: "ada", Password: "secret",
		}
		c := mail.Client{Sources: []mail.Source{s}}
		for _, test := range []struct{ url, want string }{
			{"mid:related@example.org", strings.ReplaceAll(related, "\n", "\r\n")},
			{"mid:simple@example.net", simple},
			{"mid:related@example.org/pic%25ture@example.org", "GIF89a"},
			{"cid:pic%25ture@example.org", "GIF89a"},
		} {
			if _, got, err := read(t.Context(), c, test.url); err != nil || got != test.want {
				t.Errorf("implicit %v: Open(%q) = %q, %v, want %q", implicit, test.url, got, err, test.want)
			}
		}
		for _, u := range []string{"mid:nothing@example.org", "mid:elated@example.org", "cid:nothing"} {
			if _, _, err := read(t.Context(), c, u); !errors.Is(err, fs.ErrNotExist) {
				t.Errorf("implicit %v: Open(%q) = %v, want %v", implicit, u, err, fs.ErrNotExist)
			}
		}
		if implicit {
			continue // the server delays failed logins
		}
		s.Password = "wrong"
		_, _, err := read(t.Context(), mail.Client{Sources: []mail.Source{s}}, "mid:simple@example.net")
		if !errors.Is(err, fs.ErrPermission) || strings.Contains(err.Error(), "wrong") {
			t.Errorf("implicit %v: a wrong password gives %v, want %v", implicit, err, fs.ErrPermission)
		}
		s.TLS, s.Password = nil, "secret"
		if _, _, err = read(t.Context(), mail.Client{Sources: []mail.Source{s}}, "mid:simple@example.net"); err == nil {
			t.Errorf("implicit %v: a server with an untrusted certificate is accepted", implicit)
		}
	}
	if !strings.Contains(readDir(t, dir), "m2") || strings.Contains(readDir(t, dir), "m2:2,S") {
		t.Errorf("reading has changed the flags: %s", readDir(t, dir))
	}
}

func readDir(t *testing.T, dir string) string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "*", "*.m*"))
	if err != nil {
		t.Fatal(err)
	}
	return strings.Join(files, " ")
}

// aiosmtpd accepts a message with dots, for every recipient, without Bcc.
func TestAiosmtpd(t *testing.T) {
	box := filepath.Join(t.TempDir(), "Maildir")
	smtp, smtps := peers.Aiosmtpd(t, box)
	trusted := &tls.Config{RootCAs: smtp.Roots, MinVersion: tls.VersionTLS12}
	const text = "From: ada@example.org\nTo: bob@example.net\nBcc: eve@example.com\nSubject: dots\nMessage-ID: <d@example.org>\nDate: Tue, 20 Dec 1994 09:30:15 +0000\n\n.\n..\n.dot\nend"
	for _, test := range []struct {
		name string
		smtp mail.SMTP
		ok   bool
	}{
		{"STARTTLS", mail.SMTP{Port: smtp.Port, TLS: trusted}, true},
		{"TLS from the start", mail.SMTP{Port: smtps.Port, Implicit: true, TLS: trusted}, true},
		{"in the clear", mail.SMTP{Port: smtp.Port, Security: access.NeverTLS}, true},
		{"a certificate that nobody vouches for", mail.SMTP{Port: smtp.Port}, false},
		{"and TLS from the start", mail.SMTP{Port: smtps.Port, Implicit: true}, false},
		{"TLS from the start where there is none", mail.SMTP{Port: smtp.Port, Implicit: true, TLS: trusted}, false},
	} {
		m, err := mail.ReadOutgoing(strings.NewReader(text), "", time.Now(), "example.org")
		if err != nil {
			t.Fatalf("%q: %v", test.name, err)
		}
		test.smtp.Dial, test.smtp.Host = new(net.Dialer).DialContext, smtp.Host
		if err := test.smtp.Send(t.Context(), m); (err == nil) != test.ok {
			t.Errorf("%s: Send = %v, want success %v", test.name, err, test.ok)
		}
	}
	files, err := filepath.Glob(filepath.Join(box, "new", "*"))
	if err != nil || len(files) != 3 {
		t.Fatalf("%d messages arrived, %v, want 3", len(files), err)
	}
	for _, file := range files {
		got, err := os.ReadFile(file)
		if err != nil {
			t.Fatalf("%q: %v", file, err)
		}
		for _, want := range []string{"\n\n.\n..\n.dot\nend", "X-MailFrom: ada@example.org", "X-RcptTo: bob@example.net, eve@example.com"} {
			if !strings.Contains(strings.ReplaceAll(string(got), "\r", ""), want) {
				t.Errorf("the message that arrived is %q, want %q in it", got, want)
			}
		}
		if strings.Contains(string(got), "Bcc") {
			t.Errorf("the message in %s has Bcc: %q", file, got)
		}
	}
}

// Aiosmtpd accepts the right password over TLS only. No error shows a wrong
// password.
//
// req: 1738-6-3
func TestAiosmtpdLogin(t *testing.T) {
	for _, way := range []string{"PLAIN", "LOGIN"} {
		t.Run(way, func(t *testing.T) {
			box := filepath.Join(t.TempDir(), "Maildir")
			smtp, smtps := peers.Aiosmtpd(t, box, way)
			trusted := &tls.Config{RootCAs: smtp.Roots, MinVersion: tls.VersionTLS12}
			for _, test := range []struct {
				name string
				smtp mail.SMTP
				want error
			}{
				{"STARTTLS", mail.SMTP{Port: smtp.Port, Password: "secret"}, nil},
				{"TLS from the start", mail.SMTP{Port: smtps.Port, Implicit: true, Password: "secret"}, nil},
				{"STARTTLS, wrong", mail.SMTP{Port: smtp.Port, Password: quotable}, fs.ErrPermission},
				{"TLS from the start, wrong", mail.SMTP{Port: smtps.Port, Implicit: true, Password: quotable}, fs.ErrPermission},
				{"in the clear", mail.SMTP{Port: smtp.Port, Security: access.NeverTLS, Password: "secret"}, errors.ErrUnsupported},
			} {
				test.smtp.Dial, test.smtp.Host, test.smtp.TLS, test.smtp.User = new(net.Dialer).DialContext, smtp.Host, trusted, "ada"
				err := test.smtp.Send(t.Context(), outgoing(t, letter))
				if !errors.Is(err, test.want) {
					t.Errorf("%s: Send = %v, want %v", test.name, err, test.want)
				}
				for _, secret := range append(hidden, "secret", "c2VjcmV0", "AGFkYQBzZWNyZXQ") {
					if err != nil && strings.Contains(err.Error(), secret) {
						t.Errorf("%s: the error shows %q: %v", test.name, secret, err)
					}
				}
			}
			files, err := filepath.Glob(filepath.Join(box, "new", "*"))
			if err != nil || len(files) != 2 {
				t.Fatalf("%d messages arrived, %v, want 2", len(files), err)
			}
			for _, file := range files {
				if got, err := os.ReadFile(file); err != nil || !strings.Contains(string(got), "\nX-Login: ada\n") {
					t.Errorf("the message in %s is %q, %v, want one of ada", file, got, err)
				}
			}
		})
	}
}
