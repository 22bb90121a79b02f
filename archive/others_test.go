package archive_test

import (
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
)

// Records that other programs write in other ways are read as these programs mean them.
func TestRecordsOfOthers(t *testing.T) {
	const (
		page         = "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n\r\nfirst"
		notModified0 = "WARC-Profile: http://netpreserve.org/warc/1.0/revisit/server-not-modified"
		notModified1 = "WARC-Profile: http://netpreserve.org/warc/1.1/revisit/server-not-modified"
		same         = "WARC-Profile: http://netpreserve.org/warc/1.0/revisit/identical-payload-digest"
	)
	first := func(target string) string {
		return record("WARC-Type: response", "WARC-Target-URI: "+target, "WARC-Date: 2025-01-02T03:04:05Z", "WARC-Payload-Digest: sha1:A", "Content-Type: application/http", "", page)
	}
	revisit := func(lines ...string) string {
		return record(append([]string{"WARC-Type: revisit", "WARC-Target-URI: http://h/", "WARC-Date: 2026-01-02T03:04:05Z"}, lines...)...)
	}
	for _, test := range []struct{ name, archive, want string }{
		{"httrack, a page that has not changed", first("http://h/") + revisit(notModified1, "Content-Type: application/http", "", "HTTP/1.1 200 OK\r\n\r\n"), "first"},
		{"WARC/1.0, a page that has not changed", first("http://h/") + revisit(notModified0, "Content-Type: application/http", "", "HTTP/1.1 200 OK\r\n\r\n"), "first"},
		{"a revisit of a lost record", first("http://h/") + revisit(same, "WARC-Payload-Digest: sha1:B", "Content-Type: application/http", "", "HTTP/1.1 200 OK\r\n\r\n"), "first"},
		{"a revisit without a block", first("http://h/other") + revisit(same, "WARC-Payload-Digest: sha1:A", "", ""), "first"},
		{"a revisit with a header, without its type", first("http://h/other") + revisit(same, "WARC-Payload-Digest: sha1:A", "", "HTTP/1.1 200 OK\r\n\r\n"), "first"},
		{"a response without a type", record("WARC-Type: response", "WARC-Target-URI: http://h/", "", page), "first"},
		{"a response with the type of the page", record("WARC-Type: response", "WARC-Target-URI: http://h/", "Content-Type: text/plain", "", page), "first"},
	} {
		a, _ := openText(t, "a.warc", test.archive)
		if body, _, err := get(t, a, "http://h/"); body != test.want || err != nil {
			t.Errorf("%s: %q, %v, want %q", test.name, body, err, test.want)
		}
		r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://h/", http.NoBody)
		if err != nil {
			t.Fatalf("%s: %v", test.name, err)
		}
		resp, err := a.RoundTrip(r)
		if err != nil {
			t.Errorf("%s: RoundTrip: %v", test.name, err)
			continue
		}
		text, err := io.ReadAll(resp.Body)
		resp.Body.Close()
		if body := string(text); body != test.want || err != nil {
			t.Errorf("%s: RoundTrip: %q, %v, want %q", test.name, body, err, test.want)
		}
	}
}

// A revisit without a block has its own type, because files with other types may have equal bytes.
func TestRevisitType(t *testing.T) {
	a, _ := openText(
		t, "a.warc", record("WARC-Type: resource", "WARC-Target-URI: ftp://h/a.txt", "WARC-Payload-Digest: sha1:A", "Content-Type: text/plain", "", "x")+
			record("WARC-Type: revisit", "WARC-Target-URI: ftp://h/b.html", "WARC-Payload-Digest: sha1:A", "Content-Type: text/html", "", "")+
			record("WARC-Type: revisit", "WARC-Target-URI: ftp://h/c", "WARC-Payload-Digest: sha1:A", "", ""),
	)
	for _, test := range []struct{ target, want string }{{"ftp://h/b.html", "text/html"}, {"ftp://h/c", "text/plain"}} {
		if body, r, err := get(t, a, test.target); body != "x" || err != nil || r.Type != test.want {
			t.Errorf("get(%q) = %q of the type %q, %v, want %q of the type %q", test.target, body, r.Type, err, "x", test.want)
		}
	}
}

// ArchiveSpark writes no line ends between records. No record is lost.
func TestNoLineEnds(t *testing.T) {
	var text strings.Builder
	for i := range 3 {
		text.WriteString(strings.TrimSuffix(response(fmt.Sprintf("http://h/%d", i), fmt.Sprintf("HTTP/1.1 200 OK\r\n\r\n%d", i)), "\r\n\r\n"))
	}
	a, _ := openText(t, "a.warc", text.String()+"\r\n\r\n")
	for i := range 3 {
		if body, _, err := get(t, a, fmt.Sprintf("http://h/%d", i)); body != fmt.Sprint(i) || err != nil {
			t.Errorf("record %d: %q, %v", i, body, err)
		}
	}
	if err := a.Damage(); err != nil {
		t.Errorf("damage: %v", err)
	}
}
