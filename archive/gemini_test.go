package archive_test

import (
	"bufio"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"maps"
	"net"
	"os"
	"strings"
	"testing"

	"locus"
	"locus/access"
	"locus/archive"
	"locus/internal/certtest"
	"locus/url"
)

// geminiServer returns the Dial of a gemini server.
func geminiServer(t *testing.T, answer func(request string) string) locus.Dial {
	own, _ := certtest.New(t)
	config := &tls.Config{Certificates: []tls.Certificate{own}}
	return func(context.Context, string, string) (net.Conn, error) {
		client, server := net.Pipe()
		go func() {
			defer server.Close()
			conn := tls.Server(server, config)
			request, err := bufio.NewReader(conn).ReadString('\n')
			if err == nil {
				io.WriteString(conn, answer(strings.TrimSpace(request)))
				conn.CloseWrite()
			}
		}()
		return client, nil
	}
}

// An archive has the pages and redirects of gemini, and opens them without the network. It does not have the answers to
// forms, because an answer may be secret.
func TestGeminiArchive(t *testing.T) {
	root, err := os.OpenRoot(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	w, err := archive.Create(root, "a.warc", archive.Options{})
	if err != nil {
		t.Fatal(err)
	}
	dial := geminiServer(t, func(request string) string {
		switch request {
		case "gemini://h/":
			return "20 text/gemini; lang=en\r\n# Tea\r\n=> leaves\r\n"
		case "gemini://h/moved":
			return "30 /\r\n"
		case "gemini://h/login":
			return "11 Password\r\n"
		case "gemini://h/login?sesame":
			return "20 text/plain\r\nwelcome"
		}
		return "51 no page\r\n"
	})
	recording := &locus.Client{Dial: dial, Record: w.Record}
	replaying := &locus.Client{}
	open := func(c *locus.Client, u string, answers []access.Answer) string {
		r, err := c.Do(t.Context(), &access.Request{URL: url.MustParse(u), Answers: answers})
		if err != nil {
			return "an error"
		}
		defer r.Body.Close()
		text, err := io.ReadAll(r.Body)
		return fmt.Sprintf("%s %s %q %v", r.URL, r.Type, text, err)
	}
	const page = `gemini://h/ text/gemini; lang=en "# Tea\r\n=> leaves\r\n" <nil>`
	if got := open(recording, "gemini://h/login", []access.Answer{{Text: "sesame"}}); !strings.Contains(got, "welcome") {
		t.Errorf("the form gives %s", got)
	}
	for _, test := range []struct{ url, want string }{
		{"gemini://h/", page},
		{"gemini://h/moved", page},
		{"gemini://h/gone", "an error"},
	} {
		if got := open(recording, test.url, nil); got != test.want {
			t.Errorf("opening %s gives %s, want %s", test.url, got, test.want)
		}
	}
	if err := errors.Join(recording.Close(), w.Close()); err != nil {
		t.Fatal(err)
	}
	a, err := archive.Open(root, "a.warc")
	if err != nil {
		t.Fatal(err)
	}
	replaying.Archive = a
	defer replaying.Close()
	for _, test := range []struct{ url, want string }{
		{"gemini://h/", page},
		{"gemini://h/moved", page},
		{"gemini://h/gone", "an error"},
		{"gemini://h/never", "an error"},
	} {
		if got := open(replaying, test.url, nil); got != test.want {
			t.Errorf("the archive opens %s as %s, want %s", test.url, got, test.want)
		}
	}
	text, err := root.ReadFile("a.warc")
	if err != nil {
		t.Fatal(err)
	}
	kinds := map[string]string{}
	for record := range strings.SplitSeq(string(text), "WARC/1.1\r\n") {
		header, _, _ := strings.Cut(record, "\r\n\r\n")
		_, rest, _ := strings.Cut(header, "WARC-Target-URI: ")
		target, _, _ := strings.Cut(rest, "\r\n")
		_, rest, _ = strings.Cut(header, "WARC-Type: ")
		kind, _, _ := strings.Cut(rest, "\r\n")
		if kind != "metadata" {
			kinds[target] += kind
		}
	}
	if want := map[string]string{"": "warcinfo", "gemini://h/": "resourcerevisit"}; !maps.Equal(kinds, want) || strings.Contains(string(text), "sesame") {
		t.Errorf("the archive has the records %q, want %q, without the answer to the form", kinds, want)
	}
}

// The dialogue of an upload has the request without its token, also where the server repeats the token.
func TestTitanArchive(t *testing.T) {
	root, err := os.OpenRoot(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	w, err := archive.Create(root, "a.warc", archive.Options{})
	if err != nil {
		t.Fatal(err)
	}
	dial := geminiServer(t, func(string) string { return "59 the token sesame is wrong\r\n" })
	c := &locus.Client{Dial: dial, Record: w.Record, Retries: -1}
	req := &access.Request{Op: access.Delete, URL: url.MustParse("titan://h/a;mime=text/plain;token=sesame")}
	if _, err := c.Do(t.Context(), req); err == nil {
		t.Error("Delete = nil, want the error of the server")
	}
	if err := errors.Join(c.Close(), w.Close()); err != nil {
		t.Fatal(err)
	}
	text, err := root.ReadFile("a.warc")
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(text), "WARC-Target-URI: gemini://h/a\r\n") || !strings.Contains(string(text), "> titan://h/a;size=0;token=***\n") || strings.Contains(string(text), "sesame") {
		t.Errorf("the archive has %s, want the request without its token", text)
	}
}
