package mail_test

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"locus/access"
	"locus/proto/mail"
	"locus/url"
)

// A Mailbox is a Maildir or an mbox file. The URL of a server is never used as the name of a file.
func TestMailbox(t *testing.T) {
	const message = "Message-ID: <a@h>\nSubject: s\n\nbody\n"
	dir := t.TempDir()
	if err := os.MkdirAll(filepath.Join(dir, "maildir", "new"), 0o755); err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{"maildir/new/1.h": message, "mbox": "From a\n" + message} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatalf("%q: %v", name, err)
		}
	}
	req := &access.Request{URL: url.MustParse("mid:a@h")}
	for _, name := range []string{"maildir", "mbox"} {
		p := &mail.Mailbox{Name: name, Path: func(name string) string { return filepath.Join(dir, name) }}
		r, err := p.Do(t.Context(), req)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		text, err := io.ReadAll(r.Body)
		r.Body.Close()
		if err != nil || !strings.Contains(string(text), "body") {
			t.Errorf("%s: the message is %q, %v", name, text, err)
		}
	}
	none := &mail.Mailbox{Name: "none", Path: func(name string) string { return filepath.Join(dir, name) }}
	_, err := none.Do(t.Context(), req)
	if path, ok := errors.AsType[*fs.PathError](err); !ok || path.Path != "none" || !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a Mailbox whose file does not exist: %v, want its Name and %v", err, fs.ErrNotExist)
	}
	if _, err := new(mail.Mailbox).Do(t.Context(), req); err == nil {
		t.Error("a message is found without mail")
	}
	asked := ""
	server := &mail.Mailbox{Name: "imap://ada@mail.example/", Login: func(host, user string) (string, string, error) {
		asked = user + " at " + host
		return user, "", errors.New("no password")
	}}
	if _, err := server.Do(t.Context(), req); err == nil || asked != "ada at mail.example" {
		t.Errorf("a server: %v, asked for the login of %q", err, asked)
	}
}
