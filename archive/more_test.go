package archive_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"sync"
	"testing"

	"locus/access"
	"locus/access/engine"
	"locus/archive"
	"locus/proto/web"
)

// pages answers each path with a page of its own; /same/… all have the same.
func pages(w http.ResponseWriter, r *http.Request) {
	if strings.HasPrefix(r.URL.Path, "/same/") {
		fmt.Fprint(w, strings.Repeat("the same page\n", 1000))
		return
	}
	fmt.Fprintf(w, "page %s\n", strings.Repeat(r.URL.Path, 1000))
}

// A payload that the archive already has is not written again, not even by a process that
// continues the archive.
func TestRevisit(t *testing.T) { inBothFormats(t, testRevisit) }

func testRevisit(t *testing.T, name string) {
	s := newSite(t, pages)
	for run := range 2 {
		w := create(t, s.root, name, archive.Options{})
		recorder := archive.Recorder{Engine: s.engine, Writer: w}
		for i := range 2 {
			if _, _, err := get(t, recorder, fmt.Sprintf("%s/same/%d-%d", s.URL, run, i)); err != nil {
				t.Fatalf("Get of /same/%d-%d: %v", run, i, err)
			}
		}
		if err := w.Close(); err != nil {
			t.Fatalf("Close of writer %d: %v", run, err)
		}
	}
	all := records(t, s.root, name)
	if got, want := kinds(all), "warcinfo response request revisit request revisit request revisit request"; got != want {
		t.Errorf("records %s, want %s", got, want)
	}
	revisit, first := all[3], all[1]
	for name, want := range map[string]string{
		"WARC-Refers-To": first.Get("WARC-Record-ID"), "WARC-Refers-To-Target-URI": s.URL + "/same/0-0",
		"WARC-Refers-To-Date": first.Get("WARC-Date"), "WARC-Payload-Digest": first.Get("WARC-Payload-Digest"),
		"WARC-Profile": "http://netpreserve.org/warc/1.1/revisit/identical-payload-digest",
	} {
		if got := revisit.Get(name); got != want {
			t.Errorf("%s is %q, want %q", name, got, want)
		}
	}
	if !strings.HasPrefix(revisit.block, "HTTP/1.1 200 OK\r\n") || !strings.HasSuffix(revisit.block, "\r\n\r\n") {
		t.Errorf("the block of the revisit is %q, want the header", revisit.block)
	}
	a := open(t, s.root, name)
	for _, path := range []string{"/same/0-0", "/same/0-1", "/same/1-1"} {
		if body, _, err := get(t, a, s.URL+path); err != nil || body != strings.Repeat("the same page\n", 1000) {
			t.Errorf("%s: %.40q, %v", path, body, err)
		}
	}
}

// An archive continues in another file when one is large enough, and Open reads all files.
func TestRotate(t *testing.T) { inBothFormats(t, testRotate) }

