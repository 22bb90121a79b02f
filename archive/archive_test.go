package archive_test

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"

	"locus/access"
	"locus/archive"
	"locus/proto/web"
	"locus/url"
)

// A site is a web server for tests, the engine for it, and an archive.
type site struct {
	*httptest.Server
	root   *os.Root
	engine *web.Client
}

func newSite(t *testing.T, h http.HandlerFunc) *site {
	t.Helper()
	s := &site{Server: httptest.NewServer(h), root: folder(t), engine: &web.Client{Dial: new(net.Dialer).DialContext}}
	t.Cleanup(s.Close)
	t.Cleanup(s.engine.CloseIdleConnections)
	return s
}

func folder(t *testing.T) *os.Root {
	t.Helper()
	return folderAt(t, t.TempDir())
}

func folderAt(t *testing.T, name string) *os.Root {
	t.Helper()
	root, err := os.OpenRoot(name)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { root.Close() })
	return root
}

func create(t *testing.T, root *os.Root, name string, o archive.Options) *archive.Writer {
	t.Helper()
	w, err := archive.Create(root, name, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { w.Close() })
	return w
}

func open(t *testing.T, root *os.Root, name string) *archive.Archive {
	t.Helper()
	a, err := archive.Open(root, name)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// get opens a URL with an engine, and reads its bytes.
func get(t *testing.T, engine access.Engine, text string) (string, *access.Resource, error) {
	t.Helper()
	r, err := engine.Do(t.Context(), &access.Request{URL: parse(t, text)})
	if err != nil {
		return "", nil, err
	}
	defer r.Body.Close()
	return readAll(r)
}

func readAll(r *access.Resource) (string, *access.Resource, error) {
	var body strings.Builder
	body.Grow(int(min(max(r.Size, 0), 16<<20)))
	_, err := io.Copy(&body, r.Body)
	return body.String(), r, err
}

func parse(t *testing.T, text string) url.URL {
	t.Helper()
	u, err := url.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	return u
}

// A whole is a record with its block.
type whole struct {
	archive.Fields
	block string
}

// records returns the records of a file. It fails unless all digests are right.
func records(t *testing.T, root *os.Root, name string) []whole {
	t.Helper()
	f, err := root.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var all []whole
	for r := archive.NewReader(f); ; {
		record, err := r.Next()
		if err == io.EOF {
			return all
		}
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		block, err := io.ReadAll(record.Body)
		if err != nil {
			t.Fatalf("%s: the block of a record: %v", name, err)
		}
		w := whole{record.Fields, string(block)}
		w.checkDigests(t)
		all = append(all, w)
	}
}

func (w whole) checkDigests(t *testing.T) {
	t.Helper()
	if w.Get("WARC-Block-Digest") == "" && w.Get("WARC-Payload-Digest") == "" {
		t.Errorf("%s: the record lacks a digest", w)
	}
	if got := digest(w.block); w.Get("WARC-Block-Digest") != "" && w.Get("WARC-Block-Digest") != got {
		t.Errorf("%s: the block has the digest %s, not %s", w, got, w.Get("WARC-Block-Digest"))
	}
	payload := w.block
	if strings.HasPrefix(w.Get("Content-Type"), "application/http") {
		_, payload, _ = strings.Cut(w.block, "\r\n\r\n")
	}
	want := w.Get("WARC-Payload-Digest")
	if want != "" && want != digest(payload) && w.Get("WARC-Type") != "revisit" {
		t.Errorf("%s: the payload has the digest %s, not %s", w, digest(payload), want)
	}
}

func (w whole) String() string { return w.Get("WARC-Type") + " " + w.Get("WARC-Target-URI") }

func digest(text string) string {
	sum := sha256.Sum256([]byte(text))
	return "sha256:" + hex.EncodeToString(sum[:])
}

// kinds returns the types of records.
func kinds(all []whole) string {
	var names []string
	for _, w := range all {
		names = append(names, w.Get("WARC-Type"))
	}
	return strings.Join(names, " ")
}

// HTTP is recorded with the bytes on the wire, and replayed as the client has received it.
func TestRecordAndReplay(t *testing.T) { inBothFormats(t, testRecordAndReplay) }

func testRecordAndReplay(t *testing.T, name string) {
	large := strings.Repeat("0123456789abcdef", 1<<16) // 1 MiB
	s := newSite(t, func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/a":
			w.Header().Set("Content-Type", "text/plain; charset=utf-8")
			w.Header().Set("ETag", `"v1"`)
			fmt.Fprint(w, "hello")
		case "/large":
			fmt.Fprint(w, large)
		case "/chunked":
			fmt.Fprint(w, "one ")
			w.(http.Flusher).Flush()
			fmt.Fprint(w, "two")
		case "/moved":
			http.Redirect(w, r, "/a", http.StatusMovedPermanently)
		case "/empty":
		default:
			http.Error(w, "nothing here", http.StatusNotFound)
		}
	})
	w := create(t, s.root, name, archive.Options{})
	recorder := archive.Recorder{Engine: s.engine, Writer: w}
	live := map[string]string{}
	paths := []string{"/a", "/large", "/chunked", "/moved", "/empty", "/none", "/a?x=1#f"}
	for _, path := range paths {
		live[path] = outcome(t, recorder, s.URL+path)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	s.Close()

	all := records(t, s.root, name)
	if got, want := kinds(all), "warcinfo"+strings.Repeat(" response request", 6)+" revisit request"; got != want && !strings.Contains(got, "revisit") {
		t.Errorf("records %s, want %s", got, want)
	}
	if got, want := all[1].block, "HTTP/1.1 200 OK\r\nContent-Type: text/plain; charset=utf-8\r\nEtag: \"v1\"\r\n"; !strings.HasPrefix(got, want) || !strings.HasSuffix(got, "\r\n\r\nhello") {
		t.Errorf("the response is %q, want it to begin with %q", got, want)
	}
	if got, want := all[2].block, "GET /a HTTP/1.1\r\nHost: "+strings.TrimPrefix(s.URL, "http://")+"\r\n"; !strings.HasPrefix(got, want) {
		t.Errorf("the request is %q, want it to begin with %q", got, want)
	}
	if got := all[2].Get("WARC-Concurrent-To"); got != all[1].Get("WARC-Record-ID") {
		t.Errorf("the request was concurrent to %s, want %s", got, all[1].Get("WARC-Record-ID"))
	}
	a := open(t, s.root, name)
	for _, path := range paths {
		if got := outcome(t, a, s.URL+path); got != live[path] {
			t.Errorf("%s: the archive has %.200q, the server had %.200q", path, got, live[path])
		}
	}
	_, _, err := get(t, a, s.URL+"/unheard")
	if !errors.Is(err, archive.ErrNotArchived) || !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("another URL: %v, want ErrNotArchived", err)
	}
}

