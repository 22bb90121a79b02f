package main

import (
	"bufio"
	"crypto/sha256"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/fstest"

	"locus/demo"
)

// An ftpRelay passes connections on to a server, and keeps the bytes that clients send.
type ftpRelay struct {
	address string
	conns   sync.WaitGroup
	mu      sync.Mutex
	sent    []*strings.Builder // by connection
}

func newFTPRelay(t *testing.T, to string) *ftpRelay {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	r := &ftpRelay{address: l.Addr().String()}
	accepting := make(chan struct{})
	t.Cleanup(func() { l.Close(); <-accepting; r.conns.Wait() })
	go func() {
		defer close(accepting)
		for {
			client, err := l.Accept()
			if err != nil {
				return
			}
			r.conns.Go(func() { r.pass(client, to) })
		}
	}()
	return r
}

func (r *ftpRelay) pass(client net.Conn, to string) {
	defer client.Close()
	server, err := net.Dial("tcp", to)
	if err != nil {
		return
	}
	var sent strings.Builder
	r.mu.Lock()
	r.sent = append(r.sent, &sent)
	r.mu.Unlock()
	done := make(chan struct{})
	go func() {
		defer close(done)
		_, _ = io.Copy(client, server)
	}()
	_, _ = io.Copy(io.MultiWriter(server, &sent), client)
	server.Close()
	<-done
}

// The command sends QUIT on each control connection before it ends.
func TestFTPQuits(t *testing.T) {
	d, err := demo.Start(t.Context(), demo.Config{Listen: net.Listen})
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	for _, args := range [][]string{
		{"get", "ftp://HOST/texts/ftp.txt"},
		{"get", "-o", filepath.Join(t.TempDir(), "f"), "ftp://HOST/texts/ftp.txt"},
		{"get", "ftp://HOST/texts/ftp.txt", "ftp://HOST/missing/f"},
		{"get", "-r", "--output-dir", t.TempDir(), "ftp://HOST/pictures/"},
		{"get", "ftp://u:wrong@HOST/texts/ftp.txt"},
		{"ls", "ftp://HOST/pictures/"},
		{"stat", "ftp://HOST/texts/ftp.txt"},
		{"mirror", "ftp://HOST/pictures/", t.TempDir()},
		{"check", "ftp://HOST/pictures/"},
	} {
		r := newFTPRelay(t, d.Service("ftp").Addr)
		for i := range args {
			args[i] = strings.Replace(args[i], "HOST", r.address, 1)
		}
		_, _, stderr := runHere(t, "", args...)
		r.conns.Wait()
		if len(r.sent) == 0 {
			t.Errorf("locus %q opens no connection: %s", args, stderr)
		}
		for _, sent := range r.sent {
			if text := sent.String(); !strings.HasSuffix(text, "QUIT\r\n") {
				t.Errorf("locus %q sends %q, want QUIT at the end", args, text)
			}
		}
	}
}

// A server that demands TLS is asked only once, and the hint tells the user how to get TLS.
func TestFTPDemandsTLS(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	var asked atomic.Int64
	go func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			asked.Add(1)
			fmt.Fprint(conn, "220 ready\r\n")
			_, _ = bufio.NewReader(conn).ReadString('\n')
			fmt.Fprint(conn, "421 Sorry, cleartext sessions are not accepted. Please reconnect using TLS.\r\n")
			conn.Close()
		}
	}()
	t.Chdir(t.TempDir())
	for _, args := range [][]string{{"get"}, {"get", "-o", "f", "--retry-wait", "1ms"}} {
		asked.Store(0)
		status, _, stderr := runHere(t, "", append(args, "ftp://"+l.Addr().String()+"/f")...)
		if status != 1 || asked.Load() != 1 || !strings.Contains(stderr, "hint: connect with TLS by --ftp-tls") {
			t.Errorf("locus %q: status %d after %d connections, %q", args, status, asked.Load(), stderr)
		}
	}
}

// A text without a type code arrives with the bytes that the server stores, because it has a
// published digest, and other protocols deliver these bytes, too. With ";type=a" its lines end as on
// this machine, and with --raw as on the wire.
func TestFTPText(t *testing.T) {
	const stored, local, wire = "one\ntwo\r\nthree\n", "one\ntwo\nthree\n", "one\r\ntwo\r\nthree\r\n"
	if runtime.GOOS == "windows" {
		t.Skip("lines end in CR LF here")
	}
	files := fstest.MapFS{}
	for _, name := range []string{"notes.txt", "page.html"} {
		files["d/"+name] = &fstest.MapFile{Data: []byte(stored)}
	}
	d, err := demo.Start(t.Context(), demo.Config{Listen: net.Listen, ListenPacket: net.ListenPacket, Files: files})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { d.Close() })
	at := ""
	for _, s := range d.Services() {
		if s.Scheme == "ftp" {
			at = "ftp://" + s.Addr + "/d/"
		}
	}
	t.Chdir(t.TempDir())
	for _, test := range []struct {
		args, file string // the file that is written; "": stdout
		want       string
	}{
		{"get AT/notes.txt", "", stored},
		{"get AT/page.html", "", stored},
		{"get -o f AT/notes.txt", "f", stored},
		{"get -O AT/page.html", "page.html", stored},
		{"get --output-dir o AT/notes.txt", "o/notes.txt", stored},
		{"cp AT/notes.txt f", "f", stored},
		{"get AT/notes.txt;type=i", "", stored},
		{"get AT/notes.txt;type=a", "", local},
		{"get --raw AT/notes.txt;type=a", "", wire},
		{"get -o f AT/notes.txt;type=a", "f", local},
		{"get -o f --raw AT/notes.txt;type=a", "f", wire},
		{"get -O AT/notes.txt;type=a", "notes.txt", local},
		{"get -O --raw AT/notes.txt;type=an", "notes.txt", wire},
		{"cp AT/notes.txt;type=a f", "f", local},
	} {
		args := strings.Fields(strings.ReplaceAll(test.args, "AT/", at))
		status, got, stderr := runHere(t, "", args...)
		if test.file != "" {
			text, _ := os.ReadFile(test.file)
			got = string(text)
		}
		if status != 0 || got != test.want {
			t.Errorf("locus %s = %d, %q, %q, want %q", test.args, status, stderr, got, test.want)
		}
	}
	sum := fmt.Sprintf("%x", sha256.Sum256([]byte(stored)))
	if status, _, stderr := runHere(t, "", "get", "-O", "--sha256", sum, at+"notes.txt"); status != 0 {
		t.Errorf("get of a text with a digest = %d, %q", status, stderr)
	}
	status, _, stderr := runHere(t, "", "get", "-O", "--sha256", sum, at+"notes.txt;type=a")
	if status != 1 || !strings.Contains(stderr, " with ;type=i ") {
		t.Errorf("get of a text of type A with a digest = %d, %q, want a hint that names ;type=i", status, stderr)
	}
}
