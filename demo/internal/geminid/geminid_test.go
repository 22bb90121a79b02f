package geminid

import (
	"context"
	"crypto/sha256"
	"crypto/tls"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/fstest"

	"locus/access"
	"locus/demo/internal/library"
	"locus/demo/internal/serve"
	"locus/proto/gemini"
	"locus/proto/pin"
	"locus/url"
)

// start starts s on a free port, and returns its address. The server ends with the test.
func start(t *testing.T, s *Server) (addr string) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatalf("listen: %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- serve.Run(ctx, l, serve.Connections, s.Serve) }()
	t.Cleanup(func() {
		cancel()
		if err := <-ended; err != nil {
			t.Errorf("serve: %v", err)
		}
	})
	return l.Addr().String()
}

// ask sends a request line and returns the answer.
func ask(t *testing.T, addr, request string) (string, error) {
	t.Helper()
	return send(t, addr, request+"\r\n")
}

// send sends a request and returns the answer.
func send(t *testing.T, addr, request string) (string, error) {
	t.Helper()
	c, err := tls.Dial("tcp", addr, &tls.Config{InsecureSkipVerify: true})
	if err != nil {
		t.Fatalf("dial: %v", err)
	}
	defer c.Close()
	if _, err := io.WriteString(c, request); err != nil {
		t.Fatalf("send %q: %v", request, err)
	}
	answer, err := io.ReadAll(c)
	return string(answer), err
}

// newServer returns a server of the library.
func newServer(t *testing.T) *Server {
	t.Helper()
	index, err := library.NewIndex(library.Files())
	if err != nil {
		t.Fatalf("index: %v", err)
	}
	return &Server{Files: library.Files(), Index: index, Links: []serve.Link{{Title: "Elsewhere", Scheme: "ftp", Port: 21}}}
}

func TestAnswers(t *testing.T) {
	addr := start(t, newServer(t))
	const page = "20 text/gemini; charset=utf-8; lang=en\r\n"
	for _, test := range []struct{ request, prefix, want string }{
		{"gemini://h/", page + "# The little library of locus\n", "\n=> /texts/ texts/\n"},
		{"gemini://h", page, "\n=> /search Search the texts\n"},
		{"gemini://h/", page, "\n=> ftp://127.0.0.1:21/ Elsewhere\n"},
		{"gemini://h/texts/", page + "# texts\n", "\n=> /texts/wais.txt WAIS: ask in words, get documents\n"},
		{"gemini://h/awkward/", page, "\n=> /awkward/a%252Fb.txt "},
		{"gemini://h:7/texts", "31 gemini://h:7/texts/\r\n", ""},
		{"gemini://h/etc/motd", "20 text/plain; charset=utf-8\r\n", "read the manual.\n"},
		{"gemini://h/awkward/number%23sign.txt", "20 text/plain", ""},
		{"gemini://h/pictures/lens.png", "20 image/png\r\n\x89PNG", ""},
		{"gemini://h/search", "10 Words to look for\r\n", ""},
		{"gemini://h/search?", "10 Words to look for\r\n", ""},
		{"gemini://h/search?wais%20score", page, "\n=> /texts/wais.txt WAIS"},
		{"gemini://h/search?zyzzyva", page, "\nNo text has all of these words.\n"},
		{"gemini://h/locked", "11 Any password\r\n", ""},
		{"gemini://h/locked?sesame", page, "has 6 bytes"},
		{"gemini://h/nothing", "51 ", ""},
		{"gemini://h/etc%2Fmotd", "51 ", ""},
		{"gemini://h/etc/motd/", "51 ", ""},
		{"gemini://h//etc/motd", "51 ", ""},
		{"gemini://h/../etc/motd", "51 ", ""},
		{"gemini://h/%2e%2e/x", "51 ", ""},
		{"https://h/", "53 ", ""},
		{"/etc/motd", "59 ", ""},
		{"gemini://u@h/", "59 ", ""},
		{"gemini://h/#top", "59 ", ""},
		{"gemini://h/search?wais#", "59 ", ""},
		{"titan://h/uploads/a.txt;size=0#top", "59 ", ""},
		{"", "59 ", ""},
	} {
		got, err := ask(t, addr, test.request)
		if err != nil || !strings.HasPrefix(got, test.prefix) || !strings.Contains(got, test.want) {
			t.Errorf("the answer to %q is %.200q, %v, want %q first, and %q", test.request, got, err, test.prefix, test.want)
		}
	}
	for size, want := range map[int]string{1023: "51 ", 1024: "51 ", 1025: "59 ", 1026: "59 ", 5000: "59 "} {
		for _, end := range []string{"\r\n", "\n"} {
			const start = "gemini://h/"
			if got, err := send(t, addr, start+strings.Repeat("x", size-len(start))+end); err != nil || !strings.HasPrefix(got, want) {
				t.Errorf("a URL of %d bytes that ends in %q gets %q, %v, want %q first", size, end, got, err, want)
			}
		}
	}
}

