package archive_test

import (
	"crypto/md5"
	"crypto/sha1"
	"crypto/sha256"
	"encoding/base32"
	"encoding/hex"
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

// A digest is the same in each notation.
func TestDigestNotations(t *testing.T) {
	const (
		page = "HTTP/1.1 200 OK\r\n\r\nfirst"
		same = "WARC-Profile: http://netpreserve.org/warc/1.0/revisit/identical-payload-digest"
	)
	sha1Sum, md5Sum, sha256Sum := sha1.Sum([]byte("first")), md5.Sum([]byte("first")), sha256.Sum256([]byte("first"))
	inBase16, inBase32 := hex.EncodeToString(sha1Sum[:]), base32.StdEncoding.EncodeToString(sha1Sum[:])
	for _, test := range []struct {
		response, revisit string
		want              bool
	}{
		{"sha1:" + inBase32, "sha1:" + inBase16, true},
		{"sha1:" + inBase16, "sha1:" + inBase16, true},
		{"sha1:" + inBase16, "SHA-1:" + strings.ToUpper(inBase16), true},
		{"sha1:" + inBase16, "sha1:" + strings.ToLower(inBase32), true},
		{"md5:" + hex.EncodeToString(md5Sum[:]), "md5:" + base32.StdEncoding.EncodeToString(md5Sum[:]), true},
		{"sha256:" + hex.EncodeToString(sha256Sum[:]), "sha256:" + strings.TrimRight(base32.StdEncoding.EncodeToString(sha256Sum[:]), "="), true},
		{"sha-256:" + hex.EncodeToString(sha256Sum[:]), "sha256:" + strings.ToUpper(hex.EncodeToString(sha256Sum[:])), true},
		{"other:x", "other:x", true},
		{inBase32, inBase32, true},
		{"sha1:" + inBase16, "sha1:" + inBase16[:38], false},
		{"sha1:" + inBase32, "md5:" + inBase32, false},
		{"sha1:A", "sha1:B", false},
		{"sha1:" + inBase16[:32], "md5:" + inBase16[:32], false},
		{"other:x", "other:X", false},
		{"sha1", "sha1:", false},
	} {
		a, _ := openText(t, "a.warc", record("WARC-Type: response", "WARC-Target-URI: http://h/other", "WARC-Payload-Digest: "+test.response, "Content-Type: application/http", "", page)+
			record("WARC-Type: revisit", "WARC-Target-URI: http://h/", same, "WARC-Payload-Digest: "+test.revisit, "", ""))
		if body, _, err := get(t, a, "http://h/"); (body == "first" && err == nil) != test.want || !test.want && err == nil {
			t.Errorf("a revisit of %q with the digest %q = %q, %v, want it found: %v", test.response, test.revisit, body, err, test.want)
		}
	}
}

// A file may begin with a byte order mark, and have its versions and types in any case of letters.
func TestFilesOfOthers(t *testing.T) {
	zero, one := response("http://h/0", "HTTP/1.1 200 OK\r\n\r\n0"), response("http://h/1", "HTTP/1.1 200 OK\r\n\r\n1")
	const (
		mark = "\ufeff"
		arc  = "filedesc://a.arc 0.0.0.0 20050401000000 text/plain 3\n1 0\n"
		arc0 = "http://h/0 192.0.2.1 20050401000000 text/plain 20\nHTTP/1.1 200 OK\r\n\r\n0\n"
		arc1 = "http://h/1 192.0.2.1 20050401000000 text/plain 20\nHTTP/1.1 200 OK\r\n\r\n1\n"
	)
	lower := func(text string) string { return strings.Replace(text, "WARC/1.1", "warc/1.1", 1) }
	for _, test := range []struct{ name, file, text string }{
		{"a mark", "a.warc", mark + zero + one},
		{"two files with marks", "a.warc", mark + zero + mark + one},
		{"a mark in a member", "a.warc.gz", compressed(mark+zero, one)},
		{"a mark before an ARC file", "a.arc", mark + arc + arc0 + arc1},
		{"lower case", "a.warc", lower(zero) + lower(one)},
		{"lower case in members", "a.warc.gz", compressed(lower(zero), lower(one))},
		{"lower case without line ends", "a.warc", strings.TrimRight(lower(zero), "\r\n") + lower(one)},
		{"types in upper case", "a.warc", strings.ReplaceAll(zero+one, "Type: response", "Type: Response")},
	} {
		a, _ := openText(t, test.file, test.text)
		for _, want := range []string{"0", "1"} {
			if body, _, err := get(t, a, "http://h/"+want); body != want || err != nil {
				t.Errorf("%s: get(%q) = %q, %v, want %q", test.name, "http://h/"+want, body, err, want)
			}
		}
		if err := a.Damage(); err != nil {
			t.Errorf("%s: Damage() = %v", test.name, err)
		}
	}
}

// After a damaged record a record with a version in lower case is found.
func TestDamagedLowerCase(t *testing.T) {
	after := strings.Replace(response("http://h/1", "HTTP/1.1 200 OK\r\n\r\n1"), "WARC/1.1", "warc/1.1", 1)
	for _, test := range []struct{ file, text string }{
		{"a.warc", "WARC/1.1\r\nContent-Length: x\r\n\r\n" + after},
		{"a.warc.gz", compressed("WARC/1.1\r\nContent-Length: x\r\n\r\n", after)},
	} {
		a, _ := openText(t, test.file, test.text)
		if body, _, err := get(t, a, "http://h/1"); body != "1" || err != nil {
			t.Errorf("%s: %q, %v, want %q", test.file, body, err, "1")
		}
	}
}
