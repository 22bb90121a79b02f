package transfer_test

import (
	"context"
	"fmt"
	"io"
	"os"
	"strings"

	"locus/access"
	"locus/access/engine"
	"locus/transfer"
	"locus/url"
)

// greeting opens every URL as the same text.
var greeting = access.GetFunc(func(_ context.Context, req *access.Request) (*access.Resource, error) {
	return &access.Resource{Entry: access.Entry{URL: req.URL, Size: 6}, Body: io.NopCloser(strings.NewReader("hello\n"))}, nil
})

func ExampleGet() {
	dir, err := os.MkdirTemp("", "example")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	root, err := os.OpenRoot(dir)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer root.Close()
	digest, err := transfer.ParseDigest("5891b5b522d5df086d0ff0b110fbd9d21bb4fc7163af34d08286a2e846f6be03")
	if err != nil {
		fmt.Println(err)
		return
	}
	req := &access.Request{URL: url.MustParse("http://example.org/greeting")}
	result, err := transfer.Get(context.Background(), greeting, req, root, "greeting.txt", transfer.Options{
		Digest: digest,
		Event:  func(e transfer.Event) { fmt.Println(e.Kind, e.Name, e.Done) },
	})
	fmt.Println(result.Size, err)
	// Output:
	// started greeting.txt 0
	// progress greeting.txt 6
	// done greeting.txt 6
	// 6 <nil>
}

// A shelf is an engine that keeps the files that it gets.
type shelf struct{ files map[string]string }

func (s shelf) Do(_ context.Context, req *access.Request) (*access.Resource, error) {
	if req.Op != access.Put {
		return nil, engine.Unsupported(req)
	}
	text, err := io.ReadAll(req.Body)
	s.files[req.URL.String()] = string(text)
	return &access.Resource{Body: access.NoBody}, err
}

func ExampleUpload() {
	s := shelf{make(map[string]string)}
	to, err := transfer.FileIn(url.MustParse("ftp://ftp.example.org/pub/"), "a note.txt")
	if err != nil {
		fmt.Println(err)
		return
	}
	text := "Hello."
	done, err := transfer.Upload{Engine: s, Op: access.Put, To: to}.Do(context.Background(), &transfer.Source{
		Body: io.NopCloser(strings.NewReader(text)), Size: int64(len(text)),
	})
	fmt.Println(done.Bytes, err, s.files)
	// Output:
	// 6 <nil> map[ftp://ftp.example.org/pub/a%20note.txt:Hello.]
}