// A client uploads pages into one folder, reads them and deletes them.
func TestUploads(t *testing.T) {
	s := newServer(t)
	var mu sync.Mutex
	var logged []string
	s.Log = func(line string) {
		mu.Lock()
		defer mu.Unlock()
		logged = append(logged, line)
	}
	addr := start(t, s)
	for _, test := range []struct{ request, content, want string }{
		{"gemini://h/uploads/a.txt", "", "51 There is no such page\r\n"},
		{"titan://h/uploads/a.txt;size=0", "", "51 There is no such page\r\n"},
		{"titan://h/uploads/a.txt;mime=text/plain;size=5;token=sesame", "hello", "30 gemini://h/uploads/a.txt\r\n"},
		{"gemini://h/uploads/a.txt", "", "20 text/plain\r\nhello"},
		{"titan://h/uploads/a.txt;size=3", "new", "30 gemini://h/uploads/a.txt\r\n"},
		{"gemini://h/uploads/a.txt", "", "20 text/gemini\r\nnew"},
		{"titan://h/uploads/a.txt;size=0", "", "20 text/gemini; charset=utf-8; lang=en\r\nThe page is deleted.\n"},
		{"gemini://h/uploads/a.txt", "", "51 There is no such page\r\n"},
		{"titan://h/uploads/a.txt;mime=a%0D%0Ab;size=1", "x", "30 gemini://h/uploads/a.txt\r\n"},
		{"gemini://h/uploads/a.txt", "", "20 text/plain\r\nx"},
		{"titan://h/uploads/a.txt", "", "59 The URL lacks ;size= and the number of bytes\r\n"},
		{"titan://h/uploads/a.txt;size=1048577", "", "59 A page may have 1048576 bytes\r\n"},
		{"titan://h/uploads/a%2Fb;size=1", "", "59 Uploads go into the folder /uploads/\r\n"},
		{"titan://h/uploads/;size=1", "", "59 Uploads go into the folder /uploads/\r\n"},
		{"titan://h/etc/motd;size=1", "", "59 Uploads go into the folder /uploads/\r\n"},
		{"titan://h/a;x=y", "", "59 This is not a titan URL\r\n"},
	} {
		got, err := send(t, addr, test.request+"\r\n"+test.content)
		if err != nil || got != test.want {
			t.Errorf("the answer to %q is %q, %v, want %q", test.request, got, err, test.want)
		}
	}
	full := ""
	for i := range maxUploads {
		full, _ = send(t, addr, fmt.Sprintf("titan://h/uploads/%d;size=1\r\nx", i))
	}
	if !strings.HasPrefix(full, "50 ") {
		t.Errorf("upload %d is answered with %q, want the status 50", maxUploads+1, full)
	}
	for _, test := range []struct{ request, want string }{
		{"titan://h/uploads/0;size=1\r\ny", "30 gemini://h/uploads/0\r\n"}, // in place of another page
		{"gemini://h/uploads/0\r\n", "20 text/gemini\r\ny"},
		{"titan://h/uploads/1;size=0\r\n", "20 text/gemini; charset=utf-8; lang=en\r\nThe page is deleted.\n"},
		{"titan://h/uploads/new;size=1\r\nx", "30 gemini://h/uploads/new\r\n"},
		{"titan://h/uploads/newer;size=1\r\nx", "50 The folder is full: delete a page first\r\n"},
	} {
		if got, err := send(t, addr, test.request); err != nil || got != test.want {
			t.Errorf("in a full folder the answer to %q is %q, %v, want %q", test.request, got, err, test.want)
		}
	}
	mu.Lock()
	defer mu.Unlock()
	if text := strings.Join(logged, "\n"); strings.Contains(text, "sesame") || !strings.Contains(text, "titan://h/uploads/a.txt;mime=text/plain;size=5;token=xxxxx") {
		t.Errorf("log %q, want the uploads without the token", logged)
	}
}

