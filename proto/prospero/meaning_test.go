package prospero

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"maps"
	"net"
	"os"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"locus/access"
	"locus/scheme"
	"locus/url"
)

var update = flag.Bool("update", false, "rewrite testdata/captures.txt")

// testdata/captures.txt has the meaning of every reply in the captures: entries
// with URLs, attributes, warnings and errors. The server is h.example.
func TestCapturesMeaning(t *testing.T) {
	var b strings.Builder
	all := expectations(t)
	for _, name := range slices.Sorted(maps.Keys(all)) {
		for _, want := range all[name] {
			fmt.Fprintf(&b, "== %s %s\n", name, want.ID)
			r, err := parseReply(recorded(t, name, want.ID))
			if err != nil {
				t.Errorf("%s: %v", name, err)
			}
			writeMeaning(&b, r, scheme.Host{Name: "h.example"})
		}
	}
	const golden = "testdata/captures.txt"
	if *update {
		if err := os.WriteFile(golden, []byte(b.String()), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	gotLines, wantLines := strings.Split(b.String(), "\n"), strings.Split(string(want), "\n")
	for i := range min(len(gotLines), len(wantLines)) {
		if gotLines[i] != wantLines[i] {
			t.Fatalf("line %d of %s: %q, want %q", i+1, golden, gotLines[i], wantLines[i])
		}
	}
	if len(gotLines) != len(wantLines) {
		t.Errorf("%s has %d lines, want %d", golden, len(wantLines), len(gotLines))
	}
}

// recorded returns the reply of a capture, or nil if it is incomplete.
func recorded(t *testing.T, name, id string) []byte {
	reply := message{limit: 1 << 20}
	for _, d := range newRecording(t, name, id).datagrams {
		if p, err := parsePacket(d.data); err == nil && d.Dir == "s2c" && !d.Dropped && p.number > 0 {
			if _, err := reply.add(p); err != nil {
				t.Fatalf("%v: %v", d, err)
			}
		}
	}
	if !reply.isComplete() {
		return nil
	}
	return reply.text
}

func writeMeaning(b *strings.Builder, r reply, server scheme.Host) {
	for _, a := range r.Attributes {
		fmt.Fprintf(b, "object %s %s %q\n", a.Name, a.Type, shortened(a.Values))
	}
	for i, l := range r.links {
		if i >= 20 {
			fmt.Fprintf(b, "… %d links\n", len(r.links))
			break
		}
		e := listedLink{l, server}.entry()
		fmt.Fprintf(b, "%s %s %q %s %s\n", l.Type, l.Target, e.Title, e.Kind, e.URL)
		for _, a := range l.Attributes {
			fmt.Fprintf(b, "  %s%s %s %q\n", strings.Repeat("> ", a.Depth), a.Name, a.Type, a.Values)
		}
	}
	if err := r.moved(target{server: server}); err != nil {
		fmt.Fprintf(b, "%v\n", err)
	}
	for _, warning := range r.Warnings {
		fmt.Fprintf(b, "warning %q\n", warning)
	}
	if r.err != nil {
		fmt.Fprintf(b, "error %q\n", fmt.Sprintf("%v: %v", r.err, errors.Unwrap(r.err)))
	}
}

func shortened(values []string) []string {
	var short []string
	for _, v := range values {
		if len(v) > 300 {
			v = fmt.Sprintf("%d bytes", len(v))
		}
		short = append(short, v)
	}
	return short
}

// openRecorded opens a URL with a client whose exchanges replay these captures.
func openRecorded(t *testing.T, url string, captures ...string) (*access.Resource, error) {
	var recordings []*recording
	dial := func(ctx context.Context, network, address string) (net.Conn, error) {
		if len(recordings) == len(captures) {
			return nil, errors.New("there are no more captures")
		}
		name := captures[len(recordings)]
		r := newRecording(t, name, expectations(t)[name][0].ID)
		recordings = append(recordings, r)
		return r.dial(ctx, network, address)
	}
	return Client{Dial: dial}.Do(t.Context(), &access.Request{URL: parseURL(t, url)})
}

// Opening a URL returns the object or listing of the recorded server.
//
// req: 1738-3.11-2
func TestOpenRecorded(t *testing.T) {
	const directory = "application/x-prospero-directory"
	for _, test := range []struct {
		url      string
		captures []string
		want     string // the start of the contents, the titles, the error, or the new URL
	}{
		{"prospero://h:15250//prospero/pub/README", []string{"resolve-file", "contents"}, "This is the README of a small Prospero test server.\n"},
		{"prospero://h:15250//prospero/pub/docs", []string{"resolve-dir"}, "[symlink.txt hello.txt a file's name.txt binary.bin empty]"},
		{"prospero://h:15250//prospero/pub/nosuch", []string{"resolve-missing", "list-missing-directory"}, "FAILURE NOT-FOUND"},
		{"prospero://h//prospero/gone/dir", []string{"resolve-forwarded"}, "moved permanently to prospero://h:15250//prospero/pub/docs"},
		{"prospero://h//prospero/onlyvirtual", []string{"resolve-onlyvirtual"}, "[a]"},
		{"prospero://h/x", []string{"forwarded-list"}, "moved permanently to prospero://h:15250//prospero/pub/docs"},
		{"prospero://h/x", []string{"forwarded-goi-size"}, "moved permanently to prospero://h:15250//prospero/pub/README"},
		{"prospero://h/x", []string{"goi-all", "contents-binary"}, "[]"}, // without a failure it is a directory
		{"prospero://h/x", []string{"fake-refuse"}, "the server refuses the connection"},
		{"prospero://h/x", []string{"fake-v1"}, "the server does not speak ARDP version 0"},
		{"prospero://h/x", []string{"fake-redirect", "fake-redirect-target"}, "redirect refused: to 127.0.0.1:15254"},
		{"prospero://127.0.0.1/x", []string{"fake-redirect", "fake-redirect-target"}, "[README docs big virt]"},
		{"prospero://h/x", []string{"err-version"}, "VERSION-NOT-SUPPORTED TRY 1-5"},
		{"prospero://h/x", []string{"err-relative"}, "FAILURE NOT-AUTHORIZED"},
		{"prospero://h/x", []string{"err-hsotype"}, "ERROR Directory handle type FOO not supported: the server refuses the request"},
		{"prospero://h/x", []string{"list-virt", "list-root"}, "[virt]"},
		{"prospero://h/x", []string{"resolve-virt", "resolve-dir"}, "[aftp-dist aftp-readme ftp-file gopher-menu gopher-text gopher-5tok wais-doc telnet http-page symb remote-dir odd 'name' symlink.txt hello.txt a file's name.txt binary.bin empty]"},
		{"prospero://h/x", []string{"resolve-virt", "err-relative"}, "[aftp-dist aftp-readme ftp-file gopher-menu gopher-text gopher-5tok wais-doc telnet http-page symb remote-dir odd 'name' docs-union]"},
		{"prospero://h/x", []string{"list-special"}, "[with-id both with-linkattr secret just-object multi dup dup]"},
		{"prospero://h/x", []string{"resolve-gateway"}, "[About this server Sub menu A binary Image Search here Telnet login FTP file via gopher FTP dir via gopher Gif BinHex]"},
	} {
		t.Run(strings.Join(test.captures, "+"), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r, err := openRecorded(t, test.url, test.captures...)
				var got string
				if err != nil {
					got = err.Error()
				} else if l := r.List; l != nil && r.Type == directory {
					got = titles(t, l)
				} else {
					data, err := io.ReadAll(r.Body)
					got = fmt.Sprint(string(data), err)
				}
				if !strings.Contains(got, test.want) {
					t.Errorf("Open(%q) = %q, want %q", test.url, got, test.want)
				}
			})
		})
	}
}

