package imap_test

import (
	"crypto/tls"
	"errors"
	"io"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"locus/access"
	"locus/internal/peers"
	"locus/proto/imap"
	"locus/url"
)

// related is a message with a picture as its part 2.
const related = "Message-ID: <r@example.org>\nFrom: Ada <ada@example.org>\nSubject: =?utf-8?q?L=C3=B6we?=\nMIME-Version: 1.0\nContent-Type: multipart/related; boundary=x\n\n--x\nContent-Type: text/plain; charset=utf-8\n\nhi\n--x\nContent-Type: image/gif; name=lion.gif\nContent-Transfer-Encoding: base64\n\nR0lGODlh\n--x--\n"

const plainLetter = "Message-ID: <p@example.org>\nSubject: plain\n\nhello\n"

// maildir makes a Maildir with a mailbox "Entwürfe" and returns its name.
func maildir(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	box := filepath.Join(dir, ".Entw&APw-rfe")
	for name, text := range map[string]string{
		dir + "/cur/1.a:2,S": related, dir + "/new/2.b": plainLetter, dir + "/tmp/": "",
		box + "/cur/3.c:2,": plainLetter, box + "/new/": "", box + "/tmp/": "",
	} {
		if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
			t.Fatalf("%q: %v", name, err)
		}
		if text == "" {
			continue
		}
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatalf("%q: %v", name, err)
		}
	}
	return dir
}

// Dovecot lists mailboxes and messages, and returns messages and parts, with STARTTLS and with TLS from the start.
func TestDovecot(t *testing.T) {
	plain, secure := peers.Dovecot(t, maildir(t))
	c := imap.Client{Dial: new(net.Dialer).DialContext, TLS: &tls.Config{RootCAs: plain.Roots, MinVersion: tls.VersionTLS12}, Security: access.RequireTLS}
	crlf := func(text string) string { return strings.ReplaceAll(text, "\n", "\r\n") }
	for _, at := range []string{"imap://ada:secret@" + plain.Addr, "imaps://ada:secret@" + secure.Addr} {
		for _, test := range []struct {
			path, mediaType, want string // want is the content, or the titles of the entries
		}{
			{"/", "text/uri-list", "Entwürfe|INBOX|"},
			{"/Ent*;TYPE=LIST", "text/uri-list", "Entwürfe|"},
			{"/INBOX", "text/uri-list", "Löwe|plain|"},
			{"/Entw%C3%BCrfe", "text/uri-list", "plain|"},
			{"/INBOX?SUBJECT%20%22plain%22", "text/uri-list", "plain|"},
			{"/INBOX?TEXT%20%22L%C3%B6we%22", "text/uri-list", "Löwe|"},
			{"/INBOX?SUBJECT%20%22none%22", "text/uri-list", ""},
			{"/INBOX/;UID=1", "message/rfc822", crlf(related)},
			{"/INBOX/;UID=1/;SECTION=2", "image/gif; name=lion.gif", "GIF89a"},
			{"/INBOX/;UID=1/;SECTION=1", "text/plain; charset=utf-8", "hi"},
			{"/INBOX/;UID=2/;SECTION=1", "text/plain; charset=us-ascii", "hello\r\n"},
			{"/INBOX/;UID=2/;SECTION=TEXT/;PARTIAL=1.3", "application/octet-stream", "ell"},
			{"/INBOX/;UID=2/;SECTION=HEADER.FIELDS%20(SUBJECT)", "text/plain", "Subject: plain\r\n\r\n"},
		} {
			u := url.MustParse(at + test.path)
			r, err := c.Do(t.Context(), &access.Request{URL: u})
			if err != nil {
				t.Errorf("Do(%q): %v", u.Redacted(), err)
				continue
			}
			got, err := content(r)
			if got != test.want || r.Type != test.mediaType || err != nil {
				t.Errorf("Do(%q) = %q, %q, %v, want %q, %q", u.Redacted(), r.Type, got, err, test.mediaType, test.want)
			}
			if stat, err := c.Do(t.Context(), &access.Request{Op: access.Stat, URL: u}); err != nil {
				t.Errorf("Stat(%q) = %v, %v", u.Redacted(), stat, err)
			}
		}
		for _, path := range []string{"/none", "/INBOX/;UID=9", "/INBOX/;UID=1/;SECTION=7", "/INBOX;UIDVALIDITY=1/;UID=1"} {
			u := url.MustParse(at + path)
			if _, err := c.Do(t.Context(), &access.Request{URL: u}); !errors.Is(err, fs.ErrNotExist) {
				t.Errorf("Do(%q) = %v, want %v", u.Redacted(), err, fs.ErrNotExist)
			}
		}
	}
}

// content returns the titles of the entries of a listing, or else the bytes.
func content(r *access.Resource) (string, error) {
	defer r.Body.Close()
	if r.List == nil {
		b, err := io.ReadAll(r.Body)
		return string(b), err
	}
	var b strings.Builder
	for {
		e, err := r.List.Next()
		if access.IsEnd(err) {
			return b.String(), nil
		}
		if err != nil {
			return b.String(), err
		}
		b.WriteString(e.Title + "|")
	}
}
