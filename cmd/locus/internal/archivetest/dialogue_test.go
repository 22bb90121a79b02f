// Package archivetest has tests of archives that need real servers or a gateway.
package archivetest

import (
	"context"
	"crypto/tls"
	"errors"
	"io"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"locus/access"
	"locus/archive"
	"locus/internal/peers"
	"locus/proto/ftp"
	"locus/proto/nntp"
	"locus/url"
)

const secretWord = "secret" // the password of alice at all servers

// logIn logs in as alice if the server accepts that user.
func logIn(_ context.Context, c access.Challenge) (access.Credentials, error) {
	if c.User != "alice" {
		return access.Credentials{}, nil
	}
	return access.Credentials{Password: secretWord}, nil
}

// recordLive opens URLs while recording them in an archive. It then checks that each resource
// opens from the archive with the same content, and that no record has the password. It returns
// the dialogues, by URL.
func recordLive(t *testing.T, engine access.Engine, urls ...string) map[string]string {
	t.Helper()
	root := folder(t)
	w, err := archive.Create(root, "a.warc.gz", archive.Options{})
	if err != nil {
		t.Fatal(err)
	}
	live := make(map[string]string)
	for _, u := range urls {
		live[u] = content(t, w.Record(engine), u)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	a, err := archive.Open(root, "a.warc.gz")
	if err != nil {
		t.Fatal(err)
	}
	for _, u := range urls {
		if got := content(t, a, u); got != live[u] && !strings.HasPrefix(live[u], "error: ") {
			t.Errorf("%s from the archive:\n%.300s\nwant\n%.300s", u, got, live[u])
		}
	}
	return dialogues(t, root)
}

func folder(t *testing.T) *os.Root {
	t.Helper()
	root, err := os.OpenRoot(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { root.Close() })
	return root
}

// dialogues returns the dialogues in an archive, by URL. It fails the test if a record has the
// password.
func dialogues(t *testing.T, root *os.Root) map[string]string {
	t.Helper()
	f, err := root.Open("a.warc.gz")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	all := make(map[string]string)
	for r := archive.NewReader(f); ; {
		record, err := r.Next()
		if errors.Is(err, io.EOF) {
			return all
		}
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(record.Body)
		if err != nil {
			t.Fatal(err)
		}
		kind, target := record.Fields.Get("WARC-Type"), record.Fields.Get("WARC-Target-URI")
		if kind != "warcinfo" && strings.Contains(string(text), secretWord) {
			t.Errorf("%s %s has the password:\n%s", kind, target, text)
		}
		if kind == "metadata" && strings.HasPrefix(record.Fields.Get("Content-Type"), "text/plain") {
			all[target] += string(text)
		}
	}
}

// content returns a resource, or the names in a listing, as text.
func content(t *testing.T, engine access.Engine, text string) string {
	t.Helper()
	r, err := engine.Do(t.Context(), &access.Request{URL: url.MustParse(text), Login: logIn})
	if err != nil {
		return "error: " + err.Error()
	}
	defer r.Body.Close()
	var all strings.Builder
	if r.List == nil {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		return string(body)
	}
	for {
		e, err := r.List.Next()
		if err != nil {
			break
		}
		all.WriteString(e.Title + "\n")
	}
	return all.String()
}

// inOrder reports whether a dialogue has lines that begin with starts, in that order.
func inOrder(dialogue string, starts ...string) bool {
	for line := range strings.Lines(dialogue) {
		if len(starts) > 0 && strings.HasPrefix(line, starts[0]) {
			starts = starts[1:]
		}
	}
	return len(starts) == 0
}

// The commands and replies of real ftp servers are recorded, also over TLS, but passwords are not.
func TestDialogueFTP(t *testing.T) {
	for _, test := range []struct {
		name  string
		start func(testing.TB, string) *peers.Server
		login string // the login in URLs
		path  string // the path of the folder in URLs
		wants []string
	}{
		{"vsftpd", peers.VSFTPD, "", "", []string{"< 220 ", "> USER anonymous", "< 331 ", "> PASS ***", "< 230 "}},
		{"proftpd", peers.ProFTPD, "alice@", "", []string{"< 220 ", "> USER alice", "< 331 ", "> PASS ***", "< 230 "}},
		{"proftpd over TLS", func(t testing.TB, root string) *peers.Server { return peers.ProFTPDOverTLS(t, root, false) }, "alice@", "", []string{"< 220 ", "> AUTH TLS", "< 234 ", "> USER alice", "> PASS ***", "< 230 "}},
	} {
		t.Run(test.name, func(t *testing.T) {
			dir := t.TempDir()
			for name, text := range map[string]string{"a.txt": "the file a", "b.bin": "\x00\xff\r\n", "sub/c": "below"} {
				name = filepath.Join(dir, name)
				if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			s := test.start(t, dir)
			client := &ftp.Client{Dial: new(net.Dialer).DialContext}
			if s.Roots != nil {
				client.TLS = &tls.Config{RootCAs: s.Roots, MinVersion: tls.VersionTLS12}
			}
			defer client.CloseIdleConnections()
			base := "ftp://" + test.login + s.Addr + "/"
			dialogues := recordLive(t, client, base+"a.txt;type=i", base+"b.bin;type=i", base, base+"sub/c;type=i", base+"none;type=i")
			first := dialogues[base+"a.txt;type=i"]
			if !inOrder(first, append(test.wants, "> RETR a.txt", "< 150 ", "< 226 ")...) {
				t.Errorf("the file was opened by\n%s", first)
			}
			if d := dialogues[base]; !strings.Contains(d, "> MLSD") && !strings.Contains(d, "> LIST") || !inOrder(d, "< 150 ", "< 226 ") {
				t.Errorf("the folder was opened by\n%s", d)
			}
			if d := dialogues[base+"sub/c;type=i"]; !inOrder(d, "> CWD sub", "< 250 ", "> RETR c", "< 226 ") {
				t.Errorf("the file below was opened by\n%s", d)
			}
			if d := dialogues[base+"none;type=i"]; !inOrder(d, "> RETR none", "< 550 ") {
				t.Errorf("the missing file was requested by\n%s", d)
			}
		})
	}
}

// The dialogues of real news servers are recorded in the same way.
func TestDialogueNews(t *testing.T) {
	const article = "From: Tester <tester@example.org>\nNewsgroups: local.test\nSubject: One\nMessage-ID: <a1@example.org>\n\nThe body.\n"
	for _, test := range []struct {
		name  string
		start func(testing.TB, []string, ...string) *peers.Server
		login []string
	}{
		{"sn", peers.SN, nil},
		{"INN", peers.INN, []string{"> AUTHINFO USER alice", "< 381 ", "> AUTHINFO PASS ***", "< 281 "}},
	} {
		t.Run(test.name, func(t *testing.T) {
			s := test.start(t, []string{"local.test", "private.test"}, article)
			client := &nntp.Client{Dial: new(net.Dialer).DialContext, Server: s.Addr}
			if s.Roots != nil {
				client.TLS = &tls.Config{RootCAs: s.Roots, MinVersion: tls.VersionTLS12}
			}
			if test.login != nil {
				client.User = "alice"
			}
			urls := []string{"news:a1@example.org", "news:local.test", "news:none@example.org", "news:private.test"}
			dialogues := recordLive(t, client, urls...)
			if d := dialogues[urls[0]]; !inOrder(d, "< 20", "> ARTICLE <a1@example.org>", "< 220 ") {
				t.Errorf("the article was opened by\n%s", d)
			}
			if d := dialogues[urls[1]]; !inOrder(d, "> GROUP local.test", "< 211 ") {
				t.Errorf("the group was opened by\n%s", d)
			}
			if d := dialogues[urls[2]]; !inOrder(d, "> ARTICLE <none@example.org>", "< 430 ") {
				t.Errorf("the missing article was requested by\n%s", d)
			}
			if all := strings.Join([]string{dialogues[urls[0]], dialogues[urls[1]], dialogues[urls[3]]}, ""); !inOrder(all, test.login...) {
				t.Errorf("the login is not in\n%s", all)
			}
		})
	}
}