func titles(t *testing.T, l access.Lister) string {
	t.Helper()
	var titles []string
	err := access.Entries(l, func(e access.Entry) error {
		titles = append(titles, e.Title)
		return nil
	})
	if err != nil {
		t.Error(err)
	}
	return fmt.Sprint(titles)
}

// The request for a URL is the recorded one, except for the name of the program.
func TestRequests(t *testing.T) {
	for _, test := range []struct{ url, capture string }{
		{"prospero://h//prospero/onlyvirtual", "resolve-onlyvirtual"},
		{"prospero://h//prospero/gone/dir", "resolve-forwarded"},
		{"prospero://h/GOPHER-GW/127.0.0.1(7070)/1/", "resolve-gateway"},
	} {
		target, err := parseTarget(parseURL(t, test.url))
		if err != nil {
			t.Fatalf("%s: %v", test.url, err)
		}
		want := strings.Replace(expectations(t)[test.capture][0].Request, "goclient", "locus", 1)
		if got := target.resolveRequest(); got != want {
			t.Errorf("resolve() = %q, want %q", got, want)
		}
	}
	target, err := parseTarget(parseURL(t, "prospero://h//prospero/pub/docs/binary.bin"))
	want := strings.Replace(expectations(t)["contents-binary"][0].Request, "goclient", "locus", 1)
	if got := target.contentsRequest(); err != nil || got != want {
		t.Errorf("contents() = %q, %v, want %q", got, err, want)
	}
}

// If a server asks for more time again and again, the caller's deadline ends that.
func TestEndlessWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), time.Hour)
		defer cancel()
		requests := 0
		c := answering(func(p packet) []byte {
			requests++
			return []byte{11, byte(p.id >> 8), byte(p.id), 0, 0, 0, 0, 0, 0, 0, 2}
		})
		start := time.Now()
		_, err := c.do(ctx, "h:1525", "x")
		if !errors.Is(err, context.DeadlineExceeded) || time.Since(start) != time.Hour {
			t.Errorf("do() = %v after %v, want the deadline after 1h", err, time.Since(start))
		}
		if requests < 1800-2 || requests > 1800+2 {
			t.Errorf("%d requests, want one every 2 s", requests)
		}
	})
}

// The version that a URL asks for, in one of three ways.
//
// req: 1738-3.11-2, 1630-prospero-1
func TestObjectVersion(t *testing.T) {
	for _, test := range []struct{ text, want string }{
		{"prospero://h/a", ""},
		{"prospero://h/a%003", "3"},
		{"prospero://h/a;object-version=4", "4"},
		{"prospero://h/a;x=y;VERSION=5", "5"},
		{"prospero://h/a%003;OBJECT-VERSION=4", "3"},
	} {
		v, err := scheme.ParseProspero(url.MustParse(test.text))
		if err != nil || objectVersion(v) != test.want {
			t.Errorf("the version in %q is %q, %v; want %q", test.text, objectVersion(v), err, test.want)
		}
	}
}
