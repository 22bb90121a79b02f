package rlogin_test

import (
	"context"
	"fmt"
	"io"
	"net"

	"locus/access"
	"locus/proto/rlogin"
	"locus/url"
)

func ExampleClient() {
	dial := func(context.Context, string, string) (net.Conn, error) {
		client, server := net.Pipe()
		go func() {
			io.CopyN(io.Discard, server, int64(len("\x00me\x00guest\x00vt100/38400\x00")))
			io.WriteString(server, "\x00Welcome!\r\n")
			server.Close()
		}()
		return client, nil
	}
	u := url.MustParse("rlogin://guest@host.example/")
	r, err := rlogin.Client{Dial: dial, LocalUser: "me"}.Do(context.Background(), &access.Request{URL: u})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer r.Body.Close()
	text, err := io.ReadAll(r.Body)
	fmt.Printf("%q %v\n", text, err)
	// Output: "Welcome!\r\n" <nil>
}
