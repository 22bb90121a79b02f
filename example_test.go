package locus_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"testing/fstest"
	"time"

	"locus"
)

// serve starts a web server with one text, for the examples to open.
func serve() (base string, stop func()) {
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/old" {
			http.Redirect(w, r, "/motd", http.StatusMovedPermanently)
			return
		}
		w.Header().Set("Content-Type", "text/plain")
		fmt.Fprintln(w, "every URL still opens")
	}))
	return s.URL, s.Close
}

// Open any URL. Redirects are followed.
func Example() {
	base, stop := serve()
	defer stop()

	var dialer net.Dialer
	c := &locus.Client{Dial: dialer.DialContext}

	r, err := c.Open(context.Background(), base+"/old")
	if err != nil {
		log.Fatal(err)
	}
	defer r.Body.Close()

	text, err := io.ReadAll(r.Body)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%s, %d bytes: %s", r.Type, r.Size, text)
	// Output: text/plain, 22 bytes: every URL still opens
}

// Open a URL of a stranger: only public addresses are dialled, only schemes that fetch over
// the network are opened, and the size is bounded.
func ExampleClient_public() {
	base, stop := serve() // on this machine, which is not public
	defer stop()

	var dialer net.Dialer
	c := &locus.Client{
		Dial:   dialer.DialContext,
		Public: true,
		Limits: locus.Limits{Bytes: 1 << 20, Total: 30 * time.Second},
	}
	r, err := c.Open(context.Background(), base+"/motd")
	if err != nil {
		fmt.Println("refused:", errors.Is(err, fs.ErrPermission))
		return
	}
	defer r.Body.Close()
	_, err = io.Copy(os.Stdout, r.Body)
	fmt.Println(err)
	// Output: refused: true
}

// An http.Client for every scheme: here the files of one folder.
func ExampleClient_HTTP() {
	dir, err := os.MkdirTemp("", "locus")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	if err := os.WriteFile(filepath.Join(dir, "motd.txt"), []byte("hello\n"), 0o666); err != nil {
		log.Fatal(err)
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		log.Fatal(err)
	}
	defer root.Close()

	client := (&locus.Client{Root: root}).HTTP()
	resp, err := client.Get("file:///motd.txt")
	if err != nil {
		log.Fatal(err)
	}
	defer resp.Body.Close()
	text, _ := io.ReadAll(resp.Body)
	fmt.Printf("%s, %s: %s", resp.Status, resp.Header.Get("Content-Type"), text)
	// Output: 200 OK, text/plain: hello
}

// The resources below a URL are a file system.
func ExampleClient_FS() {
	dir, err := os.MkdirTemp("", "locus")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	for _, name := range []string{"b.txt", "a.txt"} {
		if err := os.WriteFile(filepath.Join(dir, name), nil, 0o666); err != nil {
			log.Fatal(err)
		}
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		log.Fatal(err)
	}
	defer root.Close()

	c := &locus.Client{Root: root}
	fsys, err := c.FS(context.Background(), "file:///")
	if err != nil {
		log.Fatal(err)
	}
	names, err := fs.Glob(fsys, "*.txt")
	fmt.Println(names, err)
	// Output: [a.txt b.txt] <nil>
}

// Over http a directory is a listing that the server made.
func ExampleClient_FS_web() {
	files := fstest.MapFS{"pub/a.txt": {Data: []byte("hello\n")}, "pub/sub/b.txt": {}}
	server := httptest.NewServer(http.FileServerFS(files))
	defer server.Close()

	var dialer net.Dialer
	c := &locus.Client{Dial: dialer.DialContext}
	fsys, err := c.FS(context.Background(), server.URL+"/pub")
	if err != nil {
		log.Fatal(err)
	}
	err = fs.WalkDir(fsys, ".", func(path string, d fs.DirEntry, err error) error {
		fmt.Println(path)
		return err
	})
	text, readErr := fs.ReadFile(fsys, "a.txt")
	fmt.Printf("%q %v %v\n", text, err, readErr)
	// Output:
	// .
	// a.txt
	// sub
	// sub/b.txt
	// "hello\n" <nil> <nil>
}
