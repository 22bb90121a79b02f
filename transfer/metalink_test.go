package transfer

import (
	"crypto/sha256"
	"crypto/sha512"
	"encoding/base64"
	"errors"
	"fmt"
	"html"
	"net"
	"net/http"
	"net/http/httptest"
	"runtime"
	"runtime/debug"
	"strings"
	"testing"

	"locus"
	"locus/access"
	"locus/internal/weburl/hard"
	"locus/url"
)

func sum256(text string) string {
	sum := sha256.Sum256([]byte(text))
	return base64.StdEncoding.EncodeToString(sum[:])
}

func sum512(text string) string {
	sum := sha512.Sum512([]byte(text))
	return base64.StdEncoding.EncodeToString(sum[:])
}

// The digests that a server sends are verified, and a file that differs never gets its name.
func TestServerDigest(t *testing.T) {
	const text = "hello"
	for _, test := range []struct {
		name, value string
		wrong       bool
	}{
		{"Repr-Digest", "sha-256=:" + sum256(text) + ":", false},
		{"Repr-Digest", "sha-256=:" + sum256("other") + ":", true},
		{"Repr-Digest", "sha-512=:" + sum512(text) + ":, sha-256=:" + sum256("other") + ":", true}, // all count
		{"Repr-Digest", "sha-512=:" + sum512(text) + ":, sha-256=:" + sum256(text) + ":", false},
		{"Repr-Digest", "sha-256=:" + sum256(text) + ":, sha-256=:" + sum256("other") + ":", true},
		{"Repr-Digest", "md5=:AAAA:, sha-256=:" + sum256("other") + ":;x=1", true},
		{"Repr-Digest", "sha-256=" + sum256("other"), false}, // malformed
		{"Repr-Digest", "sha-256=:xxx:", false},
		{"Repr-Digest", "md5=:AAAA:", false},
		{"Digest", "SHA-256=" + sum256(text), false},
		{"Digest", "sha-256=" + sum256("other") + ",unixsum=30637", true},
		{"Digest", "SHA-512=" + sum512("other"), true},
		{"Content-Digest", "sha-256=:" + sum256("other") + ":", false}, // of the message, not of the file
	} {
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set(test.name, test.value)
			fmt.Fprint(w, text)
		}))
		root, _ := folder(t)
		engine := &locus.Client{Retries: -1, Dial: new(net.Dialer).DialContext}
		u, err := url.Parse(server.URL + "/a")
		if err != nil {
			t.Fatalf("Parse(%q): %v", server.URL+"/a", err)
		}
		_, err = Get(t.Context(), engine, &access.Request{URL: u}, root, "a", Options{Retry: hasty, Event: func(Event) {}})
		_, statErr := root.Stat("a")
		if errors.Is(err, ErrDigest) != test.wrong || (statErr != nil) != test.wrong {
			t.Errorf("%s: %s: Get = %v, the file: %v; want an error %v", test.name, test.value, err, statErr, test.wrong)
		}
		if _, err := root.Stat("a.part"); err == nil {
			t.Errorf("%s: %s: a part is left", test.name, test.value)
		}
		if test.wrong && !strings.Contains(err.Error(), "the digest in the server's header") && !strings.Contains(err.Error(), "the server names two of SHA-256") {
			t.Errorf("%s: %s: Get = %q, want the digest as the reason", test.name, test.value, err)
		}
		engine.CloseIdleConnections()
		server.Close()
	}
}

func TestParseMetalink(t *testing.T) {
	const (
		start = `<?xml version="1.0"?><metalink xmlns="urn:ietf:params:xml:ns:metalink">`
		end   = `</metalink>`
		link  = `<url>https://h/f</url>`
	)
	sum := strings.Repeat("ab", 32)
	document := start + `<published>2009-05-15T12:23:23Z</published><file name="f.iso"><size>12</size><hash type="sha-1">x</hash>` +
		`<hash type="sha-256"> ` + sum + "\n" + `</hash><url>ftp://last/f</url><url priority="2">ftp://b/f</url><url priority="1" location="de"> https://a/f
 </url><url>no url</url><metaurl mediatype="torrent">http://h/t</metaurl></file>` + end
	files, err := ParseMetalink(strings.NewReader(document))
	if got, want := fmt.Sprint(files, err), "[{f.iso 12 "+sum+" [https://a/f ftp://b/f ftp://last/f]}] <nil>"; got != want {
		t.Errorf("ParseMetalink = %s, want %s", got, want)
	}
	for _, test := range []struct{ document, want string }{
		{"", "it is not a Metalink"},
		{"hello", "it is not a Metalink"},
		{"<metalink></metalink>", `it begins with "metalink" of ""`},
		{`<html xmlns="urn:ietf:params:xml:ns:metalink"/>`, "it is not a Metalink"},
		{start + end, "it does not describe a file"},
		{start + `<file name="../f">` + link + `</file>` + end, `the file "../f": its name is not`},
		{start + `<file name="a/f">` + link + `</file>` + end, "its name is not"},
		{start + `<file name=".bashrc">` + link + `</file>` + end, "its name is not"},
		{start + `<file name="">` + link + `</file>` + end, "its name is not"},
		{start + `<file name="f"><url>f</url></file>` + end, "it has no URL"},
		{start + `<file name="f"><size>-1</size>` + link + `</file>` + end, "its size is -1"},
		{start + `<file name="f"><hash type="sha-256">12</hash>` + link + `</file>` + end, "neither a SHA-256"},
		{start + strings.Repeat(`<file name="f">`+link+`</file>`, 2) + end, "it is described twice"},
		{start + `<file name="f">` + link, "it is not a Metalink"},
		{start + strings.Repeat(" ", maxMetalink) + end, "a Metalink of more than"},
	} {
		if _, err := ParseMetalink(strings.NewReader(test.document)); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("ParseMetalink(%.80q) = %v, want %s", test.document, err, test.want)
		}
	}
}