func testRotate(t *testing.T, name string) {
	s := newSite(t, pages)
	w := create(t, s.root, name, archive.Options{MaxSize: 2000})
	recorder := archive.Recorder{Engine: s.engine, Writer: w}
	for i := range 10 {
		if _, _, err := get(t, recorder, fmt.Sprintf("%s/%d", s.URL, i)); err != nil {
			t.Fatalf("Get of /%d: %v", i, err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{name, "a-00001" + name[1:], "a-00002" + name[1:]} {
		all := records(t, s.root, name)
		if got := kinds(all); !strings.HasPrefix(got, "warcinfo response request") {
			t.Errorf("%s: records %s", name, got)
		}
		if got := all[0].Get("WARC-Filename"); got != name {
			t.Errorf("WARC-Filename is %q, want %q", got, name)
		}
	}
	a := open(t, s.root, name)
	for i := range 10 {
		if body, _, err := get(t, a, fmt.Sprintf("%s/%d", s.URL, i)); err != nil || len(body) < 1000 {
			t.Errorf("page %d: %.40q, %v", i, body, err)
		}
	}
	var made bytes.Buffer
	if err := archive.WriteCDXJ(&made, s.root, name); err != nil {
		t.Fatal(err)
	}
	written, err := s.root.ReadFile("a.cdxj")
	if err != nil || made.String() != string(written) {
		t.Errorf("the index beside the archive is\n%s\nmade anew it is\n%s%v", written, made.String(), err)
	}
}

// Wherever a process is killed, all records before are read, and a later process goes on.
func TestKilled(t *testing.T) { inBothFormats(t, testKilled) }

func testKilled(t *testing.T, name string) {
	s := newSite(t, pages)
	w := create(t, s.root, name, archive.Options{})
	recorder := archive.Recorder{Engine: s.engine, Writer: w}
	for i := range 3 {
		if _, _, err := get(t, recorder, fmt.Sprintf("%s/%d", s.URL, i)); err != nil {
			t.Fatalf("Get of /%d: %v", i, err)
		}
	}
	w.Close()
	whole, err := s.root.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	count := 0
	for cut := len(whole) - 1; cut > 0; cut = max(cut-1-rand.IntN(len(whole)/25), min(cut-1, 1)) { // the last one leaves one byte
		count++
		name := fmt.Sprintf("cut%d%s", cut, name[1:])
		if err := s.root.WriteFile(name, whole[:cut], 0o666); err != nil {
			t.Fatal(err)
		}
		a := open(t, s.root, name)
		before := a.URLs()
		if a.Damage() != nil && !errors.Is(a.Damage(), io.ErrUnexpectedEOF) {
			t.Errorf("cut at %d: %v", cut, a.Damage())
		}
		again := create(t, s.root, name, archive.Options{})
		if _, _, err := get(t, archive.Recorder{Engine: s.engine, Writer: again}, s.URL+"/again"); err != nil {
			t.Fatalf("Get after a cut at %d: %v", cut, err)
		}
		if err := again.Close(); err != nil {
			t.Fatalf("Close after a cut at %d: %v", cut, err)
		}
		a = open(t, s.root, name)
		if a.Damage() != nil || a.URLs() != before+1 {
			t.Errorf("cut at %d: then %d URLs and %v, want %d", cut, a.URLs(), a.Damage(), before+1)
		}
		records(t, s.root, name)
	}
	if count < 20 {
		t.Errorf("%d cuts, want more", count)
	}
}

// Several goroutines record at once.
func TestTogether(t *testing.T) { inBothFormats(t, testTogether) }

func testTogether(t *testing.T, name string) {
	s := newSite(t, pages)
	w := create(t, s.root, name, archive.Options{MaxSize: 5000})
	recorder := archive.Recorder{Engine: s.engine, Writer: w}
	var all sync.WaitGroup
	for i := range 8 {
		all.Go(func() {
			for j := range 10 {
				if _, _, err := get(t, recorder, fmt.Sprintf("%s/%d/%d", s.URL, i, j)); err != nil {
					t.Errorf("Get of /%d/%d: %v", i, j, err)
				}
			}
		})
	}
	all.Wait()
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if a := open(t, s.root, name); a.URLs() != 80 {
		t.Errorf("%d URLs, want 80", a.URLs())
	}
}

// Over https, HTTP/1.1 is recorded although the server has HTTP/2.
func TestHTTPS(t *testing.T) {
	server := httptest.NewUnstartedServer(http.HandlerFunc(pages))
	server.EnableHTTP2 = true
	server.StartTLS()
	defer server.Close()
	s := newSite(t, pages)
	engine := &web.Client{Dial: s.engine.Dial, TLS: server.Client().Transport.(*http.Transport).TLSClientConfig}
	defer engine.CloseIdleConnections()
	w := create(t, s.root, "a.warc.gz", archive.Options{})
	for range 2 {
		if _, r, err := get(t, archive.Recorder{Engine: engine, Writer: w}, server.URL+"/a"); err != nil || r.Sys.(*web.Reply).Proto != "HTTP/1.1" {
			t.Fatalf("Get of %s/a by a Recorder = %v, %v, want HTTP/1.1", server.URL, r, err)
		}
	}
	w.Close()
	if _, r, err := get(t, engine, server.URL+"/a"); err != nil || r.Sys.(*web.Reply).Proto != "HTTP/2.0" {
		t.Errorf("not recorded: %v, %v", r, err)
	}
	server.Close()
	if body, _, err := get(t, open(t, s.root, "a.warc.gz"), server.URL+"/a"); err != nil || !strings.HasPrefix(body, "page /a") {
		t.Errorf("%.40q, %v", body, err)
	}
}

// A response that broke off is recorded as truncated, and its replay ends early. The
// response to a HEAD and a part do not count as the page.
func TestPartOnly(t *testing.T) {
	s := newSite(t, func(w http.ResponseWriter, r *http.Request) {
		switch {
		case r.URL.Path == "/broken":
			w.Header().Set("Content-Length", "100000")
			fmt.Fprint(w, strings.Repeat("x", 5000))
			panic(http.ErrAbortHandler)
		case r.Header.Get("If-None-Match") != "":
			w.WriteHeader(http.StatusNotModified)
		default:
			fmt.Fprint(w, strings.Repeat("y", 1<<20))
		}
	})
	w := create(t, s.root, "a.warc.gz", archive.Options{})
	recorder := archive.Recorder{Engine: s.engine, Writer: w}
	do := func(req *access.Request) (*access.Resource, error) { return recorder.Do(t.Context(), req) }
	if _, _, err := get(t, recorder, s.URL+"/broken"); !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("broken: %v", err)
	}
	r, err := do(&access.Request{URL: parse(t, s.URL+"/closed")})
	if err != nil {
		t.Fatal(err)
	}
	r.Body.Close()
	if _, err := do(&access.Request{Op: access.Stat, URL: parse(t, s.URL+"/head")}); err != nil {
		t.Fatal(err)
	}
	if _, err := do(&access.Request{URL: parse(t, s.URL+"/same"), IfChanged: access.Validator{ETag: `"1"`}}); !errors.Is(err, access.ErrNotModified) {
		t.Errorf("not modified: %v", err)
	}
	if _, err := do(&access.Request{URL: parse(t, s.URL+"/x"), Offset: 5}); !errors.Is(err, errors.ErrUnsupported) {
		t.Errorf("with an offset: %v", err)
	}
	w.Close()
	all := records(t, s.root, "a.warc.gz")
	if got, want := kinds(all), "warcinfo response request response request metadata request revisit request"; got != want {
		t.Errorf("records %s, want %s", got, want)
	}
	if got := all[1].Get("WARC-Truncated") + " " + all[3].Get("WARC-Truncated"); got != "disconnect unspecified" {
		t.Errorf("WARC-Truncated is %q", got)
	}
	a := open(t, s.root, "a.warc.gz")
	for _, path := range []string{"/broken", "/closed"} {
		body, _, err := get(t, a, s.URL+path)
		if !errors.Is(err, io.ErrUnexpectedEOF) || !errors.Is(err, access.ErrProtocol) || body == "" && path == "/broken" {
			t.Errorf("%s: %d bytes, %v", path, len(body), err)
		}
	}
	for _, path := range []string{"/head", "/same"} {
		if _, _, err := get(t, a, s.URL+path); err == nil || !strings.Contains(err.Error(), "only a part") {
			t.Errorf("%s: %v", path, err)
		}
	}
	if r, err := a.Do(t.Context(), &access.Request{Op: access.Stat, URL: parse(t, s.URL+"/head")}); err != nil || r.Type == "" {
		t.Errorf("stat: %v, %v", r, err)
	}
	if _, err := a.Do(t.Context(), &access.Request{Op: access.Delete, URL: parse(t, s.URL+"/head")}); !errors.Is(err, errors.ErrUnsupported) {
		t.Errorf("delete: %v", err)
	}
}

// The response to a POST is not the resource of the URL, whether its request is before or
// after it in the file.
func TestPostOnly(t *testing.T) {
	root := folder(t)
	response := func(id, concurrent string) string {
		return record("WARC-Type: response", "WARC-Record-ID: <urn:r"+id+">", "WARC-Target-URI: http://h/"+id, concurrent,
			"Content-Type: application/http", "", "HTTP/1.1 200 OK\r\n\r\nanswer")
	}
	request := func(id, method, concurrent string) string {
		return record("WARC-Type: request", "WARC-Record-ID: <urn:q"+id+">", "WARC-Target-URI: http://h/"+id, concurrent,
			"Content-Type: application/http;msgtype=request", "", method+" / HTTP/1.1\r\n\r\n")
	}
	text := response("1", "X: y") + request("1", "POST", "WARC-Concurrent-To: <urn:r1>") +
		request("2", "POST", "X: y") + response("2", "WARC-Concurrent-To: <urn:q2>") +
		response("3", "X: y") + request("3", "GET", "WARC-Concurrent-To: <urn:r3>") +
		request("4", "POST", "X: y") + response("5", "X: y")
	if err := root.WriteFile("a.warc", []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	a := open(t, root, "a.warc")
	for id, want := range map[string]bool{"1": false, "2": false, "3": true, "5": true} {
		body, _, err := get(t, a, "http://h/"+id)
		if (err == nil) != want || want && body != "answer" {
			t.Errorf("%s: %q, %v, want it %v", id, body, err, want)
		}
	}
}

// record returns a record of a WARC file that is not compressed: its fields, "" and its block.
func record(lines ...string) string {
	block := lines[len(lines)-1]
	fields := strings.Join(lines[:len(lines)-2], "\r\n")
	return fmt.Sprintf("WARC/1.1\r\n%s\r\nContent-Length: %d\r\n\r\n%s\r\n\r\n", fields, len(block), block)
}

// If the archive cannot be written, the access fails, and the archive stays whole.
func TestWriteFails(t *testing.T) {
	s := newSite(t, pages)
	w := create(t, s.root, "a.warc.gz", archive.Options{})
	recorder := archive.Recorder{Engine: s.engine, Writer: w}
	if _, _, err := get(t, recorder, s.URL+"/a"); err != nil {
		t.Fatal(err)
	}
	w.Close()
	if _, _, err := get(t, recorder, s.URL+"/b"); err == nil || !strings.Contains(err.Error(), `write the archive "a.warc.gz"`) {
		t.Errorf("after the archive was closed: %v", err)
	}
	if a := open(t, s.root, "a.warc.gz"); a.URLs() != 1 {
		t.Errorf("%d URLs, want 1", a.URLs())
	}
}

// One process at a time writes an archive.
func TestInUse(t *testing.T) {
	root := folder(t)
	create(t, root, "a.warc.gz", archive.Options{})
	if _, err := archive.Create(root, "a.warc.gz", archive.Options{}); !errors.Is(err, archive.ErrInUse) {
		t.Errorf("a second writer: %v", err)
	}
	for _, name := range []string{".warc", ".warc.gz", "a"} {
		if _, err := archive.Create(root, name, archive.Options{}); err == nil || !strings.Contains(err.Error(), ".warc.gz") {
			t.Errorf("Create(%q): %v", name, err)
		}
	}
}

// A line is a command and its reply.
type line struct{ sent, received string }

// tapped is an engine for one resource, which shows its lines to the Tap.
func tapped(lines []line, r access.Resource, err error) access.GetFunc {
	return func(ctx context.Context, req *access.Request) (*access.Resource, error) {
		tap := engine.TapOf(ctx)
		for _, l := range lines {
			if l.sent != "" {
				tap.Sent([]byte(l.sent + "\r\n"))
			}
			if l.received != "" {
				tap.Received([]byte(l.received + "\r\n"))
			}
		}
		if err != nil {
			return nil, engine.Fail("open", req.URL, err)
		}
		found := r
		found.URL = req.URL
		return &found, nil
	}
}

// For ftp and similar protocols, the resource is recorded, and the dialogue without
// passwords.
func TestResource(t *testing.T) {
	lines := []line{
		{"", "220 hello"},
		{"USER ada", "331 password?"},
		{"PASS sesame1", "530 sesame1 is wrong"},
		{"pass sesame2", "230 in"},
		{"ACCT sesame3", "230 ok"},
		{"AUTH TLS", "234 go"},
		{"AUTHINFO PASS sesame4", "281 ok"},
		{"AUTHINFO SASL PLAIN sesame5", "383 more"},
		{"sesame6", "281 ok"},
		{"RETR a\x01b", "150 " + strings.Repeat("long ", 1000)},
	}
	root := folder(t)
	w := create(t, root, "a.warc.gz", archive.Options{})
	resource := access.Resource{Entry: access.Entry{Type: "text/plain", Size: 5}, Body: io.NopCloser(strings.NewReader("hello"))}
	recorder := archive.Recorder{Engine: tapped(lines, resource, nil), Writer: w}
	if body, _, err := get(t, recorder, "ftp://ada:sesame7@h/a%01b#part"); body != "hello" || err != nil {
		t.Fatalf("%q, %v", body, err)
	}
	recorder.Engine = tapped(lines[:2], resource, errors.New("550 no such file"))
	if _, _, err := get(t, recorder, "ftp://h/none"); err == nil || !strings.Contains(err.Error(), "550") {
		t.Fatal(err)
	}
	w.Close()
	all := records(t, root, "a.warc.gz")
	if got, want := kinds(all), "warcinfo resource metadata metadata metadata"; got != want {
		t.Fatalf("records %s, want %s", got, want)
	}
	if got, want := all[1].Get("WARC-Target-URI")+" "+all[1].Get("Content-Type"), "ftp://ada@h/a%01b text/plain"; got != want {
		t.Errorf("the resource is %q, want %q", got, want)
	}
	want := "< 220 hello\n> USER ada\n< 331 password?\n> PASS ***\n< 530 *** is wrong\n> pass ***\n< 230 in\n> ACCT ***\n< 230 ok\n" +
		"> AUTH TLS\n< 234 go\n> AUTHINFO PASS ***\n< 281 ok\n> AUTHINFO SASL ***\n< 383 more\n> ***\n< 281 ok\n> RETR a\\x01b\n< 150 long"
	if got := all[3].block; !strings.HasPrefix(got, want) || len(got) > 4000 || !strings.Contains(got, "bytes more") {
		t.Errorf("the dialogue is\n%s\nwant it to begin with\n%s", got, want)
	}
	for _, r := range all {
		if text := fmt.Sprint(r.Fields) + r.block; strings.Contains(text, "sesame") {
			t.Errorf("%s has a password: %s", r, text)
		}
	}
	a := open(t, root, "a.warc.gz")
	if body, r, err := get(t, a, "ftp://ada:other@h/a%01b"); body != "hello" || err != nil || r.Type != "text/plain" || r.Size != 5 {
		t.Errorf("%q, %v, %v", body, r, err)
	}
}

// The dialogue lacks the texts that an engine asks the Tap to hide, wherever they are in the bytes of a protocol.
func TestHide(t *testing.T) {
	root := folder(t)
	w := create(t, root, "a.warc", archive.Options{})
	recorder := archive.Recorder{Writer: w, Engine: access.GetFunc(func(ctx context.Context, req *access.Request) (*access.Resource, error) {
		tap := engine.TapOf(ctx)
		tap.Sent([]byte("L1 CAPABILITY\r\n"))
		tap.Hide("c2VzYW1l", "sesame\n1", "", "pw")
		for i := range 20 { // logins with other passwords
			tap.Hide(fmt.Sprintf("other%d", i), fmt.Sprintf("other%d more", i))
		}
		tap.Sent([]byte("L0 LOGIN ada other19 more\r\n"))
		tap.Sent([]byte("L2 AUTHENTICATE PLAIN c2VzYW1lMQ==\r\n"))
		tap.Received([]byte("L2 NO c2VzYW1lMQ== is wrong\r\n"))
		tap.Sent([]byte("\xb4\x81\x03ada\x82\x08sesame\n1\x9f"))
		tap.Sent([]byte("L3 LOGIN ada pw\r\n"))
		return nil, engine.Fail("open", req.URL, errors.New("refused"))
	})}
	if _, _, err := get(t, recorder, "imap://ada@h/"); err == nil {
		t.Fatal("get reports no error")
	}
	w.Close()
	all := records(t, root, "a.warc")
	want := "> L1 CAPABILITY\n> L0 LOGIN ada ***\n> L2 AUTHENTICATE PLAIN ***MQ==\n< L2 NO ***MQ== is wrong\n> \\xb4\\x81\\x03ada\\x82\\b***\\x9f\n> L3 LOGIN ada ***\n"
	if got := all[len(all)-1].block; got != want {
		t.Errorf("the dialogue is\n%s\nwant\n%s", got, want)
	}
}

// A file of FTP is found with and without its type code, but a listing only as itself.
func TestTypeCode(t *testing.T) {
	root := folder(t)
	w := create(t, root, "a.warc.gz", archive.Options{})
	for _, u := range []string{"ftp://h/image;type=i", "ftp://h/plain", "ftp://h/both;type=a", "ftp://h/both", "ftps://h/s;type=I", "ftp://h/names;type=d", "gopher://h/0x;type=i"} {
		resource := access.Resource{Entry: access.Entry{Kind: access.Object, Size: -1}, Body: io.NopCloser(strings.NewReader(u))}
		if _, _, err := get(t, archive.Recorder{Engine: tapped(nil, resource, nil), Writer: w}, u); err != nil {
			t.Fatalf("%q: %v", u, err)
		}
	}
	w.Close()
	a := open(t, root, "a.warc.gz")
	for _, test := range []struct{ request, want string }{ // want is "" if it is not found
		{"ftp://h/image;type=i", "ftp://h/image;type=i"},
		{"ftp://h/image", "ftp://h/image;type=i"},
		{"ftp://h/image;type=A", "ftp://h/image;type=i"},
		{"ftp://h/image;type=d", ""},
		{"ftp://h/plain;type=a", "ftp://h/plain"},
		{"ftp://h/both", "ftp://h/both"},
		{"ftp://h/both;type=a", "ftp://h/both;type=a"},
		{"ftp://h/both;type=i", "ftp://h/both"},
		{"ftps://h/s", "ftps://h/s;type=I"},
		{"ftp://h/names", ""},
		{"gopher://h/0x", ""},
	} {
		body, r, err := get(t, a, test.request)
		switch {
		case test.want == "" && !errors.Is(err, archive.ErrNotArchived):
			t.Errorf("get(%s) = %q, %v, want ErrNotArchived", test.request, body, err)
		case test.want != "" && (err != nil || body != test.want):
			t.Errorf("get(%s) = %q, %v, want %q", test.request, body, err, test.want)
		case test.want != "" && r.URL != parse(t, test.request):
			t.Errorf("get(%s): its URL is %s", test.request, r.URL)
		}
	}
}

// compressed returns texts, each as a member of gzip.
func compressed(texts ...string) string {
	var b bytes.Buffer
	for _, text := range texts {
		z := gzip.NewWriter(&b)
		io.WriteString(z, text)
		z.Close()
	}
	return b.String()
}

// A damaged or hostile file gets a clear error, and takes no memory.
func TestDamaged(t *testing.T) {
	const good = "WARC/1.0\r\nWARC-Type: resource\r\nContent-Length: 2\r\n\r\nhi\r\n\r\n"
	member := compressed(good)
	for _, test := range []struct{ file, want string }{
		{good + good, ""},
		{"", ""},
		{member + member, ""},
		{compressed(good + good), ""},
		{strings.ReplaceAll(good, "\r", ""), ""},
		{compressed(strings.TrimRight(good, "\r\n")), ""},
		{good[:len(good)-8], "the file ends in the middle of the record at byte 0"},
		{good + good[:20], "the file ends in the middle of the record at byte 58"},
		{member + member[:len(member)-3], fmt.Sprintf("the file ends in the middle of the record at byte %d", len(member))},
		{member[:len(member)-6] + "\x00\x00\x00\x00\x00\x00", "the record at byte 0 is damaged: gzip: invalid checksum"},
		{"<html>", "the record at byte 0 is damaged: it begins with \"<html>\", not with WARC/1.0 or WARC/1.1"},
		{"PK\x03\x04data", "it is a zip archive, such as a WACZ file: unpack it, and open the WARC files in it"},
		{"PK\x03\x04da\nta", "it is a zip archive"},
		{"\x28\xb5\x2f\xfd\x04\n", "it is compressed with zstd: decompress it first"},
		{"BZh91AY&SY\n", "it is compressed with bzip2: decompress it first"},
		{"\xfd7zXZ\x00\n", "it is compressed with xz: decompress it first"},
		{"<html>\n", `it begins with "<html>", not with WARC/1.0 or WARC/1.1`},
		{strings.Replace(good, "2\r", "-2\r", 1), `its Content-Length is "-2"`},
		{strings.Replace(good, "Content-Length", "X", 1), `its Content-Length is ""`},
		{strings.Replace(good, "2\r", "1\r", 1), "its block is longer than its Content-Length"},
		{strings.Replace(good, "WARC-Type: ", "WARC-Type ", 1), ""},
		{strings.Replace(good, "resource", strings.Repeat("x", 1<<17), 1), "a line has more than"},
		{strings.Replace(good, "resource\r\n", "resource\r\n"+strings.Repeat("a: b\r\n", 1<<16), 1), "its fields have more than"},
		{compressed(strings.Repeat("\n", 1<<20)), `it begins with "", not with WARC/1.0`},
		{strings.Replace(good, "2\r", "9223372036854775807\r", 1), "the file ends in the middle"},
	} {
		r := archive.NewReader(strings.NewReader(test.file))
		var err error
		for err == nil {
			_, err = r.Next()
		}
		switch {
		case test.want == "" && err != io.EOF:
			t.Errorf("%.60q: %v, want no error", test.file, err)
		case test.want != "" && !strings.Contains(err.Error(), test.want):
			t.Errorf("%.60q: %v, want %s", test.file, err, test.want)
		}
	}
}

func FuzzReader(f *testing.F) {
	const good = "WARC/1.1\r\nWARC-Type: response\r\nWARC-Target-URI: http://h/\r\nContent-Type: application/http\r\nContent-Length: 19\r\n\r\nHTTP/1.1 200 OK\r\n\r\n\r\n\r\n"
	f.Add([]byte(good))
	f.Add([]byte(compressed(good, good)))
	f.Fuzz(func(t *testing.T, file []byte) {
		root, err := os.OpenRoot(t.TempDir())
		if err != nil {
			t.Fatal(err)
		}
		defer root.Close()
		if err := root.WriteFile("a.warc", file, 0o666); err != nil {
			t.Fatal(err)
		}
		a, err := archive.Open(root, "a.warc")
		if err != nil {
			return
		}
		body, _, err := get(t, a, "http://h/")
		if err == nil && len(body) > len(file)*1100 {
			t.Errorf("%d bytes from %d", len(body), len(file))
		}
	})
}