// An upload whose content breaks off gets no answer, and leaves the older page.
func TestUploadBreaksOff(t *testing.T) {
	addr := start(t, newServer(t))
	const page = "gemini://h/uploads/a.txt"
	if got, err := send(t, addr, "titan://h/uploads/a.txt;size=3\r\nold"); err != nil || got != "30 "+page+"\r\n" {
		t.Fatalf("the upload of a page is answered with %q, %v", got, err)
	}
	c, err := tls.Dial("tcp", addr, &tls.Config{InsecureSkipVerify: true})
	if err != nil {
		t.Fatalf("dial: %v", err)
	}
	defer c.Close()
	if _, err := io.WriteString(c, "titan://h/uploads/a.txt;size=3\r\nne"); err != nil {
		t.Fatalf("send: %v", err)
	}
	if err := c.CloseWrite(); err != nil {
		t.Fatalf("close: %v", err)
	}
	if got, err := io.ReadAll(c); len(got) > 0 || err != nil {
		t.Errorf("an upload that breaks off is answered with %q, %v, want no answer", got, err)
	}
	if got, err := ask(t, addr, page); err != nil || got != "20 text/gemini\r\nold" {
		t.Errorf("after an upload that broke off the page is %q, %v", got, err)
	}
}

// The certificate never changes, because clients remember it. If this test fails, users of older demos have to accept
// the new certificate.
func TestCertificate(t *testing.T) {
	digest := sha256.Sum256(Certificate().Certificate[0])
	const want = "1f3f4c9a2ba9469a782a33c893dd27cab238322aac9014415a297a4b66e99193"
	if got := hex.EncodeToString(digest[:]); got != want {
		t.Errorf("the fingerprint is %s, want %s", got, want)
	}
}

// A password is not logged.
func TestLog(t *testing.T) {
	var mu sync.Mutex
	var logged []string
	s := newServer(t)
	s.Log = func(line string) {
		mu.Lock()
		defer mu.Unlock()
		logged = append(logged, line)
	}
	addr := start(t, s)
	for _, request := range []string{"gemini://h/search?a%20b", "gemini://h/locked?sesame", "gemini://h/%6Cocked?sesame"} {
		if _, err := ask(t, addr, request); err != nil {
			t.Errorf("ask %q: %v", request, err)
		}
	}
	mu.Lock()
	defer mu.Unlock()
	if want := []string{"gemini://h/search?a%20b", "gemini://h/locked?xxxxx", "gemini://h/locked?xxxxx"}; !slices.Equal(logged, want) {
		t.Errorf("log %q, want %q", logged, want)
	}
}

// A file that cannot be read to its end ends without close_notify, and the names of files cannot add lines.
func TestHostileFiles(t *testing.T) {
	addr := start(t, &Server{Files: broken{fstest.MapFS{"a\n=> x": {}, "broken.txt": {Data: []byte("whole")}}}})
	c := gemini.Client{Dial: new(net.Dialer).DialContext, Pins: new(pin.Pins)}
	r, err := c.Do(t.Context(), &access.Request{URL: url.MustParse("gemini://" + addr + "/broken.txt")})
	if err == nil {
		_, err = io.ReadAll(r.Body)
		r.Body.Close()
	}
	if !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("a broken file ends with %v, want io.ErrUnexpectedEOF", err)
	}
	if got, err := ask(t, addr, "gemini://h/"); err != nil || strings.Contains(got, "\n=> x") {
		t.Errorf("a name with a line end gives %q, %v", got, err)
	}
}

// A file or a directory that cannot be read is a temporary failure, and a redirect to a directory escapes its name.
func TestUnreadableFiles(t *testing.T) {
	addr := start(t, &Server{Files: unreadable{fstest.MapFS{"a.txt": {}, "sub/b.txt": {}, "what?/c.txt": {}}}})
	for _, test := range []struct{ request, want string }{
		{"gemini://h/a.txt", "40 The file cannot be read\r\n"},
		{"gemini://h/sub/", "40 The directory cannot be read\r\n"},
		{"gemini://h/sub", "31 gemini://h/sub/\r\n"},
		{"gemini://h/what%3F", "31 gemini://h/what%3F/\r\n"},
		{"gemini://h/c.txt", "51 There is no such page\r\n"},
	} {
		if got, err := ask(t, addr, test.request); err != nil || got != test.want {
			t.Errorf("the answer to %q is %q, %v, want %q", test.request, got, err, test.want)
		}
	}
}

// An unreadable file system knows the attributes of its files, but does not open them.
type unreadable struct{ files fstest.MapFS }

func (u unreadable) Open(name string) (fs.File, error) {
	return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrPermission}
}

func (u unreadable) Stat(name string) (fs.FileInfo, error) { return u.files.Stat(name) }

// A broken file system fails after the first bytes of broken.txt.
type broken struct{ fs.FS }

func (b broken) Open(name string) (fs.File, error) {
	f, err := b.FS.Open(name)
	if name != "broken.txt" || err != nil {
		return f, err
	}
	return brokenFile{f}, nil
}

type brokenFile struct{ fs.File }

func (f brokenFile) Read(p []byte) (int, error) {
	if n, err := f.File.Read(p[:1]); err == nil {
		return n, nil
	}
	return 0, errors.New("broken")
}
