package locus

import (
	"bufio"
	"context"
	"crypto/ed25519"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"maps"
	"math/big"
	"net"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"locus/access"
	"locus/archive"
	"locus/limit"
	"locus/url"
)

// signedItself returns a certificate that its owner has signed.
func signedItself(t *testing.T) tls.Certificate {
	t.Helper()
	public, key, err := ed25519.GenerateKey(nil)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{SerialNumber: big.NewInt(1), NotAfter: time.Now().AddDate(1, 0, 0)}
	der, err := x509.CreateCertificate(nil, template, template, public, key)
	if err != nil {
		t.Fatal(err)
	}
	return tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key}
}

// geminiServers returns the Dial of gemini servers, each with a certificate. answer gets the request, and whether the
// client has shown a certificate.
func geminiServers(t *testing.T, answer func(request string, hasCertificate bool) string) Dial {
	config := &tls.Config{Certificates: []tls.Certificate{signedItself(t)}, ClientAuth: tls.RequestClientCert}
	return func(context.Context, string, string) (net.Conn, error) {
		client, server := net.Pipe()
		go func() {
			defer server.Close()
			conn := tls.Server(server, config)
			request, err := bufio.NewReader(conn).ReadString('\n')
			if err == nil {
				io.WriteString(conn, answer(strings.TrimSpace(request), len(conn.ConnectionState().PeerCertificates) > 0))
				conn.CloseWrite()
			}
		}()
		return client, nil
	}
}

// A client certificate is shown to its server only, also if that server redirects to another one.
func TestClientCertificate(t *testing.T) {
	var mu sync.Mutex
	var seen []string
	dial := geminiServers(t, func(request string, hasCertificate bool) string {
		mu.Lock()
		defer mu.Unlock()
		seen = append(seen, fmt.Sprint(request, " ", hasCertificate))
		switch request {
		case "gemini://h/":
			return "30 gemini://h/next\r\n"
		case "gemini://h/next":
			return "30 gemini://other/\r\n"
		}
		return "20 text/plain\r\nwords"
	})
	own, certificate := url.MustParse("gemini://h/"), signedItself(t)
	c := &Client{Dial: dial, Certificate: func(u url.URL) *tls.Certificate {
		if limit.Server(u) == limit.Server(own) {
			return &certificate
		}
		return nil
	}}
	defer c.Close()
	r, err := c.Do(t.Context(), &access.Request{URL: own})
	if err != nil {
		t.Fatal(err)
	}
	r.Body.Close()
	want := []string{"gemini://h/ true", "gemini://h/next true", "gemini://other/ false"}
	if !slices.Equal(seen, want) {
		t.Errorf("the servers see the certificate in %q, want %q", seen, want)
	}
}

// A request waits as long as the server asks with status 44.
func TestSlowDown(t *testing.T) {
	var mu sync.Mutex
	asked := 0
	dial := geminiServers(t, func(string, bool) string {
		mu.Lock()
		defer mu.Unlock()
		if asked++; asked == 1 {
			return "44 1\r\n"
		}
		return "20 text/plain\r\nwords"
	})
	c := &Client{Dial: dial}
	defer c.Close()
	r, err := c.Do(t.Context(), &access.Request{URL: url.MustParse("gemini://h/")})
	if err != nil {
		t.Fatalf("after %d requests: %v", asked, err)
	}
	r.Body.Close()
	if asked != 2 {
		t.Errorf("the server gets %d requests, want two", asked)
	}
}

// Redirects that lead in a circle end.
func TestGeminiCircle(t *testing.T) {
	dial := geminiServers(t, func(request string, _ bool) string {
		if strings.HasSuffix(request, "a") {
			return "30 b\r\n"
		}
		return "31 a\r\n"
	})
	c := &Client{Dial: dial}
	defer c.Close()
	if r, err := c.Do(t.Context(), &access.Request{URL: url.MustParse("gemini://h/a")}); err == nil {
		r.Body.Close()
		t.Error("redirects in a circle give a resource")
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
	dial := geminiServers(t, func(request string, _ bool) string {
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
	recording := &Client{Dial: dial, Record: w.Record}
	replaying := &Client{}
	open := func(c *Client, u string, answers []access.Answer) string {
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