// A file of another size never gets its name.
func TestWantedSize(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/chunked" {
			w.(http.Flusher).Flush()
		}
		fmt.Fprint(w, "hello")
	}))
	defer server.Close()
	engine := &locus.Client{Retries: -1, Dial: new(net.Dialer).DialContext}
	defer engine.CloseIdleConnections()
	for _, path := range []string{"/sized", "/chunked"} {
		for _, size := range []int64{0, 5, 4, 6} {
			u, err := url.Parse(server.URL + path)
			if err != nil {
				t.Fatal(err)
			}
			root, _ := folder(t)
			_, err = Get(t.Context(), engine, &access.Request{URL: u}, root, "a", Options{Size: size, Retry: hasty, Event: func(Event) {}})
			_, statErr := root.Stat("a")
			if wrong := size == 4 || size == 6; errors.Is(err, ErrDigest) != wrong || (statErr != nil) != wrong {
				t.Errorf("%s wanted with %d bytes: %v, %v", path, size, err, statErr)
			}
		}
	}
}

// A Metalink cannot name a file of this machine or a terminal session, because strangers write it.
func TestMetalinkSchemes(t *testing.T) {
	for _, test := range []struct {
		urls string
		want int
	}{
		{"<url>file:///etc/passwd</url><url>https://h/f</url>", 1},
		{"<url>FILE:/etc/passwd</url><url>ftp://h/f</url><url>ftps://h/f</url><url>http://h/f</url>", 3},
		{"<url>telnet://h/</url><url>mid:x@y</url><url>gopher://h:25/0HELO</url><url>mailto:a@b</url><url>https://h/f</url>", 1},
		{"<url>file:///etc/passwd</url>", 0},
	} {
		files, err := ParseMetalink(strings.NewReader(`<metalink xmlns="urn:ietf:params:xml:ns:metalink"><file name="f">` + test.urls + `</file></metalink>`))
		if (err == nil) != (test.want > 0) || test.want > 0 && len(files[0].URLs) != test.want {
			t.Errorf("ParseMetalink(%s) = %v, %v; want %d URLs", test.urls, files, err, test.want)
		}
	}
}

// A URL of a Metalink leads where it leads a browser.
func TestMetalinkHardURLs(t *testing.T) {
	for _, test := range hard.References() {
		text := `<metalink xmlns="urn:ietf:params:xml:ns:metalink"><file name="f"><url>http://h.example/` + html.EscapeString(test.Text) + `</url></file></metalink>`
		files, err := ParseMetalink(strings.NewReader(text))
		if err != nil || files[0].URLs[0].PathAndQuery() != test.Target {
			t.Errorf("ParseMetalink(%s) = %v, %v, want a URL with the target %q", text, files, err, test.Target)
		}
	}
}

// Digests that contradict each other, or their type, are an error. Digests of other types are
// ignored.
func TestMetalinkDigests(t *testing.T) {
	one, other, long := strings.Repeat("1", 64), strings.Repeat("2", 64), strings.Repeat("3", 128)
	for _, test := range []struct {
		hashes string
		want   string // of the digest; "error"
	}{
		{`<hash type="sha-256">` + one + `</hash><hash type="sha-256">` + one + `</hash>`, one},
		{`<hash type="sha-256">` + one + `</hash><hash type="sha-256">` + other + `</hash>`, "error"},
		{`<hash type="sha-256">` + one + `</hash><hash type="sha-512">` + long + `</hash>`, long},
		{`<hash type="sha-256">` + long + `</hash>`, "error"},
		{`<hash type="sha-512">` + one + `</hash>`, "error"},
		{`<hash type="sha-1">` + one[:40] + `</hash><hash type="sha-256">` + one + `</hash>`, one},
		{`<hash type="x-new">abc</hash>`, ""},
		{``, ""},
	} {
		files, err := ParseMetalink(strings.NewReader(`<metalink xmlns="urn:ietf:params:xml:ns:metalink"><file name="f">` + test.hashes + `<url>https://h/f</url></file></metalink>`))
		got := "error"
		if err == nil {
			got = files[0].Digest.String()
		}
		if got != test.want {
			t.Errorf("ParseMetalink(%s) has %q, %v; want %q", test.hashes, got, err, test.want)
		}
	}
}

// A document that was made to need memory is read in a bounded amount of it: 25 bytes for each of
// its own. So a document of the largest size needs at most 100 MiB.
func TestMetalinkMemory(t *testing.T) {
	const size, most = maxMetalink / 8, 12           // MiB
	defer debug.SetGCPercent(debug.SetGCPercent(50)) // so that little is in use beside what is needed
	const start = `<metalink xmlns="urn:ietf:params:xml:ns:metalink">`
	for what, unit := range map[string]string{
		"files": `<file/>`, "URLs": `<url/>`, "hashes": `<hash/>`, "depth": `<a>`,
	} {
		text := start
		if what == "URLs" || what == "hashes" {
			text += `<file name="f">`
		}
		text += strings.Repeat(unit, (size-len(text))/len(unit))
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		if _, err := ParseMetalink(strings.NewReader(text)); err == nil {
			t.Errorf("%s: no error", what)
		}
		runtime.ReadMemStats(&after)
		if peak := (after.HeapSys - before.HeapSys) >> 20; after.HeapSys > before.HeapSys && peak > most {
			t.Errorf("%s: it needs %d MiB", what, peak)
		}
	}
}