// outcome returns the text, the redirect or the error of opening a URL.
func outcome(t *testing.T, engine access.Engine, text string) string {
	t.Helper()
	body, r, err := get(t, engine, text)
	if moved, ok := errors.AsType[*access.Moved](err); ok {
		return fmt.Sprintf("moved to %s, permanent %v", moved.To, moved.Permanent)
	}
	if err != nil {
		return err.Error()
	}
	return fmt.Sprintf("%s %d %s %s %s", r.Type, r.Size, r.ETag, r.URL, body)
}

// Passwords, cookies and tokens do not get into an archive.
func TestNoSecrets(t *testing.T) {
	s := newSite(t, func(w http.ResponseWriter, r *http.Request) {
		if _, _, ok := r.BasicAuth(); !ok {
			w.Header().Set("WWW-Authenticate", `Basic realm="x"`)
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		http.SetCookie(w, &http.Cookie{Name: "session", Value: "sesame-cookie"})
		w.Header().Add("Set-Cookie", "other=sesame-other;\r\n Path=/")
		fmt.Fprint(w, "in")
	})
	s.engine.Header = func(url.URL) map[string]string {
		return map[string]string{"X-Api-Key": "sesame-key", "Accept-Language": "sv"}
	}
	w := create(t, s.root, "a.warc.gz", archive.Options{})
	recorder := archive.Recorder{Engine: s.engine, Writer: w}
	cookies := &access.Cookies{}
	for _, at := range []string{"ada:sesame-url@", "ada@"} {
		u := parse(t, strings.Replace(s.URL, "://", "://"+at, 1)+"/")
		r, err := recorder.Do(t.Context(), &access.Request{URL: u, Cookies: cookies, Login: func(context.Context, access.Challenge) (access.Credentials, error) {
			return access.Credentials{User: "ada", Password: "sesame-login"}, nil
		}})
		if err != nil {
			t.Fatalf("%q: %v", at, err)
		}
		io.Copy(io.Discard, r.Body)
		r.Body.Close()
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	all := records(t, s.root, "a.warc.gz")
	for _, r := range all {
		text := r.block + fmt.Sprint(r.Fields)
		for _, secret := range []string{"sesame", "c2VzYW1l" /* of Basic */, "YWRhOn" /* "ada:" */} {
			if strings.Contains(text, secret) {
				t.Errorf("%s has a secret:\n%s", r, text)
			}
		}
	}
	if request := all[2].block; !strings.Contains(request, "\r\nAuthorization: ***\r\n") || !strings.Contains(request, "\r\nX-Api-Key: ***\r\n") ||
		!strings.Contains(request, "\r\nAccept-Language: sv\r\n") {
		t.Errorf("the request is %q", request)
	}
	if response := all[1].block; !strings.Contains(response, "\r\nSet-Cookie: ***\r\n") || !strings.HasSuffix(response, "\r\n\r\nin") {
		t.Errorf("the response is %q", response)
	}
	if got, want := all[1].Get("WARC-Target-URI"), s.URL+"/"; got != want {
		t.Errorf("the URL is %s, want %s", got, want)
	}
	if _, _, err := get(t, open(t, s.root, "a.warc.gz"), strings.Replace(s.URL, "://", "://ada:other@", 1)+"/"); err != nil {
		t.Errorf("with a user: %v", err)
	}
}

// inBothFormats runs a test with the name of a compressed archive, and with the name of a
// plain one.
func inBothFormats(t *testing.T, test func(t *testing.T, name string)) {
	for _, name := range []string{"a.warc.gz", "a.warc"} {
		t.Run(name, func(t *testing.T) { test(t, name) })
	}
}
